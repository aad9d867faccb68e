//! The commands: a file for each, or one file for a pair that shares its arguments. A group of commands has a folder. No
//! command imports another command. `Command` lists them in the order of the help.
//! The hidden aliases are words of other tools.

pub mod admin;
pub mod bulk;
pub mod cancel;
pub mod completions;
pub mod config;
pub mod control;
pub mod delete;
pub mod depend;
pub mod describe;
pub mod dev;
pub mod drain;
pub mod edit;
pub mod events;
pub mod exec;
pub mod find;
pub mod graph;
pub mod help;
pub mod history;
pub mod hold;
pub mod limit;
pub mod logs;
pub mod ls;
pub mod man;
pub mod move_to;
pub mod note;
pub mod notify;
pub mod output;
pub mod partition;
pub mod prioritise;
pub mod profile;
pub mod queue;
pub mod requeue;
pub mod retry;
pub mod run;
pub mod schedule;
pub mod show;
pub mod submit;
pub mod tag;
pub mod task;
pub mod top;
pub mod track;
pub mod usage;
pub mod wait;
pub mod web;
pub mod why;
pub mod workers;

use crate::subcommand::{Scope, subcommands};
use crate::{doctor, supervisor, worker};

subcommands! {
    pub enum Command {
        /// Run the tasks of queues
        Worker(worker::Options),
        #[command(flatten)]
        PartOfTask(PartOfTask),
        /// Submit a task to a queue
        Submit(submit::Options) => |it| Scope::NewTask(&mut it.new),
        /// Add a task that runs a command line
        Add(submit::add::Options) => |it| Scope::NewTask(&mut it.new.0),
        /// Submit a task, follow it, and exit as it does
        Run(run::Options) => |it| Scope::NewTask(&mut it.new),
        /// Submit and manage graphs of tasks
        Graph(graph::Options),
        /// Create tasks at intervals, or by cron
        Schedule(schedule::Options),
        /// Start a private server and a worker, to try things out
        Dev(dev::Options),
        /// List tasks
        #[command(aliases = ["ps", "status", "list"])]
        Ls(ls::Options) => |_| Scope::All,
        /// Show a task in full
        #[command(alias = "info")]
        Show(show::Options) => |it| Scope::Task(&mut it.id),
        /// Show what a running program does on its host: processes, open files, environment
        Describe(describe::Options) => |it| Scope::Task(&mut it.id),
        /// Explain why a task does not run
        Why(why::Options) => |it| Scope::Task(&mut it.id),
        /// Show the log of a task
        #[command(aliases = ["log", "tail"])]
        Logs(logs::Options) => |it| it.id.as_mut().map_or(Scope::All, Scope::Task),
        /// List or fetch the files that a task has published
        Output(output::Options) => |it| Scope::Task(&mut it.id),
        /// Wait until tasks have ended
        Wait(wait::Options) => |it| Scope::Tasks(&mut it.ids),
        /// Find tasks by id, state, tag, method, key, time or failure
        Find(find::Options) => |_| Scope::All,
        /// Show what queues, tags, methods or submitters used: CPU, time, memory
        Usage(usage::Options) => |_| Scope::All,
        /// Show all that happened to a task
        History(history::Options) => |it| Scope::Task(&mut it.id),
        /// Show what happens to the tasks of a queue
        Events(events::Options) => |it| it.task.as_mut().map_or(Scope::All, Scope::Task),
        /// Watch tasks and queues on a live screen
        Top(top::Options),
        /// Serve the page: watch and steer tasks in a browser
        Web(web::Options),
        /// Cancel tasks
        #[command(alias = "kill")]
        Cancel(cancel::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Retry failed or cancelled tasks
        Retry(retry::Options) => |it| Scope::Reruns(&mut it.tasks.ids),
        /// Stop running tasks and return them to the front of their queue
        Requeue(requeue::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Stop running programs where they are, until `continue`
        Suspend(control::Suspend) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Let suspended programs go on
        #[command(alias = "unsuspend")]
        Continue(control::Continue) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Send a signal to running programs
        Signal(control::Signal) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Hold pending and scheduled tasks, so that they do not start
        Hold(hold::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Let held tasks start
        #[command(alias = "release")]
        Unhold(hold::Release) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Delete finished tasks
        #[command(alias = "rm")]
        Delete(delete::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Change the parameters, time or options of a task
        Edit(edit::Options) => |it| Scope::Task(&mut it.id),
        /// Move waiting tasks to another queue
        Move(move_to::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Change the priority of waiting tasks
        #[command(visible_alias = "prioritize")]
        Prioritise(prioritise::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Let waiting tasks wait for more tasks
        Depend(depend::Options) => |it| Scope::Tasks(&mut it.tasks.ids),
        /// Let a task wait for fewer tasks
        Undepend(depend::Removal) => |it| Scope::Task(&mut it.id),
        /// Add, remove or list tags
        #[command(subcommand)]
        Tag(tag::Word) => tag::Word::scope,
        /// Add a note to the history of a task
        Note(note::Options) => |it| Scope::Task(&mut it.id),
        /// List notices that are not delivered, or try them again
        #[command(subcommand)]
        Notify(notify::Word) => notify::Word::scope,
        /// Follow single tasks in `events --tracked`
        #[command(subcommand)]
        Track(track::Word) => track::Word::scope,
        /// Change all selected tasks of a queue
        #[command(subcommand)]
        Bulk(bulk::Word) => |_| Scope::InTurn,
        /// List, pause, peek into, purge or delete queues
        Queue(queue::Options),
        /// Show or change the settings of a queue or of all queues
        Config(config::Options) => config::Options::scope,
        /// Limit the tasks of a key, or of several queues together
        #[command(subcommand)]
        Limit(limit::Word),
        /// List workers, their state and their tasks
        Workers(workers::Options) => |_| Scope::All,
        /// Let a queue or a worker finish its tasks and start no more
        Drain(drain::Options),
        /// Check that a server can be used
        Ping(doctor::ping::Options),
        /// Check server, settings and data
        Doctor(doctor::Options),
        /// List servers with names, or choose one
        Profile(profile::Options),
        /// List, add, move or drain partitions
        Partition(partition::Options),
        /// Show changes, run maintenance, reset the clock
        #[command(subcommand)]
        Admin(admin::Word),
        /// Print shell completions
        Completions(completions::Options),
        /// Write the man pages into a folder
        #[command(hide = true)]
        Man(man::Options),
        /// Report to the worker from a task's program
        #[command(subcommand)]
        Task(task::Word),
        /// Show the help of a command or a topic
        #[command(hide = true)]
        Help(help::Options),
    }
}

subcommands! {
    pub enum PartOfTask {
        /// Supervise one task: its program, its lease, its end
        #[command(hide = true)]
        Supervise(supervisor::Options),
        /// Become a task's program, under its limits
        #[command(hide = true)]
        Exec(exec::Options),
    }
}
