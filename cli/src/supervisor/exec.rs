//! `blueque exec`: the moment between the supervisor and the program. It sets what only a process itself
//! can set, and becomes the program.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use clap::Args;
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{getppid, setsid};
use rustix::process::{getpriority_process, setpriority_process};

use crate::output::{Code, fault, say};
use crate::run_folder::{Limits, RunFolder};

/// The program is there, but cannot be run; as a shell says it.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The run folder
    run: PathBuf,
    /// The supervisor: without it the program does not start
    #[arg(long, value_name = "PID")]
    parent: i32,
}

/// Becomes the program, or says why it cannot.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let run = RunFolder::at(&options.run).read()?;
    // Whatever happens to the supervisor, the program does not outlive it.
    prctl::set_pdeathsig(Signal::SIGKILL).context("the program's fate cannot be tied to its supervisor's")?;
    if getppid().as_raw() != options.parent {
        return Ok(ExitCode::FAILURE);
    }
    // A session and a group of its own; it is no leader yet.
    setsid().context("no session of its own")?;
    apply(&run.limits)?;
    let (program, args) = run.program.split_first().context("run.json names no program")?;
    let error = Command::new(program).args(args).exec();
    let path = Path::new(program);
    say(format!("blueque: {program} cannot be run: {error}{}", hint(path)));
    Ok(ExitCode::from(if path.exists() { NOT_EXECUTABLE } else { NOT_FOUND }))
}

/// Whether programs can be given these limits, tried on this process.
pub fn check(limits: &Limits) -> anyhow::Result<()> {
    if let Some(memory) = limits.memory {
        let (soft, hard) = getrlimit(Resource::RLIMIT_DATA)?;
        if memory > hard && setrlimit(Resource::RLIMIT_DATA, soft, memory).is_err() {
            let text = format!(
                "--memory is more than this process may give, {hard} bytes: raise its hard limit (ulimit -d, or LimitDATA \
                 of its unit), or ask for less"
            );
            return Err(fault(Code::Usage, text));
        }
    }
    if let Some(nice) = limits.nice {
        let own = getpriority_process(None)?;
        if setpriority_process(None, nice).and_then(|()| setpriority_process(None, own)).is_err() {
            let text = format!(
                "--nice {nice} is more than this process may give, which has {own}: raise its limit (ulimit -e, or \
                 LimitNICE of its unit), or ask for {own} or more"
            );
            return Err(fault(Code::Usage, text));
        }
    }
    Ok(())
}

fn apply(limits: &Limits) -> anyhow::Result<()> {
    // A core of a program with 100 GiB of memory fills the disk.
    setrlimit(Resource::RLIMIT_CORE, 0, 0).context("core files cannot be switched off")?;
    if let Some(memory) = limits.memory {
        // Not the address space: that of a garbage-collected program is far larger than what it uses.
        setrlimit(Resource::RLIMIT_DATA, memory, memory).context("the limit on memory cannot be set")?;
    }
    if let Some(nice) = limits.nice {
        setpriority_process(None, nice).with_context(|| format!("the priority cannot be set to {nice}"))?;
    }
    // Short of memory, the kernel is to take the program and leave the supervisor. A wish, no need.
    let _ = fs::write("/proc/self/oom_score_adj", "300");
    Ok(())
}

/// The commonest reasons why a file that is there cannot be run.
fn hint(path: &Path) -> String {
    let Ok(text) = fs::read(path) else { return String::new() };
    let Some(line) = text.strip_prefix(b"#!").and_then(|rest| rest.split(|&byte| byte == b'\n').next()) else {
        return String::new();
    };
    format!(" (its first line asks for {})", String::from_utf8_lossy(line.get(..200).unwrap_or(line)).trim())
}
