//! Identities of servers, and hosts of listeners.

use blueque::{Address, ListenerId};

/// Returns the identity of the server, the database and the user in a URL. It does not depend on passwords and options.
pub fn identity(url: &str) -> String {
    Address::parse(url).map_or_else(|_| url.to_owned(), |address| address.identity())
}

/// Returns the host of a listener, for people.
pub fn host(listener: &str) -> Option<String> {
    let listener = ListenerId::new(listener).ok()?;
    // If a process has several listeners, a number follows the host's name in the ids of all except the first.
    listener.host_and_pid().0.split(':').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn the_same_server_database_and_user_are_told_from_others() {
        let own = identity("redis://me@host:7/2");
        for same in ["redis://me:secret@host:7/2", "redis://me@host:7/2?protocol=resp3"] {
            assert_eq!(identity(same), own, "{same}");
        }
        for other in ["redis://me@other:7/2", "redis://me@host:8/2", "redis://me@host:7", "redis://you@host:7/2"] {
            assert_ne!(identity(other), own, "{other}");
        }
        assert_eq!(identity("redis://host"), identity("redis://default@host:6379/0"));
        assert_eq!(identity("unix:///run/s?pass=x"), identity("unix:///run/s"));
        assert_ne!(identity("unix:///run/s?db=1"), identity("unix:///run/s"));
    }
}
