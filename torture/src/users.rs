//! Users who suspend, continue, signal and requeue running tasks while other faults happen.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use blueque::{Client, Error, Task};

use crate::faults::{Campaign, Fault};
use crate::host::Victim;

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
        match fault {
            Fault::Signalled => {
                // Counted first: a request may be made although its reply is lost.
                *self.signals.entry(victim.task).or_default() += 1;
                let _ = task.signal("USR1");
            }
            Fault::Requeued => _ = task.requeue(),
            _ => return self.suspend(&victim, &task),
        }
        Ok(())
    }

    fn suspend(&mut self, victim: &Victim, task: &Task) -> Result<()> {
        if task.suspend().is_err() {
            return Ok(());
        }
        let single = self.ground.single().is_ok();
        match self.random.u32(..6) {
            0 => self.strike(Fault::WorkerKilled)?,
            1 => self.strike(Fault::SupervisorKilled)?,
            2 if single => self.strike(Fault::ServerKilled)?,
            3 => self.strike(Fault::CutAfter)?,
            4 => self.strike(Fault::Signalled)?,
            _ => {}
        }
        self.pause(100..5_000);
        self.violations.extend(runs_on(victim, task));
        let end = Instant::now() + PATIENCE;
        while let Err(error) = task.unsuspend() {
            if matches!(error, Error::NotFound | Error::State { .. }) || Instant::now() > end {
                break; // it has ended
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
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
