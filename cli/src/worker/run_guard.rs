//! The run guard of a run folder is the worker that holds the lock of the file `run_guard`. The kernel releases the
//! lock when the worker dies. Then another worker takes the lock and watches the run.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::Flock;

use crate::run_folder::lock::try_lock;
use crate::run_folder::notice::{MOST, Notice, Unfit};
use crate::run_folder::{RunFolder, open};

/// The lock, held by this worker.
#[derive(Debug)]
pub struct RunGuard {
    file: Flock<File>,
    heard: Mutex<Heard>,
}

/// Notices of the run's supervisors that have been read so far.
#[derive(Debug, Default)]
struct Heard {
    bytes: u64,
    lost: bool,
    unfit: Option<Unfit>,
}

impl RunGuard {
    /// Becomes the run guard of a folder. Returns `None` if another worker is its run guard, or if the folder no longer
    /// exists.
    pub fn of(folder: &RunFolder) -> io::Result<Option<Self>> {
        let file = match open::own(&folder.run_guard()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        // The folder may have been removed before the file was locked.
        let file = try_lock(file)?.filter(|_| folder.path().exists());
        Ok(file.map(|file| Self { file, heard: Mutex::default() }))
    }

    /// Returns the notices of the run's supervisors since the last call, even if the folder was removed.
    pub fn notices(&self) -> Vec<Notice> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.file.metadata().map_or(0, |about| about.len()).min(2 * MOST);
        let mut bytes = vec![0; usize::try_from(end.saturating_sub(heard.bytes)).unwrap_or(0)];
        if bytes.is_empty() || self.file.read_exact_at(&mut bytes, heard.bytes).is_err() {
            return Vec::new();
        }
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        heard.bytes += whole as u64;
        let lines = bytes.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n');
        // A program can write to this file. Lines that are not notices are ignored.
        let notices: Vec<Notice> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        heard.lost |= notices.iter().any(|notice| notice.lost);
        heard.unfit = notices.iter().rev().find_map(|notice| notice.unfit.clone()).or_else(|| heard.unfit.take());
        notices
    }

    /// Returns true if a supervisor reported that the result is discarded.
    pub fn has_lost(&self) -> bool {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).lost
    }

    /// Returns the last report of a supervisor that this host lacks something.
    pub fn unfit(&self) -> Option<Unfit> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).unfit.clone()
    }

    /// Becomes the run guard of a new folder. Another worker may hold the lock briefly, while it checks the folder.
    pub fn of_new(folder: &RunFolder) -> io::Result<Self> {
        let end = Instant::now() + Duration::from_secs(5);
        loop {
            match Self::of(folder)? {
                Some(run_guard) => return Ok(run_guard),
                None if Instant::now() > end => return Err(io::Error::other("another worker took the new run folder")),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;
    use crate::run_folder::notice::About;

    #[test]
    fn what_is_said_to_a_keeper_is_heard_once_and_also_when_the_folder_is_gone() {
        let folder = RunFolder::at(std::env::temp_dir().join(format!("blueque-notices-{}", std::process::id())));
        fs::create_dir_all(folder.path()).unwrap();
        let run_guard = RunGuard::of(&folder).unwrap().unwrap();
        let notice = |text: &str, lost| Notice { lost, ..Notice::new(About::End, text.into()) };
        assert!(run_guard.notices().is_empty());
        folder.notify(&notice("one", false)).unwrap();
        assert_eq!(run_guard.notices(), [notice("one", false)]);
        let mut file = open::append(&folder.run_guard()).unwrap();
        file.write_all(b"{}\nwhat a program put there\n{\"about\":").unwrap();
        assert!(run_guard.notices().is_empty() && !run_guard.has_lost());
        file.write_all(b"\"start\",\"text\":\"two\",\"lost\":false}\n").unwrap();
        assert_eq!(run_guard.notices()[0].text, "two");
        folder.notify(&notice("three", true)).unwrap();
        fs::remove_dir_all(folder.path()).unwrap();
        assert_eq!(run_guard.notices(), [notice("three", true)]);
        assert!(run_guard.has_lost() && run_guard.notices().is_empty());
    }

    #[test]
    fn a_folder_is_kept_by_one_also_where_a_link_or_a_pipe_is_in_the_place_of_the_file() {
        let state = std::env::temp_dir().join(format!("blueque-run_guard-{}", std::process::id()));
        let folder = RunFolder::at(state.join("t.1"));
        fs::create_dir_all(folder.path()).unwrap();
        let (file, precious) = (folder.run_guard(), state.join("precious"));
        fs::write(&precious, "precious").unwrap();
        for kind in ["link", "pipe"] {
            let _ = fs::remove_file(&file);
            match kind {
                "link" => symlink(&precious, &file).unwrap(),
                _ => mkfifo(&file, Mode::S_IRWXU).unwrap(),
            }
            let kept = RunGuard::of(&folder).unwrap();
            assert!(kept.is_some() && RunGuard::of(&folder).unwrap().is_none(), "{kind}");
            assert!(fs::symlink_metadata(&file).unwrap().is_file(), "{kind}");
            drop(kept);
            assert!(RunGuard::of(&folder).unwrap().is_some(), "{kind}: it is free again");
        }
        // The link was replaced, and its target was neither locked nor changed.
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        fs::remove_dir_all(&state).unwrap();
    }
}
