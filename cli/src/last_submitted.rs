//! Replaces `@last` in the arguments of a command by the id of the last submit of this user.

use blueque::Namespace;

use crate::commands::Command;
use crate::input::last_id;
use crate::output::{self, Code};
use crate::session::find;
use crate::subcommand::{Choice, Scope};

const LAST: &str = "@last";

/// The task or graph that `@last` stands for, if the command has the word.
#[derive(Default)]
pub struct Last(Option<String>);

impl Last {
    /// Adds the id that `@last` stands for to an error about a missing task.
    pub fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.0 {
            Some(id) if output::code(&error) == Code::NotFound => error.context(format!(
                "{LAST} is {id}, which this user submitted last: it was deleted, or is on another server or in another \
                 namespace; name a task by its id"
            )),
            _ => error,
        }
    }
}

/// Replaces `@last` in the ids of the command.
pub fn resolve(command: &mut Command, namespace: &Namespace) -> anyhow::Result<Last> {
    let ids = match command.scope() {
        Scope::Task(id) => std::slice::from_mut(id),
        Scope::Tasks(ids) | Scope::Reruns(ids) => ids.as_mut_slice(),
        _ => return Ok(Last(None)),
    };
    let mut last = None;
    for id in ids.iter_mut().filter(|id| *id == LAST) {
        *id = last_id::read(namespace)?;
        find::is_last(id);
        last = Some(id.clone());
    }
    Ok(Last(last))
}
