//! A worker with more partitions than it serves at the same time.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::support::{Server, eventually, within};
use super::{Desk, Working, column};

/// Namespaces of one server.
const PARTITIONS: usize = 70;

/// Number of partitions that are served at the same time.
const SERVED: usize = 32;

fn desk(partitions: usize) -> Desk {
    let mut desk = Desk { servers: vec![Server::start()], home: super::Folder::new(), topology: None };
    desk.topology = Some(format!("{}#{{blueque:{{1..{partitions}}}}}", desk.servers[0].url()));
    desk.ok(&["partition", "add"]);
    desk
}

fn connections(desk: &Desk) -> usize {
    let clients: String = redis::cmd("CLIENT").arg("LIST").query(&mut desk.servers[0].connection()).unwrap();
    clients.lines().count()
}

#[test]
fn all_have_their_turn_and_connections_do_not_grow_with_their_number() {
    let desk = desk(PARTITIONS);
    let worker = Working::start(&desk, &["--slots", "2"]);
    let mut most = 0;
    let mut ids = vec![
        desk.submit(&["q", "3", "--id", "save", "--partition", "69"]),
        desk.submit(&["q", "--id", "email", "--partition", "1", "--result-of", "69:save"]),
        desk.submit(&["q", "--id", "later", "--partition", "50", "--delay", "5s"]),
    ];
    for partition in [2, 33, 34, 70] {
        ids.push(desk.submit(&["q", "--id", "one", "--partition", &partition.to_string()]));
    }
    eventually("all are complete", || {
        most = most.max(connections(&desk));
        let done = ids.iter().filter(|id| desk.json(&["show", id])["status"] == "complete").count();
        (done == ids.len()).then_some(())
    });
    println!("{most} connections at most");
    assert!(most < SERVED * 12, "{most} connections");
    let said = worker.ends();
    assert!(said.contains("serves 70 partitions, 32 at a time"), "{said}");
    assert!(said.contains("partition 70: started one"), "{said}");
    assert!(!said.contains("takes tasks of"), "a turn is no event: {said}");
    assert_eq!(desk.json(&["workers"]), serde_json::json!([]), "none has it registered any more");
}

#[test]
fn programs_in_more_partitions_than_are_served_at_a_time_are_all_looked_after() {
    let desk = desk(SERVED + 4);
    let go = desk.home.path().join("go");
    let wait = format!("until [ -e '{}' ]; do sleep 0.1; done", go.display());
    let start = || {
        let args = ["worker", "-q", "*", "--slots", "100", "--", "/bin/sh", "-c", &wait];
        Working(desk.command(&args).spawn().unwrap())
    };
    let worker = start();
    let all: Vec<String> = (1..=SERVED + 4).map(|number| number.to_string()).collect();
    let ids: Vec<String> =
        all.iter().map(|partition| desk.submit(&["q", "--id", "long", "--partition", partition])).collect();
    let running = || column(&desk.json(&["ls", "q", "--status", "running"]), "id").len();
    eventually("all run", || (running() == ids.len()).then_some(()));
    drop(worker);
    let next = start();
    let taken_over = |count: usize| {
        let rows = desk.json(&["workers"]);
        let own = next.0.id().to_string();
        let workers = rows.as_array().unwrap().iter();
        (workers.filter(|row| row["listener"].as_str().unwrap().ends_with(&own)).count() == count).then_some(())
    };
    // Between the turns of a partition up to half a minute may pass.
    within(Duration::from_secs(120), "the next one serves all of them", || taken_over(ids.len()));
    fs::write(&go, "").unwrap();
    let wait: Vec<&str> = ["wait", "--timeout", "60s"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    assert_eq!(desk.run(&wait).code, 0);
    let said = next.ends();
    assert_eq!(said.matches("took over long").count(), ids.len(), "{said}");
    assert!(!said.contains("another server"), "{said}");
    let left = Command::new("pgrep").args(["-f", &go.display().to_string()]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "", "no program is left");
}
