//! `blueque queues`, `pause`, `resume`

use blueque::{Counts, QueueInfo, QueueName, Setting};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::bulk::States;
use crate::input::confirm::agreed;
use crate::input::state::State;
use crate::input::values::queue_name;
use crate::output::table::{self, Column, Row};
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::session::caller::caller;
use crate::times;

#[derive(Args, Debug)]
pub struct Options {}

#[derive(Args, Debug)]
pub struct Pause {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Why, for whoever finds it paused
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Stop what runs too: owners are ordered to save a checkpoint and give their tasks back
    #[arg(long)]
    stop: bool,
}

#[derive(Args, Debug)]
pub struct Resume {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
}

#[derive(Args, Debug)]
pub struct Forget {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Change nothing: say what keeps it, if anything does
    #[arg(long, visible_alias = "dry-run")]
    count: bool,
    /// Ask nothing. Who is not at a terminal is never asked
    #[arg(long, short)]
    yes: bool,
}

/// What keeps a queue from being forgotten.
#[derive(Serialize)]
struct Kept {
    queue: String,
    action: &'static str,
    tasks: u64,
    states: States,
    listeners: u64,
    schedules: Vec<String>,
}

impl Row for Kept {
    const COLUMNS: &'static [Column] = &[
        Column::text("queue"),
        Column::whole("action"),
        Column::whole("tasks"),
        Column::text("states"),
        Column::whole("listeners"),
        Column::text("schedules"),
    ];

    fn id(&self) -> &str {
        &self.queue
    }

    fn cells(&self) -> Vec<String> {
        let Self { queue, action, tasks, states, listeners, schedules } = self;
        let numbers = [tasks.to_string(), states.to_string(), listeners.to_string()];
        let names = [queue.clone(), (*action).to_owned()];
        names.into_iter().chain(numbers).chain([schedules.join(" ")]).collect()
    }
}

/// A queue.
#[derive(Serialize)]
pub struct QueueView {
    pub queue: String,
    pub scheduled: u64,
    pub pending: u64,
    pub reserved: u64,
    pub started: u64,
    pub complete: u64,
    pub failed: u64,
    pub cancelled: u64,
    pub listeners: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// Whether what runs is stopped too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// Whether it takes no tasks.
    pub closed: bool,
    /// Whether it cannot be used from here: clients of Blueque 1.0 gave it a name that this version does not
    /// know. Its tasks are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unusable: bool,
}

/// Who paused a queue, when, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Paused {
    pub since: Option<String>,
    pub by: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip)]
    seconds: f64,
}

impl Paused {
    /// Reads `SECONDS BY REASON`.
    pub fn read(text: &str) -> Self {
        let mut parts = text.splitn(3, ' ');
        let mut next = || parts.next().unwrap_or_default();
        let seconds = next().parse().unwrap_or(0.0);
        Self { since: times::exact(seconds), by: next().to_owned(), reason: next().to_owned(), seconds }
    }

    /// As part of a sentence.
    pub fn words(&self, now: f64) -> String {
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        format!("paused by {} {}{reason}", self.by, times::relative(self.seconds, now))
    }
}

impl QueueView {
    pub fn new(queue: String, counts: &Counts, paused: Option<&str>) -> Self {
        Self {
            queue,
            scheduled: counts.scheduled,
            pending: counts.pending,
            reserved: counts.reserved,
            started: counts.started,
            complete: counts.complete,
            failed: counts.failed,
            cancelled: counts.cancelled,
            listeners: counts.listeners,
            paused: paused.map(Paused::read),
            stopping: false,
            closed: false,
            unusable: false,
        }
    }

    /// One whose name no call takes.
    fn unusable(queue: &QueueInfo) -> Self {
        let listeners = u64::try_from(queue.listeners).unwrap_or(0);
        let counts = Counts::default();
        Self { unusable: true, listeners, ..Self::new(queue.name.clone(), &counts, None) }
    }

    /// What keeps tasks out, or in: for people, and mostly empty.
    pub fn words(&self) -> String {
        if self.unusable {
            return "not usable here: its name is one of Blueque 1.0 only; blueque doctor".to_owned();
        }
        let closed = self.closed.then(|| "takes no tasks".to_owned());
        let paused = self.paused.as_ref().map(|paused| paused.words(times::now()));
        let stopping = self.stopping.then(|| "what runs is stopped too".to_owned());
        [closed, paused, stopping].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

impl Row for QueueView {
    const COLUMNS: &'static [Column] = &[
        Column::text("queue").at_least(20),
        Column::whole("scheduled").rank(4),
        Column::whole("pending"),
        Column::whole("reserved").rank(2),
        Column::whole("started"),
        Column::whole("complete").rank(3),
        Column::whole("failed").rank(6),
        Column::whole("cancelled").rank(1),
        Column::whole("listeners").rank(5),
        Column::text(""),
    ];

    fn id(&self) -> &str {
        &self.queue
    }

    fn cells(&self) -> Vec<String> {
        let numbers = [
            self.scheduled,
            self.pending,
            self.reserved,
            self.started,
            self.complete,
            self.failed,
            self.cancelled,
            self.listeners,
        ];
        std::iter::once(self.queue.clone())
            .chain(numbers.map(|number| if self.unusable { "-".to_owned() } else { number.to_string() }))
            .chain([self.words()])
            .collect()
    }
}

impl Session {
    /// Every queue with its numbers.
    pub fn queue_views(&self) -> anyhow::Result<Vec<QueueView>> {
        let mut views = Vec::new();
        for queue in self.all_queues()? {
            // Clients without scripts may have made names of any form.
            let Ok(name) = QueueName::new(queue.name.as_str()) else {
                views.push(QueueView::unusable(&queue));
                continue;
            };
            let counts = self.client.call(&self.client.calls().counts(&name))?;
            let view = QueueView::new(queue.name, &counts, queue.paused.as_deref());
            let settings = self.client.call(&self.client.calls().settings(Some(&name)))?;
            let shut = |setting: &Setting| setting.name == "closed" && setting.value.as_deref() == Some("1");
            views.push(QueueView { stopping: queue.stopping, closed: settings.iter().any(shut), ..view });
        }
        Ok(views)
    }
}

pub fn list(session: &Session, _options: &Options) -> anyhow::Result<Code> {
    table::write(session.format, &session.queue_views()?)?;
    Ok(Code::Ok)
}

pub fn pause(session: &Session, options: &Pause) -> anyhow::Result<Code> {
    session.client.call(&session.client.calls().pause(&options.queue, &caller(), &options.reason, options.stop))?;
    let running = if options.stop { "is stopped too, and waits" } else { "goes on" };
    say(format!("{} is paused; what runs {running}; blueque resume {}", options.queue, options.queue));
    session.tell_if_new(&options.queue)?;
    Ok(Code::Ok)
}

pub fn resume(session: &Session, options: &Resume) -> anyhow::Result<Code> {
    session.client.call(&session.client.calls().resume(&options.queue))?;
    say(format!("{} gives out tasks", options.queue));
    session.tell_if_new(&options.queue)?;
    Ok(Code::Ok)
}

pub fn forget(session: &Session, options: &Forget) -> anyhow::Result<Code> {
    let queue = &options.queue;
    let schedules = || -> anyhow::Result<Vec<String>> {
        let all = session.client.schedules()?;
        let ours = all.iter().filter(|schedule| schedule.queue == queue.as_str());
        Ok(ours.map(|schedule| schedule.name.to_string()).collect())
    };
    if options.count {
        let counts = session.client.call(&session.client.calls().counts(queue))?;
        let every = State::value_variants().iter().map(|state| state.status());
        let (states, schedules) = (States::of(&counts, every), schedules()?);
        let (tasks, listeners, queue) = (states.all(), counts.listeners, queue.to_string());
        if tasks + listeners == 0 && schedules.is_empty() {
            session.must_exist(std::slice::from_ref(&options.queue))?;
        }
        table::write(session.format, &[Kept { queue, action: "forget", tasks, states, listeners, schedules }])?;
        return Ok(Code::Ok);
    }
    let question = format!("Forget {queue}, with its settings, limits, statistics and events?");
    if !agreed(options.yes, || Ok(Some(question)))? {
        return Ok(Code::Failed);
    }
    if let Err(error) = session.client.call(&session.client.calls().forget(queue)) {
        let names = if error.code() == "NOTEMPTY" { schedules()? } else { Vec::new() };
        if names.is_empty() {
            return Err(error.into());
        }
        let names = names.join(" ");
        let todo = format!("remove them (blueque schedule rm {names}), or give them another queue");
        return Err(fault(Code::Refused, format!("NOTEMPTY: schedules make tasks in {queue}: {todo}")));
    }
    say(format!("{queue} is forgotten"));
    Ok(Code::Ok)
}
