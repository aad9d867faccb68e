//! Every command of the bundle as a plain value: a script, a key, arguments, and
//! how to read the reply. The same value runs on a synchronous connection, an
//! asynchronous one, or a cluster.

mod read;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use redis::Value;

use crate::bundle::{self, Command};
use crate::error::{Error, Result};
use crate::model::{
    Beat, Cancelled, Counts, Event, Follow, Greeting, Held, ListenerInfo, LogEntry, Mended, Order, Orphans, Outcome,
    Page, Promoted, QueueInfo, Reservation, Retained, Submitted, TaskInfo, Why,
};
use crate::names::{ListenerId, Namespace, QueueName, TaskId, Token};
use crate::reply;

/// A call that has not been made yet. Every one may be sent again after a lost reply.
pub struct Call<T> {
    command: &'static str,
    key: String,
    args: Vec<Vec<u8>>,
    parse: fn(&Value) -> Option<T>,
}

impl<T> fmt::Debug for Call<T> {
    /// Names the command only: arguments may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("command", &self.command).finish_non_exhaustive()
    }
}

impl<T> Call<T> {
    fn new(space: &Namespace, command: &'static str, parse: fn(&Value) -> Option<T>) -> Self {
        Self { command, key: space.meta(), args: vec![Vec::new()], parse }
    }

    #[allow(clippy::needless_pass_by_value, reason = "numbers and references read better than references to them")]
    fn arg(mut self, value: impl ToString) -> Self {
        self.args.push(value.to_string().into_bytes());
        self
    }

    fn raw(mut self, value: &[u8]) -> Self {
        self.args.push(value.to_vec());
        self
    }

    fn option(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.arg(name).arg(value),
            None => self,
        }
    }

    /// Lets the script take `now` (decimal seconds since 1970) for the server's time. For tests.
    #[must_use]
    pub fn at(mut self, now: &str) -> Self {
        if let Some(first) = self.args.first_mut() {
            *first = now.as_bytes().to_vec();
        }
        self
    }

    /// The command's name.
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.command
    }

    pub(crate) fn script(&self) -> Result<&'static Command> {
        bundle::command(self.command).ok_or(Error::Reply { command: self.command })
    }

    /// The command by its digest, or with its body where the server does not know it yet.
    pub(crate) fn request(&self, script: &Command, whole: bool) -> redis::Cmd {
        let mut cmd = redis::cmd(if whole { "EVAL" } else { "EVALSHA" });
        cmd.arg(if whole { script.source() } else { script.sha1() }).arg(1).arg(&self.key).arg(&self.args);
        cmd
    }

    pub(crate) fn read(&self, value: &Value) -> Result<T> {
        (self.parse)(value).ok_or(Error::Reply { command: self.command })
    }
}

/// One task of a submit.
#[derive(Clone, Copy, Debug)]
pub struct NewTask<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// When it is due, in seconds since 1970; none for at once.
    pub eta: Option<f64>,
    /// Opaque bytes for whoever runs it.
    pub parameters: &'a [u8],
}

/// What holds for all tasks of a submit.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubmitOptions<'a> {
    /// How many lost owners a task survives: 10 where none is given, at most 1,000.
    pub max_losses: Option<u32>,
    /// What a worker for programs runs, where its queue has more than one program.
    pub method: Option<&'a str>,
    /// How large parameters may be: 1 MiB where none is given, at most 8 MiB.
    pub max_bytes: Option<u32>,
}

/// Makes the calls of one namespace.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    space: Namespace,
}

impl Calls {
    /// Calls on the keys that begin with this namespace.
    #[must_use]
    pub fn new(space: Namespace) -> Self {
        Self { space }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.space
    }

    /// The list on which waiting listeners of a queue block.
    #[must_use]
    pub fn wake_list(&self, queue: &QueueName) -> String {
        format!("{}_wake_{queue}", self.space)
    }

    fn call<T>(&self, command: &'static str, parse: fn(&Value) -> Option<T>) -> Call<T> {
        Call::new(&self.space, command, parse)
    }

    /// Checks server, schema and eviction policy.
    #[must_use]
    pub fn hello(&self) -> Call<Greeting> {
        self.call("hello", |value| match reply::array(value)? {
            [schema, time, ..] => Some(Greeting { schema: reply::number(schema)?, time: reply::number(time)? }),
            _ => None,
        })
    }

    /// Puts up to 500 tasks into a queue.
    #[must_use]
    pub fn submit(&self, queue: &QueueName, tasks: &[NewTask<'_>], options: SubmitOptions<'_>) -> Call<Vec<Submitted>> {
        let mut call = self.call("submit", |value| reply::array(value)?.iter().map(reply::number).collect());
        call = call.arg(queue).arg(tasks.len());
        for task in tasks {
            let eta = task.eta.map(|eta| format!("{eta:.6}")).unwrap_or_default();
            call = call.arg(task.id).arg(eta).raw(task.parameters);
        }
        call.option("max_losses", options.max_losses)
            .option("method", options.method)
            .option("max_bytes", options.max_bytes)
    }

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

    /// Cancels a task; with `force` without waiting for its owner.
    #[must_use]
    pub fn cancel(&self, id: &TaskId, reason: &str, force: bool) -> Call<Cancelled> {
        self.call("cancel", reply::number).arg(id).arg(reason).option("force", force.then_some("1"))
    }

    /// Runs a failed or cancelled task again; `fresh` forgets its checkpoint.
    #[must_use]
    pub fn retry(&self, id: &TaskId, fresh: bool) -> Call<()> {
        self.call("retry", read::done).arg(id).option("fresh", fresh.then_some("1"))
    }

    /// Removes a finished task.
    #[must_use]
    pub fn delete(&self, id: &TaskId) -> Call<()> {
        self.call("delete", read::done).arg(id)
    }

    /// Appends up to 8 KiB to a task's log; `source` is a plain word such as `stdout`.
    #[must_use]
    pub fn log(&self, id: &TaskId, token: Token, source: &str, text: &[u8]) -> Call<()> {
        self.call("log", read::done).arg(id).arg(token).arg(source).raw(text)
    }

    /// A task's log after an entry, `0` for its beginning.
    #[must_use]
    pub fn logs(&self, id: &TaskId, after: &str, limit: u32) -> Call<Follow<LogEntry>> {
        let parse = |value: &Value| {
            read::follow(value, 4, |item| match item {
                [at, attempt, source, text] => Some(LogEntry {
                    at: reply::number(at)?,
                    attempt: reply::number(attempt)?,
                    source: reply::text(source)?,
                    text: reply::bytes(text)?,
                }),
                _ => None,
            })
        };
        self.call("logs", parse).arg(id).arg(after).arg(limit)
    }

    /// A queue's transitions after an event, `0` for the oldest that is kept.
    #[must_use]
    pub fn events(&self, queue: &QueueName, after: &str, limit: u32) -> Call<Follow<Event>> {
        let parse = |value: &Value| {
            read::follow(value, 7, |item| match item {
                [id, from, to, attempt, at, by, why] => Some(Event {
                    id: reply::text(id)?,
                    from: reply::optional(from)?,
                    to: reply::text(to)?,
                    attempt: reply::number(attempt)?,
                    at: reply::number(at)?,
                    by: reply::optional(by)?,
                    why: reply::text(why)?,
                }),
                _ => None,
            })
        };
        self.call("events", parse).arg(queue).arg(after).arg(limit)
    }

    /// What decides whether and when a task runs.
    #[must_use]
    pub fn why(&self, id: &TaskId) -> Call<Why> {
        self.call("why", read::why).arg(id)
    }

    /// Moves scheduled tasks that are due to pending.
    #[must_use]
    pub fn promote(&self, queue: &QueueName, limit: u32) -> Call<Promoted> {
        let parse = |value: &Value| match reply::array(value)? {
            [promoted, more, next, ..] => Some(Promoted {
                promoted: reply::number(promoted)?,
                more: read::flag(more)?,
                next: reply::optional(next)?.map(|eta| eta.parse().ok()).map_or(Some(None), |eta| eta.map(Some))?,
            }),
            _ => None,
        };
        self.call("promote", parse).arg(queue).arg(limit)
    }

    /// Takes tasks whose lease has expired from their owners.
    #[must_use]
    pub fn requeue_orphans(&self, queue: &QueueName, limit: u32) -> Call<Orphans> {
        let parse = |value: &Value| match reply::array(value)? {
            [requeued, failed, cancelled, postponed, more, listeners, ..] => Some(Orphans {
                requeued: reply::number(requeued)?,
                failed: reply::number(failed)?,
                cancelled: reply::number(cancelled)?,
                postponed: reply::number(postponed)?,
                more: read::flag(more)?,
                listeners: reply::number(listeners)?,
            }),
            _ => None,
        };
        self.call("requeue_orphans", parse).arg(queue).arg(limit)
    }

    /// Deletes the oldest finished tasks: those over `keep`, and those older than `age`.
    #[must_use]
    pub fn retain(&self, queue: &QueueName, limit: u32, keep: Option<u32>, age: Option<Duration>) -> Call<Retained> {
        let parse = |value: &Value| match reply::array(value)? {
            [deleted, more, ..] => Some(Retained { deleted: reply::number(deleted)?, more: read::flag(more)? }),
            _ => None,
        };
        self.call("retain", parse).arg(queue).arg(limit).option("keep", keep).option("seconds", age.map(seconds))
    }

    /// Mends a part of what clients without scripts leave; begin with an empty cursor.
    #[must_use]
    pub fn mend(&self, queue: &QueueName, cursor: &str, limit: u32, grace: Option<Duration>) -> Call<Mended> {
        let parse = |value: &Value| match reply::array(value)? {
            [next, mended, suspected, ..] => Some(Mended {
                next: reply::optional(next)?,
                mended: reply::number(mended)?,
                suspected: reply::number(suspected)?,
            }),
            _ => None,
        };
        self.call("mend", parse).arg(queue).arg(cursor).arg(limit).option("grace", grace.map(seconds))
    }

    /// Stops a queue from giving out tasks.
    #[must_use]
    pub fn pause(&self, queue: &QueueName, by: &str, reason: &str) -> Call<()> {
        self.call("pause", read::done).arg(queue).arg(by).arg(reason)
    }

    /// Lets a queue give out tasks again.
    #[must_use]
    pub fn resume(&self, queue: &QueueName) -> Call<()> {
        self.call("resume", read::done).arg(queue)
    }

    /// Makes a listener known to a queue.
    #[must_use]
    pub fn register(&self, queue: &QueueName, listener: &ListenerId) -> Call<()> {
        self.call("register", read::done).arg(queue).arg(listener)
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
            read::page(value, 3, |item| match item {
                [name, listeners, paused] => Some(QueueInfo {
                    name: reply::text(name)?,
                    listeners: reply::number(listeners)?,
                    paused: reply::optional(paused)?,
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

    /// The whole record of a task.
    #[must_use]
    pub fn get(&self, id: &TaskId) -> Call<Option<TaskInfo>> {
        let parse = |value: &Value| {
            if matches!(value, Value::Nil) {
                return Some(None);
            }
            let fields = reply::groups(reply::array(value)?, 0, 2, |item| match item {
                [field, value] => Some((reply::text(field)?, reply::bytes(value)?)),
                _ => None,
            })?;
            Some(Some(TaskInfo { fields: fields.into_iter().collect() }))
        };
        self.call("get", parse).arg(id)
    }
}

fn seconds(duration: Duration) -> String {
    format!("{}.{:06}", duration.as_secs(), duration.subsec_micros())
}
