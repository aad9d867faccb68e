//! Checks tasks that wait for other tasks (I9): each has an upstream, and no upstream has ended. The results that a
//! task needs are kept until the task has received them, and a ready task has received all of them.

use std::collections::BTreeSet;

use blueque::Status;
use redis::Pipeline;

use super::checks::Checks;
use super::keys::Scan;
use crate::times;

/// Number of elements of an input whose lengths are read at once. A larger number delays other clients.
const ELEMENTS: usize = 1_000;

/// Data of a waiting task: its status, its upstreams, the deferred steps in its record, and the time since which the
/// steps are deferred.
type Waiting = (Option<String>, Vec<String>, Option<String>, Option<f64>);

/// Data of an edge: the text of an open edge; the status and the flags of the upstream; true if the upstream has a
/// result; the time since which the upstream's end waits for `run_deferred`; and the edge's score among the upstream's
/// dependents. The score is infinite if a graph holds the edge until the upstream is retried.
type Edge = (Option<String>, Option<String>, Option<String>, bool, Option<f64>, Option<f64>);

/// Data of the input of a task: its status; its edges; the numbers of fields, slots and bytes received so far; true
/// while the parameters are assembled; and the counts of a set.
type Input = (Option<String>, Vec<String>, usize, Option<usize>, Option<usize>, bool, Vec<Option<i64>>);

/// The counts of a task that waits for some tasks of a set: upstreams that must still complete, open edges, edges whose
/// upstreams ended without success in this turn, the number of the turn, and edges outside of the set.
const SET: [&str; 5] = ["least", "some", "missed", "turn", "owed"];

/// Describes an error in the counts of a task that waits for some tasks of a set.
fn wrong_set(id: &str, edges: &[String], set: &[i64]) -> Option<String> {
    let marks = edges.iter().filter_map(|edge| edge.strip_prefix("some"));
    let marks: Vec<&str> = marks.map(|rest| rest.split('/').next().unwrap_or_default()).collect();
    let Ok([least, some, missed, turn, owed]) = <[i64; 5]>::try_from(set) else {
        return (!marks.is_empty()).then(|| format!("{id} waits for some tasks of a set, but their number is missing"));
    };
    let count = |is: &dyn Fn(&str) -> bool| i64::try_from(marks.iter().filter(|mark| is(mark)).count()).unwrap_or(0);
    let there = [count(&|mark| mark != "0"), count(&|mark| mark == turn.to_string()), count(&|mark| mark == "0")];
    if there != [some, missed, owed] {
        let [edges, ended, all] = there;
        return Some(format!(
            "{id} waits for some of {edges} and {all} tasks, of which {ended} ended otherwise; counted are {some}, {owed} \
             and {missed}"
        ));
    }
    if least > some + owed {
        return Some(format!("{id} waits for {least} of its set, but {} are left", some + owed));
    }
    let open = i64::try_from(edges.len()).unwrap_or(0);
    (open > 0 && least <= 0 && open == some).then(|| format!("{id} is waiting, but enough of its set are complete"))
}

impl Checks {
    pub fn graphs(&mut self, scan: &Scan) -> anyhow::Result<()> {
        for queue in scan.all("waiting_tasks") {
            let mut ids = Vec::new();
            self.pages(&self.key("waiting_tasks", queue), &["ZRANGE"], |id| ids.push(id.to_owned()))?;
            for batch in ids.chunks(100) {
                self.dependents(batch)?;
            }
        }
        let left = ["upstreams", "inputs", "joined"].map(|kind| scan.all(kind).iter().map(move |id| (kind, id)));
        self.left(left.into_iter().flatten())
    }

    /// Reports inputs that a ready task still stores, although its parameters already contain them.
    fn left<'a>(&mut self, keys: impl Iterator<Item = (&'a str, &'a String)>) -> anyhow::Result<()> {
        let asked: Vec<(_, (Option<String>, bool))> = self.each(keys, |checks, pipeline, (kind, id)| {
            pipeline.cmd("HGET").arg(checks.key("task", id)).arg("status");
            pipeline.cmd("EXISTS").arg(checks.key(kind, id));
        })?;
        for ((kind, id), (status, there)) in asked {
            let Some(status) = status.filter(|_| there) else { continue };
            if status.parse().is_ok_and(|status: Status| status != Status::Waiting && !status.is_finished()) {
                let key = self.key(kind, id);
                self.finding("graphs", format!("{id} is {status}, but {key} exists"), format!("DEL {key}"));
            }
        }
        Ok(())
    }

    /// Checks the input of a waiting task. Each slot must have an element, or the task must wait for the element.
    fn input(&mut self, id: &str) -> anyhow::Result<()> {
        let key = self.key("inputs", id);
        let mut pipeline = Pipeline::new();
        pipeline.atomic().cmd("HKEYS").arg(&key).cmd("HGET").arg(&key).arg("bytes");
        let (mut fields, before): (Vec<String>, Option<usize>) = self.send(&pipeline)?;
        fields.retain(|field| field.parse::<usize>().is_ok());
        let mut sum = 0;
        for page in fields.chunks(ELEMENTS) {
            let mut pipeline = Pipeline::new();
            for field in page {
                pipeline.cmd("HSTRLEN").arg(&key).arg(field);
            }
            sum += self.send::<Vec<usize>>(&pipeline)?.iter().sum::<usize>();
        }
        let mut pipeline = Pipeline::new();
        pipeline.atomic().cmd("HGET").arg(self.key("task", id)).arg("status");
        pipeline.cmd("HVALS").arg(self.key("upstreams", id)).cmd("HLEN").arg(&key);
        pipeline.cmd("HGET").arg(&key).arg("slots").cmd("HGET").arg(&key).arg("bytes");
        pipeline.cmd("HEXISTS").arg(&key).arg("joined");
        pipeline.cmd("HMGET").arg(&key).arg(SET.as_slice());
        let (status, edges, number, slots, bytes, joins, set): Input = self.send(&pipeline)?;
        let set: Vec<i64> = set.into_iter().flatten().collect();
        // The task may have ended, or a deferred step may have run, between the two reads.
        let others = if slots.is_some() { 2 } else { 0 } + if joins { 2 } else { 0 } + set.len();
        let changed = bytes != before || number > 0 && number != fields.len() + others;
        if status.as_deref() != Some(Status::Waiting.as_str()) || changed {
            return Ok(());
        }
        if let Some(text) = wrong_set(id, &edges, &set) {
            self.finding("graphs", text, format!("blueque cancel {id}, then blueque retry {id}"));
        }
        let open: BTreeSet<&str> =
            edges.iter().filter_map(|edge| edge.split_once('/')).flat_map(|(_, slots)| slots.split(',')).collect();
        let text = match (slots, bytes) {
            (None, _) | (_, None) if open.is_empty() && fields.is_empty() => return Ok(()),
            (Some(slots), Some(bytes)) if fields.len() + open.len() == slots && bytes == sum => return Ok(()),
            (Some(slots), Some(_)) if fields.len() + open.len() != slots => {
                format!("{id} has or awaits {} of the {slots} elements of its input", fields.len() + open.len())
            }
            (Some(_), Some(bytes)) => format!("the input of {id} has {sum} bytes, and not {bytes} as stored"),
            _ => format!("{id} waits for results, but {key} is not there"),
        };
        self.finding("graphs", text, format!("blueque cancel {id}, and submit it again"));
        Ok(())
    }

    fn dependents(&mut self, ids: &[String]) -> anyhow::Result<()> {
        let asked: Vec<(_, Waiting)> = self.each(ids, |checks, pipeline, id| {
            pipeline.cmd("HGET").arg(checks.key("task", id)).arg("status");
            pipeline.cmd("HKEYS").arg(checks.key("upstreams", id));
            pipeline.cmd("HGET").arg(checks.key("task", id)).arg("cascade");
            pipeline.cmd("ZSCORE").arg(format!("{}deferred", checks.prefix)).arg(id);
        })?;
        for (id, (status, upstreams, steps, since)) in asked {
            let joins = steps.as_deref() == Some("join") && since.is_some();
            if upstreams.is_empty() && !joins && status.as_deref() == Some(Status::Waiting.as_str()) {
                let todo = format!("blueque cancel {id}, then blueque retry {id}");
                self.finding("graphs", format!("{id} is waiting, but for nothing"), todo);
            }
            for upstreams in upstreams.chunks(500) {
                self.edges(id, upstreams)?;
            }
            self.input(id)?;
        }
        Ok(())
    }

    /// Checks the edges of a task, which are read atomically. Skips the check while a graph is released: an existing
    /// task for which the graph's tasks wait may end before the release has processed it.
    fn edges(&mut self, id: &str, upstreams: &[String]) -> anyhow::Result<()> {
        let mut pipeline = Pipeline::new();
        let due = format!("{}graphs_due", self.prefix);
        pipeline.atomic().cmd("ZCOUNT").arg(due).arg("-inf").arg(times::seconds(times::now()));
        for upstream in upstreams {
            let task = self.key("task", upstream);
            pipeline.cmd("HGET").arg(self.key("upstreams", id)).arg(upstream);
            pipeline.cmd("HGET").arg(&task).arg("status").cmd("HGET").arg(&task).arg("flags");
            pipeline.cmd("HEXISTS").arg(&task).arg("result");
            pipeline.cmd("ZSCORE").arg(format!("{}deferred", self.prefix)).arg(upstream);
            pipeline.cmd("ZSCORE").arg(self.key("dependents", upstream)).arg(id);
        }
        let answers: Vec<redis::Value> = self.send(&pipeline)?;
        let Some((due, edges)) = answers.split_first() else { return Ok(()) };
        if redis::from_redis_value::<u64>(due.clone())? > 0 {
            return Ok(());
        }
        for (upstream, one) in upstreams.iter().zip(edges.chunks(6)) {
            let (edge, status, flags, result, deferred, seen): Edge =
                redis::from_redis_value(redis::Value::Array(one.to_vec()))?;
            let Some(edge) = edge else { continue };
            let over = status.as_ref().is_none_or(|status| status.parse().is_ok_and(Status::is_finished));
            let knows = seen.is_some_and(|seen| seen > 0.0) && flags.is_some_and(|flags| flags.contains('d'));
            let todo = "a worker repairs this within minutes; if it stays, update the clients that end tasks";
            let held = seen.is_some_and(f64::is_infinite) && status.is_some();
            if over && deferred.is_none() && !held {
                let ended = status.map_or_else(|| "was deleted".to_owned(), |status| format!("is {status}"));
                self.finding("graphs", format!("{id} waits for {upstream}, which {ended}"), todo);
            } else if !over && !knows {
                self.finding(
                    "graphs",
                    format!("{id} waits for {upstream}, which does not list it as a dependent"),
                    todo,
                );
            } else if status.as_deref() == Some(Status::Complete.as_str()) && edge.contains('/') && !result {
                let text = format!("{id} waits for the result of {upstream}, which has no result");
                self.finding("graphs", text, format!("HSET {} result null", self.key("task", upstream)));
            }
        }
        Ok(())
    }
}
