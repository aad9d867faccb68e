//! Random work of old and new clients on one queue. Old clients are killed at any point. After a repair and a worker's
//! run at the end, every task is finished and the doctor finds nothing.

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use blueque::{Listener, ListenerId, Processor, Submit, TaskId};
use serde_json::json;

use crate::Shared;
use crate::old::Old;
use crate::support::seed;

/// Steps of one run, or `BLUEQUE_SHARED_STEPS`; `BLUEQUE_SEED` selects the run.
const STEPS: u64 = 250;

/// Pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

/// An old client, and the tasks that it may still change.
struct Hand {
    old: Old,
    popped: Vec<String>,
    held: Vec<String>,
}

struct Run {
    all: Shared,
    dice: Dice,
    hands: Vec<Hand>,
    ours: Vec<Processor>,
    dead: Listener,
    made: u32,
    story: Vec<String>,
}

impl Run {
    fn start(seed: u64) -> Self {
        let all = Shared::new();
        let hands = (0..3).map(|_| Hand { old: Old::start(&all.server), popped: Vec::new(), held: Vec::new() });
        let hands = hands.collect();
        let dead = dead(&all);
        Self { all, dice: Dice(seed), hands, ours: Vec::new(), dead, made: 0, story: Vec::new() }
    }

    fn submit(&mut self) {
        self.made += 1;
        let how = Submit::default().lease(Duration::from_secs(1));
        let how = match self.dice.below(6) {
            0 => how.unique(format!("u{}", self.dice.below(3))),
            1 => how.priority(1).tag("t"),
            2 => how.key("k").weight(2),
            3 => how.max_failures(1).delay(Duration::ZERO),
            4 => how.max_failures(1).delay(Duration::from_millis(300)).jitter(0),
            _ => how,
        };
        let id = TaskId::new(format!("t{}", self.made)).unwrap();
        // The submit fails if another task has the unique name.
        let _ = self.all.client.queue("q").unwrap().submit_bytes(b"[]", how.id(id));
    }

    /// An action of an old client, perhaps its last.
    fn step_of_theirs(&mut self) {
        let (nth, what) = (self.dice.below(self.hands.len()), self.dice.below(12));
        let hand = &mut self.hands[nth];
        let queue = json!({"queue": "q"});
        match what {
            0 => drop(hand.old.call("enqueue", json!({"queue": "q", "parameters": "[]"}))),
            1 => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
                drop(hand.old.call("schedule", json!({"queue": "q", "parameters": "[]", "eta": now + 0.3})));
            }
            2 => drop(hand.old.call("enqueue_due_tasks", queue)),
            3 | 4 => {
                let taken = hand.old.call("listen", queue);
                hand.held.extend(taken.as_str().map(str::to_owned));
            }
            5 => {
                let popped = hand.old.call("pop", queue);
                hand.popped.extend(popped.as_str().map(str::to_owned));
            }
            6 => {
                if let Some(id) = hand.popped.pop() {
                    hand.old.call("update", json!({"queue": "q", "id": id}));
                    hand.held.push(id);
                }
            }
            7 => {
                if let Some(id) = hand.old.call("claim_orphan", queue).as_str() {
                    // The runner of an old client runs reserved tasks. For started tasks it only waits.
                    if hand.old.status(id) == "reserved" {
                        hand.held.push(id.to_owned());
                    }
                }
            }
            8 => {
                if let Some(id) = hand.held.first().cloned() {
                    let _ = hand.old.try_call("start", json!({ "id": id }));
                }
            }
            9 => {
                if let Some(id) = hand.held.pop() {
                    let _ = hand.old.try_call("complete", json!({"id": id, "result": "[]"}));
                    if self.dice.below(2) == 0 {
                        let _ = hand.old.try_call("delete", json!({"queue": "q", "id": id}));
                    }
                }
            }
            10 => {
                if let Some(id) = hand.held.pop() {
                    let _ = hand.old.try_call("fail", json!({"id": id, "error": "broken"}));
                }
            }
            _ => {
                // The kill hits the client in the middle of a call, or between two calls.
                if self.dice.below(2) == 0 {
                    let name = ["listen", "pop", "claim_orphan", "enqueue_due_tasks"][self.dice.below(4)];
                    hand.old.send(name, queue);
                    thread::sleep(Duration::from_micros(u64::try_from(self.dice.below(3000)).unwrap()));
                }
                let next = Hand { old: Old::start(&self.all.server), popped: Vec::new(), held: Vec::new() };
                std::mem::replace(&mut self.hands[nth], next).old.kill();
            }
        }
        self.story.push(format!("{nth}: {what}"));
    }

    fn step_of_ours(&mut self) {
        let what = self.dice.below(12);
        match what {
            0 | 1 => self.submit(),
            2 | 3 => self.ours.extend(self.dead.try_listen().unwrap()),
            4 => drop(self.ours.last().map(|attempt| attempt.start(4_000_001))),
            5 => drop(self.ours.pop().map(|attempt| attempt.complete(&()))),
            6 => drop(self.ours.pop().map(|attempt| attempt.fail("broken"))),
            7 => drop(self.ours.pop().map(|attempt| attempt.release())),
            8 => {
                // A new client. The first one is dead with the tasks that it held.
                self.ours.clear();
                self.dead = dead(&self.all);
            }
            9 => self.act(),
            _ => self.tend(false),
        }
        self.story.push(format!("ours: {what}"));
    }

    /// Does something to a random task.
    fn act(&mut self) {
        let queue = self.all.client.queue("q").unwrap();
        let ids = queue.list("all", 500).unwrap();
        if ids.is_empty() {
            return;
        }
        let task = self.all.client.task(&ids[self.dice.below(ids.len())]).unwrap();
        let _ = match self.dice.below(4) {
            0 => task.prioritise(i32::try_from(self.dice.below(3)).unwrap()).map(drop),
            1 => task.cancel("no").map(drop),
            2 => task.cancel_now("no").map(drop),
            _ => task.retry().map(drop),
        };
    }

    /// A round of a worker on this host.
    fn tend(&self, all: bool) {
        let queue = self.all.client.queue("q").unwrap();
        let own = self.all.listener();
        queue.promote().unwrap();
        queue.requeue_orphans().unwrap();
        if all || self.story.len().is_multiple_of(2) {
            queue.repair(Some(Duration::ZERO)).unwrap();
        }
        self.all.maintenance(&own);
        own.unregister().unwrap();
    }

    /// Runs the remaining tasks.
    fn finish(&mut self) {
        for hand in self.hands.drain(..) {
            hand.old.kill();
        }
        self.ours.clear();
        let queue = self.all.client.queue("q").unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            self.tend(true);
            let mut own = self.all.listener();
            while let Some(attempt) = own.try_listen().unwrap() {
                let _ = attempt.complete(&());
            }
            own.unregister().unwrap();
            let left = self.left();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "{:?}\n{left}\n{}", queue.counts(), self.story.join("\n"));
            thread::sleep(Duration::from_millis(300));
        }
    }

    fn records(&self) -> Vec<(String, Vec<(String, String)>)> {
        let mut connection = self.all.server.connection();
        let keys: BTreeSet<String> = redis::cmd("KEYS").arg("blueque_task_*").query(&mut connection).unwrap();
        let read = |key: String| (key.clone(), redis::cmd("HGETALL").arg(key).query(&mut connection).unwrap());
        keys.into_iter().map(read).collect()
    }

    /// The unfinished tasks.
    fn left(&self) -> String {
        let open = |record: &(String, Vec<(String, String)>)| {
            let done = ["complete", "failed", "cancelled"];
            !record.1.iter().any(|(name, value)| name == "status" && done.contains(&value.as_str()))
        };
        let left = self.records().into_iter().filter(open).map(|record| format!("{record:?}"));
        left.collect::<Vec<_>>().join("\n")
    }
}

/// Makes a listener of this release whose process looks dead to other listeners.
fn dead(all: &Shared) -> Listener {
    let mut process = Command::new("true").spawn().unwrap();
    process.wait().unwrap();
    let id = ListenerId::of_process(all.old.host(), process.id());
    all.client.listener_as(id, &["q"]).unwrap().lease(Duration::from_secs(1))
}

#[test]
fn whatever_old_clients_leave_every_task_is_finished_and_the_doctor_finds_nothing() {
    let seed = seed::new();
    let mut run = Run::start(seed);
    for _ in 0..setting("BLUEQUE_SHARED_STEPS").unwrap_or(STEPS) {
        if run.dice.below(3) == 0 {
            run.step_of_ours();
        } else {
            run.step_of_theirs();
        }
    }
    run.finish();
    run.tend(true);
    run.all.sound(&format!("BLUEQUE_SEED={seed}\n{}", run.story.join("\n")));
}
