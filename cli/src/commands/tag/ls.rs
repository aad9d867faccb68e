//! `blueque tag ls`

use blueque::{QueueName, Tag};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::Code;
use crate::output::table::{Cell, Column, Row};
use crate::session::Session;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
}

/// A tag of a queue.
#[derive(Serialize)]
struct TagView {
    tag: String,
    queue: String,
    tasks: u64,
}

impl Row for TagView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("tag"), |row| row.tag.clone()),
        (Column::text("queue"), |row| row.queue.clone()),
        (Column::whole("tasks"), |row| row.tasks.to_string()),
    ];
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let mut views = Vec::new();
    for queue in session.queues(options.queue.as_slice())? {
        let view = |tag: Tag| TagView { tag: tag.name, queue: queue.to_string(), tasks: tag.tasks };
        views.extend(session.client.queue(queue.as_str())?.tags()?.into_iter().map(view));
    }
    if views.is_empty() {
        session.must_exist(options.queue.as_slice())?;
    }
    session.write(&views)?;
    Ok(Code::Ok)
}
