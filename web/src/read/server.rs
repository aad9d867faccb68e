//! What the server says of itself, and what needs attention. The whole check is `blueque doctor`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use blueque::{Address, Handshake};

use crate::failure::Failure;
use crate::place::Place;

/// Time limit of the questions.
const LIMIT: Duration = Duration::from_secs(3);

/// Facts about a server.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub info: HashMap<String, String>,
    /// Time that a command took, there and back.
    pub round_trip: Duration,
}

impl Facts {
    pub fn text(&self, name: &str) -> &str {
        self.info.get(name).map_or("", String::as_str)
    }

    pub fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }
}

/// A finding, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub bad: bool,
    pub text: String,
    pub todo: String,
}

/// Reads the facts of a server over a connection of its own.
pub async fn facts(place: &Place) -> Result<Facts, Failure> {
    let (url, namespace) = (place.url().to_owned(), place.space());
    let read = tokio::task::spawn_blocking(move || -> Option<Facts> {
        let address = Address::parse(&url).ok()?;
        let mut connection = address.connect(&namespace, LIMIT).ok()?;
        let begun = Instant::now();
        redis::cmd("PING").query::<String>(&mut connection).ok()?;
        let round_trip = begun.elapsed();
        let text: String = redis::cmd("INFO").query(&mut connection).ok()?;
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        let info = pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
        Some(Facts { info, round_trip })
    });
    let known = read.await.ok().flatten();
    known.ok_or_else(|| Failure::missing("The server did not answer INFO: this user may not read it."))
}

/// What needs attention, by the facts and the handshake.
pub fn findings(facts: &Facts, handshake: Option<&Handshake>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut find = |bad: bool, text: String, todo: &str| found.push(Finding { bad, text, todo: todo.to_owned() });
    let (used, most) = (facts.number("used_memory"), facts.number("maxmemory"));
    if most > 0 && used.saturating_mul(10) >= most.saturating_mul(9) {
        find(
            true,
            format!("The memory is {} % full.", used * 100 / most),
            "Raise maxmemory, or keep finished tasks for a shorter time: blueque config set retain 1d",
        );
    }
    if most == 0
        && facts.number("total_system_memory") > 0
        && used.saturating_mul(5) >= facts.number("total_system_memory").saturating_mul(4)
    {
        find(
            true,
            "The server uses over 80 % of the memory of its host.".to_owned(),
            "Set maxmemory below the memory of the host",
        );
    }
    if facts.text("aof_enabled") == "0" && facts.text("rdb_last_save_time").is_empty() {
        find(false, "The server saves nothing to its disk.".to_owned(), "Set appendonly yes");
    } else if facts.text("aof_enabled") == "0" {
        find(
            false,
            "The server keeps no log of changes: a crash loses the changes since its last snapshot.".to_owned(),
            "Set appendonly yes",
        );
    }
    if facts.text("rdb_last_bgsave_status") == "err" {
        find(true, "The last snapshot failed.".to_owned(), "Read the log of the server; check the space of its disk");
    }
    if facts.text("aof_last_write_status") == "err" {
        find(
            true,
            "The last write to the log of changes failed.".to_owned(),
            "Read the log of the server; check the space of its disk",
        );
    }
    if facts.text("role") == "slave" && facts.text("master_link_status") == "down" {
        find(true, "This replica has lost its master.".to_owned(), "Check the master and the network");
    }
    if facts.number("evicted_keys") > 0 {
        find(true, "The server has evicted keys: tasks may be lost.".to_owned(), "Set maxmemory-policy noeviction");
    }
    if facts.number("rejected_connections") > 0 {
        find(false, "The server has refused connections.".to_owned(), "Raise maxclients");
    }
    if let Some(handshake) = handshake {
        for (what, commands) in &handshake.missing {
            find(
                true,
                format!("This user may not run {} ({what}).", commands.join(", ")),
                "Give the user these commands: docs/run/security.md",
            );
        }
    }
    if facts.round_trip > Duration::from_millis(100) {
        find(
            false,
            format!("A command takes {} ms, there and back.", facts.round_trip.as_millis()),
            "Run this page near the server",
        );
    }
    found
}
