//! Attempts that one release begins and another release continues: a supervisor carries the scripts of its own release.

use std::thread::sleep;
use std::time::Duration;

use crate::fixture::releases;
use crate::{Both, By};

/// The claims of a task: a queue, and options of its submit.
const KINDS: [(&str, &str); 14] = [
    ("plain", ""),
    ("plain", "lease 30 max_failures 3 delay 0 method digest"),
    ("plain", "tags red,blue"),
    ("lanes", "priority 3"),
    ("lanes", "key a"),
    ("lanes", "needs gpu weight 2"),
    ("lanes", "key b needs gpu priority -1 tags red"),
    ("limits", "key k"),
    ("limits", "weight 3"),
    ("rated", "key k"),
    ("names", "unique NAME"),
    ("names", "unique NAME unique_until start"),
    ("names", "unique NAME unique_until 2"),
    ("names", "unique NAME unique_policy latest"),
];

/// The ways in which an attempt ends: calls by the other release, the resulting state, and whether the first release
/// may repeat the last call.
const ENDS: [(&[&str], &[&str], bool); 9] = [
    (&["complete ID TOKEN done"], &["complete"], true),
    (&["fail ID TOKEN broken group g final 1"], &["failed"], true),
    (&["fail ID TOKEN broken"], &["failed", "pending"], true),
    (&["release ID TOKEN reason tired"], &["pending"], true),
    (&["cancel ID please", "fail ID TOKEN cancelled"], &["cancelled"], true),
    (&["cancel ID please", "complete ID TOKEN done"], &["complete"], true),
    (&["cancel ID please", "release ID TOKEN"], &["cancelled"], true),
    (&["adopt host_2 host_1 QUEUE ID"], &["reserved"], false),
    (&["complete ID TOKEN done", "delete ID"], &[""], false),
];

fn configure(both: &mut Both, by: By) {
    for words in [
        "lanes ageing 600",
        "limits concurrency 8",
        "limits key_concurrency 2",
        "rated rate 500/60",
        "rated key_rate 500/60",
        "* max_losses 20",
    ] {
        both.by(by, &format!("configure {words}"));
    }
    both.by(by, "limit limits k 3 -");
    for queue in ["plain", "lanes", "limits", "rated", "names"] {
        both.by(by, &format!("register {queue} host_1 has gpu,memory=64"));
        both.by(by, &format!("register {queue} host_2 has gpu"));
    }
}

/// An attempt that one release begins and another release continues.
fn attempt(both: &mut Both, first: By, id: &str, kind: (&str, &str), end: &(&[&str], &[&str], bool), last: &mut u64) {
    let second = if first == By::Old { By::New } else { By::Old };
    let (queue, options) = kind;
    let space = if options.is_empty() { "" } else { " " };
    both.by(first, &format!("submit {queue} 1 {id} '' x{space}{}", options.replace("NAME", &format!("n-{id}"))));
    let got = both.by(first, &format!("reserve host_1 1 {queue} request r-{id}"));
    assert_eq!(got[0], id, "{got:?}");
    let token = got[2].clone();
    let number: u64 = token.parse().unwrap();
    assert!(number > *last, "token {token} after {last}");
    *last = number;
    assert_eq!(both.by(second, &format!("reserve host_1 1 {queue} request r-{id}"))[..4], got[..4], "the same request");
    both.by(first, &format!("start {id} {token} 4711"));
    let calls = [
        "heartbeat QUEUE host_1 60 1 ID TOKEN",
        "progress ID TOKEN 0.5",
        "checkpoint ID TOKEN half",
        "append_log ID TOKEN me text",
        "start ID TOKEN 4711",
        "get ID",
        "why ID",
        "list_held QUEUE host_1",
        "history ID 0 10",
        "estimate ID",
    ];
    let fill = |words: &str| words.replace("ID", id).replace("TOKEN", &token).replace("QUEUE", queue);
    for call in calls {
        for by in [second, first, second] {
            let answer = both.by(by, &fill(call));
            assert!(!call.starts_with("heartbeat") || answer[1] == "continue", "{answer:?}");
        }
    }
    let (calls, ends, again) = end;
    let mut answer = Vec::new();
    for call in *calls {
        answer = both.by(second, &fill(call));
        if call.starts_with("cancel") {
            for by in [first, second] {
                assert_eq!(both.by(by, &fill("heartbeat QUEUE host_1 60 1 ID TOKEN"))[1], "cancel");
            }
        }
    }
    let status = both.status(id);
    assert!(ends.contains(&status.as_str()), "{id} is {status} after {calls:?}");
    if *again {
        let call = fill(calls[calls.len() - 1]);
        assert_eq!(both.by(first, &call), answer, "{call} again");
    }
    for by in [first, second] {
        assert_eq!(both.by(by, &fill("heartbeat QUEUE host_1 60 1 ID TOKEN"))[1], "lost", "{calls:?}");
        let stale = both.try_by(by, &fill("checkpoint ID TOKEN late")).unwrap_err();
        assert!(stale.starts_with("LOST"), "{stale}");
    }
    // A task that waits, or was adopted, runs again, by the first release.
    if status == "reserved" {
        *last = answer[2].parse().unwrap();
        assert!(*last > number, "{answer:?}");
        both.by(first, &format!("complete {id} {} done", answer[2]));
    } else if status == "pending" {
        let got = both.by(first, &format!("reserve host_2 1 {queue}"));
        assert_eq!((got[0].as_str(), got[3].as_str()), (id, "2"));
        assert_eq!(got[10], "half", "the checkpoint");
        let number = got[2].parse().unwrap();
        assert!(number > *last);
        *last = number;
        both.by(second, &format!("start {id} {} 4712", got[2]));
        both.by(first, &format!("complete {id} {} done", got[2]));
    }
    for by in [first, second] {
        for call in ["promote QUEUE 100", "requeue_orphans QUEUE 100", "aggregate QUEUE 500"] {
            both.by(by, &fill(call));
        }
    }
}

#[test]
fn each_release_goes_on_with_attempts_of_the_other() {
    for fixture in releases() {
        for first in [By::Old, By::New] {
            let mut both = Both::start(&fixture);
            configure(&mut both, first);
            let (mut number, mut last) = (0, 0);
            for kind in KINDS {
                for end in &ENDS {
                    number += 1;
                    attempt(&mut both, first, &format!("t{number}"), kind, end, &mut last);
                }
            }
            both.sound(&format!("begun by {first:?} of {}", fixture.version));
        }
    }
}

/// The orders that a heartbeat may return. Clients of a former release cannot parse other words, and then treat no task
/// of that heartbeat as renewed.
const ORDERS: [&str; 5] = ["continue", "cancel", "drain", "stop", "kill"];

#[test]
fn an_owner_of_a_former_release_can_read_every_order() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        both.by(By::Old, "register q host_1");
        for id in ["killed", "asked", "requeued", "other"] {
            both.by(By::Old, &format!("submit q 1 {id} '' x"));
        }
        let held: Vec<_> = (0..4).map(|_| both.by(By::Old, "reserve host_1 1 q lease 1")[2].clone()).collect();
        let beat = format!(
            "heartbeat q host_1 1 4 killed {} asked {} requeued {} other {}",
            held[0], held[1], held[2], held[3]
        );
        let mut hear = |words: &str| {
            both.call(words);
            let answer = both.by(By::Old, &beat);
            assert!(answer[1..].iter().all(|order| ORDERS.contains(&order.as_str())), "after {words}: {answer:?}");
            answer[1..].to_vec()
        };
        assert_eq!(hear("cancel killed x force 1"), ["kill", "continue", "continue", "continue"]);
        assert_eq!(hear("cancel asked x"), ["kill", "cancel", "continue", "continue"]);
        assert_eq!(hear("requeue requeued"), ["kill", "cancel", "stop", "continue"]);
        assert_eq!(hear("drain q host_1 1"), ["kill", "cancel", "stop", "drain"]);
        both.by(By::Old, &format!("release requeued {}", held[2]));
        both.by(By::Old, &format!("release asked {}", held[1]));
        both.by(By::Old, &format!("complete other {} done", held[3]));
        // The owner stops the work and makes no more calls.
        sleep(Duration::from_millis(1200));
        both.by(By::New, "requeue_orphans q 10");
        let left = ["killed", "asked", "requeued", "other"].map(|id| both.status(id));
        assert_eq!(left, ["cancelled", "cancelled", "pending", "complete"]);
        both.sound("after the orders");
    }
}

#[test]
fn each_release_reads_what_the_other_logs() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        both.call("register q host_1");
        both.call("submit q 1 t '' x");
        let token = both.call("reserve host_1 1 q")[2].clone();
        both.by(By::New, &format!("append_log t {token} stdout one offset 0"));
        both.by(By::Old, &format!("append_log t {token} stdout two"));
        both.by(By::New, &format!("append_log t {token} stdout three offset 6"));
        // Each entry has its time, the attempt, the stream, the text and the offset: clients read five values.
        let texts = |answer: Vec<String>| -> Vec<String> {
            assert_eq!(answer.len(), 16, "{answer:?}");
            answer[1..].chunks_exact(5).map(|entry| entry[1..].join(" ")).collect()
        };
        for by in [By::Old, By::New] {
            let read = both.by(by, "logs t 0 10");
            assert_eq!(texts(read), ["1 stdout one 0", "1 stdout two ", "1 stdout three 6"], "{by:?}");
        }
        both.by(By::Old, &format!("complete t {token} done"));
        both.by(By::Old, "delete t");
        assert_eq!(both.by(By::New, "logs t 0 10"), ["0"]);
        both.sound("after the log");
    }
}

#[test]
fn leases_that_run_out_are_taken_back_by_either_release() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        configure(&mut both, By::Old);
        let mut begun = Vec::new();
        for (number, (queue, options)) in KINDS.into_iter().enumerate() {
            for by in [By::Old, By::New] {
                let id = format!("t{number}{by:?}");
                let options = options.replace("NAME", &id).replace("lease 30", "lease 1");
                let words = format!("submit {queue} 1 {id} '' x {options}");
                both.by(by, words.trim_end());
                let taken = both.by(by, &format!("reserve host_1 1 {queue} lease 1"));
                assert_eq!(taken[0], id);
                both.by(by, &format!("start {id} {} 1", taken[2]));
                begun.push((queue, id, taken[2].clone(), by));
            }
        }
        sleep(Duration::from_millis(1200));
        for (number, (queue, id, token, by)) in begun.into_iter().enumerate() {
            let other = if by == By::Old { By::New } else { By::Old };
            both.by(other, &format!("requeue_orphans {queue} 500"));
            assert_eq!(both.status(&id), "pending", "{id}");
            let heard = both.by(by, &format!("heartbeat {queue} host_1 60 1 {id} {token}"));
            assert_eq!(heard[1], "lost");
            let who = if number % 2 == 0 { By::Old } else { By::New };
            both.by(who, &format!("cancel {id} done"));
        }
        both.sound("after the leases");
    }
}

#[test]
fn schedules_are_kept_by_either_release() {
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        for (by, name) in [(By::Old, "old"), (By::New, "new")] {
            for overlap in ["skip", "queue", "cancel", "allow"] {
                both.by(
                    by,
                    &format!("schedule {name}-{overlap} q every~1 x 0 overlap {overlap} max_losses 3 tags nightly"),
                );
            }
            both.by(by, &format!("schedule {name}-cron q cron~UTC~0~3~*~*~* x 2 9999999999 19999999999"));
        }
        both.call("register q host_1");
        let (mut made, mut last) = (0, 0);
        for round in 0..12 {
            let by = if round % 2 == 0 { By::Old } else { By::New };
            let other = if by == By::Old { By::New } else { By::Old };
            made += both.by(by, "tick 100")[0].parse::<u32>().unwrap();
            for call in [
                "pause_schedule old-skip me x",
                "resume_schedule old-skip",
                "show_schedule new-queue",
                "schedules 0 100",
            ] {
                both.by(by, call);
            }
            both.by(by, &format!("run_schedule new-cron by_hand{round} overlap allow"));
            made += 1;
            both.by(by, &format!("schedule new-allow q every~1 x{round} 0 overlap allow"));
            while let Some([id, _, token]) = both.by(other, "reserve host_1 1 q").first_chunk() {
                let number: u64 = token.parse().unwrap();
                assert!(number > last);
                last = number;
                both.by(by, &format!("start {id} {token} 1"));
                both.by(by, &format!("complete {id} {token} x"));
            }
            sleep(Duration::from_millis(300));
        }
        assert!(made > 30, "{made}");
        let records: Vec<String> = both.ask(&["KEYS", "blueque_task_*"]);
        assert_eq!(records.len(), made as usize);
        both.by(By::Old, "unschedule new-skip");
        both.by(By::New, "unschedule old-skip");
        both.sound("after the schedules");
    }
}
