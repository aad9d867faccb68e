//! The part of a worker that serves one server: it takes tasks, watches running tasks, maintains its queues, and
//! reports.

use std::collections::BTreeSet;
use std::io::Read;
use std::mem;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use blueque::bundle::VERSION;
use blueque::{Client, Error, Handshake, Listener, ListenerId, PartitionName, Pattern, QueueName};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::deliveries::Deliveries;
use super::log;
use super::maintenance;
use super::pool::{PATIENCE, Pool};
use super::program::Programs;
use super::report::Reporter;
use super::reserve::Reserver;
use super::round_robin::RoundRobin;
use super::settings::{Drain, RELEASE, Settings};
use super::slots::Slots;
use super::stop_signals::StopSignals;
use super::takeover::{self, Takeover};
use super::verbose::Verbose;
use crate::notify;
use crate::output::{chain, many};
use crate::processes::leftovers;
use crate::session::config::{self, Places, Targets};
use crate::session::diagnosis;
use crate::session::rights::missing;
use crate::session::truncated_aof;

/// Interval between checks of supervisors, if some of them can only be polled.
const ASK: Duration = Duration::from_millis(500);

/// Time without an answer of the server after which a worker logs that it waits.
const SILENCE: Duration = Duration::from_millis(400);

/// Done once a partition has logged how to stop the worker.
static STOP: Once = Once::new();

/// Name of the thread that takes tasks. The worker ends with this thread.
const TASKS: &str = "tasks";

/// Name of the thread that unregisters the worker.
const GOODBYE: &str = "goodbye";

/// The part of a worker that serves one server, or one of several partitions.
pub struct PartitionWorker {
    /// Id of the worker on the server. It is the same in all turns.
    pub id: ListenerId,
    pub server: config::Settings,
    pub partition: Option<(PartitionName, Places)>,
    pub settings: Arc<Settings>,
    pub programs: Programs,
    /// The targets of notices.
    pub targets: Arc<Targets>,
    pub stop_signals: Arc<StopSignals>,
    pub slots: Arc<Slots>,
    pub index: usize,
    pub round_robin: Arc<RoundRobin>,
    /// Identities of the servers of all partitions of the worker.
    pub served: Arc<BTreeSet<String>>,
    /// The name of the partition, if the worker serves several.
    pub label: Option<String>,
    /// True if the worker has more partitions than it serves at a time. Then each turn notifies the other partitions of
    /// ends itself, and logs no line at its start.
    pub takes_turns: bool,
    pub quiet: bool,
    pub past: Past,
}

/// State that a partition worker keeps between its turns.
#[derive(Default)]
pub struct Past {
    /// True once a turn has begun and has logged the missing permissions.
    has_begun: AtomicBool,
    /// True if the worker has logged that it waits for the server.
    waits: AtomicBool,
    /// Queues in which the worker is still registered.
    queues: Mutex<BTreeSet<QueueName>>,
}

impl Past {
    fn queues(&self) -> MutexGuard<'_, BTreeSet<QueueName>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a turn.
pub enum Turn {
    /// The partition waits for another turn.
    Over,
    /// There are no more turns, because the worker ends.
    Last,
}

impl PartitionWorker {
    pub fn name(&self) -> Option<&PartitionName> {
        self.partition.as_ref().map(|(name, _)| name)
    }

    /// Returns true if an earlier turn has left this worker registered.
    pub fn is_registered(&self) -> bool {
        !self.past.queues().is_empty()
    }

    /// Returns true if runs of the partition worker's server are on this host.
    pub fn has_runs(&self) -> bool {
        takeover::has_runs(&self.settings)
    }

    /// Unregisters the worker after its last turn if other partitions were served since.
    pub fn take_leave(&self) -> anyhow::Result<()> {
        unregister(&self.server.client_within(PATIENCE)?, &self.id, &mem::take(&mut *self.past.queues()))
    }

    /// Serves the partition until the worker is asked to end, or until the turn of another partition begins. If the
    /// worker has several partitions, also logs the error that ends the service of this partition.
    pub fn serve(&self) -> anyhow::Result<Turn> {
        self.to_the_end().inspect_err(|error| {
            if let Some(label) = &self.label {
                log::warning(&format!("partition {label} is no longer served: {}", chain(error)));
            }
        })
    }

    fn to_the_end(&self) -> anyhow::Result<Turn> {
        let Self { settings, programs, .. } = self;
        let Some((client, mut listener)) = self.connect()? else {
            return Ok(Turn::Over);
        };
        if !self.past.has_begun.swap(true, Ordering::AcqRel) {
            if let Some(handshake) = client.handshake() {
                say_missing(handshake, settings);
            }
            if truncated_aof::look(&self.server) {
                log::warning(&format!("{}: {}", truncated_aof::FOUND, truncated_aof::TODO));
            }
        }

        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let pool = Arc::new(Pool::new((self.slots.clone(), self.index), self.label.clone(), self.quiet, wake));
        if !self.takes_turns {
            let (queues, slots) = (names(settings).join(", "), many(settings.options.slots, "slot"));
            let place =
                format!("{}, namespace {}, bundle {VERSION}", diagnosis::place(&settings.url), settings.namespace);
            pool.say(&format!("takes tasks of {queues} as {}: {slots}, {place}", self.id));
            STOP.call_once(|| pool.say_for_all(settings.options.drain.how_to_stop()));
        }
        let deliveries = match &self.partition {
            Some((name, places)) if self.takes_turns => Deliveries::begin(places, vec![name.clone()])?,
            _ => None,
        };

        let verbose = settings.options.verbose.then(Arc::<Verbose>::default);
        let takeover =
            Takeover::new(client.clone(), settings.clone(), self.served.clone(), pool.clone(), verbose.clone());
        takeover.scan(); // before the first task is taken: running tasks occupy slots
        spawn(&pool, "takeover", move |_| takeover.run());
        if let Some(verbose) = verbose.clone() {
            spawn(&pool, "output", move |pool| verbose.run(pool));
        }
        let (calls, about, own) = (client.clone(), settings.clone(), self.id.clone());
        spawn(&pool, "maintenance", move |pool| maintenance::run(calls, &about, pool, &own));
        if !self.targets.is_empty() {
            let (calls, about, targets) = (client.clone(), settings.clone(), self.targets.clone());
            spawn(&pool, "notices", move |pool| {
                let (ends, warn) = (|pause| pool.ends_within(pause), |text: &str| pool.warn(text));
                notify::run(&calls, &about.namespace, &targets, &ends, &warn);
            });
        }
        self.stop_signals.add(&pool, listener.interrupter());
        let reporter = Reporter {
            client: client.clone(),
            settings: settings.clone(),
            programs: programs.clone(),
            pool: pool.clone(),
            listener: self.id.clone(),
            interrupter: listener.interrupter(),
        };
        let reporting = spawn(&pool, "reports", move |_| reporter.run());
        let reserver = Reserver {
            client: client.clone(),
            settings: settings.clone(),
            programs: programs.clone(),
            pool: pool.clone(),
            round_robin: self.round_robin.clone(),
            verbose: verbose.clone(),
        };
        let taking = spawn(&pool, TASKS, move |_| {
            let outcome = reserver.run(&mut listener);
            (outcome, listener)
        });

        let watched = watch(&pool, settings, &woken);
        pool.end();
        self.stop_signals.remove(&pool);
        if let Some(deliveries) = deliveries {
            deliveries.end();
        }
        watched?;
        if let Some(verbose) = verbose {
            verbose.end();
        }
        let ended = if pool.is_over(TASKS) { Some(taking.join().map_err(|_| defect(TASKS))?) } else { None };
        let (outcome, listener) = ended.map_or((Ok(()), None), |(outcome, listener)| (outcome, Some(listener)));
        if let Some(listener) = &listener {
            self.past.queues().extend(listener.queues());
        }
        if outcome.is_ok() && pool.draining().is_none() {
            return Ok(Turn::Over);
        }
        let queues = mem::take(&mut *self.past.queues());
        let heard = listener.is_some_and(|listener| part(&pool, reporting, (client.clone(), listener, queues)));
        if let Err(error) = outcome {
            if error.downcast_ref::<Error>().is_some_and(|error| error.code() == Some(blueque::Code::NoPermission))
                && let Ok(handshake) = client.call(&client.calls().handshake())
            {
                say_missing(&handshake, settings);
            }
            return Err(error);
        }
        pool.say(if heard { "ends" } else { "ends; the server does not answer, and does not know yet" });
        Ok(Turn::Last)
    }

    /// Connects and registers.
    fn enter(&self) -> anyhow::Result<(Client, Listener)> {
        let (client, settings) = (self.server.client()?, &self.settings);
        if let Some((name, places)) = &self.partition {
            places.partitions.require(name, client.topology()?.as_ref())?;
        }
        let mut listener = client.listener_as(self.id.clone(), &names(settings))?.order(settings.order.clone());
        if let Some(lease) = settings.options.lease {
            listener = listener.lease(lease);
        }
        if let Some(resources) = &settings.resources {
            listener = listener.has(resources.offered())?;
        }
        Ok((client, listener))
    }

    /// Connects and registers. If this takes long, logs what the worker waits for: a connection is tried for seconds.
    fn enter_noted(&self) -> anyhow::Result<(Client, Listener)> {
        thread::scope(|scope| {
            let (entered, silent) = mpsc::channel::<()>();
            scope.spawn(move || {
                if !self.past.waits.load(Ordering::Acquire)
                    && silent.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout)
                    && let Err(error) = self.server.client_at_once(SILENCE)
                {
                    self.note_waiting(&error);
                }
            });
            let result = self.enter();
            drop(entered);
            result
        })
    }

    /// Logs once that the worker waits for the server.
    fn note_waiting(&self, error: &anyhow::Error) {
        if !self.past.waits.swap(true, Ordering::AcqRel) && !self.quiet {
            let of = self.label.as_ref().map_or(String::new(), |label| format!("partition {label}: "));
            log::warning(&format!("{of}waiting for the server: {}", chain(error)));
        }
    }

    /// Waits until the server replies and accepts writes. Returns `None` if a signal ends the worker first, or if other
    /// partitions wait for their turn and this partition has no runs on this host.
    fn connect(&self) -> anyhow::Result<Option<(Client, Listener)>> {
        loop {
            match self.enter_noted() {
                Err(error) if error.downcast_ref::<Error>().is_some_and(Error::is_transient) => {
                    takeover::sweep(&self.settings);
                    self.note_waiting(&error);
                    if self.stop_signals.is_stopping() || self.round_robin.others_wait() && !self.has_runs() {
                        return Ok(None);
                    }
                    thread::sleep(Duration::from_millis(500));
                }
                entered => {
                    self.past.waits.store(false, Ordering::Release);
                    return entered.map(Some);
                }
            }
        }
    }
}

/// Unregisters the worker. Returns true if the server replied in time.
fn part(pool: &Arc<Pool>, reporting: JoinHandle<()>, of: (Client, Listener, BTreeSet<QueueName>)) -> bool {
    spawn(pool, GOODBYE, move |_| {
        // The thread that reports must end first, because a later report would register the worker again.
        let _ = reporting.join();
        let (client, listener, queues) = of;
        let id = listener.id().clone();
        // The call fails if supervisors still hold tasks under this id.
        if listener.unregister().is_ok() {
            let _ = unregister(&client, &id, &queues);
        }
    });
    pool.waits_for(GOODBYE, PATIENCE)
}

/// Unregisters the worker from these queues, which earlier turns have found.
fn unregister(client: &Client, id: &ListenerId, queues: &BTreeSet<QueueName>) -> anyhow::Result<()> {
    queues.iter().try_for_each(|queue| Ok(client.call(&client.calls().unregister(queue, id)).map(drop)?))
}

fn names(settings: &Settings) -> Vec<&str> {
    settings.queues.iter().map(Pattern::as_str).collect()
}

/// Logs the permissions that the user of the server lacks.
fn say_missing(handshake: &Handshake, settings: &Settings) {
    for right in missing(handshake, &settings.namespace) {
        log::warning(&format!("{}: {}", right.text, right.todo));
    }
}

/// Starts a thread of the worker. The end of the thread wakes the watcher, and a panic is recorded.
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

/// Returns the error for a thread of the worker that panicked. The supervisors continue without the worker, and the
/// next worker finds them.
pub fn defect(part: &str) -> anyhow::Error {
    anyhow::anyhow!("the worker's part for {part} ended by a bug: start the worker again, its programs run on")
}

/// Watches the supervisors until the worker has drained, or until an error from which the worker cannot recover.
fn watch(pool: &Pool, settings: &Settings, woken: &UnixStream) -> anyhow::Result<()> {
    let mut words = [0; 64];
    let mut idle: Option<Instant> = None;
    loop {
        pool.look();
        if let Some(part) = pool.broken() {
            return Err(defect(part));
        }
        let draining = pool.draining();
        let done = draining.is_none() || pool.awaited() == 0;
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
            let after =
                if settings.options.drain == Drain::Wait { settings.options.drain_after } else { Some(Duration::ZERO) };
            match after.map(|after| after.saturating_sub(since.elapsed())) {
                Some(Duration::ZERO) => pool.stop(),
                Some(left) => limit = left,
                None => {}
            }
            if settings.options.drain == Drain::Release {
                // When its program has been killed, the supervisor gives the task back.
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
