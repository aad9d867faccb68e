//! A host whose clock differs from the server's.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Server, eventually};
use crate::{Desk, Left, left};

/// The command on a host whose clock is an hour ahead, or behind.
fn off_by(by: &str, desk: &Desk, args: &[&str]) -> Command {
    let plain = desk.command(args);
    let mut command = Command::new("faketime");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Without this variable, the monotonic clock changes as well, as if it jumped.
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.args(["-f", by]).arg(plain.get_program()).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(by: &str, desk: &Desk, args: &[&str]) -> Left {
    left(off_by(by, desk, args).output().expect("faketime is needed: apt-get install faketime"))
}

#[test]
fn times_from_now_are_by_the_servers_clock() {
    let desk = Desk::new();
    for by in ["+1h", "-1h"] {
        let ok = |args: &[&str]| {
            let left = run(by, &desk, args);
            assert_eq!(left.code, 0, "{by} {args:?}: {}{}", left.out, left.err);
            left.out
        };
        let of = |field: &str| format!("{by}-{field}").replace(['+', '-'], "_");
        let (eta, deadline) = (of("eta"), of("deadline"));
        ok(&["submit", "q", "--id", &eta, "--eta", "+10m"]);
        ok(&["submit", "q", "--id", &deadline, "--deadline", "30m"]);
        for (id, field, minutes) in [(&eta, "eta", 10), (&deadline, "deadline", 30)] {
            let record = desk.json(&["show", id]);
            let time = |name: &str| {
                let text = record[name].as_str().unwrap_or_else(|| panic!("{name}: {record}"));
                text.parse::<jiff::Timestamp>().unwrap().as_second()
            };
            let after = time(field) - time("created");
            assert!((after - minutes * 60).abs() < 60, "{by}: {field} is {after} s after the submit");
        }
        assert!(ok(&["find", "--from", "-5m", "-o", "id"]).contains(&deadline), "{by}");
        assert!(!ok(&["find", "--to", "-5m", "-o", "id"]).contains(&deadline), "{by}");
    }
}

#[test]
fn maintenance_pauses_until_the_next_thing_is_due_by_the_servers_clock() {
    let desk = Desk::on(Server::start_counting());
    desk.ok(&["submit", "q", "--id", "soon", "--eta", "+3s"]);
    let mut maintenance = off_by("+1h", &desk, &["admin", "maintenance", "q"])
        .spawn()
        .expect("faketime is needed: apt-get install faketime");
    let status = || desk.json(&["show", "soon"])["status"].clone();
    eventually("the task is pending", || (status() == "pending").then_some(()));
    let calls = desk.server.calls_of("maintenance");
    maintenance.kill().unwrap();
    maintenance.wait().unwrap();
    assert!(calls < 60, "{calls} calls in {:?}", Duration::from_secs(3));
}
