//! Settings of a queue or of the namespace, and limits of keys.

use super::{Call, Calls, LimitOptions, LimitsOptions};
use crate::model::reply;
use crate::model::{KeyLimit, Page, Rate, Setting};
use crate::names::{PartitionName, QueueName, TaskId};
use crate::topology::{StoredTopology, Topology};

/// Stands for all queues, and for no queue.
const ALL: &str = "*";

/// Stands for the limit of the queue's settings.
const UNSET: &str = "-";

impl Calls {
    /// Sets a setting of a queue, or with none the default of the namespace. A value of none unsets it.
    #[must_use]
    pub fn configure(&self, queue: Option<&QueueName>, name: &str, value: Option<&str>) -> Call<()> {
        self.call("configure", reply::done).arg(whose(queue)).arg(name).arg(value.unwrap_or_default())
    }

    /// Every setting in effect for a queue, or with none for the namespace.
    #[must_use]
    pub fn settings(&self, queue: Option<&QueueName>) -> Call<Vec<Setting>> {
        self.call("settings", reply::list).arg(whose(queue))
    }

    /// Gives a key its own limits. `None`: the queue's setting.
    #[must_use]
    pub fn limit(&self, queue: &QueueName, key: &str, concurrency: Option<u32>, rate: Option<Rate>) -> Call<()> {
        self.set_limit(queue.as_str(), key, concurrency, rate)
    }

    /// The keys of a queue with limits of their own, or those that take places now.
    #[must_use]
    pub fn limits(&self, queue: &QueueName, cursor: &str, limit: u32, options: &LimitsOptions) -> Call<Page<KeyLimit>> {
        self.call("limits", reply::page).arg(queue).arg(cursor).arg(limit).pairs(&options.0)
    }

    /// Sets a shared limit, which tasks of all queues take places of that name it in their option `limits`. `None`: no
    /// bound; with neither it is removed, and with `expires` also once nobody has used it for so long.
    #[must_use]
    pub fn limit_shared(
        &self,
        name: &str,
        concurrency: Option<u32>,
        rate: Option<Rate>,
        options: &LimitOptions,
    ) -> Call<()> {
        self.set_limit(ALL, name, concurrency, rate).pairs(&options.0)
    }

    fn set_limit(&self, of: &str, name: &str, concurrency: Option<u32>, rate: Option<Rate>) -> Call<()> {
        let concurrency = concurrency.map_or(UNSET.to_owned(), |number| number.to_string());
        let rate = rate.map_or(UNSET.to_owned(), |rate| rate.to_string());
        self.call("limit", reply::done).arg(of).arg(name).arg(concurrency).arg(rate)
    }

    /// The shared limits, or those of which tasks take places now.
    #[must_use]
    pub fn shared_limits(&self, cursor: &str, limit: u32, options: &LimitsOptions) -> Call<Page<KeyLimit>> {
        self.call("limits", reply::page).arg(ALL).arg(cursor).arg(limit).pairs(&options.0)
    }

    /// The topology that is stored; none if the namespace is not a partition.
    #[must_use]
    pub fn topology(&self) -> Call<Option<StoredTopology>> {
        self.call("topology", reply::topology)
    }

    /// Stores a topology, whose version is greater, in the place of the one with the version `former`, 0 for none.
    /// `partition`: which partition the namespace is; its name never changes.
    #[must_use]
    pub fn set_topology(&self, former: u32, topology: &Topology, partition: &PartitionName) -> Call<()> {
        let call = self.call("set_topology", reply::done).arg(former).arg(topology.version()).arg(partition);
        topology.names().fold(call.arg(topology.names().len()), Call::arg)
    }

    /// Changes the priority of a waiting task; it goes behind those that have it already.
    #[must_use]
    pub fn prioritise(&self, id: &TaskId, priority: i32) -> Call<()> {
        self.call("prioritise", reply::done).arg(id).arg(priority)
    }
}

fn whose(queue: Option<&QueueName>) -> &str {
    queue.map_or(ALL, QueueName::as_str)
}
