//! The threads of a supervisor.

use std::thread::{self, JoinHandle};

use anyhow::{Context, anyhow};

/// Stack size of the supervisor's threads. The default of 2 MiB for each thread counts against the memory that a host
/// commits.
const STACK: usize = 256 << 10;

pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<JoinHandle<T>> {
    let builder = thread::Builder::new().name(name.into()).stack_size(STACK);
    builder.spawn(work).with_context(|| format!("no thread for {name}"))
}

pub fn join<T>(thread: JoinHandle<T>) -> anyhow::Result<T> {
    thread.join().map_err(|_| anyhow!("a thread of the supervisor ended by a bug"))
}
