//! The calls of a task's owner, from the reservation to the end of the attempt.

use std::time::{Duration, SystemTime};

use redis::Value;

use super::{
    AdoptOptions, Call, Calls, CheckpointOptions, CompleteOptions, End, ExchangeOptions, FailOptions, LogOptions,
    ReleaseOptions, ReserveOptions, StartOptions,
};
use crate::model::{Beat, Exchanged, Outcome, Reservation, Reserved, reply};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::times;
use crate::times::seconds;

impl Calls {
    /// Takes the next task of the queues, asked in the order of the options, or several with
    /// [`limit`](ReserveOptions::limit). The same `request` returns the same reply. Its deadlines count from the first
    /// call: renew the leases with a heartbeat before you rely on them.
    #[must_use]
    pub fn reserve(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        options: &ReserveOptions,
    ) -> Call<Vec<Reservation>> {
        let call = self.call("reserve", reply::reservations).arg(listener).arg(queues.len());
        queues.iter().fold(call, Call::arg).pairs(&options.0)
    }

    /// The same for clients without upkeep of their own: where there is no task, it says when
    /// [`Calls::upkeep`] of these queues is due. So three calls, with the end of an attempt, are a complete worker.
    #[must_use]
    pub fn reserve_or_due(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        options: &ReserveOptions,
    ) -> Call<Reserved> {
        let call = self.call("reserve", reply::reserved).arg(listener).arg(queues.len());
        let call = queues.iter().fold(call, Call::arg).pairs(&options.0);
        call.arg("due").arg(1)
    }

    /// Ends up to 100 attempts, whose verdicts are independent of one another, and takes up to `limit` next tasks of the
    /// queues, if there are any: in one call what [`Calls::complete`], [`Calls::fail`], [`Calls::release`] and
    /// [`Calls::reserve`] do. The same `request` returns the same reply.
    #[must_use]
    pub fn exchange(
        &self,
        listener: &ListenerId,
        ends: &[End],
        queues: &[QueueName],
        limit: u32,
        options: &ExchangeOptions,
    ) -> Call<Exchanged> {
        let names = queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(",");
        let call = self.call("exchange", Exchanged::read).arg(listener).arg(names).arg(limit).arg(ends.len());
        ends.iter().fold(call, |call, end| end.add_to(call)).pairs(&options.0)
    }

    /// Takes over a task from a listener whose process is dead. None if the task ended instead.
    #[must_use]
    pub fn adopt(
        &self,
        listener: &ListenerId,
        from: &ListenerId,
        queue: &QueueName,
        id: &TaskId,
        options: &AdoptOptions,
    ) -> Call<Option<Reservation>> {
        self.call("adopt", reply::reservation).arg(listener).arg(from).arg(queue).arg(id).pairs(&options.0)
    }

    /// Reports that the process `pid` works on the task; returns the new end of the lease.
    #[must_use]
    pub fn start(&self, id: &TaskId, token: Token, pid: u32, options: &StartOptions) -> Call<SystemTime> {
        let parse = |value: &Value| reply::read(value, times::deadline);
        self.call("start", parse).arg(id).arg(token).arg(pid).pairs(&options.0)
    }

    /// Renews the leases of up to 500 tasks of one queue, except those of tasks whose order is
    /// [`Order::Kill`](crate::Order::Kill).
    #[must_use]
    pub fn heartbeat(
        &self,
        queue: &QueueName,
        listener: &ListenerId,
        lease: Duration,
        tasks: &[(TaskId, Token)],
    ) -> Call<Beat> {
        let call = self.call("heartbeat", Beat::read).arg(queue).arg(listener);
        let call = call.arg(seconds(lease)).arg(tasks.len());
        tasks.iter().fold(call, |call, (id, token)| call.arg(id).arg(token))
    }

    /// Stores the progress of an attempt; at most 4 KiB.
    #[must_use]
    pub fn progress(&self, id: &TaskId, token: Token, progress: &[u8]) -> Call<()> {
        self.call("progress", reply::done).arg(id).arg(token).raw(progress)
    }

    /// Stores a checkpoint for the next attempt.
    #[must_use]
    pub fn checkpoint(&self, id: &TaskId, token: Token, checkpoint: &[u8], options: &CheckpointOptions) -> Call<()> {
        self.call("checkpoint", reply::done).arg(id).arg(token).raw(checkpoint).pairs(&options.0)
    }

    /// Ends an attempt with its result.
    #[must_use]
    pub fn complete(&self, id: &TaskId, token: Token, result: &[u8], options: &CompleteOptions) -> Call<Outcome> {
        self.call("complete", reply::word).arg(id).arg(token).raw(result).pairs(&options.0)
    }

    /// Ends an attempt with an error. The task is retried as long as it has retries left.
    #[must_use]
    pub fn fail(&self, id: &TaskId, token: Token, error: &[u8], options: &FailOptions) -> Call<Outcome> {
        self.call("fail", reply::word).arg(id).arg(token).raw(error).pairs(&options.0)
    }

    /// Gives a task back to the front of its queue, at once or after a delay. `lost` excludes all other options:
    /// the owner was found dead, and it counts as a loss.
    #[must_use]
    pub fn release(&self, id: &TaskId, token: Token, options: &ReleaseOptions) -> Call<Outcome> {
        self.call("release", reply::word).arg(id).arg(token).pairs(&options.0)
    }

    /// Appends up to 64 KiB to a task's log; `source` is a plain word such as `stdout`.
    #[must_use]
    pub fn log(&self, id: &TaskId, token: Token, source: &str, text: &[u8], options: &LogOptions) -> Call<()> {
        self.call("log", reply::done).arg(id).arg(token).arg(source).raw(text).pairs(&options.0)
    }
}
