//! The tasks that stand for tasks of other partitions, and those that carry their ends: their ids, methods and parameters.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha1_smol::Sha1;

use crate::constants::RESULT_BYTES;
use crate::error::Result;
use crate::names::{GraphId, PartitionName, TaskId};
use crate::options::Submit;
use crate::topology::GlobalId;

/// The queue of placeholders and carriers.
pub(crate) const QUEUE: &str = "@links";

/// What only those who deliver offer: a worker that takes all queues leaves these tasks alone.
pub(crate) const OFFER: &str = "blueque-links";

/// A placeholder is due when something has been delivered: this is later than all that.
pub(crate) const NEVER: Duration = Duration::from_secs(90_000_000_000);

/// The largest payload that a call takes.
pub(crate) const LARGEST: u32 = RESULT_BYTES;

/// Methods of the links of a graph: of placeholders, whether somebody gets the result; of the task that runs when nobody
/// needs a placeholder any more; of what brings another part; of what such a part is completed with.
pub(crate) const RESULT: &str = "result";
pub(crate) const END: &str = "end";
/// What is added to these two once the upstream runs anew: what was delivered before does not count then.
pub(crate) const ANEW: &str = "-anew";
pub(crate) const UNNEEDED: &str = "unneeded";
pub(crate) const PART: &str = "part";
pub(crate) const BEGUN: &str = "begun";

/// What a placeholder gets.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Delivery<'a> {
    /// The upstream is complete, with this result.
    Complete(#[serde(borrow)] &'a RawValue),
    /// It will not be, because of this.
    Failed(String),
    /// Nothing yet, in a graph.
    Waits(Waits),
}

/// What a placeholder of a graph knows before it gets anything.
#[derive(Serialize, Deserialize)]
pub(crate) struct Waits {
    /// The partition that decides whether there is a graph.
    pub(crate) home: PartitionName,
    pub(crate) graph: GraphId,
}

impl Waits {
    pub(crate) fn json(self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(&Delivery::Waits(self))?)
    }
}

/// Whether a placeholder with this method stands for an end alone, without a result.
pub(crate) fn is_of_end(method: Option<&str>) -> bool {
    method.is_some_and(|method| method.strip_suffix(ANEW).unwrap_or(method) == END)
}

/// The id of what is told when nobody needs a placeholder any more.
pub(crate) fn unneeded(upstream: &GlobalId) -> Result<TaskId> {
    TaskId::new(format!("@@{upstream}"))
}

/// The id of what brings the part of another partition. The last one of several has no number.
pub(crate) fn part(to: &PartitionName, graph: &GraphId, number: Option<usize>) -> Result<TaskId> {
    let number = number.map(|number| format!(".{number}")).unwrap_or_default();
    TaskId::new(format!("@@@{to}:{graph}{number}"))
}

/// The id of what such a part is completed with, which names the partition that brings it.
pub(crate) fn begun(home: &PartitionName, graph: &GraphId, number: Option<usize>) -> Result<TaskId> {
    TaskId::new(format!("@{}", part(home, graph, number)?))
}

/// The partition that one of these ids names, and whether that is the one which brings the other.
pub(crate) fn other_part(id: &TaskId) -> Option<(PartitionName, bool)> {
    let rest = id.as_str().strip_prefix("@@@")?;
    let own = rest.strip_prefix('@');
    Some((PartitionName::new(own.unwrap_or(rest).split_once(':')?.0).ok()?, own.is_some()))
}

/// What the id of a receipt begins with.
const RECEIPT: &str = "@part.";

/// How long a receipt stays if nobody removes it: longer than what brings a part is tried again.
pub(crate) const RECEIPT_STAYS: Duration = Duration::from_secs(30 * 86_400);

/// The id of the receipt of a part in its partition: whoever staged it there, and so may write there, wants these calls.
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

/// A carrier, as its id says: `@TO:ID` has the result of the task, `@TO@ID` runs if the other one failed.
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

/// The options of what the queue has: a partition that is away for days is waited for.
pub(crate) fn patient() -> Submit {
    let submit = Submit::default().needs(OFFER).max_failures(1_000);
    submit.delay(Duration::from_millis(200)).max_delay(Duration::from_secs(300))
}
