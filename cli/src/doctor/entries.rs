//! Reads the indexes of a queue, each up to the limit.

use std::collections::BTreeSet;

use blueque::Status;
use redis::Pipeline;

use super::checks::Checks;
use super::index::Entries;
use super::keys::Scan;
use super::remedy::whole;
use super::task_entries::Place;

/// Number of entries that are read at once.
pub const PAGE: usize = 1_000;

/// Number of keys whose first pages are read at once.
const KEYS: usize = 50;

/// A field and its value.
type Pair = (Vec<u8>, Vec<u8>);

impl Checks {
    /// Reads the indexes of a queue.
    pub fn entries(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<Entries> {
        let mut entries = Entries::default();
        for &status in Status::ALL {
            // Tasks in these states are not in a list of the queue, but in other indexes.
            if matches!(status, Status::Waiting | Status::Scheduled | Status::Reserved | Status::Started) {
                continue;
            }
            let key = self.key(&format!("{status}_tasks"), queue);
            entries.cut |= self.pages(&key, &["LRANGE"], |id| entries.add(id, Place::List(status)))?;
        }
        for set in ["waiting_tasks", "scheduled_tasks", "scheduled_ranked_tasks"] {
            let key = self.key(set, queue);
            entries.cut |= self.pages(&key, &["ZRANGE"], |id| entries.add(id, Place::Timed(set)))?;
        }
        let key = self.key("tasks", queue);
        entries.cut |= self.pages(&key, &["ZRANGE"], |id| entries.add(id, Place::All))?;
        let key = self.key("leases", queue);
        entries.cut |= self.pages(&key, &["ZRANGE"], |lease| {
            let (id, token) = lease.split_once(' ').unwrap_or((lease, ""));
            entries.add(id, Place::Lease(token.to_owned()));
        })?;
        let started = self.members(&self.key("started_tasks", queue), &mut entries.cut)?;
        for entry in &started {
            let (owner, id) = entry.rsplit_once(' ').unwrap_or(("", entry));
            entries.add(id, Place::Started(format!("{owner} ")));
        }
        self.held(queue, scan, &mut entries)?;
        self.ranked_tasks(queue, scan, &mut entries)?;
        self.bound(queue, scan, &mut entries)?;
        if entries.cut {
            self.note("tasks", format!("{queue}: the first {} entries of each index; --limit checks more", self.limit));
        }
        Ok(entries)
    }

    /// Reads the tasks that listeners hold.
    fn held(&mut self, queue: &str, scan: &Scan, entries: &mut Entries) -> anyhow::Result<()> {
        let listeners = self.members(&self.key("listeners", queue), &mut entries.cut)?;
        let known: BTreeSet<&str> = listeners.iter().map(String::as_str).collect();
        let lists: BTreeSet<&str> = scan
            .all("reserved_tasks")
            .iter()
            .filter_map(|list| list.strip_prefix(queue)?.strip_prefix('_'))
            // The id of a listener contains exactly one underscore. This shows that `a_b_host_1` belongs to the queue
            // `a_b`, and not to a queue `a`.
            .filter(|listener| listener.matches('_').count() == 1)
            .collect();
        for listener in known.union(&lists) {
            let key = self.key("reserved_tasks", &format!("{queue}_{listener}"));
            let mut any = false;
            entries.cut |= self.pages(&key, &["LRANGE"], |id| {
                any = true;
                entries.add(id, Place::Reserved((*listener).to_owned()));
            })?;
            if any && !known.contains(listener) {
                self.stray(queue, listener)?;
            }
        }
        Ok(())
    }

    /// Reads the ranked tasks.
    fn ranked_tasks(&mut self, queue: &str, scan: &Scan, entries: &mut Entries) -> anyhow::Result<()> {
        let all = [self.key("pending_ranked_tasks", queue)];
        entries.cut |= self.zsets(&all, |_, member, score| {
            let (rank, id) = member.split_once(' ').unwrap_or((member, ""));
            entries.add(id, Place::Ranked(rank.to_owned(), score));
        })?;
        let of_kind = |kind| scan.after(kind, queue).map(move |part| format!("{kind}_{queue}{part}"));
        let names: Vec<String> = of_kind("ranked_tasks").chain(of_kind("key_tasks")).collect();
        let keys: Vec<String> = names.iter().map(|name| format!("{}{name}", self.prefix)).collect();
        entries.cut |= self.zsets(&keys, |at, member, score| {
            let id = member.split(' ').nth(1).unwrap_or_default();
            // `/KEY` stands for the first task of a key.
            if let Some(name) = names.get(at).filter(|_| !id.starts_with('/')) {
                entries.add(id, Place::Order(name.clone(), member.to_owned(), score));
            }
        })?;
        Ok(())
    }

    /// Reads the entries of tasks in other indexes: places of limits, unique names, tags, failure groups.
    fn bound(&mut self, queue: &str, scan: &Scan, entries: &mut Entries) -> anyhow::Result<()> {
        entries.cut |= self.fields(&self.key("places", queue), |field, value| {
            if let Some((id, token)) = field.strip_prefix("a:").and_then(|attempt| attempt.split_once(' ')) {
                entries.add(id, Place::Limits(token.to_owned(), value.to_owned()));
            }
        })?;
        entries.cut |= self.fields(&self.key("unique", queue), |name, value| {
            let (id, until) = value.split_once(' ').unwrap_or((value, ""));
            entries.add(id, Place::Unique(name.to_owned(), until.to_owned()));
        })?;
        for kind in ["tag", "group"] {
            let names: Vec<&str> = scan.of(kind, queue).collect();
            let keys: Vec<String> = names.iter().map(|name| self.key(kind, &format!("{queue}/{name}"))).collect();
            entries.cut |= self.zsets(&keys, |at, id, _| {
                let name = names.get(at).map_or(String::new(), |name| (*name).to_owned());
                entries.add(id, if kind == "tag" { Place::Tag(name) } else { Place::Group(name) });
            })?;
        }
        Ok(())
    }

    /// Reads a list or a zset page by page, up to the limit. Returns true if there are more entries.
    pub fn pages(&mut self, key: &str, command: &[&str], mut take: impl FnMut(&str)) -> anyhow::Result<bool> {
        let size = self.limit.min(PAGE);
        let mut from = 0;
        loop {
            let (first, last) = (from.to_string(), (from + size - 1).to_string());
            let question: Vec<&str> = command.iter().copied().chain([key, first.as_str(), last.as_str()]).collect();
            let page: Vec<Vec<u8>> = self.ask(&question)?;
            for id in &page {
                take(&String::from_utf8_lossy(id));
            }
            from += page.len();
            if page.len() < size {
                return Ok(false);
            }
            if from >= self.limit {
                return Ok(true);
            }
        }
    }

    /// Reads the members of a zset, up to the limit.
    pub fn listed(&mut self, zset: &str) -> anyhow::Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        self.pages(zset, &["ZRANGE"], |name| names.extend([name.to_owned()]))?;
        Ok(names)
    }

    /// Reads zsets with their scores, each up to the limit; `take` gets the index of the key. Returns true if there are
    /// more entries.
    pub fn zsets(&mut self, keys: &[String], mut take: impl FnMut(usize, &str, i64)) -> anyhow::Result<bool> {
        let size = self.limit.min(PAGE);
        let mut cut = false;
        let mut at = 0;
        for some in keys.chunks(KEYS) {
            let mut from = 0;
            let mut open: Vec<(usize, &String)> = some.iter().enumerate().map(|(i, key)| (at + i, key)).collect();
            at += some.len();
            while !open.is_empty() {
                let mut pipeline = Pipeline::new();
                for (_, key) in &open {
                    pipeline.cmd("ZRANGE").arg(key).arg(from).arg(from + size - 1).arg("WITHSCORES");
                }
                let pages: Vec<Vec<(Vec<u8>, f64)>> = self.send(&pipeline)?;
                for ((nth, _), page) in open.iter().zip(&pages) {
                    for (member, score) in page {
                        take(*nth, &String::from_utf8_lossy(member), whole(*score).unwrap_or(i64::MAX));
                    }
                }
                from += size;
                let full = pages.iter().map(|page| page.len() == size);
                open = open.into_iter().zip(full).filter(|(_, full)| *full).map(|(key, _)| key).collect();
                if from >= self.limit && !open.is_empty() {
                    cut = true;
                    break;
                }
            }
        }
        Ok(cut)
    }

    /// Reads the fields of a hash, up to the limit. Returns true if there are more fields.
    pub fn fields(&mut self, key: &str, mut take: impl FnMut(&str, &str)) -> anyhow::Result<bool> {
        let mut cursor = "0".to_owned();
        let mut looked_at = 0;
        // A scan may return a field twice.
        let mut seen = BTreeSet::new();
        loop {
            let (next, page): (String, Vec<Pair>) = self.ask(&["HSCAN", key, &cursor, "COUNT", &PAGE.to_string()])?;
            looked_at += page.len();
            for (field, value) in page {
                let field = String::from_utf8_lossy(&field).into_owned();
                if !seen.contains(&field) {
                    take(&field, &String::from_utf8_lossy(&value));
                    seen.insert(field);
                }
            }
            cursor = next;
            if cursor == "0" {
                return Ok(false);
            }
            if looked_at >= self.limit {
                return Ok(true);
            }
        }
    }

    /// Reads a set, up to the limit.
    pub fn members(&mut self, key: &str, cut: &mut bool) -> anyhow::Result<BTreeSet<String>> {
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
}
