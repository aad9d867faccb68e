//! The calls of a task's owner, from the reservation to the end of the attempt.

use std::time::Duration;

use super::{Call, Calls, read, seconds};
use crate::model::{Beat, Order, Outcome, Reservation};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::reply;

impl Calls {
    /// Takes the next task of the first of the queues that has one. The same
    /// `request` gives the same answer; `woken` says that a wake-up led here.
    #[must_use]
    pub fn reserve(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        lease: Duration,
        request: &str,
        woken: bool,
    ) -> Call<Option<Reservation>> {
        let mut call = self.call("reserve", read::reservation).arg(listener).arg(queues.len());
        for queue in queues {
            call = call.arg(queue);
        }
        call.option("lease", Some(seconds(lease)))
            .option("request", Some(request))
            .option("woken", woken.then_some("1"))
    }

    /// Takes a task from a listener whose process is dead. None where the task ended instead.
    #[must_use]
    pub fn adopt(
        &self,
        listener: &ListenerId,
        from: &ListenerId,
        queue: &QueueName,
        id: &TaskId,
        lease: Duration,
        request: &str,
    ) -> Call<Option<Reservation>> {
        self.call("adopt", read::reservation)
            .arg(listener)
            .arg(from)
            .arg(queue)
            .arg(id)
            .option("lease", Some(seconds(lease)))
            .option("request", Some(request))
    }

    /// Says that the process `pid` works on the task; answers the new deadline in microseconds.
    #[must_use]
    pub fn start(&self, id: &TaskId, token: Token, pid: u32) -> Call<u64> {
        self.call("start", reply::number).arg(id).arg(token).arg(pid)
    }

    /// Renews the leases of up to 500 tasks of one queue.
    #[must_use]
    pub fn heartbeat(
        &self,
        queue: &QueueName,
        listener: &ListenerId,
        lease: Duration,
        tasks: &[(TaskId, Token)],
    ) -> Call<Beat> {
        let mut call = self
            .call("heartbeat", |value| match reply::array(value)? {
                [deadline, orders @ ..] => Some(Beat {
                    deadline: reply::number(deadline)?,
                    orders: orders.iter().map(reply::number::<Order>).collect::<Option<_>>()?,
                }),
                [] => None,
            })
            .arg(queue)
            .arg(listener)
            .arg(seconds(lease))
            .arg(tasks.len());
        for (id, token) in tasks {
            call = call.arg(id).arg(token);
        }
        call
    }

    /// Keeps the latest word on how far an attempt is; at most 4 KiB.
    #[must_use]
    pub fn progress(&self, id: &TaskId, token: Token, progress: &[u8]) -> Call<()> {
        self.call("progress", read::done).arg(id).arg(token).raw(progress)
    }

    /// Keeps what the next attempt needs to go on from here.
    #[must_use]
    pub fn checkpoint(&self, id: &TaskId, token: Token, checkpoint: &[u8], max_bytes: Option<u32>) -> Call<()> {
        self.call("checkpoint", read::done).arg(id).arg(token).raw(checkpoint).option("max_bytes", max_bytes)
    }

    /// Ends an attempt with its result.
    #[must_use]
    pub fn complete(&self, id: &TaskId, token: Token, result: &[u8], max_bytes: Option<u32>) -> Call<Outcome> {
        self.call("complete", reply::number).arg(id).arg(token).raw(result).option("max_bytes", max_bytes)
    }

    /// Ends an attempt with an error; `group` sorts failures of one kind together.
    #[must_use]
    pub fn fail(&self, id: &TaskId, token: Token, error: &[u8], group: Option<&str>) -> Call<Outcome> {
        self.call("fail", reply::number).arg(id).arg(token).raw(error).option("group", group)
    }

    /// Gives a task back to the front of its queue.
    #[must_use]
    pub fn release(&self, id: &TaskId, token: Token, reason: Option<&str>) -> Call<Outcome> {
        self.call("release", reply::number).arg(id).arg(token).option("reason", reason)
    }

    /// Appends up to 8 KiB to a task's log; `source` is a plain word such as `stdout`.
    #[must_use]
    pub fn log(&self, id: &TaskId, token: Token, source: &str, text: &[u8]) -> Call<()> {
        self.call("log", read::done).arg(id).arg(token).arg(source).raw(text)
    }
}
