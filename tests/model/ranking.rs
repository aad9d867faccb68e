//! The rules for which pending task comes next: the higher priority, then the key that was served least recently,
//! then first in, first out, as far as limits let the task start.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::state::{Model, SECOND, Task, takes};

/// The ranking of a queue.
#[derive(Clone, Default)]
pub struct Lanes {
    /// The last rank.
    pub last: u64,
    /// Entries by key and needs. Each key that may start has an entry: a priority and a rank.
    pub entries: BTreeMap<(String, String), (i64, String)>,
    /// The time at which each key was served last, as a rank.
    pub served: BTreeMap<String, String>,
    /// The time at which its rate allows a key to start, or with `/` the queue.
    pub delayed: BTreeMap<String, u64>,
    /// The latest starts that count for a rate, by key, or `/` of the queue; the latest first.
    pub starts: BTreeMap<String, Vec<u64>>,
    /// The places of each attempt, by its lease: weight, key and shared limits.
    pub places: BTreeMap<String, (u64, String, String)>,
    /// Places and rate of each key.
    pub limits: BTreeMap<String, (String, String)>,
    /// Progress of the check of keys after a change of limits; `None` if all keys that the limits held back are
    /// checked. 0: no key is checked yet. Otherwise one more than a time: the check goes on with the keys that a rate
    /// delays beyond that time.
    pub sweep: Option<u64>,
    /// The change of the limits of all queues after which they were checked.
    pub swept: u64,
}

/// The unique name that a task takes along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carried {
    Nothing,
    Name,
    /// A name with an expiry.
    Until(u64),
}

/// A task or key that may run next.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub id: String,
    pub priority: i64,
    /// The position in the order: the position of the key, not of the task.
    pub rank: String,
    own: String,
}

/// Findings of a search for the next task.
#[derive(Default)]
pub struct Look {
    /// Keys whose entry is out of date.
    pub stale: BTreeSet<String>,
    /// The time at which the queue's rate allows a start.
    pub free: Option<u64>,
    pub chosen: bool,
    /// For shared limits: whether each class may have its places, which class had its turn, which classes wait from
    /// now on and since when, for which classes places are kept, which classes are gone, and when something changes.
    pub admitted: BTreeMap<String, bool>,
    pub served: Option<String>,
    pub asks: BTreeMap<String, u64>,
    pub offers: BTreeSet<String>,
    pub gone: BTreeSet<String>,
    pub change: Option<u64>,
}

pub fn rank(us: u64) -> String {
    format!("{us:016}")
}

const LAST: u64 = 9_007_199_254_740_991;

fn front(us: u64) -> String {
    format!("-{}", rank(LAST - us))
}

fn age(rank: &str) -> u64 {
    rank.strip_prefix('-').map_or_else(|| rank.parse().unwrap(), |front| LAST - front.parse::<u64>().unwrap())
}

/// Returns true if an offer satisfies these needs.
pub fn suits(has: &str, needs: &str) -> bool {
    let own = |name: &str| has.split(',').find(|one| one.split('=').next() == Some(name));
    needs.split(',').filter(|need| !need.is_empty()).all(|need| {
        let name = need.split(['<', '>', '=']).next().unwrap();
        let operator = need[name.len()..].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let Some(found) = own(name) else { return false };
        let amount = found.split_once('=').map(|(_, amount)| amount.parse::<f64>().unwrap());
        let asked = need[name.len() + operator.len()..].parse::<f64>();
        match (operator, amount, asked) {
            ("", ..) => true,
            (">=", Some(amount), Ok(asked)) => amount >= asked,
            ("<=", Some(amount), Ok(asked)) => amount <= asked,
            (">", Some(amount), Ok(asked)) => amount > asked,
            ("<", Some(amount), Ok(asked)) => amount < asked,
            ("=", Some(amount), Ok(asked)) => (amount - asked).abs() < f64::EPSILON,
            _ => false,
        }
    })
}

impl Model {
    /// The tasks of a key that wait with these needs, in order.
    fn waiting(&self, queue: &str, key: &str, needs: &str) -> Vec<&Task> {
        let mine =
            |task: &&Task| task.queue == queue && task.has("rank") && task.get("key") == key && task.class() == needs;
        let mut tasks: Vec<&Task> = self.tasks.values().filter(mine).collect();
        tasks.sort_by_key(|task| (-task.priority(), task.get("rank").to_owned()));
        tasks
    }

    /// Places and rate of a key, and since when that is in effect.
    pub fn limit(&self, queue: &str, key: &str) -> (Option<u64>, Option<String>, u64) {
        let unset = ("-".to_owned(), "-".to_owned());
        let (places, rate) = self.queues[queue].lanes.limits.get(key).unwrap_or(&unset);
        let own = |value: &String| (value != "-").then(|| value.clone());
        let places = own(places).or_else(|| self.setting(queue, "key_concurrency"));
        let since = if rate == "-" { self.since(queue, "key_rate") } else { 0 };
        (places.map(|places| places.parse().unwrap()), own(rate).or_else(|| self.setting(queue, "key_rate")), since)
    }

    /// Since when a rate of the settings is in effect.
    pub fn since(&self, queue: &str, name: &str) -> u64 {
        let own = &self.queues[queue].settings;
        let settings = if own.iter().any(|(other, _)| other == name) { own } else { &self.settings };
        let since = settings.iter().find(|(other, _)| *other == format!("{name}_since"));
        since.map_or(0, |(_, since)| since.parse().unwrap())
    }

    /// Returns `Ok` if a rate allows a start, else the time at which it will.
    fn paced(&self, queue: &str, of: &str, rate: Option<&str>, since: u64) -> Result<(), Option<u64>> {
        let Some((number, seconds)) = rate.and_then(|rate| rate.split_once('/')) else { return Ok(()) };
        let (number, seconds): (usize, u64) = (number.parse().unwrap(), seconds.parse().unwrap());
        let starts = self.queues[queue].lanes.starts.get(of);
        let starts = starts.filter(|starts| starts.first().is_some_and(|first| *first <= self.us));
        let last = starts.and_then(|starts| starts.get(number - 1)).filter(|last| **last >= since);
        let free = last.map(|last| last + seconds * SECOND);
        free.filter(|free| *free > self.us).map_or(Ok(()), |free| Err(Some(free)))
    }

    /// Returns `Ok` if the limits of its key allow a task to start, else the time at which the rate will, or `None`
    /// if that is unknown.
    fn fits(&self, task: &Task) -> Result<(), Option<u64>> {
        let (queue, key) = (task.queue.as_str(), task.get("key"));
        let (most, rate, since) = self.limit(queue, key);
        let (most, weight) = if task.has("exclusive") { (Some(1), 1) } else { (most, task.weight()) };
        if let Some(most) = most {
            let places = self.queues[queue].lanes.places.values().filter(|(_, other, _)| other == key);
            let used: u64 = places.map(|(weight, ..)| weight).sum();
            if used + weight.min(most) > most {
                return Err(None);
            }
        }
        self.paced(queue, key, rate.as_deref(), since)
    }

    /// Returns true if the limits of its key keep a task from starting, or did so and the key was not checked since.
    pub fn is_held_up(&self, task: &Task) -> bool {
        let place = (task.get("key").to_owned(), task.class());
        self.fits(task).is_err() || !self.queues[&task.queue].lanes.entries.contains_key(&place)
    }

    /// Returns true if the queue's own limits keep a task of this weight from starting.
    pub fn is_closed_to(&self, queue: &str, weight: u64) -> bool {
        self.open(queue, weight).is_err()
    }

    /// Returns `Ok` if the queue's own limits allow a task of this weight to start.
    fn open(&self, queue: &str, weight: u64) -> Result<(), Option<u64>> {
        if let Some(most) = self.setting(queue, "concurrency") {
            let most: u64 = most.parse().unwrap();
            let held = self.tasks.values().filter(|task| task.queue == queue && task.held());
            if held.map(Task::weight).sum::<u64>() + weight.min(most) > most {
                return Err(None);
            }
        }
        self.paced(queue, "/", self.setting(queue, "rate").as_deref(), self.since(queue, "rate"))
    }

    /// Checks a key: whether its first task may run, and in which turn.
    pub fn look_at(&mut self, name: &str, key: &str, needs: &str) {
        let first = self.waiting(name, key, needs).into_iter().next();
        let verdict = first.map(|task| (task.priority(), task.get("rank").to_owned(), self.fits(task)));
        let lanes = &mut self.queue(name).lanes;
        let place = (key.to_owned(), needs.to_owned());
        match verdict {
            Some((priority, rank, Ok(()))) => {
                let turn = lanes.served.get(key).filter(|served| **served > rank).cloned().unwrap_or(rank);
                lanes.entries.insert(place, (priority, turn));
            }
            other => {
                lanes.entries.remove(&place);
                if let Some((.., Err(Some(free)))) = other {
                    lanes.delayed.insert(key.into(), free);
                }
            }
        }
    }

    /// Checks a key for each set of needs that its tasks have.
    pub fn settle_all(&mut self, name: &str, key: &str) {
        let tasks = self.tasks.values().filter(|task| task.queue == name && task.has("rank"));
        let mut needs: BTreeSet<String> = tasks.map(Task::class).collect();
        let known = self.queues[name].lanes.entries.keys().filter(|(other, _)| other == key);
        needs.extend(known.map(|(_, needs)| needs.clone()));
        needs.insert(String::new());
        let mut waits = false;
        for needs in needs {
            self.look_at(name, key, &needs);
            waits |= !self.waiting(name, key, &needs).is_empty();
        }
        let lanes = &mut self.queue(name).lanes;
        if !waits && !lanes.places.values().any(|(_, other, _)| other == key) {
            lanes.served.remove(key);
            lanes.delayed.remove(key);
        }
    }

    /// Returns true if a queue has waiting ranked tasks.
    pub fn laned(&self, name: &str) -> bool {
        self.tasks.values().any(|task| task.queue == name && task.has("rank"))
    }

    /// Adds a ranked task that becomes pending.
    pub fn enter(&mut self, id: &str, front: bool) {
        self.enter_at(id, front, None);
    }

    /// Adds a ranked task that becomes pending, with its former rank.
    pub fn enter_at(&mut self, id: &str, front: bool, place: Option<String>) {
        let us = self.us;
        let task = &self.tasks[id];
        let (name, key, needs) = (task.queue.clone(), task.get("key").to_owned(), task.class());
        let laned = self.laned(&name);
        let lanes = &mut self.queue(&name).lanes;
        lanes.last = if laned { us.max(lanes.last + 1) } else { us.max(1) };
        let last = lanes.last;
        let place = place.unwrap_or_else(|| if front { self::front(last) } else { rank(last) });
        self.task(id).set("rank", place);
        if !key.is_empty() {
            self.look_at(&name, &key, &needs);
        }
    }

    fn take_places(&mut self, id: &str) {
        let task = &self.tasks[id];
        let (name, key, lease) = (task.queue.clone(), task.get("key").to_owned(), task.lease());
        let (token, weight, set) = (task.number("token"), task.weight(), task.get("limits").to_owned());
        let rate = self.limit(&name, &key).1;
        let lanes = &mut self.queue(&name).lanes;
        lanes.places.insert(lease, (weight, key.clone(), set.clone()));
        if !key.is_empty() {
            lanes.served.insert(key.clone(), rank(token));
            lanes.start(&key, rate.as_deref(), token);
        }
        self.take_shares(&set, token);
    }

    /// Updates the claims of a task after a transition.
    pub fn rebind(&mut self, id: &str, from: &str, to: &str, front: bool) {
        let task = &self.tasks[id];
        let (name, key) = (task.queue.clone(), task.get("key").to_owned());
        let (places, lane, keyed) = (task.flagged('p'), task.flagged('r'), !key.is_empty());
        let held = from == "reserved" || from == "started";
        let taken = takes(from, to);
        let back = held && lane && to == "pending";
        if back {
            self.enter(id, front);
        }
        if places && held && to != "started" {
            let mine = format!("{id} ");
            self.queue(&name).lanes.places.retain(|lease, _| !lease.starts_with(&mine));
            let set = self.tasks[id].get("limits").to_owned();
            if !taken {
                self.free_shares(&set, &name);
            }
            if keyed {
                self.settle_all(&name, &key);
            }
        }
        let ranked = !back && self.task(id).fields.remove("rank").is_some();
        if ranked && !self.tasks.values().any(|task| task.queue == name && task.has("rank")) {
            self.queue(&name).lanes.last = 0; // the ranking is empty
        }
        if places && taken {
            self.take_places(id);
        }
        if keyed && (ranked || places && taken) {
            self.settle_all(&name, &key);
        }
        if lane && to == "pending" && !back {
            self.enter(id, front);
        }
        self.rebind_unique(id, from, to);
    }

    fn rebind_unique(&mut self, id: &str, from: &str, to: &str) {
        let task = &self.tasks[id];
        if !task.has("unique") {
            return;
        }
        let (unique, until) = (task.get("unique").to_owned(), task.get("unique_until").to_owned());
        let (beside, latest) = (format!("/{unique}"), task.is_latest());
        let timed = until.parse::<u64>().ok();
        let ends = task.finished() || to == "deleted" || to == "moved";
        let back = (from == "reserved" || from == "started") && task.waits();
        let (us, name, restarts) = (self.us, task.queue.clone(), self.restarts);
        let carried = self.carried.take();
        let keeps = std::mem::take(&mut self.keeps);
        let interrupted = self.interrupted(&name, &unique, id);
        let queue = self.queue(&name);
        if ends || to == "started" && until == "start" || takes(from, to) && latest {
            let held =
                queue.unique.get(&unique).filter(|(by, _)| by == id).map(|(_, till)| till.parse::<u64>().is_ok());
            if held.is_some_and(|timed| !timed || to == "moved") {
                queue.unique.remove(&unique);
            }
            if held == Some(true) && to == "moved" {
                queue.unique_until.remove(&unique);
            }
            if queue.unique.get(&beside).is_some_and(|(by, _)| by == id) {
                queue.unique.remove(&beside);
            }
        } else if back && latest && keeps {
            queue.unique.insert(beside, (id.into(), "kept".into()));
        } else if carried == Some(Carried::Nothing) {
            // another task has the name, or no task has it
        } else if from.is_empty()
            || restarts
            || (from == "failed" || from == "cancelled") && timed.is_none()
            || back && latest
        {
            let ends = match carried {
                Some(Carried::Until(till)) => Some(till),
                _ => timed.map(|seconds| us + seconds * SECOND),
            };
            if let Some(till) = ends {
                queue.unique_until.insert(unique.clone(), till);
            }
            queue.unique.insert(unique, (id.into(), ends.map_or(until, |till| till.to_string())));
        }
        if let Some(older) = interrupted.filter(|_| latest && from == "pending" && takes(from, to)) {
            self.task(&older).set("reason", format!("replaced by {id}"));
            self.shift(&older, "cancelled", "replaced", "", false);
        }
    }

    /// The interrupted attempt that continues before the next task of this name.
    fn interrupted(&self, queue: &str, unique: &str, but: &str) -> Option<String> {
        let (id, _) = self.queues[queue].unique.get(&format!("/{unique}"))?;
        let waits = self.tasks.get(id).is_some_and(|task| task.waits() && task.queue == queue);
        Some(id.clone()).filter(|id| waits && id != but)
    }

    /// The next state after an attempt that did not end its task; `why`: why it is given back.
    pub fn back(&mut self, id: &str, to: &'static str, why: Option<&str>) -> &'static str {
        let task = &self.tasks[id];
        if !task.is_latest() {
            return to;
        }
        let (name, unique) = (task.queue.clone(), task.get("unique").to_owned());
        let (queue, node) = (&self.queues[&name], task.get("node"));
        let ordered = queue.stopped || queue.draining.contains(node) || task.order == Some("stop");
        let drained = why.is_some_and(|why| why == "drain" || ordered);
        if drained && task.has("checkpoint") && self.interrupted(&name, &unique, id).is_none() {
            self.keeps = true;
            return to;
        }
        match self.taken(&name, &unique, id) {
            None => to,
            Some(other) => {
                self.task(id).set("reason", format!("replaced by {other}"));
                "cancelled"
            }
        }
    }

    /// Another task that holds a unique name, or the time until which it is taken.
    pub fn taken(&self, queue: &str, unique: &str, by: &str) -> Option<String> {
        let (id, till) = self.holder(queue, unique).filter(|(id, _)| id != by)?;
        let has = |task: &Task| task.queue == queue && task.get("unique") == unique && !task.finished();
        let timed = till.parse::<u64>().is_ok();
        (timed || self.tasks.get(&id).is_some_and(has)).then_some(id)
    }

    /// The unique name that a task takes along to another queue.
    pub fn carry(&self, id: &str) -> Option<Carried> {
        let task = &self.tasks[id];
        let (unique, until) = (task.get("unique"), task.get("unique_until"));
        let held = self.queues[&task.queue].unique.get(unique).filter(|(by, _)| by == id);
        let left = held.and_then(|(_, till)| till.parse::<u64>().ok()).filter(|till| *till > self.us);
        task.has("unique").then(|| match until.parse::<u64>() {
            Ok(_) => left.map_or(Carried::Nothing, Carried::Until),
            Err(_) if held.is_some() || until == "end" || task.is_latest() => Carried::Name,
            Err(_) => Carried::Nothing,
        })
    }

    /// The holder of a unique name, and until when.
    pub fn holder(&self, queue: &str, unique: &str) -> Option<(String, String)> {
        let holder = self.queues[queue].unique.get(unique)?;
        let over = holder.1.parse::<u64>().is_ok_and(|till| till <= self.us);
        (!over).then(|| holder.clone())
    }

    /// The rank of a task of the plain list among the ranked ones.
    pub fn plain_rank(&self, task: &Task) -> String {
        let since = task.updated.min(self.us);
        if task.has("front") { front(since) } else { rank(since) }
    }

    /// The next task of a queue for a listener.
    pub fn next(&self, name: &str, who: &str) -> (Option<Candidate>, Look) {
        let queue = &self.queues[name];
        let mut look = Look::default();
        let mut best = queue.pending.last().map(|id| {
            let rank = self.plain_rank(&self.tasks[id]);
            Candidate { id: id.clone(), priority: 0, own: rank.clone(), rank }
        });
        let laned = self.laned(name);
        if !laned && queue.settings.is_empty() && self.settings.is_empty() {
            return (best, look);
        }
        let mut open = self.open(name, 1);
        if open.is_ok() && laned {
            best = self.pick(name, who, best, &mut look);
        }
        if let (Ok(()), Some(best)) = (open, &best) {
            open = self.open(name, self.tasks[&best.id].weight());
        }
        look.free = [open.err().flatten(), look.change].into_iter().flatten().min();
        look.chosen = open.is_ok() && best.is_some();
        look.served = best.as_ref().map(|best| self.tasks[&best.id].class()).filter(|class| class.contains('|'));
        (best.filter(|_| open.is_ok()), look)
    }

    fn pick(&self, name: &str, who: &str, plain: Option<Candidate>, look: &mut Look) -> Option<Candidate> {
        let queue = &self.queues[name];
        let has = queue.has.get(who).map_or("", String::as_str);
        let ageing = self.setting(name, "ageing").map(|seconds| seconds.parse::<f64>().unwrap() * 1e6);
        #[allow(clippy::cast_precision_loss)]
        let value =
            |one: &Candidate| -one.priority as f64 + ageing.map_or(0.0, |ageing| age(&one.rank) as f64 / ageing);
        // The first of each priority.
        let mut firsts: BTreeMap<i64, Candidate> = plain.into_iter().map(|plain| (0, plain)).collect();
        let tasks = || self.tasks.values().filter(|task| task.queue == name && task.has("rank"));
        let mut kinds: BTreeSet<String> = tasks().map(Task::class).collect();
        kinds.retain(|class| suits(has, class.split('|').next().unwrap()));
        kinds.retain(|class| !class.contains('|') || !self.is_shut(name, class));
        for needs in &kinds {
            // The entries of the order, with their names.
            let plain = tasks().filter(|task| task.class() == *needs && !task.has("key"));
            let entry = |priority: i64, rank: &str, name: String| (-priority, rank.to_owned(), name);
            let mut order: Vec<(i64, String, String)> =
                plain.map(|task| entry(task.priority(), task.get("rank"), task.id.clone())).collect();
            let keys = queue.lanes.entries.iter().filter(|((_, other), _)| other == needs);
            order.extend(keys.map(|((key, _), (priority, rank))| entry(*priority, rank, format!("/{key}"))));
            order.sort();
            let mut passed = None;
            for (score, rank, what) in order {
                if passed == Some(score) {
                    continue; // only the oldest of each priority
                }
                let id = match what.strip_prefix('/') {
                    None => what.clone(),
                    Some(key) => match self.waiting(name, key, needs).first() {
                        Some(task) if self.fits(task).is_ok() => task.id.clone(),
                        _ => {
                            look.stale.insert(key.to_owned());
                            continue;
                        }
                    },
                };
                if needs.contains('|') && !self.admits(name, needs, look) {
                    break;
                }
                passed = Some(score);
                let own = self.tasks[&id].get("rank").to_owned();
                let found = Candidate { id, priority: -score, rank, own };
                let first = firsts.entry(score).or_insert_with(|| found.clone());
                let listed = !self.tasks[&first.id].has("rank");
                let tie = (&found.rank, &found.own) == (&first.rank, &first.own);
                if (&found.rank, &found.own) < (&first.rank, &first.own) || tie && !listed && found.id < first.id {
                    *first = found;
                }
                if ageing.is_none() {
                    break;
                }
            }
        }
        let order = |one: &Candidate, other: &Candidate| {
            value(one).total_cmp(&value(other)).then_with(|| one.rank.cmp(&other.rank))
        };
        firsts.into_values().min_by(order)
    }
}

impl Lanes {
    /// Records a start for a rate.
    pub fn start(&mut self, of: &str, rate: Option<&str>, us: u64) {
        if let Some((number, _)) = rate.and_then(|rate| rate.split_once('/')) {
            let starts = self.starts.entry(of.into()).or_default();
            starts.insert(0, us);
            starts.truncate(number.parse().unwrap());
        }
    }
}
