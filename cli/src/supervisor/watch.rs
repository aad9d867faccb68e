//! The supervisor's main loop: waits for the program, for orders and for timeouts, and stops the program when
//! necessary.

use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::controls::Controls;
use super::program::seconds;
use super::shared::{CANCEL, DRAIN, KILL, STOP, Shared};
use crate::processes::memory::MemoryLimit;
use crate::processes::oom::Kills;
use crate::processes::tree::{self, Exit, Tree};
use crate::run_folder::{OnDrain, Run, RunFolder, boot_clock_us, open};

/// Maximum time in microseconds between the end of a program and the output of processes that it started, such as
/// filters.
const ON_ITS_WAY: u64 = 1_000_000;

/// Reason why a program was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Cancel,
    Drain,
    Deadline,
    NoProgress,
    /// All processes together had this number of bytes of memory.
    Memory(u64),
}

impl Reason {
    fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Drain => "drain",
            Self::Deadline => "deadline",
            Self::NoProgress => "no-progress",
            Self::Memory(_) => "memory",
        }
    }
}

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program ended on its own.
    Exit(Exit),
    Stopped(Reason),
    /// The program was killed by an order.
    Killed,
    /// The lease was lost, so the result is discarded.
    Lost,
}

/// Wakes the main thread after a signal, a request of another thread, or a timeout.
pub struct Bell {
    wake: UnixStream,
    timer: TimerFd,
    /// True once SIGTERM has arrived.
    pub term: Arc<AtomicBool>,
}

impl Bell {
    /// Returns the bell, and the socket with which other threads wake it.
    pub fn new() -> anyhow::Result<(Self, UnixStream)> {
        let (wake, ring) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        ring.set_nonblocking(true)?;
        let term = Arc::new(AtomicBool::new(false));
        // A handler that does nothing has the effect of an ignored signal, but the program does not inherit it.
        for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT] {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&term))?;
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGCHLD] {
            signal_hook::low_level::pipe::register(signal, ring.try_clone()?)?;
        }
        let timer = TimerFd::new(ClockId::CLOCK_BOOTTIME, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)
            .context("no timer")?;
        Ok((Self { wake, timer, term }, ring))
    }

    /// Waits until the main thread is woken, or until a time of `boot_clock_us`.
    fn wait(&mut self, until: u64) {
        // The time must not be zero, which switches the timer off.
        let until = TimeSpec::from_duration(Duration::from_micros(until.max(1)));
        let armed = self.timer.set(Expiration::OneShot(until), TimerSetTimeFlags::TFD_TIMER_ABSTIME);
        let mut fds =
            [PollFd::new(self.wake.as_fd(), PollFlags::POLLIN), PollFd::new(self.timer.as_fd(), PollFlags::POLLIN)];
        // Without a timer, the thread polls every second.
        let limit = if armed.is_ok() { PollTimeout::NONE } else { PollTimeout::from(1_000_u16) };
        let _ = poll(&mut fds, limit);
        let mut sink = [0; 64];
        while self.wake.read(&mut sink).is_ok_and(|read| read == sink.len()) {}
    }
}

pub struct Watch<'a> {
    pub folder: &'a RunFolder,
    pub run: &'a Run,
    pub shared: &'a Arc<Shared>,
    pub bell: &'a mut Bell,
    pub tree: Tree,
    pub begun: u64,
    pub kills: Kills,
    pub memory: Option<MemoryLimit>,
    pub controls: Controls,
    /// True if the kernel killed a process of the run because memory ran out, as far as that can be known.
    pub oom: bool,
}

impl Watch<'_> {
    /// Returns when the program and all processes that it started are gone.
    pub fn run(&mut self) -> Ended {
        let shared = self.shared;
        let mut stopping: Option<(Reason, u64)> = None;
        let mut warned = 0;
        let mut read_until = None;
        let ended = loop {
            // The lease is checked first, because the process may have been suspended for a long time.
            if self.shared.lease.is_lost() {
                break Ended::Lost;
            }
            if self.shared.order() == KILL {
                break Ended::Killed;
            }
            let any = self.tree.reap();
            let mut next = self.shared.lease.end().min(self.kills.look(boot_clock_us()));
            if let Some((reason, kill_at)) = stopping {
                if !any || boot_clock_us() >= kill_at {
                    break Ended::Stopped(reason);
                }
                next = next.min(kill_at);
            } else if let Some(exit) = self.tree.exit() {
                // A filter that the program started, as in `exec > >(tee work.log)`, may still write output.
                let until = *read_until.get_or_insert_with(|| boot_clock_us().saturating_add(ON_ITS_WAY));
                if !any || self.shared.drained.load(Ordering::Acquire) {
                    break Ended::Exit(exit);
                }
                if boot_clock_us() >= until {
                    self.shared.say(
                        "processes that the program left running keep its output open: they are killed one second \
                         after its end, and output that they have not passed on is lost",
                    );
                    break Ended::Exit(exit);
                }
                next = next.min(until);
            } else {
                self.controls.attend(shared, self.run, self.folder);
                if let Some(reason) = self.reason_to_stop() {
                    stopping = Some((reason, self.stop(reason)));
                    continue;
                }
                let memory = self.memory.as_mut().map_or(u64::MAX, |memory| memory.look(boot_clock_us()));
                next = next.min(self.timers(&mut warned)).min(memory);
            }
            self.bell.wait(next);
        };
        self.oom = self.kills.any();
        if !self.tree.kill(|left| shared.say(left)) && ended == Ended::Killed {
            return Ended::Lost; // not reported as stopped: the task is free when its lease has expired
        }
        ended
    }

    /// Returns the time of the next timeout. Also warns the program before its deadline, once for each deadline.
    fn timers(&self, warned: &mut u64) -> u64 {
        let (deadline, now) = (self.deadline().unwrap_or(u64::MAX), boot_clock_us());
        let silence = self.silence().unwrap_or(u64::MAX);
        let warning = self.run.limits.warn_ms.map(|before| deadline.saturating_sub(before.saturating_mul(1_000)));
        match warning.filter(|_| deadline != u64::MAX && *warned < deadline) {
            Some(warning) if now >= warning => {
                *warned = deadline;
                self.write_stop(Reason::Deadline, deadline);
                tree::deliver(Signal::SIGUSR1);
                deadline.min(silence)
            }
            warning => deadline.min(silence).min(warning.unwrap_or(u64::MAX)),
        }
    }

    fn reason_to_stop(&self) -> Option<Reason> {
        let now = boot_clock_us();
        let order = self.shared.order();
        if order == CANCEL {
            Some(Reason::Cancel)
        } else if self.bell.term.load(Ordering::Acquire)
            || order == STOP
            || (order == DRAIN && self.run.on_drain == OnDrain::Stop)
        {
            Some(Reason::Drain)
        } else if self.deadline().is_some_and(|deadline| now >= deadline) {
            Some(Reason::Deadline)
        } else {
            let silent = self.silence().filter(|&end| now >= end).map(|_| Reason::NoProgress);
            silent.or_else(|| self.memory.as_ref()?.exceeded.map(Reason::Memory))
        }
    }

    /// Returns the time at which the program must have ended, including an extension that it requested. There is none
    /// while it is suspended.
    fn deadline(&self) -> Option<u64> {
        let limit = self.run.limits.max_run_ms?.saturating_mul(1_000).saturating_add(self.controls.paused()?);
        Some(self.begun.saturating_add(limit).max(self.shared.extended.load(Ordering::Acquire)))
    }

    /// Returns the time at which the program is stopped if it shows no progress.
    fn silence(&self) -> Option<u64> {
        self.controls.paused()?;
        let limit = self.run.limits.no_progress_ms?.saturating_mul(1_000);
        Some(self.shared.alive.load(Ordering::Acquire).saturating_add(limit))
    }

    /// Asks the program to end. Returns the time at which it will be killed.
    fn stop(&self, reason: Reason) -> u64 {
        let kill_at = boot_clock_us().saturating_add(self.run.limits.grace_ms.saturating_mul(1_000));
        self.write_stop(reason, kill_at);
        self.tree.signal(Signal::SIGTERM);
        // A stopped process must be continued to handle the signal.
        self.tree.signal(Signal::SIGCONT);
        kill_at
    }

    fn write_stop(&self, reason: Reason, kill_at: u64) {
        let left = Duration::from_micros(kill_at.saturating_sub(boot_clock_us()));
        let text = format!("{{\"reason\":\"{}\",\"kill_at\":{}}}\n", reason.word(), seconds(left));
        if let Err(error) = open::replace(&self.folder.stop(), text.as_bytes(), false) {
            self.shared.say(&format!("the stop file cannot be written: {error}"));
        }
    }
}
