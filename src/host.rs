//! The names of this host.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

use crate::names::ListenerId;

/// How often a resolver that does not reply is asked.
const AGAIN: Duration = Duration::from_secs(60);

/// The resolver's names for this host, once it has replied.
static RESOLVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Counts the listeners of this process, so that each has its own id.
static NUMBER: AtomicU32 = AtomicU32::new(0);

impl ListenerId {
    /// An id for a further listener of this process: `HOSTNAME_PID`; for the second and later ones
    /// `HOSTNAME:N_PID`.
    #[must_use]
    pub fn of_this_process() -> Self {
        let host = name();
        match NUMBER.fetch_add(1, Ordering::Relaxed) {
            0 => Self::of_process(&host, process::id()),
            number => Self::of_process(&format!("{host}:{number}"), process::id()),
        }
    }
}

/// The host's name in listener ids of this crate.
pub(crate) fn name() -> String {
    gethostname::gethostname().to_string_lossy().trim().to_owned()
}

/// Names of this host in listener ids.
pub(crate) struct Names(Vec<String>);

impl Names {
    /// The name in this listener's id, the resolver's full name, and `more`.
    pub(crate) fn new(own: &ListenerId, more: &[String]) -> Self {
        let mut names = vec![host(own).to_owned()];
        names.extend(more.iter().cloned());
        names.extend(RESOLVED.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        Self(names)
    }

    /// Whether this listener's process is on this host.
    pub(crate) fn have(&self, listener: &ListenerId) -> bool {
        self.0.iter().any(|name| name.eq_ignore_ascii_case(host(listener)))
    }
}

/// `HOST:N_PID` is a further listener of a process.
fn host(listener: &ListenerId) -> &str {
    let (host, _) = listener.host_and_pid();
    host.split(':').next().unwrap_or(host)
}

/// Starts to ask the resolver for this host's full name, which clients of Blueque 1.0 use. It may take long.
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

/// The resolver's result for a host's name, forwards and then back; none if it does not reply.
fn full_names(name: &str) -> Option<Vec<String>> {
    let addresses: Vec<_> = dns_lookup::lookup_host(name).ok()?.collect();
    let names = addresses.iter().filter_map(|address| dns_lookup::lookup_addr(address).ok());
    Some(distinct(names.collect(), name))
}

/// Many machines call themselves `localhost`: it does not identify one. Nor does an address.
fn distinct(mut names: Vec<String>, name: &str) -> Vec<String> {
    names.retain(|full| {
        let full = full.to_ascii_lowercase();
        // Only this host: another machine's name with the same address is not ours.
        let own = full.split('.').next() == name.to_ascii_lowercase().split('.').next();
        own && !full.starts_with("localhost") && full.parse::<std::net::IpAddr>().is_err()
    });
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
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
    fn a_listener_is_of_this_host_by_any_of_its_names() {
        let own = ListenerId::of_process("vm:1", 7);
        let names = Names::new(&own, &["vm.example.org".to_owned()]);
        let have = |host: &str| names.have(&ListenerId::of_process(host, 8));
        assert!(have("vm") && have("vm:3") && have("VM.example.org"));
        assert!(!have("localhost") && !have("vm.example.com") && !have("other"));
    }
}
