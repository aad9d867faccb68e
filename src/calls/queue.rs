//! Calls on a queue and its listeners.

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{Counts, Held, ListenerInfo, Page, QueueInfo, WorkerInfo};
use crate::names::{ListenerId, QueueName};
use crate::reply;

/// What a worker says of itself, every ten seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report<'a> {
    /// How many tasks it runs at once.
    pub slots: u32,
    /// How many more it could run now.
    pub free: u32,
    /// What it has, as in [`Calls::register`].
    pub has: Option<&'a str>,
    /// A name for people, of the characters of a queue's.
    pub name: Option<&'a str>,
    /// The version of its program.
    pub version: Option<&'a str>,
    /// Whether it takes no more tasks.
    pub draining: bool,
    /// The methods that it has programs for, separated by commas; `*` for any.
    pub methods: Option<&'a str>,
    /// Why it takes less than it could, for people.
    pub trouble: Option<&'a str>,
}

impl Calls {
    /// Says that a worker lives, and registers it on its queues where it was forgotten. Answers of which
    /// queues it is ordered to take no more tasks.
    #[must_use]
    pub fn report(&self, listener: &ListenerId, queues: &[QueueName], report: Report<'_>) -> Call<Vec<bool>> {
        let parse = |value: &Value| {
            let drains = |order: &Value| reply::text(order).map(|order| order == "drain");
            reply::array(value)?.iter().map(drains).collect()
        };
        let call = self.call("report", parse).arg(listener).arg(report.slots).arg(report.free).arg(queues.len());
        let call = queues.iter().fold(call, Call::arg);
        let call = call.option("has", report.has).option("name", report.name).option("version", report.version);
        let call = call.option("draining", report.draining.then_some("1"));
        call.option("methods", report.methods).option("trouble", report.trouble)
    }

    /// The workers that report.
    #[must_use]
    pub fn workers(&self, cursor: &str, limit: u32) -> Call<Page<WorkerInfo>> {
        self.call("workers", |value| read::page(value, 13, read::worker)).arg(cursor).arg(limit)
    }

    /// Stops a queue from giving out tasks; with `stop` also what runs.
    #[must_use]
    pub fn pause(&self, queue: &QueueName, by: &str, reason: &str, stop: bool) -> Call<()> {
        self.call("pause", read::done).arg(queue).arg(by).arg(reason).option("stop", stop.then_some("1"))
    }

    /// Lets a queue give out tasks again.
    #[must_use]
    pub fn resume(&self, queue: &QueueName) -> Call<()> {
        self.call("resume", read::done).arg(queue)
    }

    /// Makes a listener known to a queue, with what it has: `gpu,transcoder=3`.
    #[must_use]
    pub fn register(&self, queue: &QueueName, listener: &ListenerId, has: Option<&str>) -> Call<()> {
        self.call("register", read::done).arg(queue).arg(listener).option("has", has)
    }

    /// Takes a listener that holds nothing off a queue.
    #[must_use]
    pub fn unregister(&self, queue: &QueueName, listener: &ListenerId) -> Call<()> {
        self.call("unregister", read::done).arg(queue).arg(listener)
    }

    /// Orders a listener to end what it holds and take no more, or takes the order back.
    #[must_use]
    pub fn drain(&self, queue: &QueueName, listener: &ListenerId, on: bool) -> Call<()> {
        self.call("drain", read::done).arg(queue).arg(listener).arg(u8::from(on))
    }

    /// What a listener holds, 500 tasks at most.
    #[must_use]
    pub fn held(&self, queue: &QueueName, listener: &ListenerId) -> Call<Vec<Held>> {
        let parse = |value: &Value| reply::groups(reply::array(value)?, 0, 6, read::held);
        self.call("held", parse).arg(queue).arg(listener)
    }

    /// The listeners of a queue.
    #[must_use]
    pub fn listeners(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<ListenerInfo>> {
        let parse = |value: &Value| {
            read::page(value, 3, |item| match item {
                [id, seen, held] => Some(ListenerInfo {
                    id: reply::text(id)?,
                    seen: reply::optional(seen)?.and_then(|seen| seen.parse().ok()),
                    held: reply::number(held)?,
                }),
                _ => None,
            })
        };
        self.call("listeners", parse).arg(queue).arg(cursor).arg(limit)
    }

    /// The queues of the namespace.
    #[must_use]
    pub fn queues(&self, cursor: &str, limit: u32) -> Call<Page<QueueInfo>> {
        let parse = |value: &Value| {
            read::page(value, 4, |item| match item {
                [name, listeners, paused, order] => Some(QueueInfo {
                    name: reply::text(name)?,
                    listeners: reply::number(listeners)?,
                    paused: reply::optional(paused)?,
                    stopping: reply::optional(order)?.is_some(),
                }),
                _ => None,
            })
        };
        self.call("queues", parse).arg(cursor).arg(limit)
    }

    /// Ids of a queue's tasks in one state, or `all`.
    #[must_use]
    pub fn list(&self, queue: &QueueName, status: &str, cursor: &str, limit: u32) -> Call<Page<String>> {
        let parse = |value: &Value| read::page(value, 1, |item| reply::text(item.first()?));
        self.call("list", parse).arg(queue).arg(status).arg(cursor).arg(limit)
    }

    /// How many tasks of a queue are in each state.
    #[must_use]
    pub fn counts(&self, queue: &QueueName) -> Call<Counts> {
        self.call("counts", read::counts).arg(queue)
    }
}
