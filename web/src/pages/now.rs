//! Now: what runs, what waits, what failed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::response::Response;
use blueque::tokio::Client;
use maud::{Markup, html};

use super::{live, queues};
use crate::failure::Failure;
use crate::feed::Reading;
use crate::here::{Here, escaped};
use crate::parts::look;
use crate::read::now::{Failed, Memory, Now, QUEUES, QueueRow, Running, TASKS, now};
use crate::read::server::{Finding, facts, findings};
use crate::shell::Tab;
use crate::{text, time};

/// Age from which the server is asked again what it needs.
const ASKED: Duration = Duration::from_secs(30);

pub async fn page(here: Here) -> Response {
    let content = content(&here).await;
    here.page(Tab::Now, "Now", content)
}

/// What the pages Now and Queues show, which is read once for both.
pub fn reading(here: &Here) -> impl Fn() -> Reading + Send + Sync + 'static {
    let (here, memory, attention) = (here.shared("/"), Memory::default(), Attention::default());
    let of_queues = here.shared("/queues");
    live::reading(move || {
        let (here, of_queues) = (here.clone(), of_queues.clone());
        let (memory, attention) = (memory.clone(), attention.clone());
        async move {
            let client = here.client().await?;
            let now = now(&client, &memory).await?;
            let mut parts = parts(&here, &client, &now, &attention).await;
            parts.extend(queues::parts(&of_queues, &client, &now).await?);
            Ok(parts)
        }
    })
}

/// What the server needs attention for, and when it was asked.
#[derive(Clone, Debug, Default)]
struct Attention(Arc<Mutex<Asked>>);

/// When the server was asked, and what it said.
type Asked = Option<(Instant, Vec<Finding>)>;

impl Attention {
    /// Asks the server at most every half minute.
    async fn read(&self, here: &Here, client: &Client) -> Vec<Finding> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, found)) = known.filter(|(at, _)| at.elapsed() < ASKED) {
            return found;
        }
        let found = facts(&here.place).await.map(|facts| findings(&facts, client.handshake())).unwrap_or_default();
        let bad: Vec<Finding> = found.into_iter().filter(|finding| finding.bad).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), bad.clone()));
        bad
    }
}

async fn parts(here: &Here, client: &Client, now: &Now, attention: &Attention) -> Vec<(&'static str, Markup)> {
    vec![
        ("now-sum", sum(here, now, &attention.read(here, client).await)),
        ("now-running", running(here, now)),
        ("now-queues", all_queues(here, now)),
        ("now-failures", failures(here, &now.failures)),
    ]
}

async fn content(here: &Here) -> Result<Markup, Failure> {
    let client = here.client().await?;
    let now = now(&client, &Memory::default()).await?;
    let parts = parts(here, &client, &now, &Attention::default()).await;
    Ok(html! {
        h1.hidden { "Now" }
        div data-live=(here.link("/live?topic=now")) {
            @for (id, part) in parts { section id=(id) { (part) } }
        }
    })
}

fn sum(here: &Here, now: &Now, attention: &[Finding]) -> Markup {
    let pending: u64 = now.queues.iter().map(|queue| queue.counts.pending).sum();
    let alarms: Vec<&QueueRow> = now.queues.iter().filter(|queue| queue.is_without_worker()).collect();
    html! {
        dl.figures {
            div { dt { a href=(here.link("/tasks?q=state:started,reserved")) { "Running" } } dd { (look::number(now.held)) } }
            div { dt { a href=(here.link("/tasks?q=state:pending")) { "Waiting for a worker" } } dd { (look::number(pending)) } }
            div { dt title="Tasks that failed in the last hour and have not been retried" { a href=(here.link("/tasks?q=state:failed")) { "Failed, last hour" } } dd data-bad[!now.failures.is_empty()] { (look::number(now.failures.len() as u64)) } }
            div {
                dt { a href=(here.link("/workers")) { "Workers" } }
                dd { (now.workers) @if now.draining > 0 { small { " and " (now.draining) " draining" } } @if now.dead > 0 { small.bad { " " (now.dead) " dead" } } }
            }
            div { dt { "Free slots" } dd { (now.free) small { " of " (now.slots) } } }
        }
        @for finding in attention {
            p.alarm data-alarm="server" { strong { a href=(here.link("/server")) { "Server" } ": " (finding.text) } " " (finding.todo) "." }
        }
        @for blocked in now.queues.iter().filter(|queue| !queue.is_without_worker()).filter_map(|queue| queue.rates.blocked.as_ref()) {
            p.alarm data-kind="warn" data-alarm="waits" { "The next task, " a href=(here.link(&format!("/tasks/{}", escaped(&blocked.id)))) { (text::short(blocked.title.as_deref().unwrap_or(&blocked.id), 60)) } ", waits. " (text::short(&blocked.why, 300)) }
        }
        @for queue in alarms {
            p.alarm data-alarm="no-worker" {
                strong { "No worker for " (look::queue(here, &queue.info.name)) ". " }
                (text::tasks(queue.counts.pending)) " waiting. Start one: "
                code { "blueque worker --queue " (text::line(&queue.info.name)) }
            }
        }
    }
}

fn running(here: &Here, now: &Now) -> Markup {
    html! {
        header.line { h2 { "Running" } @if now.held > TASKS as u64 { span.note { "The " (TASKS) " that have run longest of " (text::thousands(now.held)) } } }
        @if now.running.is_empty() {
            (look::empty("Nothing runs.", "A task runs as soon as a worker of its queue has a free slot. Submit one:", Some("blueque submit QUEUE '[\"parameters\"]'")))
        } @else {
            div.table.flow {
                table {
                    thead { tr {
                        th { "Task" } th { "Queue" } th { "State" } th.wide { "Progress" } th.number { "Running for" }
                        th.number { "Expected end" } th { "Worker" } th.number { "Heartbeat" }
                    } }
                    tbody { @for task in &now.running { (row(here, task)) } }
                }
            }
        }
    }
}

fn row(here: &Here, task: &Running) -> Markup {
    let info = &task.info;
    html! {
        tr data-key=(task.id) {
            th scope="row" { (look::named(here, &task.id, info)) }
            td data-label="Queue" { (look::queue(here, &info.queue().unwrap_or_default())) }
            td.first { (look::state(info.condition())) }
            td.wide { (look::progress(&task.progress)) }
            td.number data-label="Running for" { @if let Some(started) = info.started() { (time::elapsed(started)) } }
            td.number data-label="Expected end" { @match task.end { Some(end) => (time::expected(end)), None => span.none title="Unknown: no progress and no earlier runs" { "–" } } }
            td data-label="Worker" { @if let Some(node) = info.node() { span title=(text::line(&node)) { (text::short(task.worker.as_deref().unwrap_or(&node), 30)) } } }
            td.number data-label="Heartbeat" { (time::maybe(task.seen)) }
        }
    }
}

fn all_queues(here: &Here, now: &Now) -> Markup {
    html! {
        header.line {
            h2 { "Queues" }
            @if now.all_queues > QUEUES { a.note href=(here.link("/queues")) { (QUEUES) " of " (now.all_queues) } }
        }
        @if now.queues.is_empty() {
            (look::empty("There are no queues.", "A queue appears with its first task or worker. To see one with sample programs:", Some("blueque dev")))
        } @else {
            (queue_table(here, &now.queues))
        }
    }
}

pub fn queue_table(here: &Here, queues: &[QueueRow]) -> Markup {
    html! {
        div.table.flow {
            table {
                thead { tr {
                    th { "Queue" } th.number { "Running" } th.number { "Pending" } th.number { "Scheduled" } th.number { "Waiting" }
                    th.number { "Failed" } th.number { "Complete" } th.number title="Created in the last minute" { "In/min" }
                    th.number title="Ended in the last minute" { "Out/min" } th.number { "Next waits for" } th.number { "Workers" }
                } }
                tbody { @for queue in queues { (queue_row(here, queue)) } }
            }
        }
    }
}

fn queue_row(here: &Here, queue: &QueueRow) -> Markup {
    let (counts, name) = (&queue.counts, queue.info.name.as_str());
    let more = if queue.rates.more { "+" } else { "" };
    let find = |state: &str, number: u64| {
        let path = format!("/tasks?q={}", escaped(&format!("queue:{name} state:{state}")));
        html! { @if number == 0 { (look::number(0)) } @else { a href=(here.link(&path)) { (text::thousands(number)) } } }
    };
    html! {
        tr data-key=(name) {
            th scope="row" {
                (look::queue(here, name))
                @if let Some(pause) = &queue.info.paused {
                    span.tag data-kind="paused" title=(text::line(&pause.to_string())) { @if queue.info.stopping { "stopping" } @else { "paused" } }
                }
                @if queue.is_without_worker() { span.tag data-kind="bad" { "no worker" } }
            }
            td.number data-label="Running" { (find("started,reserved", counts.started + counts.reserved)) }
            td.number data-label="Pending" { (find("pending", counts.pending)) }
            td.number data-label="Scheduled" { (find("scheduled", counts.scheduled)) }
            td.number data-label="Waiting" { (find("waiting", counts.waiting)) }
            td.number data-label="Failed" data-bad[counts.failed > 0] { (find("failed", counts.failed)) }
            td.number data-label="Complete" { (find("complete", counts.complete)) }
            td.number data-label="In/min" { (look::number(queue.rates.into)) (more) }
            td.number data-label="Out/min" { (look::number(queue.rates.out)) (more) }
            td.number data-label="Next waits for" { @match queue.rates.oldest { Some(since) => (time::elapsed(since)), None => span.none { "–" } } }
            td.number data-label="Workers" { (look::number(counts.listeners)) }
        }
    }
}

fn failures(here: &Here, failures: &[Failed]) -> Markup {
    html! {
        header.line { h2 { "Failed in the last hour, not retried" } a.note href=(here.link("/tasks?q=state:failed")) { "All failures" } }
        @if failures.is_empty() {
            p.quiet { "No task that failed in the last hour is still failed." }
        } @else {
            div.table.flow {
                table {
                    thead { tr { th { "Task" } th { "Queue" } th.wide { "Error" } th.number { "Attempts" } th.number { "Failed" } } }
                    tbody {
                        @for task in failures {
                            tr data-key=(task.id) {
                                th scope="row" { (look::named(here, &task.id, &task.info)) }
                                td data-label="Queue" { (look::queue(here, &task.info.queue().unwrap_or_default())) }
                                td.wide { (text::short(&task.info.error().unwrap_or_default(), 140)) }
                                td.number data-label="Attempts" { (task.info.attempt()) }
                                td.number data-label="Failed" { (time::maybe(task.info.updated())) }
                            }
                        }
                    }
                }
            }
        }
    }
}
