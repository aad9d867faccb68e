//! A task of a graph, as it is shown.

use std::collections::BTreeSet;

use blueque::TaskId;
use serde::Serialize;

use crate::view::progress::Progress;

/// As many upstreams of a task are named in the table.
const NAMED: usize = 3;

/// A task of a graph.
#[derive(Serialize)]
pub struct Member {
    pub task: String,
    pub id: String,
    pub queue: String,
    pub status: &'static str,
    /// From 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_end: Option<String>,
    /// The tasks that it waits for, or waited for.
    pub upstreams: Vec<Upstream>,
    /// How many of them must be complete whose `needs` is `some`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// How many of them have not ended as it needs.
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
    /// None if it is not of the graph.
    #[serde(skip)]
    pub ended: Option<bool>,
    /// It has failed or was cancelled, and its success is needed.
    #[serde(skip)]
    pub holds: bool,
    #[serde(skip)]
    pub complete: bool,
    #[serde(skip)]
    pub key: TaskId,
}

/// How many tasks are in which state.
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
    /// How far it is.
    pub fn done(&self) -> String {
        match self.progress {
            _ if self.status == "complete" => Progress::part(1, 1),
            Some(fraction) => Progress { fraction: Some(fraction), text: String::new() }.brief(),
            None => String::new(),
        }
    }

    /// Whom it waits for, or who was the cause of its end.
    pub fn reason(&self) -> String {
        if let Some(cause) = &self.cause {
            return format!("because of {cause}");
        }
        if self.status != "waiting" {
            return String::new();
        }
        if let Some(up) = self.upstreams.iter().find(|up| up.holds) {
            return format!("held until {} is retried", up.task);
        }
        // Whether tasks outside of the graph have ended is known from the number alone.
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

/// The first of these, and how many more there are.
fn named(open: &[&Upstream]) -> String {
    let (named, more) = open.split_at(open.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let named: Vec<&str> = named.iter().map(|up| up.task.as_str()).collect();
    format!("{}{more}", named.join(", "))
}
