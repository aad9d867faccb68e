//! Finds, signals, kills and reaps the program and all processes that it started. The supervisor is a subreaper, so all
//! of them remain its descendants, even if they create process groups or sessions.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpgrp};
use rustix::process::{WaitOptions, wait};

use super::cgroup::ControlGroup;
use crate::process::{Stat, descendants, signals, text};

/// Number of rounds of kills without a freeze. If new processes still appear, the program is frozen before each kill.
const PLAIN_ROUNDS: u32 = 3;

/// Time limit for the kills. The supervisor does not wait longer for processes in uninterruptible sleep, for example
/// because of a dead disk.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of processes that a report names.
const NAMED: usize = 10;

/// The exit of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    /// Contains the number of the signal, because real-time signals have no name.
    Signal(i32),
}

impl Exit {
    /// Returns the signal that killed the process.
    pub fn signal(self) -> Option<String> {
        let Self::Signal(number) = self else { return None };
        Some(Signal::try_from(number).map_or_else(|_| format!("signal {number}"), |signal| signal.to_string()))
    }
}

/// The program, and the known facts about its end.
#[derive(Debug)]
pub struct Tree {
    program: Pid,
    exit: Option<Exit>,
    group: Option<Arc<ControlGroup>>,
    passed: Option<Passed>,
}

/// Number of bytes that processes read and wrote with system calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    pub read: u64,
    pub written: u64,
}

impl Tree {
    pub fn new(program: i32, group: Option<Arc<ControlGroup>>) -> Self {
        Self { program: Pid::from_raw(program), exit: None, group, passed: Some(Passed::default()) }
    }

    /// Returns the exit of the program if it has ended.
    pub fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Returns the bytes that all ended processes read and wrote, or `None` if the kernel did not report them for each
    /// process.
    pub fn passed(&self) -> Option<Passed> {
        self.passed
    }

    /// Reaps every process that has ended. Returns true if any process is left.
    pub fn reap(&mut self) -> bool {
        let peek = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        loop {
            // The counts must be read before the process is reaped. They include the children that it has reaped.
            match waitid(Id::All, peek) {
                Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) => {
                    self.passed = self.passed.zip(passed(pid)).map(|(sum, more)| Passed {
                        read: sum.read.saturating_add(more.read),
                        written: sum.written.saturating_add(more.written),
                    });
                }
                // A process was killed by a signal without a name. The library does not return which process it was.
                Err(Errno::EINVAL) => self.passed = None,
                _ => {}
            }
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    let exit = status.exit_status().map(Exit::Code);
                    let exit = exit.or_else(|| status.terminating_signal().map(Exit::Signal));
                    if let Some(exit) = exit.filter(|_| pid.as_raw_pid() == self.program.as_raw()) {
                        self.exit = Some(exit);
                    }
                }
                Ok(None) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    /// Signals all process groups of the tree while the program runs. The tree has several groups if the program used
    /// `timeout` or `setsid`.
    pub fn signal(&self, signal: Signal) {
        if self.exit.is_some() {
            return;
        }
        // The program may not have created its process group yet. Then only the program gets the signal.
        if kill(Pid::from_raw(-self.program.as_raw()), signal).is_err() {
            let _ = kill(self.program, signal);
        }
        let own = [self.program, getpgrp()].map(Pid::as_raw);
        let groups = descendants().into_iter().filter_map(|pid| Some(Stat::of_living(pid.as_raw())?.group));
        for group in groups.filter(|group| *group > 1 && !own.contains(group)).collect::<HashSet<_>>() {
            let _ = kill(Pid::from_raw(-group), signal);
        }
    }

    /// Kills all processes and waits until they have ended. After the time limit, reports the remaining processes.
    /// Returns false if the kernel holds all of them, and otherwise continues to wait.
    pub fn kill(&mut self, report: impl Fn(&str)) -> bool {
        let end = Instant::now() + PATIENCE;
        let (mut round, mut reported) = (0, false);
        if let Some(group) = &self.group {
            group.kill();
        }
        while self.reap() {
            let found = descendants();
            if round >= PLAIN_ROUNDS {
                freeze(&found);
            }
            for pid in descendants() {
                let _ = kill(pid, Signal::SIGKILL);
            }
            if Instant::now() > end {
                let (left, held) = left();
                if held && !left.is_empty() {
                    report(&format!("some processes of this task cannot be killed, the kernel holds them: {left}"));
                    return false;
                }
                if !left.is_empty() && !std::mem::replace(&mut reported, true) {
                    report(&format!(
                        "some processes of this task do not end though they were killed, and the task has not ended \
                         before they have: {left}"
                    ));
                }
            }
            round += 1;
            std::thread::sleep(Duration::from_millis(match round {
                0..10 => 1,
                _ if reported => 1_000,
                _ => 20,
            }));
        }
        if let Some(group) = &self.group {
            group.remove();
        }
        true
    }
}

/// Stops all descendants until `resume`. If one belongs to another user, all continue, and the error names it.
pub fn suspend() -> Result<(), String> {
    let foreign = freeze(&descendants());
    let Some(pid) = foreign.first() else { return Ok(()) };
    resume();
    let name = text(format!("/proc/{pid}/comm")).unwrap_or_default();
    Err(format!("process {pid} ({}) belongs to another user and cannot be stopped", name.trim()))
}

/// Lets all descendants go on.
pub fn resume() {
    for pid in descendants() {
        let _ = kill(pid, Signal::SIGCONT);
    }
}

/// Sends a signal to the descendants that handle it, and returns their number. The signal could kill other processes.
pub fn deliver(signal: Signal) -> usize {
    descendants().into_iter().filter(|&pid| handles(pid, signal) && kill(pid, signal).is_ok()).count()
}

/// Returns a text that names the living descendants, and true if the kernel holds all of them.
fn left() -> (String, bool) {
    let (mut names, mut held) = (Vec::new(), true);
    for pid in descendants() {
        if let Some(stat) = Stat::of_living(pid.as_raw()) {
            held &= stat.is_held();
            names.push(format!("{pid} ({})", text(format!("/proc/{pid}/comm")).unwrap_or_default().trim()));
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    (names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }, held)
}

/// Stops processes until no new process appears. A frozen process cannot fork, but still counts against the process
/// limit. Returns the processes that this user may not stop.
fn freeze(found: &[Pid]) -> Vec<Pid> {
    let (mut seen, mut foreign): (HashSet<Pid>, Vec<Pid>) = Default::default();
    let mut next = found.to_vec();
    for _ in 0..200 {
        for &pid in &next {
            if kill(pid, Signal::SIGSTOP) == Err(Errno::EPERM) {
                foreign.push(pid);
            }
        }
        seen.extend(next);
        next = descendants();
        next.retain(|pid| !seen.contains(pid));
        if next.is_empty() {
            break;
        }
    }
    foreign
}

fn passed(pid: Pid) -> Option<Passed> {
    let text = text(format!("/proc/{pid}/io"))?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some(Passed { read: value("rchar:")?, written: value("wchar:")? })
}

fn handles(pid: Pid, signal: Signal) -> bool {
    signals(pid, "SigCgt:").is_some_and(|mask| mask & (1 << (signal as u64 - 1)) != 0)
}

/// Returns the number of out-of-memory kills in the control group of this process, or else on this machine.
pub fn oom_kills() -> Option<u64> {
    let text = own_group().and_then(text).or_else(|| text("/proc/vmstat"))?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

fn own_group() -> Option<String> {
    let groups = text("/proc/self/cgroup")?;
    groups.lines().find_map(|line| {
        let path = line.strip_prefix("0::/").map(|path| format!("/sys/fs/cgroup/{path}/memory.events"));
        let old =
            || line.split_once(":memory:").map(|(_, path)| format!("/sys/fs/cgroup/memory{path}/memory.oom_control"));
        path.or_else(old).filter(|path| fs::exists(path).unwrap_or(false))
    })
}
