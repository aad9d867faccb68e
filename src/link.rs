//! The synchronous connection to the server: connections kept for reuse, a limit on each call, and repetition until
//! it is acknowledged.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use redis::{Cmd, RedisResult, Value};

use crate::calls::Call;
use crate::deadline::Deadline;
use crate::error::Result;
use crate::repeat::Tries;
use crate::reply;

/// More idle connections than this are closed.
const KEPT: usize = 16;

/// The longest wait of a connection that cannot be woken.
const UNWAKEABLE: Duration = Duration::from_secs(2);

/// One connection, to a server or to a cluster.
pub(crate) trait Wire: Send {
    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value>;

    /// An id with which another connection can end a wait of this one, if possible.
    fn id(&mut self) -> Option<i64> {
        None
    }
}

impl Wire for redis::Connection {
    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.set_write_timeout(Some(limit))?;
        self.set_read_timeout(Some(limit))?;
        cmd.query(self)
    }

    fn id(&mut self) -> Option<i64> {
        let answer = self.send(redis::cmd("CLIENT").arg("ID"), Duration::from_secs(5));
        answer.ok().and_then(|id| reply::word(&id))
    }
}

#[cfg(feature = "cluster")]
impl Wire for redis::cluster::ClusterConnection {
    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.set_write_timeout(Some(limit))?;
        self.set_read_timeout(Some(limit))?;
        cmd.query(self)
    }
}

/// Where a waiting connection publishes its id, and whether it should stop.
pub(crate) type Waiting<'a> = (&'a AtomicI64, &'a dyn Fn() -> bool);

type Connect = dyn Fn(Duration) -> RedisResult<Box<dyn Wire>> + Send + Sync;

pub(crate) struct Link {
    connect: Box<Connect>,
    idle: Mutex<Vec<Box<dyn Wire>>>,
    limit: Duration,
    cluster: bool,
}

impl Link {
    pub(crate) fn new(connect: Box<Connect>, limit: Duration, cluster: bool) -> Self {
        Self { connect, idle: Mutex::new(Vec::new()), limit, cluster }
    }

    /// Makes a call, repeated within the limit, but not beyond `end`.
    pub(crate) fn run<T>(&self, call: &Call<T>, end: Deadline) -> Result<T> {
        let script = call.script()?;
        let mut tries = Tries::new(self.limit.min(end.left()), self.cluster);
        loop {
            match self.send(&call.request(script, tries.whole), tries.left()) {
                Ok(value) => return call.read(&value),
                Err(error) => {
                    let next = tries.next(error)?;
                    if next.reconnect {
                        self.forget();
                    }
                    thread::sleep(next.pause);
                }
            }
        }
    }

    /// Waits on a list until an element can be taken from it, or `limit` has passed, or another thread calls
    /// [`Link::unblock`]: that one sees the connection in `waiting`, and is checked once more just before the wait.
    /// A failure counts as nothing taken: the caller polls the queue anyway.
    pub(crate) fn wait(&self, lists: &[String], limit: Duration, waiting: Waiting<'_>) -> bool {
        let (id, stopped) = waiting;
        let limit = limit.max(Duration::from_millis(1));
        let taken = self.with_wire(limit, |wire| {
            let mut limit = limit;
            match wire.id() {
                Some(own) => id.store(own, Ordering::Release),
                None => limit = limit.min(UNWAKEABLE),
            }
            if stopped() {
                return Ok(Value::Nil);
            }
            let mut cmd = redis::cmd("BLPOP");
            cmd.arg(lists).arg(format!("{:.3}", limit.as_secs_f64()));
            wire.send(&cmd, limit.saturating_add(self.limit))
        });
        id.store(0, Ordering::Release);
        if taken.is_err() {
            self.forget();
            thread::sleep(limit.min(Duration::from_millis(100)));
        }
        taken.is_ok_and(|value| !matches!(value, Value::Nil))
    }

    /// Ends the wait of a connection of this client.
    pub(crate) fn unblock(&self, id: i64) {
        let mut cmd = redis::cmd("CLIENT");
        cmd.arg("UNBLOCK").arg(id);
        // If it fails, the wait ends by its own limit.
        let _ = self.send(&cmd, Duration::from_secs(1));
    }

    fn send(&self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        let end = Deadline::after(limit);
        self.with_wire(limit, |wire| wire.send(cmd, end.left().max(Duration::from_millis(1))))
    }

    /// Lends a connection, and keeps it if it is still sound.
    fn with_wire(
        &self,
        limit: Duration,
        use_it: impl FnOnce(&mut dyn Wire) -> RedisResult<Value>,
    ) -> RedisResult<Value> {
        let kept = self.idle.lock().map_or(None, |mut idle| idle.pop());
        let mut wire = match kept {
            Some(wire) => wire,
            None => (self.connect)(limit)?,
        };
        let answer = use_it(wire.as_mut());
        // After a timeout or a broken reply, further data on the wire belongs to no call.
        let sound = match &answer {
            Ok(_) => true,
            Err(error) => error.code().is_some() && error.code() != Some("READONLY"),
        };
        if sound
            && let Ok(mut idle) = self.idle.lock()
            && idle.len() < KEPT
        {
            idle.push(wire);
        }
        answer
    }

    /// Closes the idle connections: they lead to a server that is gone or no longer the master.
    fn forget(&self) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }
}
