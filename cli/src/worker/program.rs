//! Finds the program of a task: `worker.d/NAME`. A name from Redis never leads out of the folder. Only the worker's own
//! user and root control the contents of the folder.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use blueque::CommandLine;
use clap::ValueEnum;
use nix::unistd::{AccessFlags, access};

use crate::command_line::proof;
use crate::file::on_path;
use crate::output::{Code, fault};
use crate::safe_path::{Refused, Rule, resolve};
use crate::shortage::NOT_EXECUTABLE;

/// The programs of a worker.
#[derive(Clone, Debug)]
pub enum Programs {
    /// A folder with one file for each method.
    Folder(PathBuf),
    /// A single command for every task.
    Fixed(Vec<String>),
    /// No program: the worker runs only tasks that have a command line.
    None,
}

/// Whose command lines a worker runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allow {
    /// Of everyone who may submit tasks
    Any,
    /// Of processes that can read the key of this unix user, ~/.config/blueque/commands.key
    User,
}

/// The command lines of tasks that a worker runs.
#[derive(Debug)]
pub struct Commands {
    /// The key of this user, if the worker runs only commands of this user.
    key: Option<Vec<u8>>,
}

impl Commands {
    pub fn new(allow: Allow) -> anyhow::Result<Self> {
        let key = (allow == Allow::User).then(proof::key).transpose();
        Ok(Self { key: key.map_err(|error| fault(Code::Usage, format!("--allow-commands=user: {error:#}")))? })
    }

    /// Returns the command line of a task, or the reason why it does not run here. `ids` are those of the task and its
    /// graph.
    pub fn read(&self, text: &str, namespace: &str, ids: &[&str]) -> Result<CommandLine, Unfit> {
        let command = CommandLine::read(text).ok_or_else(|| "its command cannot be read".to_owned())?;
        match &self.key {
            Some(key) if !proof::is_proved(&command, key, namespace, ids) => {
                let user = command.user.as_deref().unwrap_or("somebody");
                let why = "does not prove that a process of this unix user has submitted it: --allow-commands=user";
                Err(Unfit::Absent(format!("its command, of {user} as it says, {why}")))
            }
            _ => Ok(command),
        }
    }
}

/// Reason why a task cannot run here.
#[derive(Debug)]
pub enum Unfit {
    /// The program does not exist or cannot be run now. A deployment may be in progress, or another worker may have the
    /// program.
    Absent(String),
    /// Other tasks of this host hold the shares that the task needs.
    NoShares,
    /// No worker may run the program. The task fails with this reason.
    Never(String),
}

impl From<String> for Unfit {
    fn from(why: String) -> Self {
        Self::Never(why)
    }
}

/// The modification times of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp(i64, i64, i64, i64);

/// Maximum size in bytes of the list of programs in a worker's report.
const TOLD: usize = 8_192;

impl Programs {
    /// Returns the programs of an existing folder.
    pub fn folder(path: &Path) -> anyhow::Result<Self> {
        let path = std::path::absolute(path)?;
        if !path.is_dir() {
            let how = "make it, with an executable file for each kind of task, or name another by --dir";
            return Err(fault(Code::Usage, format!("there is no folder {}: {how}", path.display())));
        }
        trusted_folder(&path).map_err(|text| fault(Code::Usage, text))?;
        Ok(Self::Folder(path))
    }

    /// Returns a fixed command. The command's program is looked up on `PATH` here, once.
    pub fn fixed(command: &[String]) -> anyhow::Result<Self> {
        let Some((program, args)) = command.split_first() else { bail!("no command after --") };
        let found = if program.contains('/') {
            Some(std::path::absolute(program)?)
        } else {
            on_path(program).into_iter().find(|file| runnable(file))
        };
        let found = found.filter(|file| runnable(file)).ok_or_else(|| {
            fault(Code::Usage, format!("{program} is not a program: name one that is on PATH, or the path of one"))
        })?;
        let found = found.to_str().with_context(|| format!("the path of {program} is not UTF-8"))?.to_owned();
        Ok(Self::Fixed(std::iter::once(found).chain(args.iter().cloned()).collect()))
    }

    /// Returns a stamp that changes when the folder is changed. `None` if there is no folder.
    pub fn stamp(&self) -> Option<Stamp> {
        let Self::Folder(folder) = self else { return None };
        let about = fs::metadata(folder).ok()?;
        Some(Stamp(about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()))
    }

    /// Returns the methods that have programs, as a worker reports them. `*` stands for any method. `None` if the list
    /// is too long.
    pub fn methods(&self) -> Option<String> {
        let folder = match self {
            Self::Folder(folder) => folder,
            Self::Fixed(_) => return Some("*".to_owned()),
            Self::None => return Some(".".to_owned()),
        };
        let entries = fs::read_dir(folder).ok()?.flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| is_name(name) && runnable(&folder.join(name)));
        names.sort_unstable();
        // No program is named `.`, so `.` distinguishes an empty folder from an unknown folder.
        let told = if names.is_empty() { ".".to_owned() } else { names.join(",") };
        Some(told).filter(|told| told.len() <= TOLD)
    }

    /// Returns the command line for a task, or the reason why it has none.
    pub fn command(&self, method: &str) -> Result<Vec<String>, Unfit> {
        match self {
            Self::Fixed(command) => Ok(command.clone()),
            Self::None => Err(Unfit::Absent("this worker has no programs: it runs only tasks of `blueque add`".into())),
            Self::Folder(folder) => {
                let file = find(folder, method)?;
                let file = file.to_str().ok_or_else(|| Unfit::Never(format!("the path of {method} is not UTF-8")))?;
                Ok(vec![file.to_owned()])
            }
        }
    }
}

/// Returns true if a file of this name can be a program.
fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.bytes().all(plain)
}

fn find(folder: &Path, name: &str) -> Result<PathBuf, Unfit> {
    if !is_name(name) {
        let why = format!("{name:?} cannot be a program: a name has letters, digits, . _ - and begins with no dot");
        return Err(why.into());
    }
    // The folder is checked for each task, because a deployment may have changed it. If there is a problem with it, the
    // task does not fail.
    let folder = trusted_folder(folder).map_err(Unfit::Absent)?;
    let (file, about) = match resolve(&folder.join(name), Some(&folder), Rule::Deployed) {
        Ok(found) => found,
        Err(Refused::Open(why)) => return Err(why.into()),
        Err(Refused::Missing(_, error)) if error.kind() == ErrorKind::NotFound => {
            return Err(Unfit::Absent(format!("there is no program {name} in {}", folder.display())));
        }
        Err(Refused::Missing(path, error)) => {
            return Err(Unfit::Absent(format!("{} cannot be looked at: {error}", path.display())));
        }
    };
    if !file.starts_with(&folder) {
        return Err(format!("{name} is a link that leads out of {}", folder.display()).into());
    }
    if !about.is_file() {
        return Err(format!("{name} is not a file").into());
    }
    if access(&file, AccessFlags::X_OK).is_err() {
        return Err(Unfit::Absent(format!("{}{NOT_EXECUTABLE}", file.display())));
    }
    Ok(file)
}

/// Returns the folder's real path, if no other user can put programs there.
fn trusted_folder(folder: &Path) -> Result<PathBuf, String> {
    match resolve(folder, None, Rule::Deployed) {
        Ok((real, about)) if about.is_dir() => Ok(real),
        Ok((real, _)) => Err(format!("{} is not a folder", real.display())),
        Err(Refused::Open(why)) => Err(why),
        Err(Refused::Missing(path, error)) => Err(format!("{} cannot be looked at: {error}", path.display())),
    }
}

/// Returns true if a program that was not executable is now, or is gone.
pub fn is_mended(why: &str) -> bool {
    let file = why.strip_suffix(NOT_EXECUTABLE).map(Path::new);
    file.is_some_and(|file| runnable(file) || !file.exists())
}

fn runnable(file: &Path) -> bool {
    file.is_file() && access(file, AccessFlags::X_OK).is_ok()
}
