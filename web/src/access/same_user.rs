//! Finds out which user of this machine sends a request over loopback, so that an open page is not open to the other
//! users of the machine.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The state of a connection that has ended. Its port may belong to another connection, and its user is 0.
const TIME_WAIT: &str = "06";

/// Returns false if another user of this machine than this process's user or root opened a connection. Returns true if the
/// system does not say who did.
pub(super) fn is_same_user(peer: SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let tables = if peer.ip().to_canonical().is_ipv4() { ["tcp", "tcp6"] } else { ["tcp6", "tcp"] };
    let user = tables.iter().find_map(|table| {
        let text = fs::read_to_string(format!("/proc/net/{table}")).ok()?;
        text.lines().skip(1).find_map(|line| user_of(line, peer))
    });
    user.is_none_or(|user| user == own || user == 0)
}

/// Returns the user of a connection in a line of `/proc/net/tcp` whose own address is `peer`.
fn user_of(line: &str, peer: SocketAddr) -> Option<u32> {
    let mut columns = line.split_whitespace();
    let local = columns.nth(1)?;
    let state = columns.nth(1)?;
    let user = columns.nth(3)?;
    if state == TIME_WAIT {
        return None;
    }
    (address(local)? == (peer.ip().to_canonical(), peer.port())).then(|| user.parse().ok())?
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
    #[cfg(target_endian = "little")]
    fn the_user_is_read_from_the_line_of_the_connection() {
        let line = "   7: 0100007F:1E35 0100007F:C35A 01 00000000:00000000 00:00000000 00000000  1001        0 1 1 0 20 4 30 10 -1";
        assert_eq!(user_of(line, "127.0.0.1:7733".parse().unwrap()), Some(1001));
        assert_eq!(user_of(line, "[::ffff:127.0.0.1]:7733".parse().unwrap()), Some(1001));
        assert_eq!(user_of(line, "127.0.0.1:50010".parse().unwrap()), None, "the other end");
        let ended = line.replacen(" 01 ", " 06 ", 1);
        assert_eq!(user_of(&ended, "127.0.0.1:7733".parse().unwrap()), None, "a connection that has ended");
        let line =
            "   0: 00000000000000000000000001000000:0050 00000000000000000000000001000000:1F90 01 0:0 0:0 0 5 0 1";
        assert_eq!(user_of(line, "[::1]:80".parse().unwrap()), Some(5));
    }
}
