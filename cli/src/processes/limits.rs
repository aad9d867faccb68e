//! The resource limits of a program. The worker tests if they can be set, and the process that becomes the program sets
//! them.

use std::fs;

use anyhow::Context;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use rustix::process::{getpriority_process, setpriority_process};

use crate::output::{Code, fault};
use crate::process::text;
use crate::run_folder::Limits;

/// File with a value, up to 1000, that increases the probability that the kernel kills this process when memory runs
/// out.
const OOM: &str = "/proc/self/oom_score_adj";

/// Checks that these limits can be set for a program, by a test on this process.
pub fn check(limits: &Limits) -> anyhow::Result<()> {
    let ((most, _), needed) = (getrlimit(Resource::RLIMIT_FSIZE)?, limits.largest_file());
    if most < needed {
        let words = format!(
            "files may have {most} bytes here, and a task needs one of {needed}: raise that limit (ulimit -f, or LimitFSIZE of \
             its unit)"
        );
        return Err(fault(Code::Usage, words));
    }
    if let Some(memory) = limits.memory {
        let (soft, hard) = getrlimit(Resource::RLIMIT_DATA)?;
        if memory > hard && setrlimit(Resource::RLIMIT_DATA, soft, memory).is_err() {
            let words = format!(
                "--memory is more than this process may give, {hard} bytes: raise its hard limit (ulimit -d, or LimitDATA \
                 of its unit), or ask for less"
            );
            return Err(fault(Code::Usage, words));
        }
    }
    if let Some(nice) = limits.nice {
        let own = getpriority_process(None)?;
        if setpriority_process(None, nice).and_then(|()| setpriority_process(None, own)).is_err() {
            let words = format!(
                "--nice {nice} is more than this process may give, which has {own}: raise its limit (ulimit -e, or \
                 LimitNICE of its unit), or ask for {own} or more"
            );
            return Err(fault(Code::Usage, words));
        }
    }
    Ok(())
}

/// Sets the limits for this process.
pub fn apply(limits: &Limits) -> anyhow::Result<()> {
    // Core files are disabled, because the core file of a program with 100 GiB of memory fills the disk.
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("core files cannot be switched off")?;
    if let Some(memory) = limits.memory {
        // The limit applies to data and not to the address space. A garbage-collected program has a far larger address
        // space than memory.
        setrlimit(Resource::RLIMIT_DATA, memory, memory).context("the limit on memory cannot be set")?;
    }
    if let Some(nice) = limits.nice {
        setpriority_process(None, nice).with_context(|| format!("the priority cannot be set to {nice}"))?;
    }
    // When memory runs out, the kernel should kill the program and spare the supervisor. This is not essential.
    let own: i32 = text(OOM).and_then(|own| own.trim().parse().ok()).unwrap_or(0);
    let _ = fs::write(OOM, own.saturating_add(300).min(1_000).to_string());
    Ok(())
}
