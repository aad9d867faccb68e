//! `blueque exec`: a process that the supervisor starts and that becomes the program. Before that, the process sets
//! properties that only it can set itself. Its stdin is a pipe to the supervisor, which closes when the program runs.
//! If the program cannot be run, the process writes the reason to the pipe.

use std::convert::Infallible;
use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, anyhow, bail};
use blueque::CommandLine;
use clap::Args;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{AccessFlags, access, getppid, setsid};

use crate::file::on_path;
use crate::output::say;
use crate::processes::{inherited, limits};
use crate::run_folder::{Run, RunFolder};
use crate::subcommand::{Global, Subcommand};

/// Exit code for a program that exists but cannot be run, as in shells.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Number of bytes of a script's first line that the kernel reads.
const FIRST_LINE: u64 = 256;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The run folder
    run: PathBuf,
    /// The process id of the supervisor: if this process has another parent, the program does not start
    #[arg(long, value_name = "PID")]
    parent: i32,
}

/// Becomes the program, or reports why the program cannot be run.
impl Subcommand for Options {
    fn start(&self, _: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(run(self))
    }
}

fn run(options: &Options) -> anyhow::Result<ExitCode> {
    // The exec closes this copy of the pipe.
    let supervisor = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    // The program ends with the supervisor, even if the supervisor is killed.
    prctl::set_pdeathsig(Signal::SIGKILL).context("the program cannot be set to end with its supervisor")?;
    if getppid().as_raw() != options.parent {
        return Ok(ExitCode::FAILURE);
    }
    let folder = RunFolder::at(&options.run);
    let run = folder.read();
    let Err(why) = run.as_ref().map_err(|error| anyhow!("{error:#}")).and_then(|run| become_program(&folder, run));
    let missing = why.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    let why = format!("{why:#}");
    say(format!("blueque: {why}"));
    if run.as_ref().is_ok_and(|run| run.command.is_some()) {
        // The submitter chose the command, so the task fails. Without a reason in the pipe it is not given back.
        return Ok(ExitCode::from(if missing { NOT_FOUND } else { NOT_EXECUTABLE }));
    }
    if let Ok(mut supervisor) = supervisor {
        let _ = supervisor.write_all(why.as_bytes());
    }
    let is_there = run.is_ok_and(|run| run.program.first().is_some_and(|program| Path::new(program).exists()));
    Ok(ExitCode::from(if is_there { NOT_EXECUTABLE } else { NOT_FOUND }))
}

/// Becomes the program. Returns only on failure.
fn become_program(folder: &RunFolder, run: &Run) -> anyhow::Result<Infallible> {
    // Creates a new session and process group, which works because this process does not lead a group.
    setsid().context("no new session can be created")?;
    limits::apply(&run.limits)?;
    inherited::default_signals();
    let parameters = File::open(folder.parameters()).context("the parameters cannot be read")?;
    if let Some(command) = &run.command {
        return become_command(folder, command, parameters);
    }
    let (program, args) = run.program.split_first().context("run.json names no program")?;
    let line = first_line(Path::new(program));
    let hint = line.as_ref().map_or(String::new(), |line| format!(" (its first line asks for {line})"));
    if let Some(name) = line.as_deref().and_then(sought).filter(|name| !is_found(name)) {
        bail!("{program} cannot be run: there is no {name} in PATH{hint}");
    }
    let error = Command::new(program).args(args).stdin(parameters).exec();
    bail!("{program} cannot be run: {error}{hint}")
}

/// Becomes the command line of a task. Returns only on failure.
fn become_command(folder: &RunFolder, command: &CommandLine, parameters: File) -> anyhow::Result<Infallible> {
    let (program, args) = command.argv.split_first().context("run.json names no program")?;
    if let Some(cwd) = &command.cwd {
        env::set_current_dir(cwd).with_context(|| format!("the folder {cwd} cannot be entered on this host"))?;
    }
    let mut process = if command.script.is_some() {
        let script = folder.script();
        let line = first_line(&script).with_context(|| format!("{program} does not begin with #!"))?;
        let (interpreter, argument) = match line.split_once([' ', '\t']) {
            Some((interpreter, argument)) => (interpreter, Some(argument.trim())),
            None => (line.as_str(), None),
        };
        let mut process = Command::new(interpreter);
        process.args(argument).arg(script);
        process
    } else {
        Command::new(program)
    };
    process.envs(command.cwd.iter().map(|cwd| ("PWD", cwd))).envs(&command.env);
    let error = process.args(args).stdin(parameters).exec();
    Err(error).with_context(|| format!("{program} cannot be run on this host"))
}

/// Returns the interpreter and its argument from the first line of a script.
fn first_line(program: &Path) -> Option<String> {
    let mut text = Vec::new();
    File::open(program).ok()?.take(FIRST_LINE).read_to_end(&mut text).ok()?;
    let line = text.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).trim().to_owned())
}

/// Returns the program that `env` would look for, if the interpreter is `env` and the program is certain.
fn sought(line: &str) -> Option<&str> {
    let (interpreter, rest) = line.split_once([' ', '\t'])?;
    if Path::new(interpreter).file_name()? != "env" {
        return None;
    }
    let rest = rest.trim();
    let Some(words) = rest.strip_prefix("-S") else {
        // The kernel passes the rest of the line as one argument.
        return Some(rest).filter(|name| !name.starts_with('-') && !name.contains('='));
    };
    let mut words = words.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with("PATH="));
    words.next().filter(|name| !name.starts_with('-') && !name.contains(['=', '"', '\'', '\\', '$']))
}

/// Returns true if `env` finds this program, or may find it.
fn is_found(name: &str) -> bool {
    let runs = |file: &Path| access(file, AccessFlags::X_OK).is_ok();
    if name.contains('/') {
        return runs(Path::new(name));
    }
    std::env::var_os("PATH").is_none() || on_path(name).iter().any(|file| runs(file))
}

#[cfg(test)]
mod tests {
    use super::{is_found, sought};

    #[test]
    fn what_env_looks_for_is_known_only_where_it_is_certain() {
        for (line, name) in [
            ("/usr/bin/env python3", Some("python3")),
            ("/bin/env  python3 -u", Some("python3 -u")),
            ("/usr/bin/env -S A=1 B=2 python3 -u", Some("python3")),
            ("/usr/bin/env -S PATH=/opt/bin python3", None),
            ("/usr/bin/env -S -i python3", None),
            ("/usr/bin/env -S ${PYTHON}", None),
            ("/usr/bin/env -i", None),
            ("/usr/bin/env", None),
            ("/usr/bin/python3 -u", None),
        ] {
            assert_eq!(sought(line), name, "{line}");
        }
        assert!(is_found("sh") && is_found("/bin/sh") && !is_found("/no/such/sh") && !is_found("no-such-sh"));
    }
}
