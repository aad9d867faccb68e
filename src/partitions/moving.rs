//! Moving waiting tasks to another partition.
//!
//! A task is first moved to a paused queue of its partition. The name of this queue contains the target, so no worker
//! takes the task, and any process that continues the move knows the target. Then the task is submitted to the target
//! with the same id, which creates it once even if the call is repeated. Then the source task is cancelled, and the
//! reason names the target. If a process dies between two steps, the next call of the same kind completes the move.

use std::collections::BTreeSet;

use super::remote_edges::unless_state;
use super::{Deliverer, Partitions};
use crate::calls::{CancelOptions, NewTask};
use crate::client::Client;
use crate::contract::TASK_OPTIONS;
use crate::error::{Error, Result};
use crate::model::TaskInfo;
use crate::names::{PartitionName, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::topology::GlobalId;

/// Prefix of the queues for tasks that are being moved: `@to:PARTITION:QUEUE`.
const TO: &str = "@to:";

/// Number of tasks that are read at once.
const PAGE: u32 = 500;

/// Maximum number of passes over a queue. Later passes move the tasks that were submitted during the earlier passes.
const PASSES: u32 = 20;

/// Outcome of moving the waiting tasks of a queue or of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Number of tasks that were moved.
    pub moved: u64,
    /// Number of waiting tasks that stay. A task stays if it has run before, belongs to a graph or a schedule, has
    /// upstreams or dependents, or is refused by the target.
    pub left: u64,
    /// Number of running tasks, which stay.
    pub running: u64,
}

impl Moved {
    fn add(&mut self, other: &Self) {
        self.moved += other.moved;
        self.left += other.left;
        self.running += other.running;
    }
}

/// A move of one queue from one partition to another.
struct Way<'a> {
    source: Client,
    target: Client,
    from: &'a PartitionName,
    to: &'a PartitionName,
    queue: QueueName,
    /// The queue of the source that holds tasks during the move.
    between: QueueName,
}

impl Partitions {
    /// Moves the waiting tasks of a queue to another partition, while both are in use. The tasks keep their ids within
    /// the partition and get new global ids. Each source task is cancelled with the reason `moved to PARTITION:ID`.
    /// Running tasks stay, and so do the tasks counted in [`Moved::left`]. Repeat the call after an error or a crash:
    /// no task is lost, and no task runs twice. A failover of the target may lose tasks that it has just received,
    /// unless the partitions were opened with a [`ClientBuilder::durability`](crate::ClientBuilder::durability) that
    /// survives a failover.
    ///
    /// # Errors
    /// [`Error::NotDurable`] if the durability was not reached: the source task is kept then. `BADARG` for a move to
    /// the same partition; `BADNAME` for a queue whose name is too long; the errors of [`Partitions::partition`].
    pub fn move_queue(&self, queue: &str, from: &PartitionName, to: &PartitionName) -> Result<Moved> {
        self.way(queue, from, to)?.all(|_| true)
    }

    /// Moves all waiting tasks of a partition to the remaining partitions, and closes the partition to new tasks
    /// (`CLOSED`). The id of each task chooses its new partition. Repeat the call until no task is left and no task
    /// runs.
    ///
    /// # Errors
    /// The errors of [`Partitions::move_queue`]; `BADARG` if there is no other partition.
    pub fn drain(&self, from: &PartitionName) -> Result<Moved> {
        let source = self.partition(from)?;
        let rest: BTreeSet<PartitionName> = self.names().filter(|name| *name != from).cloned().collect();
        let rest = crate::topology::Topology::new(1, rest)?;
        // Deliveries to placeholders in this partition continue.
        source.queue(Deliverer::QUEUE)?.configure("closed", Some("0"))?;
        source.configure("closed", Some("1"))?;
        let mut all = Moved::default();
        let mut queues = BTreeSet::new();
        for queue in source.queues()? {
            // The queue of a task in an unfinished move is the last part of the name.
            let begun = queue.name.strip_prefix(TO).and_then(|name| name.split_once(':'));
            queues.insert(begun.map_or(queue.name.as_str(), |(_, name)| name).to_owned());
        }
        for queue in queues.iter().filter(|name| !name.starts_with('@')) {
            for to in rest.names() {
                let moved = self.way(queue, from, to)?.all(|id| rest.place(id.as_str()) == Some(to))?;
                all.moved += moved.moved;
            }
            let counts = source.queue(queue)?.counts()?;
            let left = counts.pending + counts.scheduled + counts.waiting;
            all.add(&Moved { moved: 0, left, running: counts.reserved + counts.started });
        }
        Ok(all)
    }

    fn way<'a>(&self, queue: &str, from: &'a PartitionName, to: &'a PartitionName) -> Result<Way<'a>> {
        if from == to {
            return Err(Error::argument(format!("{queue} cannot be moved from the partition {from} to itself")));
        }
        let (source, target) = (self.partition(from)?, self.partition(to)?);
        let between = QueueName::new(format!("{TO}{to}:{queue}"))?;
        Ok(Way { source, target, from, to, queue: QueueName::new(queue)?, between })
    }
}

impl Way<'_> {
    /// Moves the tasks that match `wanted`.
    fn all(&self, wanted: impl Fn(&TaskId) -> bool) -> Result<Moved> {
        let mut all = Moved { moved: self.go_on()?, ..Moved::default() };
        for _ in 0..PASSES {
            let moved = self.pass(&wanted)?;
            all.moved += moved;
            if moved == 0 {
                break;
            }
        }
        let counts = self.source.queue(self.queue.as_str())?.counts()?;
        all.left = counts.pending + counts.scheduled + counts.waiting;
        all.running = counts.reserved + counts.started;
        Ok(all)
    }

    /// Makes one pass over the queue. Returns the number of moved tasks.
    fn pass(&self, wanted: impl Fn(&TaskId) -> bool) -> Result<u64> {
        let mut moved = 0;
        for status in ["pending", "scheduled"] {
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                let page = self.source.call(&self.source.calls().list(&self.queue, status, &at, PAGE))?;
                let ids: Vec<TaskId> = page.items.into_iter().filter_map(|id| TaskId::new(id).ok()).collect();
                let ids: Vec<TaskId> = ids.into_iter().filter(&wanted).collect();
                let free: Vec<TaskId> = self.free(&ids)?;
                if !free.is_empty() {
                    self.hold(&free)?;
                    moved += self.go_on()?;
                }
                cursor = page.next;
            }
        }
        Ok(moved)
    }

    /// Returns the tasks that can be moved: they are independent of other tasks, and their ids are free at the target.
    fn free(&self, ids: &[TaskId]) -> Result<Vec<TaskId>> {
        let (here, there) = (self.source.infos(ids)?, self.target.infos(ids)?);
        let mut free = Vec::new();
        for (id, (here, there)) in ids.iter().zip(here.iter().zip(&there)) {
            if !here.as_ref().is_some_and(is_free) {
                continue;
            }
            match there {
                None => free.push(id.clone()),
                // The target has only the cancelled remainder of an earlier move away from there.
                Some(there) if there.reason() == Some(gone(self.from, id)) => {
                    self.target.call(&self.target.calls().delete(id))?;
                    free.push(id.clone());
                }
                Some(_) => {}
            }
        }
        Ok(free)
    }

    /// Moves tasks to the paused queue, where no worker takes them.
    fn hold(&self, ids: &[TaskId]) -> Result<()> {
        let why = format!("tasks that are being moved to the partition {}", self.to);
        let between = self.source.queue(self.between.as_str())?;
        between.pause("blueque", &why)?;
        between.configure("closed", Some("0"))?;
        for id in ids {
            // A worker may have taken the task, or the task was deleted.
            unless_state(self.source.call(&self.source.calls().move_to(id, &self.between)))?;
        }
        Ok(())
    }

    /// Moves the tasks of the paused queue to the target.
    fn go_on(&self) -> Result<u64> {
        let mut moved = 0;
        loop {
            let mut ids = Vec::new();
            for status in ["pending", "scheduled"] {
                let page = self.source.call(&self.source.calls().list(&self.between, status, "0", PAGE))?;
                ids.extend(page.items.into_iter().filter_map(|id| TaskId::new(id).ok()));
            }
            let (infos, before) = (self.source.infos(&ids)?, moved);
            for (id, info) in ids.iter().zip(infos) {
                let Some(info) = info else { continue };
                moved += u64::from(self.hand_over(id, &info)?);
            }
            if moved == before {
                return Ok(moved);
            }
        }
    }

    /// Submits a task to the target, and cancels the source task. If the target refuses the task, moves it back to its
    /// queue. Returns true if the task was moved.
    fn hand_over(&self, id: &TaskId, info: &TaskInfo) -> Result<bool> {
        let parameters = info.parameters_bytes().unwrap_or_default();
        let task = NewTask::new(id, parameters).eta(info.eta());
        let submitted = self.target.call(&self.target.calls().submit(&self.queue, &[task], &options(info)));
        let calls = self.source.calls();
        match submitted {
            Ok(_) => {
                let cancel = calls.cancel(id, &gone(self.to, id), &CancelOptions::new());
                unless_state(self.source.call(&cancel)).map(|()| true)
            }
            // The target may have the task, but a failover could lose it. The next call submits it again.
            Err(error @ Error::NotDurable { .. }) => Err(error),
            Err(error) if error.is_transient() || matches!(error, Error::Unsuitable { .. }) => Err(error),
            Err(_) => unless_state(self.source.call(&calls.move_to(id, &self.queue))).map(|()| false),
        }
    }
}

/// Returns the reason for the cancel of a moved task.
fn gone(to: &PartitionName, id: &TaskId) -> String {
    format!("moved to {}", GlobalId::new(to.clone(), id.clone()))
}

/// Returns true if a task can be created in another partition: it has never run, and it is independent of other tasks.
fn is_free(info: &TaskInfo) -> bool {
    let has = |field: &str| info.fields.contains_key(field);
    let flagged = info.fields.get("flags").is_some_and(|flags| flags.iter().any(|flag| b"wkdga".contains(flag)));
    info.attempt() == 0 && !flagged && !["checkpoint", "schedule", "graph", "inputs"].into_iter().any(has)
}

/// Returns the options that the task was submitted with.
fn options(info: &TaskInfo) -> TaskOptions {
    let mut options = TaskOptions::default();
    for option in TASK_OPTIONS {
        let stored = option.field.and_then(|field| info.fields.get(field));
        if let Some(value) = stored.and_then(|value| std::str::from_utf8(value).ok()) {
            options.set(option.name, value);
        }
    }
    let size = u32::try_from(info.parameters_bytes().map_or(0, <[u8]>::len)).unwrap_or(u32::MAX);
    options.max_bytes(size.max(1 << 20))
}
