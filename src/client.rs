//! The client of a namespace.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisResult, Value};

use crate::address::{Address, Place, variable};
use crate::calls::{AuditOptions, Call, Calls, ChangesOptions, LimitOptions, LimitsOptions};
use crate::constants::{CALL_AGAIN, LONGEST_PAUSE};
use crate::deadline::Deadline;
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
#[cfg(feature = "tokio-cluster")]
use crate::link::tokio::Tokio;
use crate::link::{Blocking, Link, Wires};
use crate::model::{
    Audit, Changes, Handshake, KeyLimit, Page, QueueInfo, Rate, Setting, TaskChange, TrackedTask, WorkerInfo,
};
use crate::names::{Namespace, PartitionName, QueueName};
use crate::options::TaskOptions;
use crate::repeat::{Reach, Tries};
use crate::submit_hooks::{AroundSubmit, RunSubmit, Submission, SubmitHook};
use crate::topology::{StoredTopology, Topology};

/// Number of audit entries that one call reads. Reading them takes less than a millisecond of the server's time.
const AUDITED: u32 = 200;

/// Time for which a client of a replica repeats calls that the replica refuses.
const REPLICA: Duration = Duration::from_millis(500);

/// A connection to a namespace. Clones share the connection, and any number of threads and tasks may use it.
///
/// ```no_run
/// # fn main() -> blueque::Result<()> {
/// let client = blueque::Client::open("redis://127.0.0.1/")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client<L: Link = Blocking> {
    inner: Arc<Inner<L>>,
    end: Option<Instant>,
    durability: Durability,
}

type OptionsHook = dyn Fn(&QueueName, TaskOptions) -> Result<TaskOptions> + Send + Sync;

/// A hook of submits.
#[derive(Clone)]
struct BeforeSubmit(Arc<OptionsHook>);

impl fmt::Debug for BeforeSubmit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BeforeSubmit")
    }
}

struct Inner<L: Link> {
    calls: Calls,
    wires: L::Wires,
    limit: Duration,
    /// Time for which the client retries a server that refuses connections or is a replica.
    patience: Option<Duration>,
    led: bool,
    max_bytes: Option<u32>,
    before_submit: Vec<BeforeSubmit>,
    around_submit: Vec<SubmitHook>,
    /// False for the client of an attempt without a server.
    has_server: bool,
    handshake: OnceLock<Handshake>,
}

impl<L: Link> fmt::Debug for Client<L> {
    /// Omits the URL, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("namespace", self.inner.calls.namespace()).finish_non_exhaustive()
    }
}

impl<L: Link> Client<L> {
    /// Connects to a server and checks that it is suitable.
    ///
    /// # Errors
    /// [`Error::Connection`] for a URL or password that cannot work, [`Error::Unavailable`] if no server replies,
    /// [`Error::Unsuitable`] for another schema, an eviction policy that loses tasks, or a namespace for tests.
    pub fn open(url: &str) -> L::Answer<'static, Result<Self>> {
        Self::builder().open(url)
    }

    /// A builder for clients.
    #[must_use]
    pub fn builder() -> ClientBuilder<L> {
        ClientBuilder::default()
    }

    /// Returns every queue of the namespace.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn queues(&self) -> L::Answer<'_, Result<Vec<QueueInfo>>> {
        L::answer(self.pages(|cursor| self.calls().queues(cursor, 500)))
    }

    /// Returns every worker of the namespace that reports.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn workers(&self) -> L::Answer<'_, Result<Vec<WorkerInfo>>> {
        L::answer(async {
            let mut workers = self.pages(|cursor| self.calls().workers(cursor, 500)).await?;
            workers.sort_by(|one, other| one.id.cmp(&other.id));
            workers.dedup_by(|one, other| one.id == other.id);
            Ok(workers)
        })
    }

    /// Sets the default of a setting for all queues; `None` removes the default.
    ///
    /// # Errors
    /// `BADARG` for an unknown setting or a value out of bounds; the errors of [`Client::call`].
    pub fn configure(&self, name: &str, value: Option<&str>) -> L::Answer<'_, Result<()>> {
        self.make(self.calls().configure(None, name, value))
    }

    /// Returns every setting of the namespace.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn settings(&self) -> L::Answer<'_, Result<Vec<Setting>>> {
        self.make(self.calls().settings(None))
    }

    /// Sets a shared limit. Tasks of any queue count against the limit if they list it in their option `limits`. `None`
    /// sets no bound, and a limit without any bound is removed. With `expires` the limit is also removed once no
    /// unfinished task, queued rerun or schedule has used it for that time.
    ///
    /// # Errors
    /// `BADARG` for a limit out of bounds, `BADNAME`, `NOTEMPTY` for removing a limit that is in use, `TOOMANY` over
    /// 10,000 limits; the errors of [`Client::call`].
    pub fn limit_shared(
        &self,
        name: &str,
        concurrency: Option<u32>,
        rate: Option<Rate>,
        options: &LimitOptions,
    ) -> L::Answer<'_, Result<()>> {
        self.make(self.calls().limit(None, name, concurrency, rate, options))
    }

    /// Returns the shared limits, or with `used` only the limits that tasks count against now.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn shared_limits(&self, used: bool) -> L::Answer<'_, Result<Vec<KeyLimit>>> {
        let options = LimitsOptions::new().used(used);
        L::answer(async move { self.pages(|cursor| self.calls().limits(None, cursor, 500, &options)).await })
    }

    /// Returns up to 200 audit entries after the entry `after`; `0` starts at the oldest entry that is kept. An entry
    /// records who changed what: settings, limits, priorities, pauses, cancels, moves, deletions, bulk actions, graphs,
    /// schedules. Pass [`Audit::last`] to the next call to continue.
    ///
    /// # Errors
    /// `BADARG` for an invalid cursor; the errors of [`Client::call`].
    pub fn audit(&self, after: &str, options: &AuditOptions) -> L::Answer<'_, Result<Audit>> {
        self.make(self.calls().audit(after, AUDITED, options))
    }

    /// Returns the tracked tasks, the latest first: see [`Task::track`](crate::Task::track).
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn tracked(&self) -> L::Answer<'_, Result<Vec<TrackedTask>>> {
        L::answer(self.pages(|cursor| self.calls().tracked(cursor, 500)))
    }

    /// Returns up to 500 changes of tracked tasks, in all queues, after the entry `after`; `0` starts at the oldest
    /// entry that is kept. Changes are transitions, progress, checkpoints, requests to cancel, requeues, notes and
    /// edits. Pass [`Changes::last`] to the next call to continue.
    ///
    /// # Errors
    /// `BADARG` for an invalid cursor; the errors of [`Client::call`].
    pub fn changes(&self, after: &str, options: &ChangesOptions) -> L::Answer<'_, Result<Changes>> {
        self.make(self.calls().changes(after, 500, options))
    }

    /// Yields the changes of tracked tasks after the entry `after`, one after another, and then new changes as they
    /// happen; `0` starts at the oldest entry that is kept. The blocking client returns an iterator that waits for the
    /// next change, the asynchronous client a stream. While the server is away, both wait for it. Keep the [`cursor`](crate::TaskChange::cursor) of the last change
    /// to continue after an error.
    ///
    /// # Errors
    /// Same as [`Client::changes`].
    pub fn follow_tracked(&self, after: &str) -> L::Many<'_, TaskChange> {
        let part = |after: &str| self.calls().changes(after, 500, &ChangesOptions::new());
        self.items(after, part, |changes| (changes.items, Some(changes.last)), true)
    }

    /// Sets the namespace's clock back to the server's time if the namespace's clock is ahead, as after a jump of the
    /// server's clock. Leases last longer until the clock is reset. Returns true if the clock was ahead.
    ///
    /// # Errors
    /// `HELD` while a listener holds a task; the errors of [`Client::call`].
    pub fn reset_clock(&self) -> L::Answer<'_, Result<bool>> {
        self.make(self.calls().reset_clock())
    }

    /// Returns the topology that is stored in the namespace, and the name of its partition; `None` if the namespace is
    /// not a partition.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn topology(&self) -> L::Answer<'_, Result<Option<StoredTopology>>> {
        self.make(self.calls().topology())
    }

    /// Stores a topology in place of the version `former`; 0 if no topology is stored. `partition` is the name of the
    /// partition that the namespace becomes.
    ///
    /// # Errors
    /// `TOPOLOGY` if another version is stored, or the namespace is another partition; `BADARG` for a version that does
    /// not grow, or a partition that is not in the topology; the errors of [`Client::call`].
    pub fn set_topology(
        &self,
        former: u32,
        topology: &Topology,
        partition: &PartitionName,
    ) -> L::Answer<'_, Result<()>> {
        let names: Vec<_> = topology.names().cloned().collect();
        self.make(self.calls().set_topology(former, topology.version(), partition, &names))
    }

    /// Calls of the namespace as plain values, for commands without a method here.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.inner.calls
    }

    /// Handshake of the server when this client connected.
    #[must_use]
    pub fn handshake(&self) -> Option<&Handshake> {
        self.inner.handshake.get()
    }

    /// Returns the same client with a common deadline: every call ends at `end` at the latest, even if its own limit is
    /// longer.
    #[must_use]
    pub fn until(&self, end: Instant) -> Self {
        Self { end: Some(end), ..self.clone() }
    }

    /// Returns the same client with a durability: a call succeeds only when its change is this durable. Otherwise the
    /// call returns [`Error::NotDurable`], although it was executed. The durability also applies to the queues, tasks,
    /// listeners and schedules of the returned client. Calls that only read are not affected.
    #[must_use]
    pub fn durable(&self, durability: Durability) -> Self {
        Self { durability, ..self.clone() }
    }

    /// Makes a call. The call is repeated after temporary failures, within the client's limit.
    ///
    /// # Errors
    /// The error that the script returns; [`Error::Unavailable`] when the limit has passed.
    pub fn call<'a, T>(&'a self, call: &'a Call<T>) -> L::Answer<'a, Result<T>> {
        L::answer(self.run(call))
    }

    /// Makes one call, as a whole method of a handle.
    pub(crate) fn make<'a, T: 'a>(&'a self, call: Call<T>) -> L::Answer<'a, Result<T>> {
        L::answer(async move { self.run(&call).await })
    }

    /// Makes a call, as a step of a method.
    pub(crate) async fn run<T>(&self, call: &Call<T>) -> Result<T> {
        let (inner, script) = (&self.inner, call.script()?);
        if !inner.has_server {
            return Err(Error::argument("this handler was called without a worker: its context has no server"));
        }
        let mut tries = self.tries();
        loop {
            let age = inner.wires.age();
            let (request, left) = (call.request(script, tries.whole), tries.left());
            let confirm = script.role().and_then(|_| self.durability.command(left));
            let answer = match &confirm {
                Some(confirm) => inner.wires.send_durably(&request, confirm, left).await,
                None => inner.wires.send(&request, left).await.map(|value| (value, Ok(Value::Nil))),
            };
            match answer {
                Ok((value, confirmed)) => {
                    let reply = call.read(&value)?;
                    return if confirm.is_some() { self.confirmed(confirmed).map(|()| reply) } else { Ok(reply) };
                }
                Err(error) => {
                    let next = tries.next(error)?;
                    if next.reconnect {
                        inner.wires.forget(age);
                    }
                    L::pause(next.pause).await;
                }
            }
        }
    }

    /// The attempts at a call within the client's limit.
    fn tries(&self) -> Tries {
        let inner = &self.inner;
        let reach = Reach {
            cluster: inner.wires.is_cluster(),
            files: inner.wires.has_files(),
            proven: inner.handshake.get().is_some(),
            ..Reach::default()
        };
        let reach = reach.patient(inner.patience, inner.led);
        Tries::new(inner.limit.min(Deadline::at(self.end).left()), reach)
    }

    /// Returns facts of a section of the server's `INFO`, such as `memory`, by their names. On a cluster there are none,
    /// because each node has its own.
    ///
    /// # Errors
    /// `NOPERM` if the user may not call `INFO`; the errors of [`Client::call`].
    pub fn server_info<'a>(&'a self, section: &'a str) -> L::Answer<'a, Result<BTreeMap<String, String>>> {
        L::answer(async move {
            let inner = &self.inner;
            if inner.wires.is_cluster() {
                return Ok(BTreeMap::new());
            }
            let mut request = redis::cmd("INFO");
            request.arg(section);
            let mut tries = self.tries();
            let text = loop {
                let age = inner.wires.age();
                match inner.wires.send(&request, tries.left()).await {
                    Ok(value) => break redis::from_redis_value::<String>(value).unwrap_or_default(),
                    Err(error) => {
                        let next = tries.next(error)?;
                        if next.reconnect {
                            inner.wires.forget(age);
                        }
                        L::pause(next.pause).await;
                    }
                }
            };
            let facts = text.lines().filter_map(|line| line.trim_end().split_once(':'));
            Ok(facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
        })
    }

    /// Checks that the change of a call is as durable as the client requires.
    fn confirmed(&self, answer: RedisResult<Value>) -> Result<()> {
        let wished = self.durability;
        let (reached, why) = match answer {
            Ok(reply) => (wished.reached(&reply).unwrap_or_default(), String::new()),
            Err(error) => (0, error.to_string()),
        };
        if reached >= wished.wished() { Ok(()) } else { Err(Error::NotDurable { wished, reached, why }) }
    }

    /// Reads all pages of a reply.
    pub(crate) async fn pages<T: Send>(&self, part: impl Fn(&str) -> Call<Page<T>> + Send) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let mut cursor = "0".to_owned();
        loop {
            let call = part(&cursor);
            let page = self.run(&call).await?;
            items.extend(page.items);
            match page.next {
                Some(next) => cursor = next,
                None => return Ok(items),
            }
        }
    }

    /// Yields the items of all pages, one after another. Each page is read on demand: `part` makes the call that reads
    /// after a cursor, and `read` returns the items of the reply and the next cursor. A page that ends at its own cursor
    /// is read again after a pause, until it has new items.
    pub(crate) fn items<'a, R: Send + 'a, T: Send + 'a>(
        &'a self,
        first: &str,
        part: impl Fn(&str) -> Call<R> + Clone + Send + 'a,
        read: fn(R) -> (Vec<T>, Option<String>),
        patient: bool,
    ) -> L::Many<'a, T> {
        let begin = (VecDeque::new(), Some(first.to_owned()));
        L::many(begin, move |(mut found, mut cursor): (VecDeque<T>, Option<String>)| {
            let part = part.clone();
            async move {
                let mut pause = Duration::from_millis(5);
                while found.is_empty()
                    && let Some(at) = &cursor
                {
                    let call = part(at);
                    let (items, next) = match self.run(&call).await {
                        Err(error) if patient && error.is_transient() => {
                            L::pause(CALL_AGAIN).await;
                            continue;
                        }
                        reply => read(reply?),
                    };
                    found.extend(items);
                    if found.is_empty() && next.as_ref() == Some(at) {
                        L::pause(pause).await;
                        pause = (pause * 4).min(LONGEST_PAUSE);
                    }
                    cursor = next;
                }
                Ok(found.pop_front().map(|item| (item, (found, cursor))))
            }
        })
    }

    /// Returns these options with the client's limit on payloads, unless the options set another limit.
    pub(crate) fn sized(&self, options: &TaskOptions) -> TaskOptions {
        match self.inner.max_bytes {
            Some(most) if !options.0.has("max_bytes") => options.clone().max_bytes(most),
            _ => options.clone(),
        }
    }

    /// Returns the options of a submit to a queue, after the hooks of the client.
    pub(crate) fn before_submit(&self, queue: &QueueName, options: &TaskOptions) -> Result<TaskOptions> {
        self.inner.before_submit.iter().try_fold(self.sized(options), |options, hook| (hook.0)(queue, options))
    }

    /// Returns a client without a server, whose calls return an error.
    pub(crate) fn nowhere() -> Result<Self> {
        let builder = ClientBuilder::default();
        let place = builder.place(address("redis://localhost/")?)?;
        let wires = L::wires(place, builder.limit);
        Ok(builder.client(wires, false, false))
    }

    pub(crate) fn submit_hooks(&self) -> &[SubmitHook] {
        &self.inner.around_submit
    }

    pub(crate) fn max_bytes(&self) -> Option<u32> {
        self.inner.max_bytes
    }

    pub(crate) fn wires(&self) -> &L::Wires {
        &self.inner.wires
    }
}

/// Parses the address in a URL. A URL with a user but no password is refused, because the connection would use the
/// default user.
fn address(url: &str) -> Result<Address> {
    Address::parse(url).and_then(checked)
}

fn checked(address: Address) -> Result<Address> {
    match address.user() {
        Some(user) if address.password().is_none() && address.password_file().is_none() => {
            let text = format!("{user}: add its password (any text if it needs none), or leave out the user");
            let what = "the URL names a user and no password";
            Err(Error::Connection((ErrorKind::InvalidClientConfig, what, text).into()))
        }
        _ => Ok(address),
    }
}

/// Settings of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientBuilder<L: Link = Blocking> {
    namespace: Option<Namespace>,
    pub(crate) limit: Duration,
    patience: Option<Duration>,
    durability: Durability,
    max_bytes: Option<u32>,
    by: Option<String>,
    for_tests: bool,
    before_submit: Vec<BeforeSubmit>,
    around_submit: Vec<SubmitHook>,
    link: PhantomData<L>,
}

impl<L: Link> Default for ClientBuilder<L> {
    fn default() -> Self {
        Self {
            namespace: None,
            limit: Duration::from_secs(10),
            patience: None,
            durability: Durability::default(),
            max_bytes: None,
            by: None,
            for_tests: false,
            before_submit: Vec::new(),
            around_submit: Vec::new(),
            link: PhantomData,
        }
    }
}

impl<L: Link> ClientBuilder<L> {
    /// The prefix of all keys; by default `blueque`, as in Blueque 1.0.
    #[must_use]
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = Some(namespace);
        self
    }

    pub(crate) fn chosen_namespace(&self) -> Namespace {
        self.namespace.clone().unwrap_or_default()
    }

    /// Time limit of one call, including all its repetitions; by default 10 s, at least 10 ms.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit.max(Duration::from_millis(10));
        self
    }

    /// Sets the time for which the server of a URL is retried if it refuses connections or is a replica, because it may
    /// be restarted or promoted. The default is 300 ms when the client is opened, and later the whole limit of a call.
    /// Choose a longer time if the server may still have to start, and a shorter time if a person waits. An address
    /// that finds the server through other nodes always gets the whole limit, because a failover needs it. If every
    /// node refuses the first connection, opening fails after 300 ms.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// Sets when calls that change something succeed: see [`Client::durable`].
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Maximum size of parameters, a result or a checkpoint: 1 MiB by default, at most 8 MiB.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: u32) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }

    /// Name of the user of the client. `audit` stores the name with everything that the client's calls change. See
    /// [`Calls::by`].
    #[must_use]
    pub fn by(mut self, name: impl Into<String>) -> Self {
        self.by = Some(name.into());
        self
    }

    /// Adds a hook of all submits to queues. It returns the options of the tasks, perhaps with changes, such as a tag or
    /// the key of a tenant. Its error is the error of the submit.
    #[must_use]
    pub fn before_submit<F>(mut self, hook: F) -> Self
    where
        F: Fn(&QueueName, TaskOptions) -> Result<TaskOptions> + Send + Sync + 'static,
    {
        self.before_submit.push(BeforeSubmit(Arc::new(hook)));
        self
    }

    /// Adds a hook around all submits to queues and of graphs. It returns a future that calls `run`, perhaps with other
    /// options, and awaits it. The hooks of [`before_submit`](Self::before_submit) are called within. Its error is the
    /// error of the submit.
    ///
    /// ```
    /// use blueque::Client;
    ///
    /// let builder: blueque::ClientBuilder = Client::builder().around_submit(|submit, run| {
    ///     Box::pin(async move {
    ///         let (begun, tasks) = (std::time::Instant::now(), submit.tasks);
    ///         let outcome = run(submit).await;
    ///         println!("{tasks} tasks in {:?}: {outcome:?}", begun.elapsed());
    ///         outcome
    ///     })
    /// });
    /// ```
    #[must_use]
    pub fn around_submit<F>(mut self, hook: F) -> Self
    where
        F: for<'a> Fn(Submission, RunSubmit<'a>) -> AroundSubmit<'a> + Send + Sync + 'static,
    {
        self.around_submit.push(SubmitHook(Arc::new(hook)));
        self
    }

    pub(crate) fn submit_hooks(&self) -> &[SubmitHook] {
        &self.around_submit
    }

    /// Opens a namespace for tests, whose calls carry a time ([`Call::at`]). An empty namespace becomes a namespace for
    /// tests, and an existing namespace for tests can be opened. Without this option a namespace for tests is refused
    /// with the code `TEST`, because its clock may show any time.
    #[must_use]
    pub fn for_tests(mut self) -> Self {
        self.for_tests = true;
        self
    }

    /// Connects to `redis://[user:password@]host[:port][/db]`, or any other form of an [`Address`]. A user needs a
    /// password.
    ///
    /// # Errors
    /// The errors of [`Client::open`]; `BADNAME` for a namespace without a `{tag}` on a cluster.
    pub fn open(self, url: &str) -> L::Answer<'static, Result<Client<L>>> {
        self.open_at(address(url))
    }

    /// Connects to the server in the environment variables: see [`Address::from_env`]. Without a
    /// [`namespace`](Self::namespace), `BLUEQUE_NAMESPACE` is the namespace.
    ///
    /// # Errors
    /// The errors of [`ClientBuilder::open`].
    pub fn open_from_env(mut self) -> L::Answer<'static, Result<Client<L>>> {
        let address = self.namespace_from_env().and_then(|()| checked(Address::from_env()?));
        self.open_at(address)
    }

    fn namespace_from_env(&mut self) -> Result<()> {
        if self.namespace.is_none() {
            self.namespace = variable("BLUEQUE_NAMESPACE").map(|name| name.parse()).transpose()?;
        }
        Ok(())
    }

    fn open_at(mut self, address: Result<Address>) -> L::Answer<'static, Result<Client<L>>> {
        let place = address.and_then(|address| self.place(address));
        let led = place.as_ref().is_ok_and(|place| !place.address.is_one_server());
        if led {
            // A replica that refuses a call also refuses its repetitions, so a longer patience is useless.
            let reads = place.as_ref().is_ok_and(|place| place.address.reads_replica());
            self.patience = reads.then_some(REPLICA);
        }
        L::answer(async move {
            let wires = L::wires(place?, self.limit);
            self.connect(wires, led).await
        })
    }

    fn place(&self, address: Address) -> Result<Place> {
        if address.is_cluster() {
            self.tagged()?;
        }
        Ok(Place::new(address, &self.chosen_namespace()))
    }

    /// On a cluster all keys of a namespace must be in one slot.
    fn tagged(&self) -> Result<()> {
        if self.chosen_namespace().as_str().contains('{') {
            return Ok(());
        }
        Err(Error::name("on a cluster the namespace needs a {tag}, such as {blueque:0}"))
    }

    fn client(self, wires: L::Wires, led: bool, has_server: bool) -> Client<L> {
        let calls = Calls::new(self.chosen_namespace());
        let calls = self.by.into_iter().fold(calls, Calls::by);
        let (limit, patience, max_bytes) = (self.limit, self.patience, self.max_bytes);
        let (before_submit, around_submit, handshake) = (self.before_submit, self.around_submit, OnceLock::new());
        let inner = Inner {
            calls,
            wires,
            limit,
            patience,
            led,
            max_bytes,
            before_submit,
            around_submit,
            has_server,
            handshake,
        };
        Client { inner: Arc::new(inner), end: None, durability: self.durability }
    }

    async fn connect(self, wires: L::Wires, led: bool) -> Result<Client<L>> {
        let for_tests = self.for_tests;
        let client = self.client(wires, led, true);
        let mut handshake = client.run(&client.calls().handshake()).await?;
        if handshake.test && !for_tests {
            let text = "this namespace is for tests: its clock may show any time, and leases and etas with it; \
                        use another namespace, or open it for tests";
            return Err(Error::Unsuitable { code: Code::Test, text: text.into() });
        }
        if for_tests && !handshake.born {
            // A call with a time marks an empty namespace as a namespace for tests. This call changes nothing else.
            client.run(&client.calls().configure(None, "lease", None).at(handshake.now)).await?;
            handshake = client.run(&client.calls().handshake()).await?;
        }
        client.inner.handshake.get_or_init(|| handshake);
        Ok(client)
    }
}

#[cfg(feature = "cluster")]
impl<L: Link> ClientBuilder<L> {
    /// Checks the URLs of some nodes of a cluster.
    fn nodes(&self, urls: &[&str]) -> Result<Vec<String>> {
        self.tagged()?;
        let read = |url: &&str| match address(url)? {
            address if address.has_files() => {
                let text = "open_cluster reads no files that a URL names: open redis+cluster:// in its place";
                Err(Error::Connection((ErrorKind::InvalidClientConfig, text).into()))
            }
            _ => Ok((*url).to_owned()),
        };
        urls.iter().map(read).collect()
    }
}

#[cfg(feature = "cluster")]
impl ClientBuilder {
    /// Connects to a cluster through some of its nodes. The namespace needs a `{tag}`.
    ///
    /// # Errors
    /// The errors of [`Client::open`]; `BADNAME` for a namespace without a tag.
    pub fn open_cluster(self, urls: &[&str]) -> Result<Client> {
        let wires = Blocking::cluster(self.nodes(urls)?, self.limit);
        Blocking::answer(self.connect(wires, true))
    }
}

#[cfg(feature = "tokio-cluster")]
impl ClientBuilder<Tokio> {
    /// Connects to a cluster through some of its nodes. The namespace needs a `{tag}`.
    ///
    /// A listener that begins to wait while other listeners of the client already wait is woken within two seconds.
    ///
    /// # Errors
    /// The errors of [`Client::open`]; `BADNAME` for a namespace without a tag.
    pub fn open_cluster(self, urls: &[&str]) -> <Tokio as Link>::Answer<'static, Result<Client<Tokio>>> {
        let nodes = self.nodes(urls);
        Tokio::answer(async {
            let wires = Tokio::cluster(nodes?, self.limit);
            self.connect(wires, true).await
        })
    }
}
