//! A control group of its own for each program (cgroup v2), where this process may make one: no descendant can
//! leave it, whatever it does to its session, its parents or its environment. Elsewhere the tree is walked.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::process::descendants;
use crate::run_folder::{RunFolder, open};

/// A longer path was not written by us.
const MOST: u64 = 4 << 10;

/// The group of a run, also after its supervisor is gone.
#[derive(Debug)]
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Makes the group, below the one of this process; none where that is not allowed.
    pub fn create(folder: &RunFolder, memory: Option<u64>) -> Option<Self> {
        let group = Self(own_group()?.join(name(folder.path())?));
        // Written first: what cannot be found again must not be made.
        fs::write(note(folder.path()), group.0.as_os_str().as_encoded_bytes()).ok()?;
        let usable = fs::create_dir(&group.0).is_ok() && fs::exists(group.0.join("cgroup.kill")).unwrap_or(false);
        if !usable {
            group.remove();
            let _ = fs::remove_file(note(folder.path()));
            return None;
        }
        if let Some(memory) = memory {
            // Only where the memory controller is handed down; each process has its own limit anyway.
            let _ = fs::write(group.0.join("memory.max"), memory.to_string());
        }
        Some(group)
    }

    /// The group that was made for a run folder.
    pub fn of(folder: &Path) -> Option<Self> {
        let path = PathBuf::from(String::from_utf8(open::read(&note(folder), MOST).ok()?).ok()?);
        // The program may have written another group there.
        let own = path.file_name().zip(name(folder)).is_some_and(|(found, name)| found == name.as_str());
        Some(Self(path)).filter(|group| own && group.0.is_dir())
    }

    /// Moves the supervisor's descendants into it, until a look finds none outside. To move one takes the kernel
    /// ten milliseconds at times; the program need not wait for that, as until then nothing escapes the subreaper.
    pub fn gather(&self) {
        for _ in 0..20 {
            let inside = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
            let inside: HashSet<&str> = inside.lines().collect();
            let outside = descendants().into_iter().map(|pid| pid.to_string());
            let outside: Vec<String> = outside.filter(|pid| !inside.contains(pid.as_str())).collect();
            if outside.is_empty() {
                return;
            }
            for pid in outside {
                // It may have ended by now.
                let _ = fs::write(self.0.join("cgroup.procs"), pid);
            }
        }
    }

    /// Kills all that is in it, at one stroke: nothing can fork its way out.
    pub fn kill(&self) {
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
    }

    /// Whether nothing is in it any more.
    pub fn is_empty(&self) -> bool {
        fs::read_to_string(self.0.join("cgroup.procs")).is_ok_and(|processes| processes.is_empty())
    }

    /// Takes the empty group away.
    pub fn remove(&self) {
        let _ = fs::remove_dir(&self.0);
    }
}

fn name(folder: &Path) -> Option<String> {
    Some(format!("blueque-{}", folder.file_name()?.to_str()?))
}

fn note(folder: &Path) -> PathBuf {
    folder.join("group")
}

/// The folder of this process's own group.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let folder = fields.nth(1)?;
        (fields.next()? == "cgroup2").then_some(folder)
    })?;
    Some(Path::new(mount).join(path))
}
