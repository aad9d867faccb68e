//! The command line: its global options, and how it is parsed.

use std::env;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::{Command, PartOfTask};
use crate::help;
use crate::output::Format;
use crate::session::config::Connection;

/// A task queue for very long tasks, on Redis or Valkey
#[derive(Debug, Parser)]
#[command(name = "blueque", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub connection: Connection,
    /// Output format
    #[arg(short, long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub output: Format,
    #[command(subcommand)]
    pub command: Command,
}

/// The command line of a process that runs as long as a task. It has no definitions of other commands, because they
/// take memory.
#[derive(Debug, Parser)]
#[command(name = "blueque", version, disable_help_subcommand = true)]
struct ForTask {
    #[command(flatten)]
    connection: Connection,
    #[command(subcommand)]
    command: PartOfTask,
}

impl Cli {
    /// Parses the arguments of this process.
    pub fn of_process() -> clap::error::Result<Self> {
        let first = env::args_os().nth(1).unwrap_or_default();
        if <PartOfTask as clap::Subcommand>::has_subcommand(&first.to_string_lossy()) {
            let ForTask { connection, command } = ForTask::try_parse()?;
            return Ok(Self { connection, output: Format::default(), command: Command::PartOfTask(command) });
        }
        Self::from_arg_matches(&help::shaped(Self::command()).try_get_matches()?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::Cli;

    fn without_help(command: &Command) -> Vec<String> {
        let silent = command.get_arguments().filter(|arg| arg.get_help().is_none());
        let mut found: Vec<String> = silent.map(|arg| format!("{} {}", command.get_name(), arg.get_id())).collect();
        found.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).flat_map(without_help));
        found
    }

    #[test]
    fn the_help_says_what_each_argument_is() {
        assert_eq!(without_help(&Cli::command()), Vec::<String>::new());
    }
}
