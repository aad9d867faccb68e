//! Models the single call of maintenance: the parts of a round in turn, for the namespace and for each queue.

use std::collections::BTreeMap;

use crate::model::keys::{Kept, Keys, Reply};
use crate::model::ops::PARTS;
use crate::model::state::{Model, SECOND, decimal};

/// Interval between two looks at a queue, and interval between two looks for old data.
const EVERY: u64 = 2 * SECOND;
const SELDOM: u64 = 60 * SECOND;

/// Pause of the repairs of a queue after all repairs have been made.
const PAUSE: u64 = 60 * SECOND;

/// Entries that one step of repairs examines.
const PAGE: usize = 100;

/// Steps of repairs in one round.
const REPAIRS: usize = 12;

const NAMESPACE: [&str; 2] = ["tick", "run_deferred"];
const QUEUE: [&str; 5] = ["promote", "requeue_orphans", "aggregate", "prune", "repair"];

/// Progress of the round of a queue, or of the namespace.
#[derive(Clone, Copy, Default)]
pub struct Round {
    due: u64,
    part: usize,
    after: u64,
    pruned: u64,
}

/// The repairs of a queue that clients share: the next part and the position in it, or when all were done.
#[derive(Clone, Copy)]
pub enum Pass {
    At(usize, usize),
    Done(u64),
}

#[derive(Clone, Default)]
pub struct Maintenance {
    rounds: BTreeMap<String, Round>,
    passes: BTreeMap<String, Pass>,
}

impl Maintenance {
    /// Removes everything about a queue that is forgotten.
    pub fn forget(&mut self, name: &str) {
        self.rounds.remove(name);
        self.passes.remove(name);
    }
}

/// Result of a part: how much it did, whether it could change anything, whether there is more, and when more is due.
struct Done {
    number: usize,
    begun: bool,
    more: bool,
    next: Option<u64>,
    /// Repairs go on with the next part of them in the same round.
    goes_on: bool,
}

impl Done {
    fn of(reply: &Reply, begun: bool, next: Option<u64>) -> Self {
        let items = reply.items();
        let number = items[0].as_text().parse().unwrap();
        Self { number, begun, more: items[1].as_text() == "1", next, goes_on: false }
    }
}

/// A time in seconds from a reply, in µs.
fn told(reply: &Reply) -> Option<u64> {
    let (seconds, rest) = match reply.items()[2].as_text() {
        "" => return None,
        text => text.split_once('.').unwrap_or((text, "0")),
    };
    Some(seconds.parse::<u64>().unwrap() * SECOND + format!("{rest:0<6}").parse::<u64>().unwrap())
}

impl Model {
    /// Does the next part that is due and can change something.
    pub fn keep_up(&mut self, queues: &[&str]) -> Reply {
        let now = self.now;
        let names: Vec<&str> = ["*"].into_iter().chain(queues.iter().copied()).collect();
        // A clock that ran ahead may have stored a time too far in the future. Such a time counts as 0.
        let known = |at: u64, most: u64| if at <= now + most { at } else { 0 };
        let read = |name: &&str| {
            let round = self.maintenance.rounds.get(*name).copied().unwrap_or_default();
            let (due, after, pruned) = (known(round.due, EVERY), known(round.after, EVERY), known(round.pruned, 0));
            Round { due, part: round.part, after, pruned }
        };
        let mut rounds: Vec<Round> = names.iter().map(read).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| rounds[*at].due);
        let (mut what, mut number, mut begun) = ("", 0, false);
        for at in order {
            if rounds[at].due > now || begun {
                break;
            }
            if names[at] != "*" && !self.exists(names[at]) {
                rounds[at].due = now + EVERY;
                continue;
            }
            loop {
                let (part, done) = self.go_on_with_round(names[at], &mut rounds[at]);
                (what, number, begun) = (part, done.number, done.begun);
                if rounds[at].part == 0 || begun {
                    break;
                }
            }
            self.maintenance.rounds.insert(names[at].into(), rounds[at]);
            self.born = true;
        }
        if !begun {
            (what, number) = ("", 0);
        }
        let first = rounds.iter().map(|round| round.due).min().unwrap().max(now);
        let due = Reply::text(u8::from(first == now));
        Reply::List(vec![Reply::text(what), Reply::text(number), due, Reply::text(decimal(first)), Reply::text("")])
    }

    /// Returns true if the queue exists. A call with another name stores nothing for it.
    fn exists(&self, name: &str) -> bool {
        let queue = &self.queues[name];
        queue.known || !queue.listeners.is_empty() || self.tasks.values().any(|task| task.queue == name)
    }

    fn go_on_with_round(&mut self, name: &str, round: &mut Round) -> (&'static str, Done) {
        let (parts, now) = (if name == "*" { &NAMESPACE[..] } else { &QUEUE[..] }, self.now);
        let what = parts[round.part.min(parts.len() - 1)];
        if round.part == 0 || round.after == 0 {
            round.after = now + EVERY;
        }
        let done = self.do_part(what, name, round);
        round.after =
            if done.more { now } else { done.next.map_or(round.after, |next| round.after.min(next.max(now))) };
        let repairs = done.goes_on && round.part + 1 < QUEUE.len() + REPAIRS - 1;
        if round.part + 1 < parts.len() || repairs {
            (round.due, round.part) = (now, round.part + 1);
        } else {
            (round.due, round.part) = (round.after, 0);
        }
        (what, done)
    }

    fn do_part(&mut self, what: &str, name: &str, round: &mut Round) -> Done {
        let now = self.now;
        match what {
            "tick" => {
                let due = self.schedules.values().any(|one| one.at().is_some_and(|at| at * SECOND <= now));
                let reply = self.tick(10);
                Done::of(&reply, due, told(&reply))
            }
            "run_deferred" => {
                let (busy, reply) = (self.is_deferred(), self.go_on_with_graphs(100));
                Done::of(&reply, busy, None)
            }
            "promote" => {
                let reply = self.promote(name, 100);
                Done::of(&reply, true, told(&reply))
            }
            "requeue_orphans" => {
                let reply = self.requeue_orphans(name, 25);
                let numbers: Vec<usize> = reply.items().iter().map(|item| item.as_text().parse().unwrap()).collect();
                let number = numbers[..3].iter().sum();
                Done { number, begun: true, more: numbers[4] == 1, next: None, goes_on: false }
            }
            "aggregate" => {
                let empty = self.queues[name].events.is_empty();
                let done = Done::of(&self.aggregate(name, 500), false, None);
                Done { begun: empty || done.number > 0, ..done }
            }
            "prune" if now - round.pruned < SELDOM => {
                Done { number: 0, begun: false, more: false, next: None, goes_on: false }
            }
            "prune" => {
                let done = Done::of(&self.prune(name, 100, None, None), true, None);
                round.pruned = if done.more { round.pruned } else { now };
                done
            }
            _ => {
                let (begun, goes_on, number) = self.repair(name);
                Done { number, begun, more: false, next: None, goes_on }
            }
        }
    }

    /// Makes the next part of the repairs of a queue, in which only shared limits that expired need repair. Returns
    /// whether any part is due, whether there are more, and how much was repaired.
    fn repair(&mut self, name: &str) -> (bool, bool, usize) {
        let now = self.now;
        let (at, from) = match self.maintenance.passes.get(name) {
            Some(Pass::Done(ended)) if (*ended..*ended + PAUSE).contains(&now) => return (false, false, 0),
            Some(Pass::At(at, from)) => (*at, *from),
            _ => (0, 0),
        };
        let next = if self.entries(name, PARTS[at]) >= from + PAGE {
            Pass::At(at, from + PAGE)
        } else if at + 1 < PARTS.len() {
            Pass::At(at + 1, 0)
        } else {
            Pass::Done(now)
        };
        self.maintenance.passes.insert(name.into(), next);
        self.born = true;
        (true, matches!(next, Pass::At(..)), if PARTS[at] == "places" { self.expire_shares() } else { 0 })
    }

    /// The number of entries of a part of the repairs that can fill a page.
    fn entries(&self, name: &str, part: &str) -> usize {
        match part {
            "tasks" => self.tasks.values().filter(|task| task.queue == name).count(),
            "pending" => self.queues[name].pending.len(),
            part => self.queues[name].finished.get(part).map_or(0, Vec::len),
        }
    }

    pub fn maintenance_keys(&self, keys: &mut Keys) {
        let text = |round: &Round| format!("{} {} {} {}", round.due, round.part + 1, round.after, round.pruned);
        let rounds = self.maintenance.rounds.iter().map(|(name, round)| (name.clone(), text(round)));
        keys.insert("maintenance".into(), Kept::Hash(rounds.collect()));
        for (name, pass) in &self.maintenance.passes {
            let text = match pass {
                Pass::At(at, from) => format!("{}:{from}", PARTS[*at]),
                Pass::Done(ended) => format!("done {ended}"),
            };
            keys.insert(format!("suspects_{name}"), Kept::Hash(BTreeMap::from([("pass".into(), text)])));
        }
    }
}
