//! What people look at on a queue with a million tasks.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::programs::binary;
use crate::server::{Result, Server, median};

/// Seconds of the median of some runs of a command.
pub fn took(server: &Server, times: usize, words: &[&str]) -> Result<f64> {
    let mut took = Vec::new();
    for _ in 0..times {
        let mut command = Command::new(binary()?);
        command.args(["--url", &format!("unix://{}", server.socket().display())]).args(words);
        let began = Instant::now();
        // Findings of `doctor`, such as no living worker, are none of the benchmark's concern.
        let output = command.stdin(Stdio::null()).output()?;
        took.push(began.elapsed().as_secs_f64());
        if output.stdout.is_empty() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(median(took))
}
