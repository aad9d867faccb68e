//! The commands that ask and steer: everything but the worker.

pub mod bulk;
pub mod config;
pub mod dev;
pub mod doctor;
pub mod events;
pub mod history;
pub mod lifecycle;
pub mod limit;
pub mod logs;
pub mod ls;
pub mod queues;
pub mod run;
pub mod schedule;
pub mod search;
pub mod show;
pub mod stats;
pub mod submit;
pub mod task;
pub mod top;
pub mod wait;
pub mod why;
pub mod workers;

use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;

use crate::args::{Cli, Command};
use crate::output::Code;
use crate::session::config::Settings;
use crate::session::{LIMIT, Session, outage, reach};

/// Runs a command other than those of the worker.
pub fn run(cli: &Cli, command: &Command) -> anyhow::Result<ExitCode> {
    let code = match command {
        Command::Dev(options) => return dev::run(&cli.connection, options),
        Command::Task { word } => task::run(word)?,
        Command::Completions { shell } => completions(*shell)?,
        Command::Doctor(options) => doctor::run(&Settings::load(&cli.connection)?, options, cli.output)?,
        command => {
            let settings = Settings::load(&cli.connection)?;
            let (end, client) = if let Some(timeout) = waits(command) {
                outage::connect(&settings, timeout)?
            } else {
                reach::somebody_listens(settings.url(), LIMIT)?;
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

/// Whether a command waits for what may take hours, the server included, and how long where it says.
fn waits(command: &Command) -> Option<Option<Duration>> {
    match command {
        Command::Wait(options) => Some(options.timeout),
        Command::Logs(options) => options.follow.then_some(None),
        Command::Events(options) => options.follow.then_some(None),
        Command::Ls(options) => options.watch.then_some(None),
        Command::Top(_) => Some(None),
        _ => None,
    }
}

fn with_server(session: &Session, command: &Command) -> anyhow::Result<Code> {
    match command {
        Command::Submit(options) => submit::run(session, options),
        Command::Ls(options) => ls::run(session, options),
        Command::Show(options) => show::run(session, options),
        Command::Logs(options) => logs::run(session, options),
        Command::Wait(options) => wait::run(session, options),
        Command::Cancel(options) => lifecycle::cancel(session, options),
        Command::Retry(options) => lifecycle::retry(session, options),
        Command::Recall(options) => lifecycle::recall(session, options),
        Command::Delete(options) => lifecycle::delete(session, options),
        Command::Prioritise(options) => lifecycle::prioritise(session, options),
        Command::Move(options) => lifecycle::move_to(session, options),
        Command::Find(options) => search::find(session, options),
        Command::Tag(options) => search::tag(session, options),
        Command::Untag(options) => search::untag(session, options),
        Command::Tags(options) => search::tags(session, options),
        Command::Groups(options) => search::groups(session, options),
        Command::Bulk(options) => bulk::run(session, options),
        Command::Purge(options) => bulk::purge(session, options),
        Command::Forget(options) => queues::forget(session, options),
        Command::Config(options) => config::run(session, options),
        Command::Limit(options) => limit::set(session, options),
        Command::Limits(options) => limit::list(session, options),
        Command::Schedule(options) => schedule::run(session, options),
        Command::Queues(options) => queues::list(session, options),
        Command::Pause(options) => queues::pause(session, options),
        Command::Resume(options) => queues::resume(session, options),
        Command::Workers(options) => workers::list(session, options),
        Command::Drain(options) => workers::drain(session, options),
        Command::Events(options) => events::run(session, options),
        Command::History(options) => history::run(session, options),
        Command::Stats(options) => stats::run(session, options),
        Command::Why(options) => why::run(session, options),
        Command::Top(options) => top::run(session, options),
        Command::ResetClock => doctor::reset_clock(session),
        // These are dealt with before a server is asked.
        Command::Worker(_)
        | Command::Supervise(_)
        | Command::Exec(_)
        | Command::Dev(_)
        | Command::Run(_)
        | Command::Doctor(_)
        | Command::Completions { .. }
        | Command::Task { .. } => Ok(Code::Usage),
    }
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<Code> {
    // Written at once: the generator does not expect that a pipe can be closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "blueque", &mut script);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &script)?;
    Ok(Code::Ok)
}
