//! Moving waiting tasks to another partition.
//!
//! A task is first moved to a queue of its partition that is paused, and named after the target: from then on no worker
//! takes it, and whoever goes on knows where it goes. Then it is submitted there with its id, which happens once however
//! often it is tried. Then the one that is left is cancelled, and its reason says where it went. A process that dies
//! between two of these steps leaves work that the next call of the same kind does.

use std::collections::BTreeSet;

use super::{Deliverer, Partitions};
use crate::calls::{CancelOptions, NewTask};
use crate::client::Client;
use crate::contract::TASK_OPTIONS;
use crate::error::{Code, Error, Result};
use crate::model::TaskInfo;
use crate::names::{PartitionName, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::topology::GlobalId;

/// What begins the name of a queue of tasks that are being moved: `@to:PARTITION:QUEUE`.
const TO: &str = "@to:";

/// Tasks that are read at once.
const PAGE: u32 = 500;

/// How often a queue is gone through, for tasks that come meanwhile.
const PASSES: u32 = 20;

/// What has become of the waiting tasks of a queue, or of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Those that were moved.
    pub moved: u64,
    /// Those that wait and stay: they have begun, are of a graph or a schedule, wait for others or others for them, or the
    /// target refuses them.
    pub left: u64,
    /// Those that run, which are not touched.
    pub running: u64,
}

impl Moved {
    fn add(&mut self, other: &Self) {
        self.moved += other.moved;
        self.left += other.left;
        self.running += other.running;
    }
}

/// A way from one partition to another.
struct Way<'a> {
    source: Client,
    target: Client,
    from: &'a PartitionName,
    to: &'a PartitionName,
    queue: QueueName,
    /// Where tasks are while they are moved.
    between: QueueName,
}

impl Partitions {
    /// Moves the waiting tasks of a queue to another partition, while both are in use. They keep their ids there, so each
    /// gets another global id; what is left of it is cancelled, with the reason `moved to PARTITION:ID`. Tasks that run
    /// stay, and so do those of [`Moved::left`]. Call it again after an error, or the end of the process, and nothing is
    /// lost or runs twice. A failover of the target may lose what it has just got, unless these partitions were opened with a
    /// [`PartitionsBuilder::durability`](super::PartitionsBuilder::durability) that it keeps.
    ///
    /// # Errors
    /// [`Error::NotDurable`] if that was not reached: the task is not given up yet. `BADARG` from a partition to itself; `BADNAME` for a queue whose name is too long; those of
    /// [`Partitions::partition`].
    pub fn move_queue(&self, queue: &str, from: &PartitionName, to: &PartitionName) -> Result<Moved> {
        self.way(queue, from, to)?.all(|_| true)
    }

    /// Moves all waiting tasks of a partition to the others, each to the one that its id chooses, and has it accept no new
    /// ones (`CLOSED`). Repeat it until nothing is left and nothing runs.
    ///
    /// # Errors
    /// As [`Partitions::move_queue`]; `BADARG` for the only partition.
    pub fn drain(&self, from: &PartitionName) -> Result<Moved> {
        let source = self.partition(from)?;
        let rest: BTreeSet<PartitionName> = self.names().filter(|name| *name != from).cloned().collect();
        let rest = crate::topology::Topology::new(1, rest)?;
        // What was promised to tasks elsewhere is still carried to them.
        source.queue(Deliverer::QUEUE)?.configure("closed", Some("0"))?;
        source.configure("closed", Some("1"))?;
        let mut all = Moved::default();
        let mut queues = BTreeSet::new();
        for queue in source.queues()? {
            // What is on its way is of a queue, too.
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
    /// Moves those that are `wanted`.
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

    /// Goes through the queue once.
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

    /// Those that nothing else is tied to, and whose ids are free at the target.
    fn free(&self, ids: &[TaskId]) -> Result<Vec<TaskId>> {
        let (here, there) = (self.source.infos(ids)?, self.target.infos(ids)?);
        let mut free = Vec::new();
        for (id, (here, there)) in ids.iter().zip(here.iter().zip(&there)) {
            if !here.as_ref().is_some_and(is_free) {
                continue;
            }
            match there {
                None => free.push(id.clone()),
                // It comes back to where it was.
                Some(there) if there.reason() == Some(gone(self.from, id)) => {
                    self.target.call(&self.target.calls().delete(id))?;
                    free.push(id.clone());
                }
                Some(_) => {}
            }
        }
        Ok(free)
    }

    /// Takes them out of the reach of workers.
    fn hold(&self, ids: &[TaskId]) -> Result<()> {
        let why = format!("tasks that are being moved to the partition {}", self.to);
        let between = self.source.queue(self.between.as_str())?;
        between.pause("blueque", &why)?;
        between.configure("closed", Some("0"))?;
        for id in ids {
            match self.source.call(&self.source.calls().move_to(id, &self.between)) {
                // A worker has taken it, or it was deleted.
                Ok(()) | Err(Error::State { .. } | Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Moves what is on its way.
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

    /// Submits a task at the target, and cancels the one that is left. Puts it back if the target refuses it.
    fn hand_over(&self, id: &TaskId, info: &TaskInfo) -> Result<bool> {
        let parameters = info.parameters_bytes().unwrap_or_default();
        let task = NewTask::new(id, parameters).eta(info.eta());
        let submitted = self.target.call(&self.target.calls().submit(&self.queue, &[task], &options(info)));
        let calls = self.source.calls();
        match submitted {
            Ok(_) => match self.source.call(&calls.cancel(id, &gone(self.to, id), &CancelOptions::new())) {
                Ok(_) | Err(Error::State { .. } | Error::NotFound) => Ok(true),
                Err(error) => Err(error),
            },
            // It may be there, but not where a failover of the target keeps it: the next call asks again.
            Err(error @ Error::NotDurable { .. }) => Err(error),
            Err(error) if error.is_transient() || matches!(error, Error::Unsuitable { .. }) => Err(error),
            Err(_) => match self.source.call(&calls.move_to(id, &self.queue)) {
                Ok(()) | Err(Error::State { .. } | Error::NotFound) => Ok(false),
                Err(error) if error.code() == Some(Code::Duplicate) => Ok(false),
                Err(error) => Err(error),
            },
        }
    }
}

/// Why the task that is left was cancelled.
fn gone(to: &PartitionName, id: &TaskId) -> String {
    format!("moved to {}", GlobalId::new(to.clone(), id.clone()))
}

/// Whether a task can be made anew elsewhere: nothing of it has run, and it is tied to no other.
fn is_free(info: &TaskInfo) -> bool {
    let has = |field: &str| info.fields.contains_key(field);
    let tied = info.fields.get("ties").is_some_and(|ties| ties.iter().any(|tie| b"wkdga".contains(tie)));
    info.attempt() == 0 && !tied && !["checkpoint", "schedule", "graph", "inputs"].into_iter().any(has)
}

/// The options that it was submitted with.
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
