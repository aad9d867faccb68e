//! `blueque queue groups`

use blueque::{Group, QueueName};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::table::{Cell, Column, Row};
use crate::output::{Code, Format};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
}

/// A group of failures of a queue.
#[derive(Serialize)]
struct GroupView {
    group: String,
    queue: String,
    tasks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip)]
    age: String,
}

impl Row for GroupView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("group"), |row| if row.group.is_empty() { "(none)".to_owned() } else { row.group.clone() }),
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
        (Column::id("last").rank(2), |row| row.last.clone().unwrap_or_default()),
        (Column::whole("failed").rank(1), |row| row.age.clone()),
    ];

    const ID: Option<usize> = None;
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (mut views, now) = (Vec::new(), times::now());
        for queue in session.queues(self.queue.as_slice())? {
            let view = |group: Group| GroupView {
                group: group.name,
                queue: queue.to_string(),
                tasks: group.tasks,
                last: group.last,
                at: group.at.and_then(times::exact),
                age: group.at.map(|at| times::relative(at.min(now), now)).unwrap_or_default(),
            };
            views.extend(session.client.queue(queue.as_str())?.groups()?.into_iter().map(view));
        }
        if views.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        if session.format == Format::Id {
            // An empty name would be an unusable line.
            views.retain(|view| !view.group.is_empty());
        }
        session.write(&views)?;
        Ok(Code::Ok)
    }
}
