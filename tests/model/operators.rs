//! Actions of operators on tasks and queues.

use crate::model::arguments::{micros, queue};
use crate::model::controls::{CONTROLS, SIGNAL};
use crate::model::keys::{Kept, Reply};
use crate::model::ops::{Bulk, Op, TAGS};
use crate::model::ranking::{Carried, rank};
use crate::model::state::{Model, Queue, Verdict};

impl Model {
    pub fn operate(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Prioritise { task, priority } => {
                let id = task.id();
                self.on_task("prioritise", id, "", |model| model.prioritise(id, i64::from(*priority)))
            }
            Op::Hold { task, on } => {
                let id = task.id();
                self.on_task(if *on { "hold" } else { "unhold" }, id, "", |model| {
                    if *on { model.hold(id) } else { model.unhold(id) }
                })
            }
            Op::Control { task, what } => self.control(task.id(), CONTROLS[usize::from(*what)]),
            Op::Move { task, queue: name } => {
                let id = task.id();
                self.on_task("move", id, "", |model| model.migrate(id, queue(*name)))
            }
            Op::Tag { task, tags, on } => self.tag(task.id(), tags, *on),
            Op::Bulk { queue: name, action } => Ok(self.bulk(queue(*name), *action)),
            Op::Forget { queue: name } => self.forget(queue(*name)),
            other => panic!("not of an operator: {other:?}"),
        }
    }

    fn prioritise(&mut self, id: &str, priority: i64) -> Verdict<Reply> {
        let done = Ok(Reply::text("prioritised"));
        let task = self.known(id)?;
        if !task.waits() {
            return Err("STATE");
        } else if task.priority() == priority {
            return done;
        }
        let waits = task.status == "pending";
        let keyed = task.has("key");
        let name = task.queue.clone();
        if waits && (keyed || self.setting(&name, "concurrency").is_some()) {
            self.leaves(id);
        }
        let task = self.task(id);
        task.set("priority", priority);
        let flags = format!("r{}", task.get("flags").replace('r', ""));
        task.set("flags", flags);
        if task.status == "pending" {
            let (name, key) = (task.queue.clone(), task.get("key").to_owned());
            self.queue(&name).pending.retain(|other| other != id);
            self.enter(id, false);
            if !key.is_empty() {
                self.settle_all(&name, &key);
            }
        }
        self.publish(id, "edit", self.by, "prioritise", "priority");
        done
    }

    fn hold(&mut self, id: &str) -> Verdict<Reply> {
        match self.known(id)?.status.as_str() {
            "held" => return Ok(Reply::text("held")),
            "pending" | "scheduled" => {}
            _ => return Err("STATE"),
        }
        let by = self.by;
        self.shift(id, "held", "hold", by, false);
        let task = self.task(id);
        task.forget(&["readied", "promoted"]);
        task.set("held_by", by);
        Ok(Reply::text("held"))
    }

    fn unhold(&mut self, id: &str) -> Verdict<Reply> {
        let now = self.now;
        let by = self.by;
        let task = self.known(id)?;
        if task.status != "held" {
            return Err("STATE");
        }
        if task.has("eta") && micros(task.get("eta")) > now {
            self.shift(id, "scheduled", "unhold", by, false);
            return Ok(Reply::text("scheduled"));
        }
        if task.has("retry_eta") {
            task.forget(&["eta", "retry_eta"]);
        }
        let (name, key, turn) = (task.queue.clone(), task.get("key").to_owned(), task.get("ended").to_owned());
        let front = task.has("front");
        if front && !key.is_empty() && !turn.is_empty() {
            self.queue(&name).lanes.served.entry(key).or_insert(rank(turn.parse::<u64>().unwrap().min(now)));
        }
        self.shift(id, "pending", "unhold", by, front);
        self.queue(&name).wake = true;
        Ok(Reply::text("pending"))
    }

    fn migrate(&mut self, id: &str, name: &str) -> Verdict<Reply> {
        let done = Ok(Reply::text("moved"));
        let task = self.known(id)?;
        if task.queue == name {
            return done;
        } else if !task.waits() {
            return Err("STATE");
        }
        let (to, unique) = (task.status.clone(), task.get("unique").to_owned());
        if self.setting(name, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        let carried = self.carry(id);
        if carried != Some(Carried::Nothing) && self.taken(name, &unique, id).is_some() {
            return Err("DUPLICATE");
        }
        self.shift(id, "moved", "move", self.by, false);
        let task = self.task(id);
        task.forget(&["front", "readied"]);
        if to == "pending" {
            task.forget(&["promoted"]);
        }
        self.arrive(id, name, &to, "move", carried);
        done
    }

    fn tag(&mut self, id: &str, tags: &[u8], on: bool) -> Verdict<Reply> {
        let task = self.known(id)?;
        let asked: Vec<&str> = tags.iter().map(|tag| TAGS[usize::from(*tag)]).collect();
        let had: Vec<String> = task.tags().map(str::to_owned).collect();
        let mut has: Vec<String> = had.iter().filter(|tag| on || !asked.contains(&tag.as_str())).cloned().collect();
        has.extend(asked.iter().filter(|_| on).map(|tag| (*tag).to_owned()));
        has.sort();
        has.dedup();
        if has != had {
            let mut flags = task.get("flags").replace('t', "");
            task.forget(&["tags", "flags"]);
            if !has.is_empty() {
                task.set("tags", has.join(","));
                flags.push('t');
            }
            if !flags.is_empty() {
                task.set("flags", flags);
            }
        }
        Ok(Reply::List(has.into_iter().map(Reply::Text).collect()))
    }

    /// Changes all tasks of a queue in one step that is large enough.
    fn bulk(&mut self, name: &str, action: Bulk) -> Reply {
        let now = self.now;
        let tasks = self.tasks.values().filter(|task| task.queue == name && task.created <= now);
        let mut ids: Vec<(u64, String)> = tasks.map(|task| (task.created, task.id.clone())).collect();
        ids.sort();
        let (looked, mut changed, mut refused) = (ids.len(), 0, 0);
        let (born, by) = (self.born, self.by);
        if matches!(action, Bulk::Purge | Bulk::Cancel { .. } | Bulk::Prioritise(_)) {
            self.by = "";
        }
        self.begin_step();
        for (_, id) in ids {
            let task = &self.tasks[&id];
            let (held, done, told) = (task.held(), task.status == "cancelled", task.order);
            let stops = task.has("requeue") || task.has("cancel");
            let verdict = match action {
                Bulk::Purge if held || self.keeps_result(&id) => Err("STATE"),
                Bulk::Purge => {
                    self.shift(&id, "deleted", "purge", "", false);
                    Ok(true)
                }
                Bulk::Cancel { force, at_once } => {
                    let same = told == Some("kill") || told == Some("cancel") && !force;
                    self.cancel(&id, "", force, at_once).map(|_| !(done || held && same && !at_once))
                }
                Bulk::Prioritise(priority) => {
                    let same = task.waits() && task.priority() == i64::from(priority);
                    self.prioritise(&id, i64::from(priority)).map(|_| !same)
                }
                Bulk::Control(what) => self.ask(&id, CONTROLS[usize::from(what)]).map(|(_, asked)| asked),
                Bulk::Requeue => self.requeue(&id, false).map(|_| held && !stops),
                Bulk::Hold(on) => {
                    let before = task.status.clone();
                    let done = if on { self.hold(&id) } else { self.unhold(&id) };
                    done.map(|_| self.tasks[&id].status != before)
                }
            };
            match verdict {
                Ok(true) => changed += 1,
                Ok(false) => {}
                Err(_) => refused += 1,
            }
        }
        self.end_step();
        self.by = by;
        if changed > 0 {
            self.note_change("bulk", ["queue", name], ["", &changed.to_string()], &action.told());
        }
        self.born = born || changed > 0;
        Reply::List(vec![Reply::text(0), Reply::text(looked), Reply::text(changed), Reply::text(refused)])
    }

    fn forget(&mut self, name: &str) -> Verdict<Reply> {
        let busy = self.tasks.values().any(|task| task.queue == name) || !self.queues[name].listeners.is_empty();
        let planned = self.schedules.values().any(|schedule| schedule.makes_in(name));
        if busy || planned {
            return Err("NOTEMPTY");
        }
        let (keys, meta) = (self.keys(), format!(":{name}"));
        let fields = keys.get("meta").into_iter().flat_map(|kept| match kept {
            Kept::Hash(fields) => fields.keys().cloned().collect(),
            _ => Vec::new(),
        });
        let told = fields.into_iter().any(|field| field.ends_with(&meta));
        if !self.queues[name].known && !told && !keys.keys().any(|key| key.ends_with(&format!("_{name}"))) {
            return Err("NOQUEUE");
        }
        let old = std::mem::take(self.queue(name));
        let fresh: &mut Queue = self.queue(name);
        fresh.lanes.starts = old.lanes.starts; // the starts of keys expire
        fresh.lanes.starts.remove("/");
        self.aggregated.remove(name);
        self.maintenance.forget(name);
        self.note_change("delete_queue", ["queue", name], ["", "deleted"], "");
        self.born = true;
        Ok(Reply::text("deleted"))
    }
}

impl Bulk {
    /// Itself and its options, as the audit has them.
    fn told(self) -> String {
        match self {
            Self::Purge => "purge".into(),
            Self::Cancel { force, at_once } => {
                format!("cancel force={} at_once={}", u8::from(force), u8::from(at_once))
            }
            Self::Prioritise(priority) => format!("prioritise priority={priority}"),
            Self::Control(what) if CONTROLS[usize::from(what)] == "signal" => format!("signal signal={SIGNAL}"),
            Self::Control(what) => CONTROLS[usize::from(what)].into(),
            Self::Requeue => "requeue".into(),
            Self::Hold(on) => if on { "hold" } else { "unhold" }.into(),
        }
    }
}
