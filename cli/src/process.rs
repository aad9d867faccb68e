//! Processes as seen in /proc.

use std::collections::HashMap;
use std::fs;

use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// A process, distinct from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: i32,
    /// Start time, in the kernel's ticks since boot.
    pub started: u64,
}

impl Process {
    /// A process that exists now.
    pub fn of(pid: i32) -> Option<Self> {
        Some(Self { pid, started: Stat::of_living(pid)?.started })
    }

    /// Whether it still exists. A zombie does not count.
    pub fn lives(self) -> bool {
        Self::of(self.pid) == Some(self)
    }
}

/// The facts in `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    pub parent: i32,
    pub session: i32,
    /// In the kernel's ticks since boot.
    pub started: u64,
    /// Whether it is a zombie.
    ended: bool,
}

impl Stat {
    pub fn read(pid: i32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may itself contain parentheses and spaces.
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        let ended = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        Some(Self { parent, session, started: fields.nth(15)?.parse().ok()?, ended })
    }

    /// None for a process that has ended, even if it is still a zombie.
    pub fn of_living(pid: i32) -> Option<Self> {
        Self::read(pid).filter(|stat| !stat.ended)
    }
}

/// The numbers of all processes.
pub fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// All descendants of this process, including zombies.
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
