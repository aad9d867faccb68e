//! Finds and kills processes that a dead supervisor left running. The program dies with its supervisor, but processes
//! that the program started may continue.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};

use super::cgroup::ControlGroup;
use crate::process::{Process, Stat, all, may_be_this_program, user};
use crate::run_folder::RunFolder;

/// Time limit for the kills. A process in uninterruptible sleep does not die, and a later search finds it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Number of searches in a row that must find nothing. A single search can miss a process that is forked during the
/// search.
const LOOKS: u32 = 2;

/// Maximum wait for processes whose run cannot be determined, because they are in the middle of an exec.
const UNKNOWN: Duration = Duration::from_secs(1);

/// Kills every process of a run. Such a process is in the run's control group, or it or an ancestor has `BLUEQUE_RUN`
/// in its environment. Returns true if none is left.
pub fn kill_all(run: &Path) -> bool {
    let begun = Instant::now();
    let run = &real(run);
    let group = ControlGroup::of(run);
    let session = RunFolder::at(run).holder().and_then(|holder| holder.program).map(|program| program.pid);
    let mut looks = 0;
    loop {
        if let Some(group) = &group {
            group.kill();
        }
        let (found, unknown) = processes(run, session);
        let waits = unknown && begun.elapsed() < UNKNOWN;
        let none = found.is_empty() && !waits && group.as_ref().is_none_or(ControlGroup::is_empty);
        looks = if none { looks + 1 } else { 0 };
        if looks == LOOKS {
            if let Some(group) = &group {
                group.remove();
            }
            return true;
        }
        if begun.elapsed() > PATIENCE {
            return false;
        }
        // All processes are frozen first, because they may fork faster than they are killed.
        for signal in [Signal::SIGSTOP, Signal::SIGKILL] {
            for &pid in &found {
                let _ = kill(Pid::from_raw(pid), signal);
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the supervisor of a run. It is found by its command line, because the program may have removed the lock
/// file. Every user of the host can start a process with the same command line. Therefore the process must also belong
/// to the worker's user and run this program.
pub fn supervisor(run: &Path) -> Option<Process> {
    let run = real(run);
    let own = Some(Uid::current().as_raw());
    let supervises = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|&byte| byte == 0).skip(1);
        words.next() == Some(b"supervise")
            && words.next().is_some_and(|path| real(Path::new(OsStr::from_bytes(path))) == run)
    };
    all().filter(|pid| supervises(pid) && user(pid) == own && may_be_this_program(*pid)).find_map(Process::of)
}

/// Returns the real path of a run folder, as a supervisor uses it. An earlier worker may have passed a link.
fn real(run: &Path) -> PathBuf {
    run.canonicalize().unwrap_or_else(|_| run.to_owned())
}

/// Returns the environment of a process. If its first thread has ended, the environment is read from another thread.
fn environment(pid: i32, stat: Stat) -> Vec<u8> {
    let of = |path: PathBuf| fs::read(path.join("environ")).ok();
    let process = PathBuf::from(format!("/proc/{pid}"));
    let threads = || fs::read_dir(process.join("task")).ok()?.flatten().find_map(|thread| of(thread.path()));
    of(process.clone()).or_else(|| if stat.is_held() { threads() } else { None }).unwrap_or_default()
}

/// Process id of the parent of all kernel threads, which have neither arguments nor an environment.
const KERNEL: i32 = 2;

/// Returns true if a process may be in the middle of an exec. It then has neither an environment nor arguments.
fn is_in_exec(pid: i32, stat: Stat) -> bool {
    let has_arguments = || fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
    pid != KERNEL && stat.parent != KERNEL && !has_arguments()
}

/// Returns the processes of a run that have not ended, and true if other processes may belong to the run. A process in
/// the middle of an exec has no environment, and it may have left the session of the run.
fn processes(run: &Path, session: Option<i32>) -> (Vec<i32>, bool) {
    let mark = [b"BLUEQUE_RUN=", run.as_os_str().as_bytes()].concat();
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let (mut found, mut unknown) = (Vec::new(), false);
    for pid in all() {
        let Some(stat) = Stat::of_living(pid).filter(|_| pid != own) else { continue };
        children.entry(stat.parent).or_default().push(pid);
        let environment = environment(pid, stat);
        if environment.split(|&byte| byte == 0).any(|variable| variable == mark) {
            found.push(pid);
        }
        unknown |= environment.is_empty() && (session == Some(stat.session) || is_in_exec(pid, stat));
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
    (found, unknown)
}
