//! Checks the data of the namespace, queue by queue (I1 to I6).

use std::collections::{BTreeMap, BTreeSet};

use redis::{Pipeline, Value};

use super::exam::Exam;
use super::index::Entries;
use super::keys::Scan;
use super::shared::usable;

impl Exam {
    pub fn data(&mut self) -> anyhow::Result<()> {
        let before = self.found.len();
        let scan = self.scan()?;
        if scan.wrong > 0 {
            self.note("tasks", "not checked while keys have a wrong type");
            return Ok(());
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
        let mut seen = BTreeSet::new();
        let all: BTreeSet<String> = listed.iter().chain(&scan.queues).chain(&scan.named).cloned().collect();
        let mut with_tasks = 0;
        for queue in all.iter().filter(|queue| !usable(queue)) {
            self.unusable(queue)?;
        }
        for queue in all.iter().filter(|queue| usable(queue)) {
            let mut entries = self.entries(queue, &scan)?;
            seen.extend(entries.places.keys().cloned());
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
        self.unseen(&scan, &seen)?;
        self.histories(&scan)?;
        self.logs(&scan)?;
        self.rounds(&scan)?;
        self.workers(&scan)?;
        self.schedules(&scan)?;
        if self.found.len() == before {
            let text = format!(
                "{} in {}: every one is where its record says",
                many(seen.len(), "task"),
                many(with_tasks, "queue")
            );
            self.ok("tasks", text);
        }
        Ok(())
    }

    /// Records that are in no index, and times that run backwards.
    fn unseen(&mut self, scan: &Scan, seen: &BTreeSet<String>) -> anyhow::Result<()> {
        let mut lost: BTreeMap<String, Entries> = BTreeMap::new();
        for batch in scan.all("task").chunks(500) {
            let mut pipeline = Pipeline::new();
            for id in batch {
                pipeline
                    .cmd("HMGET")
                    .arg(self.key("task", id))
                    .arg(&["queue", "attempt", "created", "started", "updated"]);
            }
            let records: Vec<Value> = self.send(&pipeline)?;
            for (id, record) in batch.iter().zip(records) {
                let fields: Vec<Option<String>> = redis::from_redis_value(record).unwrap_or_default();
                let mut fields = fields.into_iter();
                let mut next = || fields.next().flatten().filter(|text| !text.is_empty());
                let (queue, attempt) = (next(), next());
                let mut time = || next().and_then(|text| text.parse::<f64>().ok());
                let (created, started, updated) = (time(), time(), time());
                let Some(queue) = queue else {
                    self.stump(id)?;
                    continue;
                };
                if !seen.contains(id) {
                    lost.entry(queue).or_default().add(id, None);
                }
                // Clients without scripts write the time of their own machines.
                let ours = attempt.is_some();
                let back =
                    |from: Option<f64>, to: Option<f64>| matches!((from, to), (Some(a), Some(b)) if a > b + 60.0);
                if ours && (back(created, started.or(updated)) || back(started, updated)) {
                    let todo = "let the machines of clients without scripts be set by NTP";
                    self.finding(
                        "times",
                        format!("{id} was started before it was created, or ended before it started"),
                        todo,
                    );
                }
            }
        }
        for (queue, mut entries) in lost {
            self.places(&queue, &mut entries)?;
        }
        Ok(())
    }

    /// A record without a queue, read atomically: it may just have been deleted.
    fn stump(&mut self, id: &str) -> anyhow::Result<()> {
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

fn many(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
