//! Detects half a transaction in the server's append-only file, which a power loss can cause.

use std::time::Duration;

use blueque::Address;

use super::config::Settings;

/// Maximum time that the server may take to reply.
const LIMIT: Duration = Duration::from_secs(5);

pub const FOUND: &str = "commands failed when the server read its append-only file: it contains half a transaction";
pub const TODO: &str =
    "BGREWRITEAOF, and do not restart it before INFO shows aof_rewrite_in_progress:0; then look again";

/// Returns true if the output of INFO indicates half a transaction. INFO counts the commands that failed when the
/// server read its file. It does not show that the server truncated the file.
pub fn is(info: &str) -> bool {
    let fact = |name: &str| {
        let mut values = info.lines().filter_map(|line| line.split_once(':')).filter(|(known, _)| *known == name);
        values.next().map_or("", |(_, value)| value)
    };
    let failed = fact("unexpected_error_replies").parse::<u64>().unwrap_or(0);
    failed > 0 && fact("aof_enabled") == "1" && fact("role") == "master" && fact("aof_rewrites") == "0"
}

/// Queries the server, and checks the reply. Even if this returns false, the file may contain half a transaction.
pub fn look(settings: &Settings) -> bool {
    let asked = || {
        let address = Address::parse(&settings.address().ok()?).ok()?;
        let mut connection = address.connect(settings.namespace(), LIMIT).ok()?;
        redis::cmd("INFO").arg("everything").query::<String>(&mut connection).ok()
    };
    asked().is_some_and(|info| is(&info))
}
