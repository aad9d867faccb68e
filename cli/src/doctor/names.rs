//! Checks the names by which tasks are found: unique names with an expiry, tags, groups of failures (I4, I8).

use std::collections::{BTreeMap, BTreeSet};

use redis::Pipeline;

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
        let mut held = BTreeMap::new();
        let mut wrong = Vec::new();
        self.fields(&key, |name, value| match value.split_once(' ').map(|(_, until)| until) {
            Some("end" | "start") => {}
            Some("kept") if name.starts_with('/') => {}
            Some(time) if time.parse::<u64>().is_ok() => {
                held.insert(name.to_owned(), time.to_owned());
            }
            _ => wrong.push((name.to_owned(), value.to_owned())),
        })?;
        for (name, value) in wrong {
            let text = format!("{key} says {value} of {name}, and must say ID and end, start or a time");
            self.finding("unique", text, format!("HDEL {key} {name}, then look again"));
        }
        let names: Vec<&String> = held.keys().collect();
        for batch in names.chunks(100) {
            let mut pipeline = Pipeline::new();
            for name in batch {
                pipeline.atomic().cmd("HGET").arg(&key).arg(name).cmd("ZSCORE").arg(&timed).arg(name);
            }
            let answers: Vec<Option<String>> = self.send(&pipeline)?;
            for (name, answer) in batch.iter().zip(answers.chunks(2)) {
                let [Some(value), score] = answer else { continue };
                let Some(time) = value.split_once(' ').and_then(|(_, time)| time.parse::<f64>().ok()) else { continue };
                let score = score.as_ref().and_then(|score| score.parse::<f64>().ok());
                if score.is_none_or(|score| (score - time).abs() > 0.5) {
                    let text = format!(
                        "{queue} holds the unique name {name} for a time, and {timed} does not contain this time"
                    );
                    self.finding("unique", text, format!("ZADD {timed} {time:.0} {name}"));
                }
            }
        }
        Ok(())
    }

    /// Checks that the count of each name matches its index.
    fn counted(&mut self, queue: &str, scan: &Scan, kind: &str, counts: &'static str) -> anyhow::Result<()> {
        let all = self.key(counts, queue);
        let mut names = BTreeSet::new();
        self.pages(&all, &["ZRANGE"], |name| {
            names.insert(name.to_owned());
        })?;
        // If a group is a text, the name of its key contains only a digest.
        let counted: BTreeSet<String> = names.iter().map(|name| in_key(kind, name)).collect();
        let cut = self.ask::<usize>(&["ZCARD", &all])? > names.len();
        let unknown = |part: &&str| !(counted.contains(*part) || cut && part.starts_with('~'));
        names.extend(scan.of(kind, queue).into_iter().filter(unknown).map(ToOwned::to_owned));
        let names: Vec<String> = names.into_iter().collect();
        for batch in names.chunks(100) {
            let mut pipeline = Pipeline::new();
            for name in batch {
                let own = self.key(kind, &format!("{queue}/{}", in_key(kind, name)));
                pipeline.atomic().cmd("ZCARD").arg(own).cmd("ZSCORE").arg(&all).arg(name);
            }
            let answers: Vec<Option<String>> = self.send(&pipeline)?;
            for (name, answer) in batch.iter().zip(answers.chunks(2)) {
                let [number, counted] = answer else { continue };
                let number = number.as_deref().unwrap_or("0");
                let counted = counted.as_deref().unwrap_or("0");
                if number != counted {
                    let what =
                        if name.is_empty() { "failures without a group".to_owned() } else { format!("{kind} {name}") };
                    let quoted = if name.contains('\'') { format!("{name:?}") } else { format!("'{name}'") };
                    let set = if number == "0" {
                        format!("ZREM {all} {quoted}")
                    } else {
                        format!("ZADD {all} {number} {quoted}")
                    };
                    self.finding(
                        counts,
                        format!("{queue} counts {counted} tasks of the {what}, and has {number}"),
                        set,
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks the length of the histories of tasks, and that each task exists.
    pub fn histories(&mut self, scan: &Scan) -> anyhow::Result<()> {
        const BOUND: i64 = 1_000;
        for batch in scan.all("history").chunks(100) {
            let mut pipeline = Pipeline::new();
            for id in batch {
                let key = self.key("history", id);
                pipeline.atomic().cmd("XLEN").arg(&key).cmd("EXISTS").arg(self.key("task", id));
            }
            let answers: Vec<i64> = self.send(&pipeline)?;
            for (id, answer) in batch.iter().zip(answers.chunks(2)) {
                let &[length, exists] = answer else { continue };
                let key = self.key("history", id);
                if length > BOUND {
                    let todo = format!("XTRIM {key} MAXLEN {BOUND}; another client writes it: find out which one");
                    self.finding("history", format!("{key} keeps {length} entries, the bound is {BOUND}"), todo);
                }
                // A history that is empty now was removed with its task after the scan.
                if exists == 0 && length > 0 {
                    self.finding("history", format!("{key} exists, but its task does not"), format!("DEL {key}"));
                }
            }
        }
        Ok(())
    }

    /// Reports stored orders of queues that have no expiry. Such an order outlives its listener.
    pub fn rounds(&mut self, scan: &Scan) -> anyhow::Result<()> {
        for batch in scan.all("rounds").chunks(100) {
            let mut pipeline = Pipeline::new();
            for listener in batch {
                pipeline.cmd("TTL").arg(self.key("rounds", listener));
            }
            let answers: Vec<i64> = self.send(&pipeline)?;
            for (listener, _) in batch.iter().zip(answers).filter(|(_, ttl)| *ttl == -1) {
                let key = self.key("rounds", listener);
                let text = format!("{key} does not expire: it outlives its listener");
                self.finding("listeners", text, format!("EXPIRE {key} 86400"));
            }
        }
        Ok(())
    }
}
