//! Reports about listeners that take tasks: every command reports full, dead and draining workers alike.

use blueque::calls::{ReportOptions, ReserveOptions};
use blueque::{ListenerId, QueueName};

use crate::{Desk, Left};

/// Registers a worker with this process id and this report.
fn worker(desk: &Desk, pid: u32, queues: &[&str], (slots, options): &Report) -> ListenerId {
    let client = desk.client();
    let id = ListenerId::of_process("host", pid);
    let queues: Vec<QueueName> = queues.iter().map(|name| QueueName::new(*name).unwrap()).collect();
    client.call(&client.calls().report(&id, slots.0, slots.1, &queues, options)).unwrap();
    id
}

/// Slots, free slots, and further fields of the report.
type Report = ((u32, u32), ReportOptions);

fn slots(slots: u32, free: u32) -> Report {
    ((slots, free), ReportOptions::new())
}

/// Lets two minutes pass since the last report.
fn dies(desk: &Desk, id: &ListenerId) -> String {
    let key = format!("blueque_worker_{id}");
    let mut connection = desk.server.connection();
    let at: f64 = redis::cmd("HGET").arg(&key).arg("at").query(&mut connection).unwrap();
    redis::cmd("HSET").arg(&key).arg("at").arg(at - 120.0).exec(&mut connection).unwrap();
    desk.json(&["workers"]).as_array().unwrap().iter().find(|one| one["listener"] == id.as_str()).unwrap()["seen"]
        .as_str()
        .unwrap()[..16]
        .replace('T', " ")
}

/// The findings about waiting tasks.
fn untaken(desk: &Desk) -> Vec<String> {
    let Left { out, code, .. } = desk.run(&["doctor"]);
    let found = |line: &&str| {
        line.starts_with("FINDING")
            && [" waits in ", " wait in ", "what these need", "has the program"]
                .iter()
                .any(|words| line.contains(words))
    };
    let found: Vec<String> = out.lines().filter(found).map(str::to_owned).collect();
    assert!(found.is_empty() || code == 1, "{out}");
    found
}

fn listeners(desk: &Desk, queue: &str) -> u64 {
    let queues = desk.json(&["queue", "ls"]);
    queues.as_array().unwrap().iter().find(|one| one["queue"] == queue).unwrap()["listeners"].as_u64().unwrap()
}

#[test]
fn a_full_worker_is_full_on_all_its_queues_and_with_what() {
    let desk = Desk::new();
    worker(&desk, 1, &["ra", "rb"], &slots(1, 1));
    desk.ok(&["submit", "ra", "--id", "ra1"]);
    let _held = desk.take("ra");
    worker(&desk, 1, &["ra", "rb"], &slots(1, 0));
    desk.ok(&["submit", "rb", "--id", "rb1"]);
    assert_eq!(
        desk.ok(&["why", "rb1"]),
        "It is the next of its queue, and the only worker of rb is full with 1 task of ra.\n"
    );
    let shown = &desk.json(&["workers", "rb"])[0];
    assert_eq!((&shown["slots"], &shown["free"], &shown["dead"]), (&1.into(), &0.into(), &false.into()));
    assert_eq!(listeners(&desk, "rb"), 1);
    assert_eq!(untaken(&desk), Vec::<String>::new(), "it takes rb1 when its task has ended");

    worker(&desk, 2, &["rb", "rc"], &slots(2, 2));
    desk.ok(&["submit", "rc", "--id", "rc1"]);
    desk.ok(&["submit", "rb", "--id", "rb0", "--priority", "9"]);
    let _rb0 = desk.take_as("rb", 2);
    let _rc1 = desk.take_as("rc", 2);
    worker(&desk, 2, &["rb", "rc"], &slots(2, 0));
    assert_eq!(
        desk.ok(&["why", "rb1"]),
        "It is the next of its queue, and the 2 workers of rb are full with 1 task of ra, 1 of rb and 1 of rc.\n"
    );
}

#[test]
fn a_dead_worker_takes_nothing_and_every_command_says_so() {
    let desk = Desk::new();
    let id = worker(&desk, 1, &["q", "other"], &slots(2, 2));
    desk.ok(&["submit", "q", "--id", "held"]);
    let _held = desk.take("q");
    worker(&desk, 1, &["q", "other"], &slots(2, 1));
    let since = dies(&desk, &id);
    desk.ok(&["submit", "q", "--id", "t"]);
    let why = desk.ok(&["why", "t"]);
    assert!(
        why.starts_with(&format!("Its queue q has no living worker, only a dead one (host_1, since {since}")),
        "{why}"
    );
    assert!(why.ends_with("): start a worker for it.\n"), "{why}");
    let shown = &desk.json(&["workers", "q"])[0];
    assert_eq!((&shown["dead"], &shown["held"]), (&true.into(), &1.into()));
    assert!(desk.ok(&["workers"]).contains("dead"));
    assert_eq!((listeners(&desk, "q"), listeners(&desk, "other")), (0, 0));
    let found = untaken(&desk);
    assert_eq!(found.len(), 1, "nothing waits in the other queue: {found:?}");
    assert!(
        found[0].contains(&format!(
            "1 task waits in q, which has no living worker, only a dead one (host_1, since {since}"
        )),
        "{found:?}"
    );
    assert!(found[0].ends_with("): start a worker for it"), "{found:?}");

    let last = worker(&desk, 2, &["q"], &slots(1, 1));
    assert_eq!((untaken(&desk), listeners(&desk, "q")), (Vec::new(), 1), "a living one takes it");
    dies(&desk, &last);
    assert!(desk.ok(&["why", "t"]).contains("only 2 dead ones (the last, host_2, since 20"));
}

#[test]
fn a_worker_that_drains_takes_nothing_more_and_every_command_says_so() {
    let desk = Desk::new();
    worker(&desk, 1, &["q"], &slots(1, 1));
    desk.ok(&["submit", "q", "--id", "t"]);
    assert_eq!(untaken(&desk), Vec::<String>::new());
    desk.ok(&["drain", "q", "host_1"]);
    assert_eq!(desk.ok(&["why", "t"]), "Its queue q has only a worker that drains (host_1): start a worker for it.\n");
    assert_eq!(desk.json(&["workers", "q"])[0]["draining"], true);
    assert!(desk.ok(&["workers", "q"]).contains("drains"));
    assert_eq!(listeners(&desk, "q"), 0);
    let found = untaken(&desk);
    assert!(found[0].contains("1 task waits in q, which has only a worker that drains (host_1): start"), "{found:?}");
    desk.ok(&["queue", "pause", "q"]);
    assert_eq!(untaken(&desk), Vec::<String>::new(), "somebody wants it to wait");
    desk.ok(&["queue", "resume", "q"]);
    desk.ok(&["drain", "q", "host_1", "--off"]);
    assert_eq!(untaken(&desk), Vec::<String>::new());
    let err = desk.refused(4, &["drain", "host_1"]);
    assert!(err.contains("there is no queue host_1; did you mean --worker host_1?"), "{err}");
    let err = desk.refused(4, &["drain", "--worker", "host_9"]);
    assert!(err.contains("there is no living worker host_9 (did you mean host_1?)"), "{err}");
    assert!(desk.run(&["drain", "--worker", "host_1"]).err.contains("ends once its tasks have ended"));
    assert_eq!(listeners(&desk, "q"), 0);
    desk.ok(&["drain", "--worker", "host_1", "--off"]);
    assert_eq!(untaken(&desk), Vec::<String>::new());
}

#[test]
fn tasks_of_queues_without_a_worker_are_findings_also_those_that_are_due_or_whose_owner_is_gone() {
    let desk = Desk::new();
    desk.ok(&["submit", "pending"]);
    desk.ok(&["submit", "pending", "--priority", "3"]);
    desk.ok(&["submit", "later", "--eta", "+1h"]);
    desk.ok(&["submit", "due", "--id", "due", "--eta", "+1h"]);
    desk.ok(&["submit", "gone", "--id", "gone", "--lease", "1s"]);
    desk.take("gone");
    let mut connection = desk.server.connection();
    redis::cmd("ZADD").arg("blueque_scheduled_tasks_due").arg(1).arg("due").exec(&mut connection).unwrap();
    redis::cmd("HSET").arg("blueque_task_due").arg("eta").arg("1.000000").exec(&mut connection).unwrap();
    let id = worker(&desk, 1, &["gone"], &slots(1, 1));
    dies(&desk, &id);
    let found = crate::support::eventually("the lease is over", || {
        let found = untaken(&desk);
        (found.len() == 3).then_some(found)
    });
    for words in [
        "1 task waits in due, which has no worker: ",
        "1 task waits in gone, which has no living",
        "2 tasks wait in pending, which has no worker: ",
    ] {
        assert!(found.iter().any(|line| line.contains(words)), "{words}: {found:?}");
    }
}

#[test]
fn only_workers_with_what_a_task_needs_are_said_to_take_it() {
    let desk = Desk::new();
    let gpu = |free| ((1, free), ReportOptions::new().has("gpu").methods("q,encode"));
    worker(&desk, 1, &["q"], &gpu(1));
    desk.ok(&["submit", "q", "--id", "first"]);
    let _first = desk.take("q");
    worker(&desk, 1, &["q"], &gpu(0));
    worker(&desk, 2, &["q"], &((1, 1), ReportOptions::new().methods("q")));
    desk.ok(&["submit", "q", "--id", "able", "--needs", "gpu"]);
    desk.ok(&["submit", "q", "--id", "encode", "--method", "encode"]);
    let full = "and the only worker of q that can take it is full with 1 task of q.\n";
    for id in ["able", "encode"] {
        let why = desk.ok(&["why", id]);
        assert!(why.ends_with(full), "{id}: {why}");
    }
    assert_eq!(untaken(&desk), Vec::<String>::new());
    desk.ok(&["submit", "q", "--id", "plain", "--priority", "9"]);
    assert!(desk.ok(&["why", "plain"]).contains("1 of 2 workers of q can take it"));
    worker(&desk, 1, &["q"], &gpu(1));
    assert!(desk.ok(&["why", "able"]).ends_with("a worker of q can take it, and should soon.\n"));

    let dead = ListenerId::of_process("host", 1);
    dies(&desk, &dead);
    let found = untaken(&desk);
    assert!(found.iter().any(|line| line.contains("q: no worker has what these need (tasks): gpu (1)")), "{found:?}");
    assert!(
        found.iter().any(|line| line.contains("no worker of q has the program encode, which a waiting task needs")),
        "{found:?}"
    );
    assert_eq!(desk.ok(&["why", "able"]), "It needs gpu, which the only worker of q does not have.\n");
}

/// An offer, needs, and true if the offer satisfies the needs.
const MET: [(&str, &str, bool); 25] = [
    ("", "gpu", false),
    ("gpu", "gpu", true),
    ("gp", "gpu", false),
    ("gpus=4", "gpu", false),
    ("cpu,gpu", "gpu", true),
    ("gpu=0", "gpu", true),
    ("gpu", "gpu>=1", false),
    ("gpu=3", "gpu>=3", true),
    ("gpu=3", "gpu>3", false),
    ("gpu=3.5", "gpu>3", true),
    ("gpu=2", "gpu<=2", true),
    ("gpu=2", "gpu<2", false),
    ("gpu=0", "gpu<1", true),
    ("gpu=3.50", "gpu=3.5", true),
    ("gpu=1.", "gpu=1", true),
    ("gpu=1", "gpu=1.", true),
    ("gpu=10", "gpu>9", true),
    ("gpu=1,ram=8", "gpu>=1,ram>=8", true),
    ("gpu=1,ram=8", "gpu>=1,ram>8", false),
    ("gpu=4", "gpu>=2,gpu<4", false),
    ("a.b-c_d=2", "a.b-c_d>=2", true),
    ("3=5", "3>4", true),
    // If a name is given twice, the last one counts.
    ("gpu=1,gpu=8", "gpu>=8", true),
    ("gpu=8,gpu=1", "gpu>=8", false),
    ("gpu=8,gpu", "gpu>=8", false),
];

#[test]
fn what_needs_are_met_the_command_knows_as_the_server_does() {
    let desk = Desk::new();
    let client = desk.client();
    let queue = |number| format!("q{number}");
    let mut listeners = Vec::new();
    for (number, (has, needs, _)) in (1..).zip(MET) {
        let options =
            Some(has).filter(|has| !has.is_empty()).into_iter().fold(ReportOptions::new(), ReportOptions::has);
        listeners.push(worker(&desk, number, &[&queue(number)], &((1, 1), options)));
        desk.ok(&["submit", &queue(number), "--id", &format!("t{number}"), "--needs", needs]);
    }
    let found = untaken(&desk);
    let mut wrong = Vec::new();
    for ((number, (has, needs, met)), listener) in (1..).zip(MET).zip(listeners) {
        let queue = queue(number);
        let why = desk.ok(&["why", &format!("t{number}")]);
        let taker = why.contains(&format!("workers of {queue} can take it"));
        let lacking = found.iter().any(|line| line.contains(&format!("{queue}: no worker has what these need")));
        let reserve = client.calls().reserve(&listener, &[QueueName::new(queue).unwrap()], &ReserveOptions::new());
        let given = !client.call(&reserve).unwrap().is_empty();
        if [given, taker, !lacking] != [met; 3] {
            wrong.push(format!("{has:?} meets {needs:?}: {met}; given out: {given}; doctor: {}; {why}", !lacking));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn a_worker_ordered_to_drain_one_queue_takes_nothing_of_its_others_either() {
    let desk = Desk::new();
    let id = worker(&desk, 1, &["a", "b"], &slots(1, 1));
    desk.ok(&["submit", "b", "--id", "t"]);
    desk.ok(&["drain", "a", id.as_str()]);
    let why = desk.ok(&["why", "t"]);
    assert!(!why.contains("should take it soon"), "before its next report: {why}");
    desk.ok(&["drain", "a", id.as_str(), "--off"]);
    let why = desk.ok(&["why", "t"]);
    assert!(why.contains("should take it soon"), "{why}");
}

#[test]
fn a_worker_has_one_row_with_its_name_its_queues_and_its_state() {
    let desk = Desk::new();
    for (id, queue) in [("t", "q"), ("u", "other")] {
        desk.ok(&["submit", queue, "--id", id]);
    }
    let _held = (desk.take("q"), desk.take("other"));
    let report =
        blueque::calls::ReportOptions::new().name("night").version("1.2").has("gpu,memory=64").trouble("no disk");
    worker(&desk, 1, &["q", "other"], &((2, 0), report));
    let rows = desk.json(&["workers"]);
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(rows[0]["queues"], serde_json::json!(["other", "q"]));
    assert_eq!(
        (&rows[0]["held"], &rows[0]["host"], &rows[0]["has"]),
        (&2.into(), &"host".into(), &"gpu,memory=64".into())
    );
    let shown = desk.ok(&["workers"]);
    let row: Vec<&str> = shown.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..6], ["night", "host", "other", "q", "impaired", "2"], "{shown}");
    assert!(shown.contains("gpu,memory=64  1.2      no disk\n"), "{shown}");
    assert_eq!(desk.ok(&["workers", "-o", "id"]), "host_1\n");
}
