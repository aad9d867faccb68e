//! `blueque worker`: takes tasks and starts a supervisor for each, which does not depend on the worker afterwards.
//! A worker that ends, however it ends, leaves its supervisors running; the next one finds them.

mod cooldown;
mod handle;
mod keeper;
mod pool;
mod program;
mod report;
mod reserve;
mod settings;
mod state;
mod takeover;
mod upkeep;
mod verbose;

use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use blueque::{Client, Error, Greeting, Interrupter, Listener, ListenerId, Pattern};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::pool::{PATIENCE, Pool};
use self::report::Reporter;
use self::reserve::Reserver;
use self::settings::{Drain, RELEASE, Settings};
use self::state::{private_state, publishable};
use self::takeover::Takeover;
use self::verbose::Verbose;
use crate::logs::sweep::sweep;
use crate::output::{chain, say};
use crate::processes::{leftovers, limits};
use crate::session::config::{self, Connection};
use crate::session::rights::missing;
use crate::session::torn;

pub use self::settings::Options;

/// How often a supervisor is checked that can only be polled.
const ASK: Duration = Duration::from_millis(500);

/// How often old logs are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// The thread that takes tasks: the worker ends with it.
const TASKS: &str = "tasks";

/// The thread that says goodbye.
const GOODBYE: &str = "goodbye";

/// More slots than this need more files than a process usually may open: two for each.
const FEW: usize = 200;

/// Runs a worker until it is told to end.
pub fn run(connection: &Connection, options: &Options) -> anyhow::Result<ExitCode> {
    // Programs of the same user must not read this process's memory in /proc.
    prctl::set_dumpable(false)?;
    let server = config::Settings::load(connection)?;
    let mut settings = options.settings(&server)?;
    limits::check(&settings.limits)?;
    let programs = options.programs()?;
    settings.state = private_state(&settings.state, &settings.namespace)?;
    settings.publish.as_deref().map_or(Ok(()), publishable)?;
    let settings = Arc::new(settings);
    if settings.slots > FEW {
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    }
    takeover::tidy(&settings);
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let id = ListenerId::of_this_process();
    let Some((client, mut listener)) = connect(&server, &settings, &id, options.quiet, &mut signals)? else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(greeting) = client.greeting() {
        say_missing(greeting, &settings);
    }
    if torn::look(&server) {
        say(format!("blueque worker: warning: {}: {}", torn::FOUND, torn::TODO));
    }

    let (wake, woken) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    let pool = Arc::new(Pool::new(settings.slots, options.quiet, wake));
    pool.say(&format!("{id} listens to {}", names(&settings).join(", ")));

    let verbose = settings.verbose.then(Arc::<Verbose>::default);
    let takeover = Takeover::new(client.clone(), settings.clone(), pool.clone(), verbose.clone());
    takeover.scan(); // before the first task is taken: running tasks occupy slots
    spawn(&pool, "takeover", move |_| takeover.run());
    let about = settings.clone();
    spawn(&pool, "logs", move |_| sweep_logs(&about));
    if let Some(verbose) = verbose.clone() {
        spawn(&pool, "output", move |_| verbose.run());
    }
    let (calls, about, own) = (client.clone(), settings.clone(), id.clone());
    spawn(&pool, "upkeep", move |pool| upkeep::run(calls, &about, pool, &own));
    let interrupter = listener.interrupter();
    spawn(&pool, "signals", move |pool| hear(signals, pool, &interrupter));
    let reporter = Reporter {
        client: client.clone(),
        settings: settings.clone(),
        programs: programs.clone(),
        pool: pool.clone(),
        listener: id,
        interrupter: listener.interrupter(),
    };
    let reporting = spawn(&pool, "reports", move |_| reporter.run());
    let reserver = Reserver {
        client: client.clone(),
        settings: settings.clone(),
        programs,
        pool: pool.clone(),
        verbose: verbose.clone(),
    };
    let taking = spawn(&pool, TASKS, move |_| {
        let outcome = reserver.run(&mut listener);
        (outcome, listener)
    });

    watch(&pool, &settings, &woken)?;
    pool.end();
    if let Some(verbose) = verbose {
        verbose.pass();
    }
    let ended = if pool.is_over(TASKS) { Some(taking.join().map_err(|_| defect(TASKS))?) } else { None };
    let (outcome, listener) = ended.map_or((Ok(()), None), |(outcome, listener)| (outcome, Some(listener)));
    let heard = listener.is_some_and(|listener| part(&pool, reporting, listener));
    if let Err(error) = outcome {
        if error.downcast_ref::<Error>().is_some_and(|error| error.code() == Some(blueque::Code::NoPermission))
            && let Ok(greeting) = client.call(&client.calls().hello())
        {
            say_missing(&greeting, &settings);
        }
        return Err(error);
    }
    pool.say(if heard { "ends" } else { "ends; the server does not answer, and does not know yet" });
    Ok(ExitCode::SUCCESS)
}

/// Says goodbye to the server; returns whether that was done in time.
fn part(pool: &Arc<Pool>, reporting: JoinHandle<()>, listener: Listener) -> bool {
    spawn(pool, GOODBYE, move |_| {
        // A later report would register it again.
        let _ = reporting.join();
        // Tasks that supervisors of other workers hold under this name keep it registered.
        let _ = listener.unregister();
    });
    pool.waits_for(GOODBYE, PATIENCE)
}

fn names(settings: &Settings) -> Vec<&str> {
    settings.queues.iter().map(Pattern::as_str).collect()
}

/// Removes old logs as long as the worker lives, using at most a hundredth of a processor.
fn sweep_logs(settings: &Settings) {
    loop {
        let begun = Instant::now();
        sweep(&settings.state, settings.keep_logs);
        thread::sleep((begun.elapsed() * 100).max(SWEEP));
    }
}

/// Reports the permissions that the user of the server lacks.
fn say_missing(greeting: &Greeting, settings: &Settings) {
    for right in missing(greeting, &settings.namespace) {
        say(format!("blueque worker: {}: {}", right.text, right.todo));
    }
}

/// Connects and registers.
fn enter(server: &config::Settings, settings: &Settings, id: &ListenerId) -> anyhow::Result<(Client, Listener)> {
    let client = server.client()?;
    let mut listener = client.listener_as(id.clone(), &names(settings))?.order(settings.order.clone());
    if let Some(lease) = settings.lease {
        listener = listener.lease(lease);
    }
    if let Some(has) = &settings.has {
        listener = listener.has(has.as_str())?;
    }
    Ok((client, listener))
}

/// Waits for a server that replies and accepts writes; none if a signal ends the worker first.
fn connect(
    server: &config::Settings,
    settings: &Settings,
    id: &ListenerId,
    quiet: bool,
    signals: &mut Signals,
) -> anyhow::Result<Option<(Client, Listener)>> {
    let mut said = quiet;
    loop {
        match enter(server, settings, id) {
            Err(error) if error.downcast_ref::<Error>().is_some_and(Error::is_transient) => {
                takeover::sweep(settings);
                if !said {
                    say(format!("blueque worker: waiting for the server: {}", chain(&error)));
                }
                said = true;
                if signals.pending().next().is_some() {
                    return Ok(None);
                }
                thread::sleep(Duration::from_millis(500));
            }
            entered => return entered.map(Some),
        }
    }
}

/// Starts a thread of the worker. The watcher is woken when it ends, and learns whether it panicked.
fn spawn<T: Send + 'static>(
    pool: &Arc<Pool>,
    name: &'static str,
    work: impl FnOnce(&Arc<Pool>) -> T + Send + 'static,
) -> JoinHandle<T> {
    let pool = pool.clone();
    thread::spawn(move || {
        let _end = pool.part(name);
        work(&pool)
    })
}

/// Supervisors do not need a worker, and the next one finds them.
fn defect(part: &str) -> anyhow::Error {
    anyhow::anyhow!("the worker's part for {part} ended by a bug: start the worker again, its programs run on")
}

/// Drains at the first signal; at the second the worker ends, and its supervisors go on without it.
fn hear(mut signals: Signals, pool: &Pool, interrupter: &Interrupter) {
    for _ in signals.forever() {
        if pool.draining().is_some() {
            let left = pool.running();
            pool.say(&format!("ends at once; running on without it: {left}"));
            #[expect(clippy::disallowed_methods, reason = "at once, whatever hangs; what counts is on disk")]
            process::exit(0);
        }
        pool.say(&format!("drains; running: {}", pool.running()));
        pool.drain();
        interrupter.interrupt();
    }
}

/// Watches the supervisors until the worker has drained, or hits an error that it cannot recover from.
fn watch(pool: &Pool, settings: &Settings, woken: &UnixStream) -> anyhow::Result<()> {
    let mut words = [0; 64];
    let mut idle: Option<Instant> = None;
    loop {
        pool.look();
        if let Some(part) = pool.broken() {
            return Err(defect(part));
        }
        let draining = pool.draining();
        let done = draining.is_none() || pool.running() == 0;
        if pool.is_over(TASKS) && done {
            return Ok(());
        }
        if draining.is_none() || !done {
            idle = None;
        } else if idle.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return Ok(()); // only a call to a server that does not reply is left
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
                    leftovers::kill_all(&run);
                }
            }
        }
        let (fds, all) = pool.fds();
        if !all || draining.is_some() {
            limit = limit.min(ASK);
        }
        let mut polled = vec![PollFd::new(woken.as_fd(), PollFlags::POLLIN)];
        polled.extend(fds.iter().map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)));
        match poll(&mut polled, PollTimeout::try_from(limit)?) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        while (&*woken).read(&mut words).is_ok_and(|read| read > 0) {}
    }
}
