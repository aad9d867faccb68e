//! A task of a graph, as the table and JSON show it.

use std::collections::BTreeSet;

use blueque::TaskId;
use serde::Serialize;

use crate::view::progress::Progress;

/// Maximum number of upstreams that the table names for a task.
const NAMED: usize = 3;

/// A task of a graph.
#[derive(Serialize)]
pub struct Member {
    pub task: String,
    pub id: String,
    pub queue: String,
    /// The state of the task, or `skipped` if it was not needed.
    pub status: &'static str,
    /// Progress of the task, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_end: Option<String>,
    /// The upstreams of the task, open or ended.
    pub upstreams: Vec<Upstream>,
    /// Number of upstreams that must be complete, among those with the value `some` in `needs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// Number of upstreams for which the task still waits.
    pub open: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    #[serde(skip)]
    pub ended: bool,
    #[serde(skip)]
    pub ends: String,
    #[serde(skip)]
    pub key: TaskId,
}

#[derive(Serialize)]
pub struct Upstream {
    pub task: String,
    pub id: String,
    pub needs: String,
    /// True if the upstream has ended. `None` if the upstream is not in the graph.
    #[serde(skip)]
    pub ended: Option<bool>,
    /// True if the upstream failed or was cancelled although the task needs its success.
    #[serde(skip)]
    pub holds: bool,
    #[serde(skip)]
    pub complete: bool,
    #[serde(skip)]
    pub key: TaskId,
}

/// Returns the number of tasks in each state, as text.
pub fn counts<'a>(tasks: impl Iterator<Item = &'a Member>) -> String {
    let mut numbers: Vec<(&str, usize)> = Vec::new();
    for task in tasks {
        match numbers.iter_mut().find(|(status, _)| *status == task.status) {
            Some((_, number)) => *number += 1,
            None => numbers.push((task.status, 1)),
        }
    }
    let numbers: Vec<String> = numbers.iter().map(|(status, number)| format!("{number} {status}")).collect();
    numbers.join(", ")
}

impl Member {
    /// Returns the progress of the task, as text.
    pub fn done(&self) -> String {
        match self.progress {
            _ if self.status == "complete" => Progress::part(1, 1),
            Some(fraction) => Progress { fraction: Some(fraction), text: String::new() }.brief(),
            None => String::new(),
        }
    }

    /// Returns the upstreams that the task waits for, or the task that caused its end.
    pub fn reason(&self) -> String {
        if let Some(cause) = &self.cause {
            let why = if self.status == "skipped" { "not needed after" } else { "because of" };
            return format!("{why} {cause}");
        }
        if self.status != "waiting" {
            return String::new();
        }
        if let Some(up) = self.upstreams.iter().find(|up| up.holds) {
            return format!("held until {} is retried", up.task);
        }
        // Upstreams outside the graph have no known state, and are only included in the number of open upstreams.
        let inside = self.upstreams.iter().filter(|up| up.ended == Some(false)).count();
        let waits = |up: &&Upstream| match up.ended {
            None => self.open > inside as u64,
            Some(ended) => !ended,
        };
        let (set, each): (Vec<&Upstream>, Vec<&Upstream>) = self.upstreams.iter().partition(|up| up.needs == "some");
        let complete: BTreeSet<&str> = set.iter().filter(|up| up.complete).map(|up| up.id.as_str()).collect();
        let lacking = self.at_least.unwrap_or(0).saturating_sub(complete.len() as u64);
        let mut all = named(&each.into_iter().filter(waits).collect::<Vec<_>>());
        if lacking > 0 {
            let of = named(&set.into_iter().filter(waits).collect::<Vec<_>>());
            let and = if all.is_empty() { "" } else { ", and " };
            all.push_str(&format!("{and}{lacking} of {of}"));
        }
        if all.is_empty() { all } else { format!("waits for {all}") }
    }
}

/// Returns the names of the first upstreams, and the number of the rest.
fn named(open: &[&Upstream]) -> String {
    let (named, more) = open.split_at(open.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let named: Vec<&str> = named.iter().map(|up| up.task.as_str()).collect();
    format!("{}{more}", named.join(", "))
}
