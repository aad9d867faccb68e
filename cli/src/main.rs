//! The `blueque` command: parses its arguments and calls the command.

mod args;
mod commands;
mod doctor;
mod follow;
mod input;
mod logs;
mod output;
mod process;
mod processes;
mod run_folder;
mod safe_path;
mod server;
mod session;
mod shortage;
mod supervisor;
mod times;
mod view;
mod worker;

use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};
use crate::commands::{
    audit, bulk, cancel, completions, config, delete, depend, dev, drain, edit, events, exec, find, forget, graph,
    groups, history, limit, limits, ls, move_to, note, pause, peek, prioritise, queues, recall, reset_clock, resume,
    retry, run, schedule, show, stats, submit, tag, tags, task, top, track, upkeep, wait, why, workers,
};
use crate::output::Code;
use crate::session::config::Settings;
use crate::session::{LIMIT, Session, diagnosis, outage};

fn main() -> ExitCode {
    // The library leaves the choice to programs; without one, a `rediss://` URL panics.
    #[cfg(feature = "tls-rustls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match dispatch(&cli) {
        Ok(code) => code,
        Err(error) => output::report(&error),
    }
}

/// Prints the help that was asked for, or the error in the arguments.
fn refuse(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A reader that closed the pipe has seen enough.
        let _ = error.print();
        return Code::Ok.into();
    }
    // The text repeats arguments, which may contain a URL with a password.
    let text = error.render().to_string();
    if output::redact(&text) == text {
        let _ = error.print();
    } else {
        output::say(text.trim_end());
    }
    Code::Usage.into()
}

/// Runs the command.
fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    let code = match &cli.command {
        Command::Worker(options) => return worker::run(&cli.connection, options),
        Command::Supervise(options) => return supervisor::run(options),
        Command::Exec(options) => return exec::run(options),
        Command::Dev(options) => return dev::run(&cli.connection, options),
        Command::Task { word } => task::run(word)?,
        Command::Completions(options) => completions::run(options, Cli::command())?,
        Command::Doctor(options) => doctor::run(&Settings::load(&cli.connection)?, options, cli.output)?,
        command => {
            let settings = Settings::load(&cli.connection)?;
            let (end, client) = if let Some(timeout) = waits(command) {
                outage::connect(&settings, timeout)?
            } else {
                diagnosis::somebody_listens(settings.url(), LIMIT)?;
                (None, settings.client_within(LIMIT)?)
            };
            let session = Session { client, format: cli.output, namespace: settings.namespace().clone(), end };
            if let Command::Run(options) = command {
                return run::run(&session, options);
            }
            with_server(&session, command)?
        }
    };
    Ok(code.into())
}

/// Whether a command waits for something that may take hours, including the server, and for how long if limited.
fn waits(command: &Command) -> Option<Option<Duration>> {
    match command {
        Command::Wait(options) => Some(options.timeout),
        Command::Graph(options) => options.waits(),
        Command::Logs(options) => options.follow.then_some(None),
        Command::Events(options) => options.follow.then_some(None),
        Command::Audit(options) => options.follow.then_some(None),
        Command::Ls(options) => options.watch.then_some(None),
        Command::Upkeep(options) => (!options.once).then_some(None),
        Command::Top(_) => Some(None),
        _ => None,
    }
}

fn with_server(session: &Session, command: &Command) -> anyhow::Result<Code> {
    match command {
        Command::Submit(options) => submit::run(session, options),
        Command::Ls(options) => ls::run(session, options),
        Command::Show(options) => show::run(session, options),
        Command::Logs(options) => commands::logs::run(session, options),
        Command::Wait(options) => wait::run(session, options),
        Command::Cancel(options) => cancel::run(session, options),
        Command::Retry(options) => retry::run(session, options),
        Command::Recall(options) => recall::run(session, options),
        Command::Delete(options) => delete::run(session, options),
        Command::Note(options) => note::run(session, options),
        Command::Prioritise(options) => prioritise::run(session, options),
        Command::Edit(options) => edit::run(session, options),
        Command::Depend(options) => depend::run(session, options),
        Command::Undepend(options) => depend::remove(session, options),
        Command::Move(options) => move_to::run(session, options),
        Command::Track(options) => track::track(session, options),
        Command::Untrack(options) => track::untrack(session, options),
        Command::Tracked => track::list(session),
        Command::Find(options) => find::run(session, options),
        Command::Tag(options) => tag::tag(session, options),
        Command::Untag(options) => tag::untag(session, options),
        Command::Tags(options) => tags::run(session, options),
        Command::Groups(options) => groups::run(session, options),
        Command::Bulk(options) => bulk::run(session, options),
        Command::Purge(options) => bulk::purge(session, options),
        Command::Forget(options) => forget::run(session, options),
        Command::Config(options) => config::run(session, options),
        Command::Limit(options) => limit::run(session, options),
        Command::Limits(options) => limits::run(session, options),
        Command::Schedule(options) => schedule::run(session, options),
        Command::Graph(options) => graph::run(session, options),
        Command::Queues(options) => queues::run(session, options),
        Command::Peek(options) => peek::run(session, options),
        Command::Pause(options) => pause::run(session, options),
        Command::Resume(options) => resume::run(session, options),
        Command::Workers(options) => workers::run(session, options),
        Command::Drain(options) => drain::run(session, options),
        Command::Audit(options) => audit::run(session, options),
        Command::Events(options) => events::run(session, options),
        Command::History(options) => history::run(session, options),
        Command::Stats(options) => stats::run(session, options),
        Command::Why(options) => why::run(session, options),
        Command::Top(options) => top::run(session, options),
        Command::Upkeep(options) => upkeep::run(session, options),
        Command::ResetClock => reset_clock::run(session),
        // These are handled before a server is contacted.
        Command::Worker(_)
        | Command::Supervise(_)
        | Command::Exec(_)
        | Command::Dev(_)
        | Command::Run(_)
        | Command::Doctor(_)
        | Command::Completions(_)
        | Command::Task { .. } => Ok(Code::Usage),
    }
}
