//! The faults, and their effects.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fastrand::Rng;
use nix::sys::signal::Signal;

use crate::ground::Ground;
use crate::host::{Host, LEASE, Victim, Who, killed, send};
use crate::jobs::Jobs;
use crate::neighbour::Neighbour;
use crate::proxy::{Proxy, Weather};
use crate::saved::Saved;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Cut,
    CutBefore,
    CutAfter,
    Delay,
    Hole,
    OneWay,
    Drip,
    Refuse,
    ReserveLost,
    WorkerKilled,
    WorkerEnded,
    WorkerStopped,
    SupervisorKilled,
    SupervisorStopped,
    ProgramKilled,
    TreeStopped,
    HostKilled,
    DiskFull,
    /// Another user of the host tries the side doors.
    Neighbour,
    ServerKilled,
    ServerTorn,
    ServerSetBack,
    Promoted,
    Demoted,
    MemoryFull,
    ClockForward,
    ClockBack,
    MasterKilled,
    MasterHung,
    MasterIsolated,
    ReplicaKilled,
    SlotMoved,
    DelivererKilled,
    /// A user suspends a task, and continues it.
    Suspended,
    Requeued,
    Signalled,
    /// A user holds a task, and releases it.
    Held,
}

/// Servers on which a fault is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Anywhere,
    Single,
    Cluster,
}

/// Maximum number of seconds by which the server's clock is set ahead in total.
const MOST_AHEAD: f64 = 2.0 * 86_400.0;

/// Seconds of a small clock step. The server cannot distinguish a step of up to 15 s from passing time: the step ends a
/// lease with less time left, as the docs describe. A small step and a stopped supervisor together are shorter than the
/// margin of the lease, which is a fifth of it.
const SMALL_STEP: f64 = 0.4;

/// Maximum number of milliseconds for which a supervisor is stopped.
const MOST_STOPPED_MS: u64 = 500;

/// The faults, each with its frequency.
const FAULTS: [(Fault, u32, Where); 37] = [
    (Fault::Cut, 4, Where::Anywhere),
    (Fault::CutBefore, 6, Where::Anywhere),
    (Fault::CutAfter, 8, Where::Anywhere),
    (Fault::Delay, 3, Where::Anywhere),
    (Fault::Hole, 4, Where::Anywhere),
    (Fault::OneWay, 4, Where::Anywhere),
    (Fault::Drip, 2, Where::Anywhere),
    (Fault::Refuse, 3, Where::Anywhere),
    (Fault::ReserveLost, 1, Where::Single),
    (Fault::WorkerKilled, 6, Where::Anywhere),
    (Fault::WorkerEnded, 3, Where::Anywhere),
    (Fault::WorkerStopped, 3, Where::Anywhere),
    (Fault::SupervisorKilled, 6, Where::Anywhere),
    (Fault::SupervisorStopped, 3, Where::Anywhere),
    (Fault::ProgramKilled, 4, Where::Anywhere),
    (Fault::TreeStopped, 2, Where::Anywhere),
    (Fault::HostKilled, 2, Where::Anywhere),
    (Fault::DiskFull, 4, Where::Anywhere),
    (Fault::Neighbour, 8, Where::Anywhere),
    (Fault::ServerKilled, 3, Where::Single),
    (Fault::ServerTorn, 1, Where::Single),
    (Fault::ServerSetBack, 1, Where::Single),
    (Fault::Promoted, 1, Where::Single),
    (Fault::Demoted, 1, Where::Single),
    (Fault::MemoryFull, 3, Where::Single),
    (Fault::ClockForward, 2, Where::Single),
    (Fault::ClockBack, 1, Where::Single),
    (Fault::MasterKilled, 6, Where::Cluster),
    (Fault::MasterHung, 4, Where::Cluster),
    (Fault::MasterIsolated, 4, Where::Cluster),
    (Fault::ReplicaKilled, 2, Where::Cluster),
    (Fault::SlotMoved, 8, Where::Cluster),
    (Fault::DelivererKilled, 8, Where::Cluster),
    (Fault::Suspended, 6, Where::Anywhere),
    (Fault::Requeued, 3, Where::Anywhere),
    (Fault::Signalled, 4, Where::Anywhere),
    (Fault::Held, 4, Where::Anywhere),
];

impl fmt::Display for Fault {
    /// Writes the name of the fault, such as `server-set-back`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        f.pad(&name)
    }
}

/// Returns the fault with this name.
pub fn named(name: &str) -> Result<Fault, String> {
    let known = FAULTS.map(|(fault, ..)| fault);
    let names = || known.map(|fault| fault.to_string()).join(" ");
    known.into_iter().find(|fault| fault.to_string() == name).ok_or_else(|| format!("there are {}", names()))
}

/// A period in which two process trees may run for a task, as docs/use/programs.md describes, in seconds since boot.
#[derive(Clone, Debug)]
struct Excuse {
    from: f64,
    to: f64,
    /// The task, or none for all tasks.
    task: Option<String>,
}

/// A loss of the server's newest data.
#[derive(Clone, Copy, Debug)]
pub struct Forget {
    pub at: Instant,
    /// Time of the loss in seconds since boot.
    pub time: f64,
    /// Time from which attempts may have begun on the older data.
    pub from: f64,
    /// A token above the tokens of all earlier attempts.
    pub token: u64,
}

pub struct Campaign {
    pub random: Rng,
    only: Vec<Fault>,
    pub ground: Ground,
    pub hosts: Vec<Host>,
    /// Each host's route to a single server, followed by the submitters' route.
    routes: Vec<Proxy>,
    pub jobs: Arc<Jobs>,
    pub saved: Saved,
    pub neighbour: Neighbour,
    /// End of the weather on each route, by the number of the route.
    weather: BTreeMap<usize, Instant>,
    /// Time of the last step forward of the clock.
    stepped: Option<Instant>,
    excuses: Vec<Excuse>,
    pub counts: BTreeMap<Fault, u32>,
    pub violations: Vec<String>,
    pub forgets: Vec<Forget>,
    /// Number of signals that users sent to each task.
    pub signals: BTreeMap<String, usize>,
}

impl Campaign {
    pub fn new(
        random: Rng,
        only: Vec<Fault>,
        (ground, neighbour): (Ground, Neighbour),
        hosts: Vec<Host>,
        routes: Vec<Proxy>,
        jobs: Arc<Jobs>,
        saved: Saved,
    ) -> Self {
        Self {
            random,
            only,
            ground,
            hosts,
            routes,
            jobs,
            saved,
            neighbour,
            weather: BTreeMap::new(),
            stepped: None,
            excuses: Vec::new(),
            counts: BTreeMap::new(),
            violations: Vec::new(),
            forgets: Vec::new(),
            signals: BTreeMap::new(),
        }
    }

    /// Causes faults until the end, one after another and some at the same time. At the end no fault is left.
    pub fn run(&mut self, end: Instant) -> Result<()> {
        while Instant::now() < end {
            let fault = self.choose();
            *self.counts.entry(fault).or_default() += 1;
            self.strike(fault).with_context(|| format!("in the fault {fault}"))?;
            self.pause(20..700);
            self.clear(false);
            self.watch()?;
        }
        self.clear(true);
        Ok(())
    }

    /// Returns true if a server forgot data shortly before this time.
    pub fn forgot(&self, time: f64) -> bool {
        self.excuses.iter().any(|excuse| excuse.task.is_none() && (excuse.from..=excuse.to).contains(&time))
    }

    /// Returns true if a whole run of this task was frozen shortly before this time.
    pub fn froze(&self, task: &str, time: f64) -> bool {
        let mut of_task = self.excuses.iter().filter(|excuse| excuse.task.as_deref() == Some(task));
        of_task.any(|excuse| (excuse.from..=excuse.to).contains(&time))
    }

    fn choose(&mut self) -> Fault {
        let allowed = |fault: &Fault| self.only.is_empty() || self.only.contains(fault);
        let place = if matches!(self.ground, Ground::Cluster(..)) { Where::Cluster } else { Where::Single };
        let possible = |known: Where| known == Where::Anywhere || known == place;
        let bag = FAULTS.iter().filter(|(fault, _, known)| possible(*known) && allowed(fault));
        let bag: Vec<Fault> = bag.flat_map(|&(fault, often, _)| (0..often).map(move |_| fault)).collect();
        self.random.choice(bag).unwrap_or(Fault::Cut)
    }

    pub fn pause(&mut self, millis: std::ops::Range<u64>) {
        thread::sleep(Duration::from_millis(self.random.u64(millis)));
    }

    pub fn strike(&mut self, fault: Fault) -> Result<()> {
        match fault {
            Fault::Cut => {
                let number = self.random.usize(..self.routes().len());
                self.cut(number);
            }
            Fault::CutBefore => {
                self.turn(Weather::CutBefore, 2..3);
            }
            Fault::CutAfter => {
                self.turn(Weather::CutAfter, 2..3);
            }
            Fault::Delay => {
                let time = Duration::from_millis(self.random.u64(10..800));
                self.turn(Weather::Delay(time), 1..10);
            }
            Fault::Hole => {
                self.turn(Weather::Hole, 1..12);
            }
            Fault::OneWay => {
                self.turn(Weather::OneWay, 1..12);
            }
            Fault::Drip => {
                self.turn(Weather::Drip, 1..6);
            }
            Fault::Refuse => {
                let number = self.turn(Weather::Refuse, 1..10);
                self.cut(number);
            }
            Fault::ReserveLost => self.lose_reserve(),
            Fault::WorkerKilled | Fault::WorkerEnded | Fault::WorkerStopped => self.worker(fault)?,
            Fault::SupervisorKilled => self.process(Who::Supervisor, Signal::SIGKILL),
            Fault::ProgramKilled => self.process(Who::Program, Signal::SIGKILL),
            Fault::SupervisorStopped => {
                if let Some(victim) = self.victim() {
                    send(victim.supervisor, Signal::SIGSTOP);
                    self.pause(50..MOST_STOPPED_MS);
                    send(victim.supervisor, Signal::SIGCONT);
                }
            }
            Fault::TreeStopped => self.stop_tree(),
            Fault::HostKilled => self.kill_host()?,
            Fault::DiskFull => {
                let host = self.random.usize(..self.hosts.len());
                self.at(host).fill()?;
                self.pause(200..6_000);
                self.at(host).empty();
            }
            Fault::Neighbour => self.neighbour()?,
            Fault::Held => self.hold()?,
            Fault::Suspended | Fault::Requeued | Fault::Signalled => self.user(fault)?,
            Fault::MasterKilled
            | Fault::MasterHung
            | Fault::MasterIsolated
            | Fault::ReplicaKilled
            | Fault::SlotMoved
            | Fault::DelivererKilled => self.cluster(fault)?,
            _ => self.server(fault)?,
        }
        Ok(())
    }

    /// Causes a fault of the single server.
    fn server(&mut self, fault: Fault) -> Result<()> {
        match fault {
            Fault::ServerKilled => {
                self.ground.single()?.kill();
                self.pause(10..8_000);
                self.ground.single()?.restart()?;
            }
            Fault::ServerTorn => {
                let servers = self.ground.single()?;
                servers.kill();
                servers.tear()?;
                servers.restart()?;
                servers.rewrite()?;
            }
            Fault::ServerSetBack => {
                let servers = self.ground.single()?;
                servers.kill();
                servers.copy()?;
                let since = Instant::now();
                servers.restart()?;
                self.pause(200..1_000);
                // Attempts that continued other attempts may be among the forgotten attempts.
                for _ in 0..self.random.u32(..5) {
                    self.process(Who::Supervisor, Signal::SIGKILL);
                    self.pause(50..700);
                }
                let from = uptime();
                let servers = self.ground.single()?;
                servers.kill();
                servers.set_back()?;
                servers.restart()?;
                self.forget(since, from)?;
            }
            Fault::Promoted | Fault::Demoted => {
                let since = Instant::now();
                self.ground.single()?.synchronise()?;
                self.pause(1..200);
                let from = uptime();
                let servers = self.ground.single()?;
                servers.promote(fault == Fault::Demoted)?;
                let port = servers.port();
                self.forget(since, from)?;
                for proxy in &self.routes {
                    proxy.lead_to(port);
                    if fault == Fault::Promoted {
                        proxy.cut();
                    }
                }
            }
            Fault::MemoryFull => {
                let more = self.random.u64(0..200_000);
                self.ground.single()?.memory(Some(more))?;
                self.pause(200..6_000);
                self.ground.single()?.memory(None)?;
            }
            Fault::ClockForward => {
                let step = self.random.choice([SMALL_STEP, 20.0, 60.0, 3_600.0, 86_400.0]).unwrap_or_default();
                // Finished tasks are kept only for some days.
                let far = self.ground.single()?.clock.ahead() + step > MOST_AHEAD;
                self.step_forward(if far { SMALL_STEP } else { step })?;
            }
            Fault::ClockBack => self.ground.single()?.clock.step(-2.0)?,
            _ => bail!("{fault} is no fault of a server"),
        }
        Ok(())
    }

    /// Steps the clock forward, unless the last step was less than two leases ago. Within a lease, several small steps
    /// exceed the margin of the lease. A large step ends the owners' leases if they have not reported since the last
    /// step, as the docs describe.
    fn step_forward(&mut self, seconds: f64) -> Result<()> {
        if self.stepped.is_some_and(|at| at.elapsed() < 2 * LEASE) {
            return Ok(());
        }
        self.stepped = Some(Instant::now());
        self.ground.single()?.clock.step(seconds)
    }

    /// Records that the server has lost its data since this time, so it does not know the workers on the newer tasks.
    /// Tasks and attempts are compared with the older data from the time `from` on. `from` is before the older data was
    /// put in place, because an attempt may begin on this data before the loss is recorded.
    fn forget(&mut self, since: Instant, from: f64) -> Result<()> {
        self.jobs.doubt(since);
        let now = uptime();
        // The server's clock is set back by 2 s at a time.
        let token = self.ground.now_us()? + 3_000_000;
        self.forgets.push(Forget { at: Instant::now(), time: now, from, token });
        self.excuses.push(Excuse {
            from: now - since.elapsed().as_secs_f64(),
            to: now + 2.0 * LEASE.as_secs_f64(),
            task: None,
        });
        Ok(())
    }

    /// Sets this weather on one route for a number of seconds. Returns the number of the route.
    fn turn(&mut self, weather: Weather, seconds: std::ops::Range<u64>) -> usize {
        let number = self.random.usize(..self.routes().len());
        let time = Duration::from_secs(self.random.u64(seconds));
        self.set(number, weather);
        self.weather.insert(number, Instant::now() + time);
        number
    }

    /// Returns the routes of the hosts and the submitters, or the routes to the nodes of a cluster.
    fn routes(&self) -> Vec<&Proxy> {
        self.routes.iter().chain(self.ground.routes()).collect()
    }

    fn set(&self, route: usize, weather: Weather) {
        self.routes().get(route).into_iter().for_each(|route| route.set(weather));
    }

    fn cut(&self, route: usize) {
        self.routes().get(route).into_iter().for_each(|route| route.cut());
    }

    /// Causes a fault of a cluster that is whole and has following replicas. In this state a failover loses only writes
    /// that the master acknowledged just before.
    fn cluster(&mut self, fault: Fault) -> Result<()> {
        if fault == Fault::DelivererKilled {
            let Self { ground, random, .. } = self;
            return ground.cluster()?.1.kill(random);
        }
        self.clear(true);
        self.ground.cluster()?.0.settle()?;
        let since = Instant::now();
        self.pause(100..500);
        let from = uptime();
        let time = Duration::from_millis(self.random.u64(10..9_000));
        let Self { ground, random, .. } = self;
        let (cluster, _) = ground.cluster()?;
        match fault {
            Fault::SlotMoved => cluster.move_slot(random)?,
            Fault::MasterHung => cluster.hang(random, time)?,
            Fault::MasterIsolated => cluster.isolate(random, time)?,
            _ => cluster.kill(random, fault == Fault::MasterKilled, time)?,
        }
        cluster.settle()?;
        let loses = matches!(fault, Fault::MasterKilled | Fault::MasterHung | Fault::MasterIsolated);
        if loses { self.forget(since, from) } else { Ok(()) }
    }

    /// Ends the weather whose time is over, or all weather.
    pub fn clear(&mut self, all: bool) {
        let now = Instant::now();
        let over: Vec<usize> =
            self.weather.iter().filter(|(_, until)| all || **until <= now).map(|(n, _)| *n).collect();
        for number in over {
            self.weather.remove(&number);
            self.set(number, Weather::Fair);
        }
    }

    #[allow(clippy::indexing_slicing, reason = "numbers below the number of hosts are drawn")]
    fn at(&mut self, host: usize) -> &mut Host {
        &mut self.hosts[host]
    }

    pub fn victim(&mut self) -> Option<Victim> {
        let all: Vec<Victim> = self.hosts.iter().flat_map(Host::victims).collect();
        self.random.choice(all)
    }

    fn process(&mut self, who: Who, signal: Signal) {
        if let Some(pid) = self.victim().and_then(|victim| victim.pid(who)) {
            send(pid, signal);
        }
    }

    /// Runs an attack of the neighbour: the neighbour starts a process that looks like a supervisor before the real
    /// supervisor is killed, replaces a file that a worker copies, or offers a folder to publish to.
    fn neighbour(&mut self) -> Result<()> {
        match self.random.u32(..4) {
            0 => self.violations.extend(self.neighbour.offers()?),
            1 => self.neighbour.swaps()?,
            _ => {
                if let Some(victim) = self.victim() {
                    self.neighbour.supervises(&victim.run)?;
                    send(victim.supervisor, Signal::SIGKILL);
                }
            }
        }
        Ok(())
    }

    /// Loses the reply of a reservation until the worker gives up the call after 10 s. The repeated call gets its reply
    /// with most of the lease gone. The connection is lost again, for longer than the rest of the lease, before the
    /// task starts.
    fn lose_reserve(&mut self) {
        let number = self.random.usize(..self.hosts.len());
        // A worker without a free slot does not call `reserve`.
        for _ in 0..100 {
            if self.at(number).victims().len() < 4 {
                break;
            }
            self.pause(100..101);
        }
        let since = Instant::now();
        let wait = |millis| thread::sleep((since + Duration::from_millis(millis)).duration_since(Instant::now()));
        let others = |weather| {
            for other in (0..self.hosts.len()).filter(|other| *other != number) {
                self.set(other, weather);
            }
        };
        self.set(number, Weather::Refuse);
        self.cut(number);
        // No other worker takes the tasks that arrive now.
        wait(4_300);
        others(Weather::Hole);
        wait(5_000);
        self.set(number, Weather::CutAfterReserve);
        wait(5_700);
        others(Weather::Fair);
        wait(10_300);
        self.set(number, Weather::HoleAtStart);
        wait(18_000);
        self.set(number, Weather::Fair);
    }

    /// Freezes a whole run, as on a machine that sleeps. The program of the run may run at the same time as the program
    /// of the next attempt until the supervisor runs again.
    fn stop_tree(&mut self) {
        let Some(victim) = self.victim() else { return };
        let pids = [Some(victim.supervisor), victim.program];
        let from = uptime();
        for pid in pids.into_iter().flatten() {
            send(pid, Signal::SIGSTOP);
        }
        self.pause(200..10_000);
        for pid in pids.into_iter().flatten() {
            send(pid, Signal::SIGCONT);
        }
        self.excuses.push(Excuse { from, to: uptime() + 2.0, task: Some(victim.task) });
    }

    fn worker(&mut self, fault: Fault) -> Result<()> {
        let (number, choice) = (self.random.usize(..self.hosts.len()), self.random.usize(..1_000));
        let pause = Duration::from_millis(self.random.u64(200..9_000));
        let host = self.at(number);
        if host.workers.is_empty() {
            return host.start_worker();
        }
        let choice = choice % host.workers.len();
        match fault {
            Fault::WorkerStopped => {
                if let Some(pid) = host.workers.get(choice).and_then(|worker| host.pid(worker)) {
                    send(pid, Signal::SIGSTOP);
                    thread::sleep(pause);
                    send(pid, Signal::SIGCONT);
                }
                Ok(())
            }
            Fault::WorkerEnded => {
                let mut worker = host.workers.remove(choice);
                if let Some(pid) = host.pid(&worker) {
                    send(pid, Signal::SIGTERM);
                }
                // The worker may need some time to return the tasks that it holds.
                thread::spawn(move || worker.wait());
                host.start_worker()
            }
            _ => {
                killed(host.workers.remove(choice));
                host.start_worker()
            }
        }
    }

    fn kill_host(&mut self) -> Result<()> {
        let number = self.random.usize(..self.hosts.len());
        let host = self.at(number);
        let workers = host.workers.len();
        for victim in host.victims() {
            for pid in [Some(victim.supervisor), victim.program].into_iter().flatten() {
                send(pid, Signal::SIGKILL);
            }
        }
        host.workers.drain(..).for_each(killed);
        (0..workers).try_for_each(|_| host.start_worker())
    }

    /// Records a violation for a worker that exits on its own.
    fn watch(&mut self) -> Result<()> {
        for host in &mut self.hosts {
            let before = host.workers.len();
            let mut ended = Vec::new();
            host.workers.retain_mut(|worker| match worker.try_wait() {
                Ok(Some(status)) => {
                    ended.push(format!("a worker ended by itself: {status}"));
                    false
                }
                _ => true,
            });
            self.violations.append(&mut ended);
            for _ in host.workers.len()..before {
                host.start_worker()?;
            }
        }
        Ok(())
    }
}

/// Returns seconds since boot, as programs record them.
pub fn uptime() -> f64 {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    text.split(' ').next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0.0)
}
