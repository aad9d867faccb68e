//! Several partitions used as one: their addresses, calls to the partition of a task, and reads of all partitions.

mod addresses;
mod deliverer;
mod graph_handle;
mod graph_parts;
mod graphs;
mod merged;
mod moving;
mod reachable;
mod remote_edges;
mod reruns;
mod topology_store;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::client::{Client, ClientBuilder};
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::names::{Namespace, PartitionName, TaskId};
use crate::options::Submit;
use crate::task::Task;
use crate::topology::{GlobalId, StoredTopology, Topology};
use addresses::Place;
pub use deliverer::Deliverer;
pub use graph_handle::GraphHandle;
pub use graph_parts::GraphParts;
pub use graphs::SubmittedGraph;
pub use merged::Merged;
pub use moving::Moved;

/// The longest limit of one call.
const DAY: Duration = Duration::from_secs(86_400);

/// Partitions that are used as one. Clones share the connections, which are opened on first use.
///
/// Storing the topology, moving tasks and delivering ends need the link [`Blocking`].
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

/// The address of a partition, and its client after the first use.
type Known<L> = (Place, Mutex<Option<Client<L>>>);

struct Inner<L: Link> {
    places: BTreeMap<PartitionName, Known<L>>,
    names: Topology,
    builder: ClientBuilder<L>,
}

impl<L: Link> fmt::Debug for Partitions<L> {
    /// Leaves out the URLs, which may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitions").field("names", &self.names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl<L: Link> ClientBuilder<L> {
    /// Opens the partitions at these addresses, each with these settings. Partitions whose address has no namespace use
    /// that of the builder. The [limit](ClientBuilder::limit) applies to one call to one partition, and is at most a
    /// day. Makes no call.
    ///
    /// When a task is moved, the source task is cancelled only after the target has reached the
    /// [durability](ClientBuilder::durability). A [`Deliverer`] does not wait for it: the comparison finds deliveries
    /// that a failover has lost.
    ///
    /// # Errors
    /// The errors of [`Partitions::open`].
    pub fn open_partitions(mut self, addresses: &str) -> Result<Partitions<L>> {
        self.limit = self.limit.min(DAY);
        let places = addresses::read(addresses, &self.chosen_namespace())?;
        let names = Topology::new(1, places.iter().map(|(name, _)| name.clone()))?;
        let places = places.into_iter().map(|(name, place)| (name, (place, Mutex::new(None)))).collect();
        Ok(Partitions { inner: Arc::new(Inner { places, names, builder: self }) })
    }
}

impl<L: Link> Partitions<L> {
    /// Opens the partitions at these addresses, separated by commas. Each address is `NAME=URL` or, with its own
    /// namespace, `NAME=URL#NAMESPACE`. `{A..B}` in an address stands for each whole number from A to B; this number is
    /// also the name if the address has no name. `redis://shard-{1..4}.internal` is four servers, and
    /// `redis://host/#{blueque:{0..7}}` is eight namespaces of one server. Makes no call: each partition is connected
    /// on first use.
    ///
    /// # Errors
    /// `BADARG` for an address without a name, for two partitions with the same name, and for two partitions with the
    /// same address; `BADNAME`.
    pub fn open(addresses: &str) -> Result<Self> {
        ClientBuilder::default().open_partitions(addresses)
    }

    /// The names of the partitions, in the order of their bytes.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &PartitionName> {
        self.inner.names.names()
    }

    /// Returns the client of a partition. The first use compares the topology that the partition has stored.
    ///
    /// # Errors
    /// `BADARG` for an unknown name; `TOPOLOGY` if the namespace is a different partition, or if its topology has other
    /// names; the errors of [`Client::open`].
    pub fn partition(&self, name: &PartitionName) -> L::Answer<'_, Result<Client<L>>> {
        let name = name.clone();
        L::answer(async move { self.client(&name).await })
    }

    /// The asynchronous body of the method above.
    async fn client(&self, name: &PartitionName) -> Result<Client<L>> {
        let (_, known) = self.place(name)?;
        let kept = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(client) = kept {
            return Ok(client);
        }
        // The two calls share one limit: a partition that hangs after the first call does not delay the caller twice.
        let end = Instant::now() + self.inner.builder.limit;
        let client = self.reach(name).await?;
        self.require(name, L::step(client.until(end).topology()).await?.as_ref())?;
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
        Ok(client)
    }

    /// Fails unless this is the topology that the partition must have stored.
    ///
    /// # Errors
    /// `TOPOLOGY` if the namespace is a different partition, or if its topology has other names.
    pub fn require(&self, name: &PartitionName, stored: Option<&StoredTopology>) -> Result<()> {
        let Some(stored) = stored else {
            let text = "has no topology yet: store it in all partitions first";
            let text = format!("the namespace of the partition {name} {text}");
            return Err(Error::Unsuitable { code: Code::Topology, text });
        };
        require_partition(name, stored)?;
        self.inner.names.require_names(&stored.topology)
    }

    /// The URL of a partition, including its passwords, and its namespace.
    ///
    /// # Errors
    /// `BADARG` for an unknown name.
    pub fn address(&self, name: &PartitionName) -> Result<(&str, &Namespace)> {
        self.place(name).map(|(place, _)| (place.url.as_str(), &place.namespace))
    }

    /// The partition that a key chooses: see [`Topology::place`].
    ///
    /// # Errors
    /// None: a topology has at least one partition.
    pub fn place_of(&self, key: &str) -> Result<&PartitionName> {
        self.inner.names.place(key).ok_or_else(|| Error::argument("there is no partition"))
    }

    /// Submits a task, with its parameters as JSON. The partition is chosen by the task's key, else by its unique name,
    /// else by its id: see [`Topology::place`]. The limits of a key therefore hold over all partitions.
    ///
    /// # Errors
    /// `BADARG` for a key and a unique name that choose different partitions; the errors of [`Partitions::partition`]
    /// and [`Queue::submit`](crate::Queue::submit).
    pub fn submit<P: Serialize + ?Sized>(
        &self,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(self.chosen(how), queue, json(parameters))
    }

    /// Returns the partition of a new task, and the task's options with its id.
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

    /// Submits a task in the partition of a key, such as a tenant. The task's unique name and the limits of its option
    /// `key` count only in that partition.
    ///
    /// # Errors
    /// The errors of [`Partitions::submit`].
    pub fn submit_by<P: Serialize + ?Sized>(
        &self,
        key: &str,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(self.place_of(key).map(|place| (place.clone(), how)), queue, json(parameters))
    }

    /// Submits a task in a partition of the caller's choice. The task's unique name and the limits of its key count
    /// only in that partition.
    ///
    /// # Errors
    /// The errors of [`Partitions::submit`].
    pub fn submit_in<P: Serialize + ?Sized>(
        &self,
        partition: &PartitionName,
        queue: &str,
        parameters: &P,
        how: Submit,
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(Ok((partition.clone(), how)), queue, json(parameters))
    }

    /// Submits a task like [`Partitions::submit_in`], with opaque bytes as parameters: no bytes for a task that
    /// receives results of other tasks.
    ///
    /// # Errors
    /// The errors of [`Partitions::submit`].
    pub fn submit_bytes_in(
        &self,
        partition: &PartitionName,
        queue: &str,
        parameters: &[u8],
        how: Submit,
    ) -> L::Answer<'_, Result<GlobalId>> {
        self.submit_to(Ok((partition.clone(), how)), queue, Ok(parameters.to_vec()))
    }

    /// Submits a task in the chosen partition.
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

    /// Returns the handle of a task by its global id, for its record, result, end, cancellation and other calls.
    ///
    /// # Errors
    /// The errors of [`Partitions::partition`].
    pub fn task(&self, id: &GlobalId) -> L::Answer<'_, Result<Task<L>>> {
        let id = id.clone();
        L::answer(async move { self.task_steps(&id).await })
    }

    /// The asynchronous body of the method above.
    async fn task_steps(&self, id: &GlobalId) -> Result<Task<L>> {
        self.client(id.partition()).await?.task(id.task().as_str())
    }

    fn place(&self, name: &PartitionName) -> Result<&Known<L>> {
        self.inner.places.get(name).ok_or_else(|| {
            let names: Vec<_> = self.names().map(PartitionName::as_str).collect();
            Error::argument(format!("there is no partition {name}: there are {}", names.join(" ")))
        })
    }

    /// Connects a new client to a partition, without a check of its topology.
    async fn reach(&self, name: &PartitionName) -> Result<Client<L>> {
        let (place, _) = self.place(name)?;
        L::step(self.inner.builder.clone().namespace(place.namespace.clone()).open(&place.url)).await
    }
}

/// Encodes parameters as JSON.
fn json<P: Serialize + ?Sized>(parameters: &P) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(parameters)?)
}

/// Fails if the address of a partition leads to a different partition.
fn require_partition(name: &PartitionName, stored: &StoredTopology) -> Result<()> {
    if &stored.partition == name {
        return Ok(());
    }
    let text = format!("the address of the partition {name} leads to {}: correct it", stored.partition);
    Err(Error::Unsuitable { code: Code::Topology, text })
}
