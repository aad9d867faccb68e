//! Badges, bars, empty states.

use blueque::{Progress, TaskInfo};
use maud::{Markup, html};

use crate::here::{Here, escaped};
use crate::text;

/// The mark of a state.
pub fn mark(word: &str) -> &'static str {
    match word {
        "complete" => "✓",
        "failed" => "✕",
        "cancelled" | "skipped" => "⊘",
        "started" => "▶",
        "reserved" => "▷",
        "pending" => "○",
        "scheduled" => "◷",
        "waiting" => "⋯",
        "held" => "‖",
        "stopping" => "■",
        "suspended" => "⏸",
        _ => "?",
    }
}

/// A state, by its word and a mark, so that it is not told by colour alone.
pub fn state(word: &str) -> Markup {
    html! { span.state data-state=(word) { span.mark aria-hidden="true" { (mark(word)) } (word) } }
}

/// A progress bar with its percentage and message.
pub fn progress(progress: &Progress) -> Markup {
    html! {
        span.progress {
            @if let Some(part) = progress.fraction {
                progress max="1" value=(format!("{part:.4}")) aria-label="Progress" {}
                span.percent { (percent(part)) }
            }
            @if !progress.text.is_empty() { span.message { (text::short(&progress.text, 120)) } }
        }
    }
}

pub fn percent(part: f64) -> String {
    format!("{:.0} %", (part * 100.0).floor())
}

/// A link to a task, by its id.
pub fn task(here: &Here, id: &str) -> Markup {
    html! { a.id href=(here.link(&format!("/tasks/{}", escaped(id)))) { (text::short(id, 40)) } }
}

/// Maximum number of bytes of parameters that a list shows.
const BEGINNING: usize = 300;

/// A link to a task, by its title and then its id; or by its id, and then the beginning of its parameters.
pub fn named(here: &Here, id: &str, info: &TaskInfo) -> Markup {
    if let Some(title) = info.title().filter(|title| !title.is_empty()) {
        return html! {
            a href=(here.link(&format!("/tasks/{}", escaped(id)))) { (text::short(&title, 60)) }
            small.id { (text::short(id, 40)) }
        };
    }
    let beginning = || {
        let given = info.parameters_bytes().filter(|bytes| !bytes.is_empty() && *bytes != b"[]")?;
        let shown = here.site.redacted(given.to_vec());
        let beginning = String::from_utf8_lossy(shown.get(..BEGINNING).unwrap_or(&shown)).into_owned();
        Some(beginning.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    html! { (task(here, id)) @if let Some(text) = beginning() { small.what { (text::short(&text, 60)) } } }
}

/// A link to a queue, by its name.
pub fn queue(here: &Here, name: &str) -> Markup {
    html! { a href=(here.link(&format!("/queues/{}", escaped(name)))) { (text::short(name, 40)) } }
}

/// What a list says that has nothing in it, and what to do next.
pub fn empty(title: &str, text: &str, command: Option<&str>) -> Markup {
    html! {
        div.empty {
            p.title { (title) }
            p { (text) }
            @if let Some(command) = command { pre { code { (command) } } }
        }
    }
}

/// A number; zero is shown faintly.
pub fn number(number: u64) -> Markup {
    html! { @if number == 0 { span.zero { "0" } } @else { (text::thousands(number)) } }
}
