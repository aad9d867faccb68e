//! Commands that wait for hours: their reports during the wait, and the faults that they survive.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Server, eventually};
use crate::{Desk, terminal};

/// A command whose output can be read while it runs.
struct Follows {
    name: String,
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Follows {
    fn start(desk: &Desk, name: &str, args: &[&str]) -> Self {
        let file = |stream: &str| desk.home.path().join(format!("{name}.{stream}"));
        let (out, err) = (file("out"), file("err"));
        let mut command = desk.command(args);
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        Self { name: name.to_owned(), child: command.spawn().unwrap(), out, err }
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    fn out(&self) -> String {
        fs::read_to_string(&self.out).unwrap()
    }

    fn err(&self) -> String {
        fs::read_to_string(&self.err).unwrap()
    }

    fn says(&self, text: &str) {
        let name = &self.name;
        eventually(&format!("{name} says {text:?}"), || {
            (self.err().contains(text) || self.out().contains(text)).then_some(())
        });
    }

    fn ends(&mut self) -> ExitStatus {
        eventually(&format!("{} ends", self.name), || self.child.try_wait().unwrap())
    }
}

impl Drop for Follows {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Desk {
    fn signal(&self, signal: &str) {
        let pid = self.server.pid().to_string();
        assert!(Command::new("kill").args([format!("-{signal}"), pid]).status().unwrap().success());
    }
}

/// Takes longer than the 5 s that a command waits for one reply.
#[test]
fn whatever_waits_survives_a_restart_of_the_server_and_goes_on_where_it_was() {
    let mut desk = Desk::on(Server::start_with(&["--save", "", "--appendonly", "yes", "--appendfsync", "always"]));
    for id in ["waits", "logs", "lines"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    let mut all: Vec<Follows> = [
        ("waits", &["wait", "waits", "--timeout", "1h", "-o", "id"][..]),
        ("logs", &["logs", "-f", "logs"]),
        ("lines", &["logs", "-f", "lines", "-o", "jsonl"]),
        ("run", &["run", "q", "--id", "run"]),
        ("submit", &["submit", "q", "--wait", "--id", "submit"]),
        ("events", &["events", "q", "-f", "-o", "jsonl"]),
        ("ls", &["ls", "q", "--watch", "--status", "complete", "-o", "id"]),
    ]
    .into_iter()
    .map(|(name, args)| Follows::start(&desk, name, args))
    .collect();
    let tasks: Vec<_> = (0..5).map(|_| desk.take("q")).collect();
    for task in &tasks {
        desk.say(task, "stdout", "before\n");
    }
    for name in ["logs", "lines", "run"] {
        all.iter().find(|one| one.name == name).unwrap().says("before");
    }
    all.iter().find(|one| one.name == "events").unwrap().says("started");
    desk.server.kill();
    for one in &all {
        one.says("the server is away: waiting for it");
    }
    desk.server.restart();
    for task in &tasks {
        desk.say(task, "stdout", "after\n");
        desk.client()
            .call(&desk.client().calls().complete(
                task.id(),
                task.reservation().token,
                b"1",
                &blueque::calls::CompleteOptions::new(),
            ))
            .unwrap();
    }
    for one in &mut all {
        let name = one.name.clone();
        match name.as_str() {
            "events" => one.says("\"complete\""),
            "ls" => one.says("waits"),
            _ => assert!(one.ends().success(), "{name}: {}", one.err()),
        }
        assert_eq!(one.err().matches("is away").count(), 1, "{name}: {}", one.err());
        assert!(one.err().contains("is back"), "{name}: {}", one.err());
    }
    let out = |name: &str| all.iter().find(|one| one.name == name).unwrap().out();
    assert_eq!((out("logs"), out("run")), ("before\nafter\n".into(), "before\nafter\n".into()));
    assert_eq!(out("lines").lines().count(), 2, "{}", out("lines"));
    assert_eq!((out("waits"), out("submit")), ("waits\n".into(), "1\n".into()));
}

#[test]
fn whoever_waits_hears_why_the_task_does_not_run_and_when_that_changes() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "waits"]);
    desk.ok(&["submit", "q", "--id", "logs"]);
    let mut all: Vec<Follows> = [
        ("run", &["run", "q", "--id", "run"][..]),
        ("submit", &["submit", "q", "--wait", "--id", "submit"]),
        ("waits", &["wait", "waits"]),
        ("logs", &["logs", "-f", "logs"]),
        ("lines", &["logs", "-f", "logs", "-o", "jsonl"]),
    ]
    .into_iter()
    .map(|(name, args)| Follows::start(&desk, name, args))
    .collect();
    for one in &all {
        one.says("Its queue q has no worker: start a worker for it.");
    }
    desk.ok(&["queue", "pause", "q", "--reason", "lunch"]);
    for one in &all {
        one.says(": lunch.");
    }
    desk.ok(&["queue", "resume", "q"]);
    for _ in 0..4 {
        desk.take("q").complete("x").unwrap();
    }
    for one in &mut all {
        assert!(one.ends().success(), "{}: {}", one.name, one.err());
        assert_eq!(one.err().matches("no worker").count(), 1, "{}: {}", one.name, one.err());
    }
}

/// Retention may delete a task before a command that waits for it reads its end.
#[test]
fn whoever_waits_knows_the_end_of_a_task_whose_record_is_gone() {
    let desk = Desk::new();
    for id in ["waits", "logs", "bad", "gone"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    desk.ok(&["submit", "r", "--id", "lost"]);
    let start = |name, args: &[&str]| Follows::start(&desk, name, args);
    let mut all = [
        (start("waits", &["wait", "waits", "-o", "json"]), 0, "complete"),
        (start("logs", &["logs", "-f", "logs"]), 0, ""),
        (start("bad", &["wait", "bad", "-o", "json"]), 1, "failed"),
        (start("gone", &["wait", "gone", "-o", "json"]), 7, "cancelled"),
        (start("lost", &["wait", "lost"]), 4, "lost is gone, and no event contains its end"),
        (start("run", &["run", "q", "--id", "run"]), 0, "run complete"),
        (start("submit", &["submit", "q", "--wait", "--id", "submit"]), 0, "submit complete"),
    ];
    for (one, ..) in &all {
        one.says("no worker");
        kill(one.pid(), Signal::SIGSTOP).unwrap();
    }
    desk.ok(&["cancel", "gone"]);
    for _ in 0..5 {
        let task = desk.take("q");
        let ended =
            if task.id().as_str() == "bad" { task.fail("broken").map(|_| ()) } else { task.complete("x").map(|_| ()) };
        ended.unwrap();
    }
    desk.ok(&["config", "set", "--queue", "q", "keep=0"]);
    desk.ok(&["admin", "maintenance", "--once"]);
    let () = redis::cmd("DEL").arg("blueque_task_lost").query(&mut desk.server.connection()).unwrap();
    assert_eq!(desk.ok(&["ls", "-o", "id"]), "lost\n", "retention deletes the others");
    for (one, ..) in &all {
        kill(one.pid(), Signal::SIGCONT).unwrap();
    }
    for (one, code, text) in &mut all {
        let ended = one.ends().code();
        assert_eq!(ended, Some(*code), "{}: {}{}", one.name, one.out(), one.err());
        assert!(one.out().contains(*text) || one.err().contains(*text), "{}: {}{}", one.name, one.out(), one.err());
    }
}

#[test]
fn a_wait_has_its_limit_also_while_the_server_is_away() {
    let mut desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let mut waits = Follows::start(&desk, "waits", &["wait", "t", "--timeout", "3s"]);
    waits.says("no worker");
    desk.server.kill();
    assert_eq!(waits.ends().code(), Some(6), "{}", waits.err());
}

#[test]
fn whatever_waits_for_hours_also_waits_for_a_server_that_is_away_when_it_starts() {
    let mut desk = Desk::on(Server::start_with(&["--save", "", "--appendonly", "yes", "--appendfsync", "always"]));
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    desk.say(&task, "stdout", "before\n");
    desk.server.kill();
    let mut all: Vec<Follows> = [
        ("wait", &["wait", "t", "--timeout", "1h", "-o", "id"][..]),
        ("logs", &["logs", "-f", "t"]),
        ("lines", &["logs", "-f", "t", "-o", "jsonl"]),
        ("events", &["events", "q", "-f", "--task", "t", "-o", "jsonl"]),
        ("ls", &["ls", "q", "--watch", "-o", "id"]),
    ]
    .into_iter()
    .map(|(name, args)| Follows::start(&desk, name, args))
    .collect();
    let mut top = terminal::Screen::start(&desk, &["top"]);
    for one in &all {
        one.says("the server is away: no server at ");
        one.says("; waiting for it --");
    }
    top.shows("the server is away");
    // Commands that have not begun to wait fail at once, as do commands with a limit.
    for args in [&["ls"][..], &["run", "q"], &["submit", "q", "--wait"], &["submit", "q", "--follow"], &["logs", "t"]] {
        let left = desk.run(args);
        assert_eq!((left.code, left.out.as_str()), (3, ""), "{args:?}: {}", left.err);
        assert!(left.err.contains("no server at ") && !left.err.contains("submitted"), "{args:?}: {}", left.err);
    }
    let left = desk.run(&["wait", "t", "--timeout", "1s"]);
    assert!(left.code == 6 && left.err.contains("the server is away") && left.err.contains("after 1s"), "{}", left.err);
    desk.server.restart();
    for one in &all {
        one.says("is back");
    }
    top.shows("quits");
    top.type_in("q");
    assert_eq!(top.ends(), 0);
    desk.client()
        .call(&desk.client().calls().complete(
            task.id(),
            task.reservation().token,
            b"1",
            &blueque::calls::CompleteOptions::new(),
        ))
        .unwrap();
    for one in &mut all {
        match one.name.clone().as_str() {
            "ls" => one.says("t"),
            name => assert!(one.ends().success(), "{name}: {}", one.err()),
        }
        assert_eq!(one.err().matches("is away").count(), 1, "{}: {}", one.name, one.err());
    }
    let out = |name: &str| all.iter().find(|one| one.name == name).unwrap().out();
    assert_eq!((out("wait"), out("logs")), ("t\n".into(), "before\n".into()));
    assert!(out("events").contains("\"complete\""));
}

/// One reply may take 5 s, but no longer than the wait itself.
#[test]
fn the_limit_of_a_wait_cuts_a_call_short_that_a_frozen_or_dead_server_does_not_answer() {
    let mut desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    assert_eq!(desk.run(&["wait", "t", "--timeout", "0s"]).code, 6, "it has looked");
    let late = Duration::from_millis(4500);
    let mut begun = Instant::now();
    let mut connected = Follows::start(&desk, "connected", &["wait", "t", "--timeout", "2s"]);
    let clients = |info: String| info.lines().filter(|line| line.contains("cmd=evalsha")).count();
    eventually("it has looked", || {
        let list = redis::cmd("CLIENT").arg("LIST").query(&mut desk.server.connection()).unwrap();
        (clients(list) > 0 || connected.child.try_wait().unwrap().is_some()).then_some(())
    });
    desk.signal("STOP");
    assert_eq!(connected.ends().code(), Some(6), "{}", connected.err());
    assert!(begun.elapsed() < late, "{:?}", begun.elapsed());
    for name in ["frozen", "dead"] {
        begun = Instant::now();
        let mut waits = Follows::start(&desk, name, &["wait", "t", "--timeout", "2s"]);
        assert_eq!(waits.ends().code(), Some(6), "{name}: {}", waits.err());
        assert!(begun.elapsed() < late, "{name}: {:?}", begun.elapsed());
        if name == "frozen" {
            desk.signal("CONT");
            desk.server.kill();
        }
    }
}

#[test]
fn the_live_screen_says_that_it_is_old_and_quits_while_the_server_is_away() {
    let mut desk = Desk::new();
    desk.ok(&["submit", "movies", "--id", "t"]);
    let mut top = terminal::Screen::start(&desk, &["top"]);
    top.shows("quits");
    desk.server.kill();
    top.shows("answered for");
    top.type_in("q");
    assert_eq!(top.ends(), 0);
}
