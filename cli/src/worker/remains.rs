//! What a dead supervisor left running. Its program dies with it; what the program had started may not.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::run_folder::lock::Process;
use crate::supervisor::group::Group;

/// Processes in the kernel's hands cannot be killed; the next look finds them.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kills every process of a run, known by its control group, or by `BLUEQUE_RUN` in its environment or in that of an
/// ancestor; whether none is left.
pub fn kill_all(run: &Path) -> bool {
    let end = Instant::now() + PATIENCE;
    let group = Group::of(run);
    loop {
        if let Some(group) = &group {
            group.kill();
        }
        let found = processes(run);
        if found.is_empty() && group.as_ref().is_none_or(Group::is_empty) {
            if let Some(group) = &group {
                group.remove();
            }
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        // Frozen first, all of them: what runs could fork faster than it is killed.
        for signal in [Signal::SIGSTOP, Signal::SIGKILL] {
            for &pid in &found {
                let _ = kill(Pid::from_raw(pid), signal);
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The supervisor of a run, known by its command line: the program may have taken its lock file away.
pub fn supervisor(run: &Path) -> Option<Process> {
    let words = [b"supervise\0", run.as_os_str().as_bytes(), b"\0"].concat();
    let supervises = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0)
            .next()
            .is_some_and(|name| line.get(name.len() + 1..).is_some_and(|rest| rest.starts_with(&words)))
    };
    all().find(supervises).and_then(Process::of)
}

fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The processes of a run that have not ended.
fn processes(run: &Path) -> Vec<i32> {
    let mark = [b"BLUEQUE_RUN=", run.as_os_str().as_bytes()].concat();
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let mut found = Vec::new();
    for pid in all() {
        let Some(parent) = parent(pid).filter(|_| pid != own) else { continue };
        children.entry(parent).or_default().push(pid);
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable == mark) {
            found.push(pid);
        }
    }
    let mut seen: HashSet<i32> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        for &child in children.get(&pid).into_iter().flatten() {
            if seen.insert(child) {
                found.push(child);
            }
        }
        next += 1;
    }
    found
}

/// The parent of a process; none of one that has ended.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may itself hold brackets and spaces.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.next()?.parse().ok()
}
