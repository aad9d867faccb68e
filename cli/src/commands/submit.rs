//! `blueque submit`, and `blueque add` for a command line.

pub mod add;

use blueque::{Graph, GraphId, Submitted, TaskId};
use clap::Args;
use serde::Serialize;

use crate::follow::interrupts::Interrupts;
use crate::follow::printer::Streams;
use crate::follow::{Follower, ended, leave, left};
use crate::input::array;
use crate::input::last_id;
use crate::input::new_graph::submit_graph;
use crate::input::new_task::NewTaskArgs;
use crate::input::values::plain;
use crate::output::table::{Cell, Column, Row, write_one};
use crate::output::{Code, Format, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::unserved;

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub new: NewTaskArgs,
    /// Submit a task for each index: 1-500, or 1-500%20 to run 20 at once. Without parameters, each task receives its
    /// index
    #[arg(long, value_name = "FIRST-LAST", value_parser = array::indexes, conflicts_with_all = NOT_OF_ARRAYS)]
    array: Option<String>,
    #[command(flatten)]
    way: Way,
}

/// How a task is submitted.
#[derive(Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Way {
    /// If a task with this --id exists: run it again if it is finished, edit it if it waits
    #[arg(long, requires = "id", conflicts_with = "follow")]
    again: bool,
    /// With --again, if the task is running: run it again after the current run, unless it is cancelled
    #[arg(long, requires = "again", conflicts_with = "wait")]
    once_more: bool,
    /// A name for this run, such as a date. Repeating the command with the same name starts no other run [default: a
    /// random name]
    #[arg(long, value_name = "NAME", value_parser = plain, requires = "again")]
    request: Option<String>,
    /// Hold the task: it does not start before `blueque unhold`
    #[arg(long, conflicts_with_all = ["again", "wait", "follow"])]
    hold: bool,
    /// Wait for the end of the task, and exit like `blueque wait`
    #[arg(long)]
    wait: bool,
    /// Show the log of the task until it ends
    #[arg(long)]
    follow: bool,
    /// Print only the id: the same as --output id
    #[arg(long)]
    id_only: bool,
}

/// Options that do not work with an array. Use `graph wait` to wait for the tasks of an array. An index cannot be
/// inserted into raw parameters.
const NOT_OF_ARRAYS: [&str; 5] = ["wait", "follow", "raw", "again", "hold"];

/// An array that was submitted.
#[derive(Serialize)]
struct MadeArray {
    graph: String,
    created: bool,
    tasks: usize,
    #[serde(skip)]
    indexes: String,
}

impl Row for MadeArray {
    /// The cell is the name of the array with its indexes.
    const COLUMNS: &'static [Cell<Self>] = &[(Column::id("graph"), |row| format!("{}[{}]", row.graph, row.indexes))];

    fn id(&self) -> String {
        self.graph.clone()
    }
}

impl Way {
    fn format(&self, session: &Session) -> Format {
        if self.id_only { Format::Id } else { session.format }
    }

    /// Submits an array.
    fn array(&self, session: &Session, (id, graph): (&GraphId, &Graph), indexes: String) -> anyhow::Result<Code> {
        let made = submit_graph(session, graph, id)?;
        last_id::keep(session, id.as_str());
        let (created, tasks) = (made.created, made.tasks.len());
        let row = MadeArray { graph: session.global(id.as_str()), created, tasks, indexes };
        write_one(self.format(session), &row)?;
        if let Some(first) = made.tasks.first().map(|(_, id)| id).filter(|_| made.created) {
            unserved::warn(session, first, None, false);
        }
        Ok(Code::Ok)
    }
}

/// A task that was submitted.
#[derive(Serialize)]
struct Made {
    id: String,
    queue: String,
    submitted: &'static str,
    /// The task that the new task replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
    /// The number of the current run of the task, with `--again`.
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<u64>,
}

impl Row for Made {
    const COLUMNS: &'static [Cell<Self>] = &[(Column::id("id"), |row| row.id.clone())];
}

fn make(session: &Session, new: &NewTaskArgs, way: &Way) -> anyhow::Result<Made> {
    let queue = new.queue.to_string();
    if way.again {
        let request = way.request.clone().unwrap_or_else(|| TaskId::random().to_string());
        let (id, round) = new.submit_again(session, &request, way.once_more)?;
        let submitted = round.made.as_str();
        return Ok(Made { id: id.to_string(), queue, submitted, replaced: None, round: Some(round.number) });
    }
    let (id, made) = new.submit(session, way.follow, way.hold)?;
    let replaced = match &made {
        Submitted::Replaced(other) => Some(other.to_string()),
        _ => None,
    };
    Ok(Made { id: id.to_string(), queue, submitted: made.as_str(), replaced, round: None })
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let Some(indexes) = &self.array else { return self.way.submit(session, &self.new) };
        let (id, graph) = self.new.array(indexes)?;
        self.way.array(session, (&id, &graph), indexes.split('%').next().unwrap_or_default().to_owned())
    }

    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        self.new.waits_for()
    }
}

impl Way {
    /// Submits a task, and waits for its end or shows its log.
    fn submit(&self, session: &Session, new: &NewTaskArgs) -> anyhow::Result<Code> {
        let follows = self.wait || self.follow;
        let interrupts = follows.then(Interrupts::hear).transpose()?;
        let made = make(session, new, self)?;
        let id = TaskId::new(made.id.as_str())?;
        unserved::warn(session, &id, new.method().as_deref(), follows);
        let shown = session.global_id(&id);
        last_id::keep(session, shown.as_str());
        let replaced = made.replaced.as_deref().map(|other| session.global(other));
        let made = Made { id: shown.to_string(), replaced, ..made };
        let format = self.format(session);
        if follows && format == Format::Table {
            // The message goes to stderr, so that scripts read only the result from stdout.
            say(format!("{shown} submitted"));
        } else if !follows || format == Format::Id {
            write_one(format, &made).inspect_err(|_| say(format!("{shown} submitted")))?;
        }
        let Some(interrupts) = interrupts else { return Ok(Code::Ok) };
        let mut follower = Follower::new(session, &id, if self.follow { Streams::Talk } else { Streams::None });
        let ended = follower.follow(&|| interrupts.waits()).map_err(|error| left(&shown, error))?;
        drop(follower);
        let Some(info) = ended else {
            Interrupts::end_line();
            leave(&shown);
            interrupts.obey()?;
            return Ok(Code::Ok);
        };
        match format {
            Format::Table => ended::write_result(&info)?,
            Format::Id => {}
            format => ended::write(format, &shown, &info)?,
        }
        ended::report(&shown, &info);
        Ok(ended::verdict(&info))
    }
}
