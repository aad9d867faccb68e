//! Links: transports of calls to the server. A link also decides what a method with a call returns: a value at once, or
//! a future of it. The handles are written once, for every link.

pub(crate) mod blocking;
#[cfg(feature = "tokio")]
pub(crate) mod tokio;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use redis::{Cmd, RedisResult, Value};

use crate::address::Place;
use crate::constants::WAKE_UP_EXPIRES;
use crate::error::Result;

pub use blocking::Blocking;

/// An answer as a step of another method. The type is named, because the compiler cannot prove that an opaque type is
/// `Send` for a known link.
pub(crate) type Step<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The transport of calls to the server: [`Blocking`], or with the feature `tokio` [`Tokio`](crate::tokio::Tokio). It
/// decides only the return type of methods.
pub trait Link: Way {
    /// The return type of a method that calls the server: the value itself, or a future of it.
    type Answer<'a, T>;

    /// The return type of a method that reads many values one after another: an iterator, or a stream. It ends after an
    /// error.
    type Many<'a, T>
    where
        T: 'a;

    /// Turns the steps of a method into its answer.
    #[doc(hidden)]
    fn answer<'a, T>(steps: impl Future<Output = T> + Send + 'a) -> Self::Answer<'a, T>;

    /// Turns an answer into a step of another method.
    #[doc(hidden)]
    fn step<'a, T: Send + 'a>(answer: Self::Answer<'a, T>) -> Step<'a, T>;

    /// Creates a sequence of values. `next` makes a value and the next state from a state.
    #[doc(hidden)]
    fn many<'a, S, T, F, N>(state: S, next: F) -> Self::Many<'a, T>
    where
        S: Send + 'a,
        T: Send + 'a,
        F: Fn(S) -> N + Send + 'a,
        N: Future<Output = Result<Option<(T, S)>>> + Send + 'a;
}

/// The part of a link that the handles need. No other crate can implement it.
pub trait Way: Copy + fmt::Debug + Send + Sync + Sized + 'static {
    /// The connections to one server.
    type Wires: Wires;

    /// Returns connections to a server, which are opened on first use. `limit` applies to each call.
    fn wires(place: Place, limit: Duration) -> Self::Wires;

    /// Sleeps.
    fn pause(time: Duration) -> impl Future<Output = ()> + Send;

    /// Runs the cleanup of a dropped value, if this is possible without blocking.
    fn afterwards(steps: impl Future<Output = ()> + Send + 'static);

    /// Runs short cleanup steps of a dropped value, even if this blocks.
    fn briefly(steps: impl Future<Output = ()> + Send + 'static);

    /// Runs steps concurrently, at most `most` at the same time. Returns their outcomes in any order.
    fn together<T, F>(steps: Vec<F>, most: usize) -> impl Future<Output = Vec<T>> + Send
    where
        T: Send,
        F: Future<Output = T> + Send;

    /// Wakes threads or tasks that wait for a change.
    type Signal: Signal;

    /// A group of threads, or of tasks of the runtime. Dropping the group ends its tasks.
    type Running: Default + Send + 'static;

    /// Starts a thread or task in a group.
    fn begin(running: &mut Self::Running, steps: impl Future<Output = ()> + Send + 'static);

    /// Waits until all threads or tasks of a group have ended.
    fn end(running: Self::Running) -> impl Future<Output = ()> + Send;
}

/// Wakes threads or tasks that wait for a change.
pub trait Signal: Default + Send + Sync + 'static {
    /// Wakes all waiters.
    fn all(&self);

    /// Wakes one waiter.
    fn one(&self);

    /// Waits for a wake-up, at most for `limit`. Returns at once if `over` returns true. `over` is called at a point
    /// after which no wake-up can be missed.
    fn wait(&self, limit: Duration, over: impl Fn() -> bool + Send) -> impl Future<Output = ()> + Send;
}

/// Connections to one server.
pub trait Wires: Send + Sync + 'static {
    /// A bell, with which another thread or task can end a wait.
    type Bell: Default + fmt::Debug + Send + Sync;

    /// Returns true if the connections find the node that holds a slot.
    fn is_cluster(&self) -> bool;

    /// Returns true if passwords or certificates come from files, which may be replaced.
    fn has_files(&self) -> bool;

    /// Number of times that connections were opened, for [`Wires::forget`].
    fn age(&self) -> u64;

    /// Sends a command, and returns the reply.
    fn send(&self, cmd: &Cmd, limit: Duration) -> impl Future<Output = RedisResult<Value>> + Send;

    /// Sends a command, and then on the same connection a second command that waits until the changes are durable. The
    /// second answer may be an error of the server, but the first answer is never an error of the server.
    fn send_durably(
        &self,
        cmd: &Cmd,
        confirm: &Cmd,
        limit: Duration,
    ) -> impl Future<Output = RedisResult<(Value, RedisResult<Value>)>> + Send;

    /// Drops connections that were opened up to `age`: they lead to a server that is gone or no longer the master.
    fn forget(&self, age: u64);

    /// Waits until an element can be taken from one of the lists, `limit` has passed, or the bell is rung. Before a
    /// thread or task rings the bell, it makes `stopped` return true. A failure counts as an empty wait: the caller
    /// polls the queue anyway. Returns the list.
    fn wait(
        &self,
        lists: Vec<String>,
        limit: Duration,
        bell: &Self::Bell,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> impl Future<Output = Option<String>> + Send;

    /// Ends the wait with this bell.
    fn ring(&self, bell: &Self::Bell);
}

/// Returns true if a connection can still be used. After a timeout or a broken reply, further data on it belongs to no
/// call.
pub(crate) fn is_sound<T>(answer: &RedisResult<T>) -> bool {
    match answer {
        Ok(_) => true,
        Err(error) => error.code().is_some() && !matches!(error.code(), Some("READONLY" | "UNBLOCKED")),
    }
}

/// The error for a durable call over connections to many nodes.
#[cfg(feature = "cluster")]
pub(crate) fn many_nodes() -> redis::RedisError {
    let text = "no durability is known by open_cluster: open redis+cluster:// in its place";
    (redis::ErrorKind::InvalidClientConfig, text).into()
}

/// Returns the command that puts a taken wake-up back into its list, for another listener. The list expires if no
/// listener takes it.
pub(crate) fn wakes(list: &str) -> Cmd {
    let mut cmd = redis::cmd("EVAL");
    cmd.arg("redis.call('LPUSH', KEYS[1], '1') return redis.call('EXPIRE', KEYS[1], ARGV[1])");
    cmd.arg(1).arg(list).arg(WAKE_UP_EXPIRES.as_secs());
    cmd
}
