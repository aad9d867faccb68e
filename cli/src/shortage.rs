//! Shortages of resources that prevent the start of tasks on a host, and the exit codes with which a supervisor reports
//! a shortage or the end of its task to the worker.

use std::io;
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;

/// The first words of the report of a worker that cannot start any task.
pub const NOTHING: &str = "takes nothing: ";

/// The last words of the report of a worker with a program that is not executable.
pub const NOT_EXECUTABLE: &str = " is not executable: chmod +x";

/// An attempt that ends within this time counts as ended at once.
pub const QUICK: Duration = Duration::from_secs(10);

/// Exit code of a supervisor whose task failed, or is retried after a failure. The worker counts these exits.
pub const FAILED: u8 = 10;

/// Exit code of a supervisor whose task was given back, or was cancelled.
pub const RELEASED: u8 = 16;

/// Exit code of a supervisor that lost its lease, so that the result of its program is discarded.
pub const LOST: u8 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    Space,
    Processes,
    Files,
    Memory,
    /// The limit on the size of files is too low.
    Size,
}

/// Exit codes of a supervisor that report shortages.
const CODES: [(Shortage, u8); 5] = [
    (Shortage::Space, 11),
    (Shortage::Processes, 12),
    (Shortage::Files, 13),
    (Shortage::Memory, 14),
    (Shortage::Size, 15),
];

impl Shortage {
    /// Returns the shortage that caused an error, or `None` if the error has another cause.
    pub fn of(error: &anyhow::Error) -> Option<Self> {
        error.chain().find_map(|cause| {
            let number = match cause.downcast_ref::<io::Error>() {
                Some(error) => Errno::from_raw(error.raw_os_error()?),
                None => *cause.downcast_ref::<Errno>()?,
            };
            Some(match number {
                Errno::ENOSPC | Errno::EDQUOT => Self::Space,
                Errno::EAGAIN => Self::Processes,
                Errno::EMFILE | Errno::ENFILE => Self::Files,
                Errno::ENOMEM => Self::Memory,
                Errno::EFBIG => Self::Size,
                _ => return None,
            })
        })
    }

    pub fn code(self) -> u8 {
        CODES.iter().find(|(shortage, _)| *shortage == self).map_or(1, |&(_, code)| code)
    }

    pub fn of_code(code: i32) -> Option<Self> {
        CODES.iter().find(|(_, known)| i32::from(*known) == code).map(|&(shortage, _)| shortage)
    }

    /// Returns a sentence that describes the shortage and its remedy.
    pub fn words(self, state: &Path) -> String {
        match self {
            Self::Space => format!("no space is left on the disk of {}, or no inodes: make room", state.display()),
            Self::Processes => {
                "no more processes or threads can be started: raise ulimit -u, or TasksMax of its unit".to_owned()
            }
            Self::Files => "too many files are open: raise ulimit -n".to_owned(),
            Self::Memory => "no memory is left to start a process".to_owned(),
            Self::Size => {
                "files may not be as large as a task needs: raise ulimit -f, or LimitFSIZE of its unit".to_owned()
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn what_a_host_lacks_is_known_behind_any_context_and_by_the_exit_code() {
        let of = |number: Errno| {
            let error: io::Result<()> = Err(io::Error::from_raw_os_error(number as i32));
            Shortage::of(&error.context("no thread for eyes").unwrap_err())
        };
        for (shortage, code) in CODES {
            assert_eq!((shortage.code(), Shortage::of_code(code.into())), (code, Some(shortage)));
        }
        assert_eq!(of(Errno::ENOSPC), Some(Shortage::Space));
        assert_eq!(of(Errno::EAGAIN), Some(Shortage::Processes));
        assert_eq!(of(Errno::ENOENT), None);
        assert_eq!(Shortage::of(&anyhow::Error::new(Errno::EMFILE).context("no timer")), Some(Shortage::Files));
        assert_eq!(Shortage::of_code(0), None);
    }
}
