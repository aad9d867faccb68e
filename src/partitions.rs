//! Several partitions used as one: where each is, calls to the one that has a task, and reads of all.

mod deliverer;
mod graphs;
mod links;
mod moving;
mod places;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use redis::Connection;
use serde::Serialize;

use crate::address::Address;
use crate::client::{Client, ClientBuilder};
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::link::Blocking;
use crate::model::{Counts, QueueInfo, WorkerInfo};
use crate::names::{Namespace, PartitionName, TaskId};
use crate::options::{Filter, Submit};
use crate::task::Task;
use crate::topology::{GlobalId, StoredTopology, Topology};
pub use deliverer::Deliverer;
pub use graphs::{GraphParts, SpreadGraph, SubmittedParts};
pub use moving::Moved;
use places::Place;

/// Partitions that are asked at the same time.
const AT_ONCE: usize = 64;

/// Partitions that are used as one. Clones share the connections, which are made when they are needed.
///
/// ```no_run
/// use blueque::{Partitions, Submit};
///
/// # fn main() -> blueque::Result<()> {
/// let partitions = Partitions::open("1=redis://one/,2=redis://two/")?;
/// let id = partitions.submit("transcode", "movie-17.mkv", Submit::default())?;
/// println!("{id}"); // 2:0b8b2a1e-…
/// let film: String = partitions.task(&id)?.result(std::time::Duration::MAX)?;
///
/// let queues = partitions.queues();
/// for (partition, error) in &queues.missing {
///     eprintln!("{partition} did not answer: {error}");
/// }
/// # drop(film);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Partitions {
    inner: Arc<Inner>,
}

struct Inner {
    places: BTreeMap<PartitionName, (Place, Mutex<Option<Client>>)>,
    names: Topology,
    limit: Duration,
    builder: ClientBuilder<Blocking>,
}

impl fmt::Debug for Partitions {
    /// Without the URLs, which may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitions").field("names", &self.names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// What the partitions answered that did, and why the others did not.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged<T> {
    /// The answers.
    pub answers: BTreeMap<PartitionName, T>,
    /// The partitions without one.
    pub missing: BTreeMap<PartitionName, Error>,
}

impl<T> Merged<T> {
    /// The answers, unless one is missing.
    ///
    /// # Errors
    /// That of the first partition without an answer.
    pub fn all(self) -> Result<BTreeMap<PartitionName, T>> {
        match self.missing.into_values().next() {
            Some(error) => Err(error),
            None => Ok(self.answers),
        }
    }
}

/// Settings of [`Partitions`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PartitionsBuilder {
    namespace: Namespace,
    limit: Duration,
    builder: ClientBuilder<Blocking>,
}

impl PartitionsBuilder {
    /// The namespace of partitions whose address names none; by default `blueque`.
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }

    /// The time limit of one call to one partition, with all its repetitions; by default 10 s; 10 ms to a day.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit.clamp(Duration::from_millis(10), Duration::from_secs(86_400));
        self
    }

    /// Who uses the clients, for `audit`: see [`crate::calls::Calls::by`].
    pub fn by(mut self, name: impl Into<String>) -> Self {
        self.builder = self.builder.by(name);
        self
    }

    /// When calls that change something have succeeded: see [`Client::durable`]. A task that is moved is given up where it
    /// was only when the target has it so. A [`Deliverer`] does not wait for it: what a failover loses of its deliveries it
    /// finds by comparing.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.builder = self.builder.durability(durability);
        self
    }

    /// The partitions at these addresses. Makes no call.
    ///
    /// # Errors
    /// As [`Partitions::open`].
    pub fn open(self, addresses: &str) -> Result<Partitions> {
        let places = places::read(addresses, &self.namespace)?;
        let names = Topology::new(1, places.iter().map(|(name, _)| name.clone()))?;
        let places = places.into_iter().map(|(name, place)| (name, (place, Mutex::new(None)))).collect();
        let builder = self.builder.limit(self.limit);
        Ok(Partitions { inner: Arc::new(Inner { places, names, limit: self.limit, builder }) })
    }
}

impl Partitions {
    /// The partitions at these addresses, separated by commas: each `NAME=URL` or, with a namespace of its own,
    /// `NAME=URL#NAMESPACE`. `{A..B}` in one stands for each whole number from A to B, which is also the name unless one
    /// is given: `redis://shard-{1..4}.internal`, or `redis://host/#{blueque:{0..7}}` for eight namespaces of one server.
    /// Makes no call: a partition is reached when it is needed.
    ///
    /// # Errors
    /// `BADARG` for an address without a name, and for two partitions with one name or at one place; `BADNAME`.
    pub fn open(addresses: &str) -> Result<Self> {
        Self::builder().open(addresses)
    }

    /// A builder, for a limit or a namespace.
    pub fn builder() -> PartitionsBuilder {
        let builder = ClientBuilder::default();
        PartitionsBuilder { namespace: Namespace::default(), limit: Duration::from_secs(10), builder }
    }

    /// The names of the partitions, in the order of their bytes.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &PartitionName> {
        self.inner.names.names()
    }

    /// The client of a partition. At its first use the topology that the partition has stored is compared.
    ///
    /// # Errors
    /// `BADARG` for a name that is none of these; `TOPOLOGY` if the namespace is not this partition, or its topology has
    /// other names; those of [`Client::open`].
    pub fn partition(&self, name: &PartitionName) -> Result<Client> {
        let (_, known) = self.place(name)?;
        if let Some(client) = known.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(client);
        }
        let client = self.reach(name)?;
        self.require(name, client.topology()?.as_ref())?;
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
        Ok(client)
    }

    /// Fails unless this is what the partition has to have stored.
    ///
    /// # Errors
    /// `TOPOLOGY` if the namespace is not this partition, or its topology has other names.
    pub fn require(&self, name: &PartitionName, stored: Option<&StoredTopology>) -> Result<()> {
        let Some(stored) = stored else {
            let text = "has no topology yet: store it in all partitions first";
            let text = format!("the namespace of the partition {name} {text}");
            return Err(Error::Unsuitable { code: Code::Topology, text });
        };
        require_partition(name, stored)?;
        self.inner.names.require_names(&stored.topology)
    }

    /// The URL of a partition, with what passwords it has, and its namespace.
    ///
    /// # Errors
    /// `BADARG` for a name that is none of these.
    pub fn address(&self, name: &PartitionName) -> Result<(&str, &Namespace)> {
        self.place(name).map(|(place, _)| (place.url.as_str(), &place.namespace))
    }

    /// The partition that a key chooses: see [`Topology::place`].
    ///
    /// # Errors
    /// None: there is always one.
    pub fn place_of(&self, key: &str) -> Result<&PartitionName> {
        self.inner.names.place(key).ok_or_else(|| Error::argument("there is no partition"))
    }

    /// Stores the topology of these names in all partitions, if another one is stored, or none: one version for all,
    /// greater than those before. What was stored in some before an error is stored again by the next call. Needs the role
    /// `administrator`.
    ///
    /// # Errors
    /// `TOPOLOGY` if a namespace is another partition already, or somebody else stores one at the same time; that of the
    /// first partition that cannot be reached: then nothing is changed.
    pub fn store(&self) -> Result<Topology> {
        let found = self.stored().all()?;
        self.are_distinct_masters()?;
        for (name, stored) in &found {
            stored.as_ref().map_or(Ok(()), |stored| require_partition(name, stored))?;
        }
        let version = |stored: &Option<StoredTopology>| stored.as_ref().map_or(0, |stored| stored.topology.version());
        let latest = found.values().map(version).max().unwrap_or_default();
        if let Some(Some(StoredTopology { topology: known, .. })) = found.values().next()
            && self.inner.names.require_names(known).is_ok()
            && found.values().all(|stored| stored.as_ref().is_some_and(|stored| &stored.topology == known))
        {
            return Ok(known.clone());
        }
        let topology = Topology::new(latest + 1, self.names().cloned())?;
        for (name, stored) in &found {
            self.reach(name)?.set_topology(version(stored), &topology, name)?;
        }
        Ok(topology)
    }

    /// What each partition has stored, whatever it is.
    pub fn stored(&self) -> Merged<Option<StoredTopology>> {
        self.ask_all(|name, end| self.reach(name)?.until(end).topology())
    }

    /// Fails if a server is a replica, or two addresses lead to one namespace of one server, as far as the servers say it
    /// to this user.
    fn are_distinct_masters(&self) -> Result<()> {
        let about = |name: &PartitionName, end: Instant| {
            let (place, _) = self.place(name)?;
            let limit = end.saturating_duration_since(Instant::now());
            let address = Address::parse(&place.url)?;
            let connected = address.connect(&place.namespace, limit).map_err(Error::Connection)?;
            Ok(facts(connected, limit, address.database()))
        };
        let mut known: BTreeMap<(String, &Namespace), PartitionName> = BTreeMap::new();
        for (name, (master, server)) in self.ask_all(about).all()? {
            if let Some(master) = master {
                let text = format!("the address of the partition {name} leads to a replica: name its master, {master}");
                return Err(Error::Unsuitable { code: Code::Topology, text });
            }
            let (place, _) = self.place(&name)?;
            let Some(server) = server else { continue };
            if let Some(other) = known.insert((server, &place.namespace), name.clone()) {
                let text =
                    format!("the addresses of the partitions {other} and {name} lead to one namespace of one server");
                return Err(Error::Unsuitable { code: Code::Topology, text });
            }
        }
        Ok(())
    }

    /// Submits a task, with its parameters as JSON, in the partition of its key, whose limits then hold over all
    /// partitions; without a key in that of its unique name, else in that of its id. See [`Topology::place`].
    ///
    /// # Errors
    /// `BADARG` for a key and a unique name that choose different partitions; those of [`Partitions::partition`] and
    /// [`Queue::submit`](crate::Queue::submit).
    pub fn submit<P: Serialize + ?Sized>(&self, queue: &str, parameters: &P, how: Submit) -> Result<GlobalId> {
        let how = Submit { id: Some(how.id.clone().unwrap_or_else(TaskId::random)), ..how };
        let id = how.id.as_ref().map_or("", TaskId::as_str);
        let (key, unique) = (how.options.0.get("key"), how.options.0.get("unique"));
        let place = self.place_of(key.or(unique).unwrap_or(id))?;
        if let (Some(key), Some(unique)) = (key, unique)
            && let other = self.place_of(unique)?
            && other != place
        {
            let text = format!(
                "the key {key} belongs to the partition {place}, the unique name {unique} to {other}: choose one with \
                 submit_in, where both count by themselves"
            );
            return Err(Error::argument(text));
        }
        self.submit_in(place, queue, parameters, how)
    }

    /// Submits a task in the partition of a key, such as a tenant. Its unique name counts only there, as do the limits of
    /// its option `key`.
    ///
    /// # Errors
    /// As [`Partitions::submit`].
    pub fn submit_by<P: Serialize + ?Sized>(
        &self,
        key: &str,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> Result<GlobalId> {
        self.submit_in(self.place_of(key)?, queue, parameters, how)
    }

    /// Submits a task in a partition of the caller's choice. Its unique name counts only there, as do the limits of its
    /// key.
    ///
    /// # Errors
    /// As [`Partitions::submit`].
    pub fn submit_in<P: Serialize + ?Sized>(
        &self,
        partition: &PartitionName,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> Result<GlobalId> {
        let task = self.partition(partition)?.queue(queue)?.submit(parameters, how)?;
        Ok(GlobalId::new(partition.clone(), task.id().clone()))
    }

    /// The same with opaque bytes as parameters: none for a task that gets results of others.
    ///
    /// # Errors
    /// As [`Partitions::submit`].
    pub fn submit_bytes_in(
        &self,
        partition: &PartitionName,
        queue: &str,
        parameters: &[u8],
        how: Submit,
    ) -> Result<GlobalId> {
        let task = self.partition(partition)?.queue(queue)?.submit_bytes(parameters, how)?;
        Ok(GlobalId::new(partition.clone(), task.id().clone()))
    }

    /// A task by its global id: its record, result, end, cancellation and the rest.
    ///
    /// # Errors
    /// As [`Partitions::partition`].
    pub fn task(&self, id: &GlobalId) -> Result<Task<Blocking>> {
        self.partition(id.partition())?.task(id.task().as_str())
    }

    /// Asks all partitions, up to 64 at the same time. Their calls end with the limit of one call, so one that hangs
    /// delays the answer of the others no longer than that.
    pub fn each<T: Send>(&self, ask: impl Fn(&Client) -> Result<T> + Sync) -> Merged<T> {
        self.ask_all(|name, end| ask(&self.partition(name)?.until(end)))
    }

    /// The queues of each partition.
    pub fn queues(&self) -> Merged<Vec<QueueInfo>> {
        self.each(Client::queues)
    }

    /// The workers of each partition that report.
    pub fn workers(&self) -> Merged<Vec<WorkerInfo>> {
        self.each(Client::workers)
    }

    /// How many tasks of a queue are in each state, by partition.
    pub fn counts(&self, queue: &str) -> Merged<Counts> {
        self.each(|client| client.queue(queue)?.counts())
    }

    /// The tasks that match, up to `limit` of each partition.
    pub fn find(&self, filter: &Filter, limit: usize) -> Merged<Vec<GlobalId>> {
        self.ask_all(|name, end| {
            let found = self.partition(name)?.until(end).find(filter, limit)?;
            found.into_iter().map(|id| Ok(GlobalId::new(name.clone(), TaskId::new(id)?))).collect()
        })
    }

    fn ask_all<T: Send>(&self, ask: impl Fn(&PartitionName, Instant) -> Result<T> + Sync) -> Merged<T> {
        Self::ask(&self.names().cloned().collect(), self.inner.limit, ask)
    }

    /// Asks these, whose calls end with the limit.
    fn ask<T: Send>(
        names: &BTreeSet<PartitionName>,
        limit: Duration,
        ask: impl Fn(&PartitionName, Instant) -> Result<T> + Sync,
    ) -> Merged<T> {
        let end = Instant::now() + limit;
        let names: Vec<_> = names.iter().collect();
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for _ in 0..names.len().min(AT_ONCE) {
                scope.spawn(|| {
                    while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let answer = ask(name, end);
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(((*name).clone(), answer));
                    }
                });
            }
        });
        let mut merged = Merged { answers: BTreeMap::new(), missing: BTreeMap::new() };
        for (name, answer) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            match answer {
                Ok(answer) => _ = merged.answers.insert(name, answer),
                Err(error) => _ = merged.missing.insert(name, error),
            }
        }
        merged
    }

    fn place(&self, name: &PartitionName) -> Result<&(Place, Mutex<Option<Client>>)> {
        self.inner.places.get(name).ok_or_else(|| {
            let names: Vec<_> = self.names().map(PartitionName::as_str).collect();
            Error::argument(format!("there is no partition {name}: there are {}", names.join(" ")))
        })
    }

    /// A new client of a partition, whatever topology that has.
    fn reach(&self, name: &PartitionName) -> Result<Client> {
        let (place, _) = self.place(name)?;
        self.inner.builder.clone().namespace(place.namespace.clone()).open(&place.url)
    }
}

/// The master of a server that is a replica; and what no other database of a server has.
fn facts(mut server: Connection, limit: Duration, database: i64) -> (Option<String>, Option<String>) {
    let limited = server.set_read_timeout(Some(limit.max(Duration::from_millis(1))));
    let mut ask = |section: &str| redis::cmd("INFO").arg(section).query::<String>(&mut server).unwrap_or_default();
    let info = if limited.is_ok() { ask("replication") + &ask("server") } else { String::new() };
    let fact = |name: &str| info.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
    let port = fact("master_port").unwrap_or_default();
    let master = fact("master_host").filter(|_| fact("role") == Some("slave")).map(|host| format!("{host}:{port}"));
    (master, fact("run_id").map(|id| format!("{id} {database}")))
}

/// Fails if the address of a partition leads to another one.
fn require_partition(name: &PartitionName, stored: &StoredTopology) -> Result<()> {
    if &stored.partition == name {
        return Ok(());
    }
    let text = format!("the address of the partition {name} leads to {}: correct it", stored.partition);
    Err(Error::Unsuitable { code: Code::Topology, text })
}
