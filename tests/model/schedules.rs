//! The model's schedules: slots at a multiple of some seconds and an offset.

use std::collections::BTreeMap;

use crate::model::arguments::{payload, queue};
use crate::model::audit::digest;
use crate::model::keys::Reply;
use crate::model::ops::{Op, Plan, SCHEDULES};
use crate::model::state::{Model, SECOND, Task, Verdict};

#[derive(Clone, Default)]
pub struct Schedule {
    plan: Plan,
    /// The time in µs up to which all slots are handled.
    done: u64,
    /// The next slot, in seconds.
    pub next: Option<u64>,
    last_task: String,
    /// The unfinished tasks that the schedule remembers.
    unfinished: Vec<String>,
    /// A slot waits for an unfinished task, and is checked again at this time, in seconds.
    held: Option<u64>,
    paused: bool,
}

impl Plan {
    fn recurrence(&self) -> String {
        format!("every {} {}", self.every, self.offset)
    }
}

impl Schedule {
    /// Time of the next check, in seconds.
    pub fn at(&self) -> Option<u64> {
        self.held.or(self.next)
    }

    pub fn makes_in(&self, name: &str) -> bool {
        queue(self.plan.queue) == name
    }

    /// Notes the last task.
    fn note(&mut self, id: &str) {
        self.unfinished.retain(|other| other != id);
        self.unfinished.push(id.into());
        id.clone_into(&mut self.last_task);
    }

    fn reckon(&mut self) {
        self.held = None;
        let (every, offset) = (self.plan.every, self.plan.offset);
        let turn = every * SECOND;
        let after = (self.done + turn - offset * SECOND) / turn * every + offset;
        self.next = (!self.paused).then_some(after.max(offset));
    }

    /// The due slots, as many as there is room for. Advances `done`.
    fn due(&mut self, now: u64, room: u64) -> Vec<u64> {
        let Plan { every, offset, overlap, missed, .. } = self.plan;
        let first = self.next.unwrap();
        let last = (now / SECOND - offset) / every * every + offset;
        let all = missed == "all" && (overlap == "queue" || overlap == "allow");
        let oldest = if missed == "skip" { now - 60 * SECOND } else { 0 };
        let mut from = first;
        if oldest > first * SECOND {
            let turns = (oldest - offset * SECOND).div_ceil(every * SECOND);
            from = (turns * every + offset).min(last + every);
        }
        if !all {
            from = from.max(last);
        }
        let until = last.min(from + (room - 1) * every);
        let slots: Vec<u64> = (from..=until).step_by(usize::try_from(every).unwrap()).collect();
        self.done = if all { slots.last().unwrap_or(&last) * SECOND } else { now };
        slots
    }
}

impl Model {
    pub fn schedule(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Schedule { name, plan } => Ok(Reply::text(self.plan(SCHEDULES[usize::from(*name)], plan))),
            Op::Tick { limit } => Ok(self.tick(u64::from(*limit))),
            Op::RunSchedule { name } => self.run_schedule(SCHEDULES[usize::from(*name)]),
            Op::PauseSchedule { name, on } => {
                let now = self.now;
                let schedule = self.schedules.get_mut(SCHEDULES[usize::from(*name)]).ok_or("NOSCHEDULE")?;
                if schedule.paused != *on {
                    schedule.done = if *on { schedule.done } else { now };
                    schedule.paused = *on;
                    schedule.reckon();
                    let (what, change) = match on {
                        true => ("pause_schedule", ["active", "paused"]),
                        false => ("resume_schedule", ["paused", "active"]),
                    };
                    self.note_change(what, ["schedule", SCHEDULES[usize::from(*name)]], change, "");
                }
                Ok(Reply::text(if *on { "paused" } else { "resumed" }))
            }
            Op::Unschedule { name } => {
                let name = SCHEDULES[usize::from(*name)];
                let schedule = self.schedules.remove(name).ok_or("NOSCHEDULE")?;
                self.note_change("unschedule", ["schedule", name], [&schedule.plan.recurrence(), ""], "");
                Ok(Reply::text("removed"))
            }
            other => panic!("not of a schedule: {other:?}"),
        }
    }

    fn plan(&mut self, name: &str, plan: &Plan) -> &'static str {
        let (now, known) = (self.now, self.schedules.contains_key(name));
        let schedule = self.schedules.entry(name.into()).or_default();
        if known && schedule.plan == *plan {
            return "existing";
        }
        let before = if known { schedule.plan.recurrence() } else { String::new() };
        if schedule.next.is_none() || before != plan.recurrence() {
            schedule.done = schedule.done.max(now);
        }
        schedule.plan = plan.clone();
        schedule.reckon();
        self.born = true;
        let detail = format!("queue {}, parameters {}", queue(plan.queue), digest(plan.parameters));
        self.note_change("schedule", ["schedule", name], [&before, &plan.recurrence()], &detail);
        if known { "changed" } else { "created" }
    }

    /// The last task of a schedule, if it is unfinished, and whether an unfinished one would run at the same time
    /// as a new one.
    fn live(&mut self, name: &str) -> (Option<String>, bool) {
        let Schedule { plan, last_task, unfinished, .. } = &self.schedules[name];
        let (overlap, key) = (plan.overlap, format!("schedule:{name}"));
        let fits = |task: &Task| !task.finished() && task.get("schedule") == name;
        let live: Vec<String> = unfinished.iter().filter(|id| self.tasks.get(*id).is_some_and(fits)).cloned().collect();
        let beside = live.iter().any(|id| {
            let task = &self.tasks[id];
            let stops = id == last_task && overlap == "cancel" && !task.held();
            let bound = task.queue == queue(plan.queue) && task.get("key") == key && task.has("exclusive");
            (overlap == "queue" || overlap == "cancel") && !stops && !bound
        });
        let last = live.iter().find(|id| *id == last_task).cloned();
        self.schedules.get_mut(name).unwrap().unfinished = live;
        (last, beside)
    }

    /// A retried task gets the key of its schedule, if possible.
    pub fn again(&mut self, id: &str) {
        let task = &self.tasks[id];
        let name = task.get("schedule").to_owned();
        let Some(schedule) = self.schedules.get_mut(&name) else { return };
        if !schedule.unfinished.iter().any(|other| other == id) {
            schedule.unfinished.insert(0, id.into());
        }
        let Plan { queue: to, overlap, .. } = schedule.plan;
        let serial = overlap == "queue" || overlap == "cancel";
        if serial && task.queue == queue(to) && !task.has("key") && !task.has("exclusive") {
            let task = self.task(id);
            let rest: String = task.get("flags").chars().filter(|flag| *flag != 'r' && *flag != 'p').collect();
            task.set("key", format!("schedule:{name}"));
            task.set("exclusive", 1);
            task.set("flags", format!("rp{rest}"));
        }
    }

    /// Creates the task of a slot, or a task beyond the slots.
    fn occur(&mut self, name: &str, id: &str, slot: Option<u64>, old: Option<String>) {
        if let Some(old) = old {
            let _ = self.cancel(&old, &format!("a later slot of the schedule {name}"), false, false);
        }
        let plan = self.schedules[name].plan.clone();
        let mut fields = BTreeMap::from([("schedule", name.to_owned())]);
        fields.extend(slot.map(|slot| ("slot", slot.to_string())));
        let mut flags = String::new();
        if plan.overlap == "queue" || plan.overlap == "cancel" {
            fields.extend([("key", format!("schedule:{name}")), ("exclusive", "1".to_owned())]);
            flags = "rp".into();
        }
        if plan.urgent {
            fields.insert("priority", "5".into());
            flags = if flags.is_empty() { "r".into() } else { flags };
        }
        if !flags.is_empty() {
            fields.insert("flags", flags);
        }
        let why = if slot.is_some() { "schedule" } else { "run_schedule" };
        self.make(id, queue(plan.queue), fields, payload(plan.parameters), why);
    }

    pub fn tick(&mut self, limit: u64) -> Reply {
        let now = self.now;
        let waiting = self.schedules.iter().filter_map(|(name, one)| Some((one.at()? * SECOND, name.clone())));
        let mut due: Vec<(u64, String)> = waiting.filter(|(next, _)| *next <= now).collect();
        due.sort();
        due.truncate(usize::try_from(limit).unwrap());
        let (mut room, mut plans, mut stops) = (limit, Vec::new(), Vec::new());
        for (_, name) in due {
            if room == 0 {
                break;
            }
            self.born = true;
            let plan = self.schedules[&name].plan.clone();
            let exclusive = plan.overlap == "skip" || plan.overlap == "cancel";
            let (old, beside) = self.live(&name);
            let old = old.filter(|_| exclusive);
            if beside {
                let schedule = self.schedules.get_mut(&name).unwrap();
                schedule.reckon();
                schedule.held = Some(now / SECOND + 1);
                room -= 1;
                if let Some(old) = old.filter(|old| !self.tasks[old].has("cancel")) {
                    stops.push((old, name));
                }
                continue;
            }
            let closed = self.setting(queue(plan.queue), "closed").as_deref() == Some("1");
            let schedule = self.schedules.get_mut(&name).unwrap();
            let mut made = 0;
            for slot in schedule.due(now, room) {
                let id = format!("{name}@{slot}");
                let free = old.is_none() || plan.overlap == "cancel";
                if free && self.tasks.contains_key(&id) {
                    schedule.note(&id);
                } else if free && !closed {
                    made += 1;
                    schedule.note(&id);
                    plans.push((name.clone(), id, slot, old.clone()));
                }
            }
            schedule.reckon();
            room = room.saturating_sub(made.max(1));
        }
        let number = plans.len();
        if !stops.is_empty() {
            self.advance(now);
        }
        for (old, name) in stops {
            let _ = self.cancel(&old, &format!("a later slot of the schedule {name}"), false, false);
        }
        for (name, id, slot, old) in plans {
            self.occur(&name, &id, Some(slot), old);
            self.advance(now);
        }
        let first = self.schedules.values().filter_map(Schedule::at).min();
        let due = first.is_some_and(|first| first * SECOND <= now);
        let later = first.filter(|_| !due).map_or(String::new(), |first| first.to_string());
        Reply::List(vec![Reply::text(number), Reply::text(u8::from(due)), Reply::text(later)])
    }

    fn run_schedule(&mut self, name: &str) -> Verdict<Reply> {
        let plan = self.schedules.get(name).ok_or("NOSCHEDULE")?.plan.clone();
        let (id, to) = (format!("{name}-run"), queue(plan.queue));
        if self.tasks.contains_key(&id) {
            return Ok(Reply::List(vec![Reply::text("existing"), Reply::text(id)])); // it exists already
        }
        let (old, beside) = self.live(name);
        if old.is_some() && plan.overlap == "skip" || beside {
            return Err("STATE");
        }
        if self.setting(to, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        self.schedules.get_mut(name).unwrap().note(&id);
        let by = std::mem::take(&mut self.by);
        self.occur(name, &id, None, old.filter(|_| plan.overlap == "cancel"));
        self.by = by;
        self.note_change("run_schedule", ["schedule", name], ["", &id], "");
        Ok(Reply::List(vec![Reply::text("created"), Reply::text(id)]))
    }
}
