//! The faults, and what each does.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fastrand::Rng;
use nix::sys::signal::Signal;

use crate::host::{Host, LEASE, Victim, Who, killed, send};
use crate::jobs::Jobs;
use crate::proxy::{Proxy, Weather};
use crate::saved::Saved;
use crate::server::Servers;

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
    ServerKilled,
    ServerTorn,
    ServerSetBack,
    Promoted,
    Demoted,
    MemoryFull,
    ClockForward,
    ClockBack,
}

/// How far the server's clock may be set ahead in total: seconds.
const MOST_AHEAD: f64 = 2.0 * 86_400.0;

/// A step of up to 15 s looks like time to the server: it ends a lease with less than that left, as the docs say. So a
/// small one and a stopped supervisor are together shorter than the margin of the lease, a fifth of it: seconds.
const SMALL_STEP: f64 = 0.4;

/// How long a supervisor may be stopped: milliseconds.
const MOST_STOPPED_MS: u64 = 500;

/// Each with its frequency.
const FAULTS: [(Fault, u32); 26] = [
    (Fault::Cut, 4),
    (Fault::CutBefore, 6),
    (Fault::CutAfter, 8),
    (Fault::Delay, 3),
    (Fault::Hole, 4),
    (Fault::OneWay, 4),
    (Fault::Drip, 2),
    (Fault::Refuse, 3),
    (Fault::ReserveLost, 1),
    (Fault::WorkerKilled, 6),
    (Fault::WorkerEnded, 3),
    (Fault::WorkerStopped, 3),
    (Fault::SupervisorKilled, 6),
    (Fault::SupervisorStopped, 3),
    (Fault::ProgramKilled, 4),
    (Fault::TreeStopped, 2),
    (Fault::HostKilled, 2),
    (Fault::DiskFull, 4),
    (Fault::ServerKilled, 3),
    (Fault::ServerTorn, 1),
    (Fault::ServerSetBack, 1),
    (Fault::Promoted, 1),
    (Fault::Demoted, 1),
    (Fault::MemoryFull, 3),
    (Fault::ClockForward, 2),
    (Fault::ClockBack, 1),
];

impl fmt::Display for Fault {
    /// `server-set-back`
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

/// The fault of this name.
pub fn named(name: &str) -> Result<Fault, String> {
    let known = FAULTS.map(|(fault, _)| fault);
    let names = || known.map(|fault| fault.to_string()).join(" ");
    known.into_iter().find(|fault| fault.to_string() == name).ok_or_else(|| format!("there are {}", names()))
}

/// When two trees may run for a task, as docs/programs.md says: seconds since boot.
#[derive(Clone, Debug)]
struct Excuse {
    from: f64,
    to: f64,
    /// None for all.
    task: Option<String>,
}

/// That the server lost its newest data.
#[derive(Clone, Copy, Debug)]
pub struct Forget {
    pub at: Instant,
    /// The same as seconds since boot.
    pub time: f64,
    /// Above the tokens of all earlier attempts.
    pub token: u64,
}

pub struct Campaign {
    random: Rng,
    only: Vec<Fault>,
    pub servers: Servers,
    pub hosts: Vec<Host>,
    /// The connection of those who submit.
    pub door: Proxy,
    jobs: Arc<Jobs>,
    pub saved: Saved,
    /// By the route's number, until when its weather lasts.
    weather: BTreeMap<usize, Instant>,
    /// When the clock last made a step forward.
    stepped: Option<Instant>,
    excuses: Vec<Excuse>,
    pub counts: BTreeMap<Fault, u32>,
    pub violations: Vec<String>,
    pub forgets: Vec<Forget>,
}

impl Campaign {
    pub fn new(
        random: Rng,
        only: Vec<Fault>,
        servers: Servers,
        hosts: Vec<Host>,
        jobs: Arc<Jobs>,
        saved: Saved,
    ) -> Result<Self> {
        let door = Proxy::start(servers.port())?;
        Ok(Self {
            random,
            only,
            servers,
            hosts,
            door,
            jobs,
            saved,
            weather: BTreeMap::new(),
            stepped: None,
            excuses: Vec::new(),
            counts: BTreeMap::new(),
            violations: Vec::new(),
            forgets: Vec::new(),
        })
    }

    /// One fault after another, some at the same time, until the end; then none is left.
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

    /// Whether a server has forgotten what it did shortly before.
    pub fn forgot(&self, time: f64) -> bool {
        self.excuses.iter().any(|excuse| excuse.task.is_none() && (excuse.from..=excuse.to).contains(&time))
    }

    /// Whether a whole run of this task has been frozen shortly before.
    pub fn froze(&self, task: &str, time: f64) -> bool {
        let mut of_task = self.excuses.iter().filter(|excuse| excuse.task.as_deref() == Some(task));
        of_task.any(|excuse| (excuse.from..=excuse.to).contains(&time))
    }

    fn choose(&mut self) -> Fault {
        let allowed = |fault: &Fault| self.only.is_empty() || self.only.contains(fault);
        let bag = FAULTS.iter().filter(|(fault, _)| allowed(fault));
        let bag: Vec<Fault> = bag.flat_map(|&(fault, often)| (0..often).map(move |_| fault)).collect();
        self.random.choice(bag).unwrap_or(Fault::Cut)
    }

    fn pause(&mut self, millis: std::ops::Range<u64>) {
        thread::sleep(Duration::from_millis(self.random.u64(millis)));
    }

    fn strike(&mut self, fault: Fault) -> Result<()> {
        match fault {
            Fault::Cut => self.route().cut(),
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
                self.route_of(number).cut();
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
            Fault::ServerKilled => {
                self.servers.kill();
                self.pause(10..8_000);
                self.servers.restart()?;
            }
            Fault::ServerTorn => {
                self.servers.kill();
                self.servers.tear()?;
                self.servers.restart()?;
                self.servers.rewrite()?;
            }
            Fault::ServerSetBack => {
                self.servers.kill();
                self.servers.copy()?;
                let since = Instant::now();
                self.servers.restart()?;
                self.pause(200..1_000);
                // Attempts that continued others may be among the forgotten ones.
                for _ in 0..self.random.u32(..5) {
                    self.process(Who::Supervisor, Signal::SIGKILL);
                    self.pause(50..700);
                }
                self.servers.kill();
                self.servers.set_back()?;
                self.servers.restart()?;
                self.forget(since)?;
            }
            Fault::Promoted | Fault::Demoted => {
                let since = Instant::now();
                self.servers.synchronise()?;
                self.pause(1..200);
                self.servers.promote(fault == Fault::Demoted)?;
                self.forget(since)?;
                self.saved.way.lead_to(self.servers.port());
                self.saved.way.cut();
                for proxy in self.routes() {
                    proxy.lead_to(self.servers.port());
                    if fault == Fault::Promoted {
                        proxy.cut();
                    }
                }
            }
            Fault::MemoryFull => {
                let more = self.random.u64(0..200_000);
                self.servers.memory(Some(more))?;
                self.pause(200..6_000);
                self.servers.memory(None)?;
            }
            Fault::ClockForward => {
                let step = self.random.choice([SMALL_STEP, 20.0, 60.0, 3_600.0, 86_400.0]).unwrap_or_default();
                // Finished tasks are kept for some days only.
                let far = self.servers.clock.ahead() + step > MOST_AHEAD;
                self.step_forward(if far { SMALL_STEP } else { step })?;
            }
            Fault::ClockBack => self.servers.clock.step(-2.0)?,
        }
        Ok(())
    }

    /// No step follows another within a lease: several small ones exceed its margin, and a large one before the owners
    /// have reported after the last ends their leases, as the docs say.
    fn step_forward(&mut self, seconds: f64) -> Result<()> {
        if self.stepped.is_some_and(|at| at.elapsed() < 2 * LEASE) {
            return Ok(());
        }
        self.stepped = Some(Instant::now());
        self.servers.clock.step(seconds)
    }

    /// The server has lost what it did since then: the workers on these tasks are unknown to it.
    fn forget(&mut self, since: Instant) -> Result<()> {
        self.jobs.doubt(since);
        let now = uptime();
        // Its clock is set back by 2 s at a time.
        let token = self.servers.now_us()? + 3_000_000;
        self.forgets.push(Forget { at: Instant::now(), time: now, token });
        self.excuses.push(Excuse {
            from: now - since.elapsed().as_secs_f64(),
            to: now + 2.0 * LEASE.as_secs_f64(),
            task: None,
        });
        Ok(())
    }

    /// Gives one route this weather for a number of seconds. Returns the route's number.
    fn turn(&mut self, weather: Weather, seconds: std::ops::Range<u64>) -> usize {
        let number = self.random.usize(..=self.hosts.len());
        let time = Duration::from_secs(self.random.u64(seconds));
        self.route_of(number).set(weather);
        self.weather.insert(number, Instant::now() + time);
        number
    }

    fn routes(&self) -> impl Iterator<Item = &Proxy> {
        self.hosts.iter().map(|host| &host.proxy).chain([&self.door])
    }

    fn route_of(&self, number: usize) -> &Proxy {
        self.hosts.get(number).map_or(&self.door, |host| &host.proxy)
    }

    fn route(&mut self) -> &Proxy {
        let number = self.random.usize(..=self.hosts.len());
        self.route_of(number)
    }

    /// Ends the weather that is over, or all.
    fn clear(&mut self, all: bool) {
        let now = Instant::now();
        let over: Vec<usize> =
            self.weather.iter().filter(|(_, until)| all || **until <= now).map(|(n, _)| *n).collect();
        for number in over {
            self.weather.remove(&number);
            self.route_of(number).set(Weather::Fair);
        }
    }

    #[allow(clippy::indexing_slicing, reason = "numbers below the number of hosts are drawn")]
    fn at(&mut self, host: usize) -> &mut Host {
        &mut self.hosts[host]
    }

    fn victim(&mut self) -> Option<Victim> {
        let all: Vec<Victim> = self.hosts.iter().flat_map(Host::victims).collect();
        self.random.choice(all)
    }

    fn process(&mut self, who: Who, signal: Signal) {
        if let Some(pid) = self.victim().and_then(|victim| victim.pid(who)) {
            send(pid, signal);
        }
    }

    /// The reply of a reservation is lost until its call is given up, which is after 10 s; the repeated call gets
    /// its reply, with most of the lease gone; and the connection is lost again before the task is started, for
    /// longer than that.
    fn lose_reserve(&mut self) {
        let number = self.random.usize(..self.hosts.len());
        // A worker without a free slot does not ask.
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
                self.route_of(other).set(weather);
            }
        };
        let route = self.route_of(number);
        route.set(Weather::Refuse);
        route.cut();
        // Nobody else takes the tasks that arrive now.
        wait(4_300);
        others(Weather::Hole);
        wait(5_000);
        route.set(Weather::CutAfterReserve);
        wait(5_700);
        others(Weather::Fair);
        wait(10_300);
        route.set(Weather::HoleAtStart);
        wait(18_000);
        route.set(Weather::Fair);
    }

    /// A whole run is frozen, as on a machine that sleeps. Its program may run at the same time as the next one's
    /// until its supervisor runs again.
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
                let pid = host.workers.get(choice).map_or(0, std::process::Child::id).cast_signed();
                send(pid, Signal::SIGSTOP);
                thread::sleep(pause);
                send(pid, Signal::SIGCONT);
                Ok(())
            }
            Fault::WorkerEnded => {
                let mut worker = host.workers.remove(choice);
                send(worker.id().cast_signed(), Signal::SIGTERM);
                // It may take a while to hand back what it holds.
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

    /// A worker that exits on its own is a violation.
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

/// Seconds since boot, as programs record them.
pub fn uptime() -> f64 {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    text.split(' ').next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0.0)
}
