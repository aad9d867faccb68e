//! Requests of users to the running program: suspend, continue, signals, descriptions.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use blueque::Control;
use nix::sys::signal::Signal;

use super::describe::describe;
use super::shared::{Answer, Shared};
use super::threads::spawn;
use crate::processes::tree;
use crate::run_folder::{Run, RunFolder, boot_clock_us};
use crate::times::span;

/// The requests that were carried out, and the time that the program was suspended.
#[derive(Debug, Default)]
pub struct Controls {
    since: Option<u64>,
    paused: u64,
    /// The last answer, which is sent again if the server repeats the request.
    last: Option<Answer>,
    /// The request that a thread of its own answers.
    describing: Option<(u64, JoinHandle<()>)>,
}

impl Controls {
    /// Carries out the request that waits, and answers it. A request that was carried out is only answered again, so
    /// the program gets each signal once.
    pub fn attend(&mut self, shared: &Arc<Shared>, run: &Run, folder: &RunFolder) {
        let Some(control) = shared.asked() else { return };
        let number = control.number;
        if control.what.as_deref() == Some("describe") {
            return self.describe(&control, shared, run, folder);
        }
        if self.last.as_ref().is_none_or(|last| last.number < number) {
            let refused = self.carry_out(&control, shared).err();
            self.last = Some(Answer { number, refused, described: None });
        }
        let answer = self.last.clone();
        shared.post(|outbox| outbox.answer = answer);
    }

    /// Returns the time in microseconds that the program was suspended, or `None` while it is suspended: limits of time
    /// do not run then.
    pub fn paused(&self) -> Option<u64> {
        self.since.is_none().then_some(self.paused)
    }

    /// Describes the program, in a thread that answers. An answer that did not arrive is made again.
    fn describe(&mut self, control: &Control, shared: &Arc<Shared>, run: &Run, folder: &RunFolder) {
        let number = control.number;
        if self.describing.as_ref().is_some_and(|(known, thread)| *known == number && !thread.is_finished()) {
            return;
        }
        let values = control.detail.as_deref() == Some("values");
        let pid = shared.pid.load(Ordering::Acquire);
        let (answers, run, folder) = (Arc::clone(shared), run.clone(), folder.clone());
        let thread = spawn("describe", move || {
            let (described, refused) = match describe(pid, run, folder, values) {
                Ok(text) => (Some(text), None),
                Err(why) => (None, Some(why)),
            };
            answers.post(|outbox| outbox.answer = Some(Answer { number, refused, described }));
        });
        match thread {
            Ok(thread) => self.describing = Some((number, thread)),
            Err(error) => {
                let refused = Some(format!("its supervisor cannot describe it: {error}"));
                shared.post(|outbox| outbox.answer = Some(Answer { number, refused, described: None }));
            }
        }
    }

    fn carry_out(&mut self, control: &Control, shared: &Shared) -> Result<(), String> {
        match control.what.as_deref().unwrap_or_default() {
            "suspend" => {
                tree::suspend()?;
                self.since.get_or_insert_with(boot_clock_us);
                shared.say("suspended by request: its limits of time do not run");
                Ok(())
            }
            "unsuspend" => {
                // Added first, because the limits begin to run when the program does.
                let pause = self.since.take().map_or(0, |since| boot_clock_us().saturating_sub(since));
                self.paused = self.paused.saturating_add(pause);
                let later = |time: u64| (time > 0).then(|| time.saturating_add(pause));
                let _ = shared.extended.fetch_update(Ordering::AcqRel, Ordering::Acquire, later);
                let _ = shared.alive.fetch_update(Ordering::AcqRel, Ordering::Acquire, |time| {
                    Some(time.saturating_add(pause).min(boot_clock_us()))
                });
                tree::resume();
                shared.say(&format!("continued after {}", span(Duration::from_micros(pause))));
                Ok(())
            }
            "signal" => {
                let signal = control.detail.as_deref().unwrap_or_default();
                let known = Signal::from_str(&format!("SIG{signal}"));
                match known.map(tree::deliver) {
                    Ok(0) => Err(format!("no process of the program handles {signal}, so it was not sent")),
                    Ok(_) => Ok(()),
                    Err(_) => Err(format!("{signal} is no signal on this host")),
                }
            }
            other => Err(format!("this version of the supervisor does not know {other}")),
        }
    }
}
