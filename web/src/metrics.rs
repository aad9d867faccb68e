//! `/metrics` in the form of Prometheus, from numbers that the scripts keep. The number of series and of calls is bounded,
//! and a place is read once in a while for all readers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use blueque::tokio::Client;
use blueque::{Counts, Durations, Figures, QueueName, Status};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::place::Place;
use crate::site::Site;

/// Maximum number of queues with series of their own. The others are added up in the queue `(rest)`.
const QUEUES: usize = 50;

/// Maximum number of queues of a place that are read.
const READ: usize = 500;

/// Time for which the numbers of a place are kept.
const KEPT: Duration = Duration::from_secs(5);

/// Name of the queue that has the sums of all queues without series of their own.
const REST: &str = "(rest)";

/// The last answer, and when it was made.
#[derive(Clone, Debug, Default)]
pub struct Scraped(Arc<Mutex<Option<(Instant, String)>>>);

pub fn router() -> Router<Site> {
    Router::new().route("/metrics", get(serve)).layer(Extension(Scraped::default()))
}

async fn serve(State(site): State<Site>, Extension(scraped): Extension<Scraped>) -> Response {
    let mut last = scraped.0.lock().await;
    let known = last.as_ref().filter(|(at, _)| at.elapsed() < KEPT).map(|(_, text)| text.clone());
    let text = if let Some(text) = known {
        text
    } else {
        let mut families = Families::default();
        for place in site.places() {
            add_place(&mut families, place).await;
        }
        let text = families.text();
        *last = Some((Instant::now(), text.clone()));
        text
    };
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// The families of series, by their names.
#[derive(Default)]
struct Families(BTreeMap<&'static str, (&'static str, &'static str, String)>);

impl Families {
    /// Adds a sample. `labels`: such as `place="a"`.
    fn add(
        &mut self,
        (name, kind, help): (&'static str, &'static str, &'static str),
        end: &str,
        labels: &str,
        value: f64,
    ) {
        let (_, _, samples) = self.0.entry(name).or_insert_with(|| (kind, help, String::new()));
        // Writing to a text cannot fail.
        let _ = writeln!(samples, "{name}{end}{{{labels}}} {value}");
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, (kind, help, samples)) in &self.0 {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}");
        }
        text
    }
}

const UP: (&str, &str, &str) = ("blueque_up", "gauge", "1 if the server of the place answers, otherwise 0.");
const ALL: (&str, &str, &str) = ("blueque_queues", "gauge", "Number of queues.");
const TASKS: (&str, &str, &str) = ("blueque_tasks", "gauge", "Number of tasks of a queue in a state.");
const LISTENERS: (&str, &str, &str) =
    ("blueque_queue_listeners", "gauge", "Number of listeners that take tasks of a queue.");
const PAUSED: (&str, &str, &str) = ("blueque_queue_paused", "gauge", "1 if the queue is paused, otherwise 0.");
const OLDEST: (&str, &str, &str) = (
    "blueque_queue_oldest_waiting_seconds",
    "gauge",
    "Time for which the next task of a queue has been waiting for a worker.",
);
const WORKERS: (&str, &str, &str) =
    ("blueque_workers", "gauge", "Number of workers that report, by life: alive or dead.");
const SLOTS: (&str, &str, &str) =
    ("blueque_worker_slots", "gauge", "Number of slots of all workers, by use: used or free.");
const MEMORY: (&str, &str, &str) =
    ("blueque_server_memory_bytes", "gauge", "Memory of the server: used, resident, and its limit (0: none).");
const WAIT: (&str, &str, &str) = (
    "blueque_task_wait_seconds",
    "histogram",
    "Time for which tasks were pending. Begins at 0 each day at midnight UTC.",
);
const RUN: (&str, &str, &str) =
    ("blueque_attempt_run_seconds", "histogram", "Duration of attempts. Begins at 0 each day at midnight UTC.");

/// The counters: a name, a help text, and the figure.
type Counter = (&'static str, &'static str, fn(&Figures) -> u64);

const COUNTERS: [Counter; 10] = [
    (
        "blueque_tasks_submitted_total",
        "Tasks that were created. Like all counters it begins at 0 each day at midnight UTC.",
        |of| of.submitted,
    ),
    ("blueque_attempts_started_total", "Attempts that started.", |of| of.started),
    ("blueque_tasks_complete_total", "Tasks that completed.", |of| of.complete),
    ("blueque_tasks_failed_total", "Tasks that failed.", |of| of.failed),
    ("blueque_tasks_cancelled_total", "Tasks that were cancelled.", |of| of.cancelled),
    ("blueque_attempts_failed_total", "Attempts that failed, including those that were retried.", |of| of.failures),
    ("blueque_attempts_retried_total", "Attempts that retried a failed attempt.", |of| of.retries),
    ("blueque_attempts_lost_total", "Attempts whose worker was lost.", |of| of.losses),
    ("blueque_attempts_released_total", "Attempts that were given back.", |of| of.releases),
    ("blueque_events_missed_total", "Events that were trimmed before they were counted.", |of| of.missed),
];

/// A queue with its numbers.
struct Queue {
    name: QueueName,
    counts: Counts,
    paused: bool,
}

async fn add_place(families: &mut Families, place: &Place) {
    let label = format!("place=\"{}\"", place.name());
    let mut own = Families::default();
    let read = match place.client().await {
        Ok(client) => read(&mut own, &client, &label).await,
        Err(error) => Err(error),
    };
    families.add(UP, "", &label, f64::from(u8::from(read.is_ok())));
    // Numbers of a place that fell away while it was read are left out.
    if read.is_ok() {
        for (name, (kind, help, samples)) in own.0 {
            families.0.entry(name).or_insert_with(|| (kind, help, String::new())).2.push_str(&samples);
        }
    }
}

async fn read(families: &mut Families, client: &Client, place: &str) -> blueque::Result<()> {
    let calls = client.calls();
    let all = client.queues().await?;
    families.add(ALL, "", place, number(all.len() as u64));
    let mut queues = Vec::new();
    for info in all.iter().take(READ) {
        let Ok(name) = QueueName::new(info.name.as_str()) else { continue };
        let counts = client.call(&calls.counts(&name)).await?;
        queues.push(Queue { name, counts, paused: info.paused.is_some() });
    }
    // The queues with most tasks come first, ended tasks included, so that a queue seldom loses its series.
    queues.sort_by_key(|queue| (std::cmp::Reverse(queue.counts.tasks()), queue.name.as_str().to_owned()));
    let now = client.call(&calls.handshake()).await?.now;
    let (own, rest) = queues.split_at(queues.len().min(QUEUES));
    for queue in own {
        let labels = format!("{place},queue=\"{}\"", queue.name);
        add_counts(families, &labels, &queue.counts);
        families.add(PAUSED, "", &labels, f64::from(u8::from(queue.paused)));
        let oldest = if queue.counts.pending == 0 { None } else { waiting_since(client, &queue.name).await? };
        let waited = oldest.map_or(Duration::ZERO, |since| now.duration_since(since).unwrap_or_default());
        families.add(OLDEST, "", &labels, waited.as_secs_f64());
        let today = client.queue(queue.name.as_str())?.statistics(1).await?;
        add_figures(families, &labels, &today.total);
    }
    if !rest.is_empty() {
        let labels = format!("{place},queue=\"{REST}\"");
        let mut sums = Counts::default();
        for queue in rest {
            sums.waiting += queue.counts.waiting;
            sums.scheduled += queue.counts.scheduled;
            sums.pending += queue.counts.pending;
            sums.reserved += queue.counts.reserved;
            sums.started += queue.counts.started;
            sums.complete += queue.counts.complete;
            sums.failed += queue.counts.failed;
            sums.cancelled += queue.counts.cancelled;
            sums.listeners += queue.counts.listeners;
        }
        add_counts(families, &labels, &sums);
    }
    let (mut alive, mut dead, mut slots, mut free) = (0_u64, 0_u64, 0_u64, 0_u64);
    for worker in client.workers().await? {
        if worker.dead {
            dead += 1;
        } else {
            alive += 1;
            slots += u64::from(worker.slots);
            free += u64::from(worker.free);
        }
    }
    families.add(WORKERS, "", &format!("{place},life=\"alive\""), number(alive));
    families.add(WORKERS, "", &format!("{place},life=\"dead\""), number(dead));
    families.add(SLOTS, "", &format!("{place},use=\"used\""), number(slots.saturating_sub(free)));
    families.add(SLOTS, "", &format!("{place},use=\"free\""), number(free));
    // A user that may not ask for it has no such series.
    let memory = client.server_info("memory").await.unwrap_or_default();
    let bytes = |name: &str| memory.get(name).and_then(|value| value.parse::<u64>().ok());
    for (name, kind) in [("used_memory", "used"), ("used_memory_rss", "resident"), ("maxmemory", "limit")] {
        if let Some(bytes) = bytes(name) {
            families.add(MEMORY, "", &format!("{place},kind=\"{kind}\""), number(bytes));
        }
    }
    Ok(())
}

/// Returns the time since which the next task of a queue waits.
async fn waiting_since(client: &Client, queue: &QueueName) -> blueque::Result<Option<SystemTime>> {
    let page = client.call(&client.calls().list(queue, "pending", "0", 1)).await?;
    let Some(id) = page.items.first().and_then(|id| blueque::TaskId::new(id.as_str()).ok()) else { return Ok(None) };
    let record = client.call(&client.calls().get(&id)).await?;
    Ok(record.and_then(|record| record.updated()))
}

fn add_counts(families: &mut Families, labels: &str, counts: &Counts) {
    for &status in Status::ALL {
        families.add(TASKS, "", &format!("{labels},state=\"{}\"", status.as_str()), number(counts.of(status)));
    }
    families.add(LISTENERS, "", labels, number(counts.listeners));
}

fn add_figures(families: &mut Families, labels: &str, figures: &Figures) {
    for (name, help, figure) in COUNTERS {
        families.add((name, "counter", help), "", labels, number(figure(figures)));
    }
    for (family, durations) in [(WAIT, &figures.wait), (RUN, &figures.run)] {
        let mut below = 0;
        for (bound, count) in Durations::BOUNDS.iter().zip(durations.buckets) {
            below += count;
            families.add(family, "_bucket", &format!("{labels},le=\"{}\"", bound.as_secs()), number(below));
        }
        families.add(family, "_bucket", &format!("{labels},le=\"+Inf\""), number(durations.count));
        families.add(family, "_sum", labels, durations.sum.as_secs_f64());
        families.add(family, "_count", labels, number(durations.count));
    }
}

#[allow(clippy::cast_precision_loss, reason = "no count is near 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}
