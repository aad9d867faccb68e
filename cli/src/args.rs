//! What can be said on the command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    bulk, cancel, completions, config, delete, dev, drain, events, exec, find, forget, groups, history, limit, limits,
    logs, ls, move_to, pause, prioritise, queues, recall, resume, retry, run, schedule, show, stats, submit, tag, tags,
    task, top, wait, why, workers,
};
use crate::output::Format;
use crate::session::config::Connection;

/// Very long running tasks on Redis or Valkey.
///
/// Exit codes: 0 done; 1 failed, or findings; 2 wrong usage; 3 no server; 4 not found; 5 refused by the task's
/// state; 6 timed out; 7 the task was cancelled.
#[derive(Debug, Parser)]
#[command(name = "blueque", version, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    pub connection: Connection,
    /// How data is written
    #[arg(short, long, global = true, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Everywhere")]
    pub output: Format,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run programs for the tasks of some queues
    Worker(crate::worker::Options),
    /// Own one task: its program, its lease, its end
    #[command(hide = true)]
    Supervise(crate::supervisor::Options),
    /// Become a task's program, under its limits
    #[command(hide = true)]
    Exec(exec::Options),
    /// Start a private server and a worker, to try things out
    Dev(dev::Options),
    /// Put a task into a queue
    Submit(submit::Options),
    /// Put a task into a queue, follow it, and exit as it does
    Run(run::Options),
    /// List tasks: the running ones first, then the waiting, then the finished
    Ls(ls::Options),
    /// Show all that is known of a task
    Show(show::Options),
    /// Show a task's log
    Logs(logs::Options),
    /// Wait until tasks are finished
    Wait(wait::Options),
    /// Cancel tasks
    Cancel(cancel::Options),
    /// Run failed or cancelled tasks again
    Retry(retry::Options),
    /// Have running tasks stopped and given back, to the front of their queue
    #[command(visible_alias = "release")]
    Recall(recall::Options),
    /// Remove finished tasks
    Delete(delete::Options),
    /// Give waiting tasks another priority
    #[command(visible_alias = "prioritize")]
    Prioritise(prioritise::Options),
    /// Put waiting tasks into another queue
    Move(move_to::Options),
    /// Find tasks by id, state, tag, method, key, time or group of failure, the latest first
    Find(find::Options),
    /// Give a task tags
    Tag(tag::Options),
    /// Take tags from a task
    Untag(tag::Options),
    /// List the tags of a queue, the most used first
    Tags(tags::Options),
    /// List the groups of a queue's failures, the largest first
    Groups(groups::Options),
    /// Cancel, retry, delete, purge, move or prioritise all tasks of a queue that are meant
    Bulk(bulk::Options),
    /// Remove the tasks of a queue that wait or are finished
    Purge(bulk::All),
    /// Remove what is left of a queue without tasks and listeners
    Forget(forget::Options),
    /// Make tasks again and again: every so often, or by cron
    Schedule(schedule::Options),
    /// Show or change the settings of a queue or of the namespace
    Config(config::Options),
    /// Limit how much of a queue one key may take; what is not named stays as it is
    Limit(limit::Options),
    /// List the keys of a queue that have limits of their own
    Limits(limits::Options),
    /// List queues with the number of tasks in each state
    Queues(queues::Options),
    /// Stop a queue from giving out tasks; what runs goes on, or is stopped too
    Pause(pause::Options),
    /// Let a queue give out tasks again
    Resume(resume::Options),
    /// List listeners: when they were last heard of, and what they hold
    Workers(workers::Options),
    /// Order a queue to take no more tasks, or a listener to end what it holds and take no more
    Drain(drain::Options),
    /// Show what happened to the tasks of a queue
    Events(events::Options),
    /// Show what happened to a task: every transition, and how each attempt ended
    History(history::Options),
    /// Show how many tasks a queue had in the last days, how long they waited and ran
    Stats(stats::Options),
    /// Say in one sentence why a task does not run, or what it does instead
    Why(why::Options),
    /// Watch running tasks and queues on a live screen
    Top(top::Options),
    /// Check server, settings and data
    Doctor(crate::doctor::Options),
    /// Bring a clock of the namespace that ran ahead back to the server's time
    ResetClock,
    /// Write the completions for a shell to stdout
    Completions(completions::Options),
    /// For use inside a task's program: tell its worker something
    Task {
        #[command(subcommand)]
        word: task::Word,
    },
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
