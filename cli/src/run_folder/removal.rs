//! Removes a folder with deeply nested contents. A program can create paths that are longer than the kernel accepts,
//! and more levels than a process may have open descriptors. Therefore each nested folder is moved up into the root
//! folder, renamed to a number, and emptied there.

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::NixPath;
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat, renameat};
use nix::sys::stat::{Mode, fstat};
use nix::unistd::{UnlinkatFlags, unlinkat};

/// The permissions of the owner that are needed to empty and to move a folder.
const CHANGED: u32 = 0o700;

struct Removal {
    root: OwnedFd,
    /// Numbers of folders that were moved into the root.
    left: Vec<u64>,
    next: u64,
    failed: Option<Errno>,
}

/// Removes a folder with its contents. Does not follow links. Removes as much as possible, and returns the first error.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    permit(AT_FDCWD, path);
    let mut removal = Removal { root: folder(AT_FDCWD, path)?, left: Vec::new(), next: 0, failed: None };
    removal.empty(".")?;
    while let Some(number) = removal.left.pop() {
        let name = number.to_string();
        let removed =
            removal.empty(&name).and_then(|()| unlinkat(&removal.root, name.as_str(), UnlinkatFlags::RemoveDir));
        removal.failed = removal.failed.or(removed.err());
    }
    removal.failed.map_or_else(|| fs::remove_dir(path), |error| Err(error.into()))
}

impl Removal {
    /// Removes the files of a folder in the root, and moves its folders into the root.
    fn empty(&mut self, name: &str) -> nix::Result<()> {
        let here = folder(&self.root, name)?;
        let mut folders: Vec<CString> = Vec::new();
        for entry in Dir::from_fd(folder(&here, ".")?)?.iter() {
            let entry = entry?;
            let name = entry.file_name();
            if [c".", c".."].contains(&name) {
                continue;
            }
            match remove(&here, name) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(Errno::ENOTEMPTY | Errno::EEXIST) => folders.push(name.to_owned()),
                Err(error) => self.failed = self.failed.or(Some(error)),
            }
        }
        for name in folders {
            self.lift(&here, &name);
        }
        Ok(())
    }

    fn lift(&mut self, from: &OwnedFd, name: &CStr) {
        permit(from, name);
        loop {
            let number = self.next;
            self.next += 1;
            match renameat(from, name, &self.root, number.to_string().as_str()) {
                Ok(()) => return self.left.push(number),
                // The program has used this number as a name, so the next number is tried.
                Err(Errno::EEXIST | Errno::ENOTEMPTY | Errno::ENOTDIR) => {}
                Err(Errno::ENOENT) => return,
                Err(error) => {
                    self.failed = self.failed.or(Some(error));
                    return;
                }
            }
        }
    }
}

/// Removes a file or an empty folder.
fn remove(from: &OwnedFd, name: &CStr) -> nix::Result<()> {
    match unlinkat(from, name, UnlinkatFlags::NoRemoveDir) {
        Err(error @ (Errno::EISDIR | Errno::EPERM)) => match unlinkat(from, name, UnlinkatFlags::RemoveDir) {
            Err(Errno::ENOTDIR) => Err(error),
            removed => removed,
        },
        removed => removed,
    }
}

fn folder<P: ?Sized + NixPath>(at: impl AsFd, path: &P) -> nix::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(at, path, flags, Mode::empty())
}

/// Gives the owner all permissions on a folder, because a program may have removed them. Ignores errors, because the
/// operation that needs the permissions then fails and reports the cause.
fn permit<P: ?Sized + NixPath>(at: impl AsFd, path: &P) {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    if let Ok(folder) = openat(at, path, flags, Mode::empty())
        && fstat(&folder).is_ok_and(|about| about.st_mode & CHANGED != CHANGED)
    {
        let open = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let _ = fs::set_permissions(open, Permissions::from_mode(CHANGED));
    }
}
