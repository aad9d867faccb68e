//! Queues, and the limits that they share.

use axum::response::Response;
use blueque::tokio::Client;
use maud::{Markup, html};

use super::now as pages_now;
use crate::act::action;
use crate::failure::Failure;
use crate::here::Here;
use crate::parts::{form, look};
use crate::read::limits::{Shared, shared};
use crate::read::now::{Memory, Now, QUEUES, now};
use crate::shell::Tab;
use crate::text;

/// Number of tasks that are shown of those that hold places of a limit, and of those that wait.
const NAMED: usize = 5;

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Queues, "Queues", content)
}

/// The parts that change.
pub async fn parts(here: &Here, client: &Client, now: &Now) -> Result<Vec<(&'static str, Markup)>, Failure> {
    let shared = shared(client, now).await?;
    Ok(vec![("queues", list(here, now)), ("shared-limits", limits(here, &shared))])
}

fn list(here: &Here, now: &Now) -> Markup {
    html! {
        @if now.queues.is_empty() {
            (look::empty("There are no queues.", "A queue appears with its first task or worker. To see one with sample programs:", Some("blueque dev")))
        } @else {
            (pages_now::queue_table(here, &now.queues))
            @if now.all_queues > QUEUES { p.note { "The first " (QUEUES) " of " (now.all_queues) " queues. Open another one by its name in the address, or find its tasks with queue:NAME." } }
        }
    }
}

async fn content(here: &Here) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let now = now(&client, &Memory::default()).await?;
    let shared = shared(&client, &now).await?;
    Ok(html! {
        h1 { "Queues" }
        div data-live=(here.link("/live?topic=queues")) {
            section #queues { (list(here, &now)) }
            section #shared {
                header.line {
                    h2 { "Shared limits" }
                    @if let Some(action) = action("limit") {
                        (form::button(here, action, &[], Some(&html! {
                            (form::text("key", "Name of the shared limit", "", true))
                            (form::text("concurrency", "Tasks at the same time", "", false))
                            (form::text("rate", "Starts, as NUMBER/SECONDS", "", false))
                        })))
                    }
                }
                div #shared-limits { (limits(here, &shared)) }
            }
        }
    })
}

/// The shared limits, each with the tasks that hold its places, and the next tasks that wait for them.
fn limits(here: &Here, shared: &[Shared]) -> Markup {
    html! {
        @if shared.is_empty() {
            p.quiet { "There are no shared limits. A shared limit bounds tasks of any queue that name it, such as connections to a database." }
        } @else {
            div.table { table {
                thead { tr { th { "Limit" } th.number { "Places" } th.number { "Taken" } th { "Rate" } th { "Held by" } th.number { "Waiting" } th { "Next" } th { span.hidden { "Actions" } } } }
                tbody { @for Shared { limit, holders, waiters } in shared {
                    @let waiting = limit.tasks.map(|tasks| tasks.saturating_sub(holders.len() as u64));
                    tr data-key=(limit.key) {
                        th scope="row" { (text::short(&limit.key, 60)) }
                        td.number { (limit.concurrency.map_or_else(|| "–".to_owned(), |most| most.to_string())) }
                        td.number data-bad[limit.concurrency.is_some_and(|most| limit.used >= u64::from(most))] { (limit.used) }
                        td { (limit.rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string())) }
                        td data-holders { (named(here, holders)) }
                        td.number title="Unfinished tasks that name the limit and do not run" { (waiting.map_or_else(|| "–".to_owned(), text::thousands)) }
                        td data-waiters title="Tasks that are next in their queues, and that the limit holds back" { (named(here, waiters)) }
                        td { @if let Some(action) = action("limit") {
                            (form::button(here, action, &[("key", &limit.key)], Some(&html! {
                                (form::text("concurrency", "Tasks at the same time", &limit.concurrency.map(|most| most.to_string()).unwrap_or_default(), false))
                                (form::text("rate", "Starts, as NUMBER/SECONDS", &limit.rate.map(|rate| rate.to_string()).unwrap_or_default(), false))
                            })))
                        } }
                    }
                } }
            } }
        }
    }
}

/// Links to the first tasks.
fn named(here: &Here, ids: &[String]) -> Markup {
    html! {
        @for id in ids.iter().take(NAMED) { (look::task(here, id)) " " }
        @if ids.len() > NAMED { "and " (ids.len() - NAMED) " more" }
        @if ids.is_empty() { span.none { "–" } }
    }
}
