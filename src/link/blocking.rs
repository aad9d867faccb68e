//! Blocking connections to the server. Some idle connections are kept for reuse, and each call has a limit.

mod threads;

use std::future::{Future, ready};
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{iter, thread};

use redis::{Cmd, RedisResult, Value};

use super::{Link, Step, Way, Wires, is_sound};
use crate::address::Place;
use crate::connection::Connection;
use crate::deadline::Deadline;
use crate::error::Result;
use crate::model::reply;

/// Maximum number of idle connections.
const KEPT: usize = 16;

/// The longest wait of a connection that cannot be woken.
const UNWAKEABLE: Duration = Duration::from_secs(2);

/// The link of [`blueque::Client`](crate::Client): a method returns after its call is complete.
#[derive(Clone, Copy, Debug)]
pub struct Blocking;

impl Link for Blocking {
    type Answer<'a, T> = T;
    type Many<'a, T>
        = Box<dyn Iterator<Item = Result<T>> + Send + 'a>
    where
        T: 'a;

    fn answer<'a, T>(steps: impl Future<Output = T> + Send + 'a) -> T {
        now(steps)
    }

    fn step<'a, T: Send + 'a>(answer: T) -> Step<'a, T> {
        Box::pin(ready(answer))
    }

    fn many<'a, S, T, F, N>(state: S, next: F) -> Self::Many<'a, T>
    where
        S: Send + 'a,
        T: Send + 'a,
        F: Fn(S) -> N + Send + 'a,
        N: Future<Output = Result<Option<(T, S)>>> + Send + 'a,
    {
        let mut state = Some(state);
        Box::new(iter::from_fn(move || match now(next(state.take()?)) {
            Ok(Some((item, after))) => {
                state = Some(after);
                Some(Ok(item))
            }
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }))
    }
}

/// Runs steps over this link to their end. The steps are ready at the first poll, because every wait blocks within the
/// poll.
fn now<T>(steps: impl Future<Output = T>) -> T {
    let mut steps = pin!(steps);
    loop {
        if let Poll::Ready(outcome) = steps.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return outcome;
        }
        thread::yield_now();
    }
}

impl Way for Blocking {
    type Wires = Pool;

    fn wires(place: Place, limit: Duration) -> Pool {
        let (cluster, files) = (place.address.is_cluster(), place.address.has_files());
        let connect = move |limit| Ok(Box::new(place.connect(limit)?) as Box<dyn Wire>);
        Pool::new(Box::new(connect), limit, cluster, files)
    }

    async fn pause(time: Duration) {
        thread::sleep(time);
    }

    /// Does nothing, because the steps would block the thread that drops the value.
    fn afterwards(_: impl Future<Output = ()> + Send + 'static) {}

    fn briefly(steps: impl Future<Output = ()> + Send + 'static) {
        now(steps);
    }

    async fn together<T, F>(steps: Vec<F>, most: usize) -> Vec<T>
    where
        T: Send,
        F: Future<Output = T> + Send,
    {
        let number = steps.len().min(most);
        let (left, outcomes) = (Mutex::new(steps.into_iter()), Mutex::new(Vec::new()));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        thread::scope(|scope| {
            for _ in 0..number {
                scope.spawn(|| {
                    while let Some(steps) = next() {
                        let outcome = now(steps);
                        outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                    }
                });
            }
        });
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    type Signal = threads::Signal;
    type Running = Vec<JoinHandle<()>>;

    fn begin(running: &mut Self::Running, steps: impl Future<Output = ()> + Send + 'static) {
        running.push(thread::spawn(|| now(steps)));
    }

    async fn end(running: Self::Running) {
        for thread in running {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
    }
}

#[cfg(feature = "cluster")]
impl Blocking {
    /// Opens connections to a cluster through some of its nodes.
    pub(crate) fn cluster(nodes: Vec<String>, limit: Duration) -> Pool {
        let connect = move |limit| {
            let cluster = redis::cluster::ClusterClient::builder(nodes.clone()).connection_timeout(limit).retries(3);
            Ok(Box::new(cluster.build()?.get_generic_connection::<Connection>()?) as Box<dyn Wire>)
        };
        Pool::new(Box::new(connect), limit, true, false)
    }
}

/// One connection, to a server or to a cluster.
pub(crate) trait Wire: Send {
    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value>;

    /// Sends a command that waits until the changes of the previous command are durable.
    fn confirm(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.send(cmd, limit)
    }

    /// Returns an id with which another connection can end a wait of this connection, if possible.
    fn id(&mut self) -> Option<i64> {
        None
    }
}

impl Wire for Connection {
    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.set_limit(limit);
        cmd.query(self)
    }

    fn id(&mut self) -> Option<i64> {
        let answer = self.send(redis::cmd("CLIENT").arg("ID"), Duration::from_secs(5));
        answer.ok().and_then(|id| reply::word(&id))
    }
}

#[cfg(feature = "cluster")]
impl Wire for redis::cluster::ClusterConnection<Connection> {
    fn confirm(&mut self, _: &Cmd, _: Duration) -> RedisResult<Value> {
        Err(super::many_nodes())
    }

    fn send(&mut self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.set_write_timeout(Some(limit))?;
        self.set_read_timeout(Some(limit))?;
        cmd.query(self)
    }
}

type Connect = dyn Fn(Duration) -> RedisResult<Box<dyn Wire>> + Send + Sync;

/// The connections of a client.
pub struct Pool {
    connect: Box<Connect>,
    idle: Mutex<Vec<Box<dyn Wire>>>,
    limit: Duration,
    cluster: bool,
    files: bool,
}

impl Wires for Pool {
    /// The id of the waiting connection, or 0.
    type Bell = AtomicI64;

    fn is_cluster(&self) -> bool {
        self.cluster
    }

    fn has_files(&self) -> bool {
        self.files
    }

    fn age(&self) -> u64 {
        0
    }

    async fn send(&self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        self.send_now(cmd, limit)
    }

    async fn send_durably(
        &self,
        cmd: &Cmd,
        confirm: &Cmd,
        limit: Duration,
    ) -> RedisResult<(Value, RedisResult<Value>)> {
        let end = Deadline::after(limit);
        let left = || end.left().max(Duration::from_millis(1));
        self.with_wire(limit, |wire| {
            let answer = wire.send(cmd, left())?;
            let confirmed = wire.confirm(confirm, left());
            if is_sound(&confirmed) { Ok((answer, confirmed)) } else { confirmed.map(|_| (answer, Ok(Value::Nil))) }
        })
    }

    /// Closes the idle connections.
    fn forget(&self, _: u64) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }

    async fn wait(
        &self,
        lists: Vec<String>,
        limit: Duration,
        bell: &AtomicI64,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<String> {
        let limit = limit.max(Duration::from_millis(1));
        let taken = self.with_wire(limit, |wire| {
            let mut limit = limit;
            match wire.id() {
                Some(own) => bell.store(own, Ordering::Release),
                None => limit = limit.min(UNWAKEABLE),
            }
            // The second check comes directly before the wait. A caller that rings either sees the connection id, or
            // has set `stopped` before this check.
            if stopped() {
                return Ok(Value::Nil);
            }
            let mut cmd = redis::cmd("BLPOP");
            cmd.arg(&lists).arg(format!("{:.3}", limit.as_secs_f64()));
            wire.send(&cmd, limit.saturating_add(self.limit))
        });
        bell.store(0, Ordering::Release);
        if taken.is_err() {
            self.forget(0);
            thread::sleep(limit.min(Duration::from_millis(100)));
        }
        reply::popped(&taken.ok()?)
    }

    /// The wait may not have started on the server yet, so the call is repeated until the wait has ended.
    fn ring(&self, bell: &AtomicI64) {
        for _ in 0..50 {
            let connection = bell.load(Ordering::Acquire);
            if connection == 0 {
                break;
            }
            let mut cmd = redis::cmd("CLIENT");
            cmd.arg("UNBLOCK").arg(connection);
            // If the command fails, the wait ends at its own time limit.
            let _ = self.send_now(&cmd, Duration::from_secs(1));
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Pool {
    fn new(connect: Box<Connect>, limit: Duration, cluster: bool, files: bool) -> Self {
        Self { connect, idle: Mutex::new(Vec::new()), limit, cluster, files }
    }

    fn send_now(&self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        let end = Deadline::after(limit);
        self.with_wire(limit, |wire| wire.send(cmd, end.left().max(Duration::from_millis(1))))
    }

    /// Lends a connection to `use_it`, and keeps the connection if it is still sound.
    fn with_wire<T>(&self, limit: Duration, use_it: impl FnOnce(&mut dyn Wire) -> RedisResult<T>) -> RedisResult<T> {
        let kept = self.idle.lock().map_or(None, |mut idle| idle.pop());
        let mut wire = match kept {
            Some(wire) => wire,
            None => (self.connect)(limit)?,
        };
        let answer = use_it(wire.as_mut());
        if is_sound(&answer)
            && let Ok(mut idle) = self.idle.lock()
            && idle.len() < KEPT
        {
            idle.push(wire);
        }
        answer
    }
}
