//! Walks through the contents of an output folder, and removes what cannot be published. A walk needs neither many file
//! descriptors nor a deep stack.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::fs::{self, FileType, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use crate::run_folder::open::{Lent, lend};

/// The owner's permissions that are needed to list and to change a folder.
pub const LISTED: u32 = 0o500;
pub const CHANGED: u32 = 0o700;

/// The kernel's limit for the length of a path, without the byte that ends the path.
const PATH: usize = 4095;

/// The kernel's limit for the number of links in a path.
const LINKS: usize = 40;

/// The errors of reading a link at a path that is not a link.
const NO_LINK: [ErrorKind; 3] = [ErrorKind::InvalidInput, ErrorKind::NotFound, ErrorKind::NotADirectory];

/// Maximum number of names in a message.
const NAMED: usize = 5;

/// The reason why output can never be published.
#[derive(Debug)]
pub struct Unpublishable(String);

impl Display for Unpublishable {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unpublishable {}

/// A step of a walk.
pub enum Step<'a> {
    Folder(&'a Path),
    /// A file, a link or anything else.
    Other(&'a Path, FileType),
    /// The end of a folder's contents, with the usual permissions of the folder.
    Left(&'a Path, &'a Permissions),
}

/// Walks through a folder and its contents. Does not follow links.
pub fn walk(root: &Path, look: &mut dyn FnMut(Step) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut waiting: Vec<(PathBuf, Option<Lent>)> = vec![(root.to_owned(), None)];
    let mut walked = Ok(());
    // Permissions are restored even after an error. Inner folders come first.
    while let Some((folder, lent)) = waiting.pop() {
        walked = walked.and_then(|()| {
            if let Some(lent) = lent {
                look(Step::Left(&folder, &lent.usual))
            } else {
                let shown = || folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
                look(Step::Folder(&folder))?;
                let lent = lend(&folder, LISTED).with_context(shown)?;
                let entries = fs::read_dir(&folder).with_context(shown)?;
                let entries = entries.map(|entry| entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))));
                let entries = entries.collect::<io::Result<Vec<_>>>().with_context(shown)?;
                waiting.push((folder.clone(), Some(lent)));
                for (path, kind) in entries {
                    if kind.is_dir() {
                        waiting.push((path, None));
                    } else {
                        look(Step::Other(&path, kind))?;
                    }
                }
                Ok(())
            }
        });
    }
    walked
}

/// Removes everything that must not be published from an output folder: entries that are neither a file, a folder nor a
/// link, and links that lead out of the folder. Such a link could present any file on the host as output. Fails
/// permanently if a path is too long for the kernel, either in this folder or below `target`.
pub fn tidy(output: &Path, target: &Path, say: &dyn Fn(&str)) -> anyhow::Result<()> {
    let base = output.as_os_str().len().max(target.as_os_str().len());
    let most = PATH.saturating_sub(base + 1);
    let mut removed = Vec::new();
    walk(output, &mut |step| {
        let (Step::Folder(path) | Step::Other(path, _) | Step::Left(path, _)) = step;
        let within = path.strip_prefix(output)?;
        // A folder is also refused if its path has the maximum length, because paths of its entries are longer.
        if within.as_os_str().len() > most {
            let text = format!("the output is nested too deeply: a path in it has more than {most} bytes");
            return Err(Unpublishable(text).into());
        }
        if let Step::Other(path, kind) = step
            && !kind.is_file()
            && !(kind.is_symlink() && leads_within(output, within))
        {
            let _lent = path.parent().map(|folder| lend(folder, CHANGED)).transpose()?;
            fs::remove_file(path).with_context(|| within.display().to_string())?;
            removed.push(within.to_owned());
        }
        Ok(())
    })?;
    if !removed.is_empty() {
        let number = removed.len();
        let names: Vec<_> = removed.iter().take(NAMED).map(|path| path.display().to_string()).collect();
        let more = if number > NAMED { format!(" and {} more", number - NAMED) } else { String::new() };
        say(&format!(
            "not published, as it is neither a file nor a folder nor a link that stays in the output: {}{more}",
            names.join(", ")
        ));
    }
    Ok(())
}

/// Returns true if a link is relative and leads to a path in the folder. Each link on the way must also do so. The path
/// need not exist.
fn leads_within(root: &Path, link: &Path) -> bool {
    let mut left: VecDeque<OsString> = parts(link);
    let mut at = PathBuf::new();
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            if !at.pop() {
                return false;
            }
            continue;
        }
        at.push(part);
        let target = match fs::read_link(root.join(&at)) {
            Ok(target) => target,
            // This part of the path is not a link, or does not exist.
            Err(error) if NO_LINK.contains(&error.kind()) => continue,
            Err(_) => return false,
        };
        links += 1;
        if target.is_absolute() || links > LINKS {
            return false;
        }
        at.pop();
        for part in parts(&target).into_iter().rev() {
            left.push_front(part);
        }
    }
    true
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let named = |part: &Component| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().filter(named).map(|part| part.as_os_str().to_owned()).collect()
}
