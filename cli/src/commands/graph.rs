//! `blueque graph`: tasks that wait for others, submitted together.

mod change;
mod found;
mod partitions;
mod within;
mod words;

use std::time::Duration;

use blueque::calls::{CancelGraphOptions, RetryGraphOptions};
use blueque::{GraphId, GraphSummary};
use clap::Args;

use self::found::Found;
use self::within::Within;
use self::words::Word;
use crate::input::document::Document;
use crate::input::last_id;
use crate::input::new_graph::submit_graph;
use crate::output::table;
use crate::output::{Code, Format, say};
use crate::session::Session;
use crate::session::several::Several;
use crate::subcommand::Subcommand;
use crate::view::graph::{Made, Standing, Summary};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Word,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        run(Within::Namespace(session), &self.word)
    }

    fn combine(&self, several: &Several<'_>) -> Option<anyhow::Result<Code>> {
        // A document may name other partitions than the named partition.
        let combines = matches!(self.word, Word::Submit { .. }) || several.flags.chosen.len() != 1;
        combines.then(|| run(Within::Partitions(several), &self.word))
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

fn run(within: Within<'_>, word: &Word) -> anyhow::Result<Code> {
    match word {
        Word::Submit { document, id } => submit(within, document, id.as_ref()),
        Word::Ls { status, name, tag, limit } => list(within, *limit as usize, |graph| {
            (status.is_empty() || status.contains(&Standing::of(graph)))
                && (name.is_none() || graph.name == *name)
                && tag.as_ref().is_none_or(|tag| graph.tags.contains(tag))
        }),
        Word::Show { id, all, watch: true } => Found::find(within, id)?.watch(*all),
        Word::Show { id, all, watch: false } => {
            let (whole, code) = Found::find(within, id)?.look()?;
            whole.write(within.format(), *all)?;
            Ok(code)
        }
        Word::Export { id, format } => {
            let (whole, code) = Found::find(within, id)?.look()?;
            whole.draw(*format)?;
            Ok(code)
        }
        Word::Cancel { id, task, force, reason, guard } => {
            let found = Found::find(within, id)?;
            let task = task.as_ref().map(|task| found.member(task)).transpose()?;
            if let Some(code) = guard.stops(&found, "cancel", task.as_ref())? {
                return Ok(code);
            }
            let options = CancelGraphOptions::new().force(*force);
            let options = task.iter().fold(options, |options, task| options.task(task.as_str()));
            found.after(found.graph.cancel_with(reason, &options))
        }
        Word::Retry { id, from, deadline, guard } => {
            let found = Found::find(within, id)?;
            if from.is_some() {
                found.must_answer()?;
            }
            let task = from.as_ref().map(|task| found.member(task)).transpose()?;
            if let Some(code) = guard.stops(&found, "retry", task.as_ref())? {
                return Ok(code);
            }
            let options =
                deadline.iter().map(|at| at.time()).fold(RetryGraphOptions::new(), RetryGraphOptions::deadline);
            let options = task.iter().fold(options, |options, task| options.task(task.as_str()));
            found.after(found.graph.retry_with(&options))
        }
        Word::Wait { id, timeout } => Found::find(within, id)?.wait(*timeout),
    }
}

fn submit(within: Within<'_>, document: &Document, id: Option<&GraphId>) -> anyhow::Result<Code> {
    // The client chooses the id before the call. If the reply is lost, the same command with this id creates no second
    // graph.
    let id = id.cloned().unwrap_or_else(GraphId::random);
    let made = match within {
        Within::Namespace(session) => {
            let made = submit_graph(session, &document.graph()?.id(id.clone()), &id)?;
            last_id::keep(session, id.as_str());
            made
        }
        Within::Partitions(several) => partitions::submit(several, document, &id)?,
    };
    Made::new(&made).write(within.format())?;
    Ok(Code::Ok)
}

/// Lists the graphs, the latest first.
fn list(within: Within<'_>, limit: usize, fits: impl Fn(&GraphSummary) -> bool) -> anyhow::Result<Code> {
    // One entry more than the limit is read, to find out if there are more.
    let (mut shown, code) = match within {
        Within::Namespace(session) => {
            let graphs = session.client.graphs().filter(|graph| graph.as_ref().map_or(true, &fits)).take(limit + 1);
            (graphs.map(|graph| graph.map(Summary::new)).collect::<blueque::Result<Vec<_>>>()?, Code::Ok)
        }
        Within::Partitions(several) => partitions::list(several, limit, fits)?,
    };
    let more = shown.len() > limit;
    shown.truncate(limit);
    match within {
        Within::Namespace(session) => session.write(&shown)?,
        Within::Partitions(several) => table::write(several.format, &shown)?,
    }
    if more && within.format() == Format::Table {
        say(format!("the latest {limit} graphs; --limit shows more"));
    }
    Ok(code)
}
