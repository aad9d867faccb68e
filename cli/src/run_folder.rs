//! A run folder, `STATE/NAMESPACE/runs/TASKID.TOKEN/`, contains all data of an attempt that must outlive a process. The
//! worker creates the folder, and the supervisor works in it. If they die, another worker finds it. The program can
//! modify the whole folder, so its files are opened only with the functions of `open`.

pub mod end;
pub mod kept;
pub mod lock;
pub mod manifest;
pub mod names;
pub mod notice;
pub mod open;
mod removal;
mod spare;
pub mod step;

use std::env;
use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use blueque::CommandLine;
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::safe_path::private_folders;

/// Version of `run.json` and `end.json` that this binary writes and reads.
pub const VERSION: u32 = 1;

/// Maximum size of a `run.json` that Blueque wrote.
const MOST: u64 = 8 << 20;

/// Space that a small file usually occupies on the disk.
const USUAL: usize = 4 << 10;

/// Age after which the creation or removal of a folder counts as abandoned. If a creation takes longer, for example on
/// a hanging disk, its task is given back.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// The contents of `run.json`: the program to run, and its settings. The file does not contain the password.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub version: u32,
    pub namespace: String,
    pub url: String,
    pub id: String,
    pub queue: String,
    pub token: u64,
    pub attempt: u32,
    /// The token of the last attempt that ended, from the server. If that attempt left data on this host, this attempt
    /// can use it.
    pub previous: Option<u64>,
    pub listener: String,
    pub lease_ms: u64,
    /// Value of `boot_clock_us()` before the reservation was sent. The lease begins at this time.
    pub renewed_us: u64,
    /// Value of `boot_id()`. Times of `boot_clock_us()` are valid only within this boot.
    pub boot: String,
    /// Value of `machine_id()`.
    pub machine: String,
    pub method: Option<String>,
    /// Trace context of the submit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Index of a task of an array.
    pub index: Option<u64>,
    /// The program and its arguments. The program is an absolute path.
    pub program: Vec<String>,
    /// The command line of the task, instead of a program of the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandLine>,
    /// One of `new`, `retry`, `lost`, `requeued`.
    pub start_reason: String,
    /// Names of environment variables that the program inherits in addition to the usual variables.
    pub environment: Vec<String>,
    /// Folder to which outputs of completed tasks go. The default is `STATE/NAMESPACE/output`.
    pub publish: Option<PathBuf>,
    pub on_drain: OnDrain,
    pub limits: Limits,
    /// Number of bytes of the log that the server keeps. `None` selects the server's default.
    pub log_bytes: Option<u64>,
    /// Number of bytes of the log that are kept on disk. `None` selects the default.
    pub keep_log: Option<u64>,
    /// Delay of the task if its program cannot be run here.
    pub pause_ms: u64,
    /// True if the last tasks of the queue ended at once on this host because something was missing. If this task also
    /// ends for this reason, it is given back.
    pub suspect: bool,
}

/// The reaction of a supervisor to an order to drain its listener. SIGTERM always stops the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDrain {
    /// Let the program finish.
    #[default]
    Wait,
    /// Stop the program and give the task back.
    Stop,
}

/// The limits of one attempt. `None` means no limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Time from SIGTERM to SIGKILL.
    pub grace_ms: u64,
    /// Maximum run time of the program, which the program can extend.
    pub max_run_ms: Option<u64>,
    /// Time between SIGUSR1 and the limit on the run time. Only a program that catches the signal gets it.
    pub warn_ms: Option<u64>,
    /// Maximum time without a sign of life: an event, a checkpoint or a byte of output.
    pub no_progress_ms: Option<u64>,
    /// Maximum memory of each of the program's processes, and of all of them together, in bytes.
    pub memory: Option<u64>,
    pub nice: Option<i32>,
    /// Number of processors that the program may use at once.
    pub cpus: Option<f64>,
    /// The GPUs that are given to the program. `None` if the worker does not offer GPUs.
    pub gpus: Option<Vec<String>>,
    /// Number of GPUs that the task needs.
    #[serde(skip)]
    pub gpus_needed: usize,
    /// Maximum size of a result and of a checkpoint.
    pub max_bytes: u32,
    /// The limits that the task has set itself, for error texts. All others are the worker's.
    pub of_task: OfTask,
}

/// Marks the limits that come from the task and not from its worker.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OfTask {
    pub max_run: bool,
    pub no_progress: bool,
    pub memory: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            grace_ms: 10_000,
            max_run_ms: None,
            warn_ms: None,
            no_progress_ms: None,
            memory: None,
            nice: None,
            cpus: None,
            gpus: None,
            gpus_needed: 0,
            max_bytes: 1 << 20,
            of_task: OfTask::default(),
        }
    }
}

/// The paths of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

macro_rules! paths {
    ($($(#[$doc:meta])* $method:ident = $name:literal),+ $(,)?) => {
        $($(#[$doc])* pub fn $method(&self) -> PathBuf { self.path.join($name) })+
    };
}

impl RunFolder {
    /// Returns the run folder at this path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the device and the inode of the folder. They distinguish it from a later folder with the same name.
    pub fn place(&self) -> io::Result<(u64, u64)> {
        fs::symlink_metadata(&self.path).map(|about| (about.dev(), about.ino()))
    }

    paths! {
        run = "run.json",
        parameters = "parameters",
        events = "events",
        checkpoint = "checkpoint",
        stop = "stop",
        result = "result",
        output = "output",
        /// The beginning of stdout, which may be the result.
        stdout = "stdout",
        work = "work",
        lock_file = "lock",
        /// The file that a worker locks while it watches the run. Supervisors write notices for the worker into it.
        run_guard = "run_guard",
        /// A file that exists once the server has accepted the end. Only publication and removal are left.
        accepted = "accepted",
        end_file = "end.json",
        end_payload = "end.payload",
        /// The script that the task carries.
        script = "script",
    }

    /// Creates the folder of an attempt, completely or not at all.
    pub fn create(state: &Path, run: &Run, parameters: &[u8], checkpoint: Option<&[u8]>) -> anyhow::Result<Self> {
        let space = space(state, &run.namespace);
        let runs = space.join("runs");
        private_folders(&runs)?;
        let name = names::run(&run.id, run.token);
        let draft = Self::at(runs.join(names::aside(&name, &std::process::id().to_string())));
        let _ = open::clear(&draft.path);
        let made = draft.fill(&space, run, parameters, checkpoint);
        let folder = Self::at(runs.join(name));
        match made.and_then(|()| fs::rename(&draft.path, &folder.path)) {
            Ok(()) => Ok(folder),
            Err(error) => {
                let _ = open::clear(&draft.path);
                Err(error).with_context(|| format!("the run folder {} cannot be made", folder.path.display()))
            }
        }
    }

    /// Checks that the disk has room for a run folder, by creating a hidden folder of the same size.
    pub fn would_fit(state: &Path, namespace: &str, limits: &Limits) -> io::Result<()> {
        let runs = space(state, namespace).join("runs");
        // The name is random. A process id is not unique, because other containers may share the folder.
        let draft = Self::at(runs.join(names::aside("trial", &uuid::Uuid::new_v4().simple().to_string())));
        open::clear(&draft.path)?;
        let made = private_folders(&draft.output())
            .and_then(|()| private_folders(&draft.work()))
            .and_then(|()| fs::write(draft.run(), [0; USUAL]))
            .and_then(|()| fs::write(draft.parameters(), [0; USUAL]))
            .and_then(|()| draft.set_aside(limits));
        open::clear(&draft.path)?;
        made
    }

    fn fill(&self, space: &Path, run: &Run, parameters: &[u8], checkpoint: Option<&[u8]>) -> io::Result<()> {
        private_folders(&self.output())?;
        private_folders(&self.work())?;
        fs::write(self.run(), serde_json::to_vec(run)?)?;
        fs::write(self.parameters(), parameters)?;
        if let Some(script) = run.command.as_ref().and_then(|command| command.script.as_ref()) {
            fs::write(self.script(), script)?;
        }
        File::create(self.events())?;
        if let Some(saved) = checkpoint {
            fs::write(self.checkpoint(), saved)?;
        }
        self.set_aside(&run.limits)?;
        self.take_kept(space, run);
        Ok(())
    }

    /// Returns the folder in which outputs are published by default.
    pub fn default_publish(&self) -> Option<PathBuf> {
        Some(self.space()?.join("output"))
    }

    /// Returns `STATE/NAMESPACE`.
    fn space(&self) -> Option<&Path> {
        self.path.parent()?.parent()
    }

    /// Returns all run folders of a namespace, except folders that are being created or removed.
    pub fn list(state: &Path, namespace: &str) -> io::Result<Vec<Self>> {
        Self::below(&space(state, namespace))
    }

    /// Returns the run folders of all namespaces. A state folder that does not exist has none.
    pub fn all(state: &Path) -> io::Result<Vec<Self>> {
        let mut folders = Vec::new();
        for space in fs::read_dir(state).into_iter().flatten() {
            let space = space?;
            if space.file_type()?.is_dir() {
                folders.append(&mut Self::below(&space.path())?);
            }
        }
        Ok(folders)
    }

    fn below(space: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(space.join("runs")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() && !names::is_hidden(&entry.file_name()) {
                folders.push(Self::at(entry.path()));
            }
        }
        Ok(folders)
    }

    /// Returns true if the name is the name of this attempt's folder.
    pub fn is_of(&self, id: &str, token: u64) -> bool {
        self.path.file_name().unwrap_or_default() == names::run(id, token).as_str()
    }

    /// Returns the contents of `run.json`.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        open::read(&self.run(), MOST)
    }

    /// Reads and parses `run.json`.
    pub fn read(&self) -> anyhow::Result<Run> {
        let path = self.run();
        let text = self.text().with_context(|| format!("{} cannot be read", path.display()))?;
        let run: Run =
            serde_json::from_slice(&text).with_context(|| format!("{} is not a run's description", path.display()))?;
        if run.version != VERSION {
            bail!("{} has version {}; this blueque reads version {VERSION}", path.display(), run.version);
        }
        Ok(run)
    }

    /// Removes the folder. It is renamed first, so that `list` no longer returns it.
    pub fn remove(&self) -> io::Result<()> {
        let (Some(runs), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Err(io::Error::other("a run folder has a name"));
        };
        let gone = runs.join(names::aside(&name.to_string_lossy(), "gone"));
        open::clear(&gone)?;
        match fs::rename(&self.path, &gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            renamed => renamed?,
        }
        open::clear(&gone)
    }

    /// Removes folders whose creation or removal was interrupted by a crash, and checkpoints that no attempt has used.
    /// Returns the leftovers that cannot be removed.
    pub fn tidy(state: &Path, namespace: &str) -> Vec<(PathBuf, io::Error)> {
        let space = space(state, namespace);
        let mut left = Vec::new();
        for entry in fs::read_dir(space.join("runs")).into_iter().flatten().flatten() {
            if names::is_hidden(&entry.file_name())
                && is_older(&entry, FORGOTTEN)
                && let Err(error) = open::clear(&entry.path())
            {
                left.push((entry.path(), error));
            }
        }
        Self::tidy_kept(&space);
        left
    }
}

fn is_older(entry: &DirEntry, age: Duration) -> bool {
    let modified = entry.metadata().and_then(|about| about.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed > age))
}

/// Returns the state folder: the named folder, or else the folder in the environment, or else the default of this user.
pub fn state_folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = named.map(Path::to_owned).or_else(|| variable("BLUEQUE_STATE_DIR"));
    let base = || variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    let folder = named.or_else(|| base().map(|base| base.join("blueque")));
    let folder = folder.context("no place for the state: set --state-dir or BLUEQUE_STATE_DIR")?;
    Ok(std::path::absolute(folder)?)
}

/// Returns `STATE/NAMESPACE`.
pub fn space(state: &Path, namespace: &str) -> PathBuf {
    state.join(&*names::visible(namespace))
}

/// Returns the time since boot in microseconds, including time in which the machine was suspended.
pub fn boot_clock_us() -> u64 {
    clock_gettime(ClockId::CLOCK_BOOTTIME).map_or(u64::MAX, |time| {
        let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_nsec() / 1_000);
        u64::try_from(micros).unwrap_or(u64::MAX)
    })
}

/// Returns the id of the current boot of the machine, or an empty text if the system does not provide it.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or(String::new(), |id| id.trim().to_owned())
}

/// Returns the id of the machine, or an empty text if the system does not provide it, as in many containers.
pub fn machine_id() -> String {
    fs::read_to_string("/etc/machine-id").map_or(String::new(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests;
