//! The command line: its commands and global options.

use clap::{Parser, Subcommand};

use crate::commands::{
    audit, bulk, cancel, completions, config, delete, depend, dev, drain, edit, events, exec, find, forget, graph,
    groups, history, limit, limits, logs, ls, maintenance, move_to, note, partitions, pause, peek, prioritise, queues,
    requeue, resume, retry, run, schedule, show, stats, submit, tag, tags, task, top, track, wait, why, workers,
};
use crate::output::Format;
use crate::session::config::Connection;

/// Very long running tasks on Redis or Valkey.
///
/// Exit codes: 0 done; 1 failed, or findings; 2 wrong usage; 3 no server; 4 not found; 5 refused by the task's
/// state; 6 timed out; 7 the task was cancelled; 8 nothing was due, if asked.
#[derive(Debug, Parser)]
#[command(name = "blueque", version, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    pub connection: Connection,
    /// Output format
    #[arg(short, long, global = true, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Everywhere")]
    pub output: Format,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run programs for the tasks of some queues
    Worker(crate::worker::Options),
    /// Supervise one task: its program, its lease, its end
    #[command(hide = true)]
    Supervise(crate::supervisor::Options),
    /// Become a task's program, under its limits
    #[command(hide = true)]
    Exec(exec::Options),
    /// Start a private server and a worker, to try things out
    Dev(dev::Options),
    /// Submit a task to a queue
    Submit(submit::Options),
    /// Submit a task, follow it, and exit as it does
    Run(run::Options),
    /// List tasks: the running ones first, then the waiting, then the finished
    Ls(ls::Options),
    /// Show a task in full
    Show(show::Options),
    /// Show a task's log
    Logs(logs::Options),
    /// Wait until tasks are finished
    Wait(wait::Options),
    /// Cancel tasks
    Cancel(cancel::Options),
    /// Retry failed or cancelled tasks
    Retry(retry::Options),
    /// Stop running tasks and give them back to the front of their queue
    #[command(visible_alias = "release")]
    Requeue(requeue::Options),
    /// Delete finished tasks
    Delete(delete::Options),
    /// Change the priority of waiting tasks
    #[command(visible_alias = "prioritize")]
    Prioritise(prioritise::Options),
    /// Change the parameters, the time, the queue or the options of a task before it ends
    Edit(edit::Options),
    /// Have waiting tasks wait for other tasks, too
    Depend(depend::Options),
    /// Have a task no longer wait for others
    Undepend(depend::Removal),
    /// Move waiting tasks to another queue
    Move(move_to::Options),
    /// Add a note to the history of a task
    Note(note::Options),
    /// Track tasks: `events --tracked` shows whatever happens to them, in all queues
    Track(track::Options),
    /// Track tasks no longer
    Untrack(track::Options),
    /// List the tracked tasks
    Tracked,
    /// Find tasks by id, state, tag, method, key, time or group of failure, the latest first
    Find(find::Options),
    /// Add tags to a task
    Tag(tag::Options),
    /// Remove tags from a task
    Untag(tag::Options),
    /// List the tags of a queue, the most used first
    Tags(tags::Options),
    /// List the groups of a queue's failures, the largest first
    Groups(groups::Options),
    /// Cancel, retry, delete, purge, move or prioritise all selected tasks of a queue
    Bulk(bulk::Options),
    /// Delete the waiting or finished tasks of a queue
    Purge(bulk::All),
    /// Remove what is left of a queue without tasks and listeners
    Forget(forget::Options),
    /// Create tasks again and again: at intervals, or by cron
    Schedule(schedule::Options),
    /// Submit, show and wait for graphs: tasks that wait for others
    Graph(graph::Options),
    /// Show or change the settings of a queue or of the namespace
    Config(config::Options),
    /// Limit how much of a queue one key may use; options left out stay as they are
    Limit(limit::Options),
    /// List the keys of a queue that have limits of their own
    Limits(limits::Options),
    /// List queues with the number of tasks in each state
    Queues(queues::Options),
    /// Show the next tasks that a queue will give out, and why it passes over others
    Peek(peek::Options),
    /// Stop a queue from giving out tasks; running tasks go on, or are stopped, too
    Pause(pause::Options),
    /// Let a queue give out tasks again
    Resume(resume::Options),
    /// List listeners: when they were last seen, and what they hold
    Workers(workers::Options),
    /// Order a queue to take no more tasks, or a listener to finish its tasks and take no more
    Drain(drain::Options),
    /// Show who changed what: settings, limits, priorities, pauses, cancels, moves, deletions, schedules
    Audit(audit::Options),
    /// Show the transitions of a queue's tasks, or with --tracked the changes of tracked ones
    Events(events::Options),
    /// Show the history of a task: every transition, and how each attempt ended
    History(history::Options),
    /// Show statistics of the last days: numbers of tasks, waiting times and run times
    Stats(stats::Options),
    /// Explain in one sentence why a task does not run, or what it does instead
    Why(why::Options),
    /// Watch running tasks and queues on a live screen
    Top(top::Options),
    /// List the partitions of a topology, or add some
    Partitions(partitions::Options),
    /// Say what an address leads to, and what is missing to work there
    Ping(crate::doctor::ping::Options),
    /// Check server, settings and data
    Doctor(crate::doctor::Options),
    /// Do what workers do beside their tasks: due tasks, orphans, schedules, retention, repairs
    Maintenance(maintenance::Options),
    /// Set a clock of the namespace that ran ahead back to the server's time
    ResetClock,
    /// Print shell completions
    Completions(completions::Options),
    /// For use inside a task's program: report to its worker
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
