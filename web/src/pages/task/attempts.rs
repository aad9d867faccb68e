//! The attempts of a task.

use std::time::SystemTime;

use blueque::Outcome;
use maud::{Markup, html};

use crate::parts::look;
use crate::parts::plot::{self, Span};
use crate::read::task::{self, Attempt, Task, attempts};
use crate::{text, time};

pub fn table(task: &Task) -> Markup {
    let all = attempts(&task.history);
    html! {
        header.line { h2 { "Attempts" } }
        @if all.is_empty() {
            p.quiet { "No worker has taken it yet." }
        } @else {
            (line(task, &all))
            div.table {
                table {
                    thead { tr {
                        th { "Attempt" } th { "Outcome" } th.number { "Waited" } th.number { "Ran" } th { "Worker" } th { "Exit" }
                        th.number { "CPU" } th.number { "Memory" } th.number { "Read / written" } th.wide { "Why it ended" }
                    } }
                    tbody { @for attempt in all.iter().rev() { (attempt_row(attempt)) } }
                }
            }
        }
    }
}

/// The waits and attempts as a time line, which ends with the expected end of a running task.
fn line(task: &Task, all: &[Attempt]) -> Markup {
    let now = SystemTime::now();
    let first = all.iter().flat_map(|attempt| [attempt.waited_from, attempt.reserved, attempt.started]).flatten().min();
    let is_open = all.last().is_some_and(|attempt| attempt.ended.is_none());
    let expected = task.estimate.as_ref().and_then(|estimate| estimate.end).filter(|end| is_open && *end > now);
    let last = all.iter().filter_map(|attempt| attempt.ended).max();
    let end = if is_open { expected.or(Some(now)) } else { last };
    let Some((first, end)) = first.zip(end).filter(|(first, end)| time::between(*first, *end).as_secs() > 0) else {
        return html! {};
    };
    let whole = time::between(first, end).as_secs_f64();
    let at = |time: SystemTime| (time::between(first, time).as_secs_f64() / whole).min(1.0);
    let mut spans = Vec::new();
    for attempt in all {
        let mut add = |class, from: Option<SystemTime>, to: Option<SystemTime>, what: String| {
            spans.extend(from.zip(to).map(|(from, to)| Span { class, from: at(from), to: at(to), what }));
        };
        let begun = attempt.started.or(attempt.reserved);
        add("wait", attempt.waited_from, begun, format!("Waited for attempt {}", attempt.number));
        let (class, word) = match attempt.outcome {
            None => ("run", "runs"),
            Some(Outcome::Complete) => ("good", "complete"),
            Some(Outcome::Released) => ("back", "given back"),
            Some(outcome) => ("wrong", outcome.as_str()),
        };
        add(class, begun, attempt.ended.or(Some(now)), format!("Attempt {}: {word}", attempt.number));
    }
    html! {
        (plot::spans("Waiting and running times of the attempts", &spans))
        p.ends { span { "from " (time::relative(first)) }
            span { @match expected { Some(end) => { "expected end " (time::expected(end)) } None if is_open => "now", None => { "ended " (time::relative(end)) } } } }
    }
}

fn attempt_row(attempt: &Attempt) -> Markup {
    let wait = attempt.waited_from.zip(attempt.reserved).map(|(from, to)| time::between(from, to));
    let begun = attempt.started.or(attempt.reserved);
    let cost = attempt.cost.as_ref();
    let exit = cost.map(task::Cost::end);
    // A cancelled task takes its attempt away from the worker.
    let is_cancelled = attempt.why.as_deref() == Some("cancel") && attempt.outcome == Some(Outcome::Lost);
    let outcome = if is_cancelled { "cancelled" } else { attempt.outcome.map_or("running", Outcome::as_str) };
    let error = attempt.error.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let bytes = |bytes: Option<u64>| {
        bytes.map_or_else(|| "–".to_owned(), |bytes| text::size(usize::try_from(bytes).unwrap_or(0)))
    };
    html! {
        tr data-key=(format!("{}-{}", attempt.number, attempt.reserved.map(time::exact).unwrap_or_default())) data-attempt=(attempt.number) {
            th scope="row" { (attempt.number) }
            td { (look::state(match outcome { "running" => "started", "retrying" | "lost" => "failed", "released" => "pending", other => other }))
                @if matches!(outcome, "retrying" | "lost" | "released") { " " small { (outcome) } } }
            td.number { (wait.map_or_else(|| "–".to_owned(), time::span)) }
            td.number { @match (begun, attempt.ended) {
                (Some(begun), Some(ended)) => (time::span(time::between(begun, ended))),
                (Some(begun), None) => (time::elapsed(begun)),
                _ => "–",
            } }
            td { (text::short(attempt.worker.as_deref().unwrap_or("–"), 40)) }
            td { (exit.unwrap_or_else(|| "–".to_owned())) @if cost.is_some_and(|cost| cost.oom) { span.tag data-kind="bad" { "out of memory" } } }
            td.number { @match cost { Some(cost) => (time::span(std::time::Duration::from_millis(cost.cpu_ms))), None => "–" } }
            td.number { @match cost { Some(cost) => (text::size(usize::try_from(cost.max_rss_kib).unwrap_or(0).saturating_mul(1_024))), None => "–" } }
            td.number { @match cost { Some(cost) => { (bytes(cost.read_bytes)) " / " (bytes(cost.written_bytes)) } None => "–" } }
            td.wide { @if error.is_empty() { (attempt.why.as_deref().map(text::line).unwrap_or_default()) } @else { (text::short(&error, 200)) } }
        }
    }
}
