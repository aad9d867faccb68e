//! `blueque queue delete`

use blueque::{QueueName, Status};
use clap::Args;
use serde::Serialize;

use crate::input::confirm::agreed;
use crate::input::values::queue_name;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::queue::States;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// Change nothing, and show what prevents the deletion
    #[arg(long, visible_alias = "dry-run")]
    count: bool,
    /// Do not ask for confirmation. Required without a terminal
    #[arg(long, short)]
    yes: bool,
}

/// The tasks that prevent a queue from being deleted.
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
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("action"), |row| row.action.to_owned()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::text("states"), |row| row.states.to_string()),
        (Column::whole("listeners"), |row| row.listeners.to_string()),
        (Column::text("schedules"), |row| row.schedules.join(" ")),
    ];
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let queue = &self.queue;
        let schedules = || -> anyhow::Result<Vec<String>> {
            let all = session.client.schedules()?;
            let ours = all.iter().filter(|schedule| schedule.queue == queue.as_str());
            Ok(ours.map(|schedule| schedule.name.to_string()).collect())
        };
        if self.count {
            let counts = session.client.call(&session.client.calls().counts(queue))?;
            let (states, schedules) = (States::of(&counts, Status::ALL.iter().copied()), schedules()?);
            let (tasks, listeners, queue) = (states.all(), counts.listeners, queue.to_string());
            if tasks + listeners == 0 && schedules.is_empty() {
                session.must_exist(std::slice::from_ref(&self.queue))?;
            }
            session.write(&[Kept { queue, action: "delete", tasks, states, listeners, schedules }])?;
            return Ok(Code::Ok);
        }
        let question = format!("Delete {queue}, with its settings, limits, statistics and events?");
        if !agreed(self.yes, || Ok(Some(question)))? {
            return Ok(Code::Failed);
        }
        if let Err(error) = session.client.call(&session.client.calls().delete_queue(queue)) {
            let names = if error.code() == Some(blueque::Code::NotEmpty) { schedules()? } else { Vec::new() };
            if names.is_empty() {
                return Err(error.into());
            }
            let names = names.join(" ");
            let todo = format!("remove them (blueque schedule rm {names}), or give them another queue");
            return Err(fault(Code::Refused, format!("NOTEMPTY: schedules create tasks in {queue}: {todo}")));
        }
        say(format!("{queue} is deleted"));
        Ok(Code::Ok)
    }
}
