//! `blueque find`

use blueque::QueueName;
use clap::Args;

use crate::input::filter::TaskFilter;
use crate::input::values::{queue_name, whole_number};
use crate::output::Code;
use crate::session::Session;
use crate::view::task::TaskView;
use crate::view::tasks::TaskList;

#[derive(Args, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// Show at most this many
    #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
    limit: u32,
    #[command(flatten)]
    tasks: TaskFilter,
}

/// The place of a task among those of other partitions.
fn latest_first(task: &TaskView) -> String {
    let created = task.created.as_deref().unwrap_or_default();
    created.chars().map(|c| c.to_digit(10).and_then(|digit| char::from_digit(9 - digit, 10)).unwrap_or(c)).collect()
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let filter = options.tasks.filter(&[]);
    let limit = options.limit as usize;
    // One more than is shown reveals whether there are more.
    let mut ids = match &options.queue {
        Some(queue) => session.client.queue(queue.as_str())?.find(&filter, limit + 1)?,
        None => session.client.find(&filter, limit + 1)?,
    };
    let more = ids.len() > limit;
    ids.truncate(limit);
    session.say_more(limit, more);
    if ids.is_empty() {
        session.must_exist(options.queue.as_slice())?;
    }
    TaskList::of(session, ids)?.write(session, latest_first)?;
    Ok(Code::Ok)
}
