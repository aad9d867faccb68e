//! Reaps orphaned processes. A worker that is process 1 of a container becomes the parent of every process whose parent
//! has ended. The worker must wait for these processes, because the kernel keeps an ended process until its parent has
//! waited for it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use crate::process::{Stat, all};

const LOOK: Duration = Duration::from_secs(1);

/// Process ids of the supervisors that this worker has started and waits for itself.
static OWN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Locks the process ids of the worker's own supervisors.
pub fn own() -> MutexGuard<'static, BTreeSet<i32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for orphans until the worker ends, if the kernel gives orphans to this process.
pub fn reap() {
    if std::process::id() == 1 || prctl::get_child_subreaper().unwrap_or(false) {
        thread::spawn(look_for_ever);
    }
}

fn look_for_ever() {
    let mut before = BTreeSet::new();
    loop {
        thread::sleep(LOOK);
        let ended = ended();
        // A process that ended within the last second may be a child for which another thread of this worker is about
        // to wait.
        for &pid in ended.intersection(&before) {
            let _ = waitid(Id::Pid(Pid::from_raw(pid)), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG);
        }
        before = ended;
    }
}

fn ended() -> BTreeSet<i32> {
    let this = Pid::this().as_raw();
    let of_this = |pid: &i32| Stat::read(*pid).is_some_and(|stat| stat.parent == this && stat.has_ended());
    let found: BTreeSet<i32> = all().filter(of_this).collect();
    &found - &own()
}
