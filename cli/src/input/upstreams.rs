//! The tasks that a task waits for, as arguments.

use blueque::{Error, TaskId, calls};
use clap::Args;

use super::values::task_id;
use crate::output::{code, fault};

/// Translates the error for a new task to the terms of the command line. The server's error names fields of a document,
/// and the task's id, which the user has not seen.
pub fn in_options(id: &TaskId, error: Error) -> anyhow::Error {
    let text = error.to_string();
    let rest =
        text.split_once(&format!("task {id}, ")).and_then(|(before, rest)| Some((before, rest.split_once(": ")?)));
    let Some((before, (field, what))) = rest else { return error.into() };
    let option = match field {
        "needs" => "--after-success",
        "after" => "--after",
        "after_failure" => "--after-failure",
        "at_least" => "--at-least",
        _ => "--result-of",
    };
    fault(code(&error.into()), format!("{before}{option}: {what}"))
}

/// The tasks that a task waits for, except for tasks whose results it gets.
#[derive(Args, Clone, Debug)]
pub struct Upstreams {
    /// Wait until this task is complete; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after_success: Vec<TaskId>,
    /// Wait until this task has ended in any way; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after: Vec<TaskId>,
    /// Wait until this task has failed or was cancelled; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after_failure: Vec<TaskId>,
    /// Wait until this number of the tasks of --after-success and --result-of is complete, instead of all
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    at_least: Option<u32>,
}

/// The tasks whose results a task gets. The optional upstreams come last.
#[derive(Clone, Copy, Default)]
pub struct Results<'a> {
    pub needed: &'a [TaskId],
    pub optional: &'a [TaskId],
}

/// The condition under which an upstream lets a task run. A number is the slot for the upstream's result.
#[derive(Clone, Copy)]
pub enum Wait {
    Success,
    End,
    Failure,
    Result(u32),
    ResultOrNull(u32),
    /// The upstream belongs to a set, of which a number is enough.
    Some,
    ResultOfSome(u32),
}

/// A request to which the upstreams of a task can be added.
pub trait Waits: Sized {
    fn wait(self, how: Wait, id: &TaskId) -> Self;
    fn at_least(self, number: u32) -> Self;
}

impl Upstreams {
    /// Adds these upstreams, and the upstreams whose results the task gets. The first result has the slot `first`.
    pub fn add_to<W: Waits>(&self, waits: W, first: u32, results: &Results) -> W {
        let some = self.at_least.is_some();
        let success = if some { Wait::Some } else { Wait::Success };
        let waits = self.after_success.iter().fold(waits, |all, id| all.wait(success, id));
        let waits = self.after.iter().fold(waits, |all, id| all.wait(Wait::End, id));
        let waits = self.after_failure.iter().fold(waits, |all, id| all.wait(Wait::Failure, id));
        let results = results.needed.iter().map(|id| (id, false)).chain(results.optional.iter().map(|id| (id, true)));
        let waits = (first..).zip(results).fold(waits, |all, (slot, (id, optional))| {
            let how = match (optional, some) {
                (true, _) => Wait::ResultOrNull(slot),
                (false, true) => Wait::ResultOfSome(slot),
                (false, false) => Wait::Result(slot),
            };
            all.wait(how, id)
        });
        self.at_least.into_iter().fold(waits, W::at_least)
    }

    /// Returns the ids of the upstreams.
    pub fn ids(&mut self) -> impl Iterator<Item = &mut TaskId> {
        self.after_success.iter_mut().chain(&mut self.after).chain(&mut self.after_failure)
    }

    pub fn is_empty(&self) -> bool {
        self.after_success.is_empty()
            && self.after.is_empty()
            && self.after_failure.is_empty()
            && self.at_least.is_none()
    }
}

macro_rules! waits {
    ($what:ty) => {
        impl Waits for $what {
            fn wait(self, how: Wait, id: &TaskId) -> Self {
                match how {
                    Wait::Success => self.after_success(id),
                    Wait::End => self.after(id),
                    Wait::Failure => self.after_failure(id),
                    Wait::Result(slot) => self.result_of(slot, id),
                    Wait::ResultOrNull(slot) => self.result_or_null(slot, id),
                    Wait::Some => self.after_some(id),
                    Wait::ResultOfSome(slot) => self.result_of_some(slot, id),
                }
            }

            fn at_least(self, number: u32) -> Self {
                <$what>::at_least(self, number)
            }
        }
    };
}

waits!(calls::TaskOptions);
waits!(blueque::Inputs);
