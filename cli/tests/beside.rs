//! The command on data that clients of Blueque 1.0 also use: its reports about these clients are true.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "beside/calls.rs"]
mod calls;
#[path = "beside/campaign.rs"]
mod campaign;
#[path = "../../tests/blueque_1_0/old.rs"]
mod old;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::process::Command;

use blueque::{Client, Listener, ListenerId, Maintenance, Submit};
use old::Old;
use serde_json::{Value, json};
use support::{Folder, Server};

/// A server with an old client, and a home for the command.
struct Shared {
    server: Server,
    home: Folder,
    client: Client,
    old: Old,
}

impl Shared {
    fn new() -> Self {
        let server = Server::start_with(&["--appendonly", "yes"]);
        let client = Client::open(&server.url()).unwrap();
        let old = Old::start(&server);
        Self { server, home: Folder::new(), client, old }
    }

    fn run(&self, args: &[&str]) -> (String, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.env_clear().env("HOME", self.home.path()).env("BLUEQUE_URL", self.server.url());
        let output = command.args(args).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap_or(-1))
    }

    /// The doctor's findings except tasks that wait for a worker; checks its exit code.
    fn findings(&self) -> Vec<String> {
        let (out, code) = self.run(&["doctor"]);
        let found = out.lines().filter(|line| line.starts_with("FINDING"));
        assert_eq!(code, i32::from(found.clone().count() > 0), "{out}");
        found.filter(|line| !line.starts_with("FINDING  waiting ")).map(str::to_owned).collect()
    }

    fn notes(&self, of: &str) -> String {
        let (out, _) = self.run(&["doctor"]);
        out.lines().filter(|line| line.starts_with("note") && line.contains(of)).collect()
    }

    fn sound(&self, when: &str) {
        assert_eq!(self.findings(), [""; 0], "{when}");
    }

    fn enqueue(&mut self) -> String {
        self.old.text("enqueue", json!({"queue": "q", "parameters": "[1]"}))
    }

    fn listen(&mut self) -> Value {
        self.old.call("listen", json!({"queue": "q"}))
    }

    fn submit(&self, id: &str, how: Submit) {
        let id = blueque::TaskId::new(id).unwrap();
        self.client.queue("q").unwrap().submit_bytes(b"[]", how.id(id)).unwrap();
    }

    /// A listener of this release on the host that old clients know.
    fn listener(&self) -> Listener {
        let own = ListenerId::of_process(self.old.host(), std::process::id());
        self.client.listener_as(own, &["q"]).unwrap()
    }

    /// The maintenance of a worker, repeated for a whole round of repairs.
    fn maintenance(&self, own: &Listener) {
        let mut maintenance =
            Maintenance::new(self.client.clone(), vec![self.client.queue("q").unwrap().name().clone()]);
        for _ in 0..4 {
            maintenance.round().unwrap();
            maintenance.adopt_dead(own.id(), |_| false).unwrap();
        }
    }
}

#[test]
fn tasks_that_an_old_client_has_are_no_finding() {
    let mut all = Shared::new();
    all.submit("plain", Submit::default());
    all.submit("heavy", Submit::default().weight(2).key("k"));
    all.submit("named", Submit::default().unique("u"));
    // The listener held the task before, and gave it back.
    let mut own = all.listener();
    own.try_listen().unwrap().unwrap().release().unwrap();
    own.unregister().unwrap();
    all.sound("given back");
    for state in ["reserved", "started"] {
        let id = all.enqueue();
        let mut held = Vec::new();
        while let Some(taken) = all.listen().as_str() {
            held.push(taken.to_owned());
        }
        assert!(held.contains(&id), "{held:?}");
        all.sound(state);
        for taken in &held {
            all.old.call("start", json!({ "id": taken }));
        }
        all.sound("started");
        for taken in held {
            all.old.call("complete", json!({"id": taken, "result": "fine"}));
        }
        all.sound("completed");
    }
    let own = all.listener();
    let names = || redis::cmd("HLEN").arg("blueque_unique_q").query::<u32>(&mut all.server.connection()).unwrap();
    assert_eq!(names(), 1);
    all.maintenance(&own);
    assert_eq!(names(), 0, "dropped, as it was said to be");
    own.unregister().unwrap();
    all.sound("repaired");
}

#[test]
fn an_attempt_that_an_old_client_claimed_and_ended_is_no_finding_while_its_lease_runs() {
    let mut all = Shared::new();
    all.submit("t", Submit::default().weight(2));
    let gone = Command::new("true").spawn().and_then(|mut child| child.wait().map(|_| child.id())).unwrap();
    let dead = ListenerId::of_process(all.old.host(), gone);
    let mut dead = all.client.listener_as(dead, &["q"]).unwrap();
    dead.try_listen().unwrap().unwrap();
    assert_eq!(all.old.text("claim_orphan", json!({"queue": "q"})), "t");
    all.sound("claimed");
    let note = all.notes("claimed by");
    assert!(note.contains(all.old.listener().as_str()) && note.contains("1 task,"), "{note}");
    all.old.call("start", json!({"id": "t"}));
    all.old.call("complete", json!({"id": "t", "result": "fine"}));
    all.sound("ended");
}

#[test]
fn what_a_dead_listener_left_is_a_finding_until_a_worker_of_its_host_has_done_as_was_said() {
    let mut all = Shared::new();
    all.enqueue();
    all.enqueue();
    all.listen();
    all.listen();
    let next = Old::start(&all.server);
    std::mem::replace(&mut all.old, next).kill();
    all.old.text("claim_orphan", json!({"queue": "q"}));
    let found = all.findings();
    assert!(found.len() == 1 && found[0].contains("holds 1 task of a client without scripts"), "{found:?}");
    assert!(!all.notes("claimed by").is_empty());
    let next = Old::start(&all.server);
    std::mem::replace(&mut all.old, next).kill();
    let own = all.listener();
    all.client.queue("q").unwrap().repair(Some(std::time::Duration::ZERO)).unwrap();
    all.client.queue("q").unwrap().repair(Some(std::time::Duration::ZERO)).unwrap();
    all.maintenance(&own);
    assert_eq!(all.client.queue("q").unwrap().counts().unwrap().pending, 2);
    own.unregister().unwrap();
    all.sound("given back");
}

#[test]
fn a_listener_of_a_host_without_a_worker_is_noted() {
    let mut all = Shared::new();
    all.enqueue();
    let mut far = Old::on_host(&all.server, "far.example.org");
    far.call("listen", json!({"queue": "q"}));
    let of = |own: &str| all.client.listener_as(ListenerId::of_process(own, 4_000_000), &["q"]).unwrap();
    let other = of("near");
    let note = all.notes("far.example.org");
    assert!(note.contains("holds 1 task of q") && note.contains("--host-name"), "{note}");
    other.unregister().unwrap();
    // Workers on these hosts take the name for their own only if their resolver or --host-name returns it.
    for like in ["far", "far.other.org"] {
        let alike = of(like);
        let note = all.notes("far.example.org");
        assert!(note.contains(&format!("call it {like}: ")) && note.contains("--host-name far.example.org"), "{note}");
        alike.unregister().unwrap();
    }
    let same = of("Far.example.org");
    assert_eq!(all.notes("far.example.org"), "", "by its full name");
    same.unregister().unwrap();
    all.sound("it lives");
}

#[test]
fn a_listener_whose_id_is_not_valid_here_is_noted_with_what_helps() {
    let mut all = Shared::new();
    let id = all.enqueue();
    let mut far = Old::on_host(&all.server, "far_host");
    far.call("listen", json!({"queue": "q"}));
    let own = all.listener();
    let note = all.notes("far_host");
    assert!(note.contains("holds 1 task of q") && !note.contains("--host-name"), "{note}");
    assert!(note.contains("blueque cancel --force ID, then blueque retry ID"), "{note}");
    let (out, _) = all.run(&["doctor"]);
    assert!(out.contains("1 task in 1 queue: every one is where its record says"), "a note is no finding: {out}");
    // The remedy that the note names.
    assert_eq!(all.run(&["cancel", "--force", &id]).1, 0);
    assert_eq!(all.run(&["retry", &id]).1, 0);
    assert_eq!(all.notes("far_host"), "");
    own.unregister().unwrap();
}

#[test]
fn why_says_what_becomes_of_a_task_of_an_old_client() {
    let mut all = Shared::new();
    let id = all.enqueue();
    let own = all.listener();
    // Between the two commands of the old client's pop.
    let mut redis = all.server.connection();
    let list = format!("blueque_reserved_tasks_q_{}", all.old.listener());
    redis::cmd("LMOVE").arg(&["blueque_pending_tasks_q", &list, "RIGHT", "LEFT"]).exec(&mut redis).unwrap();
    let (out, _) = all.run(&["why", &id]);
    assert!(out.starts_with("A client of Blueque 1.0 has taken it from its queue, "), "{out}");
    assert!(!out.contains("expected") && !out.contains("10,000"), "{out}");
    redis::cmd("LMOVE").arg(&[&list, "blueque_pending_tasks_q", "LEFT", "RIGHT"]).exec(&mut redis).unwrap();
    all.listen();
    all.old.call("start", json!({ "id": id }));
    all.run(&["cancel", &id]);
    let (out, _) = all.run(&["why", &id]);
    assert!(out.contains(", a client of Blueque 1.0, is not informed: ") && out.contains("cancel --force"), "{out}");
    own.unregister().unwrap();
}

#[test]
fn queues_with_names_that_only_old_clients_use_are_shown_and_their_tasks_counted() {
    let mut all = Shared::new();
    let long = "x".repeat(150);
    let names = ["a queue", "gr\u{f6}\u{df}e", "q/1", &long];
    let ids: Vec<String> =
        names.iter().map(|name| all.old.text("enqueue", json!({"queue": name, "parameters": "p"}))).collect();
    all.old.text("schedule", json!({"queue": names[0], "parameters": "p", "eta": 9e9}));
    let (out, code) = all.run(&["queue", "ls"]);
    assert_eq!((code, out.matches("not usable here").count()), (0, 4), "{out}");
    let (out, _) = all.run(&["queue", "ls", "-o", "json"]);
    let views: Value = serde_json::from_str(&out).unwrap();
    assert!(views.as_array().unwrap().iter().all(|view| view["unusable"] == true), "{views}");
    let found = all.findings();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().any(|line| line.contains("\"a queue\"") && line.contains("2 tasks wait")), "{found:?}");
    assert!(found.iter().all(|line| !line.contains("remove it") && !line.contains("unknown")), "{found:?}");
    let (out, _) = all.run(&["why", &ids[0]]);
    assert!(out.contains("only clients of Blueque 1.0") && !out.contains("start a worker"), "{out}");
    for name in names {
        all.old.text("register", json!({"queue": name}));
        while let Some(id) = all.old.call("listen", json!({"queue": name})).as_str() {
            all.old.call("start", json!({ "id": id }));
        }
    }
    let found = all.findings();
    assert!(found.len() == 1 && found[0].contains("1 task wait"), "{found:?}");
    let (out, _) = all.run(&["why", &ids[0]]);
    assert!(!out.contains("start a worker"), "{out}");
}
