//! Workers: hosts, slots, queues, what each runs; draining one.

use std::collections::BTreeMap;

use axum::response::Response;
use blueque::{Progress, QueueName, WorkerInfo};
use maud::{Markup, html};

use super::live;
use crate::act::action;
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::Here;
use crate::parts::{form, look};
use crate::read::now::{Memory, Running, now};
use crate::shell::Tab;
use crate::{text, time};

/// Maximum number of workers on the page.
const WORKERS: usize = 300;

/// Number of tasks that are shown of each worker.
const TASKS: usize = 8;

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Workers, "Workers", content)
}

pub fn reading(here: &Here) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, memory) = (here.shared("/workers"), Memory::default());
    live::reading(move || {
        let (here, memory) = (here.clone(), memory.clone());
        async move { Ok(vec![("workers", list(&here, &memory).await?)]) }
    })
}

async fn content(here: &Here) -> Result<Markup, Failure> {
    let list = list(here, &Memory::default()).await?;
    Ok(html! {
        h1 { "Workers" }
        div data-live=(here.link("/live?topic=workers")) { section #workers { (list) } }
    })
}

async fn list(here: &Here, memory: &Memory) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let workers = client.workers().await?;
    let running = now(&client, memory).await?.running;
    // Listeners that do not report, such as programs with the library's low-level calls.
    let mut quiet: BTreeMap<String, (u64, Option<std::time::SystemTime>, Vec<String>)> = BTreeMap::new();
    for queue in client.queues().await?.iter().take(100).filter(|queue| queue.listeners > 0) {
        let Ok(name) = QueueName::new(queue.name.as_str()) else { continue };
        for listener in client.call(&client.calls().listeners(&name, "0", 200)).await?.items {
            if !workers.iter().any(|worker| worker.id == listener.id) {
                let known = quiet.entry(listener.id).or_default();
                known.0 += listener.held;
                known.1 = known.1.max(listener.seen);
                known.2.push(queue.name.clone());
            }
        }
    }
    let mut hosts: BTreeMap<String, Vec<&WorkerInfo>> = BTreeMap::new();
    for worker in workers.iter().take(WORKERS) {
        let host = worker.id.rsplit_once('_').map_or(worker.id.as_str(), |(host, _)| host);
        hosts.entry(host.to_owned()).or_default().push(worker);
    }
    Ok(html! {
        @if workers.is_empty() && quiet.is_empty() {
            (look::empty("There are no workers.", "Tasks wait until a worker takes them. Start one on any host that reaches the server:", Some("blueque worker --queue QUEUE --dir worker.d")))
        }
        @for (host, workers) in &hosts {
            @let (slots, free) = workers.iter().filter(|worker| !worker.dead).fold((0, 0), |(slots, free), worker| (slots + worker.slots, free + worker.free));
            div.card.host data-key=(host) {
                header.line { h2 { (text::short(host, 60)) } span.note { (slots - free.min(slots)) " of " (slots) " slots used" } }
                @for worker in workers { (one(here, worker, &running)) }
            }
        }
        @if workers.len() > WORKERS { p.note { "The first " (WORKERS) " of " (workers.len()) " workers." } }
        @if !quiet.is_empty() {
            header.line { h2 { "Without reports" } span.note { "Listeners that take tasks and send no reports: other clients, or workers that have just begun" } }
            div.table { table {
                thead { tr { th { "Listener" } th { "Queues" } th.number { "Tasks" } th.number { "Last seen" } } }
                tbody { @for (id, (held, seen, queues)) in quiet.iter().take(100) {
                    tr data-key=(id) { th scope="row" { (text::short(id, 60)) } td { (text::short(&queues.join(", "), 80)) } td.number { (look::number(*held)) } td.number { (time::maybe(*seen)) } }
                } }
            } }
        }
    })
}

fn one(here: &Here, worker: &WorkerInfo, running: &[Running]) -> Markup {
    let own: Vec<&Running> =
        running.iter().filter(|task| task.info.node().as_deref() == Some(worker.id.as_str())).collect();
    let drains = !worker.drained.is_empty();
    let used = worker.slots.saturating_sub(worker.free);
    html! {
        section.worker data-key=(worker.id) data-worker=(worker.id) {
            header.line {
                h3 {
                    (text::short(worker.name.as_deref().unwrap_or(&worker.id), 60))
                    @if worker.dead { span.tag data-kind="bad" title="It has not reported for over 30 s" { "dead" } }
                    @else if drains { span.tag data-kind="paused" { "draining" } @if worker.ending { small { " ends once its tasks have ended" } } }
                    @else { span.tag data-kind="good" { "alive" } }
                }
                @if !worker.dead {
                    @if drains { @if let Some(action) = action("undrain").filter(|_| !worker.ending) { (form::button(here, action, &[("listener", &worker.id)], None)) } }
                    @else if let Some(action) = action("drain") { (form::button(here, action, &[("listener", &worker.id)], None)) }
                }
            }
            dl.facts {
                dt { "Slots" } dd { (used) " of " (worker.slots) " used " progress max=(worker.slots.max(1)) value=(used) aria-label="Slots used" {} }
                dt { "Queues" } dd { (text::short(&worker.queues.join(", "), 160)) }
                @if drains { dt { "Drained" } dd { (text::short(&worker.drained.join(", "), 160)) } }
                @if let Some(has) = worker.has.as_deref().filter(|has| !has.is_empty()) { dt { "Offers" } dd { (text::short(has, 160)) } }
                @if !worker.methods.is_empty() { dt { "Programs" } dd { (text::short(&worker.methods.join(", "), 160)) } }
                dt { "Last seen" } dd { (time::relative(worker.seen)) " · since " (time::relative(worker.since)) @if let Some(version) = &worker.version { " · version " (text::short(version, 30)) } " · " span.id { (text::short(&worker.id, 60)) } }
                @if let Some(failed) = worker.failed.filter(|failed| *failed > 0) { dt { "Failed" } dd { (look::number(failed)) " in the last hour" } }
                @if let Some(trouble) = worker.trouble.as_deref().filter(|trouble| !trouble.is_empty()) { dt { "Trouble" } dd.bad { (text::short(trouble, 400)) } }
                @if !own.is_empty() { dt { "Runs" } dd {
                    @for task in own.iter().take(TASKS) { div.row.run { span { (look::named(here, &task.id, &task.info)) } (look::progress(&Progress::clone(&task.progress))) } }
                    @if own.len() > TASKS { p.note { "and " (own.len() - TASKS) " more" } }
                } }
            }
        }
    }
}
