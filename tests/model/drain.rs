//! I23: the end of each case. With limits lifted and a capable listener, everything that waits is reserved and
//! ends, and then nothing is left of the ranking, places and turns.

use std::collections::VecDeque;

use crate::model::arguments::{HAS, KEYS, SETTINGS, intern};
use crate::model::check::{Checked, ensure, field, hash, held, records};
use crate::model::keys::{Keys, Reply};
use crate::model::ops::{Act, Asks, Key, Op, QUEUES, SCHEDULES, SHARED, Step, Which};

/// More rounds than needed: postponed leases, delays after failures.
const ROUNDS: u32 = 16;

/// Steps of `run_deferred` in a round.
const STEPS: u32 = 200;

/// Keys that must be empty at the end.
const EMPTY: [&str; 15] = [
    "next_round_",
    "shared_places",
    "pending_ranked_tasks_",
    "ranked_tasks_",
    "key_tasks_",
    "needs_",
    "turns_",
    "places_",
    "delayed_",
    "waiting_tasks_",
    "deferred",
    "graphs_due",
    "outside_",
    "chosen_",
    "deadlines",
];

/// Calls that are still to come.
#[derive(Default)]
pub struct Drained {
    calls: VecDeque<(Step, Op)>,
    rounds: u32,
    steps: u32,
}

fn queues() -> impl Iterator<Item = u8> {
    (0..).zip(QUEUES).map(|(number, _)| number)
}

impl Drained {
    /// The next call, given the keys, and the last call with its reply.
    pub fn next(&mut self, keys: &Keys, last: Option<&(Op, Reply)>) -> Result<Option<(Step, Op)>, String> {
        if self.rounds > 0 {
            self.own(last);
        }
        if self.calls.is_empty() {
            let left = left(keys);
            if left.is_ok() {
                return Ok(None);
            }
            if self.rounds == ROUNDS {
                return left.map(|()| None);
            }
            self.round(keys);
            self.rounds += 1;
        }
        Ok(self.calls.pop_front())
    }

    /// Completes a reserved task, and requests another task.
    fn own(&mut self, last: Option<&(Op, Reply)>) {
        if let Some((Op::Settle { .. }, Reply::List(items))) = last
            && items[1].as_text() == "1"
            && self.steps < STEPS
        {
            self.steps += 1;
            self.calls.push_front((Step::Stay, Op::Settle { limit: 500 }));
        }
        let Some((Op::Reserve { listener, queues, .. }, Reply::List(items))) = last else { return };
        let id = intern(items[0].as_text());
        let (token, act) = (Key::Is(items[2].as_text().to_owned()), Act::Complete { result: 0, cost: None });
        self.calls.push_front((Step::Stay, reserve(*listener, queues[0])));
        self.calls.push_front((Step::Stay, Op::Owner { task: Which::Is(id), token, act }));
    }

    fn round(&mut self, keys: &Keys) {
        let meta = hash(keys, "meta");
        let mut call = |step, op| self.calls.push_back((step, op));
        for (name, _) in (0..).zip(SCHEDULES).filter(|(_, name)| keys.contains_key(&format!("schedule_{name}"))) {
            call(Step::Stay, Op::Unschedule { name });
        }
        for queue in [None].into_iter().chain(queues().map(Some)) {
            let text = field(
                &meta,
                &queue.map_or("settings".into(), |queue| format!("settings:{}", QUEUES[usize::from(queue)])),
            );
            for (setting, (name, _)) in (0..).zip(SETTINGS) {
                let limits = ["concurrency", "rate", "ageing"].iter().any(|kind| name.contains(kind));
                if limits && text.split(' ').any(|one| one.split('=').next() == Some(name)) {
                    call(Step::Stay, Op::Configure { queue, setting, value: 0 }); // the first value unsets it
                }
            }
        }
        for (id, _) in records(keys).into_iter().filter(|(_, record)| field(record, "status") == "held") {
            call(Step::Stay, Op::Hold { task: Which::Is(intern(id)), on: false });
        }
        // Ids that come again can close a circle by a retry. Only a person opens such a circle.
        let stuck = if self.rounds > 3 { circle(keys).or_else(|| held_up(keys)) } else { None };
        if let Some(id) = stuck {
            let task = Which::Is(intern(&id));
            call(Step::Stay, Op::Cancel { task, reason: 0, force: None, at_once: None });
        }
        for (queue, name) in (0..).zip(QUEUES) {
            let limits = hash(keys, &format!("limits_{name}"));
            for (key, _) in (0..).zip(KEYS).filter(|(_, key)| limits.contains_key(*key)) {
                call(Step::Stay, Op::Limit { queue, key, places: None, rate: None });
            }
            if meta.contains_key(&format!("paused:{name}")) {
                call(Step::Stay, Op::Resume { queue });
            }
        }
        // Includes the limits that were removed while tasks named them.
        let known = |name| ["shared_limits", "shared_tasks"].iter().any(|key| hash(keys, key).contains_key(name));
        for (limit, _) in (0..).zip(SHARED).filter(|(_, name)| known(*name)) {
            call(Step::Stay, Op::Share { limit, places: Some(9), rate: None, expires: None });
        }
        for queue in queues() {
            call(Step::Seconds(3600), Op::RequeueOrphans { queue, limit: 500 });
            call(Step::Seconds(200), Op::RequeueOrphans { queue, limit: 500 });
            call(Step::Stay, Op::Promote { queue, limit: 500 });
        }
        self.steps = 0;
        call(Step::Stay, Op::Settle { limit: 500 });
        let able = u8::try_from(HAS.len() - if self.rounds.is_multiple_of(2) { 2 } else { 1 }).unwrap();
        for queue in queues() {
            call(Step::Stay, Op::Register { queue, listener: 0, has: Some(able) });
            call(Step::Stay, Op::Drain { queue, listener: 0, on: false });
            call(Step::Stay, reserve(0, queue));
        }
    }
}

/// Finds a task that waits for the retry of a failed task.
fn held_up(keys: &Keys) -> Option<String> {
    let waits = |id: &&str| field(&hash(keys, &format!("task_{id}")), "status") == "waiting";
    let ended = |up: &String| ["failed", "cancelled"].contains(&field(&hash(keys, &format!("task_{up}")), "status"));
    let holds = |id: &str| {
        let graph = hash(keys, &format!("task_{id}")).remove("graph").unwrap_or_default();
        field(&hash(keys, &format!("graph_{graph}")), "on_failure") == "hold"
    };
    let is_held = |id: &&str| {
        // A failed task of a set holds nothing up, unless the graph holds tasks whose set has too few.
        let mut edges = hash(keys, &format!("upstreams_{id}")).into_iter();
        edges.any(|(up, kind)| ended(&up) && (!kind.starts_with("some") || holds(id)))
    };
    records(keys).into_keys().filter(waits).find(is_held).map(str::to_owned)
}

/// Finds a task that waits for itself, directly or through others.
fn circle(keys: &Keys) -> Option<String> {
    let waits = |id: &str| field(&hash(keys, &format!("task_{id}")), "status") == "waiting";
    let upstreams = |id: &str| hash(keys, &format!("upstreams_{id}")).into_keys().filter(|up| waits(up));
    let all = records(keys).into_keys().filter(|id| waits(id));
    all.map(str::to_owned).find(|id| {
        let (mut seen, mut next) = (Vec::new(), vec![id.clone()]);
        while let Some(one) = next.pop() {
            for up in upstreams(&one).filter(|up| !seen.contains(up)).collect::<Vec<_>>() {
                seen.push(up.clone());
                next.push(up);
            }
        }
        seen.contains(id)
    })
}

fn reserve(listener: u8, queue: u8) -> Op {
    Op::Reserve { able: false, listener, queues: vec![queue], limit: None, asks: Asks::default() }
}

fn waiting(keys: &Keys) -> Vec<(&str, &str)> {
    let found = records(keys).into_iter().map(|(id, record)| (id, field(record, "status")));
    let waits = |status: &str| held(status) || matches!(status, "waiting" | "pending" | "scheduled" | "held");
    found.filter(|(_, status)| waits(status)).collect()
}

fn left(keys: &Keys) -> Checked {
    let waiting = waiting(keys);
    ensure(waiting.is_empty(), || format!("I23: what waits is not reserved: {waiting:?}"))?;
    let kept = keys.iter().find(|(name, _)| EMPTY.iter().any(|kind| name.starts_with(kind)));
    ensure(kept.is_none(), || format!("I23: nothing runs or waits, and something is left: {kept:?}"))?;
    let unique = QUEUES.iter().flat_map(|queue| hash(keys, &format!("unique_{queue}")));
    let mut live = unique.filter(|(_, holder)| holder.ends_with(" end") || holder.ends_with(" start"));
    let found = live.next();
    ensure(found.is_none(), || format!("I8: nothing lives, and a unique key is held: {found:?}"))
}
