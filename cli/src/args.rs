//! The command line: its global options, and how it is parsed.

use std::env;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::{Command, PartOfTask};
use crate::help;
use crate::output::{Format, FormatParser};
use crate::session::config::Connection;

/// A task queue for very long tasks, on Redis or Valkey
#[derive(Debug, Parser)]
#[command(name = "blueque", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub connection: Connection,
    /// Output format
    #[arg(short, long, global = true, default_value = "table", value_name = "FORMAT", value_parser = FormatParser)]
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
    use crate::help;

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

    /// Returns the command lines in a text: between backticks, from the word `blueque` on.
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.split('`').skip(1).step_by(2).filter(|line| line.starts_with("blueque "))
    }

    /// Splits a line like a shell: words in quotes, and words between spaces.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for c in line.chars() {
            match (c, quote) {
                ('\'' | '"', None) => quote = Some(c),
                (_, Some(open)) if c == open => quote = None,
                (' ', None) => words.push(String::new()),
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words
    }

    /// Returns the reason why clap refuses a line.
    fn refusal(line: &str) -> Option<String> {
        let words = words(line);
        Cli::command()
            .try_get_matches_from(&words)
            .err()
            .filter(clap::Error::use_stderr)
            .map(|error| format!("{line}: {error}"))
    }

    #[test]
    fn every_line_of_the_pages_for_users_of_other_tools_is_accepted() {
        let pages = [
            include_str!("../../docs/migrating/from-slurm.md"),
            include_str!("../../docs/migrating/from-pueue.md"),
            include_str!("../../docs/migrating/from-celery.md"),
            include_str!("../../docs/migrating/from-rq.md"),
            include_str!("../../docs/migrating/from-bullmq.md"),
            include_str!("../../docs/migrating/from-sidekiq.md"),
            include_str!("../../docs/migrating/from-temporal.md"),
        ];
        let lines: Vec<&str> = pages.iter().flat_map(|page| lines(page)).collect();
        assert!(lines.len() > 80, "{}", lines.len());
        let refused: Vec<String> = lines.into_iter().filter_map(refusal).collect();
        assert!(refused.is_empty(), "{}", refused.join("\n"));
    }

    #[test]
    fn words_of_other_tools_that_are_no_command_are_answered_with_a_line_that_is_one() {
        for (known, instead) in help::ELSEWHERE {
            for word in known.split(' ') {
                assert!(Cli::command().find_subcommand(word).is_none(), "{word} is a command: remove it from the list");
                assert_eq!(help::elsewhere(word), Some(instead));
            }
            assert!(lines(instead).count() > 0, "{instead}");
            lines(instead).for_each(|line| assert_eq!(refusal(line), None));
        }
        for (options, instead) in help::OPTIONS {
            options.split(' ').for_each(|option| assert_eq!(help::other_option(option), Some(instead)));
            assert!(lines(instead).count() > 0, "{instead}");
            lines(instead).for_each(|line| assert_eq!(refusal(line), None));
        }
    }

    #[test]
    fn words_of_other_tools_are_understood() {
        let words =
            [("ps", "ls"), ("status", "ls"), ("list", "ls"), ("info", "show"), ("log", "logs"), ("tail", "logs")];
        for (word, name) in words.into_iter().chain([("kill", "cancel"), ("rm", "delete")]) {
            assert_eq!(Cli::command().find_subcommand(word).map(Command::get_name), Some(name));
        }
    }
}
