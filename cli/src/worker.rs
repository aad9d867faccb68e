//! `blueque worker`: takes tasks and gives each a supervisor, which needs the worker no more. A worker
//! that ends, however it ends, leaves its supervisors at work; the next one finds them.

mod handle;
mod keeper;
mod pool;
mod program;
pub mod remains;
mod report;
mod settings;
mod take;
mod takeover;

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blueque::{Client, Error, Interrupter, Listener, QueueName, Upkeep};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::pool::Pool;
use self::report::Reporter;
use self::settings::{Drain, RELEASE, Settings};
use self::take::Taker;
use self::takeover::Takeover;
use crate::args::Connection;
use crate::config;
use crate::output::say;
use crate::rights::missing;

pub use self::settings::Options;

/// A supervisor that only can be asked whether it lives is asked this often.
const ASK: Duration = Duration::from_millis(500);

/// More slots than this need more files than a process usually may open: two for each.
const FEW: usize = 200;

/// Runs a worker until it is told to end.
pub fn run(connection: &Connection, options: &Options) -> anyhow::Result<ExitCode> {
    let server = config::Settings::load(connection)?;
    let settings = Arc::new(options.settings(&server)?);
    let programs = options.programs()?;
    if settings.slots > FEW {
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    }
    takeover::tidy(&settings);
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let Some(client) = connect(&server, &settings, options.quiet, &mut signals)? else {
        return Ok(ExitCode::SUCCESS);
    };
    for right in client.greeting().map(|greeting| missing(greeting, &settings.namespace)).unwrap_or_default() {
        say(format!("blueque worker: {}: {}", right.text, right.todo));
    }
    let queues: Vec<&str> = settings.queues.iter().map(QueueName::as_str).collect();
    let mut listener = client.listener(&queues)?.order(settings.order.clone());
    if let Some(lease) = settings.lease {
        listener = listener.lease(lease);
    }
    if let Some(has) = &settings.has {
        listener = listener.has(has.as_str())?;
    }
    let id = listener.id().clone();

    let (wake, woken) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    let pool = Arc::new(Pool::new(settings.slots, options.quiet, wake));
    pool.say(&format!("{id} listens to {}", queues.join(", ")));

    let takeover =
        Takeover { client: client.clone(), settings: settings.clone(), pool: pool.clone(), listener: id.clone() };
    takeover.scan(); // before the first task is taken: what runs already takes up slots
    thread::spawn(move || takeover.run());
    upkeep(client.clone(), &settings, &listener);
    hear(signals, pool.clone(), listener.interrupter());
    let reporter = Reporter {
        client: client.clone(),
        settings: settings.clone(),
        pool: pool.clone(),
        listener: id,
        interrupter: listener.interrupter(),
    };
    let reporting = thread::spawn(move || reporter.run());
    let taker = Taker { client, settings: settings.clone(), programs, pool: pool.clone() };
    let taking = thread::spawn(move || {
        let outcome = taker.run(&mut listener);
        (outcome, listener)
    });

    watch(&pool, &settings, &woken, || taking.is_finished())?;
    pool.end(); // a report after the goodbye would register it anew
    let _ = reporting.join();
    match taking.join() {
        // What supervisors of other workers still hold under this name keeps it registered.
        Ok((outcome, listener)) => {
            outcome?;
            let _ = listener.unregister();
        }
        Err(_) => anyhow::bail!("the thread that takes tasks panicked"),
    }
    pool.say("ends");
    Ok(ExitCode::SUCCESS)
}

/// Waits for the server; none where a signal ends the worker first.
fn connect(
    server: &config::Settings,
    settings: &Settings,
    quiet: bool,
    signals: &mut Signals,
) -> anyhow::Result<Option<Client>> {
    let mut said = quiet;
    loop {
        match server.client() {
            Err(error) if error.downcast_ref::<Error>().is_some_and(Error::is_transient) => {
                takeover::sweep(settings);
                if !said {
                    say(format!("blueque worker: waiting for the server: {error:#}"));
                }
                said = true;
                if signals.pending().next().is_some() {
                    return Ok(None);
                }
                thread::sleep(Duration::from_millis(500));
            }
            client => return client.map(Some),
        }
    }
}

/// What every worker does for its queues.
fn upkeep(client: Client, settings: &Arc<Settings>, listener: &Listener) {
    let (id, settings) = (listener.id().clone(), settings.clone());
    thread::spawn(move || {
        let mut upkeep = Upkeep::new(client, settings.queues.clone()).host_names(settings.host_names.clone());
        loop {
            // What fails now is tried again in the next round. A task with a run folder is settled by
            // who keeps that.
            let kept = |held: &blueque::Held| held.token.is_some_and(|token| settings.has_folder(&held.id, token));
            if settings.adopt {
                let _ = upkeep.adopt_dead(&id, kept);
            }
            thread::sleep(upkeep.round().unwrap_or(Duration::from_secs(2)));
        }
    });
}

/// Drains at the first signal; at the second the worker ends, and its supervisors go on without it.
fn hear(mut signals: Signals, pool: Arc<Pool>, interrupter: Interrupter) {
    thread::spawn(move || {
        for _ in signals.forever() {
            if pool.draining().is_some() {
                let left = pool.running();
                pool.say(&format!("ends at once; running on without it: {left}"));
                process::exit(0);
            }
            pool.say(&format!("drains; running: {}", pool.running()));
            pool.drain();
            interrupter.interrupt();
        }
    });
}

/// Watches the supervisors until the worker has drained, or has met what it cannot mend.
fn watch(pool: &Pool, settings: &Settings, woken: &UnixStream, taken: impl Fn() -> bool) -> anyhow::Result<()> {
    let mut words = [0; 64];
    loop {
        pool.look();
        let draining = pool.draining();
        if taken() && (draining.is_none() || pool.running() == 0) {
            return Ok(());
        }
        let mut limit = Duration::from_secs(60);
        if let Some(since) = draining {
            let after = if settings.drain == Drain::Wait { settings.drain_after } else { Some(Duration::ZERO) };
            match after.map(|after| after.saturating_sub(since.elapsed())) {
                Some(Duration::ZERO) => pool.stop(),
                Some(left) => limit = left,
                None => {}
            }
            if settings.drain == Drain::Release {
                // The supervisor then finds its program gone, and gives the task back.
                for run in pool.overdue(RELEASE) {
                    remains::kill_all(&run);
                }
            }
        }
        let (fds, all) = pool.fds();
        if !all || draining.is_some() {
            limit = limit.min(ASK);
        }
        let mut polled = vec![PollFd::new(woken, PollFlags::IN)];
        polled.extend(fds.iter().map(|fd| PollFd::new(&**fd, PollFlags::IN)));
        match poll(&mut polled, Some(&Timespec::try_from(limit)?)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        while (&*woken).read(&mut words).is_ok_and(|read| read > 0) {}
    }
}
