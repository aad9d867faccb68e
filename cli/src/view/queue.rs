//! A queue: its counts, and its paused or closed state.

use std::collections::BTreeMap;
use std::fmt;

use blueque::{Counts, Pause, QueueInfo, QueueName, Setting, Status};
use serde::{Serialize, Serializer};

use crate::output::table::{Column, Row};
use crate::session::Session;
use crate::times;

/// A queue.
#[derive(Serialize)]
pub struct QueueView {
    pub queue: String,
    #[serde(flatten, serialize_with = "by_state")]
    pub counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// True if the pause also stops running tasks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    /// True if the queue accepts no tasks.
    pub closed: bool,
    /// True if this client cannot use the queue: a client of Blueque 1.0 gave it a name that is invalid in this
    /// version. The tasks of this queue are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unusable: bool,
}

/// The user who paused a queue, the time and the reason.
#[derive(Clone, Debug, Serialize)]
pub struct Paused {
    pub since: Option<String>,
    pub by: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip)]
    pub pause: Pause,
}

impl Paused {
    pub fn new(pause: Pause) -> Self {
        Self { since: pause.at.and_then(times::exact), by: pause.by.clone(), reason: pause.reason.clone(), pause }
    }
}

impl QueueView {
    pub fn new(queue: String, counts: Counts, paused: Option<Pause>) -> Self {
        Self { queue, counts, paused: paused.map(Paused::new), stopping: false, closed: false, unusable: false }
    }

    /// Returns the view of a queue whose name is invalid.
    fn unusable(queue: &QueueInfo) -> Self {
        let mut counts = Counts::default();
        counts.listeners = queue.listeners;
        Self { unusable: true, ..Self::new(queue.name.clone(), counts, None) }
    }

    /// Returns "paused" or "closed" with details for people; empty for most queues.
    pub fn words(&self) -> String {
        if self.unusable {
            return "not usable here: its name is one of Blueque 1.0 only; blueque doctor".to_owned();
        }
        let closed = self.closed.then(|| "accepts no tasks".to_owned());
        let paused = self.paused.as_ref().map(|paused| paused.pause.words(times::now()));
        let stopping = self.stopping.then(|| "running tasks are stopped, too".to_owned());
        [closed, paused, stopping].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Returns the counts of the queue, with the states in the given order.
    pub fn numbers(&self, states: &[Status]) -> Vec<u64> {
        states.iter().map(|&status| self.counts.of(status)).chain([self.counts.listeners]).collect()
    }
}

/// Serializes the count of each state.
fn by_state<S: Serializer>(counts: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    let states = Status::ALL.iter().map(|&status| (status.as_str(), counts.of(status)));
    serializer.collect_map(states.chain([("listeners", counts.listeners)]))
}

/// Returns the columns of a queue, with the states in the given order.
pub fn columns(states: &[Status]) -> Vec<Column> {
    let state = |status: &Status| {
        let column = Column::whole(status.as_str());
        match status {
            Status::Pending | Status::Started => column,
            Status::Reserved => column.rank(2),
            Status::Complete => column.rank(3),
            Status::Scheduled => column.rank(4),
            Status::Waiting => column.rank(5),
            Status::Failed => column.rank(7),
            _ => column.rank(1),
        }
    };
    let ends = [Column::whole("listeners").rank(6), Column::text("")];
    std::iter::once(Column::text("queue").at_least(20)).chain(states.iter().map(state)).chain(ends).collect()
}

impl Row for QueueView {
    fn columns() -> Vec<Column> {
        columns(Status::ALL)
    }

    fn cells(&self) -> Vec<String> {
        let numbers = self.numbers(Status::ALL).into_iter();
        std::iter::once(self.queue.clone())
            .chain(numbers.map(|number| if self.unusable { "-".to_owned() } else { number.to_string() }))
            .chain([self.words()])
            .collect()
    }
}

/// Returns every queue with its counts.
pub fn queue_views(session: &Session) -> anyhow::Result<Vec<QueueView>> {
    let mut views = Vec::new();
    for queue in session.all_queues()? {
        // Clients without scripts may have created queues with invalid names.
        let Ok(name) = QueueName::new(queue.name.as_str()) else {
            views.push(QueueView::unusable(&queue));
            continue;
        };
        let counts = session.client.call(&session.client.calls().counts(&name))?;
        let view = QueueView::new(queue.name, counts, queue.paused);
        let settings = session.client.call(&session.client.calls().settings(Some(&name)))?;
        let shut = |setting: &Setting| setting.name == "closed" && setting.value.as_deref() == Some("1");
        views.push(QueueView { stopping: queue.stopping, closed: settings.iter().any(shut), ..view });
    }
    Ok(views)
}

/// The number of tasks in each state that has tasks.
#[derive(Serialize)]
#[serde(transparent)]
pub struct States(BTreeMap<&'static str, u64>);

impl States {
    pub fn new(counts: impl IntoIterator<Item = (Status, u64)>) -> Self {
        let some = counts.into_iter().filter(|&(_, tasks)| tasks > 0);
        Self(some.map(|(status, tasks)| (status.as_str(), tasks)).collect())
    }

    /// Returns the counts of the given states of a queue.
    pub fn of(counts: &Counts, states: impl IntoIterator<Item = Status>) -> Self {
        Self::new(states.into_iter().map(|status| (status, counts.of(status))))
    }

    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|(state, tasks)| format!("{tasks} {state}")).collect();
        f.write_str(&words.join(", "))
    }
}
