//! How calls reach the server, and what a method that makes one returns: a value at once, or a future of it. The
//! handles are written once, over any link.

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

/// An answer as a step of another method. It has a name, since the compiler does not find that an opaque one is `Send`
/// once the link is known.
pub(crate) type Step<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How handles reach the server: [`Blocking`], or with the feature `tokio` [`Tokio`](crate::tokio::Tokio). It decides
/// what their methods return, and nothing else.
pub trait Link: Way {
    /// What a method that calls the server returns: the value itself, or a future of it.
    type Answer<'a, T>;

    /// What a method returns that reads many values, one after another: an iterator, or a stream. It ends after an
    /// error.
    type Many<'a, T>
    where
        T: 'a;

    /// The answer of a method whose steps are these.
    #[doc(hidden)]
    fn answer<'a, T>(steps: impl Future<Output = T> + Send + 'a) -> Self::Answer<'a, T>;

    /// An answer as a step of another method.
    #[doc(hidden)]
    fn step<'a, T: Send + 'a>(answer: Self::Answer<'a, T>) -> Step<'a, T>;

    /// Many values: `next` makes one of a state, with the state for the next.
    #[doc(hidden)]
    fn many<'a, S, T, F, N>(state: S, next: F) -> Self::Many<'a, T>
    where
        S: Send + 'a,
        T: Send + 'a,
        F: Fn(S) -> N + Send + 'a,
        N: Future<Output = Result<Option<(T, S)>>> + Send + 'a;
}

/// What the handles need of a link. No other crate can implement it.
pub trait Way: Copy + fmt::Debug + Send + Sync + Sized + 'static {
    /// The connections to one server.
    type Wires: Wires;

    /// Connections to a server, made when they are needed. `limit`: of one call.
    fn wires(place: Place, limit: Duration) -> Self::Wires;

    /// Passes the time.
    fn pause(time: Duration) -> impl Future<Output = ()> + Send;

    /// Does what is left to do for a value that was dropped, if that is possible without blocking.
    fn afterwards(steps: impl Future<Output = ()> + Send + 'static);

    /// The same for steps that do not take long, even if that blocks.
    fn briefly(steps: impl Future<Output = ()> + Send + 'static);

    /// What has become of many steps, in any order: up to `most` of them are under way at the same time.
    fn together<T, F>(steps: Vec<F>, most: usize) -> impl Future<Output = Vec<T>> + Send
    where
        T: Send,
        F: Future<Output = T> + Send;

    /// Wakes those who wait for something to change.
    type Signal: Signal;

    /// What runs beside its owner: threads, or tasks of the runtime, which end when the crew is dropped.
    type Crew: Default + Send + 'static;

    /// Another one of a crew begins.
    fn begin(crew: &mut Self::Crew, steps: impl Future<Output = ()> + Send + 'static);

    /// Waits until all of a crew have ended.
    fn end(crew: Self::Crew) -> impl Future<Output = ()> + Send;
}

/// Wakes those who wait for something to change.
pub trait Signal: Default + Send + Sync + 'static {
    /// Wakes all of them.
    fn all(&self);

    /// Wakes one of them.
    fn one(&self);

    /// Waits to be woken, at most for `limit`; not if `over`, which is asked when no wake-up can be missed any more.
    fn wait(&self, limit: Duration, over: impl Fn() -> bool + Send) -> impl Future<Output = ()> + Send;
}

/// Connections to one server.
pub trait Wires: Send + Sync + 'static {
    /// Ends a wait from elsewhere.
    type Bell: Default + fmt::Debug + Send + Sync;

    /// Whether the connections find the node that holds a slot.
    fn is_cluster(&self) -> bool;

    /// Whether passwords or certificates come from files, which may be replaced.
    fn has_files(&self) -> bool;

    /// How often connections were made, for [`Wires::forget`].
    fn age(&self) -> u64;

    /// Sends a command, and returns the reply.
    fn send(&self, cmd: &Cmd, limit: Duration) -> impl Future<Output = RedisResult<Value>> + Send;

    /// Sends a command, and then on the same connection one that waits until what it changed is durable. The second
    /// answer may be an error of the server, the first one may not.
    fn send_durably(
        &self,
        cmd: &Cmd,
        confirm: &Cmd,
        limit: Duration,
    ) -> impl Future<Output = RedisResult<(Value, RedisResult<Value>)>> + Send;

    /// Gives up connections that were made up to `age`: they lead to a server that is gone or no longer the master.
    fn forget(&self, age: u64);

    /// Waits until an element can be taken from one of the lists, or `limit` has passed, or the bell is rung. Whoever
    /// rings it makes `stopped` true before. A failure counts as nothing taken: the caller polls the queue anyway.
    /// Returns the list.
    fn wait(
        &self,
        lists: Vec<String>,
        limit: Duration,
        bell: &Self::Bell,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> impl Future<Output = Option<String>> + Send;

    /// Ends the wait that has this bell.
    fn ring(&self, bell: &Self::Bell);
}

/// Whether a connection can still be used: after a timeout or a broken reply, further data on it belongs to no call.
pub(crate) fn is_sound<T>(answer: &RedisResult<T>) -> bool {
    match answer {
        Ok(_) => true,
        Err(error) => error.code().is_some() && !matches!(error.code(), Some("READONLY" | "UNBLOCKED")),
    }
}

/// For connections that lead to many nodes.
#[cfg(feature = "cluster")]
pub(crate) fn many_nodes() -> redis::RedisError {
    let text = "no durability is known by open_cluster: open redis+cluster:// in its place";
    (redis::ErrorKind::InvalidClientConfig, text).into()
}

/// Puts a wake-up back that was taken from a list, for another listener. It expires where none is left to take it.
pub(crate) fn wakes(list: &str) -> Cmd {
    let mut cmd = redis::cmd("EVAL");
    cmd.arg("redis.call('LPUSH', KEYS[1], '1') return redis.call('EXPIRE', KEYS[1], ARGV[1])");
    cmd.arg(1).arg(list).arg(WAKE_UP_EXPIRES.as_secs());
    cmd
}
