//! Completion of a command line: at each Tab the script of `blueque completions` asks this program, which also knows the
//! names on the server.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;

use blueque::QueueName;
use clap::{Arg, Command, CommandFactory, FromArgMatches};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::args::Cli;
use crate::commands::completions::VARIABLE;
use crate::help;
use crate::output::{Format, clean_line};
use crate::session::Session;
use crate::session::config::{Connection, Places, Settings};
use crate::states::shown;
use crate::view::task::TaskView;
use crate::view::tasks::TaskList;

/// Maximum number of tasks that are offered.
const TASKS: usize = 50;

/// The names that a value can have.
#[derive(Clone, Copy)]
enum Names {
    Tasks,
    Queues,
    Tags,
    Programs,
    Workers,
    Schedules,
}

/// Answers a shell that asks for completions, and exits.
pub fn answer() {
    if env::var_os(VARIABLE).is_none() {
        return;
    }
    // A message would appear in the line that the user types.
    if let Ok(nowhere) = File::options().write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stderr(nowhere);
    }
    let command = || completed(help::shaped(Cli::command()), "");
    CompleteEnv::with_factory(command).var(VARIABLE).bin("blueque").completer("blueque").complete();
}

/// Adds the names on the server to the arguments of a command and of its subcommands. `parent`: the name of the command.
fn completed(command: Command, parent: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| match names_of(&arg, parent) {
        Some(names) => arg.add(ArgValueCompleter::new(move |current: &OsStr| offers(names, current))),
        None => arg,
    });
    names.into_iter().fold(command, |command, name| {
        let parent = if parent.is_empty() { name.clone() } else { parent.to_owned() };
        command.mut_subcommand(name, |command| completed(command, &parent))
    })
}

fn names_of(arg: &Arg, parent: &str) -> Option<Names> {
    let value = arg.get_value_names().and_then(<[_]>::first)?;
    match (value.as_str(), arg.get_id().as_str(), parent) {
        (_, "method", _) => Some(Names::Programs),
        (_, "worker", _) | ("LISTENER", ..) => Some(Names::Workers),
        ("NAME", _, "schedule") if arg.is_positional() => Some(Names::Schedules),
        ("ID", _, "graph") => None,
        ("ID" | "TASK" | "UPSTREAM", ..) => Some(Names::Tasks),
        ("QUEUE", ..) => Some(Names::Queues),
        ("TAG", ..) => Some(Names::Tags),
        _ => None,
    }
}

/// Returns the names that begin as the user has begun. Without a server there are none.
fn offers(names: Names, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(begun) = current.to_str() else { return Vec::new() };
    let mut offers = read(names, begun).unwrap_or_default();
    if matches!(names, Names::Tasks) {
        offers.extend(["@last", "@failed"].map(|word| (word.to_owned(), None)));
    }
    offers.retain(|(name, _)| name.starts_with(begun));
    offers.dedup_by(|one, other| one.0 == other.0);
    let offer = |(name, help): (String, Option<String>)| CompletionCandidate::new(name).help(help.map(Into::into));
    offers.into_iter().map(offer).collect()
}

/// Returns the connection that the global options of the typed line name.
fn connection() -> anyhow::Result<Connection> {
    let words: Vec<OsString> = env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let line = Cli::command().ignore_errors(true).try_get_matches_from(words)?;
    Ok(Connection::from_arg_matches(&line)?)
}

/// Reads names, each with what it stands for.
fn read(names: Names, begun: &str) -> anyhow::Result<Vec<(String, Option<String>)>> {
    let connection = connection()?;
    if Places::load(&connection)?.is_some() {
        return Ok(Vec::new()); // several partitions
    }
    let session = Session::at_once(&Settings::load(&connection)?, Format::Table)?;
    let client = &session.client;
    let plain = |names: Vec<String>| names.into_iter().map(|name| (name, None)).collect();
    let queues =
        || -> anyhow::Result<Vec<String>> { Ok(session.all_queues()?.into_iter().map(|queue| queue.name).collect()) };
    Ok(match names {
        Names::Tasks => tasks(&session, &queues()?, begun)?,
        Names::Queues => plain(queues()?),
        Names::Tags => {
            let mut tags = Vec::new();
            for queue in queues()? {
                tags.extend(client.queue(&queue)?.tags()?.into_iter().map(|tag| tag.name));
            }
            tags.sort_unstable();
            plain(tags)
        }
        Names::Programs => {
            let mut programs: Vec<String> = client.workers()?.into_iter().flat_map(|worker| worker.methods).collect();
            programs.sort_unstable();
            plain(programs)
        }
        Names::Workers => plain(client.workers()?.into_iter().map(|worker| worker.id).collect()),
        Names::Schedules => plain(client.schedules()?.into_iter().map(|schedule| schedule.name.to_string()).collect()),
    })
}

/// Returns ids of tasks with what they do, in the order of `blueque ls`.
fn tasks(session: &Session, queues: &[String], begun: &str) -> anyhow::Result<Vec<(String, Option<String>)>> {
    let mut ids = Vec::new();
    'all: for state in shown() {
        for queue in queues {
            let queue = QueueName::new(queue.as_str())?;
            let page = session.client.call(&session.client.calls().list(&queue, state.as_str(), "0", 100))?;
            ids.extend(page.items.into_iter().filter(|id| id.starts_with(begun)));
            if ids.len() >= TASKS {
                break 'all;
            }
        }
    }
    ids.truncate(TASKS);
    let TaskList::Tasks(tasks) = TaskList::records(session, &ids)? else { return Ok(Vec::new()) };
    let what = |task: &TaskView| format!("{} {} {}", task.status, task.queue, task.what());
    Ok(tasks.into_iter().map(|task| (task.id.clone(), Some(clean_line(&what(&task), 80)))).collect())
}
