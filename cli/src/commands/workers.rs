//! `blueque workers`

use std::collections::BTreeMap;
use std::time::SystemTime;

use blueque::{ListenerId, QueueName, WorkerInfo};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::table::{Cell, Column, Row, or};
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

/// A worker, or a client without reports, with all its queues.
#[derive(Serialize)]
struct ListenerView {
    listener: String,
    host: String,
    /// The queues with which the worker is registered, or the patterns by which it takes queues.
    queues: Vec<String>,
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
    /// True if the worker takes no more tasks of a queue in `drained`.
    draining: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drained: Vec<String>,
    /// The capabilities that the worker offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    has: Option<String>,
    /// The methods for which the worker has programs, `*` for any; empty if unknown.
    methods: Vec<String>,
    /// The number of attempts that failed on the worker in the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u64>,
    /// The reason why the worker takes fewer tasks than it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl WorkerView {
    fn new(worker: &WorkerInfo, drained: Vec<String>) -> Self {
        Self {
            name: worker.name.clone(),
            version: worker.version.clone(),
            slots: worker.slots,
            free: worker.free,
            dead: worker.dead,
            draining: !drained.is_empty(),
            drained,
            has: worker.has.clone().filter(|has| !has.is_empty()),
            methods: worker.methods.clone(),
            failed: worker.failed,
            trouble: worker.trouble.clone(),
        }
    }

    fn state(&self) -> &'static str {
        match (self.dead, self.draining, &self.trouble) {
            (true, ..) => "dead",
            (_, true, _) => "drains",
            (.., Some(_)) => "impaired",
            _ => "alive",
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
    fn new(id: &str, now: SystemTime, seen: Option<SystemTime>) -> Self {
        let host = ListenerId::new(id).map(|id| id.host_and_pid().0.to_owned()).unwrap_or_default();
        Self {
            listener: id.to_owned(),
            host,
            queues: Vec::new(),
            seen: seen.and_then(times::exact),
            held: 0,
            tasks: Vec::new(),
            worker: None,
            heard: seen.map_or("unknown".to_owned(), |seen| times::relative(seen.min(now), now)),
        }
    }

    /// Returns a fact from the worker's report, or an empty text without a report.
    fn of(&self, text: fn(&WorkerView) -> String) -> String {
        self.worker.as_ref().map_or(String::new(), text)
    }
}

impl Row for ListenerView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("worker").at_least(24), |row| {
            row.worker.as_ref().and_then(|worker| worker.name.clone()).unwrap_or_else(|| row.listener.clone())
        }),
        (Column::text("host").rank(1), |row| row.host.clone()),
        (Column::text("queues"), |row| row.queues.join(" ")),
        (Column::state("state"), |row| row.of(|worker| worker.state().to_owned())),
        (Column::whole("slots").rank(5), |row| row.of(|worker| worker.slots.to_string())),
        (Column::whole("free").rank(6), |row| {
            row.of(|worker| if worker.dead { String::new() } else { worker.free.to_string() })
        }),
        (Column::whole("seen").rank(7), |row| row.heard.clone()),
        (Column::whole("holds"), |row| row.held.to_string()),
        (Column::whole("failed 1h").rank(8), |row| {
            row.of(|worker| if worker.dead { String::new() } else { or(worker.failed, "") })
        }),
        (Column::text("tasks").rank(3), |row| {
            row.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>().join(" ")
        }),
        (Column::text("offers").rank(4), |row| row.of(|worker| worker.has.clone().unwrap_or_default())),
        (Column::text("version").rank(2), |row| row.of(|worker| worker.version.clone().unwrap_or_default())),
        (Column::text("trouble"), |row| row.of(|worker| worker.trouble.clone().unwrap_or_default())),
    ];

    fn id(&self) -> String {
        self.listener.clone()
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let mut views: BTreeMap<String, ListenerView> = BTreeMap::new();
        let mut lacking = Vec::new();
        let (workers, now) = (session.client.workers()?, times::now());
        for queue in session.queues(self.queue.as_slice())? {
            lacking.extend(programs::missing(&session.client, &queue, &workers)?);
            for found in session.client.queue(queue.as_str())?.listeners()? {
                let held = match found.listener() {
                    Some(id) if found.held > 0 => {
                        session.client.call(&session.client.calls().list_held(&queue, &id))?
                    }
                    _ => Vec::new(),
                };
                // Supervisors of a dead worker still send heartbeats, so only the worker's own report shows if the
                // worker is alive.
                let report = workers.iter().find(|worker| worker.id == found.id);
                let seen = report.map(|worker| worker.seen).or(found.seen);
                let view = views.entry(found.id.clone()).or_insert_with(|| ListenerView::new(&found.id, now, seen));
                view.queues.push(queue.to_string());
                view.held += found.held;
                view.tasks.extend(held.into_iter().map(|task| HeldView {
                    status: task.status.map(blueque::Status::as_str),
                    attempt: task.attempt,
                    pid: task.pid,
                    lease_until: task.deadline.and_then(times::exact),
                    id: task.id,
                }));
            }
        }
        for worker in &workers {
            // A report outlives its worker, so a worker without a queue may have ended.
            if let Some(view) = views.get_mut(&worker.id) {
                let drained = worker.drained.iter().filter(|name| view.queues.contains(name)).cloned().collect();
                view.worker = Some(WorkerView::new(worker, drained));
            }
        }
        if views.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        session.write(&views.into_values().collect::<Vec<_>>())?;
        for sentence in lacking {
            say(sentence);
        }
        Ok(Code::Ok)
    }
}
