//! The calls of a task's owner, from the reservation to the end of the attempt.

use std::time::Duration;

use super::{Call, Calls, read};
use crate::model::{Beat, Order, Outcome, QueueOrder, Reservation};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::reply;
use crate::times::seconds;

/// How to reserve a task.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReserveOptions<'a> {
    /// The length of the lease, 1 s to 7 days; none for what the queue's settings say.
    pub lease: Option<Duration>,
    /// Makes the call repeatable: the same request gives the same answer. Its deadline is that of the first sending:
    /// renew the lease by a heartbeat before you count on it.
    pub request: Option<&'a str>,
    /// A wake-up led here; it is passed on if more tasks wait.
    pub woken: bool,
    /// In which order several queues are asked: as they stand, where none is given.
    pub order: Option<&'a QueueOrder>,
}

/// How an attempt completes.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompleteOptions<'a> {
    /// How large the result may be: 1 MiB where none is given, at most 8 MiB.
    pub max_bytes: Option<u32>,
    /// What the attempt cost, opaque to the server: at most 1 KiB, kept in the record and in the history.
    pub cost: Option<&'a [u8]>,
}

/// How an attempt fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct FailOptions<'a> {
    /// Sorts failures of one kind together: a name like a queue's.
    pub group: Option<&'a str>,
    /// The pause before the next try, where there is one: at most a year. None for what the task's backoff says.
    pub again: Option<Duration>,
    /// No other try follows, however many failures the task survives.
    pub permanent: bool,
    /// How large the error may be: 1 MiB where none is given, at most 8 MiB.
    pub max_bytes: Option<u32>,
    /// What the attempt cost, opaque to the server: at most 1 KiB, kept in the record and in the history.
    pub cost: Option<&'a [u8]>,
}

/// How a piece of a task's log is sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogOptions {
    /// How many bytes of the log of this attempt came before this piece, of all its sources together. With it a
    /// piece that is sent again is not kept twice, and a reader sees where bytes are missing.
    pub offset: Option<u64>,
}

/// How a task is given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ReleaseOptions<'a> {
    reason: Option<&'a str>,
    again: Option<Duration>,
    uncounted: bool,
    lost: Option<&'a str>,
    cost: Option<&'a [u8]>,
}

impl<'a> ReleaseOptions<'a> {
    /// To the front of its queue, at once, counted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Why, for the history: a name like a queue's, but not `fail`.
    pub fn reason(mut self, reason: &'a str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// It is scheduled for so long from now, a year at most, and then goes to the front of its queue.
    pub fn again_in(mut self, pause: Duration) -> Self {
        self.again = Some(pause);
        self
    }

    /// The trouble is the owner's, not the task's: it does not count as a release. It has a cap of its own,
    /// the setting `max_uncounted`.
    pub fn uncounted(mut self) -> Self {
        self.uncounted = true;
        self
    }

    /// What the attempt cost, opaque to the server: at most 1 KiB, kept in the record and in the history.
    pub fn cost(mut self, cost: &'a [u8]) -> Self {
        self.cost = Some(cost);
        self
    }

    /// The owner was found dead, and this says what became of it, for the error of the task, 1 KiB at most. It counts as a
    /// loss; from the second one on the task waits before the next attempt, unless this one told progress or saved a
    /// checkpoint. Goes with no other option.
    pub fn lost(mut self, text: &'a str) -> Self {
        self.lost = Some(text);
        self
    }
}

impl Calls {
    /// Takes the next task of the queues, asked in the order that the options say.
    #[must_use]
    pub fn reserve(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        options: ReserveOptions<'_>,
    ) -> Call<Option<Reservation>> {
        let mut call = self.call("reserve", read::reservation).arg(listener).arg(queues.len());
        for queue in queues {
            call = call.arg(queue);
        }
        let order = options.order.filter(|&order| *order != QueueOrder::Strict);
        let weights = order.and_then(QueueOrder::weights);
        call.option("lease", options.lease.map(seconds))
            .option("request", options.request)
            .option("woken", options.woken.then_some("1"))
            .option("order", order.map(QueueOrder::as_str))
            .option("weights", weights)
    }

    /// Takes a task from a listener whose process is dead. None where the task ended instead.
    #[must_use]
    pub fn adopt(
        &self,
        listener: &ListenerId,
        from: &ListenerId,
        queue: &QueueName,
        id: &TaskId,
        lease: Option<Duration>,
        request: &str,
    ) -> Call<Option<Reservation>> {
        self.call("adopt", read::reservation)
            .arg(listener)
            .arg(from)
            .arg(queue)
            .arg(id)
            .option("lease", lease.map(seconds))
            .option("request", Some(request))
    }

    /// Says that the process `pid` works on the task; answers the new deadline in microseconds.
    #[must_use]
    pub fn start(&self, id: &TaskId, token: Token, pid: u32) -> Call<u64> {
        self.call("start", reply::number).arg(id).arg(token).arg(pid)
    }

    /// Renews the leases of up to 500 tasks of one queue; not those of tasks whose order is [`Order::Kill`].
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
        // Without it a task that is to be killed is answered as lost.
        call.option("kill", Some("1"))
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
    pub fn complete(&self, id: &TaskId, token: Token, result: &[u8], options: CompleteOptions<'_>) -> Call<Outcome> {
        self.call("complete", reply::number)
            .arg(id)
            .arg(token)
            .raw(result)
            .option("max_bytes", options.max_bytes)
            .raw_option("cost", options.cost)
    }

    /// Ends an attempt with an error. The task is tried again as long as it survives its failures.
    #[must_use]
    pub fn fail(&self, id: &TaskId, token: Token, error: &[u8], options: FailOptions<'_>) -> Call<Outcome> {
        self.call("fail", reply::number)
            .arg(id)
            .arg(token)
            .raw(error)
            .option("group", options.group)
            .option("again", options.again.map(seconds))
            .option("final", options.permanent.then_some("1"))
            .option("max_bytes", options.max_bytes)
            .raw_option("cost", options.cost)
    }

    /// Gives a task back to the front of its queue, at once or after a pause.
    #[must_use]
    pub fn release(&self, id: &TaskId, token: Token, options: ReleaseOptions<'_>) -> Call<Outcome> {
        self.call("release", reply::number)
            .arg(id)
            .arg(token)
            .option("reason", options.reason)
            .option("again", options.again.map(seconds))
            .option("uncounted", options.uncounted.then_some("1"))
            .option("lost", options.lost)
            .raw_option("cost", options.cost)
    }

    /// Appends up to 64 KiB to a task's log; `source` is a plain word such as `stdout`.
    #[must_use]
    pub fn log(&self, id: &TaskId, token: Token, source: &str, text: &[u8], options: LogOptions) -> Call<()> {
        self.call("log", read::done).arg(id).arg(token).arg(source).raw(text).option("offset", options.offset)
    }
}
