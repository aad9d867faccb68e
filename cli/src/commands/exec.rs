//! `blueque exec`: the step between the supervisor and the program. It sets what only a process itself can set, and
//! becomes the program.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use clap::Args;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{getppid, setsid};

use crate::output::say;
use crate::processes::{inherited, limits};
use crate::run_folder::RunFolder;

/// The program exists but cannot be run; the code that shells use.
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

/// Becomes the program, or reports why it cannot.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let run = RunFolder::at(&options.run).read()?;
    // Whatever happens to the supervisor, the program does not outlive it.
    prctl::set_pdeathsig(Signal::SIGKILL).context("the program's fate cannot be tied to its supervisor's")?;
    if getppid().as_raw() != options.parent {
        return Ok(ExitCode::FAILURE);
    }
    // A new session and process group; it does not lead one yet.
    setsid().context("no session of its own")?;
    limits::apply(&run.limits)?;
    inherited::default_signals();
    let (program, args) = run.program.split_first().context("run.json names no program")?;
    let error = Command::new(program).args(args).exec();
    let path = Path::new(program);
    say(format!("blueque: {program} cannot be run: {error}{}", hint(path)));
    Ok(ExitCode::from(if path.exists() { NOT_EXECUTABLE } else { NOT_FOUND }))
}

/// The most common reasons why an existing file cannot be run.
fn hint(path: &Path) -> String {
    let Ok(text) = fs::read(path) else { return String::new() };
    let Some(line) = text.strip_prefix(b"#!").and_then(|rest| rest.split(|&byte| byte == b'\n').next()) else {
        return String::new();
    };
    format!(" (its first line asks for {})", String::from_utf8_lossy(line.get(..200).unwrap_or(line)).trim())
}
