//! Checks the data of the namespace, queue by queue (I1 to I6).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::checks::Checks;
use super::entries::PAGE;
use super::index::Entries;
use super::shared::usable;
use super::task_entries::Place;
use crate::output::many;

impl Checks {
    /// Returns false if the data cannot be read because keys have a wrong type.
    pub fn data(&mut self) -> anyhow::Result<bool> {
        let before = self.findings();
        let mut scan = self.scan()?;
        if scan.wrong > 0 {
            self.note("tasks", "not checked while keys have a wrong type");
            return Ok(false);
        }
        if scan.cut {
            self.note("keys", format!("the first {} keys only; --limit checks more", self.limit));
        }
        let listed: Vec<String> = self.ask(&["ZRANGE", &format!("{}queues", self.prefix), "0", "9999"])?;
        let listed: BTreeSet<String> = listed.into_iter().collect();
        for queue in scan.queues.difference(&listed).filter(|queue| usable(queue)) {
            let todo = "submit a task to it, or start a worker for it: both add it to the list";
            self.finding("queues", format!("{queue} has tasks, but is not in the list of queues"), todo);
        }
        self.meta()?;
        let all: BTreeSet<String> = listed.iter().chain(&scan.queues).chain(&scan.named).cloned().collect();
        let mut dated = self.dated()?;
        let (mut tasks, mut with_tasks) = (0, 0);
        self.bar("tasks", scan.unseen.len() as u64);
        for queue in all.iter().filter(|queue| !usable(queue)) {
            self.unusable(queue)?;
        }
        for queue in all.iter().filter(|queue| usable(queue)) {
            let mut entries = self.entries(queue, &scan)?;
            for id in entries.places.keys() {
                scan.unseen.remove(id);
            }
            entries.date(&mut dated);
            tasks += entries.places.len();
            with_tasks += usize::from(listed.contains(queue) || scan.queues.contains(queue));
            self.bounds(queue)?;
            self.unwatched(queue)?;
            self.places(queue, &mut entries)?;
            self.needs(queue, &entries)?;
            self.turns(queue, &scan)?;
            self.limits(queue, &scan)?;
            self.names(queue, &scan)?;
            self.days(queue, &scan)?;
        }
        let all = all.into_iter().filter(|queue| usable(queue)).collect();
        self.shared_limits(&all)?;
        self.unindexed(&all)?;
        tasks += self.unseen(std::mem::take(&mut scan.unseen))?;
        self.undated(dated.into_keys())?;
        self.graphs(&scan)?;
        self.whole_graphs(&scan)?;
        self.histories(&scan)?;
        self.logs(&scan)?;
        self.rounds(&scan)?;
        self.workers(&scan)?;
        self.schedules(&scan)?;
        if self.findings() == before && !scan.cut {
            let text =
                format!("{} in {}: every one is where its record says", many(tasks, "task"), many(with_tasks, "queue"));
            self.ok("tasks", text);
        }
        Ok(true)
    }

    /// Returns the name of the key with the deadlines of all queues.
    pub fn deadlines(&self) -> String {
        format!("{}deadlines", self.prefix)
    }

    /// Reads the deadlines of tasks, by their ids.
    fn dated(&mut self) -> anyhow::Result<HashMap<String, Place>> {
        let mut dated = HashMap::new();
        let size = self.limit.min(PAGE);
        loop {
            let (from, last) = (dated.len(), dated.len() + size - 1);
            let question = ["ZRANGE", &self.deadlines(), &from.to_string(), &last.to_string(), "WITHSCORES"];
            let page: Vec<(Vec<u8>, f64)> = self.ask(&question)?;
            let full = page.len() == size;
            let pairs = page.into_iter();
            dated.extend(pairs.map(|(id, at)| (String::from_utf8_lossy(&id).into_owned(), Place::deadline(at))));
            // A task that moved between two pages may have been read twice.
            if !full || dated.len() >= self.limit || dated.len() == from {
                return Ok(dated);
            }
        }
    }

    /// Reports deadlines of tasks that belong to no queue.
    fn undated(&mut self, ids: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
        let asked: Vec<(_, (bool, Option<f64>))> = self.each(ids, |checks, pipeline, id| {
            pipeline.cmd("EXISTS").arg(checks.key("task", id)).cmd("ZSCORE").arg(checks.deadlines()).arg(id);
        })?;
        for (id, _) in asked.into_iter().filter(|(_, answer)| matches!(answer, (false, Some(_)))) {
            let todo = "a worker removes it when the deadline has passed";
            self.finding("tasks", format!("{id} is in the deadlines, but has no record"), todo);
        }
        Ok(())
    }

    /// Reports records that are in no index, and returns their number.
    fn unseen(&mut self, ids: HashSet<String>) -> anyhow::Result<usize> {
        let number = ids.len();
        let mut lost: BTreeMap<String, Entries> = BTreeMap::new();
        let asked: Vec<(_, (Option<String>,))> = self.each(ids, |checks, pipeline, id| {
            pipeline.cmd("HGET").arg(checks.key("task", id)).arg("queue");
        })?;
        for (id, (queue,)) in asked {
            match queue.filter(|queue| !queue.is_empty()) {
                Some(queue) => drop(lost.entry(queue).or_default().at_least(&id)),
                None => self.stump(&id)?,
            }
        }
        for (queue, mut entries) in lost {
            self.places(&queue, &mut entries)?;
        }
        Ok(number)
    }

    /// Reports a record that has no queue. The record is read atomically, because the task may just have been deleted.
    pub fn stump(&mut self, id: &str) -> anyhow::Result<()> {
        let key = self.key("task", id);
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("EXISTS").arg(&key).cmd("HGET").arg(&key).arg("queue");
        let (exists, queue): (bool, Option<String>) = self.send(&pipeline)?;
        if exists && queue.is_none_or(|queue| queue.is_empty()) {
            let text = format!("the record of {id} has no queue: a late update of a deleted task");
            self.finding("tasks", text, format!("DEL {key}"));
        }
        Ok(())
    }
}
