//! The topology of partitions: their names, the partition of a key, and task ids that contain the partition.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use crate::error::{Code, Error, Result};
use crate::names::{PartitionName, TaskId};

/// Maximum number of partitions of a topology.
pub(crate) const MOST: usize = 1_000;

/// The id of a task among several partitions: `PARTITION:ID`, with the id within the partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GlobalId {
    partition: PartitionName,
    task: TaskId,
}

impl GlobalId {
    /// Creates the global id of a task in a partition.
    #[must_use]
    pub fn new(partition: PartitionName, task: TaskId) -> Self {
        Self { partition, task }
    }

    /// The partition of the task.
    #[must_use]
    pub fn partition(&self) -> &PartitionName {
        &self.partition
    }

    /// The id of the task within the partition.
    #[must_use]
    pub fn task(&self) -> &TaskId {
        &self.task
    }
}

impl fmt::Display for GlobalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}", self.partition, self.task))
    }
}

impl FromStr for GlobalId {
    type Err = Error;

    /// Splits the text at its first colon.
    ///
    /// # Errors
    /// `BADNAME` for a text without a colon, or if one of the two parts is not a valid name.
    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some((partition, task)) => Ok(Self { partition: PartitionName::new(partition)?, task: TaskId::new(task)? }),
            None => Err(Error::name("the id of a task of a partition must be PARTITION:ID")),
        }
    }
}

impl TryFrom<String> for GlobalId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<GlobalId> for String {
    fn from(id: GlobalId) -> Self {
        id.to_string()
    }
}

/// The partitions that belong together: their names, and a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    version: u32,
    names: BTreeSet<PartitionName>,
}

impl Topology {
    /// Creates a topology of 1 to 1,000 partitions, with a version from 1 to 1,000,000,000.
    ///
    /// # Errors
    /// `BADARG` for a number outside these bounds, and for a duplicate name.
    pub fn new(version: u32, names: impl IntoIterator<Item = PartitionName>) -> Result<Self> {
        let mut known = BTreeSet::new();
        for name in names {
            if !known.insert(name.clone()) {
                return Err(Error::argument(format!("the partition {name} is named twice")));
            }
        }
        if !(1..=MOST).contains(&known.len()) {
            return Err(Error::argument(format!("a topology must have 1 to {MOST} partitions, not {}", known.len())));
        }
        if !(1..=1_000_000_000).contains(&version) {
            return Err(Error::argument("the version of a topology must be a whole number from 1 to 1000000000"));
        }
        Ok(Self { version, names: known })
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The names of the partitions, in the order of their bytes.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &PartitionName> {
        self.names.iter()
    }

    /// Returns true if the topology has a partition of this name.
    #[must_use]
    pub fn has(&self, name: &PartitionName) -> bool {
        self.names.contains(name)
    }

    /// The partition of a key. It is the partition for which the first eight bytes of the SHA-1 of `NAME:KEY` are the
    /// largest number. If a partition is added, only the keys of the new partition move.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<&PartitionName> {
        self.names.iter().max_by_key(|name| weight(name, key))
    }

    /// Fails unless a partition has stored this topology.
    ///
    /// # Errors
    /// `TOPOLOGY` with the differences.
    pub fn require(&self, stored: &Self) -> Result<()> {
        self.require_names(stored)?;
        if self.version == stored.version {
            return Ok(());
        }
        let text =
            format!("the partition has version {} of the topology, this client {}", stored.version, self.version);
        Err(refused(&text))
    }

    /// Fails unless a partition has stored the same names. The version may differ.
    pub(crate) fn require_names(&self, stored: &Self) -> Result<()> {
        if self.names == stored.names {
            return Ok(());
        }
        let more = |who: &str, one: &Self, other: &Self| {
            let names: Vec<_> = one.names.difference(&other.names).map(PartitionName::as_str).collect();
            if names.is_empty() { String::new() } else { format!("; {who} has also {}", names.join(",")) }
        };
        let (theirs, own) = (more("it", stored, self), more("this client", self, stored));
        Err(refused(&format!("the partition has another topology, version {}{theirs}{own}", stored.version)))
    }
}

fn refused(what: &str) -> Error {
    Error::Unsuitable { code: Code::Topology, text: format!("{what}: give the client the stored topology") }
}

/// The weight of a partition for a key. The partition with the largest weight has the key.
fn weight(name: &PartitionName, key: &str) -> u64 {
    let digest = Sha1::from(format!("{name}:{key}")).digest().bytes();
    digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The topology that a partition has stored, and its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredTopology {
    /// The name of the partition itself.
    pub partition: PartitionName,
    /// All partitions.
    pub topology: Topology,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{GlobalId, Topology};
    use crate::names::{PartitionName, TaskId};

    fn topology(version: u32, names: impl IntoIterator<Item = String>) -> Topology {
        Topology::new(version, names.into_iter().map(|name| PartitionName::new(name).unwrap())).unwrap()
    }

    fn numbered(count: usize) -> Topology {
        topology(1, (1..=count).map(|number| number.to_string()))
    }

    #[test]
    fn keys_have_the_partitions_of_the_documentation() {
        let page = include_str!("../docs/run/partitions.md");
        let mut seen = 0;
        for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
            let cells: Vec<_> = row.trim_end_matches(" |").split(" | ").map(|cell| cell.trim_matches('`')).collect();
            let [key, names, place] = cells[..] else { continue };
            let all = topology(1, names.split(' ').map(str::to_owned));
            assert_eq!(all.place(key).unwrap().as_str(), place, "{key} among {names}");
            seen += 1;
        }
        assert_eq!(seen, 8);
    }

    #[test]
    fn one_partition_more_takes_its_share_of_the_keys_and_moves_no_other() {
        for count in [1_usize, 2, 4, 9] {
            let (before, after) = (numbered(count), numbered(count + 1));
            let added = PartitionName::new((count + 1).to_string()).unwrap();
            let mut moved = 0_usize;
            for key in (0..10_000).map(|number| format!("key-{number}")) {
                let (old, new) = (before.place(&key).unwrap(), after.place(&key).unwrap());
                assert!(old == new || new == &added, "{key} went from {old} to {new}");
                moved += usize::from(old != new);
            }
            let share = 10_000 / (count + 1);
            assert!(moved.abs_diff(share) < share / 5, "{moved} of 10000 moved to the new one of {}", count + 1);
        }
    }

    #[test]
    fn an_id_names_its_partition_up_to_the_first_colon() {
        let id: GlobalId = "1:a:b".parse().unwrap();
        assert_eq!(id, GlobalId::new(PartitionName::new("1").unwrap(), TaskId::new("a:b").unwrap()));
        assert_eq!(id.to_string(), "1:a:b");
        for bad in ["", "a", ":", "1:", ":a", "1@:a", "1: a"] {
            assert_eq!(bad.parse::<GlobalId>().unwrap_err().word(), "BADNAME", "{bad:?}");
        }
    }

    #[test]
    fn a_topology_with_no_or_equal_names_is_refused() {
        let name = |text: &str| PartitionName::new(text).unwrap();
        assert_eq!(Topology::new(1, []).unwrap_err().word(), "BADARG");
        assert_eq!(Topology::new(1, [name("a"), name("b"), name("a")]).unwrap_err().word(), "BADARG");
        assert_eq!(Topology::new(0, [name("a")]).unwrap_err().word(), "BADARG");
    }

    #[test]
    fn a_client_with_another_topology_learns_what_differs() {
        let (own, stored) =
            (topology(3, ["1", "2"].map(str::to_owned)), topology(4, ["1", "3", "4"].map(str::to_owned)));
        own.require(&own.clone()).unwrap();
        let refused = own.require(&stored).unwrap_err();
        assert_eq!(refused.word(), "TOPOLOGY");
        assert_eq!(
            refused.to_string(),
            "TOPOLOGY: the partition has another topology, version 4; it has also 3,4; this client has also 2: give the \
             client the stored topology"
        );
        let older = own.require(&topology(4, ["1", "2"].map(str::to_owned))).unwrap_err();
        assert!(older.to_string().contains("has version 4 of the topology, this client 3"), "{older}");
    }
}
