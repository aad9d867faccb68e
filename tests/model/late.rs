//! What a task waits for changes after its submit.

use std::collections::BTreeSet;

use crate::model::graphs::{Edge, Inputs, Seen, Wanted, element, is_json, met};
use crate::model::keys::Reply;
use crate::model::ops::{Act, Need, REASONS};
use crate::model::state::{Model, Task, Verdict};

/// Further inputs of a task, as they are now.
struct More {
    edges: Vec<(&'static str, Edge)>,
    inputs: Inputs,
    /// The entries that are new.
    text: Vec<String>,
    /// The first child that has not ended as it is needed.
    broken: Option<&'static str>,
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
    fn add_tie(&mut self, tie: char) {
        if !self.tied(tie) {
            let ties = format!("{}{tie}", self.get("ties"));
            self.set("ties", ties);
        }
    }

    fn add_inputs(&mut self, text: &[String]) {
        let mut all: Vec<&str> = self.get("inputs").split_whitespace().collect();
        all.extend(text.iter().map(String::as_str));
        let all = all.join(" ");
        self.set("inputs", all);
    }
}

impl Model {
    /// A task of whose graph all has begun.
    fn begun(&self, id: &str) -> Verdict<&Task> {
        let staged = self.web.staged.get(id);
        if staged.is_some_and(|task| self.web.graphs[task.get("graph")].created) {
            return Err("STATE");
        }
        self.tasks.get(id).ok_or("NOTASK")
    }

    /// The task whose inputs change.
    fn changing(&self, id: &str) -> Verdict<&Task> {
        let task = self.begun(id)?;
        if task.waits() { Ok(task) } else { Err("STATE") }
    }

    fn look_at_more(&self, id: &str, wanted: &Wanted, held: bool) -> Verdict<More> {
        let known = if held { None } else { self.web.inputs.get(id) };
        let inputs = Inputs { filled: Default::default(), ..known.cloned().unwrap_or_default() };
        let mut more = More { edges: Vec::new(), inputs, text: Vec::new(), broken: None };
        let mut slots = BTreeSet::new();
        let has: Vec<&str> = self.tasks[id].get("inputs").split_whitespace().collect();
        for (up, edge) in &wanted.upstreams {
            if *up == id {
                return Err("BADARG");
            }
            let entries = entries(up, edge);
            if entries.iter().all(|entry| has.contains(&entry.as_str())) {
                continue;
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
        Ok(more)
    }

    fn look_at_late(&self, id: &str, up: &'static str, edge: &Edge, more: &mut More) -> Verdict<()> {
        if self.web.edge(id, up).is_some() {
            return Err("BADARG");
        }
        let task = self.begun(up)?;
        if !task.finished() {
            more.edges.push((up, edge.clone()));
        } else if !met(edge.kind, &task.status) || !edge.slots.is_empty() && !is_json(task.get("result")) {
            return Err("UPSTREAM");
        } else {
            let result = element(task.get("result"));
            more.inputs.bytes += result.len() * edge.slots.len();
            more.inputs.filled.extend(edge.slots.iter().map(|slot| (*slot, result.clone())));
        }
        Ok(())
    }

    /// One that an attempt waits for, which may have ended by now.
    fn look_at_child(&self, up: &'static str, edge: &Edge, more: &mut More) {
        let status = match self.tasks.get(up) {
            Some(task) => task.status.as_str(),
            None if self.is_staged(up) => "staged",
            None => "deleted",
        };
        if !matches!(status, "complete" | "failed" | "cancelled" | "deleted") {
            more.edges.push((up, edge.clone()));
        } else if !met(edge.kind, status) && more.broken.is_none() {
            more.broken = Some(up);
        }
    }

    /// Whether a new upstream waits for this task in the end.
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
            self.web.upstreams.entry(id.into()).or_default().insert(up.into(), edge);
            self.web.see(up, id, Seen::Waits(self.now));
            self.tie(up);
        }
        if more.inputs.slots > 0 {
            let inputs = self.web.inputs.entry(id.into()).or_default();
            (inputs.slots, inputs.bytes) = (more.inputs.slots, more.inputs.bytes);
            inputs.filled.extend(more.inputs.filled);
        }
    }

    pub fn depend(&mut self, id: &str, needs: &[Need]) -> Verdict<Reply> {
        let wanted = wanted(needs)?;
        self.changing(id)?;
        let more = self.look_at_more(id, &wanted, false)?;
        if more.text.is_empty() {
            return Ok(Reply::text(&self.tasks[id].status));
        }
        if self.tasks[id].tied('d') && self.closes_circle(id, &more) {
            return Err("CYCLE");
        }
        let task = self.task(id);
        task.add_tie('w');
        task.add_inputs(&more.text);
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
        let task = self.task(id);
        let kept: Vec<&str> =
            task.get("inputs").split_whitespace().filter(|entry| entry.split_once('=').unwrap().1 != up).collect();
        let kept = kept.join(" ");
        task.set("inputs", &kept);
        if kept.is_empty() {
            task.forget(&["inputs"]);
        }
        self.web.cut(id, up);
        if let Some(inputs) = self.web.inputs.get_mut(id) {
            inputs.bytes += "null".len() * edge.slots.len();
            inputs.filled.extend(edge.slots.iter().map(|slot| (*slot, "null".to_owned())));
        }
        let to = if self.web.waits(id) == 0 { self.ready(id) } else { "waiting" };
        Ok(Reply::text(to))
    }

    /// A release until others have ended.
    pub fn suspend(&mut self, id: &str, token: &str, needs: &[Need], why: &'static str) -> Verdict<Reply> {
        let wanted = wanted(needs)?;
        let reason = REASONS.iter().position(|reason| *reason == why).unwrap();
        let plain = Act::Release { reason: u8::try_from(reason).unwrap(), again: None, uncounted: None, cost: None };
        let holds = self.tasks.get(id).is_some_and(|task| task.held() && task.get("token") == token);
        let ends = !holds || {
            let task = &self.tasks[id];
            task.has("cancel") || task.number("releases") + 1 > self.cap(id, "max_releases")
        };
        if ends {
            return self.owner(id, token, &plain);
        }
        if self.back(id, "pending", Some(why)) == "cancelled" {
            let releases = self.tasks[id].number("releases") + 1;
            self.task(id).set("releases", releases);
            return Ok(self.end(id, "cancelled", "cancelled", why, None));
        }
        let more = self.look_at_more(id, &wanted, true).and_then(|more| {
            if self.tasks[id].tied('d') && self.closes_circle(id, &more) { Err("CYCLE") } else { Ok(more) }
        });
        let more = more.inspect_err(|_| self.keeps = false)?;
        let task = self.task(id);
        task.set("releases", task.number("releases") + 1);
        if let Some(up) = more.broken {
            self.keeps = false;
            let (cause, error) = self.fate(up);
            let task = self.task(id);
            task.set("cause", cause);
            task.set("group", "upstream");
            task.set("error", error);
            return Ok(self.end(id, "failed", "failed", why, None));
        }
        task.add_tie('w');
        task.add_inputs(&more.text);
        task.forget(&["readied", "promoted"]);
        let to = if more.edges.is_empty() { "pending" } else { "waiting" };
        let answer = self.end(id, to, "released", why, None);
        self.add_edges(id, more);
        Ok(answer)
    }
}
