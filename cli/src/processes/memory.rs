//! The limit on the memory of all processes of a program together, where no control group enforces it.

use super::cgroup::ControlGroup;
use crate::process::{descendants, text};
use crate::run_folder::boot_clock_us;
use crate::run_folder::end::Enforcement;

/// Interval of the checks, in microseconds. On a host with many processes a check takes longer, and the interval is at
/// least `REST` times as long as the check.
const LOOK: u64 = 1_000_000;
const REST: u64 = 50;

/// Number of processes whose memory is added up at most.
const MOST: usize = 10_000;

/// All times are from `boot_clock_us`.
#[derive(Debug)]
pub struct MemoryLimit {
    bytes: u64,
    /// The time of the next check, or `u64::MAX` if the control group enforces the limit.
    due: u64,
    /// The memory that exceeded the limit.
    pub exceeded: Option<u64>,
}

impl MemoryLimit {
    pub fn new(bytes: u64, group: Option<&ControlGroup>) -> Self {
        let due = if group.is_some_and(ControlGroup::limits_memory) { u64::MAX } else { 0 };
        Self { bytes, due, exceeded: None }
    }

    /// Returns the way in which the limit is enforced.
    pub fn enforcement(&self) -> Enforcement {
        if self.due == u64::MAX { Enforcement::Group } else { Enforcement::Sum }
    }

    /// Checks the memory if a check is due. Returns the time of the next check.
    pub fn look(&mut self, now: u64) -> u64 {
        if now >= self.due && self.due != u64::MAX {
            // Pages that processes share are counted several times in the first sum, which is far cheaper.
            let used = sum(private);
            let used = if used > self.bytes { sum(proportional) } else { used };
            self.exceeded = Some(used).filter(|used| *used > self.bytes);
            let took = boot_clock_us().saturating_sub(now);
            self.due = now.saturating_add(LOOK.max(took.saturating_mul(REST)));
        }
        self.due
    }
}

/// Adds up the memory of the processes of this supervisor.
fn sum(memory: impl Fn(i32) -> Option<u64>) -> u64 {
    descendants().into_iter().take(MOST).filter_map(|pid| memory(pid.as_raw())).sum()
}

/// Returns the resident memory of a process without mapped files.
fn private(pid: i32) -> Option<u64> {
    kib(&text(format!("/proc/{pid}/status"))?, &["RssAnon:", "RssShmem:"])
}

/// Returns the proportional set size of a process without mapped files: each process has its part of a shared page.
fn proportional(pid: i32) -> Option<u64> {
    let rollup = text(format!("/proc/{pid}/smaps_rollup"));
    rollup.and_then(|text| kib(&text, &["Pss_Anon:", "Pss_Shmem:"])).or_else(|| private(pid))
}

/// Returns the sum of these lines, in bytes.
fn kib(text: &str, names: &[&str]) -> Option<u64> {
    let of = |line: &str| {
        let value = names.iter().find_map(|name| line.strip_prefix(name))?;
        value.split_whitespace().next()?.parse::<u64>().ok()
    };
    text.lines().filter_map(of).reduce(|sum, more| sum + more).map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::kib;

    #[test]
    fn lines_of_proc_are_added_up() {
        let text = "VmRSS:\t  900 kB\nRssAnon:\t     600 kB\nRssFile:\t     200 kB\nRssShmem:\t     100 kB\n";
        assert_eq!(kib(text, &["RssAnon:", "RssShmem:"]), Some(700 << 10));
        assert_eq!(kib(text, &["Pss_Anon:"]), None);
    }
}
