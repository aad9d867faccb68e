//! The lock of a run folder. The supervisor holds the lock, and the kernel releases it when the supervisor ends.

use std::fs::File;
use std::io::{self, Seek, Write};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::{RunFolder, open};
use crate::process::Process;

/// Maximum size of a file that Blueque wrote.
const MOST: u64 = 64 << 10;

/// The processes that work on a run, according to the lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub supervisor: Process,
    /// The program, once it has started.
    pub program: Option<Process>,
}

/// A held lock.
#[derive(Debug)]
pub struct Lock {
    file: Flock<File>,
}

/// Locks a file. Returns `None` if another process has the lock.
pub fn try_lock(file: File) -> io::Result<Option<Flock<File>>> {
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(file) => Ok(Some(file)),
        Err((_, Errno::EWOULDBLOCK)) => Ok(None),
        Err((_, error)) => Err(error.into()),
    }
}

impl RunFolder {
    /// Takes the lock. Returns `None` if another process has it.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        Ok(try_lock(open::own(&self.lock_file())?)?.map(|file| Lock { file }))
    }

    /// Returns the present or last holder of the lock. Returns `None` if there was no holder, or if the file is
    /// damaged.
    pub fn holder(&self) -> Option<Holder> {
        serde_json::from_slice(&open::read(&self.lock_file(), MOST).ok()?).ok()
    }
}

impl Lock {
    /// Returns true if no holder was written yet.
    pub fn is_blank(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.len() == 0)
    }

    /// Clears the holder.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)
    }

    /// Writes the holder.
    pub fn write(&mut self, holder: &Holder) -> io::Result<()> {
        let text = serde_json::to_vec(holder)?;
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.file.set_len(text.len() as u64)
    }
}
