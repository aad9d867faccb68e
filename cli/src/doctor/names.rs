//! Checks the names by which tasks are found: unique names with an expiry, tags, groups of failures (I4, I8).

use std::collections::BTreeSet;

use super::checks::Checks;
use super::keys::Scan;
use super::task_entries::group_in_key;

/// Returns a tag or a group as it appears in the name of its key.
fn in_key(kind: &str, name: &str) -> String {
    if kind == "group" { group_in_key(name) } else { name.to_owned() }
}

impl Checks {
    pub fn names(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<()> {
        self.timed(queue)?;
        self.counted(queue, scan, "tag", "tags")?;
        self.counted(queue, scan, "group", "groups")
    }

    /// Checks that the index of unique names with an expiry is complete. A name that is missing there never expires.
    fn timed(&mut self, queue: &str) -> anyhow::Result<()> {
        let (key, timed) = (self.key("unique", queue), self.key("timed", queue));
        let mut held = BTreeSet::new();
        let mut wrong = Vec::new();
        self.fields(&key, |name, value| match value.split_once(' ').map(|(_, until)| until) {
            Some("end" | "start") => {}
            Some("kept") if name.starts_with('/') => {}
            Some(time) if time.parse::<u64>().is_ok() => {
                held.insert(name.to_owned());
            }
            _ => wrong.push((name.to_owned(), value.to_owned())),
        })?;
        for (name, value) in wrong {
            let text = format!("{key} says {value} of {name}, and must say ID and end, start or a time");
            self.finding("unique", text, format!("HDEL {key} {name}, then look again"));
        }
        let asked: Vec<(_, (Option<String>, Option<f64>))> = self.each(held, |_, pipeline, name| {
            pipeline.cmd("HGET").arg(&key).arg(name).cmd("ZSCORE").arg(&timed).arg(name);
        })?;
        for (name, (value, score)) in asked {
            let time = value.as_ref().and_then(|value| value.split_once(' ')?.1.parse::<f64>().ok());
            if let Some(time) = time.filter(|time| score.is_none_or(|score| (score - time).abs() > 0.5)) {
                let text =
                    format!("{queue} holds the unique name {name} for a time, and {timed} does not contain this time");
                self.finding("unique", text, format!("ZADD {timed} {time:.0} {name}"));
            }
        }
        Ok(())
    }

    /// Checks that the count of each name matches its index.
    fn counted(&mut self, queue: &str, scan: &Scan, kind: &str, counts: &'static str) -> anyhow::Result<()> {
        let all = self.key(counts, queue);
        let mut names = self.listed(&all)?;
        // If a group is a text, the name of its key contains only a digest.
        let counted: BTreeSet<String> = names.iter().map(|name| in_key(kind, name)).collect();
        let cut = self.ask::<usize>(&["ZCARD", &all])? > names.len();
        let unknown = |part: &&str| !(counted.contains(*part) || cut && part.starts_with('~'));
        names.extend(scan.of(kind, queue).filter(unknown).map(ToOwned::to_owned));
        let asked: Vec<(String, (String, Option<String>))> = self.each(names, |checks, pipeline, name| {
            let own = checks.key(kind, &format!("{queue}/{}", in_key(kind, name)));
            pipeline.cmd("ZCARD").arg(own).cmd("ZSCORE").arg(&all).arg(name);
        })?;
        for (name, (number, counted)) in asked {
            let counted = counted.unwrap_or_else(|| "0".to_owned());
            if number == counted {
                continue;
            }
            let what = if name.is_empty() { "failures without a group".to_owned() } else { format!("{kind} {name}") };
            let quoted = if name.contains('\'') { format!("{name:?}") } else { format!("'{name}'") };
            let text = format!("{queue} counts {counted} tasks of the {what}, and has {number}");
            let is_empty = number == "0";
            let set = if is_empty { format!("ZREM {all} {quoted}") } else { format!("ZADD {all} {number} {quoted}") };
            self.finding(counts, text, set);
        }
        Ok(())
    }

    /// Checks the length of the histories of tasks, and that each task exists.
    pub fn histories(&mut self, scan: &Scan) -> anyhow::Result<()> {
        const BOUND: i64 = 1_000;
        let asked: Vec<(&String, (i64, bool))> = self.each(scan.all("history"), |checks, pipeline, id| {
            pipeline.cmd("XLEN").arg(checks.key("history", id)).cmd("EXISTS").arg(checks.key("task", id));
        })?;
        for (id, (length, exists)) in asked {
            let key = self.key("history", id);
            if length > BOUND {
                let todo = format!("XTRIM {key} MAXLEN {BOUND}; another client writes it: find out which one");
                self.finding("history", format!("{key} keeps {length} entries, the bound is {BOUND}"), todo);
            }
            // A history that is empty now was removed with its task after the scan.
            if !exists && length > 0 {
                self.finding("history", format!("{key} exists, but its task does not"), format!("DEL {key}"));
            }
        }
        Ok(())
    }

    /// Reports stored orders of queues that have no expiry. Such an order outlives its listener.
    pub fn rounds(&mut self, scan: &Scan) -> anyhow::Result<()> {
        let asked: Vec<(_, (i64,))> = self.each(scan.all("rounds"), |checks, pipeline, listener| {
            pipeline.cmd("TTL").arg(checks.key("rounds", listener));
        })?;
        for (listener, _) in asked.into_iter().filter(|(_, ttl)| *ttl == (-1,)) {
            let key = self.key("rounds", listener);
            let text = format!("{key} does not expire: it outlives its listener");
            self.finding("listeners", text, format!("EXPIRE {key} 86400"));
        }
        Ok(())
    }
}
