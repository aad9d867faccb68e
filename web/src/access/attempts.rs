//! Limits on logins: for each address and for each user.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

/// Limit for one user from all addresses together: twenty failures, then two a minute.
const OF_USER: Limit = Limit { burst: 20, every: Duration::from_secs(30) };

/// Failed logins. The memory is bounded.
#[derive(Default)]
pub struct Attempts(Mutex<HashMap<Of, Instant>>);

/// Who failed.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Of {
    Address(IpAddr),
    User(String),
}

impl Of {
    fn limit(&self) -> Limit {
        if matches!(self, Self::Address(_)) { OF_ADDRESS } else { OF_USER }
    }

    fn both(address: IpAddr, user: &str) -> [Self; 2] {
        let user = user.chars().take(128).collect();
        [Self::Address(network(address)), Self::User(user)]
    }
}

/// Whoever has an IPv6 address has 2^64 of them.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
        address @ IpAddr::V4(_) => address,
    }
}

impl Attempts {
    /// Counts a login before its password is checked, so that logins at the same time count too. Returns the time to
    /// wait if there were too many failures; then the login is not counted.
    ///
    /// # Errors
    /// The time to wait.
    pub fn begin(&self, address: IpAddr, user: &str, now: Instant) -> Result<(), Duration> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let both = Of::both(address, user);
        // The entry is the time at which all failures are forgotten: each failure moves it by `every`.
        let until = |of: &Of| failures.get(of).copied().filter(|until| *until > now).unwrap_or(now);
        let wait = |of: &Of| {
            let Limit { burst, every } = of.limit();
            (until(of) + every).saturating_duration_since(now + every * burst)
        };
        let longest = both.iter().map(wait).max().unwrap_or_default();
        if !longest.is_zero() {
            return Err(longest);
        }
        let new = both.map(|of| (until(&of) + of.limit().every, of));
        for (until, of) in new {
            if failures.len() >= MOST && !failures.contains_key(&of) {
                forget(&mut failures, now);
            }
            failures.insert(of, until);
        }
        Ok(())
    }

    /// Forgets the failures of a login that succeeded.
    pub fn succeeded(&self, address: IpAddr, user: &str) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for of in Of::both(address, user) {
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
            assert_eq!(attempts.begin(v4(1), user, now), Ok(()));
        }
        assert_eq!(attempts.begin(v4(1), "f", now), Err(Duration::from_secs(30)));
        assert_eq!(attempts.begin(v4(2), "f", now), Ok(()), "another address");
        let later = now + Duration::from_secs(30);
        assert_eq!(attempts.begin(v4(1), "f", later), Ok(()));
        assert_eq!(attempts.begin(v4(1), "f", later), Err(Duration::from_secs(30)));
    }

    #[test]
    fn a_user_has_twenty_tries_from_all_addresses() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for last in 0..20 {
            assert_eq!(attempts.begin(v4(last), "alice", now), Ok(()));
        }
        assert!(attempts.begin(v4(99), "alice", now).is_err());
        assert_eq!(attempts.begin(v4(99), "bob", now), Ok(()));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_mapped_address_is_its_ipv4_address() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for last in 0..5 {
            let address: IpAddr = format!("2001:db8::{last}").parse().unwrap();
            assert_eq!(attempts.begin(address, &format!("u{last}"), now), Ok(()));
        }
        assert!(attempts.begin("2001:db8::ffff".parse().unwrap(), "x", now).is_err());
        assert_eq!(network("::ffff:10.0.0.1".parse().unwrap()), v4(1));
    }

    #[test]
    fn a_success_forgets_and_the_memory_is_bounded() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for _ in 0..4 {
            attempts.begin(v4(1), "alice", now).unwrap();
        }
        attempts.succeeded(v4(1), "alice");
        for number in 0..20_000_u32 {
            let address = IpAddr::V4(number.wrapping_mul(7919).into());
            attempts.begin(address, &format!("u{number}"), now + Duration::from_millis(u64::from(number))).ok();
        }
        assert!(attempts.0.lock().unwrap().len() <= MOST);
    }
}
