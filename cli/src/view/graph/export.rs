//! A graph as a drawing: DOT for Graphviz, Mermaid for Markdown.

use std::collections::HashMap;

use super::member::Member;
use crate::output::one_line;

/// Returns the colour of a state.
fn colour(status: &str) -> &'static str {
    match status {
        "complete" => "#c8e6c9",
        "failed" => "#ffcdd2",
        "cancelled" => "#e1bee7",
        "skipped" => "#f3e5f5",
        "started" | "reserved" => "#bbdefb",
        "pending" | "scheduled" => "#fff9c4",
        _ => "#eeeeee",
    }
}

/// Returns the edges, each from an upstream to its dependent, with a label that is empty if the dependent needs
/// success.
fn edges(tasks: &[Member]) -> Vec<(usize, usize, &str)> {
    let places: HashMap<_, _> = tasks.iter().enumerate().map(|(place, task)| (&task.key, place)).collect();
    let mut all = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        for up in &task.upstreams {
            let needs = if up.needs == "success" { "" } else { up.needs.as_str() };
            all.extend(places.get(&up.key).map(|from| (*from, place, needs)));
        }
    }
    // An edge may occur twice, because a task may receive the result of an upstream twice.
    all.dedup();
    all
}

pub fn dot(title: &str, tasks: &[Member]) -> String {
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n",
        quoted(title)
    );
    for (place, task) in tasks.iter().enumerate() {
        let (label, status) = (quoted(&task.task), quoted(task.status));
        let colour = colour(task.status);
        text.push_str(&format!("  t{place} [label={label}, tooltip={status}, fillcolor=\"{colour}\"];\n"));
    }
    for (from, to, needs) in edges(tasks) {
        let label = if needs.is_empty() { String::new() } else { format!(" [label={}]", quoted(needs)) };
        text.push_str(&format!("  t{from} -> t{to}{label};\n"));
    }
    text.push('}');
    text
}

pub fn mermaid(tasks: &[Member]) -> String {
    // In Mermaid, an entity begins with a hash.
    let quote = |c: char| match c {
        '"' => "#quot;".to_owned(),
        '#' => "#35;".to_owned(),
        '&' => "#amp;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '`' => "#96;".to_owned(),
        c => c.to_string(),
    };
    let quoted = |text: &str| format!("\"{}\"", one_line(text).chars().map(quote).collect::<String>());
    let mut text = "flowchart LR\n".to_owned();
    let mut states: Vec<&str> = tasks.iter().map(|task| task.status).collect();
    states.sort_unstable();
    states.dedup();
    for (place, task) in tasks.iter().enumerate() {
        text.push_str(&format!("  t{place}[{}]:::{}\n", quoted(&task.task), task.status));
    }
    for (from, to, needs) in edges(tasks) {
        let label = if needs.is_empty() { String::new() } else { format!("|{}|", quoted(needs)) };
        text.push_str(&format!("  t{from} -->{label} t{to}\n"));
    }
    for state in states {
        text.push_str(&format!("  classDef {state} fill:{},color:#000\n", colour(state)));
    }
    text.trim_end().to_owned()
}
