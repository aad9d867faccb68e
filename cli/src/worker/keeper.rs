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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn a_folder_is_kept_by_one_also_where_a_link_or_a_pipe_is_in_the_place_of_the_file() {
        let state = std::env::temp_dir().join(format!("blueque-keeper-{}", std::process::id()));
        let folder = RunFolder::at(state.join("t.1"));
        fs::create_dir_all(folder.path()).unwrap();
        let (file, precious) = (folder.path().join("keeper"), state.join("precious"));
        fs::write(&precious, "precious").unwrap();
        for kind in ["link", "pipe"] {
            let _ = fs::remove_file(&file);
            match kind {
                "link" => symlink(&precious, &file).unwrap(),
                _ => mkfifo(&file, Mode::S_IRWXU).unwrap(),
            }
            let kept = Keeper::of(&folder).unwrap();
            assert!(kept.is_some() && Keeper::of(&folder).unwrap().is_none(), "{kind}");
            assert!(fs::symlink_metadata(&file).unwrap().is_file(), "{kind}");
            drop(kept);
            assert!(Keeper::of(&folder).unwrap().is_some(), "{kind}: it is free again");
        }
        // A lock of what the link led to would have kept others out of that.
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        fs::remove_dir_all(&state).unwrap();
    }
}
