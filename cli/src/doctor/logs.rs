//! Checks the logs of tasks (I5): their sizes are correct, and each log will be removed.

use std::collections::BTreeSet;

use super::checks::Checks;
use super::keys::Scan;

/// Number of bytes that the server counts for an entry in addition to its text.
const ENTRY: i64 = 100;

/// Maximum number of entries in a log of an older version, whose scripts do not count sizes. Such scripts may also have
/// added this number of uncounted entries to a newer log.
const FORMER: i64 = 64;

/// Data of a log: its length, its sizes, and its score in the index.
type Facts = (i64, (Option<i64>, Option<i64>), Option<f64>);

impl Checks {
    pub fn logs(&mut self, scan: &Scan) -> anyhow::Result<()> {
        let index = format!("{}logs", self.prefix);
        let mut ids: BTreeSet<String> = scan.all("log").iter().chain(scan.all("logged")).cloned().collect();
        let cut = self.pages(&index, &["ZRANGE"], |id| ids.extend([id.to_owned()]))? || scan.cut;
        let before = self.all_logs()?;
        let mut sum = 0;
        let asked: Vec<(String, Facts)> = self.each(ids, |checks, pipeline, id| {
            pipeline.cmd("XLEN").arg(checks.key("log", id));
            pipeline.cmd("HMGET").arg(checks.key("logged", id)).arg("head").arg("tail");
            pipeline.cmd("ZSCORE").arg(&index).arg(id);
        })?;
        for (id, facts) in asked {
            sum += facts.1.0.unwrap_or(0) + facts.1.1.unwrap_or(0);
            self.log(&id, &index, &facts);
        }
        // If the number changed during the check, the sum is not comparable.
        let after = self.all_logs()?;
        if !cut && before == after && after != sum {
            let meta = format!("{}meta", self.prefix);
            let text = format!("{meta} says that all logs have {after} bytes, and they have {sum}");
            self.finding("log", text, format!("HSET {meta} logs {sum}"));
        }
        Ok(())
    }

    fn all_logs(&mut self) -> anyhow::Result<i64> {
        let bytes: Option<i64> = self.ask(&["HGET", &format!("{}meta", self.prefix), "logs"])?;
        Ok(bytes.unwrap_or(0))
    }

    fn log(&mut self, id: &str, index: &str, &(length, sizes, place): &Facts) {
        let (log, logged) = (self.key("log", id), self.key("logged", id));
        let (Some(head), Some(tail)) = sizes else {
            if place.is_some() {
                self.finding("log", format!("{index} names {id}, which has no {logged}"), format!("ZREM {index} {id}"));
            }
            if length > FORMER {
                let text = format!("{log} keeps {length} entries and has no sizes in {logged}");
                self.finding("log", text, format!("XTRIM {log} MAXLEN {FORMER}"));
            }
            return;
        };
        if place.is_none() {
            let text = format!("{log} is not in {index}: it would be kept for as long as its task");
            self.finding("log", text, format!("ZADD {index} 0 {id}"));
        }
        if (length - FORMER) * ENTRY > head + tail {
            let text =
                format!("{log} keeps {length} entries, more than the {} bytes according to {logged}", head + tail);
            self.finding("log", text, "another client writes it: find out which one");
        }
    }
}
