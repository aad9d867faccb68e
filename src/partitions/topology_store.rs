//! Storing the topology in all partitions. Only the blocking link can store a topology.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Partitions, require_partition};
use crate::address::Address;
use crate::connection::Connection;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::names::{Namespace, PartitionName};
use crate::topology::{StoredTopology, Topology};

impl Partitions {
    /// Stores a topology with the names of these partitions in every partition, unless all partitions have it already.
    /// The version is the same in all partitions, and greater than each earlier version. If an error stops the call
    /// after some partitions, the next call stores the topology in all of them again. Needs the role `administrator`.
    ///
    /// # Errors
    /// `TOPOLOGY` if a namespace is already a different partition, or if another client stores a topology at the same
    /// time; the error of the first partition that cannot be reached: then nothing is changed.
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
            Blocking::answer(self.reach(name))?.set_topology(version(stored), &topology, name)?;
        }
        Ok(topology)
    }

    /// Fails if a server is a replica, or if two addresses lead to one namespace of one server. Skips a check if the
    /// user may not read the necessary facts.
    fn are_distinct_masters(&self) -> Result<()> {
        let about = |name: PartitionName, end: Instant| async move {
            let (place, _) = self.place(&name)?;
            let limit = end.saturating_duration_since(Instant::now());
            let address = Address::parse(&place.url)?;
            let connected = address.connect(&place.namespace, limit).map_err(Error::Connection)?;
            Ok(facts(connected, address.database()))
        };
        let mut known: BTreeMap<(String, &Namespace), PartitionName> = BTreeMap::new();
        for (name, (master, server)) in Blocking::answer(self.ask_all(about)).all()? {
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
}

/// Returns the master if the server is a replica, and an identifier of the server and its database.
fn facts(mut server: Connection, database: i64) -> (Option<String>, Option<String>) {
    let mut ask = |section: &str| redis::cmd("INFO").arg(section).query::<String>(&mut server).unwrap_or_default();
    let info = ask("replication") + &ask("server");
    let fact = |name: &str| info.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
    let port = fact("master_port").unwrap_or_default();
    let master = fact("master_host").filter(|_| fact("role") == Some("slave")).map(|host| format!("{host}:{port}"));
    (master, fact("run_id").map(|id| format!("{id} {database}")))
}
