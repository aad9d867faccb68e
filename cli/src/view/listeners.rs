//! The listeners that take the tasks of a queue, or the reason why no listener takes them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use blueque::{Client, ListenerInfo, QueueName, WorkerInfo};

use crate::output::many;
use crate::times;
use crate::view::programs;

/// Time without a call after which a listener that sends no reports may be dead.
const SILENT: Duration = Duration::from_secs(60);

/// Maximum number of queues in a text that explains why workers are full.
const NAMED: usize = 3;

/// A listener that takes tasks of the queue, now or later.
#[derive(Debug)]
struct Taker {
    held: u64,
    silent: bool,
    /// Number of slots and number of free slots, if the listener reports them.
    slots: Option<(u32, u32)>,
}

impl Taker {
    fn busy(&self) -> bool {
        self.slots.map_or(self.held > 0, |(_, free)| free == 0)
    }
}

/// The listeners of a queue.
#[derive(Debug, Default)]
pub struct Listeners {
    /// Listeners that take tasks of the queue.
    all: Vec<Taker>,
    /// Ids of draining listeners.
    draining: Vec<String>,
    /// Ids of dead listeners, and the time at which each was last seen.
    dead: Vec<(String, SystemTime)>,
    /// Number of tasks that the reporting listeners hold, by queue.
    holds: BTreeMap<String, u64>,
    /// True if a listener of the queue cannot take the task.
    unable: bool,
}

impl Listeners {
    /// Reads the listeners. `now`: the server's time. `can`: returns true if a worker can take the task.
    pub fn of(
        client: &Client,
        queue: &QueueName,
        now: SystemTime,
        can: impl Fn(&WorkerInfo) -> bool,
    ) -> blueque::Result<Self> {
        let listeners = client.queue(queue.as_str())?.listeners()?;
        if listeners.is_empty() {
            return Ok(Self::default());
        }
        let workers = client.workers()?;
        let mut found = Self::default();
        let mut full: Vec<&WorkerInfo> = Vec::new();
        for listener in &listeners {
            let worker = workers.iter().find(|worker| worker.id == listener.id && worker.serves(queue));
            if let Some(worker) = worker.filter(|worker| worker.free == 0 && !worker.dead && can(worker)) {
                full.push(worker);
            }
            found.add(listener, worker, queue, now, &can);
        }
        if !found.all.is_empty() && found.all.iter().all(Taker::busy) {
            found.holds = holds(client, queue, &listeners, &full)?;
        }
        found.dead.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(found)
    }

    fn add(
        &mut self,
        listener: &ListenerInfo,
        worker: Option<&WorkerInfo>,
        queue: &QueueName,
        now: SystemTime,
        can: impl Fn(&WorkerInfo) -> bool,
    ) {
        match worker {
            Some(worker) if worker.dead => self.dead.push((worker.id.clone(), worker.seen)),
            Some(worker) if programs::is_drained(worker, queue) => self.draining.push(worker.id.clone()),
            Some(worker) if !can(worker) => self.unable = true,
            _ => {
                // A listener without reports is seen each time it waits for a task, which is every half minute. A
                // client without scripts is never seen.
                let old = listener.held == 0 && listener.seen.is_some_and(|seen| times::between(seen, now) > SILENT);
                let slots = worker.map(|worker| (worker.slots, worker.free));
                self.all.push(Taker { held: listener.held, silent: worker.is_none() && old, slots });
            }
        }
    }

    /// Returns true if a listener takes tasks of the queue.
    pub fn any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Returns true if a listener is present and can take another task.
    pub fn any_free(&self) -> bool {
        self.all.iter().any(|one| !one.busy() && !one.silent)
    }

    /// Returns a text that explains why no listener takes tasks of the queue.
    pub fn nobody(&self) -> String {
        match (self.draining.as_slice(), self.dead.as_slice()) {
            ([], []) if self.all.is_empty() => "no worker".to_owned(),
            ([], []) => "only workers that are dead or drain".to_owned(), // listeners that do not report
            ([], [(id, seen)]) => {
                format!("no living worker, only a dead one ({id}, since {})", times::utc(*seen))
            }
            ([], [(id, seen), ..]) => {
                let (all, since) = (self.dead.len(), times::utc(*seen));
                format!("no living worker, only {all} dead ones (the last, {id}, since {since})")
            }
            ([id], _) => format!("only a worker that drains ({id})"),
            (all, _) => format!("only {} workers that drain", all.len()),
        }
    }

    /// Returns the status of the listeners, as part of a sentence.
    pub fn stand(&self, queue: &str) -> String {
        let all = self.all.len();
        if all == 0 && self.unable {
            return format!("no worker of {queue} has both its program and what it needs");
        }
        if all == 0 {
            return format!("{queue} has {}", self.nobody()); // the listeners left after the first read
        }
        let busy = self.all.iter().filter(|taker| taker.busy()).count();
        let able = if self.unable { " that can take it" } else { "" };
        let them = match all {
            1 => format!("the only worker of {queue}{able}"),
            all => format!("the {all} workers of {queue}{able}"),
        };
        if self.all.iter().all(|taker| taker.silent) {
            let have = if all == 1 { "has" } else { "have" };
            return format!("{them} {have} not reported for over a minute");
        }
        if busy < all {
            return match (self.unable, all - busy) {
                (true, 1) => format!("a worker of {queue} can take it, and should soon"),
                (true, free) => format!("{free} workers of {queue} can take it: one should take it soon"),
                (false, free) => format!("{free} of {all} workers of {queue} can take it: one should take it soon"),
            };
        }
        let slots: Option<u32> = self.all.iter().map(|taker| taker.slots.map(|(slots, _)| slots)).sum();
        let Some(slots) = slots else {
            let held: u64 = self.all.iter().map(|taker| taker.held).sum();
            let verb = if all == 1 { "holds" } else { "hold" };
            return format!("{them} {verb} {}", many(held, "task"));
        };
        let (them, whose) = match all {
            1 => (format!("the only worker of {queue}{able} is full"), "its"),
            all => (format!("the {all} workers of {queue}{able} are full"), "their"),
        };
        match (self.full_of(), slots) {
            (Some(held), _) => format!("{them} with {held}"),
            (None, 1) => format!("{them}: {whose} slot is taken"),
            (None, slots) => format!("{them}: {whose} {slots} slots are taken"),
        }
    }

    /// Returns a text with the numbers of tasks that occupy the workers, by queue. The queue with the most tasks is
    /// first.
    fn full_of(&self) -> Option<String> {
        let mut queues: Vec<(&String, u64)> = self.holds.iter().map(|(queue, held)| (queue, *held)).collect();
        queues.sort_by_key(|(_, held)| std::cmp::Reverse(*held));
        let (first, others) = queues.split_first()?;
        let mut words = vec![format!("{} of {}", many(first.1, "task"), first.0)];
        words.extend(others.iter().take(NAMED - 1).map(|(queue, held)| format!("{held} of {queue}")));
        let rest: u64 = others.iter().skip(NAMED - 1).map(|(_, held)| held).sum();
        words.extend((rest > 0).then(|| format!("{rest} of other queues")));
        let last = words.pop()?;
        Some(if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) })
    }
}

/// Returns true if the capabilities of a listener satisfy the needs of a task, like `needs.suits` in the scripts. If a
/// capability occurs twice, the last entry counts.
pub fn suits(has: &str, needs: &str) -> bool {
    let own = |name: &str| has.rsplit(',').find(|one| one.split('=').next() == Some(name));
    needs.split(',').filter(|need| !need.is_empty()).all(|need| {
        let (name, rest) = need.split_at(need.find(['<', '>', '=']).unwrap_or(need.len()));
        let operator = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let Some(found) = own(name) else { return false };
        let amount = found.split_once('=').and_then(|(_, amount)| amount.parse::<f64>().ok());
        let asked = rest.trim_start_matches(operator).parse::<f64>().ok();
        match (operator, amount.zip(asked).and_then(|(amount, asked)| amount.partial_cmp(&asked))) {
            ("", _) => true,
            (_, None) => false,
            (operator, Some(order)) => match operator {
                ">=" => order.is_ge(),
                "<=" => order.is_le(),
                ">" => order.is_gt(),
                "<" => order.is_lt(),
                _ => order.is_eq(),
            },
        }
    })
}

/// Returns the number of tasks of each queue that these workers hold. `listeners`: the listeners of the queue.
fn holds(
    client: &Client,
    queue: &QueueName,
    listeners: &[ListenerInfo],
    workers: &[&WorkerInfo],
) -> blueque::Result<BTreeMap<String, u64>> {
    let mut found = BTreeMap::new();
    let mut served: Vec<&String> = workers.iter().flat_map(|worker| &worker.queues).collect();
    served.sort();
    served.dedup();
    let patterns = served.iter().any(|name| QueueName::new(name.as_str()).is_err());
    served.retain(|name| QueueName::new(name.as_str()).is_ok());
    let own = queue.to_string();
    if patterns && !served.contains(&&own) {
        served.push(&own); // a pattern may match more queues; only this queue is read
    }
    for name in served {
        let others = if name == queue.as_str() { None } else { Some(client.queue(name.as_str())?.listeners()?) };
        let ours = |one: &&ListenerInfo| workers.iter().any(|worker| worker.id == one.id);
        let held: u64 = others.as_deref().unwrap_or(listeners).iter().filter(ours).map(|one| one.held).sum();
        if held > 0 {
            found.insert(name.clone(), held);
        }
    }
    Ok(found)
}
