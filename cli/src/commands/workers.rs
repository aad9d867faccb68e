//! `blueque workers`

use std::time::SystemTime;

use blueque::{QueueName, WorkerInfo};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;
use crate::view::programs;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
}

/// A listener of a queue.
#[derive(Serialize)]
struct ListenerView {
    listener: String,
    queue: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<String>,
    held: u64,
    tasks: Vec<HeldView>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    worker: Option<WorkerView>,
    #[serde(skip)]
    heard: String,
}

/// The report of a worker about itself.
#[derive(Serialize)]
struct WorkerView {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    slots: u32,
    free: u32,
    dead: bool,
    /// True if the worker takes no more tasks of this queue.
    draining: bool,
    /// The methods for which the worker has programs, `*` for any; empty if unknown.
    methods: Vec<String>,
    /// The reason why the worker takes fewer tasks than it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    #[serde(skip)]
    seen: SystemTime,
}

impl WorkerView {
    /// Returns the report of a worker if the worker serves the queue.
    fn of(worker: &WorkerInfo, queue: &QueueName) -> Option<Self> {
        worker.serves(queue).then(|| Self {
            name: worker.name.clone(),
            version: worker.version.clone(),
            slots: worker.slots,
            free: worker.free,
            dead: worker.dead,
            draining: programs::is_drained(worker, queue),
            methods: worker.methods.clone(),
            trouble: worker.trouble.clone(),
            seen: worker.seen,
        })
    }

    fn words(&self) -> &str {
        match (self.dead, self.draining) {
            (true, _) => "dead",
            (_, true) => "drains",
            _ => self.trouble.as_deref().unwrap_or_default(),
        }
    }
}

/// A task that a listener holds.
#[derive(Serialize)]
struct HeldView {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_until: Option<String>,
}

impl ListenerView {
    /// Returns a fact from the listener's report, or an empty text without a report.
    fn of(&self, text: fn(&WorkerView) -> String) -> String {
        self.worker.as_ref().map_or(String::new(), text)
    }
}

impl Row for ListenerView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("listener").at_least(40), |row| row.listener.clone()),
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::text("name").rank(2), |row| row.of(|worker| worker.name.clone().unwrap_or_default())),
        (Column::whole("slots").rank(3), |row| row.of(|worker| worker.slots.to_string())),
        (Column::whole("free").rank(4), |row| {
            row.of(|worker| if worker.dead { String::new() } else { worker.free.to_string() })
        }),
        (Column::whole("seen").rank(5), |row| row.heard.clone()),
        (Column::whole("holds"), |row| row.held.to_string()),
        (Column::text("tasks").rank(1), |row| {
            row.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>().join(" ")
        }),
        (Column::text(""), |row| row.of(|worker| worker.words().to_owned())),
    ];
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let mut views = Vec::new();
        let mut lacking = Vec::new();
        let workers = session.client.workers()?;
        for queue in session.queues(self.queue.as_slice())? {
            let now = times::now();
            lacking.extend(programs::missing(&session.client, &queue, &workers)?);
            for found in session.client.queue(queue.as_str())?.listeners()? {
                let held = match found.listener() {
                    Some(id) if found.held > 0 => {
                        session.client.call(&session.client.calls().list_held(&queue, &id))?
                    }
                    _ => Vec::new(),
                };
                let tasks = held.into_iter().map(|task| HeldView {
                    status: task.status.map(blueque::Status::as_str),
                    attempt: task.attempt,
                    pid: task.pid,
                    lease_until: task.deadline.and_then(times::exact),
                    id: task.id,
                });
                let worker = workers.iter().find(|worker| worker.id == found.id);
                let worker = worker.and_then(|worker| WorkerView::of(worker, &queue));
                // Supervisors of a dead worker still send heartbeats, so only the worker's own report shows if the
                // worker is alive.
                let seen = worker.as_ref().map(|worker| worker.seen).or(found.seen);
                views.push(ListenerView {
                    tasks: tasks.collect(),
                    worker,
                    heard: seen.map_or("unknown".to_owned(), |seen| times::relative(seen.min(now), now)),
                    seen: seen.and_then(times::exact),
                    held: found.held,
                    queue: queue.to_string(),
                    listener: found.id,
                });
            }
        }
        if views.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        // The server returns the listeners of a queue in no order.
        views.sort_by(|a, b| (&a.queue, &a.listener).cmp(&(&b.queue, &b.listener)));
        session.write(&views)?;
        for sentence in lacking {
            say(sentence);
        }
        Ok(Code::Ok)
    }
}
