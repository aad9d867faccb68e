//! Tasks that link partitions: placeholders stand for tasks of other partitions, and carriers deliver the ends of
//! tasks. This module has their ids, methods and parameters.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha1_smol::Sha1;

use crate::constants::RESULT_BYTES;
use crate::error::Result;
use crate::names::{GraphId, LINKS, PartitionName, TaskId};
use crate::options::Submit;
use crate::topology::GlobalId;

/// The queue of placeholders and carriers.
pub(crate) const QUEUE: &str = LINKS;

/// The capability that a deliverer offers. The tasks of the queue need it, so a worker that takes tasks of all queues
/// does not get them.
pub(crate) const OFFER: &str = "blueque-links";

/// Due time of a placeholder without a delivery, later than any real time. A delivery makes the placeholder due.
pub(crate) const NEVER: Duration = Duration::from_secs(90_000_000_000);

/// Maximum size of the payload of a call.
pub(crate) const LARGEST: u32 = RESULT_BYTES;

/// Methods of the links of a graph. [`RESULT`] and [`END`] are methods of placeholders, with and without the upstream's
/// result. [`UNNEEDED`] is the task that runs when no task needs a placeholder. [`PART`] creates the part of another
/// partition, and [`BEGUN`] completes that part.
pub(crate) const RESULT: &str = "result";
pub(crate) const END: &str = "end";
/// Suffix of the methods of a placeholder after its upstream was rerun: earlier deliveries are ignored.
pub(crate) const ANEW: &str = "-anew";
pub(crate) const UNNEEDED: &str = "unneeded";
pub(crate) const PART: &str = "part";
pub(crate) const BEGUN: &str = "begun";

/// A delivery to a placeholder.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Delivery<'a> {
    /// The upstream is complete, with this result.
    Complete(#[serde(borrow)] &'a RawValue),
    /// The upstream will not be complete, for this reason.
    Failed(String),
    /// The upstream was not needed, for this reason.
    Skipped(String),
    /// No delivery has arrived. Placeholders of graphs begin with this value.
    Waits(Waits),
}

/// The first parameters of a placeholder of a graph.
#[derive(Serialize, Deserialize)]
pub(crate) struct Waits {
    /// The partition that decides the creation of the graph.
    pub(crate) home: PartitionName,
    pub(crate) graph: GraphId,
}

impl Waits {
    pub(crate) fn json(self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(&Delivery::Waits(self))?)
    }
}

/// Returns true if a placeholder with this method passes on only an end, without a result.
pub(crate) fn is_of_end(method: Option<&str>) -> bool {
    method.is_some_and(|method| method.strip_suffix(ANEW).unwrap_or(method) == END)
}

/// The id of the task that runs when no task needs a placeholder.
pub(crate) fn unneeded(upstream: &GlobalId) -> Result<TaskId> {
    TaskId::new(format!("@@{upstream}"))
}

/// The id of the task that creates the part of another partition. The last of several such tasks has no number.
pub(crate) fn part(to: &PartitionName, graph: &GraphId, number: Option<usize>) -> Result<TaskId> {
    let number = number.map(|number| format!(".{number}")).unwrap_or_default();
    TaskId::new(format!("@@@{to}:{graph}{number}"))
}

/// The id of the task that completes such a part. The id names the partition that creates the part.
pub(crate) fn begun(home: &PartitionName, graph: &GraphId, number: Option<usize>) -> Result<TaskId> {
    TaskId::new(format!("@{}", part(home, graph, number)?))
}

/// Parses the id of a task that creates or completes a part. Returns the partition in the id, and true if that
/// partition creates the part.
pub(crate) fn other_part(id: &TaskId) -> Option<(PartitionName, bool)> {
    let rest = id.as_str().strip_prefix("@@@")?;
    let own = rest.strip_prefix('@');
    Some((PartitionName::new(own.unwrap_or(rest).split_once(':')?.0).ok()?, own.is_some()))
}

/// Prefix of the ids of receipts.
const RECEIPT: &str = "@part.";

/// Lifetime of a receipt that is not removed. It is longer than all retries of the task that creates the part.
pub(crate) const RECEIPT_STAYS: Duration = Duration::from_secs(30 * 86_400);

/// The id of the receipt of a part in its partition. A receipt proves that a user with write access to that partition
/// staged the part and wants these calls.
pub(crate) fn receipt(part: &[u8]) -> Result<TaskId> {
    TaskId::new(format!("{RECEIPT}{}", Sha1::from(part).digest()))
}

/// Returns true for the id of a receipt.
pub(crate) fn is_receipt(id: &str) -> bool {
    id.starts_with(RECEIPT)
}

/// The id of the note that a partition does not answer.
pub(crate) fn away(name: &PartitionName) -> Result<TaskId> {
    TaskId::new(format!("@away.{name}"))
}

/// A carrier, as encoded in its id: `@TO:ID` has the result of the task, `@TO@ID` runs if the first carrier failed.
pub(crate) struct Carrier {
    pub(crate) to: PartitionName,
    pub(crate) task: TaskId,
    pub(crate) has_result: bool,
}

impl Carrier {
    pub(crate) fn of(id: &TaskId) -> Option<Self> {
        let rest = id.as_str().strip_prefix('@')?;
        let at = rest.find([':', '@'])?;
        let (to, task) = rest.split_at_checked(at)?;
        let has_result = task.starts_with(':');
        Some(Self { to: PartitionName::new(to).ok()?, task: TaskId::new(task.get(1..)?).ok()?, has_result })
    }

    pub(crate) fn id(&self) -> Result<TaskId> {
        let sign = if self.has_result { ':' } else { '@' };
        TaskId::new(format!("@{}{sign}{}", self.to, self.task))
    }
}

/// The options of the tasks in the queue of links. Their retries continue for days while a partition is unreachable.
pub(crate) fn patient() -> Submit {
    let submit = Submit::default().needs(OFFER).max_failures(1_000);
    submit.delay(Duration::from_millis(200)).max_delay(Duration::from_secs(300))
}
