//! The model's schedules: slots at a multiple of some seconds and an offset.

use std::collections::BTreeMap;

use crate::model::keys::Reply;
use crate::model::ops::{Op, Plan, SCHEDULES};
use crate::model::settle::{payload, queue};
use crate::model::state::{Model, SECOND, Verdict};

#[derive(Default)]
pub struct Schedule {
    plan: Plan,
    /// The time in µs up to which all slots are dealt with.
    done: u64,
    /// The next slot, in seconds.
    pub next: Option<u64>,
    last_task: String,
    paused: bool,
}

impl Schedule {
    fn reckon(&mut self) {
        let (every, offset) = (self.plan.every, self.plan.offset);
        let turn = every * SECOND;
        let after = (self.done + turn - offset * SECOND) / turn * every + offset;
        self.next = (!self.paused).then_some(after.max(offset));
    }

    /// The slots that are due, as many as there is room for. Moves `done`.
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
                if !on && schedule.paused {
                    schedule.done = schedule.done.max(now);
                }
                schedule.paused = *on;
                schedule.reckon();
                Ok(Reply::text(if *on { "paused" } else { "resumed" }))
            }
            Op::Unschedule { name } => {
                self.schedules.remove(SCHEDULES[usize::from(*name)]).ok_or("NOSCHEDULE")?;
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
        let rhythm = |plan: &Plan| (plan.every, plan.offset);
        if schedule.next.is_none() || rhythm(&schedule.plan) != rhythm(plan) {
            schedule.done = schedule.done.max(now);
        }
        schedule.plan = plan.clone();
        schedule.reckon();
        self.born = true;
        if known { "changed" } else { "created" }
    }

    /// The latest task of a schedule, where it is not finished.
    fn unfinished(&self, name: &str) -> Option<String> {
        let id = &self.schedules[name].last_task;
        self.tasks.get(id).filter(|task| !task.finished()).map(|_| id.clone())
    }

    /// Makes the task of a slot, or another one.
    fn occur(&mut self, name: &str, id: &str, slot: Option<u64>, old: Option<String>) {
        if let Some(old) = old {
            let _ = self.cancel(&old, &format!("a later slot of the schedule {name}"), false);
        }
        let plan = self.schedules[name].plan.clone();
        let mut fields = BTreeMap::from([("schedule", name.to_owned())]);
        fields.extend(slot.map(|slot| ("slot", slot.to_string())));
        let mut ties = String::new();
        if plan.overlap == "queue" || plan.overlap == "cancel" {
            fields.extend([("key", format!("schedule:{name}")), ("solo", "1".to_owned())]);
            ties = "rp".into();
        }
        if plan.urgent {
            fields.insert("priority", "5".into());
            ties = if ties.is_empty() { "r".into() } else { ties };
        }
        if !ties.is_empty() {
            fields.insert("ties", ties);
        }
        let why = if slot.is_some() { "schedule" } else { "run_schedule" };
        self.make(id, queue(plan.queue), fields, payload(plan.parameters), why);
    }

    fn tick(&mut self, limit: u64) -> Reply {
        let now = self.now;
        let waiting = self.schedules.iter().filter_map(|(name, one)| Some((one.next? * SECOND, name.clone())));
        let mut due: Vec<(u64, String)> = waiting.filter(|(next, _)| *next <= now).collect();
        due.sort();
        due.truncate(usize::try_from(limit).unwrap());
        let (mut room, mut plans) = (limit, Vec::new());
        for (_, name) in due {
            if room == 0 {
                break;
            }
            self.born = true;
            let plan = self.schedules[&name].plan.clone();
            let exclusive = plan.overlap == "skip" || plan.overlap == "cancel";
            let old = self.unfinished(&name).filter(|_| exclusive);
            let closed = self.setting(queue(plan.queue), "closed").as_deref() == Some("1");
            let schedule = self.schedules.get_mut(&name).unwrap();
            let mut made = 0;
            for slot in schedule.due(now, room) {
                let id = format!("{name}@{slot}");
                let free = old.is_none() || plan.overlap == "cancel";
                if free && !closed && !self.tasks.contains_key(&id) {
                    made += 1;
                    schedule.last_task.clone_from(&id);
                    plans.push((name.clone(), id, slot, old.clone()));
                }
            }
            schedule.reckon();
            room = room.saturating_sub(made.max(1));
        }
        let number = plans.len();
        for (name, id, slot, old) in plans {
            self.occur(&name, &id, Some(slot), old);
            self.clock = now;
        }
        let first = self.schedules.values().filter_map(|schedule| schedule.next).min();
        let due = first.is_some_and(|first| first * SECOND <= now);
        let later = first.filter(|_| !due).map_or(String::new(), |first| first.to_string());
        Reply::List(vec![Reply::text(number), Reply::text(u8::from(due)), Reply::text(later)])
    }

    fn run_schedule(&mut self, name: &str) -> Verdict<Reply> {
        let plan = self.schedules.get(name).ok_or("NOSCHEDULE")?.plan.clone();
        let (id, to) = (format!("{name}-run"), queue(plan.queue));
        if let Some(task) = self.tasks.get(&id) {
            let same = task.queue == to;
            return if same {
                Ok(Reply::List(vec![Reply::text("existing"), Reply::text(id)]))
            } else {
                Err("OTHERQUEUE")
            };
        }
        let old = self.unfinished(name);
        if old.is_some() && plan.overlap == "skip" {
            return Err("STATE");
        }
        if self.setting(to, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        self.schedules.get_mut(name).unwrap().last_task.clone_from(&id);
        self.occur(name, &id, None, old.filter(|_| plan.overlap == "cancel"));
        Ok(Reply::List(vec![Reply::text("created"), Reply::text(id)]))
    }
}
