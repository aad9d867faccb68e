//! `blueque worker`: takes tasks and starts a supervisor for each, which does not depend on the worker afterwards.
//! A worker that ends, however it ends, leaves its supervisors running; the next one finds them.

mod cooldown;
mod handle;
mod helm;
mod keeper;
mod pool;
mod program;
mod report;
mod reserve;
mod settings;
mod slots;
mod state;
mod takeover;
mod upkeep;
mod verbose;

use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use blueque::{Client, Deliverer, Error, Greeting, Listener, ListenerId, PartitionName, Pattern};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use self::helm::Helm;
use self::pool::{PATIENCE, Pool};
use self::program::Programs;
use self::report::Reporter;
use self::reserve::Reserver;
use self::settings::{Drain, RELEASE, Settings};
use self::slots::Slots;
use self::state::{private_state, publishable};
use self::takeover::Takeover;
use self::verbose::Verbose;
use crate::logs::sweep::sweep;
use crate::output::{Code, causes, chain, fault, say};
use crate::processes::{leftovers, limits};
use crate::session::config::{self, Connection, Places};
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

/// The limit of a delivery to another partition.
const DELIVERY: Duration = Duration::from_secs(3);

/// More slots than this need more files than a process usually may open: two for each.
const FEW: usize = 200;

/// The most partitions that a worker serves: each needs some threads and connections.
const SERVED: usize = 32;

/// Runs a worker until it is told to end.
pub fn run(connection: &Connection, options: &Options) -> anyhow::Result<ExitCode> {
    // Programs of the same user must not read this process's memory in /proc.
    prctl::set_dumpable(false)?;
    let places = Places::load(connection)?;
    let servers: Vec<(Option<PartitionName>, config::Settings)> = match &places {
        Some(places) => places.chosen(connection)?.into_iter().map(|(name, server)| (Some(name), server)).collect(),
        None => vec![(None, config::Settings::load(connection)?)],
    };
    if servers.len() > SERVED {
        let text = format!(
            "a worker serves at most {SERVED} partitions, not {}: name some with --partition 1,2,3, and start others \
             for the rest",
            servers.len()
        );
        return Err(fault(Code::Usage, text));
    }
    let settings = |(name, server): (Option<PartitionName>, config::Settings)| {
        let settings = options.settings(&server)?;
        limits::check(&settings.limits)?;
        Ok((name, server, settings))
    };
    let servers = servers.into_iter().map(settings).collect::<anyhow::Result<Vec<_>>>()?;
    let programs = options.programs()?;
    let several = servers.len() > 1;
    let slots = Arc::new(Slots::new(usize::from(options.slots), servers.len()));
    let helm = Arc::new(Helm::default());
    let mut crews = Vec::new();
    for (seat, (name, server, mut settings)) in servers.into_iter().enumerate() {
        settings.state = private_state(&settings.state, &settings.namespace)?;
        settings.publish.as_deref().map_or(Ok(()), publishable)?;
        takeover::tidy(&settings);
        let settings = Arc::new(settings);
        let label = name.as_ref().filter(|_| several).map(ToString::to_string);
        let (slots, helm, programs, quiet) = (slots.clone(), helm.clone(), programs.clone(), options.quiet);
        let partition = name.zip(places.clone());
        crews.push(Crew { server, partition, settings, programs, helm, slots, seat, label, quiet });
    }
    if usize::from(options.slots) > FEW {
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    }
    let signals = Signals::new([SIGTERM, SIGINT])?;
    let steers = helm.clone();
    thread::spawn(move || steers.hear(signals));
    if let Some(crew) = crews.first() {
        let about = crew.settings.clone();
        thread::spawn(move || sweep_logs(&about));
    }
    let own = crews.iter().filter_map(|crew| crew.partition.as_ref()).map(|(name, _)| name.clone()).collect();
    let deliveries = places.as_ref().map_or(Ok(None), |places| Deliveries::begin(places, own))?;
    let crews: Vec<_> = crews.into_iter().map(|crew| thread::spawn(move || crew.serve())).collect();
    let mut failed = None;
    for crew in crews {
        failed = crew.join().map_err(|_| defect("partitions"))?.err().or(failed);
    }
    if let Some(deliveries) = deliveries {
        deliveries.end();
    }
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Delivers the ends of tasks of these partitions to the others, as long as the worker lives.
struct Deliveries {
    deliverer: Arc<Deliverer>,
    ended: mpsc::Receiver<()>,
}

impl Deliveries {
    fn begin(places: &Places, own: Vec<PartitionName>) -> anyhow::Result<Option<Self>> {
        if places.partitions.names().len() < 2 {
            return Ok(None);
        }
        let heed = |name: &PartitionName, error: &Error| {
            if !error.is_transient() {
                let why = causes(error);
                say(format!("blueque worker: partition {name}: ends of tasks are not delivered to others: {why}"));
            }
        };
        let deliverer = Arc::new(Deliverer::new(&places.reachable(DELIVERY, &[])?).only(own).on_error(heed));
        let (runs, (says, ended)) = (deliverer.clone(), mpsc::channel());
        thread::spawn(move || {
            runs.run();
            let _ = says.send(());
        });
        Ok(Some(Self { deliverer, ended }))
    }

    /// What is cut off is delivered again only when its lease has expired: so the last ones may finish.
    fn end(self) {
        self.deliverer.stop();
        let _ = self.ended.recv_timeout(DELIVERY);
    }
}

/// What serves one server, or one of several partitions.
struct Crew {
    server: config::Settings,
    partition: Option<(PartitionName, Places)>,
    settings: Arc<Settings>,
    programs: Programs,
    helm: Arc<Helm>,
    slots: Arc<Slots>,
    seat: usize,
    /// The name of the partition, if the worker serves several.
    label: Option<String>,
    quiet: bool,
}

impl Crew {
    /// Serves it until the worker is told to end. With several partitions an error ends only this part, and is said.
    fn serve(&self) -> anyhow::Result<()> {
        self.to_the_end().inspect_err(|error| {
            if let Some(label) = &self.label {
                say(format!("blueque worker: partition {label} is not served any more: {}", chain(error)));
            }
        })
    }

    fn to_the_end(&self) -> anyhow::Result<()> {
        let Self { settings, programs, .. } = self;
        let id = ListenerId::of_this_process();
        let Some((client, mut listener)) = self.connect(&id)? else {
            return Ok(());
        };
        if let Some(greeting) = client.greeting() {
            say_missing(greeting, settings);
        }
        if torn::look(&self.server) {
            say(format!("blueque worker: warning: {}: {}", torn::FOUND, torn::TODO));
        }

        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let pool = Arc::new(Pool::new((self.slots.clone(), self.seat), self.label.clone(), self.quiet, wake));
        pool.say(&format!("{id} listens to {}", names(settings).join(", ")));

        let verbose = settings.verbose.then(Arc::<Verbose>::default);
        let takeover = Takeover::new(client.clone(), settings.clone(), pool.clone(), verbose.clone());
        takeover.scan(); // before the first task is taken: running tasks occupy slots
        spawn(&pool, "takeover", move |_| takeover.run());
        if let Some(verbose) = verbose.clone() {
            spawn(&pool, "output", move |_| verbose.run());
        }
        let (calls, about, own) = (client.clone(), settings.clone(), id.clone());
        spawn(&pool, "upkeep", move |pool| upkeep::run(calls, &about, pool, &own));
        self.helm.add(&pool, listener.interrupter());
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
            programs: programs.clone(),
            pool: pool.clone(),
            verbose: verbose.clone(),
        };
        let taking = spawn(&pool, TASKS, move |_| {
            let outcome = reserver.run(&mut listener);
            (outcome, listener)
        });

        watch(&pool, settings, &woken)?;
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
                say_missing(&greeting, settings);
            }
            return Err(error);
        }
        pool.say(if heard { "ends" } else { "ends; the server does not answer, and does not know yet" });
        Ok(())
    }

    /// Connects and registers.
    fn enter(&self, id: &ListenerId) -> anyhow::Result<(Client, Listener)> {
        let (client, settings) = (self.server.client()?, &self.settings);
        if let Some((name, places)) = &self.partition {
            places.partitions.require(name, client.topology()?.as_ref())?;
        }
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
    fn connect(&self, id: &ListenerId) -> anyhow::Result<Option<(Client, Listener)>> {
        let mut said = self.quiet;
        loop {
            match self.enter(id) {
                Err(error) if error.downcast_ref::<Error>().is_some_and(Error::is_transient) => {
                    takeover::sweep(&self.settings);
                    if !said {
                        let of = self.label.as_ref().map_or(String::new(), |label| format!("partition {label}: "));
                        say(format!("blueque worker: {of}waiting for the server: {}", chain(&error)));
                    }
                    said = true;
                    if self.helm.is_stopping() {
                        return Ok(None);
                    }
                    thread::sleep(Duration::from_millis(500));
                }
                entered => return entered.map(Some),
            }
        }
    }
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
