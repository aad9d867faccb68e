//! Finds out which user of this machine sends a request over loopback, so that an open page is not open to the other
//! users of the machine.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The state of an open connection. In any other state its program may have closed it, and then its user is 0.
const OPEN: &str = "01";

/// Number of reads of the tables: a read while connections come and go may miss one.
const READS: usize = 3;

/// Returns false if another user of this machine than this process's user or root opened a connection, or nobody has it
/// open. Returns true if the system has no tables of connections.
pub(super) fn is_same_user(peer: SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let tables = if peer.ip().to_canonical().is_ipv4() { ["tcp", "tcp6"] } else { ["tcp6", "tcp"] };
    let mut is_told = false;
    for _ in 0..READS {
        for table in tables {
            let Ok(text) = fs::read_to_string(format!("/proc/net/{table}")) else { continue };
            is_told = true;
            if let Some(user) = text.lines().skip(1).find_map(|line| user_of(line, peer)) {
                return user == own || user == 0;
            }
        }
    }
    !is_told
}

/// Returns the user of a connection in a line of `/proc/net/tcp` whose own address is `peer`.
fn user_of(line: &str, peer: SocketAddr) -> Option<u32> {
    let mut columns = line.split_whitespace();
    let local = columns.nth(1)?;
    let state = columns.nth(1)?;
    let user: u32 = columns.nth(3)?.parse().ok()?;
    let is_peer = address(local)? == (peer.ip().to_canonical(), peer.port());
    (is_peer && (state == OPEN || user != 0)).then_some(user)
}

/// Reads an address in hexadecimal: words of four bytes in the order of the machine, and a port.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (words, port) = text.split_once(':')?;
    let words: Option<Vec<u32>> =
        (0..words.len() / 8).map(|at| u32::from_str_radix(words.get(at * 8..at * 8 + 8)?, 16).ok()).collect();
    let bytes: Vec<u8> = words?.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let address = match bytes.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?),
        16 => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
        _ => return None,
    };
    Some((address.to_canonical(), u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_connection_of_this_process_is_of_the_same_user() {
        for own in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(own) else { continue };
            let stream = TcpStream::connect_timeout(&listener.local_addr().unwrap(), Duration::from_secs(30)).unwrap();
            let (_kept, peer) = listener.accept().unwrap();
            assert!(is_same_user(peer));
            let table = if peer.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
            let text = fs::read_to_string(table).unwrap();
            let found = text.lines().find_map(|line| user_of(line, peer));
            assert_eq!(found, Some(rustix::process::geteuid().as_raw()), "{peer} {:?}", stream.local_addr());
        }
    }

    #[test]
    fn a_connection_that_its_program_has_closed_is_of_nobody() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect_timeout(&listener.local_addr().unwrap(), Duration::from_secs(30)).unwrap();
        let (_kept, peer) = listener.accept().unwrap();
        drop(stream);
        assert!(!is_same_user(peer));
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn the_user_is_read_from_the_line_of_the_connection() {
        let line = "   7: 0100007F:1E35 0100007F:C35A 01 00000000:00000000 00:00000000 00000000  1001        0 1 1 0 20 4 30 10 -1";
        assert_eq!(user_of(line, "127.0.0.1:7733".parse().unwrap()), Some(1001));
        assert_eq!(user_of(line, "[::ffff:127.0.0.1]:7733".parse().unwrap()), Some(1001));
        assert_eq!(user_of(line, "127.0.0.1:50010".parse().unwrap()), None, "the other end");
        for state in ["04", "05", "06"] {
            let closed = line.replacen(" 01 ", &format!(" {state} "), 1).replacen(" 1001 ", " 0 ", 1);
            assert_eq!(user_of(&closed, "127.0.0.1:7733".parse().unwrap()), None, "nobody has it open");
        }
        let line =
            "   0: 00000000000000000000000001000000:0050 00000000000000000000000001000000:1F90 01 0:0 0:0 0 5 0 1";
        assert_eq!(user_of(line, "[::1]:80".parse().unwrap()), Some(5));
    }
}
