//! Runs a command that needs a server, in one namespace.

use std::time::Duration;

use crate::args::Command;
use crate::commands::{
    audit, bulk, cancel, config, delete, depend, drain, edit, events, find, forget, graph, groups, history, limit,
    limits, ls, maintenance, move_to, note, pause, peek, prioritise, queues, requeue, reset_clock, resume, retry,
    schedule, show, stats, submit, tag, tags, top, track, wait, why, workers,
};
use crate::output::{Code, Format};
use crate::session::config::Settings;
use crate::session::{LIMIT, Session, diagnosis, outage};

/// Connects, with the time limits of the command.
pub fn open(settings: &Settings, format: Format, command: &Command) -> anyhow::Result<Session> {
    let Some(timeout) = waits(command) else { return at_once(settings, format) };
    let (end, client) = outage::connect(settings, timeout)?;
    Ok(Session {
        client,
        format,
        namespace: settings.namespace().clone(),
        end,
        partition: None,
        merged_rows: None,
        elsewhere: None,
    })
}

/// Connects to a server, and fails soon if no server listens.
pub fn at_once(settings: &Settings, format: Format) -> anyhow::Result<Session> {
    diagnosis::somebody_listens(settings.url(), LIMIT)?;
    let client = settings.client_at_once(LIMIT)?;
    Ok(Session {
        client,
        format,
        namespace: settings.namespace().clone(),
        end: None,
        partition: None,
        merged_rows: None,
        elsewhere: None,
    })
}

/// Returns a value if a command waits for something that may take hours, including the server. The inner value is the
/// time limit, or none without a limit.
fn waits(command: &Command) -> Option<Option<Duration>> {
    match command {
        Command::Wait(options) => Some(options.timeout),
        Command::Graph(options) => options.waits(),
        Command::Logs(options) => options.follow.then_some(None),
        Command::Events(options) => options.follow.then_some(None),
        Command::Audit(options) => options.follow.then_some(None),
        Command::Ls(options) => options.watch.then_some(None),
        Command::Maintenance(options) => (!options.once).then_some(None),
        Command::Top(_) => Some(None),
        _ => None,
    }
}

/// Runs the command.
pub fn run(session: &Session, command: &Command) -> anyhow::Result<Code> {
    match command {
        Command::Submit(options) => submit::run(session, options),
        Command::Ls(options) => ls::run(session, options),
        Command::Show(options) => show::run(session, options),
        Command::Logs(options) => crate::commands::logs::run(session, options),
        Command::Wait(options) => wait::run(session, options),
        Command::Cancel(options) => cancel::run(session, options),
        Command::Retry(options) => retry::run(session, options),
        Command::Requeue(options) => requeue::run(session, options),
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
        Command::Top(options) => top::run(top::one(session), options),
        Command::Maintenance(options) => maintenance::run(session, options),
        Command::ResetClock => reset_clock::run(session),
        // Commands that are handled before a connection is made.
        Command::Worker(_)
        | Command::Supervise(_)
        | Command::Exec(_)
        | Command::Dev(_)
        | Command::Run(_)
        | Command::Ping(_)
        | Command::Doctor(_)
        | Command::Partitions(_)
        | Command::Completions(_)
        | Command::Task { .. } => Ok(Code::Usage),
    }
}
