//! `blueque find`

use blueque::{GraphId, QueueName, TaskId};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::input::filter::TaskFilter;
use crate::input::values::{graph_id, queue_name, whole_number};
use crate::output::{Code, many, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;
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
    /// Only tasks with this text in their title, command line, parameters or error, in upper or lower case. Looks at
    /// most at 10,000 tasks that match the other options, the latest first
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    text: Option<String>,
    #[command(flatten)]
    tasks: TaskFilter,
}

/// Number of tasks whose texts are read at most.
const READ: usize = 10_000;

/// Returns the tasks with the text among these ids, up to `limit`, and reports how many tasks were looked at.
fn with_text(session: &Session, ids: Vec<String>, text: &str, limit: usize) -> anyhow::Result<Vec<String>> {
    let ids: Vec<TaskId> = ids.into_iter().filter_map(|id| TaskId::new(id).ok()).collect();
    let (mut found, mut looked, mut oldest) = (Vec::new(), 0, None);
    for page in ids.get(..READ.min(ids.len())).unwrap_or_default().chunks(PAGE) {
        for (id, info) in page.iter().zip(session.client.infos(page)?) {
            let Some(info) = info else { continue };
            (looked, oldest) = (looked + 1, info.created().or(oldest));
            if info.mentions(text) {
                found.push(id.to_string());
            }
        }
        if found.len() >= limit {
            break;
        }
    }
    let all = if looked < ids.len() { "the first " } else { "all " };
    let since = oldest.map_or(String::new(), |at| format!(", the last created {}", times::to_the_second(at)));
    say(format!("looked into {all}{}{since}", many(looked, "task")));
    found.truncate(limit);
    Ok(found)
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
        let most = if self.text.is_some() { READ + 1 } else { limit + 1 };
        let mut ids = match (&self.graph, &self.queue) {
            (Some(graph), _) => of_graph(session, self, graph, most)?,
            (None, Some(queue)) => session.client.queue(queue.as_str())?.find(&filter, most)?,
            (None, None) => session.client.find(&filter, most)?,
        };
        if let Some(text) = &self.text {
            ids = with_text(session, ids, text, limit + 1)?;
        }
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
