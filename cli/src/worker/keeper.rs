//! Who looks after a run folder: the one worker that has locked its file `keeper`. The kernel gives
//! the lock back when that worker dies, and then another finds the folder.

use std::fs::File;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::run_folder::{RunFolder, open};

/// The lock, held.
#[derive(Debug)]
pub struct Keeper {
    _file: Flock<File>,
}

impl Keeper {
    /// Takes charge of a folder; none where another worker has it, or it is gone.
    pub fn of(folder: &RunFolder) -> io::Result<Option<Self>> {
        let path = folder.path().join("keeper");
        let file = match open::own(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            // The folder may have been removed between the two steps.
            Ok(file) => Ok(folder.path().exists().then_some(Self { _file: file })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, error)) => Err(error.into()),
        }
    }

    /// Takes charge of a folder just made. Another worker may be looking at it; that is short.
    pub fn of_new(folder: &RunFolder) -> io::Result<Self> {
        let end = Instant::now() + Duration::from_secs(5);
        loop {
            match Self::of(folder)? {
                Some(keeper) => return Ok(keeper),
                None if Instant::now() > end => return Err(io::Error::other("another worker took the new run folder")),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}
