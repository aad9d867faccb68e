//! A run folder: everything about one attempt that must outlive a process. The worker creates it, the supervisor
//! works in it, and whoever takes over finds it: `STATE/NAMESPACE/runs/TASKID.TOKEN/`. The program can modify all
//! of it, so its files are opened only with `open`.

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
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::safe_path::private_folders;

/// The version of `run.json` and `end.json` that this binary writes and reads.
pub const VERSION: u32 = 1;

/// A larger `run.json` is not ours.
const MOST: u64 = 8 << 20;

/// Typical size of a small file on disk.
const USUAL: usize = 4 << 10;

/// A folder older than this is no longer being created or removed. If creating one takes longer after all, as on a
/// hanging disk, its task is given back.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// What to run and how: `run.json`. The password is not in it; the supervisor gets that another way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub version: u32,
    pub namespace: String,
    pub url: String,
    pub id: String,
    pub queue: String,
    pub token: u64,
    pub attempt: u32,
    /// The token of the last attempt that ended, as the server knows it: this attempt can use what that one left
    /// here.
    pub previous: Option<u64>,
    pub listener: String,
    pub lease_ms: u64,
    /// `boot_clock_us()` from before the reservation was sent: the lease counts from there.
    pub renewed_us: u64,
    /// `boot_id()`: the clock is valid only within this boot.
    pub boot: String,
    /// `machine_id()`.
    pub machine: String,
    pub method: Option<String>,
    /// The index of an element of an array.
    pub index: Option<u64>,
    /// The program and its arguments; the program is an absolute path.
    pub program: Vec<String>,
    /// `new retry lost requeued`
    pub start_reason: String,
    /// Names of further environment variables of the supervisor that the program gets.
    pub environment: Vec<String>,
    /// Where outputs of completed tasks go; default: `STATE/NAMESPACE/output`.
    pub publish: Option<PathBuf>,
    pub on_drain: OnDrain,
    pub limits: Limits,
    /// How much of the log the server keeps; none: its default.
    pub log_bytes: Option<u64>,
    /// How much of the log is kept on disk; none: the default.
    pub keep_log: Option<u64>,
    /// How long the task is held back if its program cannot be run here.
    pub pause_ms: u64,
    /// The last tasks of the queue ended here at once because something was missing: this one is given back in that
    /// case.
    pub suspect: bool,
}

/// What a supervisor does when its listener is ordered to drain. SIGTERM always stops the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDrain {
    /// Let the program finish.
    #[default]
    Wait,
    /// Stop the program and give the task back.
    Stop,
}

/// The limits of one attempt. `None`: no limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// From SIGTERM to SIGKILL.
    pub grace_ms: u64,
    /// Maximum run time of the program; it can extend this.
    pub max_run_ms: Option<u64>,
    /// How long before that limit it gets SIGUSR1, if it wants it.
    pub warn_ms: Option<u64>,
    /// Maximum time without a sign of life: an event, a checkpoint or a byte of output.
    pub no_progress_ms: Option<u64>,
    /// Bytes of address space of each of its processes.
    pub memory: Option<u64>,
    pub nice: Option<i32>,
    /// Maximum size of a result and of a checkpoint.
    pub max_bytes: u32,
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
            max_bytes: 1 << 20,
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
    /// A folder that exists already.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Identifies the folder, as another one of this name may be created after it is removed.
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
        /// Locked by the worker that watches the run; also has messages of the supervisor to the worker.
        keeper = "keeper",
        /// The server accepted the end: only publication and removal are left.
        accepted = "accepted",
        end_file = "end.json",
        end_payload = "end.payload",
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

    /// Whether the disk has room for the folder of an attempt; tried without creating one.
    pub fn would_fit(state: &Path, namespace: &str, limits: &Limits) -> io::Result<()> {
        let runs = space(state, namespace).join("runs");
        // A process id would be that of other containers, too.
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
        File::create(self.events())?;
        if let Some(saved) = checkpoint {
            fs::write(self.checkpoint(), saved)?;
        }
        self.set_aside(&run.limits)?;
        self.take_kept(space, run);
        Ok(())
    }

    /// Where outputs are published by default.
    pub fn default_publish(&self) -> Option<PathBuf> {
        Some(self.space()?.join("output"))
    }

    /// `STATE/NAMESPACE`.
    fn space(&self) -> Option<&Path> {
        self.path.parent()?.parent()
    }

    /// All run folders of a namespace, except those that are being created or removed.
    pub fn list(state: &Path, namespace: &str) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(space(state, namespace).join("runs")) {
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

    /// Whether it is the folder of this attempt, by its name.
    pub fn is_of(&self, id: &str, token: u64) -> bool {
        self.path.file_name().unwrap_or_default() == names::run(id, token).as_str()
    }

    /// The contents of `run.json`.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        open::read(&self.run(), MOST)
    }

    /// Reads `run.json`.
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

    /// Removes the folder: first from `list`, then its contents.
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

    /// Removes leftovers of crashes while folders were created or removed, and checkpoints that were not collected. Returns
    /// the leftovers that cannot be removed.
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

/// The state folder: as named, else from the environment, else the default of this user.
pub fn state_folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = named.map(Path::to_owned).or_else(|| variable("BLUEQUE_STATE_DIR"));
    let base = || variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    let folder = named.or_else(|| base().map(|base| base.join("blueque")));
    let folder = folder.context("no place for the state: set --state-dir or BLUEQUE_STATE_DIR")?;
    Ok(std::path::absolute(folder)?)
}

/// `STATE/NAMESPACE`.
pub fn space(state: &Path, namespace: &str) -> PathBuf {
    state.join(&*names::visible(namespace))
}

/// Microseconds of the clock that also counts suspended time.
pub fn boot_clock_us() -> u64 {
    clock_gettime(ClockId::CLOCK_BOOTTIME).map_or(u64::MAX, |time| {
        let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_nsec() / 1_000);
        u64::try_from(micros).unwrap_or(u64::MAX)
    })
}

/// Identifies the boot of the machine; empty if the system does not say.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or(String::new(), |id| id.trim().to_owned())
}

/// Identifies the machine; empty if the system does not say, as in many containers.
pub fn machine_id() -> String {
    fs::read_to_string("/etc/machine-id").map_or(String::new(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests;
