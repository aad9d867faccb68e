//! One queue: numbers, settings, limits, statistics, groups of failures, what is next.

use std::time::{Duration, SystemTime};

use blueque::calls::{EventsOptions, LimitsOptions, PeekOptions};
use blueque::tokio::Client;
use blueque::{
    Counts, Group, KeyLimit, ListenerInfo, Peeked, QueueInfo, QueueName, Setting, Statistics, Status, Tag, WorkerInfo,
};

use super::now::{Rates, read_rates};
use crate::failure::Failure;

/// Number of days of the plots.
pub const DAYS: u32 = 14;

/// Number of hours of the plots.
pub const HOURS: usize = 24;

/// Number of calls that read events for the plots by hour.
const CALLS: usize = 120;

/// Number of events that one call reads, so that no call takes the server long.
const EVENTS: u32 = 100;

/// A queue with what moves.
#[derive(Debug)]
pub struct Queue {
    pub name: QueueName,
    pub info: QueueInfo,
    pub counts: Counts,
    pub rates: Rates,
    pub next: Vec<Peeked>,
    pub listeners: Vec<ListenerInfo>,
    pub workers: Vec<WorkerInfo>,
}

/// Reads a queue.
pub async fn queue(client: &Client, name: &QueueName) -> Result<Queue, Failure> {
    let calls = client.calls();
    let all = client.queues().await?;
    let info = all.into_iter().find(|queue| queue.name == name.as_str());
    let info = info.ok_or_else(|| Failure::missing(format!("There is no queue {name}.")))?;
    let counts = client.call(&calls.counts(name)).await?;
    let rates = read_rates(client, name, &counts).await?;
    let next = client.call(&calls.peek(name, 20, &PeekOptions::new())).await?;
    let listeners = client.call(&calls.listeners(name, "0", 100)).await?.items;
    let workers = client.workers().await?;
    Ok(Queue { name: name.clone(), info, counts, rates, next, listeners, workers })
}

/// What changes slowly.
#[derive(Debug)]
pub struct Details {
    pub settings: Vec<Setting>,
    pub limits: Vec<KeyLimit>,
    pub used: Vec<KeyLimit>,
    pub groups: Vec<Group>,
    pub tags: Vec<Tag>,
    pub statistics: Statistics,
    pub hours: Vec<Hour>,
    /// True if the events do not reach back over all hours.
    pub short: bool,
}

/// An hour of a queue, from its events.
#[derive(Clone, Debug)]
pub struct Hour {
    pub from: SystemTime,
    pub submitted: u64,
    pub complete: u64,
    pub failed: u64,
    /// Waiting and running times, in seconds.
    pub waits: Vec<f64>,
    pub runs: Vec<f64>,
}

/// Reads what changes slowly.
pub async fn details(client: &Client, name: &QueueName) -> Result<Details, Failure> {
    let calls = client.calls();
    let limits = client.call(&calls.limits(Some(name), "0", 100, &LimitsOptions::new())).await?.items;
    let used = client.call(&calls.limits(Some(name), "0", 100, &LimitsOptions::new().used(true))).await?.items;
    let queue = client.queue(name.as_str())?;
    let (hours, short) = hours(client, name).await?;
    Ok(Details {
        settings: client.call(&calls.settings(Some(name))).await?,
        limits,
        used,
        groups: client.call(&calls.groups(name, "0", 50)).await?.items,
        tags: client.call(&calls.tags(name, "0", 30)).await?.items,
        statistics: queue.statistics(DAYS).await?,
        hours,
        short,
    })
}

/// Counts the events of the last hours.
async fn hours(client: &Client, name: &QueueName) -> Result<(Vec<Hour>, bool), Failure> {
    let hour = Duration::from_secs(3_600);
    let now = SystemTime::now();
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let this = SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs() / 3_600 * 3_600);
    let back = hour * u32::try_from(HOURS - 1).unwrap_or(23);
    let first = this.checked_sub(back).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut hours: Vec<Hour> = (0..HOURS)
        .map(|at| Hour {
            from: first + hour * u32::try_from(at).unwrap_or(0),
            submitted: 0,
            complete: 0,
            failed: 0,
            waits: Vec::new(),
            runs: Vec::new(),
        })
        .collect();
    let mut after = events_since(first);
    let mut short = true;
    for call in 0..CALLS {
        let page = client.call(&client.calls().events(name, &after, EVENTS, &EventsOptions::new())).await?;
        short = if call == 0 { page.missed } else { short };
        if page.items.is_empty() {
            return Ok((hours, short));
        }
        after = page.last;
        for event in &page.items {
            let at = event.at.duration_since(first).unwrap_or_default().as_secs() / 3_600;
            let Some(hour) = hours.get_mut(usize::try_from(at).unwrap_or(usize::MAX)) else { continue };
            let took = event.since.and_then(|since| event.at.duration_since(since).ok()).map(|took| took.as_secs_f64());
            hour.submitted += u64::from(event.from.is_none());
            match event.to.parse::<Status>() {
                Ok(Status::Complete) => hour.complete += 1,
                Ok(Status::Failed) => hour.failed += 1,
                _ => {}
            }
            match (event.from.as_deref(), event.to.as_str()) {
                // A worker that names its process when it takes a task has started it at once.
                (Some("pending"), "reserved" | "started") => hour.waits.extend(took),
                (Some("started"), _) => hour.runs.extend(took),
                _ => {}
            }
        }
    }
    Ok((hours, true))
}

/// The value that a share of the values does not exceed.
pub fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(at).copied()
}

/// Returns the place in the events of a queue from which on they are not older than this time.
pub(super) fn events_since(time: SystemTime) -> String {
    format!("{}-0", time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros())
}
