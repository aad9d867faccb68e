//! Replaces `@last` in the arguments of a command by the id of the last submit of this user.

use blueque::Namespace;

use crate::commands::Command;
use crate::input::last_id;
use crate::subcommand::{Choice, Scope};

const LAST: &str = "@last";

/// Replaces `@last` in the ids of the command.
pub fn resolve(command: &mut Command, namespace: &Namespace) -> anyhow::Result<()> {
    let ids = match command.scope() {
        Scope::Task(id) => std::slice::from_mut(id),
        Scope::Tasks(ids) | Scope::Reruns(ids) => ids.as_mut_slice(),
        _ => return Ok(()),
    };
    for id in ids.iter_mut().filter(|id| *id == LAST) {
        *id = last_id::read(namespace)?;
    }
    Ok(())
}
