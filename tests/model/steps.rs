//! Steps: a task goes on in another queue.

use crate::model::arguments::payload;
use crate::model::keys::Reply;
use crate::model::ops::{Edit, Eta, Go, NOWHERE, QUEUES};
use crate::model::ranking::Carried;
use crate::model::state::{ATTEMPT, FAILURE, LEASE, Model, SECOND, Verdict, decimal};

/// Fields that a step leaves behind, in addition to the fields of an attempt.
const STEP: [&str; 12] = [
    "failures",
    "losses",
    "releases",
    "uncounted",
    "stalled_losses",
    "last_error",
    "last_group",
    "checkpoint",
    "checkpointed",
    "retry_eta",
    "eta",
    "steps",
];

impl Go {
    /// Returns true if the call has values for the next step.
    fn says_how(&self) -> bool {
        self.has_options() || self.parameters.is_some() || self.eta.is_some()
    }

    fn has_options(&self) -> bool {
        !(self.options.is_empty() && self.unset.is_empty()) || self.deadline.is_some()
    }

    /// The queues after the next step, if the call names them.
    fn steps(&self) -> Option<&'static str> {
        let given = self.options.iter().find(|(name, _)| *name == "steps").map(|(_, steps)| *steps);
        given.or(self.unset.contains(&"steps").then_some(""))
    }

    pub fn is_only_a_queue(&self) -> bool {
        self.queue.is_some_and(|queue| queue != NOWHERE) && !self.says_how()
    }
}

impl Model {
    /// Checks of a call that do not look at its task.
    pub fn check_next(&self, go: &Go) -> Verdict<()> {
        self.require_limits(&go.options)?;
        if go.queue == Some(NOWHERE) && go.says_how() { Err("BADARG") } else { Ok(()) }
    }

    /// The end of an attempt with a result: of the task, or of one of its steps.
    pub fn complete(&mut self, id: &str, result: u8, cost: Option<u8>, go: &Go) -> Verdict<Reply> {
        let task = self.task(id);
        let steps = task.get("steps").to_owned();
        let (first, rest) = steps.split_once(',').unwrap_or((&steps, ""));
        let name = match go.queue {
            Some(number) => QUEUES.get(usize::from(number)).copied(),
            None => Some(first).filter(|first| !first.is_empty()),
        };
        if let Some(name) = name {
            if task.has("cancel") {
                return Ok(self.end(id, "cancelled", "cancelled", "complete", cost));
            }
            self.go_on_in(id, name, rest, result, cost, go)?;
            return Ok(Reply::text("complete"));
        }
        if go.queue.is_none() && go.says_how() {
            return Err("BADARG");
        }
        task.set("result", payload(result));
        task.forget(&["steps"]);
        if task.number("failures") > 0 {
            task.forget(&FAILURE);
        }
        Ok(self.end(id, "complete", "complete", "complete", cost))
    }

    /// The next step of a task. `rest`: the queues after that.
    fn go_on_in(&mut self, id: &str, name: &str, rest: &str, result: u8, cost: Option<u8>, go: &Go) -> Verdict<()> {
        let edit =
            Edit { options: go.options.clone(), unset: go.unset.clone(), deadline: go.deadline, ..Edit::default() };
        let change = if go.has_options() { self.compare_step(id, &edit)? } else { None };
        let rest = go.steps().unwrap_or(rest);
        let named = change.as_ref().filter(|change| change.changed.iter().any(|name| name.starts_with("unique")));
        let (now, mut carried) = (self.now, self.carry(id));
        let mut unique = self.tasks[id].get("unique");
        if let Some(change) = named {
            unique = change.new.get("unique").map_or("", String::as_str);
            carried = Some(unique).filter(|unique| !unique.is_empty()).map(|_| Carried::Name);
        }
        // If the name is taken, the task goes on without it, since its owner has nowhere else to bring the result.
        let nameless = carried.is_some_and(|it| it != Carried::Nothing) && self.taken(name, unique, id).is_some();
        self.end_elsewhere(id, "next", cost);
        if named.is_some() {
            carried = None; // a name that it did not have until now counts from now
        }
        if let Some(change) = &change {
            self.write_step(id, change);
        }
        let task = self.task(id);
        let mut flags = task.get("flags").replace('s', "");
        flags.extend((!rest.is_empty()).then_some('s'));
        task.forget(&STEP);
        if nameless {
            task.forget(&["unique", "unique_until"]);
            flags = flags.replace('u', "");
        }
        task.set("flags", &flags);
        task.set("steps", rest);
        for (field, value) in [("flags", &*flags), ("steps", rest)] {
            if value.is_empty() {
                task.forget(&[field]);
            }
        }
        let result = Some(payload(result)).filter(|result| !result.is_empty());
        if let Some(parameters) = go.parameters.map(payload).or(result) {
            task.set("parameters", parameters);
            task.forget(&["slots"]);
        }
        let later = go.eta.and_then(|eta| if let Eta::At(eta) = eta { Some(eta) } else { None });
        let later = later.filter(|eta| *eta > now);
        task.fields.extend(later.map(|eta| ("eta", decimal(eta))));
        task.set("outcome", "complete");
        task.set("step", task.number("step") + 1);
        let to = if later.is_some() { "scheduled" } else { "pending" };
        self.arrive(id, name, to, "next", carried);
        Ok(())
    }

    /// A release into another queue, after `pause` seconds. `count`: the counter of such releases, and its number.
    pub fn give_back(
        &mut self,
        id: &str,
        name: &str,
        why: &str,
        pause: u32,
        cost: Option<u8>,
        (counter, number): (&'static str, u64),
    ) -> Verdict<Reply> {
        let carried = self.carry(id);
        let unique = self.tasks[id].get("unique");
        if self.setting(name, "closed").as_deref() == Some("1") {
            return Err("CLOSED");
        } else if carried.is_some_and(|it| it != Carried::Nothing) && self.taken(name, unique, id).is_some() {
            return Err("DUPLICATE");
        }
        let until = self.now + u64::from(pause) * SECOND;
        self.end_elsewhere(id, why, cost);
        let task = self.task(id);
        task.set(counter, number);
        task.set("outcome", "released");
        if pause > 0 {
            task.put_off(until);
        }
        self.arrive(id, name, if pause > 0 { "scheduled" } else { "pending" }, "move", carried);
        Ok(Reply::text("released"))
    }

    /// An attempt ends, and its task leaves the queue.
    fn end_elsewhere(&mut self, id: &str, why: &str, cost: Option<u8>) {
        let awaited = self.place_is_awaited(id);
        let task = self.task(id);
        let (node, name) = (task.get("node").to_owned(), task.queue.clone());
        task.set("ended", task.get("token").to_owned());
        task.forget(&LEASE);
        if let Some(cost) = cost {
            task.set("cost", payload(cost));
            task.set("cost_of", task.get("ended").to_owned());
        }
        self.shift(id, "moved", why, &node, false);
        if let Some(last) = self.histories.get_mut(id).and_then(|steps| steps.last_mut()) {
            last.cost = cost.map_or("", payload);
        }
        self.queue(&name).wake |= awaited;
        let task = self.task(id);
        task.forget(&ATTEMPT);
        task.forget(&["front", "promoted", "readied"]);
    }

    /// Brings a task that has left its queue into another queue. `carried`: what it takes along of its unique name.
    pub fn arrive(&mut self, id: &str, name: &str, to: &str, why: &str, carried: Option<Carried>) {
        self.carried = carried;
        let task = self.task(id);
        name.clone_into(&mut task.queue);
        task.status.clear();
        self.shift(id, to, why, "", false);
        self.carried = None;
        let queue = self.queue(name);
        queue.known = true;
        queue.wake |= to == "pending";
    }
}
