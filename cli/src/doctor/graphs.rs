//! Tasks that wait for others: each waits for something, and for nothing that has ended (I9).

use blueque::Status;
use redis::Pipeline;

use super::exam::Exam;
use super::keys::Scan;
use crate::times;

/// What is read of a waiting task: its status, and its upstreams.
type Waiting = (Option<String>, Vec<String>);

/// What is read of an edge: whether it is open, the status of the upstream, whether `settle` has yet to see that, and
/// since when the upstream knows of it: for ever if a graph holds it until the upstream is retried.
type Edge = (bool, Option<String>, Option<f64>, Option<f64>);

impl Exam {
    pub fn graphs(&mut self, scan: &Scan) -> anyhow::Result<()> {
        for queue in scan.all("waiting_tasks") {
            let mut ids = Vec::new();
            self.pages(&self.key("waiting_tasks", queue), &["ZRANGE"], |id| ids.push(id.to_owned()))?;
            for batch in ids.chunks(100) {
                self.dependents(batch)?;
            }
        }
        Ok(())
    }

    fn dependents(&mut self, ids: &[String]) -> anyhow::Result<()> {
        let mut pipeline = Pipeline::new();
        pipeline.atomic();
        for id in ids {
            pipeline.cmd("HGET").arg(self.key("task", id)).arg("status");
            pipeline.cmd("HKEYS").arg(self.key("upstreams", id));
        }
        let answers: Vec<redis::Value> = self.send(&pipeline)?;
        for (id, one) in ids.iter().zip(answers.chunks(2)) {
            let (status, upstreams): Waiting = redis::from_redis_value(redis::Value::Array(one.to_vec()))?;
            if upstreams.is_empty() && status.as_deref() == Some(Status::Waiting.as_str()) {
                let todo = format!("blueque cancel {id}, then blueque retry {id}");
                self.finding("graphs", format!("{id} is waiting, but for nothing"), todo);
            }
            for upstreams in upstreams.chunks(500) {
                self.edges(id, upstreams)?;
            }
        }
        Ok(())
    }

    /// Reads the edges of a task at one moment. While a graph is released, earlier tasks that its tasks wait for may
    /// have ended unseen.
    fn edges(&mut self, id: &str, upstreams: &[String]) -> anyhow::Result<()> {
        let mut pipeline = Pipeline::new();
        let due = format!("{}graphs_due", self.prefix);
        pipeline.atomic().cmd("ZCOUNT").arg(due).arg("-inf").arg(times::seconds(times::now()));
        for upstream in upstreams {
            pipeline.cmd("HEXISTS").arg(self.key("upstreams", id)).arg(upstream);
            pipeline.cmd("HGET").arg(self.key("task", upstream)).arg("status");
            pipeline.cmd("ZSCORE").arg(format!("{}unsettled", self.prefix)).arg(upstream);
            pipeline.cmd("ZSCORE").arg(self.key("dependents", upstream)).arg(id);
        }
        let answers: Vec<redis::Value> = self.send(&pipeline)?;
        let Some((due, edges)) = answers.split_first() else { return Ok(()) };
        if redis::from_redis_value::<u64>(due.clone())? > 0 {
            return Ok(());
        }
        for (upstream, one) in upstreams.iter().zip(edges.chunks(4)) {
            let (open, status, unsettled, since): Edge = redis::from_redis_value(redis::Value::Array(one.to_vec()))?;
            let over = status.as_ref().is_none_or(|status| status.parse().is_ok_and(Status::is_finished));
            let held = since.is_some_and(f64::is_infinite) && status.is_some();
            if open && over && unsettled.is_none() && !held {
                let ended = status.map_or_else(|| "was deleted".to_owned(), |status| format!("is {status}"));
                let todo = "a worker repairs this within minutes; if it stays, update the clients that end tasks";
                self.finding("graphs", format!("{id} waits for {upstream}, which {ended}"), todo.to_owned());
            }
        }
        Ok(())
    }
}
