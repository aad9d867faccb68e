//! Changes of several tasks of a graph: how many tasks they concern, and the confirmation.

use std::collections::HashSet;

use blueque::{GraphMember, Status, TaskId};
use serde::Serialize;

use super::found::Found;
use super::words::Guard;
use crate::input::confirm::agreed;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, many};
use crate::view::queue::States;

/// Kinds of edges whose downstream tasks cannot run if their upstream is cancelled.
const NEEDS: [&str; 2] = ["result", "success"];

/// The tasks that a change concerns.
#[derive(Serialize)]
pub struct Counted {
    graph: String,
    action: &'static str,
    tasks: u64,
    states: States,
}

impl Row for Counted {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("graph"), |row| row.graph.clone()),
        (Column::whole("action"), |row| row.action.to_owned()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::text("states"), |row| row.states.to_string()),
    ];
}

impl Guard {
    /// Returns `None` if the change may be made, or else the exit code. `from`: the task at which the change begins.
    pub fn stops(
        &self,
        found: &Found<'_>,
        action: &'static str,
        from: Option<&TaskId>,
    ) -> anyhow::Result<Option<Code>> {
        if self.yes && !self.dry_run {
            return Ok(None);
        }
        let (tasks, whole) = found.tasks()?;
        let concerned = concerned(&tasks, action, from);
        let number = |status: Status| concerned.iter().filter(|&&known| known == status).count() as u64;
        let states = States::new(Status::ALL.iter().map(|&status| (status, number(status))));
        let (graph, tasks) = (found.graph.to_string(), states.all());
        if self.dry_run {
            found.write(&[Counted { graph, action, tasks, states }])?;
            return Ok(Some(Code::Ok));
        }
        let verb = if action == "cancel" { "Cancel" } else { "Run" };
        let question = || {
            let number = many(tasks, "task");
            let number = if whole { number } else { format!("{number} and those of absent partitions") };
            let again = if action == "cancel" { "" } else { " again" };
            Ok((tasks > 1 || !whole).then(|| format!("{verb} {number} of the graph {graph} ({states}){again}?")))
        };
        Ok(if agreed(self.yes, question)? { None } else { Some(Code::Failed) })
    }
}

/// Returns the states of the tasks that a change concerns.
fn concerned(tasks: &[GraphMember], action: &str, from: Option<&TaskId>) -> Vec<Status> {
    let cancels = action == "cancel";
    let below = from.map(|from| downstream(tasks, from, |kind| !cancels || NEEDS.contains(&kind)));
    let within = tasks.iter().filter(|task| below.as_ref().is_none_or(|below| below.contains(&task.id)));
    let fits = |status: &Status| match (cancels, from) {
        (true, _) => !status.is_finished(),
        (false, Some(_)) => true,
        (false, None) => matches!(status, Status::Failed | Status::Cancelled),
    };
    within.filter_map(|task| task.status).filter(fits).collect()
}

/// Returns a task and all tasks that wait for it, directly or through other tasks.
fn downstream<'a>(tasks: &'a [GraphMember], from: &'a TaskId, follows: impl Fn(&str) -> bool) -> HashSet<&'a TaskId> {
    let mut found = HashSet::from([from]);
    loop {
        let before = found.len();
        for task in tasks {
            if task.upstreams.iter().any(|(kind, id)| follows(kind) && found.contains(id)) {
                found.insert(&task.id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
