//! `blueque graph`: tasks that wait for others, submitted together.

mod several;
mod words;

use std::io::{self, IsTerminal};
use std::thread;
use std::time::{Duration, Instant};

use blueque::calls::{CancelGraphOptions, RetryGraphOptions};
use blueque::{Error, GraphHandle, GraphId, GraphMember, GraphSummary, TaskId};
use clap::Args;

use self::words::{WATCH, Word, late, outcome};
use crate::input::document::Document;
use crate::input::new_graph::submit_graph;
use crate::output::{Code, Format, clean, data, fault, say};
use crate::session::Session;
use crate::session::graphs::known;
use crate::session::outage::Outage;
use crate::session::several::Several;
use crate::subcommand::Subcommand;
use crate::view::graph::{Made, Standing, Summary, Whole};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Word,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        match &self.word {
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
                known(
                    id,
                    graph.retry_with(&deadline.iter().map(|at| at.time()).fold(how, RetryGraphOptions::deadline)),
                )?;
                stand(session, &graph, members(&graph)?)
            }
            Word::Wait { id, timeout } => wait(session, id, *timeout),
        }
    }

    fn combine(&self, several: &Several<'_>) -> Option<anyhow::Result<Code>> {
        // A document may name other partitions than the named partition.
        let combines = matches!(self.word, Word::Submit { .. }) || several.flags.chosen.len() != 1;
        combines.then(|| several::run(several, &self.word))
    }

    fn topology(&self) -> anyhow::Result<Option<String>> {
        match &self.word {
            Word::Submit { document, .. } => document.topology(),
            _ => Ok(None),
        }
    }

    fn waits(&self) -> Option<Option<Duration>> {
        match &self.word {
            Word::Wait { timeout, .. } => Some(*timeout),
            Word::Show { watch: true, .. } => Some(None),
            _ => None,
        }
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
