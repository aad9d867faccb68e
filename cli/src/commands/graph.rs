//! `blueque graph`: tasks that wait for others, submitted together.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use blueque::calls::{CancelGraphOptions, RetryGraphOptions};
use blueque::{Error, GraphHandle, GraphId, GraphMember, GraphSummary, Status, TaskId};
use clap::{Args, Subcommand};

use crate::input::document::Document;
use crate::input::new_graph::submit_graph;
use crate::input::values::{coming, duration, graph_id, whole_number};
use crate::output::{Code, Format, clean, data, fault, say};
use crate::session::Session;
use crate::session::graphs::known;
use crate::session::outage::Outage;
use crate::view::graph::{Drawing, Made, Standing, Summary, Whole};

/// The refresh interval.
const WATCH: Duration = Duration::from_secs(1);

#[derive(Args, Debug)]
pub struct Options {
    #[command(subcommand)]
    pub word: Word,
}

#[derive(Debug, Subcommand)]
pub enum Word {
    /// Submit all tasks of a document, or none; prints the name and the id of each task
    Submit {
        #[command(flatten)]
        document: Document,
        /// The id of the graph [default: a random id]; submitting the same id twice creates one graph
        #[arg(long, value_parser = graph_id)]
        id: Option<GraphId>,
    },
    /// List graphs, the latest first
    Ls {
        /// Only graphs in this state; may be given more than once, or as a list: running,failed
        #[arg(long, value_name = "STATE", value_enum, value_delimiter = ',')]
        status: Vec<Standing>,
        /// Only graphs with this name
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Only graphs with this tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// Show at most this number of graphs
        #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
        limit: u32,
    },
    /// Show the tasks of a graph as a tree, with their states, their dependencies and the expected end
    Show {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Show each array element and each complete task on a separate line
        #[arg(long)]
        all: bool,
        /// Refresh every second until all tasks have ended
        #[arg(long)]
        watch: bool,
    },
    /// Draw a graph
    Export {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// The format of the drawing
        #[arg(long, value_name = "FORMAT", value_enum, default_value = "dot")]
        format: Drawing,
    },
    /// Cancel all tasks of a graph, or one task and the tasks that need it
    Cancel {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Cancel only this task of the graph, named by its name or id, and the tasks that need it
        task: Option<String>,
        /// Kill programs at once
        #[arg(long)]
        force: bool,
        /// The reason, for people
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Run failed and cancelled tasks again, and keep complete tasks
    Retry {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Run this task again, named by its name or id, and all tasks downstream of it, even complete tasks
        #[arg(long, value_name = "TASK")]
        from: Option<String>,
        /// A new deadline for the graph and for the tasks that run again: RFC 3339, or 10m (+10m) from now
        #[arg(long, value_name = "TIME", value_parser = coming)]
        deadline: Option<SystemTime>,
    },
    /// Wait until all tasks of a graph have ended
    Wait {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Give up after this long, such as 90s or 2h
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        timeout: Option<Duration>,
    },
}

impl Options {
    /// Returns the topology of the shards of a document, if its shards are partitions.
    pub fn topology(&self) -> anyhow::Result<Option<String>> {
        match &self.word {
            Word::Submit { document, .. } => document.topology(),
            _ => Ok(None),
        }
    }

    /// Returns true if the command may use other partitions than the one that the user names.
    pub fn is_spread(&self) -> bool {
        matches!(self.word, Word::Submit { .. })
    }

    /// Returns the time limit of a command that may wait for hours: `Some(None)` without a limit, `None` for a command
    /// that does not wait.
    pub fn waits(&self) -> Option<Option<Duration>> {
        match &self.word {
            Word::Wait { timeout, .. } => Some(*timeout),
            Word::Show { watch: true, .. } => Some(None),
            _ => None,
        }
    }
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    match &options.word {
        Word::Submit { document, id } => submit(session, document, id.as_ref()),
        Word::Ls { status, name, tag, limit } => list(session, *limit, |graph| {
            (status.is_empty() || status.contains(&Standing::of(graph)))
                && (name.is_none() || graph.name == *name)
                && tag.as_ref().is_none_or(|tag| graph.tags.contains(tag))
        }),
        Word::Show { id, all, watch: false } => {
            look(session, id)?.write(session.format, *all)?;
            Ok(Code::Ok)
        }
        Word::Show { id, all, watch: true } => watch(session, id, *all),
        Word::Export { id, format } => {
            look(session, id)?.draw(*format)?;
            Ok(Code::Ok)
        }
        Word::Cancel { id, task, force, reason } => {
            let graph = session.client.graph(id.as_str())?;
            let options = CancelGraphOptions::new().force(*force);
            let options =
                member(&graph, task.as_deref())?.iter().fold(options, |options, task| options.task(task.as_str()));
            known(id, graph.cancel_with(reason, &options))?;
            stand(session, &graph, members(&graph)?)
        }
        Word::Retry { id, from, deadline } => {
            let graph = session.client.graph(id.as_str())?;
            let from = member(&graph, from.as_deref())?;
            let how = from.iter().fold(RetryGraphOptions::new(), |how, task| how.task(task.as_str()));
            known(id, graph.retry_with(&deadline.iter().copied().fold(how, RetryGraphOptions::deadline)))?;
            stand(session, &graph, members(&graph)?)
        }
        Word::Wait { id, timeout } => wait(session, id, *timeout),
    }
}

/// Returns all tasks of a graph.
fn members(graph: &GraphHandle) -> anyhow::Result<Vec<GraphMember>> {
    known(graph.id(), graph.tasks().collect())
}

/// Returns the task of a graph that has this name or id.
fn member(graph: &GraphHandle, named: Option<&str>) -> anyhow::Result<Option<TaskId>> {
    let Some(named) = named else { return Ok(None) };
    let tasks = members(graph)?;
    let found = tasks.iter().find(|task| task.label == named).or(tasks.iter().find(|task| task.id.as_str() == named));
    let none = || fault(Code::NotFound, format!("no task of the graph {} is {}", graph.id(), clean(named)));
    Ok(Some(found.ok_or_else(none)?.id.clone()))
}

/// Shows the state of a graph.
fn stand(session: &Session, graph: &GraphHandle, tasks: Vec<GraphMember>) -> anyhow::Result<Code> {
    let info = known(graph.id(), graph.info())?;
    let whole = Whole::new(graph.id(), &info, tasks);
    if session.format == Format::Table {
        say(whole.sentence());
    } else {
        whole.write(session.format, false)?;
    }
    Ok(Code::Ok)
}

fn look(session: &Session, id: &GraphId) -> anyhow::Result<Whole> {
    let graph = session.client.graph(id.as_str())?;
    let info = known(id, graph.info())?;
    Whole::looked_at(session, id, &info, members(&graph)?)
}

fn list(session: &Session, limit: u32, fits: impl Fn(&GraphSummary) -> bool) -> anyhow::Result<Code> {
    let limit = limit as usize;
    let mut shown = Vec::new();
    for graph in session.client.graphs() {
        let graph = graph?;
        if fits(&graph) {
            shown.push(Summary::new(graph));
        }
        // One entry more than the limit is read, to find out if there are more.
        if shown.len() > limit {
            break;
        }
    }
    let more = shown.len() > limit;
    shown.truncate(limit);
    session.write(&shown)?;
    if more && session.format == Format::Table {
        say(format!("the latest {limit} graphs; --limit shows more"));
    }
    Ok(Code::Ok)
}

/// Shows a graph repeatedly until all its tasks have ended. Waits for a server that is away.
fn watch(session: &Session, id: &GraphId, all: bool) -> anyhow::Result<Code> {
    let mut outage = Outage::default();
    loop {
        let Some(whole) = outage.survive(look(session, id))? else { continue };
        if io::stdout().is_terminal() {
            // Clears the screen and moves the cursor home.
            data("\x1b[2J\x1b[H")?;
        }
        let hidden = whole.write_screen(session.format, all)?;
        if hidden > 0 {
            say(format!("+{hidden} lines"));
        }
        if whole.has_ended() {
            return Ok(Code::Ok);
        }
        thread::sleep(WATCH);
    }
}

fn submit(session: &Session, document: &Document, id: Option<&GraphId>) -> anyhow::Result<Code> {
    // The client chooses the id before the call. If the reply is lost, the same command with this id creates no second
    // graph.
    let id = id.cloned().unwrap_or_else(GraphId::random);
    let made = submit_graph(session, &document.graph()?.id(id.clone()), &id)?;
    Made::new(&made).write(session.format)?;
    Ok(Code::Ok)
}

fn wait(session: &Session, id: &GraphId, timeout: Option<Duration>) -> anyhow::Result<Code> {
    let graph = session.client.graph(id.as_str())?;
    let Some(tasks) = ended(session, &graph)? else { return Err(late(id.as_str(), timeout)) };
    let code = outcome(&tasks);
    stand(session, &graph, tasks)?;
    Ok(code)
}

/// Returns the error for a graph that has not ended in time.
pub fn late(id: &str, timeout: Option<Duration>) -> anyhow::Error {
    let waited = humantime::format_duration(timeout.unwrap_or_default());
    fault(Code::TimedOut, format!("the graph {id} is not finished after {waited}"))
}

/// Returns the exit code for the states of the tasks.
pub fn outcome(tasks: &[GraphMember]) -> Code {
    let of = |status| tasks.iter().any(|task| task.status == Some(status));
    match (of(Status::Failed), of(Status::Cancelled)) {
        (true, _) => Code::Failed,
        (false, true) => Code::Cancelled,
        (false, false) => Code::Ok,
    }
}

/// Waits until all tasks of a graph have ended and returns them, or `None` after the time limit. Waits for a server
/// that is away.
fn ended(session: &Session, graph: &GraphHandle) -> anyhow::Result<Option<Vec<GraphMember>>> {
    let mut outage = Outage::default();
    loop {
        let left = session.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        let answer = match graph.wait(left) {
            Err(Error::TimedOut(_)) => return Ok(None),
            answer => known(graph.id(), answer),
        };
        if answer.is_err() && session.end.is_some_and(|end| Instant::now() >= end) {
            return Ok(None);
        }
        if let Some(tasks) = outage.survive(answer)? {
            return Ok(Some(tasks));
        }
    }
}
