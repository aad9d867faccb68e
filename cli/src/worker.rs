//! `blueque worker`: takes tasks and starts a supervisor for each task. If a worker ends or crashes, its supervisors
//! continue, and the next worker finds them.

mod deliveries;
mod handle;
mod log;
mod maintenance;
mod old_outputs;
mod orphans;
mod partition_scheduler;
mod partition_worker;
mod pool;
mod program;
mod queue_backoff;
mod report;
mod reserve;
mod resources;
mod round_robin;
mod run_guard;
mod settings;
mod slots;
mod state;
mod stop_signals;
mod takeover;
mod verbose;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{ListenerId, PartitionName};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::deliveries::Deliveries;
use self::partition_scheduler::{SERVED, serve};
use self::partition_worker::{PartitionWorker, Past};
use self::resources::Resources;
use self::round_robin::RoundRobin;
use self::settings::Settings;
use self::slots::Slots;
use self::state::{private_state, publishable};
use self::stop_signals::StopSignals;
use crate::logs::sweep::{Swept, sweep};
use crate::output::behind;
use crate::output::size::size;
use crate::processes::limits;
use crate::run_folder::RunFolder;
use crate::session::config::{self, Connection, Places};
use crate::subcommand::{Global, Subcommand};

pub use self::settings::Options;

/// Interval between searches for old logs.
const SWEEP: Duration = Duration::from_secs(30);

/// Number of slots above which the process raises its limit on open files. Each slot needs two files.
const FEW: usize = 200;

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(global.without_durability().and_then(|()| run(global.connection, self)))
    }
}

/// Runs a worker until it is asked to end.
fn run(connection: &Connection, options: &Options) -> anyhow::Result<ExitCode> {
    behind::begin();
    log::begin(options.log_format);
    // Programs of the same user must not read this process's memory in /proc.
    prctl::set_dumpable(false)?;
    let places = Places::load(connection)?;
    let servers: Vec<(Option<PartitionName>, config::Settings)> = match &places {
        Some(places) => places.chosen(connection)?.into_iter().map(|(name, server)| (Some(name), server)).collect(),
        None => vec![(None, config::Settings::load(connection)?)],
    };
    let settings = |(name, server): (Option<PartitionName>, config::Settings)| {
        let settings = options.settings(&server)?;
        limits::check(&settings.limits)?;
        Ok((name, server, settings))
    };
    let servers = servers.into_iter().map(settings).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(text) = options.has.as_deref().and_then(Resources::mistaken) {
        log::warning(&text);
    }
    let (programs, targets) = (options.programs()?, Arc::new(config::targets()?));
    let (several, takes_turns) = (servers.len() > 1, servers.len() > SERVED);
    let slots = Arc::new(Slots::new(usize::from(options.slots), servers.len()));
    let (stop_signals, round_robin) = (Arc::new(StopSignals::default()), Arc::new(RoundRobin::default()));
    if takes_turns && !options.quiet {
        let number = servers.len();
        log::info(&format!("serves {number} partitions, {SERVED} at a time besides those in which programs run"));
        log::info(options.drain.how_to_stop());
    }
    let served = Arc::new(servers.iter().map(|(_, _, settings)| settings.server.clone()).collect::<BTreeSet<_>>());
    let mut partition_workers = Vec::new();
    for (index, (name, server, mut settings)) in servers.into_iter().enumerate() {
        settings.state = private_state(&settings.state, &settings.namespace)?;
        settings.publish.as_deref().map_or(Ok(()), publishable)?;
        drop(RunFolder::tidy(&settings.state, &settings.namespace)); // the worker reports later what it cannot remove
        partition_workers.push(Arc::new(PartitionWorker {
            id: ListenerId::of_this_process(),
            server,
            label: name.as_ref().filter(|_| several).map(ToString::to_string),
            partition: name.zip(places.clone()),
            settings: Arc::new(settings),
            programs: programs.clone(),
            targets: targets.clone(),
            stop_signals: stop_signals.clone(),
            slots: slots.clone(),
            index,
            round_robin: round_robin.clone(),
            served: served.clone(),
            takes_turns,
            quiet: options.quiet,
            past: Past::default(),
        }));
    }
    if usize::from(options.slots) > FEW {
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    }
    orphans::reap();
    let signals = Signals::new([SIGTERM, SIGINT])?;
    let steers = stop_signals.clone();
    thread::spawn(move || steers.hear(signals));
    if let Some(partition_worker) = partition_workers.first() {
        let about = partition_worker.settings.clone();
        thread::spawn(move || sweep_old(&about));
    }
    let own = partition_workers.iter().filter_map(|partition_worker| partition_worker.name().cloned()).collect();
    let deliveries = match &places {
        Some(places) if !takes_turns => Deliveries::begin(places, own)?,
        _ => None,
    };
    let ended = serve(&partition_workers, &slots, &stop_signals, &round_robin);
    if let Some(deliveries) = deliveries {
        deliveries.end();
    }
    ended.map(|()| ExitCode::SUCCESS)
}

/// Removes old logs and outputs while the worker runs, with at most a hundredth of a processor.
fn sweep_old(settings: &Settings) {
    let report = |what: &str, swept: Swept| {
        if swept.number > 0 && !settings.options.quiet {
            log::info(&format!("removed {} old {what}: {}", swept.number, size(swept.bytes)));
        }
    };
    loop {
        let begun = Instant::now();
        report("logs", sweep(&settings.state, settings.keep_logs()));
        if let Some(keep) = settings.keep_outputs() {
            report("outputs", old_outputs::sweep(&settings.outputs(), keep));
        }
        thread::sleep((begun.elapsed() * 100).max(SWEEP));
    }
}
