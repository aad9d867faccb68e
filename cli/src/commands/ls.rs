//! `blueque ls`

mod list;

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use blueque::{GraphId, QueueName, Status};
use clap::Args;

use self::list::ListArgs;
use crate::input::state::state;
use crate::input::values::{graph_id, past, queue_name, whole_number};
use crate::output::{Code, Format, data, fault, many, say};
use crate::session::Session;
use crate::session::caller::{caller, submitter};
use crate::session::outage::Outage;
use crate::states::shown;
use crate::subcommand::Subcommand;
use crate::times::{self, When};
use crate::view::task::TaskView;
use crate::view::tasks::TaskList;

/// The refresh interval.
const WATCH: Duration = Duration::from_secs(1);

/// Number of tasks that are read at most, if not only their number but their data decides which tasks are shown.
const READ: usize = 10_000;

/// Number of tasks that are read at once.
const PAGE: usize = 500;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: Option<QueueName>,
    /// Further queues
    #[arg(long = "queue", value_name = "QUEUE", value_parser = queue_name)]
    queues: Vec<QueueName>,
    /// Only tasks in this state; may be given more than once, or as a list: started,pending
    #[arg(long, visible_alias = "state", value_name = "STATE", value_parser = state(), value_delimiter = ',')]
    status: Vec<Status>,
    /// Only tasks of this graph
    #[arg(long, value_name = "ID", value_parser = graph_id)]
    graph: Option<GraphId>,
    /// Only tasks that were submitted, started or ended since this time: 2h for two hours ago, 8:00, or yesterday 22:00
    #[arg(long, value_name = "TIME", value_parser = past, allow_hyphen_values = true)]
    since: Option<When>,
    /// Only tasks that this user has submitted from this host
    #[arg(long)]
    mine: bool,
    #[command(flatten)]
    list: ListArgs,
    /// Show at most this number of tasks
    #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
    limit: u32,
    /// Refresh every second
    #[arg(long)]
    pub watch: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.list.choose();
        let named = self.queue.iter().chain(&self.queues).cloned().collect::<Vec<_>>();
        let mut outage = Outage::default();
        let mut begins = true;
        loop {
            let looked = look(session, &named, self);
            let looked = looked.and_then(|(picture, more)| {
                let unknown = if picture.is_empty() && begins { session.unknown(&named)? } else { None };
                Ok((picture, more, unknown))
            });
            let looked = if self.watch { outage.survive(looked)? } else { Some(looked?) };
            let Some((picture, more, unknown)) = looked else { continue };
            match unknown {
                Some(text) if self.watch => say(format!("{text} yet")),
                Some(text) => return Err(fault(Code::NotFound, text)),
                None => {}
            }
            begins = false;
            if self.watch && io::stdout().is_terminal() {
                // Clears the screen and moves the cursor home.
                data("\x1b[2J\x1b[H")?;
            }
            let hidden = if self.watch {
                picture.write_screen(session)?
            } else {
                picture.write(session, rank(self))?;
                0
            };
            if hidden > 0 {
                say(format!("+{hidden} tasks"));
            } else if session.is_one_of_many() || session.format == Format::Table {
                session.say_more(self.limit as usize, more);
            }
            if !self.watch {
                picture.say_totals(session, more);
            }
            if !self.watch {
                return Ok(Code::Ok);
            }
            thread::sleep(WATCH);
        }
    }

    fn waits(&self) -> Option<Option<Duration>> {
        self.watch.then_some(None)
    }

    fn take_watch(&mut self) -> bool {
        std::mem::take(&mut self.watch)
    }
}

/// Returns a function that computes the sort key of a task: by the order that the user chose, or else by state, as in a
/// single partition.
fn rank(options: &Options) -> impl Fn(&TaskView) -> String {
    let states = states(options);
    move |task| {
        if let Some(order) = options.list.order() {
            return order.rank(task);
        }
        let place = states.iter().position(|state| state.as_str() == task.status);
        let started = task.started.as_deref().filter(|_| task.is_started());
        format!("{:02}{}", place.unwrap_or(states.len()), started.unwrap_or_default())
    }
}

/// Returns the states to show, in this order.
fn states(options: &Options) -> Vec<Status> {
    if options.status.is_empty() { shown() } else { options.status.clone() }
}

/// Returns the tasks to show, and true if there are more tasks.
fn look(session: &Session, named: &[QueueName], options: &Options) -> anyhow::Result<(TaskList, bool)> {
    let (reads_all, limit) =
        (options.list.order().is_some() || options.since.is_some() || options.mine, options.limit as usize);
    let most = if reads_all { limit.max(READ) } else { limit };
    let (ids, unread) = match &options.graph {
        Some(graph) => of_graph(session, named, options, graph, most)?,
        None => listed(session, &session.queues(named)?, options, most)?,
    };
    if reads_all {
        return chosen(session, &ids, unread, options);
    }
    let mut picture = TaskList::of(session, ids)?;
    if let TaskList::Tasks(tasks) = &mut picture {
        // The server returns running tasks in no order. Tasks that have run longest come first, as in `top`, so that
        // each task keeps its place.
        for started in tasks.chunk_by_mut(|one, next| one.is_started() && next.is_started()) {
            started.sort_by(|a, b| (&a.started, &a.id).cmp(&(&b.started, &b.id)));
        }
    }
    Ok((picture, unread))
}

/// Returns the first of these tasks in the order of the user, and true if there are more tasks. `unread`: true if more
/// ids exist.
fn chosen(session: &Session, ids: &[String], unread: bool, options: &Options) -> anyhow::Result<(TaskList, bool)> {
    let (limit, rank, since) = (options.limit as usize, rank(options), options.since.map(When::time));
    let mine = options.mine.then(|| submitter().unwrap_or_else(caller));
    let mut kept: Vec<(String, TaskView)> = Vec::new();
    let mut more = false;
    for page in ids.chunks(PAGE) {
        let TaskList::Tasks(tasks) = TaskList::records(session, page)? else { continue };
        let changed =
            |task: &TaskView| since.is_none_or(|since| task.updated.as_deref() >= times::exact(since).as_deref());
        let chosen = tasks.into_iter().filter(|task| (mine.is_none() || task.submitter == mine) && changed(task));
        kept.extend(chosen.map(|task| (rank(&task), task)));
        // Only the tasks that may be shown are kept in memory.
        kept.sort_by(|(one, _), (other, _)| one.cmp(other));
        more |= kept.len() > limit;
        kept.truncate(limit);
    }
    if unread {
        say(format!("only the first {} were looked at; name a queue or a state", many(ids.len(), "task")));
    }
    Ok((TaskList::Tasks(kept.into_iter().map(|(_, task)| task).collect()), more))
}

/// Returns the ids to show, and true if there are more tasks.
fn listed(
    session: &Session,
    queues: &[QueueName],
    options: &Options,
    limit: usize,
) -> anyhow::Result<(Vec<String>, bool)> {
    let mut ids = Vec::new();
    for state in states(options) {
        for queue in queues {
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                // One task more than the limit is read, to find out if there are more.
                let wanted = u32::try_from(limit + 1 - ids.len()).unwrap_or(1).clamp(1, 500);
                let page = session.client.call(&session.client.calls().list(queue, state.as_str(), &at, wanted))?;
                ids.extend(page.items);
                if ids.len() > limit {
                    ids.truncate(limit);
                    return Ok((ids, true));
                }
                cursor = page.next;
            }
        }
    }
    Ok((ids, false))
}

/// Returns the ids to show of a graph, and true if there are more tasks.
fn of_graph(
    session: &Session,
    named: &[QueueName],
    options: &Options,
    graph: &GraphId,
    limit: usize,
) -> anyhow::Result<(Vec<String>, bool)> {
    let states = states(options);
    let tasks = session.members(graph)?.into_iter();
    let named = tasks.filter(|task| named.is_empty() || named.iter().any(|queue| queue.as_str() == task.queue));
    let place = |status: Option<Status>| states.iter().position(|state| Some(*state) == status);
    let mut ranked: Vec<(usize, String)> =
        named.filter_map(|task| Some((place(task.status)?, task.id.to_string()))).collect();
    ranked.sort_by_key(|(place, _)| *place);
    let more = ranked.len() > limit;
    Ok((ranked.into_iter().take(limit).map(|(_, id)| id).collect(), more))
}
