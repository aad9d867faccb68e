//! The notices that a task has caused.

use maud::{Markup, html};

use crate::read::task::Task;
use crate::{text, time};

pub fn table(task: &Task) -> Markup {
    let targets = task.info.notify().filter(|targets| !targets.is_empty());
    if targets.is_none() && task.notices.is_empty() {
        return html! {};
    }
    html! {
        header.line { h2 { "Notices" } @if let Some(targets) = targets { span.note { "Targets: " (text::short(&targets, 200)) } } }
        @if task.notices.is_empty() {
            p.quiet { "No notice yet: the targets are notified when the task ends." }
        } @else {
            div.table { table {
                thead { tr { th { "Target" } th { "Event" } th.number { "Attempts" } th.number { "Time" } th { "Delivery" } th.wide { "Last answer" } } }
                tbody { @for notice in task.notices.iter().rev() {
                    tr data-key=(notice.number) {
                        th scope="row" { (text::short(&notice.target, 60)) }
                        td { (crate::parts::look::state(&notice.event)) }
                        td.number title="Attempts of the task at the event" { (notice.attempt) }
                        td.number { (time::relative(notice.at)) }
                        td data-bad[matches!(notice.stage.as_deref(), Some("given_up" | "dropped"))] { (notice.delivery()) }
                        td.wide {
                            @if let Some(answer) = &notice.answer { (text::short(&String::from_utf8_lossy(answer), 200)) " " }
                            @if let Some(at) = notice.answered { small { (time::relative(at)) } }
                        }
                    }
                } }
            } }
        }
    }
}
