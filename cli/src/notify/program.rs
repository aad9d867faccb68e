//! A program of the worker's host as a target: it gets the notice on stdin, and acknowledges it by its exit code 0.

use std::io::{self, PipeReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::message::Message;
use crate::process;

/// Interval between two looks at the program.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes of the program's messages that are kept.
const KEPT: usize = 4096;

/// Runs the program. Its answer is its exit code, or the last line of its messages on stderr.
pub fn run(command: &[String], timeout: Duration, message: &Message) -> Result<String, String> {
    let [program, args @ ..] = command else { return Err("no command".into()) };
    let about = |error: io::Error| format!("{program} cannot be started: {error}");
    let (messages, stderr) = io::pipe().map_err(about)?;
    fcntl(&messages, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(|error| about(error.into()))?;
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(process::passes)))
        .env("BLUEQUE_NOTICE_ID", &message.id)
        .env("BLUEQUE_NOTICE_EVENT", &message.event)
        .env(if message.of == "graph" { "BLUEQUE_GRAPH_ID" } else { "BLUEQUE_TASK_ID" }, &message.subject)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(about)?;
    // The message is shorter than the buffer of a pipe, so this does not wait. The program need not read it.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(message.body.as_bytes()));
    let mut text = Vec::new();
    let ended = wait(&mut child, timeout, &messages, &mut text);
    // Processes that the program has left behind end with it.
    let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
    let Some(status) = ended.map_err(about)? else {
        let _ = wait(&mut child, Duration::from_secs(1), &messages, &mut text);
        return Err(format!("killed after {}s", timeout.as_secs()));
    };
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    match (status.success(), last) {
        (true, _) => Ok("exit code 0".into()),
        (false, "") => Err(status.to_string()),
        (false, last) => Err(format!("{status}: {last}")),
    }
}

/// Waits for the end of the program, and reads its messages. Returns `None` if it does not end in time.
fn wait(
    child: &mut Child,
    limit: Duration,
    mut messages: &PipeReader,
    text: &mut Vec<u8>,
) -> io::Result<Option<std::process::ExitStatus>> {
    let (begun, mut buffer) = (Instant::now(), [0; 4096]);
    loop {
        let ended = child.try_wait()?;
        while let Ok(read @ 1..) = messages.read(&mut buffer) {
            text.extend_from_slice(buffer.get(..read).unwrap_or_default());
            text.drain(..text.len().saturating_sub(KEPT));
            if begun.elapsed() > limit {
                break;
            }
        }
        if ended.is_some() || begun.elapsed() > limit {
            return Ok(ended);
        }
        thread::sleep(LOOK);
    }
}
