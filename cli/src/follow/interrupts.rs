//! Signals that end a command that follows a task. The command catches them, to report what happens to the task.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::output::say;

/// The last signal that arrived and has not been handled.
#[derive(Debug)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Catches signals from this call on.
    pub fn hear() -> anyhow::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            // The handler only records the signal.
            signal_hook::flag::register_usize(signal, Arc::clone(&last), usize::try_from(signal)?)?;
        }
        Ok(Self(last))
    }

    /// Returns true if a signal arrived since the last call.
    pub fn came(&self) -> bool {
        self.0.swap(0, Ordering::AcqRel) > 0
    }

    /// Returns true if a signal arrived. Unlike `came`, keeps the signal.
    pub fn waits(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }

    /// Ends the line in which the terminal shows `^C`.
    pub fn end_line() {
        if io::stderr().is_terminal() {
            say("");
        }
    }

    /// Ends this process as the caught signal would have ended it. Returns if there was no signal.
    pub fn obey(&self) -> anyhow::Result<()> {
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Acquire)) {
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
        Ok(())
    }
}
