//! The client of a namespace.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisResult};

use crate::calls::{Call, Calls};
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Link, Wire};
use crate::listener::Listener;
use crate::model::{Greeting, Page, QueueInfo, Setting, TaskInfo, WorkerInfo};
use crate::names::{ListenerId, Namespace, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::queue::Queue;
use crate::task::Task;

/// A connection to a namespace. Clones share it; it may be used from many threads.
///
/// ```no_run
/// # fn main() -> blueque::Result<()> {
/// let client = blueque::Client::open("redis://127.0.0.1/")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    end: Option<Instant>,
}

struct Inner {
    calls: Calls,
    link: Link,
    max_bytes: Option<u32>,
    greeting: OnceLock<Greeting>,
}

impl fmt::Debug for Client {
    /// Without the URL, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("namespace", self.inner.calls.namespace()).finish_non_exhaustive()
    }
}

impl Client {
    /// Connects to a server and checks that it is suitable.
    ///
    /// # Errors
    /// [`Error::Connection`] for a URL or password that cannot work, [`Error::Unavailable`] if nobody replies,
    /// [`Error::Unsuitable`] for another schema, an eviction policy that loses tasks, or a namespace for tests.
    pub fn open(url: &str) -> Result<Self> {
        Self::builder().open(url)
    }

    /// A builder for clients.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A queue of this namespace. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn queue(&self, name: &str) -> Result<Queue> {
        Ok(Queue::new(self.clone(), QueueName::new(name)?))
    }

    /// A task by its id. Makes no call.
    ///
    /// # Errors
    /// `BADNAME` for an invalid id.
    pub fn task(&self, id: &str) -> Result<Task> {
        Ok(Task::new(self.clone(), TaskId::new(id)?))
    }

    /// A listener of this process on some queues, in the order in which they are asked. Problems of some of them,
    /// such as a key of a wrong type, are reported by [`Listener::listen`]; [`Listener::skip`] can leave such
    /// queues out.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name; those of [`Client::call`].
    pub fn listener(&self, queues: &[&str]) -> Result<Listener> {
        self.listener_as(crate::listener::this_process(), queues)
    }

    /// A listener with an id of the caller's choice. No other may use it at the same time.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name; those of [`Client::call`].
    pub fn listener_as(&self, id: ListenerId, queues: &[&str]) -> Result<Listener> {
        let queues = queues.iter().map(|&name| QueueName::new(name)).collect::<Result<_>>()?;
        Listener::register(self.clone(), id, queues)
    }

    /// Every queue of the namespace.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn queues(&self) -> Result<Vec<QueueInfo>> {
        self.pages(|cursor| self.calls().queues(cursor, 500))
    }

    /// Every worker of the namespace that reports.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let mut workers = self.pages(|cursor| self.calls().workers(cursor, 500))?;
        workers.sort_by(|one, other| one.id.cmp(&other.id));
        workers.dedup_by(|one, other| one.id == other.id);
        Ok(workers)
    }

    /// Sets the default of a setting for all queues; a value of none unsets it.
    ///
    /// # Errors
    /// `BADARG` for an unknown setting or a value out of its bounds; those of [`Client::call`].
    pub fn configure(&self, name: &str, value: Option<&str>) -> Result<()> {
        self.call(&self.calls().configure(None, name, value))
    }

    /// Every setting of the namespace.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn settings(&self) -> Result<Vec<Setting>> {
        self.call(&self.calls().settings(None))
    }

    /// Sets the namespace's clock back to the server's time if it ran ahead, as after a jump of the server's clock:
    /// until then leases last longer. Returns whether it was ahead.
    ///
    /// # Errors
    /// `HELD` while a listener holds a task; those of [`Client::call`].
    pub fn reset_clock(&self) -> Result<bool> {
        self.call(&self.calls().reset_clock())
    }

    /// The plain calls of the namespace, for whatever the other methods do not offer.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.inner.calls
    }

    /// The server's greeting when this client connected.
    #[must_use]
    pub fn greeting(&self) -> Option<&Greeting> {
        self.inner.greeting.get()
    }

    /// The same client, whose calls last no longer than until this moment, whatever their limit is.
    #[must_use]
    pub fn until(&self, end: Instant) -> Self {
        Self { inner: Arc::clone(&self.inner), end: Some(end) }
    }

    /// Makes a call. It is repeated after temporary failures, within the client's limit.
    ///
    /// # Errors
    /// The error of the script; [`Error::Unavailable`] after the limit.
    pub fn call<T>(&self, call: &Call<T>) -> Result<T> {
        self.inner.link.run(call, Deadline::at(self.end))
    }

    /// All pages of a reply.
    pub(crate) fn pages<T>(&self, part: impl Fn(&str) -> Call<Page<T>>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let mut cursor = "0".to_owned();
        loop {
            let page = self.call(&part(&cursor))?;
            items.extend(page.items);
            match page.next {
                Some(next) => cursor = next,
                None => return Ok(items),
            }
        }
    }

    /// These options with the client's limit on payloads, unless they have one.
    pub(crate) fn sized(&self, options: &TaskOptions) -> TaskOptions {
        match self.inner.max_bytes {
            Some(most) if !options.0.has("max_bytes") => options.clone().max_bytes(most),
            _ => options.clone(),
        }
    }

    pub(crate) fn max_bytes(&self) -> Option<u32> {
        self.inner.max_bytes
    }

    pub(crate) fn link(&self) -> &Link {
        &self.inner.link
    }

    pub(crate) fn info(&self, id: &TaskId) -> Result<TaskInfo> {
        self.call(&self.calls().get(id))?.ok_or(Error::NotFound)
    }
}

/// The server at a URL. One with a user but no password is refused: the connection would use the default user.
pub(crate) fn server(url: &str) -> Result<redis::Client> {
    let server = redis::Client::open(url).map_err(Error::Connection)?;
    let settings = server.get_connection_info().redis_settings();
    match settings.username().filter(|user| !user.is_empty() && *user != "default") {
        Some(user) if settings.password().is_none() => {
            let text = format!("{user}: add its password, any one where it needs none, or leave out the user");
            let what = "the URL names a user and no password";
            Err(Error::Connection((ErrorKind::InvalidClientConfig, what, text).into()))
        }
        _ => Ok(server),
    }
}

/// What kind of namespace it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Fit,
    /// It has to become one for tests.
    ToBeMarked,
}

impl Greeting {
    /// Whether the namespace can be opened, for tests or not.
    pub(crate) fn suits(&self, for_tests: bool) -> Result<Space> {
        if self.test && !for_tests {
            let text = "this namespace is for tests: its clock may show any time, and leases and etas with it; \
                        use another namespace, or open it for tests";
            return Err(Error::Unsuitable { code: Code::Test, text: text.into() });
        }
        Ok(if for_tests && !self.born { Space::ToBeMarked } else { Space::Fit })
    }

    /// The first write of a namespace for tests: it carries a time and changes nothing.
    pub(crate) fn mark(&self, calls: &Calls) -> Call<()> {
        calls.configure(None, "lease", None).at(self.now)
    }
}

/// Settings of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    namespace: Namespace,
    limit: Duration,
    max_bytes: Option<u32>,
    for_tests: bool,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self { namespace: Namespace::default(), limit: Duration::from_secs(10), max_bytes: None, for_tests: false }
    }
}

impl ClientBuilder {
    /// The prefix of all keys; by default `blueque`, as in Blueque 1.0.
    #[must_use]
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }

    /// The time limit of one call, with all its repetitions; by default 10 s, at least 10 ms.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit.max(Duration::from_millis(10));
        self
    }

    /// Maximum size of parameters, a result or a checkpoint: 1 MiB by default, at most 8 MiB.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u32) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// For tests, whose calls carry a time ([`Call::at`]): an empty namespace becomes one for tests, and one for
    /// tests can be opened. Otherwise it is refused with the code `TEST`: its clock may show any time.
    #[must_use]
    pub fn for_tests(mut self) -> Self {
        self.for_tests = true;
        self
    }

    /// Connects to `redis://[user:password@]host[:port][/db]`, `rediss://…` (feature `tls-rustls`) or
    /// `unix:///path`. A user needs a password.
    ///
    /// # Errors
    /// As [`Client::open`].
    pub fn open(self, url: &str) -> Result<Client> {
        let server = server(url)?;
        self.connect(
            Box::new(move |limit| {
                let connection = server.get_connection_with_timeout(limit)?;
                Ok(Box::new(connection) as Box<dyn Wire>)
            }),
            false,
        )
    }

    /// Connects to a cluster by some of its nodes. The namespace needs a `{tag}`.
    ///
    /// # Errors
    /// As [`Client::open`]; `BADNAME` for a namespace without a tag.
    #[cfg(feature = "cluster")]
    pub fn open_cluster(self, urls: &[&str]) -> Result<Client> {
        if !self.namespace.as_str().contains('{') {
            return Err(Error::name("on a cluster the namespace needs a {tag}, such as {blueque:0}"));
        }
        for &url in urls {
            server(url)?;
        }
        let nodes: Vec<String> = urls.iter().map(|&url| url.to_owned()).collect();
        self.connect(
            Box::new(move |limit| {
                let cluster = redis::cluster::ClusterClient::builder(nodes.clone())
                    .connection_timeout(limit)
                    .retries(3)
                    .build()?;
                Ok(Box::new(cluster.get_connection()?) as Box<dyn Wire>)
            }),
            true,
        )
    }

    fn connect(
        self,
        connect: Box<dyn Fn(Duration) -> RedisResult<Box<dyn Wire>> + Send + Sync>,
        cluster: bool,
    ) -> Result<Client> {
        let calls = Calls::new(self.namespace);
        let link = Link::new(connect, self.limit, cluster);
        let inner = Inner { calls, link, max_bytes: self.max_bytes, greeting: OnceLock::new() };
        let client = Client { inner: Arc::new(inner), end: None };
        let mut greeting = client.call(&client.calls().hello())?;
        if greeting.suits(self.for_tests)? == Space::ToBeMarked {
            client.call(&greeting.mark(client.calls()))?;
            greeting = client.call(&client.calls().hello())?;
        }
        client.inner.greeting.get_or_init(|| greeting);
        Ok(client)
    }
}
