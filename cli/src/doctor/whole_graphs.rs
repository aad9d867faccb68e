//! Checks graphs: each graph is in the index of all graphs and counts its tasks correctly, and deferred steps are done
//! soon.

use std::collections::BTreeSet;

use blueque::Status;
use redis::Pipeline;

use super::checks::Checks;
use super::keys::Scan;
use crate::times;

/// Number of seconds after which a deferred step means that no process runs deferred steps. A step usually runs within
/// a second.
const LATE: f64 = 600.0;

/// Maximum number of attempts to read a graph whose tasks end during the check.
const LOOKS: usize = 5;

/// Maximum number of tasks of a graph up to which workers correct its counts.
const CORRECTED: usize = 2_000;

/// Data of a graph: its state, the time of its creation, the number of its tasks, the number of released tasks, its
/// unfinished action, its score in the index, and its counts.
type Facts = Vec<Option<String>>;

/// Returns the names of the counts of a graph: of unfinished tasks, and of tasks in each final state.
fn counted() -> Vec<&'static str> {
    let ends = Status::ALL.iter().filter(|status| status.is_finished());
    std::iter::once("left").chain(ends.map(|status| status.as_str())).collect()
}

/// Formats counts: `left 3, complete 1`.
fn words(numbers: &[i64]) -> String {
    let words: Vec<String> = counted().iter().zip(numbers).map(|(name, number)| format!("{number} {name}")).collect();
    words.join(", ")
}

impl Checks {
    pub fn whole_graphs(&mut self, scan: &Scan) -> anyhow::Result<()> {
        self.left_to_do()?;
        let known: BTreeSet<&String> = scan.all("graph").iter().collect();
        for kind in ["members", "outside", "chosen"] {
            let unknown = scan.all(kind).iter().filter(|id| !known.contains(id));
            let asked: Vec<(_, (bool, bool))> = self.each(unknown, |checks, pipeline, id| {
                pipeline.cmd("EXISTS").arg(checks.key("graph", id)).cmd("EXISTS").arg(checks.key(kind, id));
            })?;
            for (id, _) in asked.into_iter().filter(|(_, answer)| *answer == (false, true)) {
                let key = self.key(kind, id);
                self.finding("graphs", format!("{key} exists, but its graph does not"), format!("DEL {key}"));
            }
        }
        let index = format!("{}graphs", self.prefix);
        let unknown = self.listed(&index)?.into_iter().filter(|id| !known.contains(id));
        let asked: Vec<(_, (bool, Option<f64>))> = self.each(unknown, |checks, pipeline, id| {
            pipeline.cmd("EXISTS").arg(checks.key("graph", id)).cmd("ZSCORE").arg(&index).arg(id);
        })?;
        for (id, _) in asked.into_iter().filter(|(_, answer)| matches!(answer, (false, Some(_)))) {
            self.finding("graphs", format!("{id} is in {index}, but has no record"), format!("ZREM {index} {id}"));
        }
        for id in scan.all("graph") {
            self.whole(id, &index)?;
        }
        Ok(())
    }

    /// Reports overdue deferred steps, which clients with maintenance run.
    fn left_to_do(&mut self) -> anyhow::Result<()> {
        let now = times::now();
        let late = (times::seconds(now) - LATE).to_string();
        for (name, of) in [("deferred", "task"), ("graphs_due", "graph")] {
            let key = format!("{}{name}", self.prefix);
            let number: u64 = self.ask(&["ZCOUNT", &key, "-inf", &late])?;
            let first: Vec<(String, f64)> = self.ask(&["ZRANGE", &key, "0", "0", "WITHSCORES"])?;
            let Some((id, at)) = first.into_iter().next().filter(|_| number > 0) else { continue };
            let others = match number - 1 {
                0 => String::new(),
                1 => ", and one of another".to_owned(),
                others => format!(", and those of {others} others"),
            };
            let overdue = times::span(times::between(times::epoch(at), now));
            let text =
                format!("a step of {of} {id} is overdue by {overdue} ({key}){others}: nobody does the maintenance");
            self.finding("graphs", text, "blueque admin maintenance --once, or start a worker, of any queue");
        }
        Ok(())
    }

    /// Checks that a graph is listed, and that its counts match the records of its tasks.
    fn whole(&mut self, id: &str, index: &str) -> anyhow::Result<()> {
        let mut wrong = None;
        for _ in 0..LOOKS {
            let before = self.graph_facts(id, index)?;
            let (Some(state), Some(created), [total, released, _, score, counts @ ..]) = (
                before.first().cloned().flatten(),
                before.get(1).cloned().flatten(),
                before.get(2..).unwrap_or_default(),
            ) else {
                return Ok(());
            };
            if state != "created" {
                return Ok(()); // not created completely, or removed
            }
            if score.is_none() {
                let todo = format!("ZADD {index} {created} {id}");
                self.finding("graphs", format!("graph {id} is not in {index}"), todo);
                return Ok(());
            }
            let total: usize = total.as_deref().and_then(|total| total.parse().ok()).unwrap_or(0);
            if released.as_deref() != Some(total.to_string().as_str()) || total > self.limit {
                return Ok(());
            }
            let numbers = |count: &Option<String>| count.as_deref().map_or(Some(0), |count| count.parse::<i64>().ok());
            let noted: Option<Vec<i64>> = counts.iter().map(numbers).collect();
            let found = self.graph_counts(id)?;
            if self.graph_facts(id, index)? != before {
                wrong = None;
                continue; // tasks have ended, or run again, since the first read
            }
            if noted.as_ref() == Some(&found) {
                return Ok(());
            }
            // Two equal differences prove that the counts are wrong. A state change during the reads differs each time.
            if wrong.as_ref() == Some(&(noted.clone(), found.clone())) {
                self.miscounted(id, noted.as_deref(), &found, total);
                return Ok(());
            }
            wrong = Some((noted, found));
        }
        Ok(())
    }

    fn miscounted(&mut self, id: &str, noted: Option<&[i64]>, found: &[i64], total: usize) {
        let says = noted.map_or("what is no number".to_owned(), words);
        let open = |numbers: &[i64]| numbers.iter().skip(1).sum::<i64>() != numbers.first().copied().unwrap_or(0);
        let todo = if total <= CORRECTED && noted.is_none_or(open) {
            "a worker repairs this within minutes".to_owned()
        } else {
            let fields: Vec<String> =
                counted().iter().zip(found).map(|(name, number)| format!("{name} {number}")).collect();
            format!("HSET {} {}", self.key("graph", id), fields.join(" "))
        };
        self.finding("graphs", format!("graph {id} counts {says}, and of its tasks there are {}", words(found)), todo);
    }

    /// Reads the data in the record of a graph, and the graph's score in the index.
    fn graph_facts(&mut self, id: &str, index: &str) -> anyhow::Result<Facts> {
        let key = self.key("graph", id);
        let mut pipeline = Pipeline::new();
        pipeline.atomic().cmd("HMGET").arg(&key).arg(&["state", "created", "total", "released", "doing"]);
        pipeline.cmd("ZSCORE").arg(index).arg(id).cmd("HMGET").arg(&key).arg(counted());
        let (mut facts, score, counts): (Facts, Option<String>, Facts) = self.send(&pipeline)?;
        facts.push(score);
        facts.extend(counts);
        Ok(facts)
    }

    /// Counts the tasks of a graph by the states in their records.
    fn graph_counts(&mut self, id: &str) -> anyhow::Result<Vec<i64>> {
        let mut ids = Vec::new();
        self.pages(&self.key("members", id), &["LRANGE"], |id| ids.push(id.to_owned()))?;
        let names = counted();
        let mut found = vec![0; names.len()];
        let tasks: Vec<(_, (Option<String>, Option<String>))> = self.each(ids, |checks, pipeline, task| {
            let task = checks.key("task", task);
            pipeline.cmd("HGET").arg(&task).arg("graph").cmd("HGET").arg(&task).arg("status");
        })?;
        for (_, (_, status)) in tasks.into_iter().filter(|(_, (graph, _))| graph.as_deref() == Some(id)) {
            let status = status.unwrap_or_default();
            for (number, name) in found.iter_mut().zip(&names) {
                *number += i64::from(*name == "left" || *name == status);
            }
        }
        Ok(found)
    }
}
