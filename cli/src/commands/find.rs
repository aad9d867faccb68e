//! `blueque find`

use blueque::{GraphId, QueueName, TaskId};
use clap::Args;

use crate::input::filter::TaskFilter;
use crate::input::values::{graph_id, queue_name, whole_number};
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::task::TaskView;
use crate::view::tasks::TaskList;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// Show at most this number of tasks
    #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
    limit: u32,
    /// Only tasks of this graph, in the order of its document
    #[arg(long, value_name = "ID", value_parser = graph_id, conflicts_with_all = ["group", "no_group"])]
    graph: Option<GraphId>,
    #[command(flatten)]
    tasks: TaskFilter,
}

/// Returns the sort key of a task among the tasks of all partitions: the latest task comes first.
fn latest_first(task: &TaskView) -> String {
    let created = task.created.as_deref().unwrap_or_default();
    created.chars().map(|c| c.to_digit(10).and_then(|digit| char::from_digit(9 - digit, 10)).unwrap_or(c)).collect()
}

/// Number of tasks of a graph that are read at once.
const PAGE: usize = 500;

/// Returns the selected tasks of a graph, up to `limit`.
fn of_graph(session: &Session, options: &Options, graph: &GraphId, limit: usize) -> anyhow::Result<Vec<String>> {
    let mut members = session.members(graph)?;
    members.retain(|task| options.queue.as_ref().is_none_or(|queue| task.queue == queue.as_str()));
    let ids: Vec<TaskId> = members.into_iter().map(|task| task.id).collect();
    let mut found = Vec::new();
    for page in ids.chunks(PAGE) {
        let infos = page.iter().zip(session.client.infos(page)?);
        let fits =
            infos.filter(|(id, info)| info.as_ref().is_some_and(|info| options.tasks.selects(id.as_str(), info)));
        found.extend(fits.map(|(id, _)| id.to_string()));
        if found.len() >= limit {
            break;
        }
    }
    found.truncate(limit);
    Ok(found)
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let filter = self.tasks.filter(&[]);
        let limit = self.limit as usize;
        // One task more than the limit is read, to find out if there are more.
        let mut ids = match (&self.graph, &self.queue) {
            (Some(graph), _) => of_graph(session, self, graph, limit + 1)?,
            (None, Some(queue)) => session.client.queue(queue.as_str())?.find(&filter, limit + 1)?,
            (None, None) => session.client.find(&filter, limit + 1)?,
        };
        let more = ids.len() > limit;
        ids.truncate(limit);
        session.say_more(limit, more);
        if ids.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        TaskList::of(session, ids)?.write(session, latest_first)?;
        Ok(Code::Ok)
    }
}
