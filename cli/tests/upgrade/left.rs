//! Data that a former release left on disk.

use std::collections::{BTreeMap, BTreeSet};

use crate::fixture::{Fixture, releases};
use crate::{Both, By};

const STATES: [&str; 7] = ["scheduled", "pending", "reserved", "started", "complete", "failed", "cancelled"];

type Record = BTreeMap<String, String>;

fn field<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).map_or("", String::as_str)
}

fn held(record: &Record) -> bool {
    matches!(field(record, "status"), "reserved" | "started")
}

fn queues(fixture: &Fixture) -> BTreeSet<String> {
    fixture.records().values().map(|record| field(record, "queue").to_owned()).collect()
}

#[test]
fn the_data_hold_what_they_should() {
    for fixture in releases() {
        let records = fixture.records();
        for state in STATES {
            assert!(records.values().any(|record| field(record, "status") == state), "{state}");
        }
        // Every kind of key in this release's contract exists, except kinds that later releases added.
        let kinds = [
            "tasks",
            "leases",
            "orders",
            "seen",
            "events",
            "history",
            "aggregate",
            "days",
            "statistics",
            "log",
            "schedules",
            "schedule",
            "low_schedules",
            "tag",
            "tags",
            "group",
            "groups",
            "pending_ranked_tasks",
            "key_tasks",
            "needs",
            "turns",
            "places",
            "limits",
            "rate",
            "delayed",
            "unique",
            "timed",
            "has",
            "rounds",
            "suspects",
            "meta",
            "wake",
            "ranked_tasks",
        ];
        for kind in kinds {
            let head = format!("blueque_{kind}");
            assert!(fixture.keys().any(|key| key == head || key.starts_with(&format!("{head}_"))), "{kind}");
        }
        let meta = fixture.keys().any(|key| key == "blueque_meta");
        assert!(meta);
    }
}

#[test]
fn the_data_are_read_as_they_are() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        fixture.load(&mut both.connection);
        let records = fixture.records();
        assert_eq!(both.call("handshake")[2], "1");
        let listed: BTreeSet<_> = both.pages("queues CURSOR 100").into_iter().collect();
        for queue in queues(&fixture) {
            assert!(listed.contains(&queue), "{queue}");
            for words in [
                "settings Q",
                "listeners Q 0 100",
                "limits Q 0 100 used 1",
                "groups Q 0 100",
                "tags Q 0 100",
                "events Q 0 500",
                "statistics Q 14 until 20250102",
                "find Q 0 100",
                "counts Q",
            ] {
                let words = words.replacen('Q', &queue, 1);
                both.call(&words);
            }
            let counts = both.call(&format!("counts {queue}"));
            for state in STATES {
                // A task that an old client popped and did not mark is pending in its record, but in no list of the
                // queue.
                let of = |record: &&Record| field(record, "queue") == queue && field(record, "status") == state;
                let number = records.values().filter(of).count();
                let ids: BTreeSet<_> = both.pages(&format!("list {queue} {state} CURSOR 100")).into_iter().collect();
                if queue != "old" {
                    let at = counts.iter().position(|name| name == state).unwrap();
                    assert_eq!(counts[at + 1], number.to_string(), "{queue} {state}");
                    assert_eq!(ids.len(), number, "{queue} {state}");
                }
            }
        }
        for (id, record) in &records {
            let pairs = both.call(&format!("get {id}"));
            let mut got: Record = pairs.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
            if !record.contains_key("outcome") && record.contains_key("ended") {
                assert_eq!(got.remove("outcome").as_deref(), Some("complete"), "{id}"); // the record implies it
            }
            assert_eq!(&got, record, "{id}");
            assert_eq!(both.call(&format!("why {id}"))[1], field(record, "status"), "{id}");
            assert_eq!(both.call(&format!("estimate {id}"))[1], field(record, "status"), "{id}");
            let history = both.call(&format!("history {id} 0 100"));
            assert!(history[0].parse::<u32>().unwrap() > 0, "{id}");
            both.call(&format!("logs {id} 0 100"));
        }
        let schedules = both.pages("schedules CURSOR 100");
        assert!(schedules.len() >= 80);
        for name in schedules.chunks(12).map(|row| &row[0]) {
            both.call(&format!("show_schedule {name}"));
        }
    }
}

/// Renews the leases of the data, as if their owners had just reported.
fn renew(both: &mut Both, queues: &BTreeSet<String>) {
    let time: Vec<u64> = both.ask(&["TIME"]);
    let deadline = (time[0] * 1_000_000 + 60_000_000).to_string();
    for queue in queues {
        let leases = format!("blueque_leases_{queue}");
        for member in both.ask::<Vec<String>>(&["ZRANGE", &leases, "0", "-1"]) {
            both.ask::<()>(&["ZADD", &leases, &deadline, &member]);
        }
    }
}

/// The possible ends of the attempts in the data: the last call, and the possible states. `ID TOKEN NODE QUEUE` stand
/// for the attempt.
const ENDS: [(&[&str], &[&str]); 8] = [
    (&["complete ID TOKEN done"], &["complete"]),
    (&["fail ID TOKEN broken group g"], &["failed", "scheduled", "cancelled"]),
    (&["fail ID TOKEN broken again 0"], &["failed", "pending", "cancelled"]),
    (&["release ID TOKEN"], &["pending", "failed", "cancelled"]),
    (&["cancel ID x", "release ID TOKEN"], &["cancelled"]),
    (&["cancel ID x force 1"], &["cancelled", "reserved", "started"]),
    (&["unlock", "requeue_orphans QUEUE 500", "requeue_orphans QUEUE 500"], &["pending", "failed", "cancelled"]),
    (&["register QUEUE host_77", "adopt host_77 NODE QUEUE ID"], &["reserved", "failed", "cancelled"]),
];

#[test]
fn attempts_that_a_former_release_began_are_heartbeated_and_ended() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        let (records, queues) = (fixture.records(), queues(&fixture));
        for by in [By::New, By::Old] {
            for (calls, states) in ENDS {
                fixture.load(&mut both.connection);
                renew(&mut both, &queues);
                let mut attempts = 0;
                for (id, record) in
                    records.iter().filter(|(_, record)| held(record) && !field(record, "token").is_empty())
                {
                    attempts += 1;
                    go_on(&mut both, id, record);
                    let fill = |words: &str| {
                        let words = words.replace("ID", id).replace("TOKEN", field(record, "token"));
                        words.replace("NODE", field(record, "node")).replace("QUEUE", field(record, "queue"))
                    };
                    for call in calls {
                        if *call == "unlock" {
                            expire(&mut both, id, record);
                            continue;
                        }
                        // An order to cancel may have been given earlier.
                        if let Err(error) = both.try_by(by, &fill(call)) {
                            panic!("{id}: {} by {by:?}: {error}", fill(call));
                        }
                    }
                    let status = both.status(id);
                    assert!(states.contains(&status.as_str()), "{id} is {status} after {calls:?} by {by:?}");
                }
                assert!(attempts > 20, "{attempts}");
                check(&mut both, &queues, &format!("after {calls:?} by {by:?}"));
            }
        }
    }
}

/// The calls of an owner that is still alive.
fn go_on(both: &mut Both, id: &str, record: &Record) {
    let [token, node, queue] = ["token", "node", "queue"].map(|name| field(record, name));
    let answer = both.call(&format!("heartbeat {queue} {node} 60 1 {id} {token}"));
    let order = if both.ask::<bool>(&["HEXISTS", &format!("blueque_orders_{queue}"), &format!("t:{id}")]) {
        "cancel"
    } else if id == "draining" {
        "drain"
    } else if queue == "stopped" {
        "stop"
    } else {
        "continue"
    };
    assert_eq!(answer[1], order, "{id}");
    for call in ["progress ID TOKEN 0.5", "checkpoint ID TOKEN half", "append_log ID TOKEN me text"] {
        both.call(&call.replace("ID", id).replace("TOKEN", token));
    }
    if order != "cancel" {
        let pid = if field(record, "status") == "started" { field(record, "pid") } else { "4242" };
        both.call(&format!("start {id} {token} {pid}"));
    }
}

/// Lets the lease of a task expire, including the extension after a gap.
fn expire(both: &mut Both, id: &str, record: &Record) {
    let member = format!("{id} {}", field(record, "token"));
    both.ask::<()>(&["ZADD", &format!("blueque_leases_{}", field(record, "queue")), "1000", &member]);
    both.ask::<()>(&["HSET", &format!("blueque_task_{id}"), "postponed", "1000"]);
    // Both releases take the previous look as the last sign of life.
    let run: String = both.ask(&["INFO", "server"]);
    let run = run.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap().trim().to_owned();
    both.ask::<()>(&["HSET", "blueque_meta", "run", &run]);
}

/// Repairs the data of clients without scripts, and checks that nothing is wrong afterwards.
fn check(both: &mut Both, queues: &BTreeSet<String>, when: &str) {
    // The attempts of these clients, which have no lease, are not of interest here.
    clear_old(both);
    for queue in queues {
        both.repair(queue);
    }
    both.sound(when);
}

/// Takes over and cancels the tasks of clients of Blueque 1.0. All these clients are dead.
fn clear_old(both: &mut Both) {
    both.call("register old host_77");
    for key in both.ask::<Vec<String>>(&["KEYS", "blueque_reserved_tasks_old_old.example.org_*"]) {
        for id in both.ask::<Vec<String>>(&["LRANGE", &key, "0", "-1"]) {
            let holder = key.rsplit_once("tasks_old_").unwrap().1;
            let claimer: Option<String> = both.ask(&["HGET", &format!("blueque_task_{id}"), "reclaimed_node"]);
            let tries = [Some(holder.to_owned()), claimer].into_iter().flatten().map(|from| {
                let taken = both.try_by(By::New, &format!("adopt host_77 {from} old {id}"));
                taken.and_then(|answer| both.try_by(By::New, &format!("complete {id} {} done", answer[2])))
            });
            let tries: Vec<_> = tries.collect();
            assert!(tries.iter().any(Result::is_ok), "{id} of {holder}: {tries:?}");
        }
    }
}

#[test]
fn all_that_was_left_comes_to_its_end_and_goes() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        fixture.load(&mut both.connection);
        let (records, queues) = (fixture.records(), queues(&fixture));

        // Schedules with due slots create their tasks, then they are removed.
        both.call("configure closed closed ''");
        assert_ne!(both.call("tick 100")[0], "0");
        for name in both.pages("schedules CURSOR 100").chunks(12).map(|row| row[0].clone()) {
            both.call(&format!("unschedule {name}"));
        }
        clear_old(&mut both);
        let queues: BTreeSet<_> = queues.into_iter().chain(["closed".to_owned()]).collect();
        for queue in &queues {
            both.call(&format!("register {queue} host_78 has gpu,tape,memory=128"));
            both.call(&format!("requeue_orphans {queue} 500"));
            both.call(&format!("resume {queue}"));
            both.repair(queue);
        }
        // Their owners are dead, and some leases were postponed.
        for (id, record) in records.iter().filter(|(_, record)| held(record)) {
            if !["reserved", "started"].contains(&both.status(id).as_str()) {
                continue;
            }
            let [node, queue] = ["node", "queue"].map(|name| field(record, name));
            let answer = both.call(&format!("adopt host_78 {node} {queue} {id}"));
            if !answer.is_empty() {
                both.call(&format!("start {id} {} 7", answer[2]));
                both.call(&format!("complete {id} {} done", answer[2]));
            }
        }
        // Cancels waiting retries, and tasks delayed for years.
        for queue in &queues {
            both.call(&format!("promote {queue} 500"));
            for id in both.pages(&format!("list {queue} scheduled CURSOR 100")) {
                both.call(&format!("cancel {id} done"));
            }
        }
        let mut ran = 0;
        for queue in &queues {
            for _ in 0..200 {
                both.call(&format!("promote {queue} 500"));
                let Some([id, _, token]) = both.call(&format!("reserve host_78 1 {queue}")).first_chunk().cloned()
                else {
                    break;
                };
                both.call(&format!("start {id} {token} 7"));
                both.call(&format!("complete {id} {token} done"));
                ran += 1;
            }
        }
        assert!(ran > 40, "{ran}");
        // Rates allow only some tasks to start each hour: the rest are cancelled.
        for queue in &queues {
            for id in both.pages(&format!("list {queue} pending CURSOR 100")) {
                assert!(["rated", "keyrated", "limits"].contains(&queue.as_str()), "{id} of {queue} waits");
                both.call(&format!("cancel {id} done"));
            }
            both.repair(queue);
            while both.call(&format!("aggregate {queue} 500"))[1] == "1" {}
        }
        let left: Vec<_> = records.keys().filter(|id| STATES[..4].contains(&both.status(id).as_str())).collect();
        assert!(left.is_empty(), "{left:?}");
        both.sound("at the end of all tasks");

        for queue in &queues {
            while both.call(&format!("prune {queue} 500 keep 0 seconds 0"))[1] == "1" {}
            for listener in both.pages(&format!("listeners {queue} CURSOR 100")).chunks(3) {
                both.call(&format!("unregister {queue} {}", listener[0]));
            }
            both.call(&format!("delete_queue {queue}"));
        }
        both.sound("when everything was forgotten");
        let kept = ["meta", "rate", "rounds", "timed", "delayed", "audit"];
        let mut keys: Vec<String> = both.ask(&["KEYS", "*"]);
        keys.retain(|key| !kept.contains(&key.split('_').nth(1).unwrap()));
        assert!(keys.is_empty(), "{keys:?}");
    }
}
