//! Queues, and the limits that they share.

use axum::response::Response;
use blueque::KeyLimit;
use maud::{Markup, html};

use super::{live, now as pages_now};
use crate::act::action;
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::Here;
use crate::parts::{form, look};
use crate::read::now::{Memory, Now, QUEUES, Running, now};
use crate::shell::Tab;
use crate::text;

/// Number of tasks that are shown of those that hold places of a limit.
const HOLDERS: usize = 5;

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Queues, "Queues", content)
}

pub fn reading(here: &Here) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, memory) = (here.shared("/queues"), Memory::default());
    live::reading(move || {
        let (here, memory) = (here.clone(), memory.clone());
        async move {
            let now = now(&here.client().await?, &memory).await?;
            let shared = here.client().await?.shared_limits(false).await?;
            Ok(vec![("queues", list(&here, &now)), ("shared-limits", limits(&here, &shared, &now.running))])
        }
    })
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
    let shared = client.shared_limits(false).await?;
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
                div #shared-limits { (limits(here, &shared, &now.running)) }
            }
        }
    })
}

/// The shared limits, each with the running tasks that hold its places.
fn limits(here: &Here, shared: &[KeyLimit], running: &[Running]) -> Markup {
    html! {
        @if shared.is_empty() {
            p.quiet { "There are no shared limits. A shared limit bounds tasks of any queue that name it, such as connections to a database." }
        } @else {
            div.table { table {
                thead { tr { th { "Limit" } th.number { "Places" } th.number { "Taken" } th { "Rate" } th { "Held by" } th.number { "Waiting" } th { span.hidden { "Actions" } } } }
                tbody { @for limit in shared {
                        @let holders = holders(&limit.key, running);
                    tr data-key=(limit.key) {
                        th scope="row" { (text::short(&limit.key, 60)) }
                        td.number { (limit.concurrency.map_or_else(|| "–".to_owned(), |most| most.to_string())) }
                        td.number data-bad[limit.concurrency.is_some_and(|most| limit.used >= u64::from(most))] { (limit.used) }
                        td { (limit.rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string())) }
                        td data-holders { @for id in holders.iter().take(HOLDERS) { (look::task(here, id)) " " } @if holders.len() > HOLDERS { "and " (holders.len() - HOLDERS) " more" } @if holders.is_empty() { "–" } }
                        td.number title="Unfinished tasks that name the limit and do not run" { (limit.tasks.map_or_else(|| "–".to_owned(), |tasks| text::thousands(tasks.saturating_sub(holders.len() as u64)))) }
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

/// Returns the running tasks that name a shared limit. A task names it alone or with a weight, as in `gpu=2`.
fn holders<'a>(limit: &str, running: &'a [Running]) -> Vec<&'a str> {
    let names = |task: &Running| {
        let all = task.info.limits().unwrap_or_default();
        all.split(',').any(|each| each.split('=').next() == Some(limit))
    };
    running.iter().filter(|task| names(task)).map(|task| task.id.as_str()).collect()
}
