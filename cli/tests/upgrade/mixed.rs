//! Calls of both releases at random, on the same tasks.
//!
//! `BLUEQUE_SEED` selects the calls, `BLUEQUE_UPGRADE_CALLS` their number (1,500).

use std::collections::BTreeMap;

use crate::fixture::releases;
use crate::support::seed;
use crate::{Both, By};

const QUEUES: [&str; 5] = ["plain", "lanes", "limits", "names", "retries"];
const LISTENERS: [&str; 3] = ["host_1", "host_2", "host_3"];

/// Errors that a call may return in any state.
const VERDICTS: [&str; 9] =
    ["STATE", "LOST", "CANCELLED", "DUPLICATE", "DRAINING", "NOTASK", "TOOMANY", "HELD", "CLOSED"];

/// Number of fields of a task in the reply of `reserve`.
const RESERVATION: usize = 11;

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn by(&mut self) -> By {
        [By::Old, By::New][self.below(2)]
    }
}

struct Held {
    queue: String,
    listener: String,
    token: String,
    /// True if this release cancelled the task by force: its owner may only give it back.
    killed: bool,
}

struct Mixed {
    both: Both,
    random: Random,
    held: BTreeMap<String, Held>,
    submitted: Vec<String>,
    last: u64,
    calls: u32,
    log: Vec<String>,
}

impl Mixed {
    /// Makes a call by either release. Only an error from `VERDICTS` may refuse it.
    fn call(&mut self, words: &str) -> Option<Vec<String>> {
        let new = ["requeue", "finish_and_reserve"].iter().any(|name| words.starts_with(name));
        let new = new || [" at_once ", " limit ", " pid "].iter().any(|option| words.contains(option));
        let by = if new { By::New } else { self.random.by() };
        self.calls += 1;
        self.log.push(format!("{by:?} {words}"));
        match self.both.try_by(by, words) {
            Ok(answer) => Some(answer),
            Err(error) if VERDICTS.contains(&error.split(' ').next().unwrap()) => None,
            Err(error) => panic!("{words} by {by:?}: {error}"),
        }
    }

    fn submit(&mut self) {
        let queue = self.random.pick(&QUEUES);
        let id = format!("t{}", self.submitted.len());
        let name = self.random.pick(&["n1", "n2", "n3"]);
        let options = match queue {
            "lanes" => self.random.pick(&[
                "priority 2",
                "priority -1",
                "key a",
                "key b weight 2",
                "needs gpu",
                "key a needs gpu priority 1",
                "tags red",
            ]),
            "limits" => self.random.pick(&["key a", "key b", "weight 2", "key a weight 3", "key c priority 1", ""]),
            "names" => self.random.pick(&[
                "unique N",
                "unique N unique_until start",
                "unique N unique_policy replace",
                "unique N unique_policy latest",
                "unique N unique_until 1 unique_policy existing",
            ]),
            "retries" => self.random.pick(&[
                "max_failures 2 delay 0",
                "max_failures 1 delay 1 jitter 0",
                "max_losses 0",
                "max_releases 1",
                "lease 30",
            ]),
            _ => "",
        };
        let eta = if self.random.below(6) == 0 { "99999999999" } else { "''" };
        let words = format!("submit {queue} 1 {id} {eta} x {}", options.replace(" N", &format!(" {name}")));
        self.submitted.push(id);
        self.call(words.trim_end());
    }

    fn reserve(&mut self) {
        let listener = self.random.pick(&LISTENERS);
        let queue = self.random.pick(&QUEUES);
        let words = match self.random.below(5) {
            0 => {
                format!("reserve {listener} 2 {queue} {} order round", if queue == "plain" { "lanes" } else { "plain" })
            }
            1 => format!("reserve {listener} 1 {queue} woken 1 request r{}", self.calls),
            2 => format!("reserve {listener} 1 {queue} limit 3 pid 77"),
            3 => format!("reserve {listener} 2 {queue} plain limit 3"),
            _ => format!("reserve {listener} 1 {queue}"),
        };
        let answer = self.call(&words).unwrap_or_default();
        self.taken(&words, listener, &answer);
    }

    /// Stores the tasks in the reply of `reserve` or `finish_and_reserve`.
    fn taken(&mut self, words: &str, listener: &str, answer: &[String]) {
        for task in answer.chunks_exact(RESERVATION) {
            let [id, queue, token, ..] = task else { unreachable!() };
            let number: u64 = token.parse().unwrap();
            assert!(number > self.last, "{words}: token {token} after {}", self.last);
            self.last = number;
            let held =
                Held { queue: queue.clone(), listener: listener.to_owned(), token: token.clone(), killed: false };
            let before = self.held.insert(id.clone(), held);
            assert!(before.is_none(), "{id} was given out twice");
        }
    }

    /// Ends tasks that a listener holds, and takes the next tasks.
    fn finish_and_reserve(&mut self) {
        let listener = self.random.pick(&LISTENERS);
        let own: Vec<_> = self.held.iter().filter(|(_, held)| held.listener == listener).take(3).collect();
        let ends: Vec<(String, String)> = own.iter().map(|(id, held)| ((*id).clone(), held.token.clone())).collect();
        let queue = self.random.pick(&QUEUES);
        let mut words = format!("finish_and_reserve {listener} {queue} 2 {}", ends.len());
        for (id, token) in &ends {
            let ending = self.random.pick(&[
                "complete ID TOKEN x '' '' ''",
                "fail ID TOKEN x '' 0 ''",
                "release ID TOKEN '' '' '' ''",
            ]);
            words += &format!(" {}", ending.replace("ID", id).replace("TOKEN", token));
        }
        words += self.random.pick(&["", " pid 77"]);
        let answer = self.call(&words).unwrap_or_else(|| panic!("{words} was refused"));
        let [verdicts, refusal, taken @ ..] = answer.as_slice() else { panic!("{words}: {answer:?}") };
        assert!(refusal.is_empty() || VERDICTS.contains(&refusal.as_str()), "{words}: {refusal}");
        for ((id, _), verdict) in ends.iter().zip(verdicts.split(' ')) {
            if self.held[id].killed && VERDICTS.contains(&verdict) {
                continue;
            }
            assert!(!VERDICTS.contains(&verdict), "{words}: {verdicts}");
            self.held.remove(id);
        }
        self.taken(&words, listener, taken);
    }

    fn owner(&mut self) {
        let Some((id, held)) = self.held.iter().nth(self.random.below(self.held.len().max(1))) else { return };
        let id = id.clone();
        let fill = |words: &str| {
            let words = words.replace("ID", &id).replace("TOKEN", &held.token);
            words.replace("LISTENER", &held.listener).replace("QUEUE", &held.queue)
        };
        let calls = [
            "start ID TOKEN 7",
            "heartbeat QUEUE LISTENER 60 1 ID TOKEN",
            "progress ID TOKEN x",
            "checkpoint ID TOKEN x",
            "append_log ID TOKEN me x",
            "complete ID TOKEN x",
            "fail ID TOKEN x",
            "fail ID TOKEN x again 0",
            "fail ID TOKEN x final 1 group g",
            "release ID TOKEN",
            "cancel ID x",
            "cancel ID x force 1",
            "cancel ID x at_once 1",
            "requeue ID",
            "requeue ID at_once 1",
            "adopt host_3 LISTENER QUEUE ID",
        ];
        let call = calls[self.random.below(calls.len())];
        let words = fill(call);
        let (listener, killed) = (held.listener.clone(), held.killed);
        let answer = self.call(&words);
        let what = call.split(' ').next().unwrap();
        match (what, &answer) {
            ("heartbeat", Some(answer)) => assert_eq!(answer[1] == "kill", killed, "{words}"),
            ("progress" | "checkpoint" | "append_log" | "complete" | "fail", None) if killed => {}
            ("progress" | "checkpoint" | "append_log" | "complete" | "fail" | "release", None) => {
                panic!("{words} was refused")
            }
            ("complete" | "fail" | "release", Some(_)) => drop(self.held.remove(&id)),
            ("adopt", Some(answer)) if listener != "host_3" => match answer.as_slice() {
                [_, _, token, ..] => {
                    self.last = token.parse().unwrap();
                    let held = self.held.get_mut(&id).unwrap();
                    (held.token, held.listener) = (token.clone(), "host_3".to_owned());
                }
                _ => drop(self.held.remove(&id)),
            },
            _ => {}
        }
        // This release leaves the end to the owner. The release before did not.
        if call.starts_with("cancel") || call.starts_with("requeue") {
            if !["reserved", "started"].contains(&self.both.status(&id).as_str()) {
                self.held.remove(&id);
            } else if call.ends_with("force 1") {
                self.held.get_mut(&id).unwrap().killed = true;
            }
        }
    }

    fn operator(&mut self) {
        let id = format!("t{}", self.random.below(self.submitted.len().max(1)));
        if self.held.contains_key(&id) {
            return;
        }
        let words = self.random.pick(&[
            "cancel ID x",
            "retry ID",
            "retry ID fresh 1",
            "prioritise ID 3",
            "prioritise ID 0",
            "move ID plain",
            "move ID lanes",
            "tag ID 1 blue",
            "untag ID 1 blue",
            "get ID",
            "history ID 0 50",
            "why ID",
            "delete ID",
        ]);
        self.call(&words.replace("ID", &id));
    }

    fn maintenance(&mut self) {
        let queue = self.random.pick(&QUEUES);
        let words = self.random.pick(&[
            "promote Q 100",
            "requeue_orphans Q 100",
            "aggregate Q 100",
            "prune Q 100",
            "list Q pending 0 50",
            "counts Q",
            "pause Q me x",
            "resume Q",
            "resume Q",
            "find Q 0 50",
            "bulk Q retry 0 20 status cancelled",
            "bulk Q prioritise 0 5 priority 1 status pending",
            "list_held Q host_1",
            "register Q host_1 has gpu",
            "register Q host_2",
            "drain Q host_2 0",
            "limit limits a 2 -",
            "limit limits a - -",
            "configure limits key_concurrency 3",
            "configure limits key_concurrency 2",
            "configure limits concurrency 9",
            "listeners Q 0 50",
        ]);
        self.call(&words.replace('Q', queue));
    }

    /// Ends all waiting and held tasks.
    fn finish(&mut self) {
        for queue in QUEUES {
            self.both.call(&format!("resume {queue}"));
            for setting in ["concurrency", "key_concurrency"] {
                self.both.call(&format!("configure {queue} {setting} ''"));
            }
            self.both.call(&format!("register {queue} host_9 has gpu"));
        }
        self.both.call("limit limits a - -");
        for (id, held) in std::mem::take(&mut self.held) {
            let end = if held.killed { "release ID TOKEN" } else { "complete ID TOKEN x" };
            let words = end.replace("ID", &id).replace("TOKEN", &held.token);
            self.call(&words).unwrap_or_else(|| panic!("{words} was refused"));
        }
        for queue in QUEUES {
            for id in self.both.pages(&format!("list {queue} scheduled CURSOR 100")) {
                self.call(&format!("cancel {id} x"));
            }
            loop {
                self.call(&format!("promote {queue} 500"));
                let answer = self.call(&format!("reserve host_9 1 {queue}")).unwrap();
                let [id, _, token, ..] = answer.as_slice() else { break };
                assert!(token.parse::<u64>().unwrap() > self.last);
                self.last = token.parse().unwrap();
                let (start, end) = (format!("start {id} {token} 7"), format!("complete {id} {token} x"));
                self.call(&start).unwrap();
                self.call(&end).unwrap();
            }
            self.both.repair(queue);
            self.both.call(&format!("aggregate {queue} 500"));
        }
        let waiting = ["scheduled", "pending", "reserved", "started"];
        for id in self.submitted.clone() {
            let status = self.both.status(&id);
            assert!(!waiting.contains(&status.as_str()), "{id} is {status} at the end");
        }
        self.both.sound("at the end");
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

#[test]
fn calls_of_both_releases_in_any_order_lose_nothing() {
    let seed = seed::new();
    let calls = setting("BLUEQUE_UPGRADE_CALLS").unwrap_or(1500);
    println!("with BLUEQUE_UPGRADE_CALLS={calls}");
    for fixture in releases() {
        let mut both = Both::start(&fixture);
        for queue in QUEUES {
            both.by(By::Old, &format!("register {queue} host_1 has gpu"));
            both.by(By::New, &format!("register {queue} host_2"));
            both.by(By::Old, &format!("register {queue} host_3 has gpu,memory=64"));
        }
        for words in ["limits concurrency 8", "limits key_concurrency 2", "lanes ageing 5"] {
            both.by(By::Old, &format!("configure {words}"));
        }
        let mut mixed = Mixed {
            both,
            random: Random(seed),
            held: BTreeMap::new(),
            submitted: Vec::new(),
            last: 0,
            calls: 0,
            log: Vec::new(),
        };
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while u64::from(mixed.calls) < calls {
                match mixed.random.below(11) {
                    0 | 1 => mixed.submit(),
                    2 | 3 => mixed.reserve(),
                    4..=7 => mixed.owner(),
                    8 => mixed.operator(),
                    9 => mixed.finish_and_reserve(),
                    _ => mixed.maintenance(),
                }
            }
            mixed.finish();
        }));
        if let Err(panic) = run {
            let from = mixed.log.len().saturating_sub(40);
            println!("the last calls:\n{}", mixed.log[from..].join("\n"));
            std::panic::resume_unwind(panic);
        }
    }
}
