//! Shared limits: which class may have their places now, and whose turn it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::keys::{Kept, Keys};
use crate::model::ops::SHARED;
use crate::model::ranking::Look;
use crate::model::state::{Model, SECOND, Task, Verdict};

/// Time for which a place is kept for the class whose turn it is, and time after which the classes behind it look
/// again.
const TURN: u64 = 5 * SECOND;
const AGAIN: u64 = 10 * SECOND;

/// State of the shared limits, and of the classes that wait for them.
#[derive(Clone, Default)]
pub struct Shares {
    /// Places and rate of each limit, by name.
    pub limits: BTreeMap<&'static str, (Option<u64>, Option<&'static str>)>,
    /// The latest starts that count for a rate; the latest first.
    pub starts: BTreeMap<&'static str, Vec<u64>>,
    /// The classes that wait, by queue, needs and limits: since when, and since when places are kept for the class.
    pub waits: BTreeMap<String, (u64, Option<u64>)>,
    /// Seconds for which each limit that no task names is kept; and, for limits that no task names now, the time at
    /// which they expire.
    expires: BTreeMap<&'static str, u64>,
    idle: BTreeMap<&'static str, u64>,
    /// Number of tasks and rounds that name each limit, after the last call.
    named: BTreeMap<&'static str, u64>,
}

/// Names and places.
pub fn parts(set: &str) -> Vec<(&'static str, u64)> {
    let part = |part: &str| {
        let (name, places) = part.split_once(':').unwrap_or((part, "1"));
        (SHARED.into_iter().find(|other| *other == name).unwrap(), places.parse().unwrap())
    };
    set.split(',').filter(|part| !part.is_empty()).map(part).collect()
}

/// Places and rate, as the scripts keep them.
fn text((places, rate): (Option<u64>, Option<&str>)) -> String {
    format!("{} {}", places.map_or("-".to_owned(), |places| places.to_string()), rate.unwrap_or("-"))
}

fn set(class: &str) -> &str {
    class.split_once('|').map_or("", |(_, set)| set)
}

impl Task {
    /// The class of a task decides which listeners may take the task, and when. It is the needs and, after a bar, the
    /// shared limits.
    pub fn class(&self) -> String {
        let bar = if self.has("limits") { "|" } else { "" };
        format!("{}{bar}{}", self.get("needs"), self.get("limits"))
    }
}

impl Model {
    /// Sets a shared limit, or removes it.
    pub fn share(
        &mut self,
        name: &'static str,
        places: Option<u32>,
        rate: Option<&'static str>,
        expires: Option<u32>,
    ) -> Verdict<()> {
        let kept = self.shares.expires.get(name).copied();
        let expires = expires.map(u64::from);
        let told = |limit, expires: Option<u64>| {
            text(limit) + &expires.map_or_else(String::new, |seconds| format!(" expires {seconds}"))
        };
        let known = self.shares.limits.get(name).copied();
        if places.is_none() && rate.is_none() {
            if self.taken_of(name) > 0 || self.is_awaited(name) {
                return Err("NOTEMPTY");
            }
            self.unshare(name);
            let (before, after) = (told(known.unwrap_or_default(), kept), told((None, None), None));
            if before != after {
                self.note_change("limit", ["shared", name], [&before, &after], "");
            }
            return Ok(());
        }
        let limit = self.shares.limits.entry(name).or_default();
        if rate.is_some() && limit.1.is_none() {
            self.shares.starts.remove(name);
        }
        *limit = (places.map(u64::from), rate);
        let (before, after) = (told(known.unwrap_or_default(), kept), told(*limit, expires));
        self.shares.idle.remove(name);
        self.shares.expires.remove(name);
        if let Some(seconds) = expires {
            self.shares.expires.insert(name, seconds);
            self.begin_idle(name);
        }
        self.wake_for(name, "");
        if before != after {
            self.note_change("limit", ["shared", name], [&before, &after], "");
        }
        Ok(())
    }

    fn unshare(&mut self, name: &str) {
        self.shares.limits.remove(name);
        self.shares.expires.remove(name);
        self.shares.idle.remove(name);
        self.shares.starts.remove(name);
        self.shares.waits.retain(|member, _| parts(set(member)).iter().all(|(own, _)| *own != name));
    }

    /// Returns true if a class waits for a limit, and could take a task.
    fn is_awaited(&self, name: &str) -> bool {
        let mut waits =
            self.shares.waits.keys().filter(|member| parts(set(member)).iter().any(|(own, _)| *own == name));
        waits.any(|member| !self.is_gone(member))
    }

    /// Starts the time after which an unused limit is removed, unless a task names the limit.
    fn begin_idle(&mut self, name: &'static str) {
        if let (Some(seconds), 0) = (self.shares.expires.get(name), self.named().get(name).copied().unwrap_or(0)) {
            self.shares.idle.insert(name, self.us + seconds * SECOND);
        }
    }

    /// Number of unfinished tasks and planned rounds that name each limit.
    fn named(&self) -> BTreeMap<&'static str, u64> {
        let mut named = BTreeMap::new();
        let tasks = self.tasks.values().filter(|task| !task.finished()).map(|task| task.get("limits"));
        for (name, _) in tasks.chain(self.next_round.values().map(|round| round.limits())).flat_map(parts) {
            *named.entry(name).or_default() += 1;
        }
        named
    }

    /// Notes after a call which limits are no longer named, and which are named again.
    pub fn count_named(&mut self) {
        let named = self.named();
        for name in SHARED {
            if named.contains_key(name) {
                self.shares.idle.remove(name);
            } else if self.shares.named.contains_key(name) {
                self.begin_idle(name);
            }
        }
        self.shares.named = named;
    }

    /// Removes limits that nobody has named for as long as they are kept. Returns how many were looked at.
    pub fn expire_shares(&mut self) -> usize {
        let mut due: Vec<(u64, &'static str)> =
            self.shares.idle.iter().filter(|(_, at)| **at <= self.us).map(|(name, at)| (*at, *name)).collect();
        due.sort_unstable();
        for (_, name) in &due {
            if self.taken_of(name) > 0 || self.is_awaited(name) {
                self.begin_idle(name);
                continue;
            }
            let before = text(self.shares.limits[name]);
            self.unshare(name);
            self.note_change("limit", ["shared", name], [&before, "- -"], "nobody used it");
        }
        due.len()
    }

    /// Number of places of a shared limit that attempts hold.
    fn taken_of(&self, name: &str) -> u64 {
        let places = self.queues.values().flat_map(|queue| queue.lanes.places.values());
        places.flat_map(|(.., set)| parts(set)).filter(|(other, _)| *other == name).map(|(_, places)| places).sum()
    }

    /// The time at which the rate of a limit allows a start that has `before` others ahead of it.
    fn allowed_at(&self, name: &str, before: u64) -> u64 {
        let rate = self.shares.limits.get(name).and_then(|(_, rate)| *rate);
        let Some((number, seconds)) = rate.and_then(|rate| rate.split_once('/')) else {
            return 0;
        };
        let (number, seconds): (u64, u64) = (number.parse().unwrap(), seconds.parse().unwrap());
        let back = usize::try_from(number - 1 - before % number).unwrap();
        let starts =
            self.shares.starts.get(name).filter(|starts| starts.first().is_some_and(|first| *first <= self.us));
        let free = starts.and_then(|starts| starts.get(back)).map_or(0, |last| last + seconds * SECOND);
        free.max(self.us) + before / number * seconds * SECOND
    }

    /// Returns `Ok` if there is room for these places, else the time at which rates allow a start, if nothing else is
    /// in the way.
    fn roomy(&self, set: &str) -> Result<(), Option<u64>> {
        let mut free = None;
        for (name, places) in parts(set) {
            let most = self.shares.limits.get(name).map(|(most, _)| *most);
            if most.is_none_or(|most| most.is_some_and(|most| self.taken_of(name) + places > most)) {
                return Err(None);
            }
            free = free.max(Some(self.allowed_at(name, 0)).filter(|at| *at > self.us));
        }
        free.map_or(Ok(()), |free| Err(Some(free)))
    }

    /// Returns true if a class cannot get its places, and another look finds nothing new.
    pub fn is_shut(&self, queue: &str, class: &str) -> bool {
        let asked = self.shares.waits.get(&format!("{queue} {class}"));
        let over = |(name, places)| match self.shares.limits.get(name) {
            Some((most, _)) => asked.is_some() && most.is_some_and(|most| self.taken_of(name) + places > most),
            None => true, // somebody removed it
        };
        asked.is_none_or(|(_, offered)| offered.is_none()) && parts(set(class)).into_iter().any(over)
    }

    /// Returns true if no task of a class comes for its turn.
    fn is_gone(&self, member: &str) -> bool {
        let (queue, class) = member.split_once(' ').unwrap();
        let waits = |task: &Task| task.queue == queue && task.has("rank") && task.class() == class;
        let late = self.shares.waits[member].1.is_some_and(|offered| offered + TURN <= self.us);
        late || self.queues[queue].paused.is_some() || !self.tasks.values().any(waits)
    }

    /// Returns `Ok` if the classes before a class leave enough of a limit for it, else the time at which that may
    /// change.
    fn leaves_enough(&self, (name, places): (&str, u64), member: &str, look: &mut Look) -> Result<(), u64> {
        let mut order: Vec<(u64, &String)> =
            self.shares.waits.iter().map(|(other, (since, _))| (*since, other)).collect();
        order.sort();
        let most = self.shares.limits[name].0;
        let (mut taken, mut starts, mut first, mut change) = (0, 0, true, self.us + AGAIN);
        for (_, other) in order {
            let Some((_, theirs)) = parts(set(other)).into_iter().find(|(own, _)| *own == name) else { continue };
            if other == member {
                break;
            }
            if self.is_gone(other) {
                look.gone.insert(other.clone());
                continue;
            }
            let fits =
                self.roomy(set(other)).is_ok() && most.is_none_or(|most| self.taken_of(name) + taken + theirs <= most);
            if fits {
                let offered = self.shares.waits[other].1;
                if offered.is_none() {
                    look.offers.insert(other.clone());
                }
                change = change.min(offered.unwrap_or(self.us) + TURN);
            }
            if first || fits {
                (taken, starts) = (taken + theirs, starts + 1);
            }
            first = false;
            let full = most.is_some_and(|most| self.taken_of(name) + taken + places > most);
            if full || self.allowed_at(name, starts) > self.us {
                return Err(change);
            }
        }
        Ok(())
    }

    /// Returns true if a class that has a task for the listener may have its places.
    pub fn admits(&self, queue: &str, class: &str, look: &mut Look) -> bool {
        if let Some(may) = look.admitted.get(class) {
            return *may;
        }
        let member = format!("{queue} {class}");
        let room = self.roomy(set(class));
        let (mut may, mut free) = (room.is_ok(), room.err().flatten());
        if may {
            for part in parts(set(class)) {
                if let Err(change) = self.leaves_enough(part, &member, look) {
                    (may, free) = (false, Some(free.map_or(change, |free| free.min(change))));
                }
            }
        }
        let exist = parts(set(class)).iter().all(|(name, _)| self.shares.limits.contains_key(name));
        if !may && exist {
            match self.shares.waits.get(&member) {
                Some((_, None)) => {}
                known => {
                    look.asks.insert(member, known.map_or(self.us, |(since, _)| *since));
                }
            }
            look.change = [look.change, free].into_iter().flatten().min();
        }
        look.admitted.insert(class.to_owned(), may);
        may
    }

    /// Stores the findings of a listener's search. The class of the task that it takes has had its turn.
    pub fn learn(&mut self, queue: &str, look: &mut Look) {
        if let Some(class) = look.served.take().filter(|_| look.chosen) {
            let member = format!("{queue} {class}");
            look.asks.remove(&member);
            self.shares.waits.remove(&member);
        }
        for member in &look.gone {
            self.shares.waits.remove(member);
        }
        for (member, since) in &look.asks {
            self.shares.waits.insert(member.clone(), (*since, None));
        }
        for member in &look.offers {
            let us = self.us;
            if let Some((_, offered)) = self.shares.waits.get_mut(member) {
                *offered = Some(us);
                self.queue(member.split(' ').next().unwrap()).wake = true;
            }
        }
    }

    pub fn take_shares(&mut self, set: &str, us: u64) {
        for (name, _) in parts(set) {
            let Some((number, _)) = self.shares.limits[name].1.and_then(|rate| rate.split_once('/')) else { continue };
            let starts = self.shares.starts.entry(name).or_default();
            starts.insert(0, us);
            starts.truncate(number.parse().unwrap());
        }
    }

    pub fn free_shares(&mut self, set: &str, queue: &str) {
        for (name, _) in parts(set) {
            self.wake_for(name, queue);
        }
    }

    /// Wakes other queues that wait for a limit.
    fn wake_for(&mut self, name: &str, queue: &str) {
        let waits = |member: &&String| parts(set(member)).iter().any(|(other, _)| *other == name);
        let queues: BTreeSet<String> =
            self.shares.waits.keys().filter(waits).map(|member| member.split(' ').next().unwrap().to_owned()).collect();
        for other in queues.into_iter().filter(|other| other != queue) {
            let other = self.queue(&other);
            other.wake |= other.paused.is_none();
        }
    }

    #[allow(clippy::cast_precision_loss)]
    pub fn share_keys(&self, keys: &mut Keys) {
        let hash = |all: &BTreeMap<&str, u64>| {
            Kept::Hash(all.iter().map(|(name, number)| ((*name).to_owned(), number.to_string())).collect())
        };
        keys.insert("shared_tasks".into(), hash(&self.named()));
        keys.insert("shared_expires".into(), hash(&self.shares.expires));
        let idle = self.shares.idle.iter().map(|(name, at)| ((*name).to_owned(), *at as f64));
        keys.insert("shared_idle".into(), Kept::Zset(idle.collect()));
        let limits = self.shares.limits.iter().map(|(name, limit)| ((*name).to_owned(), text(*limit)));
        keys.insert("shared_limits".into(), Kept::Hash(limits.collect()));
        let used = SHARED.map(|name| (name.to_owned(), self.taken_of(name))).into_iter().filter(|(_, used)| *used > 0);
        keys.insert("shared_places".into(), Kept::Hash(used.map(|(name, used)| (name, used.to_string())).collect()));
        for (name, starts) in &self.shares.starts {
            keys.insert(format!("shared_rate_{name}"), Kept::List(starts.iter().map(u64::to_string).collect()));
        }
        let wait = |(since, offered): &(u64, Option<u64>)| match offered {
            Some(offered) => format!("{since} {offered}"),
            None => since.to_string(),
        };
        let waits = self.shares.waits.iter().map(|(member, one)| (member.clone(), wait(one)));
        keys.insert("shared_waits".into(), Kept::Hash(waits.collect()));
        for name in SHARED {
            let turns =
                self.shares.waits.iter().filter(|(member, _)| parts(set(member)).iter().any(|(own, _)| *own == name));
            let turns = turns.map(|(member, (since, _))| (member.clone(), *since as f64));
            keys.insert(format!("shared_turns_{name}"), Kept::Zset(turns.collect()));
        }
    }
}
