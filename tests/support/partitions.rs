//! Partitions, each on a server of its own.

#![allow(dead_code)]

use std::process::Command;

use blueque::PartitionName;

use super::support::Server;

pub fn name(text: &str) -> PartitionName {
    PartitionName::new(text).unwrap()
}

/// Partition 1 is on the first server, and so on.
pub fn addresses(servers: &[Server]) -> String {
    let each = servers.iter().enumerate().map(|(number, server)| format!("{}={}", number + 1, server.url()));
    each.collect::<Vec<_>>().join(",")
}

pub fn signal(server: &Server, signal: &str) {
    assert!(Command::new("kill").args([signal, &server.pid().to_string()]).status().unwrap().success());
}
