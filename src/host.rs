//! Names and identity of this host, and its dead processes.

use std::sync::{LazyLock, Mutex, Once, PoisonError};
use std::time::Duration;
use std::{fs, process, thread};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use sha1_smol::Sha1;

use crate::names::ListenerId;

/// Interval of queries to a resolver that does not reply.
const AGAIN: Duration = Duration::from_secs(60);

/// Names that the resolver returned for this host, once it has replied.
static RESOLVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Maximum number of characters of the host's name in an id.
const NAME: usize = 150;

/// Number of hexadecimal digits in the identity of a host, and in the random part of an id.
const IDENTITY: usize = 8;
const RANDOM: usize = 6;

/// Identity of this host; `None` if the system does not report one.
static OWN: LazyLock<Option<String>> = LazyLock::new(|| {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let boot = read("/proc/sys/kernel/random/boot_id");
    // The target of the link is `pid:[INODE]`.
    let table = fs::read_link("/proc/self/ns/pid").ok().filter(|_| !boot.is_empty())?;
    Some(identity(&read("/etc/machine-id"), &boot, &table.to_string_lossy()))
});

/// Computes the identity of a host. Hosts have the same identity if they see each other's process ids: the same machine
/// and boot, and the same PID namespace. A host's name is no identity, because containers and cloned machines share
/// names.
fn identity(machine: &str, boot: &str, table: &str) -> String {
    let hash = Sha1::from(format!("{machine}\n{boot}\n{table}")).digest().to_string();
    hash.chars().take(IDENTITY).collect()
}

impl ListenerId {
    /// Creates an id for a listener of this process: `HOSTNAME:IDENTITY-RANDOM_PID`. IDENTITY stands for the machine,
    /// its boot and the PID namespace, so that other processes of this host know where to look for the process. No
    /// other listener gets the same id, even if hosts share names and process ids.
    #[must_use]
    pub fn of_this_process() -> Self {
        let host: String = name().chars().take(NAME).map(|c| if c == ':' { '-' } else { c }).collect();
        let random: String = uuid::Uuid::new_v4().simple().to_string().chars().take(RANDOM).collect();
        let host = if host.is_empty() { "localhost" } else { &host };
        Self::of_process(&format!("{host}:{}-{random}", OWN.as_deref().unwrap_or_default()), process::id())
    }

    /// Returns true if the listener was on this host and its process is dead. Returns false for a listener of any other
    /// host, and for an id without an identity, because their processes are not visible here.
    #[must_use]
    pub fn is_dead_here(&self) -> bool {
        OWN.is_some() && self.identity() == OWN.as_deref() && !alive(self.host_and_pid().1)
    }

    /// Identity of the listener's host, if the id contains one.
    pub(crate) fn identity(&self) -> Option<&str> {
        let (identity, _) = self.host_and_pid().0.split_once(':')?.1.split_once('-')?;
        Some(identity).filter(|identity| !identity.is_empty())
    }
}

/// Name of this host in listener ids of this crate.
pub(crate) fn name() -> String {
    gethostname::gethostname().to_string_lossy().trim().to_owned()
}

/// Returns true unless there is certainly no such process on this host. A process counts as alive if the current
/// process may not see or signal it: `/proc` hides processes of other users if it is mounted with `hidepid`.
pub(crate) fn alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    test_kill_process(pid) != Err(Errno::SRCH)
}

/// Names of this host in listener ids.
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Collects the name in this listener's id, the resolver's full name, and the names in `more`.
    pub(crate) fn new(own: &ListenerId, more: &[String]) -> Self {
        let mut names = vec![host(own).to_owned()];
        names.extend(more.iter().cloned());
        names.extend(RESOLVED.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        Self(names)
    }

    /// Returns true if the listener's process is on this host, according to the name and, if the id has one, the
    /// identity.
    pub(crate) fn have(&self, listener: &ListenerId) -> bool {
        let known = OWN.is_some() && listener.identity().is_none_or(|identity| OWN.as_deref() == Some(identity));
        known && self.0.iter().any(|name| name.eq_ignore_ascii_case(host(listener)))
    }
}

/// Returns the host in a listener id. `HOST:REST_PID` is the id of a listener with an identity, or of an additional
/// listener of the same process.
fn host(listener: &ListenerId) -> &str {
    let (host, _) = listener.host_and_pid();
    host.split(':').next().unwrap_or(host)
}

/// Starts asking the resolver for this host's full name, which clients of Blueque 1.0 use. The reply may take long.
pub(crate) fn resolve() {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        thread::spawn(|| {
            let name = name();
            let names = loop {
                match full_names(&name) {
                    Some(names) => break names,
                    None => thread::sleep(AGAIN),
                }
            };
            *RESOLVED.lock().unwrap_or_else(PoisonError::into_inner) = names;
        });
    });
}

/// Looks up a host's name, and the name of the resulting address. Returns `None` if the resolver does not reply.
fn full_names(name: &str) -> Option<Vec<String>> {
    let addresses: Vec<_> = dns_lookup::lookup_host(name).ok()?.collect();
    let names = addresses.iter().filter_map(|address| dns_lookup::lookup_addr(address).ok());
    Some(distinct(names.collect(), name))
}

/// Removes names that do not identify a host: `localhost`, which many machines use, and addresses.
fn distinct(mut names: Vec<String>, name: &str) -> Vec<String> {
    names.retain(|full| {
        let full = full.to_ascii_lowercase();
        // Only names of this host are kept. Another machine with the same address has a different name.
        let own = full.split('.').next() == name.to_ascii_lowercase().split('.').next();
        own && !full.starts_with("localhost") && full.parse::<std::net::IpAddr>().is_err()
    });
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_full_names_of_this_host_are_taken() {
        let names = ["localhost", "localhost.localdomain", "vm.example.org", "VM", "other.example.org", "127.0.0.1"];
        let names = names.map(str::to_owned).to_vec();
        assert_eq!(distinct(names.clone(), "vm"), ["VM", "vm.example.org"]);
        assert_eq!(distinct(names, "localhost"), [""; 0]);
    }

    #[test]
    fn a_listener_without_an_identity_is_of_this_host_by_any_of_its_names() {
        let own = ListenerId::of_process("vm:1", 7);
        let names = Names::new(&own, &["vm.example.org".to_owned()]);
        let have = |host: &str| names.have(&ListenerId::of_process(host, 8));
        assert!(have("vm") && have("vm:3") && have("VM.example.org"));
        assert!(!have("localhost") && !have("vm.example.com") && !have("other"));
    }

    #[test]
    fn a_listener_with_an_identity_is_of_this_host_only_if_that_is_the_same() {
        let own = ListenerId::of_this_process();
        assert_ne!(own, ListenerId::of_this_process());
        let names = Names::new(&own, &[]);
        assert!(names.have(&own) && !own.is_dead_here());
        let identity = own.identity().unwrap().to_owned();
        let id = |identity: &str, pid: u32| ListenerId::of_process(&format!("{}:{identity}-abcdef", host(&own)), pid);
        // No process can have this id, which is above the kernel's maximum.
        let (no_process, other) = (1 << 30, super::identity("", "another boot", "pid:[1]"));
        assert!(names.have(&id(&identity, no_process)) && id(&identity, no_process).is_dead_here());
        assert!(!names.have(&id(&other, no_process)) && !id(&other, no_process).is_dead_here());
        assert!(!ListenerId::of_process(host(&own), no_process).is_dead_here());
        assert_eq!(super::identity("m", "b", "pid:[4026531836]"), "fc2811a5");
    }

    #[test]
    fn a_process_is_dead_only_if_there_is_none() {
        let mut child = process::Command::new("true").spawn().unwrap();
        // Process 1 belongs to another user, unless this test runs as root.
        assert!(alive(1) && alive(process::id()) && alive(child.id()));
        child.wait().unwrap();
        assert!(!alive(child.id()) && !alive(1 << 30) && !alive(0) && !alive(u32::MAX));
    }
}
