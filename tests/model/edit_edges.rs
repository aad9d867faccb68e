//! Changes of what a task waits for, after its submit.

use std::collections::BTreeSet;

use crate::model::graphs::{Edge, Inputs, Seen, Wanted, element, is_json, met};
use crate::model::keys::Reply;
use crate::model::ops::{Act, Need, REASONS};
use crate::model::owners::noted;
use crate::model::sets::{Set, asked, named, without_number};
use crate::model::state::{Model, Task, Verdict};

/// Further inputs of a task, as they are now.
struct More {
    edges: Vec<(&'static str, Edge)>,
    inputs: Inputs,
    /// The entries that are new.
    text: Vec<String>,
    /// The first child that has ended in a state other than the needed state.
    broken: Option<&'static str>,
    /// The last task of a set that has ended in a state other than the needed state.
    lacking: Option<&'static str>,
    /// The text before the change, if that changes as well.
    before: Option<String>,
    /// An error if the set is refused.
    refused: Verdict<()>,
}

fn wanted(needs: &[Need]) -> Verdict<Wanted> {
    let wanted = Wanted::of(needs, true)?;
    if wanted.values.is_empty() { Ok(wanted) } else { Err("BADARG") }
}

/// The entries of an edge in the text of inputs.
fn entries(up: &str, edge: &Edge) -> Vec<String> {
    match edge.slots.as_slice() {
        [] => vec![format!("{}={up}", edge.kind)],
        slots => slots.iter().map(|slot| format!("{}/{slot}={up}", edge.kind)).collect(),
    }
}

impl Task {
    fn add_inputs(&mut self, more: &More) {
        let before = more.before.as_deref().unwrap_or_else(|| self.get("inputs"));
        let mut all: Vec<&str> = before.split_whitespace().collect();
        all.extend(more.text.iter().map(String::as_str));
        let all = all.join(" ");
        self.set("inputs", all);
    }
}

impl Model {
    /// Returns a task. Refuses a staged task of a created graph.
    fn begun(&self, id: &str) -> Verdict<&Task> {
        let staged = self.web.staged.get(id);
        if staged.is_some_and(|task| self.web.graphs[task.get("graph")].created) {
            return Err("STATE");
        }
        self.tasks.get(id).ok_or("NOTASK")
    }

    /// The task whose inputs change. A task on hold is released first.
    fn changing(&self, id: &str) -> Verdict<&Task> {
        let task = self.begun(id)?;
        if task.waits() && task.status != "held" { Ok(task) } else { Err("STATE") }
    }

    fn look_at_more(&self, id: &str, wanted: &Wanted, held: bool) -> Verdict<More> {
        let known = if held { None } else { self.web.inputs.get(id) };
        let inputs = Inputs { filled: Default::default(), ..known.cloned().unwrap_or_default() };
        let mut more = More {
            edges: Vec::new(),
            inputs,
            text: Vec::new(),
            broken: None,
            lacking: None,
            before: None,
            refused: Ok(()),
        };
        let mut slots = BTreeSet::new();
        let task = &self.tasks[id];
        let mut before = task.get("inputs").to_owned();
        if held && wanted.some > 0 {
            // The set of the attempt's earlier release had enough.
            let kept =
                before.split_whitespace().filter(|entry| !entry.starts_with("some") && !entry.starts_with("least/"));
            before = kept.collect::<Vec<_>>().join(" ");
            more.before = Some(before.clone());
        }
        let has: Vec<&str> = before.split_whitespace().collect();
        let in_set = task.flagged('k') && !held;
        more.inputs.least = match wanted.has_set() {
            true => Some(wanted.least_after(&before, in_set.then(|| self.web.least(id)))),
            false => in_set.then(|| self.web.least(id)),
        };
        for (up, edge) in &wanted.upstreams {
            if *up == id {
                return Err("BADARG");
            }
            let entries = entries(up, edge);
            if entries.iter().all(|entry| has.contains(&entry.as_str())) {
                if edge.slots.is_empty() && edge.kind != "some" {
                    self.look_once_more(id, up, edge, held, &mut more)?;
                }
                continue;
            }
            if wanted.has_set() && named(&before).contains(up) {
                return Err("BADARG");
            }
            if held {
                self.look_at_child(up, edge, &mut more);
            } else {
                self.look_at_late(id, up, edge, &mut more)?;
            }
            more.text.extend(entries);
            slots.extend(edge.slots.iter().copied());
        }
        let first = more.inputs.slots;
        if !slots.is_empty() && (first == 0 || slots.iter().copied().ne(first..first + slots.len())) {
            return Err("BADARG");
        }
        more.inputs.slots += slots.len();
        if wanted.has_set() {
            let known = self.web.edges(id).filter(|_| !held);
            more.refused =
                Set::of(more.inputs.least.unwrap(), known.chain(more.edges.iter().map(|(_, edge)| edge))).require();
        }
        if let Some(least) = wanted.least.filter(|least| *least != asked(&before)) {
            more.before = Some(without_number(&before));
            more.text.push(format!("least/{least}"));
        }
        Ok(more)
    }

    /// Looks at an upstream that the task has waited for before. The upstream may run again.
    fn look_once_more(&self, id: &str, up: &'static str, edge: &Edge, held: bool, more: &mut More) -> Verdict<()> {
        if held {
            if self.tasks.contains_key(up) || self.is_staged(up) {
                self.look_at_child(up, edge, more);
            }
        } else if self.web.edge(id, up).is_none() {
            match self.begun(up) {
                Ok(task) if !task.finished() => more.edges.push((up, edge.clone())),
                Err("STATE") => return Err("STATE"),
                _ => {}
            }
        }
        Ok(())
    }

    fn look_at_late(&self, id: &str, up: &'static str, edge: &Edge, more: &mut More) -> Verdict<()> {
        if self.web.edge(id, up).is_some() {
            return Err("BADARG");
        }
        let task = self.begun(up)?;
        if !task.finished() {
            more.edges.push((up, edge.clone()));
            return Ok(());
        } else if edge.kind == "some" && task.status != "complete" {
            more.edges.push((up, Edge { mark: Some(1), ..edge.clone() }));
            return Ok(());
        } else if edge.kind == "some" {
            more.inputs.least = more.inputs.least.map(|least| least - 1);
        }
        if !met(edge.kind, task.outcome()) || !edge.slots.is_empty() && !is_json(task.get("result")) {
            return Err("UPSTREAM");
        } else {
            let result = element(task.get("result"));
            more.inputs.bytes += result.len() * edge.slots.len();
            more.inputs.filled.extend(edge.slots.iter().map(|slot| (*slot, result.clone())));
        }
        Ok(())
    }

    /// Looks at an upstream that an attempt waits for, and that may have ended already.
    fn look_at_child(&self, up: &'static str, edge: &Edge, more: &mut More) {
        let status = match self.tasks.get(up) {
            Some(task) => task.status.as_str(),
            None if self.is_staged(up) => "staged",
            None => "deleted",
        };
        if !matches!(status, "complete" | "failed" | "cancelled" | "deleted") {
            more.edges.push((up, edge.clone()));
        } else if edge.kind == "some" && status == "complete" {
            more.inputs.least = more.inputs.least.map(|least| least - 1);
        } else if edge.kind == "some" {
            more.lacking = Some(up);
            if status != "deleted" {
                more.edges.push((up, Edge { mark: Some(1), ..edge.clone() }));
            }
        } else if !met(edge.kind, self.tasks.get(up).map_or(status, |task| task.outcome())) && more.broken.is_none() {
            more.broken = Some(up);
        }
    }

    /// Returns true if a new upstream waits for this task, directly or through others.
    fn closes_circle(&self, id: &str, more: &More) -> bool {
        let mut next: Vec<String> = more.edges.iter().map(|(up, _)| (*up).to_owned()).collect();
        let mut seen = BTreeSet::new();
        while let Some(up) = next.pop() {
            if up == id {
                return true;
            }
            if seen.insert(up.clone()) {
                next.extend(self.web.upstreams.get(&up).into_iter().flat_map(|edges| edges.keys().cloned()));
            }
        }
        false
    }

    fn add_edges(&mut self, id: &str, more: More) {
        for (up, edge) in more.edges {
            if edge.mark.is_some() {
                self.web.see(up, id, Seen::Held);
            } else {
                self.web.begin_to_wait(up, id, self.now);
            }
            self.web.upstreams.entry(id.into()).or_default().insert(up.into(), edge);
            self.flag(up);
        }
        if more.inputs.slots > 0 {
            let inputs = self.web.inputs.entry(id.into()).or_default();
            (inputs.slots, inputs.bytes) = (more.inputs.slots, more.inputs.bytes);
            inputs.filled.extend(more.inputs.filled);
        }
        if let Some(least) = more.inputs.least {
            self.web.keep_least(id, least);
        }
    }

    /// Returns true if the set of a task has enough, and the task waits for nothing else.
    fn has_enough(&self, id: &str, more: &More, held: bool) -> bool {
        let known = self.web.edges(id).filter(|_| !held).count();
        let all = self.web.edges(id).filter(|_| !held).chain(more.edges.iter().map(|(_, edge)| edge));
        more.inputs.least.is_some_and(|least| Set::of(least, all).is_enough(known + more.edges.len()))
    }

    pub fn depend(&mut self, id: &str, needs: &[Need]) -> Verdict<Reply> {
        let wanted = wanted(needs)?;
        self.changing(id)?;
        let mut more = self.look_at_more(id, &wanted, false)?;
        if more.text.is_empty() && more.edges.is_empty() {
            return Ok(Reply::text(&self.tasks[id].status));
        }
        if self.tasks[id].flagged('d') && self.closes_circle(id, &more) {
            return Err("CYCLE");
        }
        more.refused?;
        let enough = self.has_enough(id, &more, false);
        let task = self.task(id);
        task.add_flag('w');
        if more.inputs.least.is_some() {
            task.add_flag('k');
        }
        task.add_inputs(&more);
        self.born = true;
        if enough {
            (more.edges, more.inputs.least) = (Vec::new(), None);
            if self.tasks[id].status == "waiting" {
                self.add_edges(id, more);
                return Ok(Reply::text(self.ready(id)));
            }
        }
        let task = self.task(id);
        if !more.edges.is_empty() && task.status != "waiting" {
            task.forget(&["readied", "promoted"]);
            self.shift(id, "waiting", "depend", "", false);
        }
        self.add_edges(id, more);
        self.born = true;
        Ok(Reply::text(&self.tasks[id].status))
    }

    pub fn undepend(&mut self, id: &str, up: &str) -> Verdict<Reply> {
        if self.changing(id)?.status != "waiting" {
            return Err("STATE");
        }
        let Some(edge) = self.web.edge(id, up) else { return Ok(Reply::text("waiting")) };
        let mut least = self.web.least(id);
        if edge.kind == "some" {
            let others = self.web.upstreams[id].iter().filter(|(other, _)| *other != up).map(|(_, edge)| edge);
            let set = Set::of(least, others);
            if set.left + set.owed == 0 {
                least = 0;
            } else if least > set.chances() {
                return Err("UPSTREAM");
            }
        }
        let task = self.task(id);
        let kept: Vec<&str> =
            task.get("inputs").split_whitespace().filter(|entry| !entry.ends_with(&format!("={up}"))).collect();
        let mut kept = kept.join(" ");
        if named(&kept).is_empty() {
            kept = without_number(&kept);
        }
        task.set("inputs", &kept);
        if kept.is_empty() {
            task.forget(&["inputs"]);
        }
        self.web.cut(id, up);
        self.web.fill(id, &edge.slots);
        if self.tasks[id].flagged('k') {
            self.web.keep_least(id, least);
        }
        let to = if self.is_open(id) { "waiting" } else { self.ready(id) };
        Ok(Reply::text(to))
    }

    /// A release until others have ended.
    pub fn suspend(&mut self, id: &str, token: &str, needs: &[Need], given: &'static str) -> Verdict<Reply> {
        let wanted = wanted(needs)?;
        let reason = REASONS.iter().position(|reason| *reason == given).unwrap();
        let plain = Act::Release { reason: u8::try_from(reason).unwrap(), again: None, uncounted: None, cost: None };
        let holds = self.tasks.get(id).is_some_and(|task| task.held() && task.get("token") == token);
        let ends = !holds || {
            let task = &self.tasks[id];
            task.has("cancel") || task.number("releases") + 1 > self.cap(id, "max_releases")
        };
        if ends {
            return self.owner(id, token, &plain);
        }
        let why = noted(&self.tasks[id], given);
        if self.back(id, "pending", Some(given)) == "cancelled" {
            let releases = self.tasks[id].number("releases") + 1;
            self.task(id).set("releases", releases);
            return Ok(self.end(id, "cancelled", "cancelled", why, None));
        }
        let more = self.look_at_more(id, &wanted, true).and_then(|more| {
            if more.lacking.is_none() {
                more.refused?;
            }
            if self.tasks[id].flagged('d') && self.closes_circle(id, &more) { Err("CYCLE") } else { Ok(more) }
        });
        let mut more = more.inspect_err(|_| self.keeps = false)?;
        let task = self.task(id);
        task.set("releases", task.number("releases") + 1);
        if let Some(up) = more.broken.or(more.lacking.filter(|_| more.refused.is_err())) {
            self.keeps = false;
            let (cause, error) = self.fate(up);
            let task = self.task(id);
            task.set("cause", cause);
            task.set("group", "upstream");
            task.set("error", error);
            return Ok(self.end(id, "failed", "failed", why, None));
        }
        task.add_flag('w');
        if more.inputs.least.is_some() {
            task.add_flag('k');
        }
        task.add_inputs(&more);
        task.forget(&["readied", "promoted"]);
        if self.has_enough(id, &more, true) {
            (more.edges, more.inputs.least) = (Vec::new(), None);
        }
        let to = if more.edges.is_empty() { "pending" } else { "waiting" };
        let answer = self.end(id, to, "released", why, None);
        self.add_edges(id, more);
        Ok(answer)
    }
}
