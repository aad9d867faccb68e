//! A graph that the user names, and what is shown of it.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Error, GraphHandle, GraphId, GraphInfo, GraphMember, GraphParts, PartitionName, TaskId};
use indicatif::ProgressBar;

use super::partitions;
use super::within::Within;
use super::words::{WATCH, late, outcome};
use crate::output::{Code, Format, data, many, say, table, waiting};
use crate::session::graphs::known;
use crate::session::outage::Outage;
use crate::session::several::missing;
use crate::view::graph::Whole;

pub struct Found<'a> {
    pub graph: GraphHandle,
    within: Within<'a>,
    /// Time at which the command stops waiting, if there is a limit.
    end: Option<Instant>,
}

impl<'a> Found<'a> {
    /// Finds a graph by its id. With several partitions, the id may name the partition or not.
    pub fn find(within: Within<'a>, id: &GraphId) -> anyhow::Result<Self> {
        let (end, graph) = match within {
            Within::Namespace(session) => (session.end, session.client.graph(id.as_str())?),
            Within::Partitions(several) => {
                let end = several.waits.flatten().and_then(|limit| Instant::now().checked_add(limit));
                (end, partitions::find(several.places, id)?)
            }
        };
        Ok(Self { graph, within, end })
    }

    fn known<T>(&self, answer: blueque::Result<T>) -> anyhow::Result<T> {
        known(&self.graph, answer)
    }

    /// Returns the id of the task that has this name or id.
    pub fn member(&self, named: &str) -> anyhow::Result<TaskId> {
        self.known(self.graph.member(named))
    }

    /// Returns the reachable parts of the graph, with the progress and the expected ends of the tasks of a namespace.
    /// The exit code is not `Ok` if a part is missing.
    pub fn look(&self) -> anyhow::Result<(Whole, Code)> {
        let GraphParts { info, tasks, missing, .. } = self.known(self.graph.look())?;
        let whole = match self.within {
            Within::Namespace(session) => Whole::looked_at(session, &self.graph, &info, tasks)?,
            Within::Partitions(_) => Whole::new(&self.graph, &info, tasks),
        };
        Ok((whole, absent(missing)))
    }

    /// Returns the tasks of the reachable parts of the graph, and true if no part is missing.
    pub fn tasks(&self) -> anyhow::Result<(Vec<GraphMember>, bool)> {
        let GraphParts { tasks, missing, .. } = self.known(self.graph.look())?;
        Ok((tasks, missing.is_empty()))
    }

    /// Writes rows about the graph.
    pub fn write<R: table::Row>(&self, rows: &[R]) -> anyhow::Result<()> {
        match self.within {
            Within::Namespace(session) => session.write(rows),
            Within::Partitions(several) => table::write(several.format, rows),
        }
    }

    /// Fails if a partition with tasks of the graph is unreachable. Commands call this function before any change.
    pub fn must_answer(&self) -> anyhow::Result<()> {
        let away = self.known(self.graph.look())?.missing.into_iter().find(|(_, error)| error.is_transient());
        away.map_or(Ok(()), |(name, error)| Err(partitions::away(&name, error.into(), "nothing was changed")))
    }

    /// Shows the state of the graph after a call.
    pub fn after(&self, done: blueque::Result<GraphInfo>) -> anyhow::Result<Code> {
        let failure = match (done, self.within) {
            (Err(error), Within::Partitions(_)) => Some(error),
            (done, _) => self.known(done).map(|_| None)?,
        };
        // The error of one partition does not hide the state of the others.
        let code = self.stand(self.known(self.graph.look())?)?;
        match failure {
            None => Ok(code),
            // The partitions that did not answer were reported with the state.
            Some(error) if error.is_transient() => Ok(Code::Unreachable),
            Some(error) => self.known(Err(error)),
        }
    }

    /// Shows the state of the graph. The exit code is not `Ok` if a part is missing.
    fn stand(&self, GraphParts { info, tasks, missing, .. }: GraphParts) -> anyhow::Result<Code> {
        let (code, whole) = (absent(missing), Whole::new(&self.graph, &info, tasks));
        match self.within.format() {
            Format::Table => say(whole.sentence()),
            format => whole.write(format, false)?,
        }
        Ok(code)
    }

    /// Shows the graph repeatedly until all its tasks have ended. Waits for a server that is away.
    pub fn watch(&self, all: bool) -> anyhow::Result<Code> {
        let mut outage = Outage::default();
        loop {
            let Some((whole, code)) = outage.survive(self.look())? else { continue };
            if io::stdout().is_terminal() {
                // Clears the screen and moves the cursor home.
                data("\x1b[2J\x1b[H")?;
            }
            let hidden = whole.write_screen(self.within.format(), all)?;
            if hidden > 0 {
                say(format!("+{hidden} lines"));
            }
            if code == Code::Ok && whole.has_ended() {
                return Ok(Code::Ok);
            }
            thread::sleep(WATCH);
        }
    }

    /// Waits until all tasks have ended. Waits for a server that is away.
    pub fn wait(&self, timeout: Option<Duration>) -> anyhow::Result<Code> {
        let (mut outage, bar) = (Outage::default(), waiting(1));
        loop {
            let left = self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            // With a bar, the wait ends every second to draw it.
            let answer = self.graph.wait(if bar.is_some() { left.min(WATCH) } else { left });
            if let (Some(bar), Err(Error::TimedOut(..))) = (&bar, &answer)
                && left > WATCH
            {
                if let Ok(info) = self.graph.info() {
                    draw(bar, &info);
                }
                continue;
            }
            bar.iter().for_each(ProgressBar::finish_and_clear);
            if answer.is_err() && self.end.is_some_and(|end| Instant::now() >= end) {
                if let Within::Partitions(_) = self.within {
                    // This call reports unreachable partitions, for which the graph may wait forever.
                    self.look()?;
                }
                return Err(late(&self.graph, timeout));
            }
            if let Some(found) = outage.survive(self.known(answer))? {
                let code = outcome(&found.tasks);
                return Ok(match self.stand(found)? {
                    Code::Ok => code,
                    missing => missing,
                });
            }
        }
    }
}

/// Shows the number of tasks that have ended.
fn draw(bar: &ProgressBar, info: &GraphInfo) {
    let ended = info.ended();
    let parts = [(info.failed, "failed"), (info.cancelled, "cancelled"), (info.skipped, "skipped")];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!(", {number} {word}"));
    bar.set_length(info.total);
    bar.set_position(ended);
    bar.set_message(format!("{ended} of {} ended{}", many(info.total, "task"), parts.collect::<String>()));
}

/// Reports the partitions whose part of a graph is missing. Returns the exit code.
fn absent(parts: BTreeMap<PartitionName, Error>) -> Code {
    parts.into_iter().fold(Code::Ok, |_, (name, error)| missing(&name, &error.into()))
}
