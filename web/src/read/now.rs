//! What runs now: running tasks, queues, recent failures, workers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use blueque::calls::{EstimateOptions, EventsOptions, PeekOptions};
use blueque::tokio::Client;
use blueque::{Counts, Progress, QueueInfo, QueueName, Status, TaskId, TaskInfo};

use super::queue::events_since;

/// Maximum number of running tasks that are read.
pub const TASKS: usize = 100;

/// Maximum number of queues whose numbers are read.
pub const QUEUES: usize = 100;

/// Maximum number of failures of each queue that are read.
const FAILURES: u32 = 20;

/// Age from which an estimate is made again. An estimate costs the server more than a record.
const ESTIMATED: Duration = Duration::from_secs(10);

/// Age from which rates and the oldest waiting task are read again.
const RATED: Duration = Duration::from_secs(5);

/// Time over which rates are counted.
pub const WINDOW: Duration = Duration::from_secs(60);

/// Number of events by which the movement of a queue is counted. A busier queue shows this number with a plus.
const EVENTS: u32 = 200;

/// Everything that runs now.
#[derive(Clone, Debug, Default)]
pub struct Now {
    pub queues: Vec<QueueRow>,
    /// Number of all queues.
    pub all_queues: usize,
    pub running: Vec<Running>,
    /// Number of all tasks that are held.
    pub held: u64,
    pub failures: Vec<Failed>,
    pub workers: usize,
    pub dead: usize,
    /// Number of living workers that take no more tasks.
    pub draining: usize,
    pub slots: u64,
    pub free: u64,
}

/// A queue with its numbers.
#[derive(Clone, Debug)]
pub struct QueueRow {
    pub info: QueueInfo,
    pub counts: Counts,
    pub rates: Rates,
}

impl QueueRow {
    /// Returns true if tasks wait and nobody takes them.
    pub fn is_without_worker(&self) -> bool {
        self.counts.pending > 0 && self.counts.listeners == 0
    }
}

/// Movement of a queue in the last minute, and its oldest task that waits for a worker.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    pub into: u64,
    pub out: u64,
    /// True if more happened than was read.
    pub more: bool,
    /// Time since which the next task waits.
    pub oldest: Option<SystemTime>,
    /// The next task, if no worker can take it.
    pub blocked: Option<Blocked>,
}

/// A task that waits and that no worker can take.
#[derive(Clone, Debug)]
pub struct Blocked {
    pub id: String,
    pub title: Option<String>,
    pub why: String,
}

/// A task that a worker holds.
#[derive(Clone, Debug)]
pub struct Running {
    pub id: String,
    pub info: TaskInfo,
    pub progress: Progress,
    pub end: Option<SystemTime>,
    /// Name of its worker, for people.
    pub worker: Option<String>,
    /// Time at which its worker was last seen.
    pub seen: Option<SystemTime>,
}

/// A task that failed in the last hour.
#[derive(Clone, Debug)]
pub struct Failed {
    pub id: String,
    pub info: TaskInfo,
}

/// Values that are kept from one reading to the next.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    estimates: HashMap<String, Estimated>,
    rates: HashMap<String, (Instant, Rates)>,
}

#[derive(Clone, Debug)]
struct Estimated {
    at: Instant,
    by: (Option<SystemTime>, Option<Vec<u8>>),
    end: Option<SystemTime>,
}

impl Memory {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads everything that runs now.
pub async fn now(client: &Client, memory: &Memory) -> blueque::Result<Now> {
    let calls = client.calls();
    let mut queues = client.queues().await?;
    let mut now = Now { all_queues: queues.len(), ..Now::default() };
    queues.truncate(QUEUES);
    for info in queues {
        let Ok(name) = QueueName::new(info.name.as_str()) else { continue };
        let counts = client.call(&calls.counts(&name)).await?;
        let rates = rates(client, memory, &name, &counts).await?;
        now.held += counts.started + counts.reserved;
        if counts.started + counts.reserved > 0 && now.running.len() < TASKS {
            running(client, memory, &name, &mut now.running).await?;
        }
        if counts.failed > 0 {
            failures(client, &name, &mut now.failures).await?;
        }
        now.queues.push(QueueRow { info, counts, rates });
    }
    now.queues.sort_by(|one, other| one.info.name.cmp(&other.info.name));
    // Tasks that have run longest come first, so that a task keeps its place on the page.
    now.running.sort_by_key(|task| (task.info.started().is_none(), task.info.started()));
    now.failures.sort_by_key(|task| std::cmp::Reverse(task.info.updated()));
    now.failures.truncate(FAILURES as usize);
    for worker in client.workers().await? {
        let own = |task: &&mut Running| task.info.node().as_deref() == Some(worker.id.as_str());
        for task in now.running.iter_mut().filter(own) {
            task.seen = Some(worker.seen);
            task.worker.clone_from(&worker.name);
        }
        if worker.dead {
            now.dead += 1;
        } else if !worker.drained.is_empty() {
            now.draining += 1;
        } else {
            now.workers += 1;
            now.slots += u64::from(worker.slots);
            now.free += u64::from(worker.free);
        }
    }
    let live: Vec<&str> = now.running.iter().map(|task| task.id.as_str()).collect();
    memory.kept().estimates.retain(|id, _| live.contains(&id.as_str()));
    Ok(now)
}

/// Reads the tasks of a queue that workers hold.
async fn running(client: &Client, memory: &Memory, queue: &QueueName, rows: &mut Vec<Running>) -> blueque::Result<()> {
    let room = u32::try_from(TASKS.saturating_sub(rows.len())).unwrap_or(0);
    for status in [Status::Started, Status::Reserved] {
        let page = client.call(&client.calls().list(queue, status.as_str(), "0", room.max(1))).await?;
        let ids: Vec<TaskId> = page.items.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
        let records = client.infos(&ids).await?;
        for (id, record) in ids.iter().zip(records) {
            let held = record.filter(|record| record.status().is_some_and(Status::is_owned));
            let Some(info) = held else { continue };
            if rows.len() >= TASKS {
                return Ok(());
            }
            let end = expected_end(client, memory, id, &info).await?;
            let progress = info.progress_bytes().map(Progress::read).unwrap_or_default();
            rows.push(Running { id: id.to_string(), progress, end, seen: None, worker: None, info });
        }
    }
    Ok(())
}

/// The expected end of a task, which is estimated again when its progress has changed or the estimate is old.
pub async fn expected_end(
    client: &Client,
    memory: &Memory,
    id: &TaskId,
    info: &TaskInfo,
) -> blueque::Result<Option<SystemTime>> {
    let by = (info.started(), info.progress_bytes().map(<[u8]>::to_vec));
    if let Some(made) = memory.kept().estimates.get(id.as_str())
        && (made.at.elapsed() < Duration::from_secs(1) || (made.by == by && made.at.elapsed() < ESTIMATED))
    {
        return Ok(made.end);
    }
    let fraction = info.progress_bytes().and_then(|bytes| Progress::read(bytes).fraction);
    let options = fraction.into_iter().fold(EstimateOptions::new(), EstimateOptions::progress);
    let end = match client.call(&client.calls().estimate(id, &options)).await {
        Ok(estimate) => estimate.end,
        Err(blueque::Error::NotFound) => None,
        Err(error) => return Err(error),
    };
    memory.kept().estimates.insert(id.to_string(), Estimated { at: Instant::now(), by, end });
    Ok(end)
}

async fn rates(client: &Client, memory: &Memory, queue: &QueueName, counts: &Counts) -> blueque::Result<Rates> {
    if let Some((at, rates)) = memory.kept().rates.get(queue.as_str())
        && at.elapsed() < RATED
    {
        return Ok(rates.clone());
    }
    let rates = read_rates(client, queue, counts).await?;
    memory.kept().rates.insert(queue.to_string(), (Instant::now(), rates.clone()));
    Ok(rates)
}

/// Reads the movement of a queue in the last minute.
pub async fn read_rates(client: &Client, queue: &QueueName, counts: &Counts) -> blueque::Result<Rates> {
    let calls = client.calls();
    let begin = SystemTime::now().checked_sub(WINDOW).unwrap_or(SystemTime::UNIX_EPOCH);
    let events = client.call(&calls.events(queue, &events_since(begin), EVENTS, &EventsOptions::new())).await?;
    let mut rates = Rates { more: events.items.len() >= EVENTS as usize, ..Rates::default() };
    for event in &events.items {
        if event.from.is_none() {
            rates.into += 1;
        }
        if event.to.parse::<Status>().is_ok_and(Status::is_finished) {
            rates.out += 1;
        }
    }
    if counts.pending > 0
        && let Some(next) = client.call(&calls.peek(queue, 1, &PeekOptions::new())).await?.into_iter().next()
        && let Some(info) = client.call(&calls.get(&next.id)).await?
    {
        rates.oldest = info.updated().or_else(|| info.created());
        // Without a worker, the alarm of the queue says it.
        if counts.listeners > 0
            && next.why.is_some()
            && let Ok(why) = client.call(&calls.why(&next.id)).await
            && why.able == Some(0)
        {
            let title = info.title().filter(|title| !title.is_empty());
            rates.blocked = Some(Blocked { id: next.id.to_string(), title, why: why.sentence(&info) });
        }
    }
    Ok(rates)
}

/// Reads the latest failures of a queue, of the last hour.
async fn failures(client: &Client, queue: &QueueName, into: &mut Vec<Failed>) -> blueque::Result<()> {
    let hour = SystemTime::now().checked_sub(Duration::from_secs(3_600)).unwrap_or(SystemTime::UNIX_EPOCH);
    let page = client.call(&client.calls().list(queue, Status::Failed.as_str(), "0", FAILURES)).await?;
    let ids: Vec<TaskId> = page.items.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
    for (id, info) in ids.iter().zip(client.infos(&ids).await?) {
        let recent = |info: &TaskInfo| info.status() == Some(Status::Failed) && info.updated() >= Some(hour);
        if let Some(info) = info.filter(recent) {
            into.push(Failed { id: id.to_string(), info });
        }
    }
    Ok(())
}
