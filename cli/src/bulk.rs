//! One action on all selected tasks of a queue, in steps.

use std::io::{self, IsTerminal};

use blueque::{Action, QueueName, Status};
use clap::Args;
use serde::Serialize;

use crate::input::confirm::agreed;
use crate::input::filter::TaskFilter;
use crate::input::values::{queue_name, whole_number};
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, bar, many, say};
use crate::session::Session;
use crate::view::queue::States;

/// Returns the states to which an action applies.
pub fn states(of: impl Fn(Status) -> bool) -> Vec<Status> {
    Status::ALL.iter().copied().filter(|&status| of(status)).collect()
}

#[derive(Args, Clone, Debug)]
pub struct All {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Change nothing, and count the selected tasks in each state
    #[arg(long, visible_alias = "dry-run")]
    count: bool,
    /// Do not ask for confirmation. Required without a terminal
    #[arg(long, short)]
    yes: bool,
    /// Tasks per call: a larger number is faster, but blocks other clients longer
    #[arg(long, value_name = "N", default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 500))]
    step: u32,
    /// Stop after this number of tasks
    #[arg(long, value_name = "N", value_parser = whole_number::<u64>(1, i64::MAX))]
    most: Option<u64>,
    #[command(flatten)]
    tasks: TaskFilter,
}

/// The outcome, in JSON.
#[derive(Serialize)]
struct Done {
    queue: String,
    action: &'static str,
    changed: u64,
    refused: u64,
    looked_at: u64,
}

impl Row for Done {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("action"), |row| row.action.to_owned()),
        (Column::whole("changed"), |row| row.changed.to_string()),
        (Column::whole("refused"), |row| row.refused.to_string()),
        (Column::whole("looked at"), |row| row.looked_at.to_string()),
    ];
}

/// The number of tasks to which the action would apply.
#[derive(Serialize)]
struct Counted {
    queue: String,
    action: &'static str,
    tasks: u64,
    states: States,
}

impl Row for Counted {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("action"), |row| row.action.to_owned()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::text("states"), |row| row.states.to_string()),
    ];
}

/// Performs the action step by step, with a progress bar on a terminal.
pub fn each(session: &Session, all: &All, action: &Action, states: &[Status]) -> anyhow::Result<Code> {
    let filter = all.tasks.filter(states);
    if all.count {
        let states = count(session, all, states)?;
        if states.all() == 0 {
            session.must_exist(std::slice::from_ref(&all.queue))?;
        }
        let (queue, action, tasks) = (all.queue.to_string(), action.as_str(), states.all());
        session.write(&[Counted { queue, action, tasks, states }])?;
        return Ok(Code::Ok);
    }
    // Users can undo an action of the second kind, so it needs a confirmation only for several tasks.
    let (verb, unasked) = match action {
        Action::Delete | Action::Purge => ("Remove", 0),
        Action::Cancel { .. } => ("Cancel", 0),
        Action::Retry { .. } => ("Retry", 1),
        Action::Move { .. } => ("Move", 1),
        Action::Prioritise { .. } => ("Change the priority of", 1),
        _ => ("Change", 1),
    };
    let question = || {
        let states = count(session, all, states)?;
        let found = states.all();
        let tasks = match all.most.filter(|most| *most < found) {
            Some(most) => format!("{most} of {}", many(found, "task")),
            None => many(found, "task"),
        };
        Ok((found.min(all.most.unwrap_or(found)) > unasked)
            .then(|| format!("{verb} {tasks} of {} ({states})?", all.queue)))
    };
    if !agreed(all.yes, question)? {
        return Ok(Code::Failed);
    }
    let mut done = Done { queue: all.queue.to_string(), action: action.as_str(), changed: 0, refused: 0, looked_at: 0 };
    let bar = if io::stderr().is_terminal() { Some(bar(size(session, all)?)) } else { None };
    let mut cursor = Some("0".to_owned());
    while let Some(at) = cursor {
        let left = all.most.map_or(u64::MAX, |most| most - done.changed);
        let step = u32::try_from(left).map_or(all.step, |left| left.min(all.step));
        let call = session.client.calls().bulk(&all.queue, action, &filter, &at, step);
        let step = match session.client.call(&call) {
            Ok(step) => step,
            Err(error) => {
                if done.changed > 0 {
                    say(format!("{} were done before the error; the same command does the rest", done.changed));
                }
                return Err(error.into());
            }
        };
        done.changed += step.changed;
        done.refused += step.refused;
        done.looked_at += step.looked;
        cursor = step.next.filter(|_| all.most.is_none_or(|most| done.changed < most));
        if let Some(bar) = &bar {
            bar.set_position(done.looked_at);
            bar.set_message(format!("{} done", done.changed));
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let refused = done.refused;
    if done.looked_at == 0 {
        session.must_exist(std::slice::from_ref(&all.queue))?;
    }
    session.write(&[done])?;
    if refused > 0 {
        say(format!("{refused} refused: their state, a unique name or the other queue does not allow it"));
        return Ok(Code::Refused);
    }
    Ok(Code::Ok)
}

/// Returns the number of selected tasks in each state.
fn count(session: &Session, all: &All, states: &[Status]) -> anyhow::Result<States> {
    let (client, calls) = (&session.client, session.client.calls());
    let states = all.tasks.states(states);
    if all.tasks.is_any() {
        return Ok(States::of(&client.call(&calls.counts(&all.queue))?, states));
    }
    let mut counts = Vec::new();
    for status in states {
        let (mut tasks, mut cursor, filter) = (0, Some("0".to_owned()), all.tasks.only(status));
        while let Some(at) = cursor {
            let page = client.call(&calls.find(Some(&all.queue), &at, 500, &filter))?;
            tasks += page.items.len() as u64;
            cursor = page.next;
        }
        counts.push((status, tasks));
    }
    Ok(States::new(counts))
}

/// Returns the number of tasks that the action reads, for the progress bar, if one call can return it.
fn size(session: &Session, all: &All) -> anyhow::Result<Option<u64>> {
    let (client, calls) = (&session.client, session.client.calls());
    if let Some(tag) = &all.tasks.tag {
        let tags = client.call(&calls.tags(&all.queue, "0", 500))?.items;
        return Ok(tags.iter().find(|found| found.name == *tag).map(|found| found.tasks));
    }
    if let Some(group) = all.tasks.group() {
        let groups = client.call(&calls.groups(&all.queue, "0", 500))?.items;
        return Ok(groups.iter().find(|found| found.name == group).map(|found| found.tasks));
    }
    Ok(Some(client.call(&calls.counts(&all.queue))?.tasks()))
}
