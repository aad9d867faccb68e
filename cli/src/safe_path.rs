//! Checks that only root and the worker's own user can change a path, so that the worker can trust it. Another user who
//! owns a folder or link on the path, or may write to it, can replace it at any time. Therefore each of them is
//! checked.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use nix::unistd::{Gid, Group, Uid, User};

/// The kernel's limit for the number of links in a path.
const LINKS: usize = 40;

/// Reason why a path cannot be trusted.
#[derive(Debug)]
pub enum Refused {
    /// A part of the path does not exist, or cannot be examined.
    Missing(PathBuf, io::Error),
    /// Another user can change the path. The message includes the remedy.
    Open(String),
}

/// The users who may write to a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only root and the user of this process may write to it, and it belongs to one of them.
    Closed,
    /// Like `Closed`, but the group may also write if the owner allowed it, for people who deploy programs.
    Deployed,
    /// Like `Closed`, but it must belong to the user of this process.
    Own,
}

/// Returns the real path, if no other user can replace it. The folders from `base` on, which is a real path, must
/// satisfy the rule `Deployed`, and the path itself must satisfy `rule`.
pub fn resolve(path: &Path, base: Option<&Path>, rule: Rule) -> Result<(PathBuf, Metadata), Refused> {
    let mut left: VecDeque<OsString> = parts(path).collect();
    let mut real = PathBuf::from("/");
    let mut about = look(&real)?;
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        // The rest of the path is resolved in this folder.
        if about.is_dir() {
            pass(&real, &about, base)?;
        }
        if part == ".." {
            real.pop();
            about = look(&real)?;
            continue;
        }
        let next = real.join(&part);
        let found = look(&next)?;
        if !found.is_symlink() {
            (real, about) = (next, found);
            continue;
        }
        // The owner of a link in a folder such as /tmp can replace the link.
        owned(&next, &found, Rule::Closed)?;
        links += 1;
        if links > LINKS {
            return Err(Refused::Open(format!("{} leads through too many links", path.display())));
        }
        let target = fs::read_link(&next).map_err(|error| Refused::Missing(next, error))?;
        if target.is_absolute() {
            real = PathBuf::from("/");
            about = look(&real)?;
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            left.push_front(part);
        }
    }
    owned(&real, &about, rule)?;
    written(&real, &about, rule)?;
    Ok((real, about))
}

/// Creates folders that only their owner can enter, because parameters and logs may be secret.
pub fn private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a folder that other users may read. Fails if other users can write to it or replace it. A group may write to
/// it if the owner allowed it.
pub fn shared_folder(path: &Path) -> io::Result<()> {
    let check = || match resolve(path, None, Rule::Deployed) {
        Ok(_) => Ok(true),
        Err(Refused::Missing(_, error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(Refused::Missing(part, error)) => Err(io::Error::other(format!("{}: {error}", part.display()))),
        Err(Refused::Open(why)) => Err(io::Error::other(why)),
    };
    // Nothing is created behind another user's link, or in another user's folder.
    if !check()? {
        private_folders(path)?;
        check()?;
    }
    Ok(())
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        _ => None,
    })
}

fn look(path: &Path) -> Result<Metadata, Refused> {
    fs::symlink_metadata(path).map_err(|error| Refused::Missing(path.to_owned(), error))
}

/// Checks a folder that contains the rest of a path.
fn pass(folder: &Path, about: &Metadata, base: Option<&Path>) -> Result<(), Refused> {
    let rule = if base.is_some_and(|base| folder.starts_with(base)) { Rule::Deployed } else { Rule::Closed };
    owned(folder, about, rule)?;
    // In a sticky folder, such as /tmp, every user may create entries, but only their owners may replace them.
    if about.mode() & 0o1000 != 0 && about.uid() == 0 {
        return Ok(());
    }
    written(folder, about, rule)
}

fn owned(path: &Path, about: &Metadata, rule: Rule) -> Result<(), Refused> {
    let (owner, own) = (about.uid(), Uid::effective());
    if owner == own.as_raw() || owner == 0 && rule != Rule::Own {
        return Ok(());
    }
    let shown = path.display();
    let user = |id: Uid| User::from_uid(id).ok().flatten().map_or_else(|| format!("uid {id}"), |user| user.name);
    let (owner, own) = (user(Uid::from_raw(owner)), user(own));
    let whose = if rule == Rule::Own || own == "root" { own.clone() } else { format!("{own} or root") };
    Err(Refused::Open(format!("{shown} belongs to {owner}, and must be of {whose}: chown {own} {shown}")))
}

fn written(path: &Path, about: &Metadata, rule: Rule) -> Result<(), Refused> {
    let shown = path.display();
    match about.mode() {
        mode if mode & 0o002 != 0 => Err(Refused::Open(format!("{shown} is writable by others: chmod o-w {shown}"))),
        mode if mode & 0o020 != 0 && rule != Rule::Deployed && !own_group(about.gid()) => {
            Err(Refused::Open(format!("{shown} is writable by its group: chmod g-w {shown}")))
        }
        _ => Ok(()),
    }
}

/// Returns true if a group is root's group, or the private group that most systems give to each user.
fn own_group(gid: u32) -> bool {
    if gid == 0 {
        return true;
    }
    let (Ok(Some(user)), Ok(Some(group))) = (User::from_uid(Uid::effective()), Group::from_gid(Gid::from_raw(gid)))
    else {
        return false;
    };
    user.gid == group.gid && user.name == group.name && group.mem.iter().all(|member| *member == user.name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::{Refused, Rule, resolve};

    #[test]
    fn the_real_path_is_the_one_that_the_kernel_finds() {
        for path in ["/", "/bin/sh", "/usr/../bin/./sh", "/proc/self/../version"] {
            let (real, about) = resolve(Path::new(path), None, Rule::Closed).unwrap();
            assert_eq!(real, std::fs::canonicalize(path).unwrap());
            assert_eq!(about.ino(), std::fs::metadata(path).unwrap().ino());
        }
        assert!(matches!(resolve(Path::new("/nowhere/at/all"), None, Rule::Closed), Err(Refused::Missing(..))));
    }
}
