//! Asynchronous connections to the server. All calls of a client share one connection, and all its waits share another.

mod waits;

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_core::Stream;
use futures_util::future::{Either, select};
use futures_util::stream::{self, StreamExt};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, ErrorKind, RedisResult, Value};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Notify};
use tokio::task::{JoinError, JoinSet};
use tokio::time;

use super::{Link, Signal, Step, Way, Wires, is_sound};
use crate::address::{Place, told_apart};
use crate::deadline::Deadline;
use crate::error::Result;
use waits::Waits;

/// The link of [`blueque::tokio::Client`](crate::tokio::Client): a method returns a future. The future needs a tokio
/// runtime with its time driver.
///
/// Dropping a future does not undo a call that was sent. Every call can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Tokio;

impl Link for Tokio {
    type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
    type Many<'a, T>
        = Pin<Box<dyn Stream<Item = Result<T>> + Send + 'a>>
    where
        T: 'a;

    fn answer<'a, T>(steps: impl Future<Output = T> + Send + 'a) -> Self::Answer<'a, T> {
        Box::pin(steps)
    }

    fn step<'a, T: Send + 'a>(answer: Step<'a, T>) -> Step<'a, T> {
        answer
    }

    fn many<'a, S, T, F, N>(state: S, next: F) -> Self::Many<'a, T>
    where
        S: Send + 'a,
        T: Send + 'a,
        F: Fn(S) -> N + Send + 'a,
        N: Future<Output = Result<Option<(T, S)>>> + Send + 'a,
    {
        Box::pin(stream::try_unfold(state, next))
    }
}

impl Way for Tokio {
    type Wires = Arc<Connections>;

    fn wires(place: Place, limit: Duration) -> Self::Wires {
        Connections::open(Server::One(Arc::new(place)), limit)
    }

    async fn pause(time: Duration) {
        time::sleep(time).await;
    }

    fn afterwards(steps: impl Future<Output = ()> + Send + 'static) {
        // Without a runtime, no cleanup runs, and leases expire.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(steps);
        }
    }

    fn briefly(steps: impl Future<Output = ()> + Send + 'static) {
        Self::afterwards(steps);
    }

    async fn together<T, F>(steps: Vec<F>, most: usize) -> Vec<T>
    where
        T: Send,
        F: Future<Output = T> + Send,
    {
        stream::iter(steps).buffer_unordered(most).collect().await
    }

    type Signal = Notify;
    type Running = JoinSet<()>;

    fn begin(running: &mut JoinSet<()>, steps: impl Future<Output = ()> + Send + 'static) {
        running.spawn(steps);
    }

    async fn end(mut running: JoinSet<()>) {
        while let Some(ended) = running.join_next().await {
            if let Err(Ok(panic)) = ended.map_err(JoinError::try_into_panic) {
                resume_unwind(panic);
            }
        }
    }
}

impl Signal for Notify {
    fn all(&self) {
        self.notify_waiters();
    }

    fn one(&self) {
        self.notify_one();
    }

    async fn wait(&self, limit: Duration, over: impl Fn() -> bool + Send) {
        let mut woken = pin!(self.notified());
        woken.as_mut().enable();
        if !over() {
            let _ = time::timeout(limit, woken).await;
        }
    }
}

#[cfg(feature = "tokio-cluster")]
impl Tokio {
    /// Opens connections to a cluster through some of its nodes.
    pub(crate) fn cluster(nodes: Vec<String>, limit: Duration) -> Arc<Connections> {
        Connections::open(Server::Cluster(nodes), limit)
    }
}

/// The target of the connections.
enum Server {
    One(Arc<Place>),
    #[cfg(feature = "tokio-cluster")]
    Cluster(Vec<String>),
}

/// One connection, to a server or to a cluster.
#[derive(Clone)]
enum Wire {
    One(MultiplexedConnection),
    #[cfg(feature = "tokio-cluster")]
    Cluster(redis::cluster_async::ClusterConnection),
}

impl Wire {
    async fn query(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        match self {
            Self::One(connection) => cmd.query_async(connection).await,
            #[cfg(feature = "tokio-cluster")]
            Self::Cluster(connection) => cmd.query_async(connection).await,
        }
    }
}

/// The connections of a client.
pub struct Connections {
    server: Server,
    /// The time limit of one call.
    limit: Duration,
    /// The connection for calls, with its number.
    calls: Mutex<Option<(u64, Wire)>>,
    /// The connection for durable calls. They run one after another, because each call on a connection waits for the
    /// calls before it.
    durable: Mutex<Option<Wire>>,
    /// The number of the current connection for calls. A higher number drops that connection.
    age: AtomicU64,
    waits: Waits,
}

impl Connections {
    fn open(server: Server, limit: Duration) -> Arc<Self> {
        let (calls, durable) = (Mutex::default(), Mutex::default());
        Arc::new(Self { server, limit, calls, durable, age: AtomicU64::new(0), waits: Waits::default() })
    }

    /// Opens a connection. `response` is the maximum time until a reply.
    async fn connect(&self, limit: Duration, response: Duration) -> RedisResult<Wire> {
        match &self.server {
            Server::One(place) => {
                let server = if place.address.is_one_server() {
                    place.find(limit)?
                } else {
                    // The search asks other nodes first, which blocks.
                    let place = Arc::clone(place);
                    let found = Handle::current().spawn_blocking(move || place.find(limit));
                    found.await.map_err(|_| late())??
                };
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(limit))
                    .set_response_timeout(Some(response));
                let connection = match server.client()?.get_multiplexed_async_connection_with_config(&config).await {
                    Err(error) if error.kind() == ErrorKind::AuthenticationFailed => {
                        let looks = move || told_apart(&server, error, Deadline::after(limit));
                        Err(Handle::current().spawn_blocking(looks).await.unwrap_or_else(|_| late()))
                    }
                    other => other,
                };
                Ok(Wire::One(connection.map_err(|error| place.named(error))?))
            }
            #[cfg(feature = "tokio-cluster")]
            Server::Cluster(nodes) => {
                let cluster =
                    redis::cluster::ClusterClient::builder(nodes.clone()).connection_timeout(limit).retries(3);
                Ok(Wire::Cluster(cluster.response_timeout(response).build()?.get_async_connection().await?))
            }
        }
    }

    /// Returns the connection that all calls share.
    async fn shared(&self, limit: Duration) -> RedisResult<Wire> {
        let mut calls = self.calls.lock().await;
        let age = self.age.load(Ordering::Acquire);
        if let Some((number, connection)) = calls.as_ref()
            && *number == age
        {
            return Ok(connection.clone());
        }
        let connection = self.connect(limit, self.limit).await?;
        let number = age + 1;
        self.age.store(number, Ordering::Release);
        *calls = Some((number, connection.clone()));
        Ok(connection)
    }
}

fn late() -> redis::RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

impl Wires for Arc<Connections> {
    type Bell = Notify;

    fn is_cluster(&self) -> bool {
        match &self.server {
            Server::One(place) => place.address.is_cluster(),
            #[cfg(feature = "tokio-cluster")]
            Server::Cluster(_) => true,
        }
    }

    fn has_files(&self) -> bool {
        match &self.server {
            Server::One(place) => place.address.has_files(),
            #[cfg(feature = "tokio-cluster")]
            Server::Cluster(_) => false,
        }
    }

    fn age(&self) -> u64 {
        self.age.load(Ordering::Acquire)
    }

    async fn send(&self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        let mut age = 0;
        let sent = async {
            let mut wire = self.shared(limit).await?;
            age = self.age.load(Ordering::Acquire);
            wire.query(cmd).await
        };
        let answer = time::timeout(limit, sent).await.unwrap_or_else(|_| Err(late()));
        if !is_sound(&answer) {
            self.forget(age); // the reply may never end
        }
        answer
    }

    async fn send_durably(
        &self,
        cmd: &Cmd,
        confirm: &Cmd,
        limit: Duration,
    ) -> RedisResult<(Value, RedisResult<Value>)> {
        let sent = async {
            let mut kept = self.durable.lock().await;
            let mut wire = match kept.take() {
                Some(wire) => wire,
                None => self.connect(limit, self.limit).await?,
            };
            #[cfg(feature = "tokio-cluster")]
            if matches!(wire, Wire::Cluster(_)) {
                return Err(super::many_nodes());
            }
            let answer = wire.query(cmd).await;
            if !is_sound(&answer) {
                return answer.map(|answer| (answer, Ok(Value::Nil)));
            }
            let confirmed = match &answer {
                Ok(_) => wire.query(confirm).await,
                Err(_) => Ok(Value::Nil),
            };
            if !is_sound(&confirmed) {
                return confirmed.map(|confirmed| (confirmed, Ok(Value::Nil)));
            }
            *kept = Some(wire);
            Ok((answer?, confirmed))
        };
        time::timeout(limit, sent).await.unwrap_or_else(|_| Err(late()))
    }

    /// Drops the connection for calls, unless another call has already replaced it.
    fn forget(&self, age: u64) {
        if self.age.compare_exchange(age, age + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
            && let Ok(mut calls) = self.calls.try_lock()
        {
            calls.take_if(|(number, _)| *number == age);
        }
    }

    async fn wait(
        &self,
        lists: Vec<String>,
        limit: Duration,
        bell: &Notify,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<String> {
        let mut rung = pin!(bell.notified());
        rung.as_mut().enable();
        if stopped() {
            return None;
        }
        let waits = pin!(waits::wait(self, lists, limit));
        match select(waits, rung).await {
            Either::Left((woken, _)) => woken,
            Either::Right(_) => None,
        }
    }

    fn ring(&self, bell: &Notify) {
        bell.notify_waiters();
    }
}
