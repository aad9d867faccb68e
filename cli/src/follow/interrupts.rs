//! Signals that end a command which follows a task: the command hears of them, and what becomes of the task is said.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// The last one that came and was not taken yet.
#[derive(Debug)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// From now on they are heard, and end nothing by themselves.
    pub fn hear() -> anyhow::Result<Self> {
        let last = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            // Noting it is all that is done in the handler.
            signal_hook::flag::register_usize(signal, Arc::clone(&last), usize::try_from(signal)?)?;
        }
        Ok(Self(last))
    }

    /// Whether one came since it was asked last.
    pub fn came(&self) -> bool {
        self.0.swap(0, Ordering::AcqRel) > 0
    }

    /// Whether one came; it can be asked again.
    pub fn waits(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }

    /// Ends this process as the signal that came would have. Comes back where none came.
    pub fn obey(&self) -> anyhow::Result<()> {
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Acquire)) {
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
        Ok(())
    }
}
