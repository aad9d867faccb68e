//! Reads the state of processes from /proc.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Suffix that the kernel appends to the path of a deleted file.
const DELETED: &[u8] = b" (deleted)";

/// Variables that programs get from the environment of their worker, in addition to `LC_…`.
const PASSED: [&str; 6] = ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER"];

/// Returns true if programs get this variable of their worker's environment. The server's password is in a variable
/// that they do not get.
pub fn passes(variable: &str) -> bool {
    PASSED.contains(&variable) || variable.starts_with("LC_")
}

/// A process. The start time distinguishes it from a later process with the same process id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: i32,
    /// Start time, in the kernel's ticks since boot.
    pub started: u64,
}

impl Process {
    /// Returns a process that exists now.
    pub fn of(pid: i32) -> Option<Self> {
        Some(Self { pid, started: Stat::of_living(pid)?.started })
    }

    /// Returns true if the process still exists. A zombie does not count.
    pub fn lives(self) -> bool {
        Self::of(self.pid) == Some(self)
    }
}

/// The fields of `/proc/PID/stat` that are used here.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// Start time, in the kernel's ticks since boot.
    pub started: u64,
    /// Time that the process has used processors, in the kernel's ticks.
    pub ticks: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Lives,
    /// The process is in a kernel call that no signal interrupts, or its first thread has ended and other threads run.
    Held,
    Zombie,
}

impl Stat {
    pub fn read(pid: i32) -> Option<Self> {
        let text = text(format!("/proc/{pid}/stat"))?;
        // The name in parentheses may itself contain parentheses and spaces.
        let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse().ok();
        // A process whose first thread has ended looks like a zombie, but other threads still run.
        let state = match *fields.first()? {
            "Z" | "X" if number(17)? < 2 => State::Zombie,
            "Z" | "X" | "D" => State::Held,
            _ => State::Lives,
        };
        let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let started = ticks(19)?;
        let used = ticks(11)?.saturating_add(ticks(12)?);
        Some(Self { parent: number(1)?, group: number(2)?, session: number(3)?, started, ticks: used, state })
    }

    pub fn has_ended(&self) -> bool {
        self.state == State::Zombie
    }

    /// Returns true if a kill may have no effect on the process now.
    pub fn is_held(&self) -> bool {
        self.state == State::Held
    }

    /// Reads the fields of a process. Returns `None` if it has ended, even if it is still a zombie.
    pub fn of_living(pid: i32) -> Option<Self> {
        Self::read(pid).filter(|stat| !stat.has_ended())
    }
}

/// Reads a file of the kernel as text. The file may contain invalid UTF-8, because the kernel cuts the name of a
/// process at 15 bytes, even within a character.
pub fn text(path: impl AsRef<Path>) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// Returns the signals of a process in one of the masks of `/proc/PID/status`.
pub fn signals(pid: impl Display, mask: &str) -> Option<u64> {
    let status = text(format!("/proc/{pid}/status"))?;
    status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix(mask)?.trim(), 16).ok())
}

/// Returns the user who started a process: its real user id.
pub fn user(pid: impl Display) -> Option<u32> {
    let status = text(format!("/proc/{pid}/status"))?;
    status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().next()?.parse().ok())
}

/// Returns false if a process certainly runs another program. A process of an older release may run from a file that
/// was deleted or renamed. The path of some processes, such as supervisors, is readable only for root.
pub fn may_be_this_program(pid: i32) -> bool {
    let name = |pid: &dyn Display| {
        let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        path.file_name().map(|name| name.as_bytes().to_owned())
    };
    let (Some(name), Some(own)) = (name(&pid), name(&"self")) else { return true };
    let own = own.strip_suffix(DELETED).unwrap_or(&own);
    name == own || name.ends_with(DELETED) || name.starts_with(b"blueque")
}

/// Returns the ids of all processes.
pub fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns all descendants of this process, including zombies.
pub fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in all() {
        if let Some(stat) = Stat::read(pid) {
            children.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![Pid::this().as_raw()];
    while let Some(pid) = next.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.push(Pid::from_raw(child));
            next.push(child);
        }
    }
    found
}
