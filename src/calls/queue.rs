//! Calls on a queue and its listeners.

use redis::Value;

use super::{Call, Calls, PauseOptions, PeekOptions, RegisterOptions, ReportOptions};
use crate::model::reply;
use crate::model::{Counts, Held, ListenerInfo, Order, Page, Peeked, QueueInfo, WorkerInfo};
use crate::names::{ListenerId, QueueName};

impl Calls {
    /// Reports that a worker is alive, the number of its slots and of free ones, and registers it with its queues
    /// if it was forgotten. Returns the queues that it is ordered to drain.
    #[must_use]
    pub fn report(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        (slots, free): (u32, u32),
        options: &ReportOptions,
    ) -> Call<Vec<bool>> {
        let parse =
            |value: &Value| Some(reply::list::<Order>(value)?.into_iter().map(|order| order == Order::Drain).collect());
        let call = self.call("report", parse).arg(listener).arg(slots).arg(free).arg(queues.len());
        queues.iter().fold(call, Call::arg).pairs(&options.0)
    }

    /// The workers that report.
    #[must_use]
    pub fn workers(&self, cursor: &str, limit: u32) -> Call<Page<WorkerInfo>> {
        self.call("workers", reply::page).arg(cursor).arg(limit)
    }

    /// The next `limit` (1 to 500) tasks that a queue will give to a listener, in this order, as things are now; then up
    /// to so many that it passes over meanwhile, each with the reason. Takes nothing.
    #[must_use]
    pub fn peek(&self, queue: &QueueName, limit: u32, options: &PeekOptions) -> Call<Vec<Peeked>> {
        self.call("peek", reply::list).arg(queue).arg(limit).pairs(&options.0)
    }

    /// Stops a queue from giving out tasks.
    #[must_use]
    pub fn pause(&self, queue: &QueueName, by: &str, reason: &str, options: &PauseOptions) -> Call<()> {
        self.call("pause", reply::done).arg(queue).arg(by).arg(reason).pairs(&options.0)
    }

    /// Lets a queue give out tasks again.
    #[must_use]
    pub fn resume(&self, queue: &QueueName) -> Call<()> {
        self.call("resume", reply::done).arg(queue)
    }

    /// Registers a listener with a queue.
    #[must_use]
    pub fn register(&self, queue: &QueueName, listener: &ListenerId, options: &RegisterOptions) -> Call<()> {
        self.call("register", reply::done).arg(queue).arg(listener).pairs(&options.0)
    }

    /// Removes a listener that holds nothing from a queue.
    #[must_use]
    pub fn unregister(&self, queue: &QueueName, listener: &ListenerId) -> Call<()> {
        self.call("unregister", reply::done).arg(queue).arg(listener)
    }

    /// Orders a listener to finish its tasks and take no more, or withdraws the order.
    #[must_use]
    pub fn drain(&self, queue: &QueueName, listener: &ListenerId, on: bool) -> Call<()> {
        self.call("drain", reply::done).arg(queue).arg(listener).arg(u8::from(on))
    }

    /// The tasks that a listener holds, at most 500.
    #[must_use]
    pub fn held(&self, queue: &QueueName, listener: &ListenerId) -> Call<Vec<Held>> {
        self.call("held", reply::list).arg(queue).arg(listener)
    }

    /// The listeners of a queue.
    #[must_use]
    pub fn listeners(&self, queue: &QueueName, cursor: &str, limit: u32) -> Call<Page<ListenerInfo>> {
        self.call("listeners", reply::page).arg(queue).arg(cursor).arg(limit)
    }

    /// The queues of the namespace.
    #[must_use]
    pub fn queues(&self, cursor: &str, limit: u32) -> Call<Page<QueueInfo>> {
        self.call("queues", reply::page).arg(cursor).arg(limit)
    }

    /// Ids of a queue's tasks in one state, or `all`.
    #[must_use]
    pub fn list(&self, queue: &QueueName, status: &str, cursor: &str, limit: u32) -> Call<Page<String>> {
        self.call("list", reply::page).arg(queue).arg(status).arg(cursor).arg(limit)
    }

    /// The number of tasks of a queue in each state.
    #[must_use]
    pub fn counts(&self, queue: &QueueName) -> Call<Counts> {
        self.call("counts", Counts::read).arg(queue)
    }
}
