//! Edits of tasks that have not ended, and further rounds of tasks that have ended.

use std::collections::BTreeMap;

use crate::model::arguments::{intern, micros, payload, queue};
use crate::model::audit::digest;
use crate::model::deadlines::moment;
use crate::model::keys::Reply;
use crate::model::ops::{Edit, Eta, Key, Op, Options};
use crate::model::ranking::{Carried, rank};
use crate::model::shared_limits::parts;
use crate::model::state::{Model, SECOND, Transition, Verdict, decimal};
use crate::model::submit::fields;

/// Options, and their fields in the record.
const STORED: [(&str, &str); 20] = [
    ("method", "method"),
    ("priority", "priority"),
    ("max_failures", "max_failures"),
    ("backoff", "backoff"),
    ("delay", "delay"),
    ("max_delay", "max_delay"),
    ("jitter", "jitter"),
    ("max_losses", "max_losses"),
    ("max_releases", "max_releases"),
    ("lease", "own_lease"),
    ("key", "key"),
    ("weight", "weight"),
    ("needs", "needs"),
    ("limits", "limits"),
    ("unique", "unique"),
    ("unique_until", "unique_until"),
    ("tags", "tags"),
    ("deadline", "deadline"),
    ("log_bytes", "log_bytes"),
    ("steps", "steps"),
];

/// Options that an attempt, or a place in a queue, does not release.
const WAITING: [&str; 7] = ["queue", "eta", "key", "weight", "limits", "unique", "unique_until"];

/// Values of a call about a task, apart from its options.
pub struct Said<'a> {
    pub queue: Option<&'a str>,
    pub parameters: Option<&'a str>,
    /// `Some(None)` removes the eta; `Some(Some(_))` sets another eta.
    pub eta: Option<Option<u64>>,
    pub by: &'a str,
}

/// The state that a task is changed to: its options as fields, and the differences.
pub struct Change {
    pub new: BTreeMap<&'static str, String>,
    pub changed: Vec<&'static str>,
    eta: Option<u64>,
    to: String,
}

impl Change {
    fn names(&self) -> String {
        let mut names = self.changed.clone();
        names.sort_unstable();
        names.join(" ")
    }
}

impl Model {
    pub fn edit(&mut self, id: &str, edit: &Edit) -> Verdict<Reply> {
        self.require_limits(&edit.options)?;
        let token = edit.token.as_ref().map(Key::token);
        if token.is_some_and(|token| token.parse::<u64>().is_err()) || edit.is_empty() || edit.contradicts("eta") {
            return Err("BADARG");
        }
        let task = self.known(id)?;
        if token.is_some_and(|token| !(task.held() && task.get("token") == token)) {
            return Err("LOST");
        } else if task.finished() {
            return Err("STATE");
        } else if edit.unset.iter().any(|name| edit.contradicts(name)) {
            return Err("BADARG");
        }
        let own = token.map_or_else(String::new, |_| task.get("node").to_owned());
        let by = if self.by.is_empty() { own } else { self.by.to_owned() };
        let (options, end_by) = self.options(id, edit)?;
        let unset = edit.unset.contains(&"eta").then_some(None);
        let said = Said {
            queue: edit.queue.map(queue),
            parameters: edit.parameters.map(payload),
            eta: moment(edit.eta).map(Some).or(unset),
            by: &by,
        };
        let exclusive = self.tasks[id].has("exclusive") && options.iter().any(|(name, _)| *name == "key");
        let mut new: BTreeMap<&'static str, String> = fields(&options, end_by, &[])?.into_iter().collect();
        new.extend(exclusive.then(|| ("exclusive", "1".to_owned())));
        let to = match self.compare(id, new, &said)? {
            None => self.tasks[id].status.clone(),
            Some(change) => {
                let (before, names) = (self.tasks[id].status.clone(), change.names());
                let to = self.alter(id, change, &said)?;
                self.by = intern(&by);
                self.note_change("edit", ["task", id], [&before, &to], &names);
                to
            }
        };
        Ok(Reply::text(to))
    }

    /// Shared limits that are named must exist.
    pub fn require_limits(&self, options: &Options) -> Verdict<()> {
        let mut named = options.iter().filter(|(name, _)| *name == "limits").flat_map(|(_, set)| parts(set));
        if named.any(|(name, _)| !self.shares.limits.contains_key(name)) { Err("NOLIMIT") } else { Ok(()) }
    }

    /// Compares a task with its next step, except for the queues after that step.
    pub fn compare_step(&self, id: &str, edit: &Edit) -> Verdict<Option<Change>> {
        if edit.unset.iter().any(|name| edit.contradicts(name)) {
            return Err("BADARG");
        }
        let (mut options, end_by) = self.options(id, edit)?;
        options.retain(|(name, _)| *name != "steps");
        let exclusive = self.tasks[id].has("exclusive") && options.iter().any(|(name, _)| *name == "key");
        let mut new: BTreeMap<&'static str, String> = fields(&options, end_by, &[])?.into_iter().collect();
        new.extend(exclusive.then(|| ("exclusive", "1".to_owned())));
        new.extend(self.tasks[id].fields.get("steps").map(|steps| ("steps", steps.clone())));
        let change = self.compare(id, new, &Said { queue: None, parameters: None, eta: None, by: "" })?;
        let end_by = change.as_ref().filter(|change| change.changed.contains(&"deadline"));
        let end_by = end_by.and_then(|change| change.new.get("deadline")).map(|at| micros(at));
        if end_by.is_some_and(|at| at <= self.now) { Err("OVERDUE") } else { Ok(change) }
    }

    /// Writes what changes for a task when it comes into another queue with its next step.
    pub fn write_step(&mut self, id: &str, change: &Change) {
        self.write(id, change, &Said { queue: None, parameters: None, eta: None, by: "" });
    }

    /// All options that a task has after an edit, and its deadline.
    fn options(&self, id: &str, edit: &Edit) -> Verdict<(Options, Option<u64>)> {
        let task = &self.tasks[id];
        let (mut options, mut end_by) = (Options::new(), task.end_by());
        for (name, field) in STORED {
            let given = edit.options.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
            let drops = edit.unset.contains(&name) || name == "unique_until" && edit.unset.contains(&"unique");
            if name == "deadline" {
                end_by = moment(edit.deadline).or(end_by.filter(|_| !drops));
                continue;
            }
            let had = task.fields.get(field).filter(|_| !drops).map(|value| match name {
                "lease" => intern(&(value.parse::<u64>().unwrap() / SECOND).to_string()),
                _ => intern(value),
            });
            options.extend(given.or(had).map(|value| (name, value)));
        }
        Ok((options, end_by))
    }

    /// The change that an edit makes to a task; `None` if the edit changes nothing.
    fn compare(&self, id: &str, mut new: BTreeMap<&'static str, String>, said: &Said) -> Verdict<Option<Change>> {
        let task = &self.tasks[id];
        let same = |field: &str| new.get(field).map(String::as_str) == task.fields.get(field).map(String::as_str);
        if task.has("exclusive") && !["exclusive", "key", "unique", "unique_until"].into_iter().all(same) {
            return Err("BADARG");
        }
        let fields = STORED.iter().filter(|(_, field)| !same(field));
        let mut changed: Vec<&'static str> = fields.map(|(name, _)| *name).collect();
        if said.parameters.is_some_and(|parameters| parameters != task.get("parameters")) {
            let made = task.has("slots") || self.web.inputs.get(id).is_some_and(|inputs| inputs.slots > 0);
            if made {
                return Err("BADARG");
            }
            changed.push("parameters");
        }
        let (mut to, mut eta) = (task.status.clone(), None);
        if let Some(wished) = said.eta {
            let later = wished.is_some_and(|at| at > self.now);
            let same = task.fields.get("eta").map(|eta| micros(eta)) == wished;
            let differs = if task.status == "pending" { later } else { !same };
            if differs {
                to = match task.status.as_str() {
                    "pending" => "scheduled".into(),
                    "scheduled" if !later => "pending".into(),
                    _ => to,
                };
                eta = wished;
                changed.push("eta");
            }
        }
        changed.extend(said.queue.filter(|name| *name != task.queue).map(|_| "queue"));
        if changed.is_empty() {
            return Ok(None);
        }
        let mut flags = new.remove("flags").unwrap_or_default();
        for letter in task.get("flags").chars().filter(|letter| "rwkdgoacx".contains(*letter)) {
            if !flags.contains(letter) {
                flags.push(letter);
            }
        }
        new.insert("flags", flags);
        Ok(Some(Change { new, changed, eta, to }))
    }

    /// Makes the change. Returns the new state.
    fn alter(&mut self, id: &str, change: Change, said: &Said) -> Verdict<String> {
        let task = &self.tasks[id];
        let has = |name: &str| change.changed.contains(&name);
        let named = has("unique") || has("unique_until");
        let fresh_name = change.new.get("unique").cloned();
        let end_by = change.new.get("deadline").map(|at| micros(at));
        if task.held() && (WAITING.iter().any(|name| has(name)) || has("deadline") && task.told_of_deadline()) {
            return Err("STATE");
        } else if has("deadline") && end_by.is_some_and(|at| at <= self.now) {
            return Err("OVERDUE");
        }
        self.born = true;
        let (now, status, old) = (self.now, task.status.clone(), task.queue.clone());
        if has("queue") {
            let name = said.queue.unwrap();
            let carried = if named { fresh_name.as_ref().map(|_| Carried::Name) } else { self.carry(id) };
            let unique = fresh_name.unwrap_or_default();
            if self.setting(name, "closed").as_deref() == Some("1") {
                return Err("CLOSED");
            } else if carried.is_some_and(|it| it != Carried::Nothing) && self.taken(name, &unique, id).is_some() {
                return Err("DUPLICATE");
            }
            self.shift(id, "moved", "move", said.by, false);
            self.write(id, &change, said);
            self.task(id).forget(&["front", "readied"]);
            if status != "scheduled" {
                self.task(id).forget(&["promoted"]);
            }
            // A name that the task did not have before counts from now.
            self.arrive(id, name, &change.to, "move", carried.filter(|it| *it != Carried::Name));
            return Ok(change.to);
        }
        if named && fresh_name.as_ref().is_some_and(|name| self.taken(&old, name, id).is_some()) {
            return Err("DUPLICATE");
        }
        if named {
            self.rename(id, &change);
        }
        let stands = ["key", "weight", "needs", "limits", "priority"].into_iter().any(has);
        if change.to != status {
            if change.to == "scheduled" {
                self.shift(id, "scheduled", "edit", said.by, false);
                self.write(id, &change, said);
            } else {
                self.write(id, &change, said);
            }
            let task = self.task(id);
            task.forget(&["readied", "promoted"]);
            if change.to == "pending" {
                let (front, key, turn) = (task.has("front"), task.get("key").to_owned(), task.get("ended").to_owned());
                if front && !key.is_empty() && !turn.is_empty() {
                    let turn = rank(turn.parse::<u64>().unwrap().min(now));
                    self.queue(&old).lanes.served.entry(key).or_insert(turn);
                }
                self.shift(id, "pending", "edit", said.by, front);
                self.queue(&old).wake = true;
            }
            return Ok(change.to);
        }
        self.queue(&old).wake |= stands && status == "pending";
        let task = &self.tasks[id];
        let place = task.fields.get("rank").cloned().unwrap_or_else(|| self.plain_rank(task));
        let (ranked, key) = (task.has("rank"), task.get("key").to_owned());
        let place = Some(place).filter(|_| !has("priority"));
        self.write(id, &change, said);
        if stands && status == "pending" && self.tasks[id].flagged('r') {
            let task = &self.tasks[id];
            let (fresh, needs) = (task.get("key").to_owned(), task.class());
            if !ranked || place.is_none() {
                self.queue(&old).pending.retain(|other| other != id);
                self.enter_at(id, false, place);
            } else if !fresh.is_empty() {
                self.look_at(&old, &fresh, &needs);
            }
            if ranked && !key.is_empty() {
                self.settle_all(&old, &key);
            }
        }
        let task = &self.tasks[id];
        let (at, to, attempt) = (decimal(now.max(task.updated)), status.clone(), task.attempt);
        let by = said.by.to_owned();
        let edit = Transition { at, from: status, to, attempt, by, why: "edit".into(), cost: "", text: String::new() };
        self.histories.entry(id.into()).or_default().push(edit);
        self.publish(id, "edit", said.by, "", &change.names());
        Ok(change.to)
    }

    /// Writes the differences into the record.
    fn write(&mut self, id: &str, change: &Change, said: &Said) {
        let has = |name: &str| change.changed.contains(&name);
        let task = self.tasks.get_mut(id).unwrap();
        for (name, field) in STORED {
            if has(name) {
                task.forget(&[field]);
                task.fields.extend(change.new.get(field).map(|value| (field, value.clone())));
            }
        }
        task.set("flags", &change.new["flags"]);
        if change.new["flags"].is_empty() {
            task.forget(&["flags"]);
        }
        if has("parameters") {
            task.set("parameters", said.parameters.unwrap());
        }
        if has("eta") {
            task.forget(&["eta", "retry_eta"]);
            task.fields.extend(change.eta.map(|at| ("eta", decimal(at))));
        }
        if has("deadline") {
            self.web.deadlines.remove(id);
            self.web.deadlines.extend(change.new.get("deadline").map(|at| (id.to_owned(), micros(at))));
        }
    }

    /// Gives a task another unique name, or removes its name.
    fn rename(&mut self, id: &str, change: &Change) {
        let (us, task) = (self.us, &self.tasks[id]);
        let (name, old) = (task.queue.clone(), task.get("unique").to_owned());
        let queue = self.queue(&name);
        if queue.unique.get(&old).is_some_and(|(by, _)| by == id) {
            let (_, till) = queue.unique.remove(&old).unwrap();
            if till.parse::<u64>().is_ok() {
                queue.unique_until.remove(&old);
            }
        }
        let beside = format!("/{old}");
        if !old.is_empty() && queue.unique.get(&beside).is_some_and(|(by, _)| by == id) {
            queue.unique.remove(&beside);
        }
        if let (Some(fresh), Some(until)) = (change.new.get("unique"), change.new.get("unique_until")) {
            let ends = until.parse::<u64>().ok().map(|seconds| us + seconds * SECOND);
            if let Some(till) = ends {
                queue.unique_until.insert(fresh.clone(), till);
            }
            let until = ends.map_or_else(|| until.clone(), |till| till.to_string());
            queue.unique.insert(fresh.clone(), (id.into(), until));
        }
    }

    /// Makes a submit that may begin a further round.
    pub fn resubmit(&mut self, op: &Op) -> Verdict<Reply> {
        let Op::Resubmit { queue: name, task, eta, parameters, options, deadline, request, once_more, .. } = op else {
            panic!("no submit: {op:?}")
        };
        self.require_limits(options)?;
        let (id, name, end_by) = (task.id(), queue(*name), moment(*deadline));
        let new: BTreeMap<&'static str, String> = fields(options, end_by, &[])?.into_iter().collect();
        let policy = options.iter().find(|(name, _)| *name == "unique_policy").map_or("reject", |(_, policy)| policy);
        if policy != "reject" {
            return Err("BADARG");
        }
        let field = format!("submit s{request}");
        if let Some((word, number)) = self.answers.get(&field).and_then(|answer| answer.split_once(" #")) {
            return Ok(Reply::List(vec![Reply::text(word), Reply::text(number)]));
        }
        if self.web.staged.contains_key(id) && !self.tasks.contains_key(id) {
            return Err("STATE");
        }
        let said = Said { queue: Some(name), parameters: Some(payload(*parameters)), eta: Some(moment(*eta)), by: "" };
        let number = self.tasks.get(id).map_or(1, |task| task.number("round").max(1));
        let answer = |word: &str, number: u64| Ok(Reply::List(vec![Reply::text(word), Reply::text(number)]));
        let before = self.tasks.get(id).map(|task| task.status.clone());
        let (word, number) = match self.tasks.get(id) {
            None => {
                let number = crate::model::ops::IDS.iter().position(|other| *other == id).unwrap();
                let tasks = [(u8::try_from(number).unwrap(), *eta, *parameters)];
                self.submit(name, &tasks, options, *deadline, &[])?;
                ("created", 1)
            }
            Some(task) if task.get("round_request") == format!("s{request}") => return answer("again", number),
            Some(task) if task.get("next_round") == format!("s{request}") => return answer("later", number + 1),
            Some(task) if task.held() && !once_more => return Err("STATE"),
            Some(task) if task.has("next_round") && (task.held() || task.finished()) => return Err("STATE"),
            Some(task) if task.held() => {
                self.put_off_round(op)?;
                ("later", number + 1)
            }
            Some(task) if task.waits() => match self.compare(id, new, &said)? {
                None => return answer("existing", number),
                Some(change) => {
                    self.alter(id, change, &said)?;
                    ("changed", number)
                }
            },
            Some(_) => {
                self.begin_round(id, new, &said, *request)?;
                ("again", number + 1)
            }
        };
        if let Some(before) = before {
            let how = if word == "later" { "once more" } else { word };
            let call = format!("round {number}, request s{request}, queue {name}, parameters {}", digest(*parameters));
            let after = self.tasks[id].status.clone();
            self.note_change("submit", ["task", id], [&before, &after], &format!("{how}, {call}"));
        }
        self.keep_answer(&field, &format!("{word} #{number}"));
        answer(word, number)
    }

    /// Begins a further round of a task that has ended.
    pub fn begin_round(
        &mut self,
        id: &str,
        new: BTreeMap<&'static str, String>,
        said: &Said,
        request: u32,
    ) -> Verdict<()> {
        let (task, name) = (&self.tasks[id], said.queue.unwrap());
        let needs = task.flagged('w') && self.web.waits(id) > 0;
        if task.flagged('g') || task.flagged('d') && self.web.needed(id) || needs {
            return Err("STATE");
        } else if self.setting(name, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        }
        self.require_ahead(new.get("deadline").map(|at| micros(at)))?;
        if new.get("unique").is_some_and(|unique| self.taken(name, unique, id).is_some()) {
            return Err("DUPLICATE");
        }
        self.born = true;
        let moves = task.queue != name;
        if moves {
            self.shift(id, "moved", "again", "", false);
        }
        let now = self.now;
        let task = self.task(id);
        let number = task.number("round").max(1) + 1;
        let old: String = task.get("flags").chars().filter(|letter| "do".contains(*letter)).collect();
        task.fields.retain(|field, _| *field == "notes");
        task.fields.extend(new);
        let flags = format!("{}{old}", task.get("flags"));
        task.set("flags", &flags);
        if flags.is_empty() {
            task.forget(&["flags"]);
        }
        task.set("parameters", said.parameters.unwrap());
        task.set("outcome", "retry");
        task.set("round", number);
        task.set("round_request", format!("s{request}"));
        let eta = said.eta.flatten().filter(|at| *at > now);
        task.fields.extend(eta.map(|at| ("eta", decimal(at))));
        let to = if eta.is_some() { "scheduled" } else { "pending" };
        if moves {
            self.arrive(id, name, to, "again", None);
        } else {
            self.restarts = true;
            self.shift(id, to, "again", "", false);
            self.restarts = false;
            self.queue(name).wake |= to == "pending";
        }
        Ok(())
    }
}

impl Edit {
    fn is_empty(&self) -> bool {
        let times = self.eta.is_some() || self.deadline.is_some();
        self.options.is_empty() && self.unset.is_empty() && self.parameters.is_none() && self.queue.is_none() && !times
    }

    /// Returns true if an option is both given and unset.
    fn contradicts(&self, name: &str) -> bool {
        let given = match name {
            "eta" => self.eta.is_some(),
            "deadline" => self.deadline.is_some(),
            name => self.options.iter().any(|(other, _)| *other == name),
        };
        given && self.unset.contains(&name)
    }

    /// Sets the times of the edit to the times of the call.
    pub fn settle_times(&mut self, from_now: impl Fn(Option<Eta>) -> Option<Eta>) {
        self.eta = from_now(self.eta);
        self.deadline = from_now(self.deadline);
    }
}
