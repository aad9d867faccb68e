//! The notices that the ends of a task or of a graph have caused.

use blueque::Notice;
use maud::{Markup, html};

use super::look;
use crate::{text, time};

/// The notices of a task or a graph, with the targets of the task if they are known.
pub fn table(of: &str, targets: Option<&str>, notices: &[Notice]) -> Markup {
    if targets.is_none() && notices.is_empty() {
        return html! {};
    }
    html! {
        header.line { h2 { "Notices" } @if let Some(targets) = targets { span.note { "Targets: " (text::short(targets, 200)) } } }
        @if notices.is_empty() {
            p.quiet { "No notice yet: the targets are notified of the events that they ask for." }
        } @else {
            div.table { table {
                thead { tr { th { "Target" } th { "Event" } @if of == "task" { th.number { "Attempts" } } th.number { "Time" } th { "Delivery" } th.wide { "Last answer" } } }
                tbody { @for notice in notices.iter().rev() {
                    tr data-key=(notice.number) {
                        th scope="row" { (text::short(&notice.target, 60)) }
                        td { (look::state(&notice.event)) }
                        @if of == "task" { td.number title="Attempts of the task at the event" { (notice.attempt) } }
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
