//! The keys of the namespace (I4, I5, I6), and the entries of each queue's indexes.

use std::collections::{BTreeMap, BTreeSet};

use redis::{Pipeline, Value};

use super::Exam;
use super::index::{Entries, Place};

/// Entries read at once.
const PAGE: usize = 1_000;

/// An event stream is cut at about 10,000.
const EVENTS: usize = 11_000;

/// Names of keys that another name follows, with their types.
const KINDS: [(&str, &str); 17] = [
    ("task", "hash"),
    ("tasks", "zset"),
    ("pending_tasks", "list"),
    ("reserved_tasks", "list"),
    ("started_tasks", "set"),
    ("scheduled_tasks", "zset"),
    ("complete_tasks", "list"),
    ("failed_tasks", "list"),
    ("cancelled_tasks", "list"),
    ("listeners", "set"),
    ("wake", "list"),
    ("leases", "zset"),
    ("orders", "hash"),
    ("seen", "zset"),
    ("events", "stream"),
    ("suspects", "hash"),
    ("log", "stream"),
];

const LISTS: [&str; 4] = ["pending_tasks", "complete_tasks", "failed_tasks", "cancelled_tasks"];

/// What the look at the keys found.
#[derive(Default)]
struct Scan {
    records: Vec<String>,
    /// `QUEUE_LISTENER`
    held: Vec<String>,
    /// Queues that have tasks.
    queues: BTreeSet<String>,
    /// Of a wrong type: these are not read.
    wrong: usize,
    cut: bool,
}

impl Exam {
    pub fn data(&mut self) -> anyhow::Result<()> {
        let before = self.found.len();
        let scan = self.scan()?;
        if scan.wrong > 0 {
            self.note("tasks", "not looked at while keys have a wrong type");
            return Ok(());
        }
        if scan.cut {
            self.note("keys", format!("the first {} keys only; --limit looks at more", self.limit));
        }
        let listed: Vec<String> = self.ask(&["ZRANGE", &format!("{}queues", self.prefix), "0", "9999"])?;
        let listed: BTreeSet<String> = listed.into_iter().collect();
        for queue in scan.queues.difference(&listed) {
            let todo = "submit a task to it, or start a worker for it: both add it to the list";
            self.finding("queues", format!("{queue} has tasks, but is not in the list of queues"), todo);
        }
        let all: BTreeSet<&String> = listed.iter().chain(&scan.queues).collect();
        let mut seen = BTreeSet::new();
        for queue in &all {
            let entries = self.entries(queue, &scan)?;
            seen.extend(entries.places.keys().cloned());
            self.bounds(queue)?;
            self.places(queue, &entries)?;
        }
        self.unseen(&scan, &seen)?;
        if self.found.len() == before {
            let text = format!(
                "{} in {}: every one is where its record says",
                many(seen.len(), "task"),
                many(all.len(), "queue")
            );
            self.ok("tasks", text);
        }
        Ok(())
    }

    /// Every key of the namespace: whether it is known and of its type.
    fn scan(&mut self) -> anyhow::Result<Scan> {
        let mut scan = Scan::default();
        let mut looked_at = 0;
        let mut cursor = "0".to_owned();
        loop {
            let pattern = format!("{}*", self.prefix);
            let (next, keys): (String, Vec<Vec<u8>>) =
                self.ask(&["SCAN", &cursor, "MATCH", &pattern, "COUNT", &PAGE.to_string()])?;
            looked_at += keys.len();
            let mut types = Pipeline::new();
            for key in &keys {
                types.cmd("TYPE").arg(key);
            }
            let types: Vec<String> = if keys.is_empty() { Vec::new() } else { self.send(&types)? };
            for (key, kind) in keys.iter().zip(&types) {
                self.known(&String::from_utf8_lossy(key), kind, &mut scan);
            }
            cursor = next;
            if cursor == "0" {
                return Ok(scan);
            }
            if looked_at >= self.limit {
                scan.cut = true;
                return Ok(scan);
            }
        }
    }

    fn known(&mut self, key: &str, found: &str, scan: &mut Scan) {
        let name = key.strip_prefix(&self.prefix).unwrap_or(key);
        // `tasks_…` does not begin with `task_`, and no other name is the beginning of another.
        let kind = KINDS.iter().find_map(|&(kind, of)| Some((kind, of, name.strip_prefix(kind)?.strip_prefix('_')?)));
        let expected = match (name, kind) {
            ("queues", _) => "zset",
            ("meta", _) => "hash",
            (_, Some((_, of, _))) => of,
            _ => {
                let todo = "no client of Blueque made it: remove it, or give its owner another name";
                return self.finding("keys", format!("{key} is unknown"), todo);
            }
        };
        // Gone since it was named.
        if found == "none" {
            return;
        }
        if found != expected {
            scan.wrong += 1;
            let todo = "rename or remove it: no call that needs it succeeds";
            return self.finding("keys", format!("{key} is a {found} and must be a {expected}"), todo);
        }
        match kind {
            Some(("task", _, id)) => scan.records.push(id.to_owned()),
            Some(("reserved_tasks", _, list)) => scan.held.push(list.to_owned()),
            Some(("tasks" | "pending_tasks" | "scheduled_tasks", _, queue)) => {
                scan.queues.insert(queue.to_owned());
            }
            _ => {}
        }
    }

    /// Reads the indexes of a queue.
    fn entries(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<Entries> {
        let mut entries = Entries::default();
        for list in LISTS {
            let key = self.key(list, queue);
            self.pages(&key, &["LRANGE"], &mut entries, |entries, id| entries.add(id, Some(Place::List(list))))?;
        }
        let key = self.key("scheduled_tasks", queue);
        self.pages(&key, &["ZRANGE"], &mut entries, |entries, id| entries.add(id, Some(Place::Scheduled)))?;
        let key = self.key("tasks", queue);
        self.pages(&key, &["ZRANGE"], &mut entries, |entries, id| entries.add(id, Some(Place::All)))?;
        let key = self.key("leases", queue);
        self.pages(&key, &["ZRANGE"], &mut entries, |entries, lease| {
            let (id, token) = lease.split_once(' ').unwrap_or((lease, ""));
            entries.add(id, Some(Place::Lease(token.to_owned())));
        })?;
        let started = self.members(&self.key("started_tasks", queue), &mut entries.cut)?;
        for entry in &started {
            let (owner, id) = entry.rsplit_once(' ').unwrap_or(("", entry));
            entries.add(id, Some(Place::Started(format!("{owner} "))));
        }
        let listeners = self.members(&self.key("listeners", queue), &mut entries.cut)?;
        let known: BTreeSet<&str> = listeners.iter().map(String::as_str).collect();
        let lists: BTreeSet<&str> = scan
            .held
            .iter()
            .filter_map(|list| list.strip_prefix(queue)?.strip_prefix('_'))
            // Of `a` and `a_b`, only one is the queue of `a_b_host_1`: a listener has one underscore.
            .filter(|listener| listener.matches('_').count() == 1)
            .collect();
        for listener in known.union(&lists) {
            let key = self.key("reserved_tasks", &format!("{queue}_{listener}"));
            let mut any = false;
            self.pages(&key, &["LRANGE"], &mut entries, |entries, id| {
                any = true;
                entries.add(id, Some(Place::Reserved((*listener).to_owned())));
            })?;
            if any && !known.contains(listener) {
                self.stray(queue, listener)?;
            }
        }
        if entries.cut {
            self.note(
                "tasks",
                format!("{queue}: the first {} entries of each index; --limit looks at more", self.limit),
            );
        }
        Ok(entries)
    }

    /// A record without a queue, looked at at one moment: it may just have been deleted.
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

    /// A list of tasks whose listener nobody knows, looked at at one moment.
    fn stray(&mut self, queue: &str, listener: &str) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("SISMEMBER").arg(self.key("listeners", queue)).arg(listener);
        pipeline.cmd("LLEN").arg(self.key("reserved_tasks", &format!("{queue}_{listener}")));
        let (known, held): (bool, usize) = self.send(&pipeline)?;
        if !known && held > 0 {
            let todo = "a worker sets this right within minutes, after their leases";
            self.finding("listeners", format!("{listener} is not registered on {queue}, but holds {held} tasks"), todo);
        }
        Ok(())
    }

    /// Reads a list or a zset page by page, up to the limit.
    fn pages(
        &mut self,
        key: &str,
        command: &[&str],
        entries: &mut Entries,
        mut take: impl FnMut(&mut Entries, &str),
    ) -> anyhow::Result<()> {
        let size = self.limit.min(PAGE);
        let mut from = 0;
        loop {
            let (first, last) = (from.to_string(), (from + size - 1).to_string());
            let question: Vec<&str> = command.iter().copied().chain([key, first.as_str(), last.as_str()]).collect();
            let page: Vec<Vec<u8>> = self.ask(&question)?;
            for id in &page {
                take(entries, &String::from_utf8_lossy(id));
            }
            from += page.len();
            if page.len() < size {
                return Ok(());
            }
            if from >= self.limit {
                entries.cut = true;
                return Ok(());
            }
        }
    }

    /// Reads a set, up to the limit.
    fn members(&mut self, key: &str, cut: &mut bool) -> anyhow::Result<BTreeSet<String>> {
        let mut members = BTreeSet::new();
        let mut cursor = "0".to_owned();
        loop {
            let (next, page): (String, Vec<Vec<u8>>) =
                self.ask(&["SSCAN", key, &cursor, "COUNT", &PAGE.to_string()])?;
            members.extend(page.iter().map(|member| String::from_utf8_lossy(member).into_owned()));
            cursor = next;
            if cursor == "0" {
                return Ok(members);
            }
            if members.len() >= self.limit {
                *cut = true;
                return Ok(members);
            }
        }
    }

    /// Numbers that must agree, and lengths that have a bound.
    fn bounds(&mut self, queue: &str) -> anyhow::Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("ZSCORE").arg(format!("{}queues", self.prefix)).arg(queue);
        pipeline.cmd("SCARD").arg(self.key("listeners", queue));
        pipeline.cmd("XLEN").arg(self.key("events", queue));
        pipeline.cmd("LLEN").arg(self.key("wake", queue));
        let (counted, listeners, events, wakes): (Option<f64>, usize, usize, usize) = self.send(&pipeline)?;
        #[allow(clippy::cast_precision_loss, reason = "nobody has 2^52 listeners")]
        let agrees = counted.is_none_or(|counted| (counted - listeners as f64).abs() < 0.5);
        if !agrees {
            let text = format!("{queue} counts {} listeners and has {listeners}", counted.unwrap_or(0.0));
            self.finding("queues", text, "no loss: it is set right when a listener comes or goes");
        }
        if events > EVENTS {
            let text = format!("{queue} keeps {events} events, the bound is about 10,000");
            self.finding("events", text, "another client writes them: look at who does");
        }
        if wakes > 1 {
            let text = format!("{queue} keeps {wakes} wake-ups, the bound is 1");
            self.finding("wake", text, "another client writes them: look at who does");
        }
        Ok(())
    }

    /// Records that no index names, and times that run back.
    fn unseen(&mut self, scan: &Scan, seen: &BTreeSet<String>) -> anyhow::Result<()> {
        let mut lost: BTreeMap<String, Entries> = BTreeMap::new();
        for batch in scan.records.chunks(500) {
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
                        format!("{id} was started before it was made, or ended before it started"),
                        todo,
                    );
                }
            }
        }
        for (queue, entries) in lost {
            self.places(&queue, &entries)?;
        }
        Ok(())
    }
}

fn many(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
