//! A control group (cgroup v2) for each program, if this process may create one. No descendant can leave the group by a
//! change of its session, its parent or its environment. Without a group, descendants are found in the process tree.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use crate::process::{Stat, descendants, text};
use crate::run_folder::{Limits, RunFolder, open};

/// Maximum length of the path of a control group that Blueque created.
const MOST: u64 = 4 << 10;

/// File of a group with the maximum memory of all its processes together.
const MEMORY: &str = "memory.max";

/// Time in microseconds in which the processes of a group get their share of the processors.
const PERIOD: f64 = 100_000.0;

/// Number of searches in a row that must find nothing outside of the group. A single search misses the child of a
/// process that forks and ends during the search.
const LOOKS: u32 = 3;

/// Maximum number of searches. A program may fork faster than its processes are moved.
const MOST_LOOKS: u32 = 40;

/// The group of a run, which may outlive its supervisor.
#[derive(Debug)]
pub struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Creates the group below the group of this process. Returns `None` if that is not allowed.
    pub fn create(folder: &RunFolder, limits: &Limits) -> Option<Self> {
        let group = Self(own_group()?.join(name(folder.path())?));
        // The path is stored first. Otherwise a crash could leave a group that no process finds.
        fs::write(note(folder.path()), group.0.as_os_str().as_encoded_bytes()).ok()?;
        let usable = fs::create_dir(&group.0).is_ok() && fs::exists(group.0.join("cgroup.kill")).unwrap_or(false);
        if !usable {
            group.remove();
            let _ = fs::remove_file(note(folder.path()));
            return None;
        }
        // A write fails if its controller is not delegated. Then the supervisor watches the memory of all processes.
        if let Some(memory) = limits.memory {
            let _ = fs::write(group.0.join(MEMORY), memory.to_string());
        }
        if let Some(cpus) = limits.cpus {
            let _ = fs::write(group.0.join("cpu.max"), format!("{:.0} {PERIOD}", cpus * PERIOD));
        }
        Some(group)
    }

    /// Returns the group that was created for a run folder.
    pub fn of(folder: &Path) -> Option<Self> {
        let path = PathBuf::from(OsString::from_vec(open::read(&note(folder), MOST).ok()?));
        // The program may have replaced the stored path by the path of another group.
        let own = path.file_name().zip(name(folder)).is_some_and(|(found, name)| found == name.as_str());
        Some(Self(path)).filter(|group| own && group.0.is_dir())
    }

    /// Moves the supervisor's descendants into the group, until none is outside. A move may take ten milliseconds. The
    /// program need not wait, because the supervisor is the subreaper of processes that have not been moved.
    pub fn gather(&self) {
        let mut looks = 0;
        for _ in 0..MOST_LOOKS {
            let inside = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
            let inside: HashSet<i32> = inside.lines().filter_map(|pid| pid.parse().ok()).collect();
            let outside = descendants().into_iter().map(Pid::as_raw);
            let outside: Vec<i32> =
                outside.filter(|pid| !inside.contains(pid) && Stat::of_living(*pid).is_some()).collect();
            looks = if outside.is_empty() { looks + 1 } else { 0 };
            if looks == LOOKS {
                return;
            }
            for pid in outside {
                // An error is ignored, because the process may have ended.
                let _ = fs::write(self.0.join("cgroup.procs"), pid.to_string());
            }
        }
    }

    /// Kills all processes of the group atomically, so that no process escapes by a fork.
    pub fn kill(&self) {
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
    }

    /// Returns true if the kernel limits the memory of all processes of the group together.
    pub fn limits_memory(&self) -> bool {
        fs::read_to_string(self.0.join(MEMORY)).is_ok_and(|most| most.trim() != "max")
    }

    /// Returns true if the group has no processes left.
    pub fn is_empty(&self) -> bool {
        fs::read_to_string(self.0.join("cgroup.procs")).is_ok_and(|processes| processes.is_empty())
    }

    /// Returns the number of processes of the group that the kernel killed because memory ran out, or `None` without
    /// the memory controller.
    pub fn oom_kills(&self) -> Option<u64> {
        let events = fs::read_to_string(self.0.join("memory.events")).ok()?;
        events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
    }

    /// Removes the empty group.
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

/// Returns the folder of this process's own group.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read("/proc/self/cgroup").ok()?;
    let path = groups.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"0::/"))?;
    let mounts = text("/proc/self/mounts")?;
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let folder = fields.nth(1)?;
        (fields.next()? == "cgroup2").then_some(folder)
    })?;
    Some(Path::new(mount).join(OsStr::from_bytes(path)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::ControlGroup;

    #[test]
    fn the_kills_of_a_group_are_counted_where_it_has_the_memory_controller() {
        let group = ControlGroup(std::env::temp_dir().join(format!("blueque-group-{}", std::process::id())));
        fs::create_dir(&group.0).unwrap();
        assert_eq!(group.oom_kills(), None);
        fs::write(group.0.join("memory.events"), "low 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n").unwrap();
        assert_eq!(group.oom_kills(), Some(2));
        fs::remove_dir_all(&group.0).unwrap();
    }
}
