//! Checks that each worker's record is in the index, and reports dead workers.

use std::collections::BTreeSet;
use std::time::Duration;

use blueque::constants::REPORT_EVERY;
use blueque::{Client, QueueName};
use redis::Value;

use super::checks::Checks;
use super::keys::Scan;
use crate::run_folder::notice::CANNOT;
use crate::session::config::{self, Settings};
use crate::shortage::NOTHING;
use crate::times;
use crate::view::listeners::Listeners;
use crate::view::programs;

/// Number of seconds without a report after which a worker counts as dead.
const DEAD: f64 = 3.0 * REPORT_EVERY.as_secs_f64();

/// The fields `at` and `draining` of a worker's record.
type Report = (Option<f64>, Option<String>);

impl Checks {
    /// Reports programs that waiting tasks need and that no worker has. Does nothing if this user may not call the
    /// scripts, which the check `rights` reports.
    pub fn programs(&mut self, settings: &Settings) -> anyhow::Result<()> {
        let builder = config::builder().namespace(settings.namespace().clone());
        let Ok(client) = builder.open(&settings.address()?) else { return Ok(()) };
        self.idle(&client)?;
        let workers = client.workers()?;
        let queues: BTreeSet<&String> = workers.iter().flat_map(|worker| &worker.queues).collect();
        for queue in queues.into_iter().filter_map(|name| QueueName::new(name.as_str()).ok()) {
            for sentence in programs::missing(&client, &queue, &workers)? {
                let todo =
                    "put it, as an executable file, into the folder of one of them, or start a worker that has it";
                self.finding("waiting", sentence, todo);
            }
        }
        for worker in workers.into_iter().filter(|worker| !worker.dead) {
            let Some(trouble) = worker.trouble else { continue };
            let text = format!("{} {trouble}", worker.id);
            if trouble.starts_with(NOTHING) {
                self.finding("workers", text, "the worker looks again at least once a minute");
            } else if trouble.split("; ").any(|part| part.starts_with(CANNOT)) {
                let todo = "it is retried: let the server take it; its log and its settings, such as \
                            maxmemory and proto-max-bulk-len, may say why it does not";
                self.finding("workers", text, todo);
            } else {
                self.note("workers", text);
            }
        }
        Ok(())
    }

    /// Reports tasks that wait in a queue that is not paused and has no worker.
    fn idle(&mut self, client: &Client) -> anyhow::Result<()> {
        for found in client.queues()? {
            let Ok(queue) = QueueName::new(found.name.as_str()) else { continue };
            if found.listeners > 0 || found.paused.is_some() {
                continue;
            }
            let (seconds, micros): (u64, u64) = self.ask(&["TIME"])?;
            let waiting = self.waiting(&found.name, seconds, micros)?;
            if waiting > 0 {
                #[allow(clippy::cast_precision_loss, reason = "seconds of this century have 33 bits")]
                let listeners = Listeners::of(client, &queue, times::epoch(seconds as f64), |_| true)?;
                let tasks = if waiting == 1 { "1 task waits".to_owned() } else { format!("{waiting} tasks wait") };
                let text = format!("{tasks} in {queue}, which has {}", listeners.nobody());
                self.finding("waiting", text, "start a worker for it");
            }
        }
        Ok(())
    }

    /// Returns the number of tasks that a listener of a queue could take: pending tasks, due tasks, and tasks with an
    /// expired lease.
    fn waiting(&mut self, queue: &str, seconds: u64, micros: u64) -> anyhow::Result<u64> {
        let mut pipeline = redis::pipe();
        pipeline
            .cmd("LLEN")
            .arg(self.key("pending_tasks", queue))
            .cmd("ZCARD")
            .arg(self.key("pending_ranked_tasks", queue));
        for scheduled in ["scheduled_tasks", "scheduled_ranked_tasks"] {
            pipeline.cmd("ZCOUNT").arg(self.key(scheduled, queue)).arg("-inf").arg(seconds);
        }
        pipeline.cmd("ZCOUNT").arg(self.key("leases", queue)).arg(1).arg(seconds * 1_000_000 + micros);
        Ok(self.send::<Vec<u64>>(&pipeline)?.into_iter().sum())
    }

    /// Returns the listeners of a queue that take none of its tasks: dead workers, draining workers, and listeners that
    /// are ordered to drain.
    pub fn gone<'a>(
        &mut self,
        queue: &str,
        listeners: impl Iterator<Item = &'a String>,
    ) -> anyhow::Result<BTreeSet<String>> {
        let (now, _): (f64, u64) = self.ask(&["TIME"])?;
        let asked: Vec<(_, (Report, bool))> = self.each(listeners, |checks, pipeline, listener| {
            pipeline.cmd("HMGET").arg(checks.key("worker", listener)).arg(&["at", "draining"]);
            pipeline.cmd("HEXISTS").arg(checks.key("orders", queue)).arg(format!("l:{listener}"));
        })?;
        let is_gone = |((at, draining), ordered): &(Report, bool)| {
            *ordered || draining.as_deref() == Some("1") || at.is_some_and(|at| now - at > DEAD)
        };
        Ok(asked.into_iter().filter(|(_, answer)| is_gone(answer)).map(|(listener, _)| listener.clone()).collect())
    }

    pub fn workers(&mut self, scan: &Scan) -> anyhow::Result<()> {
        let all = format!("{}workers", self.prefix);
        let mut names = self.listed(&all)?;
        names.extend(scan.all("worker").iter().cloned());
        let (seconds, _): (f64, u64) = self.ask(&["TIME"])?;
        let asked: Vec<(_, (Value, Option<f64>))> = self.each(names, |checks, pipeline, name| {
            pipeline.cmd("HMGET").arg(checks.key("worker", name)).arg(&["queues", "at"]);
            pipeline.cmd("ZSCORE").arg(&all).arg(name);
        })?;
        for (name, (fields, until)) in asked {
            let (queues, at): (Option<String>, Option<String>) = redis::from_redis_value(fields).unwrap_or_default();
            self.worker(&name, queues, at.and_then(|at| at.parse().ok()), until.is_some(), seconds);
        }
        Ok(())
    }

    /// Checks one worker, read atomically: its queues, its last report, and whether it is in the index.
    fn worker(&mut self, name: &str, queues: Option<String>, at: Option<f64>, listed: bool, now: f64) {
        let (all, own) = (format!("{}workers", self.prefix), self.key("worker", name));
        match (queues, at) {
            (Some(queues), Some(at)) if listed => {
                if now - at > DEAD {
                    let silent = times::span(Duration::from_secs_f64(now - at));
                    let queues = queues.replace(',', ", ");
                    let text = format!("the worker {name} of {queues} has not reported for {silent}: it is dead");
                    self.note("workers", format!("{text}, and is forgotten by the others of its queues"));
                }
            }
            (None, None) if listed => {
                self.finding("workers", format!("{name} is in {all} and has no record"), format!("ZREM {all} {name}"));
            }
            (None, None) => {}
            (Some(_), Some(_)) => {
                self.finding("workers", format!("{own} is not in {all}: it stays for ever"), format!("DEL {own}"));
            }
            _ => self.finding(
                "workers",
                format!("{own} does not contain its queues, or the time of its report"),
                format!("DEL {own}"),
            ),
        }
    }
}
