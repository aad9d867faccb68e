//! The same calls on an asynchronous connection (feature `tokio`; `tokio-tls-rustls` for `rediss://` URLs).
//!
//! ```no_run
//! # async fn example() -> blueque::Result<()> {
//! use blueque::{TaskId, calls::{NewTask, TaskOptions}};
//!
//! let client = blueque::tokio::Client::open("redis://127.0.0.1/").await?;
//! let queue = blueque::QueueName::new("transcode")?;
//! let id = TaskId::random();
//! let task = NewTask::new(&id, b"[]");
//! client.call(&client.calls().submit(&queue, &[task], &TaskOptions::default())).await?;
//! let info = client.call(&client.calls().get(&id)).await?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::tokio::sync::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, RedisResult, Value};

use crate::calls::{Call, Calls, ReserveOptions};
use crate::client::{Space, server};
use crate::deadline::Deadline;
use crate::error::Result;
use crate::model::Reservation;
use crate::names::{ListenerId, Namespace, QueueName};
use crate::repeat::Tries;

/// A waiting listener polls the queue this often even if nobody wakes it.
const LOOK: Duration = Duration::from_secs(30);

/// An asynchronous client of a namespace. Clones share its connection.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    calls: Calls,
    server: redis::Client,
    shared: Mutex<Option<MultiplexedConnection>>,
    limit: Duration,
}

impl fmt::Debug for Client {
    /// Without the URL, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("namespace", self.inner.calls.namespace()).finish_non_exhaustive()
    }
}

impl Client {
    /// Connects to the namespace `blueque` with a limit of 10 s on each call, and checks that the server is
    /// suitable.
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with(url, Namespace::default(), Duration::from_secs(10)).await
    }

    /// Connects to a namespace, with a limit on each call.
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub async fn open_with(url: &str, namespace: Namespace, limit: Duration) -> Result<Self> {
        Self::connected(url, namespace, limit, false).await
    }

    /// The same, for tests: see [`crate::ClientBuilder::for_tests`].
    ///
    /// # Errors
    /// As [`crate::Client::open`].
    pub async fn open_for_tests(url: &str, namespace: Namespace, limit: Duration) -> Result<Self> {
        Self::connected(url, namespace, limit, true).await
    }

    async fn connected(url: &str, namespace: Namespace, limit: Duration, for_tests: bool) -> Result<Self> {
        let server = server(url)?;
        let calls = Calls::new(namespace);
        let inner = Inner { calls, server, shared: Mutex::new(None), limit: limit.max(Duration::from_millis(10)) };
        let client = Self { inner: Arc::new(inner) };
        let greeting = client.call(&client.calls().hello()).await?;
        if greeting.suits(for_tests)? == Space::ToBeMarked {
            client.call(&greeting.mark(client.calls())).await?;
        }
        Ok(client)
    }

    /// The plain calls of the namespace.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.inner.calls
    }

    /// Makes a call. It is repeated after temporary failures, within the client's limit. Dropping the future does
    /// not undo the call: repeat it to get its reply.
    ///
    /// # Errors
    /// As [`crate::Client::call`].
    pub async fn call<T>(&self, call: &Call<T>) -> Result<T> {
        let script = call.script()?;
        let mut tries = Tries::new(self.inner.limit, false);
        loop {
            match self.send(&call.request(script, tries.whole), tries.left()).await {
                Ok(value) => return call.read(&value),
                Err(error) => {
                    let next = tries.next(error)?;
                    if next.reconnect {
                        *self.inner.shared.lock().await = None;
                    }
                    ::tokio::time::sleep(next.pause).await;
                }
            }
        }
    }

    /// Waits for a task of some queues, at most for `limit`. The listener must be registered; the same `request`
    /// returns the same reservation.
    ///
    /// # Errors
    /// `NOLISTENER`; those of [`Client::call`].
    pub async fn listen(
        &self,
        listener: &ListenerId,
        queues: &[QueueName],
        options: &ReserveOptions,
        limit: Duration,
    ) -> Result<Option<Reservation>> {
        let deadline = Deadline::after(limit);
        let lists: Vec<String> = queues.iter().map(|queue| self.calls().wake_list(queue)).collect();
        let mut waiting = None;
        let mut options = options.clone();
        loop {
            let call = self.calls().reserve(listener, queues, &options);
            if let Some(reservation) = self.call(&call).await? {
                return Ok(Some(reservation));
            }
            let left = deadline.left();
            if left.is_zero() {
                return Ok(None);
            }
            options = options.woken(self.wait(&mut waiting, &lists, left.min(LOOK)).await);
        }
    }

    /// Blocks on a separate connection: on the shared one everybody would wait.
    async fn wait(&self, connection: &mut Option<MultiplexedConnection>, lists: &[String], limit: Duration) -> bool {
        if connection.is_none() {
            *connection = self.connect(self.inner.limit, limit.saturating_add(self.inner.limit)).await.ok();
        }
        let Some(own) = connection else {
            ::tokio::time::sleep(limit.min(Duration::from_millis(100))).await;
            return false;
        };
        let mut cmd = redis::cmd("BLPOP");
        cmd.arg(lists).arg(format!("{:.3}", limit.max(Duration::from_millis(1)).as_secs_f64()));
        let taken: RedisResult<Value> = cmd.query_async(own).await;
        if taken.is_err() {
            *connection = None;
        }
        taken.is_ok_and(|value| !matches!(value, Value::Nil))
    }

    async fn connect(&self, limit: Duration, response: Duration) -> RedisResult<MultiplexedConnection> {
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(limit)).set_response_timeout(Some(response));
        self.inner.server.get_multiplexed_async_connection_with_config(&config).await
    }

    async fn send(&self, cmd: &Cmd, limit: Duration) -> RedisResult<Value> {
        let mut shared = self.inner.shared.lock().await;
        let mut connection = match shared.as_ref() {
            Some(connection) => connection.clone(),
            None => shared.insert(self.connect(limit, self.inner.limit).await?).clone(),
        };
        drop(shared);
        match ::tokio::time::timeout(limit, cmd.query_async(&mut connection)).await {
            Ok(answer) => answer,
            Err(_) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
        }
    }
}
