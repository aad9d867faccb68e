//! What has happened to a task, and who changed it.

use blueque::{Change, Transition};
use maud::{Markup, html};

use crate::parts::look;
use crate::read::task::Task;
use crate::{text, time};

pub fn audit(audit: &[Change]) -> Markup {
    html! {
        h2 { "Who changed it" }
        @if audit.is_empty() { p.quiet { "Nobody has changed it in the last 30 days." } }
        ul.timeline {
            @for change in audit.iter().take(50) {
                li {
                    span { (time::relative(change.at)) }
                    span {
                        strong { (change.by.as_deref().map_or_else(|| "unknown".to_owned(), text::line)) } " " (text::line(&change.what))
                        @if let (Some(before), Some(after)) = (&change.before, &change.after) { ": " (text::short(before, 60)) " → " (text::short(after, 60)) }
                        @if let Some(detail) = &change.detail { small { " " (text::short(detail, 200)) } }
                    }
                }
            }
        }
    }
}

pub fn steps(task: &Task) -> Markup {
    html! {
        h2 { "History" }
        @if task.history.is_empty() { p.quiet { "Nothing is recorded: the setting history of the queue may be 0." } }
        ol.timeline {
            @for step in task.history.iter().rev() { (step_row(step)) }
        }
    }
}

fn step_row(step: &Transition) -> Markup {
    let lossy = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    html! {
        li data-key=(step.number) {
            span { (time::maybe(step.at)) }
            span {
                @match step.why.as_deref() {
                    Some("note") => { strong { "Note" } }
                    Some("edit") => { strong { "Edited" } }
                    why => { (look::state(&step.to)) " " (text::line(why.unwrap_or("by a client without scripts"))) }
                }
                @if let Some(by) = &step.by { " by " (text::short(by, 60)) }
                @if step.attempt > 0 { small { " · attempt " (step.attempt) } }
                @for part in [lossy(&step.note), lossy(&step.error), lossy(&step.data).filter(|_| step.why.as_deref() == Some("edit"))].into_iter().flatten() {
                    div { (text::short(&part, 300)) }
                }
            }
        }
    }
}
