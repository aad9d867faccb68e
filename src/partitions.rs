//! Several partitions used as one: where each is, calls to the one that has a task, and reads of all.

mod anew;
mod deliverer;
mod graphs;
mod links;
mod merged;
mod moving;
mod places;
mod storing;
mod targets;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::client::{Client, ClientBuilder};
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::names::{Namespace, PartitionName, TaskId};
use crate::options::Submit;
use crate::task::Task;
use crate::topology::{GlobalId, StoredTopology, Topology};
pub use deliverer::Deliverer;
pub use graphs::{GraphParts, SpreadGraph, SubmittedParts};
pub use merged::Merged;
pub use moving::Moved;
use places::Place;

/// Partitions that are used as one. Clones share the connections, which are made when they are needed.
///
/// Those who store the topology, move tasks or deliver ends need the link [`Blocking`].
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
pub struct Partitions<L: Link = Blocking> {
    inner: Arc<Inner<L>>,
}

/// A partition, with its client once that was needed.
type Known<L> = (Place, Mutex<Option<Client<L>>>);

struct Inner<L: Link> {
    places: BTreeMap<PartitionName, Known<L>>,
    names: Topology,
    limit: Duration,
    builder: ClientBuilder<L>,
}

impl<L: Link> fmt::Debug for Partitions<L> {
    /// Without the URLs, which may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitions").field("names", &self.names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// Settings of [`Partitions`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PartitionsBuilder<L: Link = Blocking> {
    namespace: Namespace,
    limit: Duration,
    builder: ClientBuilder<L>,
}

impl<L: Link> PartitionsBuilder<L> {
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
    pub fn open(self, addresses: &str) -> Result<Partitions<L>> {
        let places = places::read(addresses, &self.namespace)?;
        let names = Topology::new(1, places.iter().map(|(name, _)| name.clone()))?;
        let places = places.into_iter().map(|(name, place)| (name, (place, Mutex::new(None)))).collect();
        let builder = self.builder.limit(self.limit);
        Ok(Partitions { inner: Arc::new(Inner { places, names, limit: self.limit, builder }) })
    }
}

impl<L: Link> Partitions<L> {
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
    pub fn builder() -> PartitionsBuilder<L> {
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
    pub fn partition(&self, name: &PartitionName) -> L::Answer<'_, Result<Client<L>>> {
        let name = name.clone();
        L::answer(async move { self.client(&name).await })
    }

    /// The same as a step of a method.
    async fn client(&self, name: &PartitionName) -> Result<Client<L>> {
        let (_, known) = self.place(name)?;
        let kept = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(client) = kept {
            return Ok(client);
        }
        // Both calls together have the limit of one: nobody waits twice for a partition that hangs after the first.
        let end = Instant::now() + self.inner.limit;
        let client = self.reach(name).await?;
        self.require(name, L::step(client.until(end).topology()).await?.as_ref())?;
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

    /// Submits a task, with its parameters as JSON, in the partition of its key, whose limits then hold over all
    /// partitions; without a key in that of its unique name, else in that of its id. See [`Topology::place`].
    ///
    /// # Errors
    /// `BADARG` for a key and a unique name that choose different partitions; those of [`Partitions::partition`] and
    /// [`Queue::submit`](crate::Queue::submit).
    pub fn submit<P: Serialize + ?Sized>(
        &self,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(self.chosen(how), queue, json(parameters))
    }

    /// The partition in which a task is submitted, and its id there.
    fn chosen(&self, how: Submit) -> Result<(PartitionName, Submit)> {
        let id = how.id.clone().unwrap_or_else(TaskId::random);
        let (key, unique) = (how.options.0.get("key"), how.options.0.get("unique"));
        let place = self.place_of(key.or(unique).unwrap_or(id.as_str()))?;
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
        Ok((place.clone(), Submit { id: Some(id), ..how }))
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
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(self.place_of(key).map(|place| (place.clone(), how)), queue, json(parameters))
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
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(Ok((partition.clone(), how)), queue, json(parameters))
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
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(Ok((partition.clone(), how)), queue, Ok(parameters.to_vec()))
    }

    /// Submits a task in the partition that was chosen.
    fn submit_to(
        &self,
        chosen: Result<(PartitionName, Submit)>,
        queue: &str,
        parameters: Result<Vec<u8>>,
    ) -> L::Answer<'_, Result<GlobalId>> {
        let queue = queue.to_owned();
        L::answer(async move {
            let (name, how) = chosen?;
            let queue = self.client(&name).await?.queue(&queue)?;
            let task = L::step(queue.submit_bytes(&parameters?, how)).await?;
            Ok(GlobalId::new(name, task.id().clone()))
        })
    }

    /// A task by its global id: its record, result, end, cancellation and the rest.
    ///
    /// # Errors
    /// As [`Partitions::partition`].
    pub fn task(&self, id: &GlobalId) -> L::Answer<'_, Result<Task<L>>> {
        let id = id.clone();
        L::answer(async move { self.task_steps(&id).await })
    }

    /// The same as a step of a method.
    async fn task_steps(&self, id: &GlobalId) -> Result<Task<L>> {
        self.client(id.partition()).await?.task(id.task().as_str())
    }

    fn place(&self, name: &PartitionName) -> Result<&Known<L>> {
        self.inner.places.get(name).ok_or_else(|| {
            let names: Vec<_> = self.names().map(PartitionName::as_str).collect();
            Error::argument(format!("there is no partition {name}: there are {}", names.join(" ")))
        })
    }

    /// A new client of a partition, whatever topology that has.
    async fn reach(&self, name: &PartitionName) -> Result<Client<L>> {
        let (place, _) = self.place(name)?;
        L::step(self.inner.builder.clone().namespace(place.namespace.clone()).open(&place.url)).await
    }
}

/// Parameters as JSON.
fn json<P: Serialize + ?Sized>(parameters: &P) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(parameters)?)
}

/// Fails if the address of a partition leads to another one.
fn require_partition(name: &PartitionName, stored: &StoredTopology) -> Result<()> {
    if &stored.partition == name {
        return Ok(());
    }
    let text = format!("the address of the partition {name} leads to {}: correct it", stored.partition);
    Err(Error::Unsuitable { code: Code::Topology, text })
}
