//! Limits on logins: for each address, each user, and each browser from which a user has logged in before.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::network::network;

/// Maximum number of addresses and users that are remembered. The ones that failed longest ago are forgotten first.
const MOST: usize = 4096;

/// A limit on failed logins.
#[derive(Clone, Copy, Debug)]
struct Limit {
    /// Number of failures before the first wait.
    burst: u32,
    /// Time after which a failure is forgotten.
    every: Duration,
}

/// Limit for one address: five failures, then two a minute.
const OF_ADDRESS: Limit = Limit { burst: 5, every: Duration::from_secs(30) };

/// Limit for one user from all addresses and unknown browsers together: twenty failures, then two a minute.
const OF_USER: Limit = Limit { burst: 20, every: Duration::from_secs(30) };

/// Failed logins. The memory is bounded.
#[derive(Default)]
pub struct Attempts(Mutex<HashMap<Of, Instant>>);

/// Who failed.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Of {
    Address(IpAddr),
    User(String),
    Browser(String),
}

impl Of {
    fn limit(&self) -> Limit {
        if matches!(self, Self::User(_)) { OF_USER } else { OF_ADDRESS }
    }

    /// The limits that apply to a login. A known browser has its own limit, so that failed logins of strangers never keep
    /// a user out of it.
    fn all(address: IpAddr, user: &str, browser: Option<&str>) -> Vec<Self> {
        match browser {
            Some(browser) => vec![Self::Browser(browser.to_owned())],
            None => vec![Self::Address(network(address)), Self::User(user.chars().take(128).collect())],
        }
    }
}

impl Attempts {
    /// Counts a login before its password is checked, so that logins at the same time count too. Returns the time to
    /// wait if there were too many failures; then the login is not counted. `browser`: the id of a browser from which this
    /// user has logged in before.
    ///
    /// # Errors
    /// The time to wait.
    pub fn begin(&self, address: IpAddr, user: &str, browser: Option<&str>, now: Instant) -> Result<(), Duration> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = Of::all(address, user, browser);
        // The entry is the time at which all failures are forgotten: each failure moves it by `every`.
        let until = |of: &Of| failures.get(of).copied().filter(|until| *until > now).unwrap_or(now);
        let wait = |of: &Of| {
            let Limit { burst, every } = of.limit();
            (until(of) + every).saturating_duration_since(now + every * burst)
        };
        let longest = all.iter().map(wait).max().unwrap_or_default();
        if !longest.is_zero() {
            return Err(longest);
        }
        let new: Vec<_> = all.into_iter().map(|of| (until(&of) + of.limit().every, of)).collect();
        for (until, of) in new {
            if failures.len() >= MOST && !failures.contains_key(&of) {
                forget(&mut failures, now);
            }
            failures.insert(of, until);
        }
        Ok(())
    }

    /// Forgets the failures of a login that succeeded.
    pub fn succeeded(&self, address: IpAddr, user: &str, browser: Option<&str>) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for of in Of::all(address, user, browser) {
            failures.remove(&of);
        }
    }
}

/// Makes room: forgets what has passed, or else the quarter that passes first.
fn forget(failures: &mut HashMap<Of, Instant>, now: Instant) {
    failures.retain(|_, until| *until > now);
    if failures.len() >= MOST {
        let mut times: Vec<Instant> = failures.values().copied().collect();
        times.sort_unstable();
        let limit = times.get(MOST / 4).copied().unwrap_or(now);
        failures.retain(|_, until| *until > limit);
    }
    // Every entry may have the same time.
    if failures.len() >= MOST {
        failures.clear();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn v4(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn an_address_has_five_tries_and_then_one_in_thirty_seconds() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for user in ["a", "b", "c", "d", "e"] {
            assert_eq!(attempts.begin(v4(1), user, None, now), Ok(()));
        }
        assert_eq!(attempts.begin(v4(1), "f", None, now), Err(Duration::from_secs(30)));
        assert_eq!(attempts.begin(v4(2), "f", None, now), Ok(()), "another address");
        let later = now + Duration::from_secs(30);
        assert_eq!(attempts.begin(v4(1), "f", None, later), Ok(()));
        assert_eq!(attempts.begin(v4(1), "f", None, later), Err(Duration::from_secs(30)));
    }

    #[test]
    fn a_user_has_twenty_tries_from_all_addresses() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for last in 0..20 {
            assert_eq!(attempts.begin(v4(last), "alice", None, now), Ok(()));
        }
        assert!(attempts.begin(v4(99), "alice", None, now).is_err());
        assert_eq!(attempts.begin(v4(99), "bob", None, now), Ok(()));
        for _ in 0..5 {
            assert_eq!(attempts.begin(v4(1), "alice", Some("desk"), now), Ok(()), "a known browser");
        }
        assert!(attempts.begin(v4(1), "alice", Some("desk"), now).is_err());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_mapped_address_is_its_ipv4_address() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for last in 0..5 {
            let address: IpAddr = format!("2001:db8::{last}").parse().unwrap();
            assert_eq!(attempts.begin(address, &format!("u{last}"), None, now), Ok(()));
        }
        assert!(attempts.begin("2001:db8::ffff".parse().unwrap(), "x", None, now).is_err());
        assert_eq!(network("::ffff:10.0.0.1".parse().unwrap()), v4(1));
    }

    #[test]
    fn a_success_forgets_and_the_memory_is_bounded() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for _ in 0..4 {
            attempts.begin(v4(1), "alice", None, now).unwrap();
        }
        attempts.succeeded(v4(1), "alice", None);
        for number in 0..20_000_u32 {
            let address = IpAddr::V4(number.wrapping_mul(7919).into());
            attempts.begin(address, &format!("u{number}"), None, now + Duration::from_millis(u64::from(number))).ok();
        }
        assert!(attempts.0.lock().unwrap().len() <= MOST);
    }
}
