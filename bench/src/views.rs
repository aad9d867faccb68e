//! The views of a queue with a million tasks.

use std::io::Read;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::programs::binary;
use crate::server::{Result, Server, median, scripts_called};

/// Returns the median seconds of some runs of a command.
pub fn took(server: &Server, times: usize, words: &[&str]) -> Result<f64> {
    let mut took = Vec::new();
    for _ in 0..times {
        let mut command = Command::new(binary()?);
        command.args(["--url", &format!("unix://{}", server.socket().display())]).args(words);
        let began = Instant::now();
        // The exit code is ignored: findings of `doctor`, such as no living worker, do not concern the benchmark.
        let output = command.stdin(Stdio::null()).output()?;
        took.push(began.elapsed().as_secs_f64());
        if output.stdout.is_empty() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(median(took))
}

/// The cost of `blueque top`.
pub struct Top {
    /// Milliseconds per second that the server's scripts take. `top` polls once per second.
    pub second: f64,
    /// Milliseconds until the first picture.
    pub first: f64,
}

/// Runs `blueque top` on a terminal, which `script` of util-linux creates. `sees`: a text that a picture with data
/// contains.
pub fn top(server: &Server, sees: &'static str) -> Result<Top> {
    let url = format!("unix://{}", server.socket().display());
    let line = format!("stty rows 50 cols 160; exec '{}' --url '{url}' top", binary()?.display());
    let began = Instant::now();
    let mut child = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`script`, of util-linux: {error}"))?;
    let screen = child.stdout.take().ok_or("no screen")?;
    let measured = watched(server, screen, sees, began);
    let _ = child.kill();
    let _ = child.wait();
    measured
}

fn watched(server: &Server, mut screen: ChildStdout, sees: &'static str, began: Instant) -> Result<Top> {
    const WATCHED: Duration = Duration::from_secs(10);
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let (mut shown, mut buffer) = (String::new(), [0; 4096]);
        while let Ok(read @ 1..) = screen.read(&mut buffer) {
            shown.push_str(&String::from_utf8_lossy(buffer.get(..read).unwrap_or_default()));
            if shown.contains(sees) {
                let _ = tell.send(Instant::now());
                shown.clear();
            }
        }
    });
    let first = told.recv_timeout(Duration::from_secs(60))? - began;
    let mut connection = server.connect()?;
    redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection)?;
    thread::sleep(WATCHED);
    let (_, seconds) = scripts_called(&mut connection)?;
    Ok(Top { second: seconds / WATCHED.as_secs_f64() * 1000.0, first: first.as_secs_f64() * 1000.0 })
}
