//! The tasks that a task waits for, as arguments.

use blueque::{Error, Inputs, TaskId};
use clap::Args;
use serde_json::{Map, Value, json};

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

impl Upstreams {
    /// Returns these upstreams, and the upstreams whose results the task gets. The first result has the slot `first`.
    pub fn inputs(&self, first: u32, results: &Results<'_>) -> Inputs {
        let some = self.at_least.is_some();
        let success = if some { Inputs::after_some } else { Inputs::after_success };
        let inputs = self.after_success.iter().fold(Inputs::new(), success);
        let inputs = self.after.iter().fold(inputs, Inputs::after);
        let inputs = self.after_failure.iter().fold(inputs, Inputs::after_failure);
        let result = if some { Inputs::result_of_some } else { Inputs::result_of };
        let inputs = (first..).zip(results.needed).fold(inputs, |all, (slot, id)| result(all, slot, id));
        let optional = (first..).skip(results.needed.len()).zip(results.optional);
        let inputs = optional.fold(inputs, |all, (slot, id)| all.result_or_null(slot, id));
        self.at_least.into_iter().fold(inputs, Inputs::at_least)
    }

    /// Returns the same upstreams as fields of a task in a graph document.
    pub fn fields(&self, results: &Results<'_>) -> Map<String, Value> {
        let task = |id: &TaskId| json!({ "task": id.as_str() });
        let tasks = |ids: &[TaskId]| ids.iter().map(task).collect::<Vec<_>>();
        let needed = results.needed.iter().map(|id| json!({ "result": task(id) }));
        let optional = results.optional.iter().map(|id| json!({ "result": task(id), "optional": true }));
        let mut fields = Map::from_iter([
            ("after".to_owned(), json!(tasks(&self.after))),
            ("after_failure".to_owned(), json!(tasks(&self.after_failure))),
        ]);
        match self.at_least {
            None => _ = fields.insert("needs".to_owned(), json!(tasks(&self.after_success))),
            Some(count) => {
                let of = [tasks(&self.after_success), tasks(results.needed)].concat();
                fields.insert("at_least".to_owned(), json!({ "count": count, "of": of }));
            }
        }
        let arguments: Vec<Value> = needed.chain(optional).collect();
        if !arguments.is_empty() {
            fields.insert("args".to_owned(), Value::Array(arguments));
        }
        fields
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
