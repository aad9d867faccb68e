//! Waits for many tasks at the same time.

use std::thread;
use std::time::Duration;

use blueque::{Status, TaskId, TaskInfo};
use indicatif::ProgressBar;

use super::ended::verdict;
use super::gone;
use super::reason::Reason;
use crate::output::{Code, many, say, waiting};
use crate::session::Session;
use crate::session::outage::Outage;

/// Shortest and longest pause between two reads of the tasks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Number of tasks that are read at once.
const PAGE: usize = 500;

/// The end of a wait for many tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All tasks have ended.
    All,
    /// The first task has ended.
    Any,
    /// The first task has failed or was cancelled, or all tasks have ended.
    FirstFailure,
}

/// Maximum number of tasks that a message names.
const NAMED: usize = 3;

/// Tasks that have ended, and tasks that have not.
pub struct Waiting<'a> {
    session: &'a Session,
    open: Vec<(TaskId, TaskInfo)>,
    ended: Vec<Code>,
    bar: Option<ProgressBar>,
    drawn: String,
    reason: Reason,
}

impl<'a> Waiting<'a> {
    pub fn new(session: &'a Session, tasks: Vec<(TaskId, TaskInfo)>) -> Self {
        let bar = waiting(tasks.len() as u64);
        Self { session, open: tasks, ended: Vec::new(), bar, drawn: String::new(), reason: Reason::new() }
    }

    /// Waits, and passes each task that has ended to `take`. Returns false if `stopped` becomes true first. Waits for a
    /// server that is away.
    pub fn wait(
        &mut self,
        until: Until,
        stopped: &dyn Fn() -> bool,
        mut take: impl FnMut(TaskId, TaskInfo) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let (mut outage, mut pause) = (Outage::default(), PAUSES.0);
        loop {
            let looked = self.look();
            if looked.is_err() && stopped() {
                return Ok(false);
            }
            let bar = self.bar.clone();
            let survived = match &bar {
                Some(bar) if !outage.is_silent(&looked) => bar.suspend(|| outage.survive(looked)),
                _ => outage.survive(looked),
            };
            let news = survived?.unwrap_or_default();
            pause = if news.is_empty() { (pause * 2).min(PAUSES.1) } else { PAUSES.0 };
            for (id, info) in news {
                self.ended.push(verdict(&info));
                match &bar {
                    Some(bar) => bar.suspend(|| take(id, info))?,
                    None => take(id, info)?,
                }
            }
            if self.open.is_empty() || self.has_ended(until) {
                return Ok(true);
            }
            self.draw();
            if stopped() {
                return Ok(false);
            }
            thread::sleep(pause);
        }
    }

    fn has_ended(&self, until: Until) -> bool {
        match until {
            Until::All => false,
            Until::Any => !self.ended.is_empty(),
            Until::FirstFailure => self.worst() != Code::Ok,
        }
    }

    /// Returns the exit code of the worst end so far.
    pub fn worst(&self) -> Code {
        let found = |code| self.ended.contains(&code).then_some(code);
        found(Code::Failed).or(found(Code::Cancelled)).unwrap_or(Code::Ok)
    }

    /// Reads the unfinished tasks again. Returns the tasks that have ended since.
    fn look(&mut self) -> anyhow::Result<Vec<(TaskId, TaskInfo)>> {
        let mut news = Vec::new();
        let mut infos = Vec::with_capacity(self.open.len());
        for page in self.open.chunks(PAGE) {
            let ids: Vec<TaskId> = page.iter().map(|(id, _)| id.clone()).collect();
            infos.extend(self.session.client.infos(&ids)?);
        }
        let mut left = Vec::with_capacity(self.open.len());
        for ((id, last), info) in self.open.iter().zip(infos) {
            let info = match info {
                Some(info) => info,
                None => gone::ended(self.session, id, last)?,
            };
            if info.status().is_some_and(Status::is_finished) {
                news.push((id.clone(), info));
            } else {
                left.push((id.clone(), brief(info)));
            }
        }
        self.open = left;
        if let Some((id, info)) = self.open.first()
            && let Some(text) = self.reason.news(self.session, id, info).unwrap_or_default()
        {
            match &self.bar {
                Some(bar) => bar.suspend(|| say(text)),
                None => say(text),
            }
        }
        Ok(news)
    }

    /// Returns one line about all tasks.
    pub fn sentence(&self) -> String {
        let total = self.open.len() + self.ended.len();
        let mut text = format!("{} of {} ended", self.ended.len(), many(total, "task"));
        let ended = |code| self.ended.iter().filter(|end| **end == code).count();
        let running = self.open.iter().filter(|(_, info)| info.status() == Some(Status::Started)).count();
        let parts = [
            (ended(Code::Failed), "failed"),
            (ended(Code::Cancelled), "cancelled"),
            (running, "running"),
            (self.open.len() - running, "waiting"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
        if !parts.is_empty() {
            text.push_str(&format!(": {}", parts.join(", ")));
        }
        text
    }

    /// Returns the names of tasks that have not ended, with the verb.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.open.iter().take(NAMED).map(|(id, _)| id.as_str()).collect();
        let names = names.join(", ");
        match self.open.len() {
            1 => format!("{names} is"),
            all if all > NAMED => format!("{names} and {} more are", all - NAMED),
            _ => format!("{names} are"),
        }
    }

    fn draw(&mut self) {
        let Some(bar) = &self.bar else { return };
        // The bar is drawn only after a change, because a recording of the terminal contains every redraw.
        let drawn = format!("{} {}", bar.elapsed().as_secs(), self.sentence());
        if self.drawn != drawn {
            bar.set_position(self.ended.len() as u64);
            bar.set_message(self.sentence());
            self.drawn = drawn;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Removes the long fields of a record, to save memory.
pub fn brief(mut info: TaskInfo) -> TaskInfo {
    const KEPT: [&str; 6] = ["queue", "status", "updated", "attempt", "started", "eta"];
    info.fields.retain(|name, _| KEPT.contains(&name.as_str()));
    info
}
