//! Calls that begin attempts, or end them without their owner.

use std::collections::BTreeSet;

use crate::model::arguments::{micros, request};
use crate::model::keys::Reply;
use crate::model::ops::{Act, Asks, Key, Order, Which};
use crate::model::ranking::Look;
use crate::model::state::{ATTEMPT, LEASE, Model, SECOND, Verdict, decimal};

/// Values of a call in which a listener asks for tasks.
pub struct Asked<'a> {
    pub who: &'a str,
    pub limit: usize,
    pub lease: Option<u32>,
    pub request: Option<String>,
    pub pid: Option<u8>,
    pub woken: bool,
    pub order: Option<&'a Order>,
}

/// The rounds, what was seen of each queue, and the queue and the id of the next task.
type Looked<'a> = (Option<Vec<(usize, f64, f64)>>, Vec<(&'a str, Look)>, Option<(&'a str, String)>);

impl<'a> Asked<'a> {
    pub fn by(who: &'a str, limit: u8, asks: &'a Asks) -> Self {
        let (lease, request) = (asks.lease, asks.request.map(request));
        let order = asks.order.as_ref().filter(|order| !matches!(order, Order::Strict));
        Self { who, limit: limit.into(), lease, request, pid: asks.pid, woken: asks.woken, order }
    }
}

impl Model {
    fn reservation(&self, id: &str) -> Reply {
        let task = &self.tasks[id];
        let or = |field, none: &str| Reply::text(task.fields.get(field).map_or(none, String::as_str));
        Reply::List(vec![
            Reply::text(id),
            Reply::text(&task.queue),
            or("token", ""),
            Reply::text(task.attempt),
            Reply::text(task.deadline.unwrap()),
            or("lease", ""),
            or("outcome", ""),
            or("losses", "0"),
            or("failures", "0"),
            or("parameters", ""),
            task.fields.get("checkpoint").map_or(Reply::Nil, Reply::text),
        ])
    }

    fn repeated(&self, id: &str, asked: &Asked) -> Option<Reply> {
        let task = &self.tasks[id];
        let same = asked.request.as_ref().is_some_and(|request| task.get("request") == request);
        (same && task.held() && task.get("node") == asked.who).then(|| self.reservation(id))
    }

    /// Keeps the reply of a call with a request id, and removes up to ten replies that are older than an hour.
    pub fn keep_answer(&mut self, field: &str, answer: &str) {
        let number = |name: &str, none| self.answers.get(name).map_or(none, |number| number.parse().unwrap());
        let (mut first, last): (u64, u64) = (number("first", 1), number("last", 0) + 1);
        let now = self.now;
        self.answers.insert(field.into(), answer.into());
        self.answers.insert(format!("#{last}"), format!("{} {field}", decimal(now)));
        for _ in 0..10 {
            let place = format!("#{first}");
            let Some((at, old)) = self.answers.get(&place).and_then(|entry| entry.split_once(' ')) else { break };
            let old = old.to_owned();
            if first == last || micros(at) + 3600 * SECOND > now {
                break;
            }
            self.answers.remove(&place);
            self.answers.remove(&old);
            first += 1;
        }
        self.answers.insert("first".into(), first.to_string());
        self.answers.insert("last".into(), last.to_string());
    }

    pub fn listens(&self, name: &str, who: &str) -> Verdict<()> {
        let known = self.queues.get(name).is_some_and(|queue| queue.listeners.contains_key(who));
        if known { Ok(()) } else { Err("NOLISTENER") }
    }

    /// A new attempt, with a lease in µs. `pid`: it is started at once.
    fn take(&mut self, id: &str, asked: &Asked, lease: u64, why: &str, pid: Option<u8>) -> Reply {
        let now = self.now;
        let token = self.us + 1;
        self.advance(token);
        self.us = token;
        self.tokens.entry(id.into()).or_default().push(token.to_string());
        let task = self.task(id);
        task.attempt += 1;
        task.deadline = Some(token + lease);
        task.set("node", asked.who);
        task.set("token", token);
        task.set("lease", lease);
        task.set("request", asked.request.clone().unwrap_or_default());
        let to = if let Some(pid) = pid {
            task.set("pid", pid);
            "started"
        } else {
            "reserved"
        };
        task.set(to, decimal(now.max(task.updated)));
        self.shift(id, to, why, asked.who, false);
        self.reservation(id)
    }

    fn lease_of(&self, id: &str, asked: &Asked) -> u64 {
        let task = &self.tasks[id];
        let set = || self.setting(&task.queue, "lease").unwrap().parse::<u64>().unwrap();
        let own = task.fields.get("own_lease").map(|lease| lease.parse().unwrap());
        own.unwrap_or_else(|| asked.lease.map_or_else(set, u64::from) * SECOND)
    }

    /// The order in which queues are asked, by index in the call, and how far each advances when it is served.
    fn rounds(&self, who: &str, names: &[&str], order: &Order) -> Vec<(usize, f64, f64)> {
        let passes = self.rounds.get(who);
        let pass = |name: &str| -> f64 {
            passes.and_then(|passes| passes.get(name)).map_or(0.0, |pass| pass.parse().unwrap())
        };
        let step = |at: usize| match order {
            Order::Weighted(weights) => 1e6 / f64::from(weights[at]),
            _ => 1e6,
        };
        let mut order: Vec<(usize, f64, f64)> =
            names.iter().enumerate().map(|(at, name)| (at, pass(name).max(pass("*")), step(at))).collect();
        order.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        order
    }

    fn served(&mut self, who: &str, names: &[&str], order: &[(usize, f64, f64)], served: &str) {
        let pass = order.iter().rfind(|(at, ..)| names[*at] == served).map_or(0.0, |(_, pass, _)| *pass);
        let passes = self.rounds.entry(who.into()).or_default();
        passes.insert("*".into(), format!("{pass:.0}"));
        for (at, own, step) in order {
            let next = if names[*at] == served { pass + step } else { own.max(pass) };
            passes.insert(names[*at].into(), format!("{next:.0}"));
        }
    }

    pub fn reserve(&mut self, asked: &Asked, names: &[&str]) -> Verdict<Reply> {
        if let Some(found) = self.taken_before(asked, names, false) {
            return Ok(Reply::List(found));
        }
        let found = self.take_some(asked, names)?;
        if found.is_empty() {
            self.found_nothing(asked, names)?;
            return Ok(Reply::Nil);
        }
        Ok(Reply::List(found))
    }

    /// Ends attempts, then takes tasks. If there are several ends, the ends that complete a task and claim nothing
    /// come first.
    pub fn finish_and_reserve(&mut self, asked: &Asked, names: &[&str], ends: &[(Which, Key, Act)]) -> Verdict<Reply> {
        if ends.iter().any(|(_, token, _)| token.token().parse::<u64>().is_err()) {
            return Err("BADARG");
        }
        let (mut order, mut own) = (Vec::new(), None);
        for (at, (task, token, act)) in ends.iter().enumerate() {
            let first = ends[..at].iter().all(|(other, ..)| other.id() != task.id());
            let Some(task) = self.tasks.get(task.id()).filter(|_| first) else { continue };
            let mine = task.held() && task.get("token") == token.token() && task.get("node") == asked.who;
            let claims =
                ["cancel", "requeue", "flags"].iter().any(|field| task.has(field)) || task.number("failures") > 0;
            if mine && !claims && matches!(act, Act::Complete { .. }) {
                own.get_or_insert_with(|| task.queue.clone());
                if own.as_deref() == Some(&task.queue) {
                    order.push(at);
                }
            }
        }
        if order.len() < 2 {
            order.clear();
        }
        order.extend((0..ends.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        let (mut verdicts, mut fresh) = (vec![String::new(); ends.len()], true);
        for at in order {
            let (task, token, act) = &ends[at];
            let (id, token) = (task.id(), token.token());
            fresh &= self.tasks.get(id).is_some_and(|task| task.held() && task.get("token") == token);
            verdicts[at] = match self.owner(id, token, act) {
                Ok(outcome) => outcome.as_text().to_owned(),
                Err(code) => {
                    fresh = false;
                    code.to_owned()
                }
            };
        }
        self.count_named(); // before a new token advances the time
        let mut answer = vec![Reply::text(verdicts.join(" ")), Reply::text("")];
        let before = if !fresh || ends.is_empty() { self.taken_before(asked, names, !ends.is_empty()) } else { None };
        let mut taken = before.map_or_else(|| self.take_some(asked, names), Ok);
        if taken.as_ref().is_ok_and(Vec::is_empty) && !names.is_empty() {
            taken = self.found_nothing(asked, names).map(|()| Vec::new());
        }
        match taken {
            Ok(found) => answer.extend(found),
            Err(code) if ends.is_empty() => return Err(code),
            Err(code) => answer[1] = Reply::text(code),
        }
        Ok(Reply::List(answer))
    }

    /// The tasks that this request took, as far as the listener still holds them. `ends`: the call ends attempts, so
    /// the listener may have taken other tasks since then.
    fn taken_before(&self, asked: &Asked, names: &[&str], ends: bool) -> Option<Vec<Reply>> {
        let held = |name: &&str| self.queues[*name].held.get(asked.who).cloned().unwrap_or_default();
        let latest = |name: &&str| held(name).into_iter().next().and_then(|id| self.repeated(&id, asked));
        if !ends {
            names.iter().find_map(latest)?;
        }
        let most = if ends { usize::MAX } else { asked.limit };
        let all: BTreeSet<String> = names.iter().flat_map(|name| held(name).into_iter().take(most)).collect();
        let mut found: Vec<Reply> = all.iter().filter_map(|id| self.repeated(id, asked)).collect();
        found.sort_by_key(|reservation| reservation.items()[2].as_text().parse::<u64>().unwrap());
        (!found.is_empty()).then(|| found.iter().flat_map(|reservation| reservation.items().to_vec()).collect())
    }

    /// Takes one task after another, as if by as many calls.
    pub fn take_some(&mut self, asked: &Asked, names: &[&str]) -> Verdict<Vec<Reply>> {
        if names.iter().any(|name| self.queues[*name].draining.contains(asked.who)) {
            return Err("DRAINING");
        }
        let (mut found, mut wakes) = (Vec::new(), Vec::new());
        for nth in 0..asked.limit {
            let (turns, looks, next) = self.look(asked, names);
            let Some((name, id)) = next else { break };
            match self.listens(name, asked.who) {
                Err(_) if nth > 0 => break,
                listens => listens?,
            }
            let waits = |other: &&&str| match **other == name {
                true => self.queues[name].pending.len() > 1 || self.laned(name),
                false => {
                    self.queues[**other].paused.is_none()
                        && (!self.queues[**other].pending.is_empty() || self.laned(other))
                }
            };
            wakes = names.iter().filter(|_| asked.woken).filter(waits).copied().collect();
            let lease = self.lease_of(&id, asked);
            found.extend(self.take(&id, asked, lease, "reserve", asked.pid).items().to_vec());
            self.looked(looks);
            if let Some(turns) = turns {
                self.served(asked.who, names, &turns, name);
            }
        }
        for name in wakes {
            self.queue(name).wake = true;
        }
        Ok(found)
    }

    /// The next task, and what was seen on the way to it.
    fn look<'b>(&self, asked: &Asked, names: &[&'b str]) -> Looked<'b> {
        let turns = asked.order.map(|order| self.rounds(asked.who, names, order));
        let strict: Vec<usize> = (0..names.len()).collect();
        let sequence = turns.as_ref().map_or(strict, |turns| turns.iter().map(|(at, ..)| *at).collect());
        let mut looks = Vec::new();
        for name in sequence.into_iter().map(|at| names[at]) {
            if self.queues[name].paused.is_some() {
                continue;
            }
            let (next, look) = self.next(name, asked.who);
            looks.push((name, look));
            if let Some(next) = next {
                return (turns, looks, Some((name, next.id)));
            }
        }
        (turns, looks, None)
    }

    fn found_nothing(&mut self, asked: &Asked, names: &[&str]) -> Verdict<()> {
        for name in names {
            self.listens(name, asked.who)?;
        }
        let (now, (_, looks, _)) = (self.now, self.look(asked, names));
        for name in names {
            self.queue(name).listeners.insert(asked.who.into(), now);
        }
        self.born = true;
        self.looked(looks);
        Ok(())
    }

    /// Updates after looking at queues: outdated entries are corrected, rates stored.
    fn looked(&mut self, looks: Vec<(&str, Look)>) {
        let us = self.us;
        for (name, mut look) in looks {
            self.learn(name, &mut look);
            for key in &look.stale {
                self.settle_all(name, key);
            }
            let rate = self.setting(name, "rate");
            let queue = self.queue(name);
            if let Some(free) = look.free {
                queue.lanes.delayed.insert("/".into(), free);
            }
            if look.chosen {
                queue.lanes.start("/", rate.as_deref(), us);
            }
            queue.wake |= !look.stale.is_empty() && !look.chosen;
        }
    }

    pub fn adopt(&mut self, asked: &Asked, from: &str, name: &str, id: &str) -> Verdict<Reply> {
        let field = asked.request.as_ref().map(|request| format!("adopt {request}"));
        if field.as_ref().is_some_and(|field| self.answers.contains_key(field)) {
            return Ok(Reply::Nil); // after a successful adoption, the record has the request
        }
        if self.known(id)?.queue != name {
            return Err("OTHERQUEUE");
        }
        self.listens(name, asked.who)?;
        if let Some(answer) = self.repeated(id, asked) {
            return Ok(answer);
        }
        let task = self.task(id);
        if !task.held() || task.get("node") != from || from == asked.who {
            return Err("STATE");
        }
        let to = self.lose(id, "reserved", "adopt");
        let lease = self.lease_of(id, asked);
        if to != "reserved" {
            if let Some(field) = field {
                self.keep_answer(&field, "");
            }
            return Ok(Reply::Nil);
        }
        let answer = self.take(id, asked, lease, "adopt", None);
        let (rate, us) = (self.setting(name, "rate"), self.us);
        self.queue(name).lanes.start("/", rate.as_deref(), us);
        Ok(answer)
    }

    /// Ends an attempt without its owner. If that makes a new attempt, the caller begins it.
    pub fn lose(&mut self, id: &str, back: &'static str, why: &str) -> &'static str {
        self.lose_for(id, back, why, 0, "its owners stopped reporting")
    }

    /// Ends an attempt without its owner, with a pause in seconds and a reason.
    pub fn lose_for(&mut self, id: &str, back: &'static str, why: &str, pause: u64, text: &str) -> &'static str {
        let until = self.now + pause * SECOND;
        let most = self.cap(id, "max_losses");
        let awaited = self.place_is_awaited(id);
        let task = self.task(id);
        let losses = task.number("losses") + 1;
        task.set("losses", losses);
        task.set("stalled_losses", task.number("stalled_losses") + 1);
        task.set("ended", task.get("token").to_owned());
        task.set("outcome", "lost");
        let to = if task.told_of_deadline() {
            task.fail_overdue();
            "failed"
        } else if task.has("cancel") {
            "cancelled"
        } else if losses > most {
            task.set("group", "lost");
            task.set("error", format!("lost {losses} times: {text}"));
            "failed"
        } else if back == "reserved" {
            task.forget(&ATTEMPT[1..]);
            back
        } else {
            self.back(id, back, None)
        };
        let task = self.task(id);
        if to == "pending" || to == "scheduled" {
            task.forget(&ATTEMPT);
            task.set("front", 1);
        }
        if to == "scheduled" {
            task.put_off(until);
        }
        if to != "reserved" {
            task.forget(&LEASE);
            let name = task.queue.clone();
            self.shift(id, to, why, "", true);
            self.queue(&name).wake |= awaited;
        }
        to
    }

    /// Number of times that something may happen to a task: its own maximum, or the maximum of its queue.
    pub fn cap(&self, id: &str, name: &str) -> u64 {
        let task = &self.tasks[id];
        task.fields.get(name).cloned().or_else(|| self.setting(&task.queue, name)).unwrap().parse().unwrap()
    }
}
