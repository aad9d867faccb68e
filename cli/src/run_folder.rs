//! A run folder: everything about one attempt that must outlive a process. The worker makes it, the
//! supervisor works in it, and whoever takes over finds it: `STATE/NAMESPACE/runs/TASKID.TOKEN/`.

pub mod end;
pub mod lock;

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The version of `run.json` and `end.json` that this binary writes and reads.
pub const VERSION: u32 = 1;

/// Larger checkpoints than the server takes are kept for a later attempt on this host.
pub const KEPT: &str = "kept";
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3_600);

/// What to run and how: `run.json`. Without the password, which the supervisor gets by another way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub version: u32,
    pub namespace: String,
    pub url: String,
    pub id: String,
    pub queue: String,
    pub token: u64,
    pub attempt: u32,
    pub listener: String,
    pub lease_ms: u64,
    /// `boot_clock_us()` from before the sending of the reservation: the lease runs from there.
    pub renewed_us: u64,
    /// `boot_id()`: that clock is of this boot only.
    pub boot: String,
    #[serde(default)]
    pub method: Option<String>,
    /// The program and its arguments; the program is an absolute path.
    pub program: Vec<String>,
    /// `new retry lost requeued`
    pub start_reason: String,
    /// Names of further variables of the supervisor's environment that the program gets.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Where outputs of completed tasks go; by default `STATE/NAMESPACE/output`.
    #[serde(default)]
    pub publish: Option<PathBuf>,
    #[serde(default)]
    pub on_drain: OnDrain,
    #[serde(default)]
    pub limits: Limits,
}

/// What a supervisor does when its listener is ordered to drain. SIGTERM always stops the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDrain {
    /// Let the program end by itself.
    #[default]
    Wait,
    /// Stop it, and give the task back.
    Stop,
}

/// The limits of one attempt. What is none has no limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// From SIGTERM to SIGKILL.
    pub grace_ms: u64,
    /// How long the program may run; it can extend this.
    pub max_run_ms: Option<u64>,
    /// How long before that it gets SIGUSR1, where it wants it.
    pub warn_ms: Option<u64>,
    /// How long it may give no sign of life: no event, checkpoint or byte of output.
    pub no_progress_ms: Option<u64>,
    /// Bytes of address space of each of its processes.
    pub memory: Option<u64>,
    pub nice: Option<i32>,
    /// Of a result and of a checkpoint.
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

    paths! {
        run = "run.json",
        parameters = "parameters",
        events = "events",
        checkpoint = "checkpoint",
        stop = "stop",
        result = "result",
        output = "output",
        log = "log",
        /// The beginning of stdout, which may be the result.
        stdout = "stdout",
        work = "work",
        lock_file = "lock",
        /// The server accepted the end: only the publication and the removal are left.
        accepted = "accepted",
        end_file = "end.json",
        end_payload = "end.payload",
    }

    /// Makes the folder of an attempt, whole or not at all.
    pub fn create(state: &Path, run: &Run, parameters: &[u8], checkpoint: Option<&[u8]>) -> anyhow::Result<Self> {
        let space = space(state, &run.namespace);
        let runs = space.join("runs");
        private_folders(&runs)?;
        let name = format!("{}.{}", run.id, run.token);
        // A leading dot hides it from `list` until it is whole.
        let draft = Self::at(runs.join(format!(".{name}.{}", std::process::id())));
        let _ = fs::remove_dir_all(&draft.path);
        let made = draft.fill(&space, run, parameters, checkpoint);
        let folder = Self::at(runs.join(name));
        match made.and_then(|()| fs::rename(&draft.path, &folder.path)) {
            Ok(()) => Ok(folder),
            Err(error) => {
                let _ = fs::remove_dir_all(&draft.path);
                Err(error).with_context(|| format!("the run folder {} cannot be made", folder.path.display()))
            }
        }
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
        self.take_kept(&space.join(KEPT), run)
    }

    /// The attempt just before this one may have run here too, and saved more than the server has.
    fn take_kept(&self, kept: &Path, run: &Run) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(kept) else { return Ok(()) };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let old = || entry.metadata().ok()?.modified().ok()?.elapsed().ok().filter(|&age| age > KEPT_FOR);
            match name.to_str().and_then(|name| name.strip_prefix(&run.id)?.strip_prefix('.')?.parse::<u32>().ok()) {
                Some(attempt) if attempt + 1 == run.attempt => fs::rename(entry.path(), self.checkpoint())?,
                Some(_) => fs::remove_file(entry.path())?,
                None if old().is_some() => fs::remove_file(entry.path())?,
                None => {}
            }
        }
        Ok(())
    }

    /// Keeps a checkpoint that is too large for the server for the next attempt on this host.
    pub fn keep_checkpoint(&self, run: &Run) -> io::Result<()> {
        let Some(space) = self.space() else { return Ok(()) };
        let kept = space.join(KEPT);
        private_folders(&kept)?;
        fs::rename(self.checkpoint(), kept.join(format!("{}.{}", run.id, run.attempt)))
    }

    /// Where outputs are published unless the run says otherwise.
    pub fn default_publish(&self) -> Option<PathBuf> {
        Some(self.space()?.join("output"))
    }

    /// `STATE/NAMESPACE`.
    fn space(&self) -> Option<&Path> {
        self.path.parent()?.parent()
    }

    /// Every run folder of a namespace; those that are being made or removed are not among them.
    pub fn list(state: &Path, namespace: &str) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(space(state, namespace).join("runs")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry?;
            if !entry.file_name().as_encoded_bytes().starts_with(b".") && entry.file_type()?.is_dir() {
                folders.push(Self::at(entry.path()));
            }
        }
        Ok(folders)
    }

    /// Reads `run.json`.
    pub fn read(&self) -> anyhow::Result<Run> {
        let path = self.run();
        let text = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
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
        let gone = runs.join(format!(".{}.gone", name.to_string_lossy()));
        match fs::rename(&self.path, &gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            renamed => renamed?,
        }
        fs::remove_dir_all(gone)
    }
}

/// `STATE/NAMESPACE`; a namespace such as `..` cannot lead out of the state folder.
pub fn space(state: &Path, namespace: &str) -> PathBuf {
    state.join(match namespace.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => namespace.to_owned(),
    })
}

/// Folders that only their owner can enter: parameters and logs may be secret.
pub fn private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file whole or not at all, and on the disk before it returns.
pub fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Microseconds of the clock that also counts the time a machine sleeps.
pub fn boot_clock_us() -> u64 {
    clock_gettime(ClockId::CLOCK_BOOTTIME).map_or(u64::MAX, |time| {
        let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_nsec() / 1_000);
        u64::try_from(micros).unwrap_or(u64::MAX)
    })
}

/// Which boot of which machine this is; empty where the system does not say.
pub fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or(String::new(), |id| id.trim().to_owned())
}

#[cfg(test)]
mod tests;
