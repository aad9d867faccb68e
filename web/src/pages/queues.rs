//! Queues, and the limits that they share.

use axum::response::Response;
use maud::{Markup, html};

use super::{live, now as pages_now};
use crate::act::action;
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::Here;
use crate::parts::{form, look};
use crate::read::now::{Memory, QUEUES, now};
use crate::shell::Tab;
use crate::text;

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Queues, "Queues", content)
}

pub fn reading(here: &Here) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, memory) = (here.shared("/queues"), Memory::default());
    live::reading(move || {
        let (here, memory) = (here.clone(), memory.clone());
        async move { Ok(vec![("queues", list(&here, &memory).await?)]) }
    })
}

async fn list(here: &Here, memory: &Memory) -> Result<Markup, Failure> {
    let now = now(&here.client().await?, memory).await?;
    Ok(html! {
        @if now.queues.is_empty() {
            (look::empty("There are no queues.", "A queue appears with its first task or worker. To see one with sample programs:", Some("blueque dev")))
        } @else {
            (pages_now::queue_table(here, &now.queues))
            @if now.all_queues > QUEUES { p.note { "The first " (QUEUES) " of " (now.all_queues) " queues. Open another one by its name in the address, or find its tasks with queue:NAME." } }
        }
    })
}

async fn content(here: &Here) -> Result<Markup, Failure> {
    let list = list(here, &Memory::default()).await?;
    let client = here.client().await?;
    let shared = client.shared_limits(false).await?;
    Ok(html! {
        h1 { "Queues" }
        div data-live=(here.link("/live?topic=queues")) {
            section #queues { (list) }
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
                @if shared.is_empty() {
                    p.quiet { "There are no shared limits. A shared limit bounds tasks of any queue that name it, such as connections to a database." }
                } @else {
                    div.table { table {
                        thead { tr { th { "Limit" } th.number { "Places" } th.number { "Taken" } th { "Rate" } th.number { "Tasks that name it" } th { span.hidden { "Actions" } } } }
                        tbody { @for limit in &shared {
                            tr data-key=(limit.key) {
                                th scope="row" { (text::short(&limit.key, 60)) }
                                td.number { (limit.concurrency.map_or_else(|| "–".to_owned(), |most| most.to_string())) }
                                td.number data-bad[limit.concurrency.is_some_and(|most| limit.used >= u64::from(most))] { (limit.used) }
                                td { (limit.rate.map_or_else(|| "–".to_owned(), |rate| rate.to_string())) }
                                td.number { (limit.tasks.map_or_else(|| "–".to_owned(), look::thousands)) }
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
    })
}
