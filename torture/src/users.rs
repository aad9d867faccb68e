//! Users who suspend, continue, signal, requeue, hold and release tasks while other faults happen.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use blueque::{Client, Error, Task, TaskInfo};

use crate::faults::{Campaign, Fault};
use crate::host::Victim;
use crate::jobs::QUEUE;

/// Maximum time until a server takes a request again.
const PATIENCE: Duration = Duration::from_secs(60);

impl Campaign {
    /// Does what a user does with a running task.
    pub fn user(&mut self, fault: Fault) -> Result<()> {
        let Some(victim) = self.victim() else { return Ok(()) };
        let Some(job) = self.jobs.all().remove(&victim.task) else { return Ok(()) };
        let ways = self.ground.ways();
        let Some(way) = ways.get(job.way) else { return Ok(()) };
        let Ok(client) = way.open(Client::builder()) else { return Ok(()) };
        let task = client.task(&victim.task)?;
        let Ok(info) = task.info() else { return Ok(()) };
        match fault {
            Fault::Signalled => {
                // Counted first: a request may be made although its reply is lost.
                *self.signals.entry(victim.task).or_default() += 1;
                if task.signal("USR1").is_ok() {
                    self.answered(&task, &info, "signal");
                }
            }
            Fault::Requeued => _ = task.requeue(),
            _ => return self.suspend(&victim, &task, &info),
        }
        Ok(())
    }

    fn suspend(&mut self, victim: &Victim, task: &Task, info: &TaskInfo) -> Result<()> {
        if task.suspend().is_err() {
            return Ok(());
        }
        let known = self.answered(task, info, "suspend").filter(|info| info.suspended().is_some());
        self.meanwhile()?;
        self.pause(100..5_000);
        self.violations.extend(runs_on(victim, task));
        if let (Some(known), Ok(now)) = (known, task.info())
            && now.token() == known.token()
            && now.suspended() != known.suspended()
        {
            self.violations.push(format!("{} was suspended, and is {}", victim.task, now.condition()));
        }
        accepted(|| task.unsuspend());
        Ok(())
    }

    /// Holds a task that waits, or takes a held one, and releases it.
    pub fn hold(&mut self) -> Result<()> {
        let ways = self.ground.ways();
        let Some(Ok(client)) = self.random.choice(ways).map(|way| way.open(Client::builder())) else { return Ok(()) };
        let queue = client.queue(QUEUE)?;
        let states = ["pending", "scheduled", "held"];
        let waiting: Vec<_> = states.iter().flat_map(|state| queue.list(state, 50).unwrap_or_default()).collect();
        let Some(id) = self.random.choice(waiting) else { return Ok(()) };
        let (task, forgets) = (client.task(&id)?, self.forgets.len());
        let held = task.hold().is_ok();
        self.meanwhile()?;
        self.pause(100..3_000);
        if let Ok(now) = task.info()
            && (held && forgets == self.forgets.len())
            && now.condition() != "held"
        {
            self.violations.push(format!("{id} was held, and is {}", now.condition()));
        }
        accepted(|| task.unhold());
        Ok(())
    }

    /// Causes one fault, or none, while a user waits.
    fn meanwhile(&mut self) -> Result<()> {
        let single = self.ground.single().is_ok();
        match self.random.u32(..6) {
            0 => self.strike(Fault::WorkerKilled),
            1 => self.strike(Fault::SupervisorKilled),
            2 if single => self.strike(Fault::ServerKilled),
            3 => self.strike(Fault::CutAfter),
            4 => self.strike(Fault::Signalled),
            _ => Ok(()),
        }
    }

    /// Waits until the owner of a task has answered all requests, and returns the record. An order that the owner does
    /// not carry out is a violation, unless its attempt has ended.
    fn answered(&mut self, task: &Task, asked: &TaskInfo, what: &str) -> Option<TaskInfo> {
        let end = Instant::now() + PATIENCE;
        loop {
            self.clear(false);
            match task.info() {
                Ok(info) if info.token() != asked.token() => return None,
                Ok(info) if info.controls().is_none() => return Some(info),
                Err(Error::NotFound) => return None,
                _ => {}
            }
            if Instant::now() > end {
                self.violations.push(format!("{}: the order to {what} is not carried out", task.id()));
                return None;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Reports a program that runs although the server has that its supervisor suspended it.
fn runs_on(victim: &Victim, task: &Task) -> Option<String> {
    let known = || {
        let info = task.info().ok().filter(|info| info.condition() == "suspended")?;
        let token = info.token()?.to_string();
        victim.run.to_string_lossy().ends_with(&format!(".{token}")).then_some((token, info.suspended()))
    };
    let before = known()?;
    let stat = fs::read_to_string(format!("/proc/{}/stat", victim.program?)).ok()?;
    let state = stat.rsplit_once(") ")?.1.chars().next()?;
    (!"TtZX".contains(state) && known() == Some(before))
        .then(|| format!("{} is suspended, and its program is in the state {state}", victim.task))
}

/// Repeats a call until the server takes it, or refuses it because the task has ended or was released.
fn accepted<T>(call: impl Fn() -> blueque::Result<T>) {
    let end = Instant::now() + PATIENCE;
    while let Err(error) = call() {
        if matches!(error, Error::NotFound | Error::State { .. }) || Instant::now() > end {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
}
