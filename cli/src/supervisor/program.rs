//! Starts the program with its environment, its stdin and its working folder.

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;

use super::publish;
use super::shared::Lease;
use crate::input::trace::VARIABLES;
use crate::process;
use crate::run_folder::{Run, RunFolder};

/// Maximum length of the reason why a program cannot be run, in bytes.
const REASON: u64 = 4 << 10;

/// A process that becomes the program.
pub struct Started {
    pub child: Child,
    report: PipeReader,
}

impl Started {
    /// Returns the reason why the program could not be run, or `None` if it ran. Called after the end of the process.
    pub fn unfit(self) -> Option<String> {
        let mut why = Vec::new();
        let _ = self.report.take(REASON).read_to_end(&mut why);
        (!why.is_empty()).then(|| String::from_utf8_lossy(&why).into_owned())
    }
}

/// Starts the program, which dies with the calling thread. Returns `None` if the lease has ended before the start.
pub fn start(folder: &RunFolder, run: &Run, lease: &Lease) -> anyhow::Result<Option<Started>> {
    // The new process opens the parameters itself. Opening them here first reports an error, and waits for a slow disk
    // before the lease is checked.
    drop(File::open(folder.parameters()).context("the parameters cannot be read")?);
    let (report, stdin) = io::pipe().context("no pipe")?;
    // The same binary is started, even if a newer binary has replaced it on the disk.
    let mut command = Command::new("/proc/self/exe");
    command
        .arg0("blueque")
        .arg("exec")
        .arg(folder.path())
        .args(["--parent", &std::process::id().to_string()])
        .env_clear()
        .envs(environment(folder, run))
        .current_dir(folder.work())
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // The lease is checked now, because a hanging disk or a frozen supervisor may have delayed the steps before.
    if lease.is_lost() {
        return Ok(None);
    }
    let child = command.spawn().context("no process can be started")?;
    Ok(Some(Started { child, report }))
}

fn environment(folder: &RunFolder, run: &Run) -> Vec<(String, std::ffi::OsString)> {
    let passes = |name: &str| {
        // The server's password is one of the variables with this prefix.
        !name.starts_with("BLUEQUE_") && (process::passes(name) || run.environment.iter().any(|more| more == name))
    };
    let mut all: Vec<(String, std::ffi::OsString)> =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
    all.retain(|(name, _)| passes(name));
    let mut set = |name: &str, value: std::ffi::OsString| all.push((name.to_owned(), value));
    set("BLUEQUE_TASK_ID", run.id.clone().into());
    set("BLUEQUE_QUEUE", run.queue.clone().into());
    set("BLUEQUE_METHOD", run.method.clone().unwrap_or_default().into());
    set("BLUEQUE_ATTEMPT", run.attempt.to_string().into());
    set("BLUEQUE_NODE", run.listener.clone().into());
    set("BLUEQUE_START_REASON", run.start_reason.clone().into());
    set("BLUEQUE_PARAMETERS", folder.parameters().into());
    set("BLUEQUE_EVENTS", folder.events().into());
    set("BLUEQUE_RESULT", folder.result().into());
    set("BLUEQUE_CHECKPOINT", folder.checkpoint().into());
    set("BLUEQUE_OUTPUT_DIR", folder.output().into());
    if let Some(target) = publish::target_of_output(folder, run) {
        set("BLUEQUE_PUBLISHED", target.into());
    }
    set("BLUEQUE_STOP", folder.stop().into());
    // The variable identifies the processes of the run, if its supervisor was killed.
    set("BLUEQUE_RUN", folder.path().into());
    if let Some(trace) = &run.trace {
        for (name, value) in VARIABLES.into_iter().zip(trace.splitn(2, ' ')) {
            set(name, value.into());
        }
    }
    if let Some(index) = run.index {
        set("BLUEQUE_ARRAY_INDEX", index.to_string().into());
    }
    if let Some(cpus) = run.limits.cpus {
        set("BLUEQUE_CPUS", cpus.to_string().into());
    }
    // Without GPUs of its own, the program must not use the GPUs of other tasks.
    if let Some(gpus) = &run.limits.gpus {
        set("BLUEQUE_GPUS", gpus.join(",").into());
        set("CUDA_VISIBLE_DEVICES", gpus.join(",").into());
    }
    if let Some(limit) = run.limits.max_run_ms {
        set("BLUEQUE_DEADLINE", seconds(Duration::from_millis(limit)).into());
    }
    all
}

/// Returns the time that is `from_now` in the future, in seconds since 1970.
pub fn seconds(from_now: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:.3}", now.saturating_add(from_now).as_secs_f64())
}
