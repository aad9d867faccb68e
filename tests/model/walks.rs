//! Steps that change many tasks of a graph: cascades, and walks that cancel or retry tasks. A step reads everything
//! before it writes anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::arguments::intern;
use crate::model::graphs::{Again, Edge, Graph, Seen};
use crate::model::ops::Which;
use crate::model::sets::{asked, wants};
use crate::model::state::{Model, SECOND, Task, decimal};

/// The pause of a walk that waits for owners, in µs.
const PAUSE: u64 = SECOND;

/// The walk that is under way in a graph.
#[derive(Clone, Debug)]
pub struct Walk {
    pub doing: &'static str,
    pub at: usize,
    pub task: Option<String>,
    pub reason: Option<&'static str>,
    pub force: bool,
    /// Number of tasks that this pass has changed, and number of refused tasks; `None` before the first step.
    pub counts: Option<(usize, usize)>,
}

impl Walk {
    pub fn of(doing: &'static str) -> Self {
        Self { doing, at: 0, task: None, reason: None, force: false, counts: None }
    }

    /// The walk that is under way, as a reader of the graph sees it.
    pub fn shown(&self) -> &'static str {
        match self.doing {
            "repair" => "retry",
            doing => doing.trim_start_matches("mark_"),
        }
    }

    pub fn fields(&self) -> BTreeMap<String, String> {
        let mut fields =
            BTreeMap::from([("doing".to_owned(), self.doing.to_owned()), ("at".into(), self.at.to_string())]);
        fields.extend(self.task.clone().map(|task| ("task".into(), task)));
        fields.extend(self.reason.map(|reason| ("reason".into(), reason.into())));
        fields.extend(self.force.then(|| ("force".into(), "1".into())));
        if let Some((changed, refused)) = self.counts {
            fields.extend([("changed".into(), changed.to_string()), ("refused".into(), refused.to_string())]);
        }
        fields
    }
}

/// Effects that the end of a task leaves to `run_deferred`, as of the time when its step was planned.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    pub deferred: bool,
    pub cascades: bool,
}

/// Upstreams of a task that runs again.
pub enum Wait {
    Again(Again),
    Rerun(Rerun),
}

impl Wait {
    pub fn begins(&self) -> &'static str {
        match self {
            Self::Again(again) => again.begins(),
            Self::Rerun(again) if again.open.is_empty() && !again.waits => "pending",
            Self::Rerun(_) => "waiting",
        }
    }
}

/// Upstreams of a task that is rerun together with others.
pub struct Rerun {
    /// Upstreams that the task waits for.
    open: Vec<(String, Edge)>,
    /// Upstreams that have ended, and that notify the task again.
    ended: Vec<String>,
    /// Upstreams that have not ended, and may no longer list the task, since it had ended.
    still: Vec<String>,
    /// True if the task already has edges to upstreams.
    waits: bool,
    /// Number of tasks of its set that must be complete.
    least: Option<i64>,
}

/// Change that a step makes to a task.
enum Deed {
    Cancel { id: String, order: Option<&'static str>, reason: String, cause: Option<String>, ahead: Ahead },
    Spare(String),
    Retry { id: String, wait: Option<Wait>, rerun: bool },
    Rerun(String, Rerun),
}

/// The tasks and edges in a text of inputs, in order. If the text names a task in several ways and one of them is a
/// set, the edge is of the set. Else the edge gives the task's result if one of the ways does.
fn submitted(inputs: &str) -> Vec<(String, Edge)> {
    let mut found: Vec<(String, Edge)> = Vec::new();
    for entry in inputs.split_whitespace() {
        let Some((kind, up)) = entry.split_once('=') else { continue }; // how many of a set
        let (kind, slot) = kind.split_once('/').unwrap_or((kind, ""));
        let slot = slot.parse::<usize>().ok();
        match found.iter_mut().find(|(other, _)| other == up) {
            Some((_, edge)) => {
                if kind == "some" || edge.kind != "some" && slot.is_some() {
                    edge.kind = intern(kind);
                }
                edge.slots.extend(slot);
            }
            None => found.push((up.into(), Edge { kind: intern(kind), slots: slot.into_iter().collect(), mark: None })),
        }
    }
    found
}

impl Model {
    /// Effects that the end of a task leaves to `run_deferred`. `told`: the number of dependents that are notified
    /// already.
    pub fn ahead(&self, id: &str, to: &str, told: usize) -> Ahead {
        let task = &self.tasks[id];
        let ends = !task.finished() && matches!(to, "complete" | "failed" | "cancelled" | "deleted");
        let broken = matches!(to, "failed" | "cancelled") && task.status == "waiting";
        Ahead {
            deferred: ends && task.flagged('d') && self.web.open(id).len() > told,
            cascades: broken && self.on_failure(id) == Some("cancel") && self.web.waits(id) > 0,
        }
    }

    pub fn begin_walk(&mut self, graph: &str, walk: Walk) {
        self.web.graphs.get_mut(graph).unwrap().walk = Some(walk);
        self.web.due.insert(graph.into(), self.now);
        self.web.chosen.remove(graph);
        self.born = true;
    }

    /// Begins to rerun tasks, in addition to the tasks that are already rerun.
    pub fn begin_rerun(&mut self, graph: &str, tasks: &[Which]) {
        let under_way = self.web.graphs[graph].walk.as_ref().is_some_and(|walk| walk.shown() == "rerun");
        let marks = if under_way { self.web.chosen.remove(graph) } else { None };
        self.begin_walk(graph, Walk::of("mark_rerun"));
        let chosen = self.web.chosen.entry(graph.into()).or_default();
        chosen.extend(marks.unwrap_or_default());
        chosen.extend(tasks.iter().map(|task| (task.id().to_owned(), 2)));
    }

    /// Returns true if a task is queued for a rerun, so that its end is ignored.
    pub fn reruns_in(&self, graph: &str, id: &str) -> bool {
        let walk = self.web.graphs.get(graph).and_then(|graph| graph.walk.as_ref());
        walk.is_some_and(|walk| walk.shown() == "rerun") && self.marked(graph, id).is_some_and(|mark| mark > 0)
    }

    /// Mark of a task in the walk of its graph; `None` if the walk does not concern the task. 2: a root that the walk
    /// has not reached yet. 1: another task that the walk has not reached yet. 0: a task that the walk has reached.
    fn marked(&self, graph: &str, id: &str) -> Option<u8> {
        self.web.chosen.get(graph)?.get(id).copied()
    }

    /// Makes a step of the cancels that the end of a waiting task causes.
    pub fn cascade(&mut self, id: &str, limit: usize) -> (usize, bool) {
        let task = &self.tasks[id];
        let first = task.get("cascade").split_once('/').map_or(0, |(_, at)| at.parse::<usize>().unwrap());
        let own = task.get("cause");
        let cause = if own.is_empty() { id.to_owned() } else { own.to_owned() };
        let skips = task.outcome() == "skipped";
        let ended = if task.status == "failed" { "failed".to_owned() } else { format!("was {}", task.outcome()) };
        let reason = format!("not needed: {id} {ended}");
        let graph = task.get("graph").to_owned();
        let ups: Vec<(String, Edge)> =
            self.web.upstreams.get(id).into_iter().flatten().map(|(up, edge)| (up.clone(), edge.clone())).collect();
        let ups = if self.on_failure(id) == Some("cancel") { ups } else { Vec::new() };
        let last = ups.len().min(first + limit);
        let (mut left, mut deeds) = (Vec::new(), Vec::new());
        for (up, edge) in ups.get(first..last).unwrap_or_default() {
            // Another task that has its id now does not list the dependents.
            let lives = |other: &&Task| !other.finished() && !other.get("flags").is_empty();
            let Some(other) = self.tasks.get(up).filter(lives) else { continue };
            if !wants(edge.kind) {
                continue;
            }
            left.push(up.clone());
            let told = usize::from(self.web.open(up).contains(&id.to_owned()));
            if other.get("graph") == graph && *up != cause && !self.is_needed(up, id) {
                deeds.extend(self.plan_cancel(up, "cancel", &reason, Some(cause.clone()), told));
            }
        }
        let more = last < ups.len();
        self.begin_step();
        if !more {
            self.web.deferred.remove(id);
        }
        for up in &left {
            self.web.see(up, id, Seen::Ended(self.now));
        }
        let number = deeds.len();
        for deed in deeds.iter().filter(|_| skips) {
            if let Deed::Cancel { id, .. } = deed
                && !self.tasks[id].has("cancel")
            {
                self.task(id).add_flag('x');
            }
        }
        self.run(deeds);
        match self.tasks.get_mut(id) {
            Some(task) if more => task.set("cascade", format!("0/{last}")),
            Some(task) => task.forget(&["cascade"]),
            None => {}
        }
        self.end_step();
        (number, more)
    }

    /// Returns true if a task that may still run, except `other`, needs this task.
    fn is_needed(&self, id: &str, other: &str) -> bool {
        self.web.open(id).iter().filter(|dependent| *dependent != other).any(|dependent| {
            let runs = self.tasks.get(dependent).is_some_and(|task| !task.finished());
            runs && self.web.edge(dependent, id).is_some_and(|edge| wants(edge.kind))
        })
    }

    /// Plans the cancel of a task. Its outcome is discarded, whatever its owner reports. `None` if the cancel changes
    /// nothing.
    fn plan_cancel(
        &self,
        id: &str,
        order: &'static str,
        reason: &str,
        cause: Option<String>,
        told: usize,
    ) -> Option<Deed> {
        let task = &self.tasks[id];
        if task.finished() || task.held() && task.order == Some("kill") {
            return None;
        }
        let order = task.held().then_some(order);
        Some(Deed::Cancel {
            id: id.into(),
            order,
            reason: reason.into(),
            cause,
            ahead: self.ahead(id, "cancelled", told),
        })
    }

    /// Makes the planned changes.
    fn run(&mut self, deeds: Vec<Deed>) {
        let now = decimal(self.now);
        for deed in deeds {
            match deed {
                Deed::Cancel { id, order: Some(order), reason, cause, .. } => {
                    let task = self.task(&id);
                    task.order = Some(order);
                    if !(task.has("cancel") && reason.is_empty()) {
                        task.set("reason", &reason);
                    }
                    if !task.has("cancel") {
                        task.set("cancel", &now);
                    }
                    task.set("discard", 1);
                    task.fields.extend(cause.map(|cause| ("cause", cause)));
                    self.publish(&id, "cancel", "", "", &reason);
                }
                Deed::Cancel { id, reason, cause, ahead, .. } => {
                    let task = self.task(&id);
                    task.set("reason", reason);
                    task.fields.extend(cause.map(|cause| ("cause", cause)));
                    self.web.ahead = Some(ahead);
                    self.shift(&id, "cancelled", "cancel", "", false);
                }
                Deed::Spare(id) => {
                    let task = self.task(&id);
                    task.order = Some("stop");
                    task.forget(&["cancel", "discard", "cause", "reason"]);
                    task.need();
                    task.set("requeue", &now);
                    self.publish(&id, "requeue", "", "", "");
                }
                Deed::Retry { id, wait, rerun } => {
                    self.run_again(&id, rerun, rerun, wait, None);
                }
                Deed::Rerun(id, rerun) => self.wait_rerun(&id, rerun),
            }
        }
    }

    /// Makes the next step of the walk of a graph. Returns how many tasks the step changed, and whether the walk
    /// waits now.
    pub fn walk(&mut self, graph: &str, limit: usize) -> (usize, bool) {
        let mut walk = self.web.graphs[graph].walk.clone().unwrap();
        let ids: Vec<String> = self.web.graphs[graph].members.clone();
        let (mut changed, mut refused) = walk.counts.unwrap_or_default();
        let mut deeds = Vec::new();
        let mut marks: Vec<(String, u8)> = Vec::new();
        let mut left: Vec<String> = Vec::new();
        let mut stopped: Vec<String> = Vec::new();
        let mine = |id: &str| self.tasks.get(id).filter(|task| task.get("graph") == graph);
        match walk.doing {
            "cancel" => {
                let reason = walk.reason.unwrap_or_default();
                let order = if walk.force { "kill" } else { "cancel" };
                while walk.at < ids.len() && deeds.len() < limit {
                    walk.at += 1;
                    let id = &ids[ids.len() - walk.at];
                    let ours = walk.task.is_none() || self.marked(graph, id).is_some();
                    if ours && mine(id).is_some() {
                        let cause = walk.task.clone().filter(|task| task != id);
                        let mut deed = self.plan_cancel(id, order, reason, cause, 0);
                        if let (None, Some(Deed::Cancel { ahead, .. })) = (&walk.task, &mut deed) {
                            ahead.cascades = false;
                        }
                        deeds.extend(deed);
                    }
                }
                Self::pass(&mut walk, ids.len(), &mut changed, &mut refused, deeds.len(), |_, _| false);
            }
            "mark_cancel" | "mark_rerun" => {
                let mut below = self.web.chosen.get(graph).cloned().unwrap_or_default();
                let all = walk.doing == "mark_rerun";
                for id in &ids {
                    let mark = below.get(id).copied();
                    let needs = mine(id).map_or_else(Vec::new, |task| submitted(task.get("inputs")));
                    let counts = |up: &String| below.get(up).is_some_and(|up| *up > 0 || mark == Some(2));
                    let hangs =
                        |(up, edge): &(String, Edge)| counts(up) && (all || matches!(edge.kind, "success" | "result"));
                    if mark != Some(1) && (walk.task.as_ref() == Some(id) || needs.iter().any(hangs)) {
                        below.insert(id.clone(), 1);
                        marks.push((id.clone(), 1));
                    }
                }
                // Edges that were added later may lead to a task that comes before.
                (walk.at, changed, refused) = (0, 0, 0);
                if marks.is_empty() {
                    walk.doing = if all { "rerun" } else { "cancel" };
                }
                walk.counts = Some((0, 0));
            }
            "rerun" => {
                let mut begun = BTreeSet::new();
                while walk.at < ids.len() && deeds.len() < limit {
                    let id = &ids[walk.at];
                    walk.at += 1;
                    let Some(mark) = self.marked(graph, id).filter(|mark| *mark > 0) else { continue };
                    let Some(task) = mine(id) else {
                        marks.push((id.clone(), 0));
                        begun.insert(id.clone());
                        left.push(id.clone());
                        continue;
                    };
                    let waits = matches!(task.status.as_str(), "pending" | "scheduled" | "held") && mark == 1;
                    if task.held() || waits {
                        refused += 1;
                        if !task.held() {
                            stopped.push(id.clone());
                        }
                        if !(task.held() && task.has("discard")) {
                            deeds.extend(self.plan_cancel(id, "cancel", "to run again", None, 0));
                        }
                        continue;
                    }
                    marks.push((id.clone(), 0));
                    begun.insert(id.clone());
                    if task.status == "waiting" {
                        deeds.push(Deed::Rerun(id.clone(), self.look_rerun(id, graph, &begun)));
                    } else if task.finished() {
                        match self.may_retry(id, Some(graph), &begun, None) {
                            Ok(wait) => deeds.push(Deed::Retry { id: id.clone(), wait, rerun: true }),
                            Err(_) => {
                                refused += 1;
                                left.push(id.clone()); // the end is delivered to its dependents
                            }
                        }
                    }
                }
                Self::pass(&mut walk, ids.len(), &mut changed, &mut refused, deeds.len(), |refused, _| refused > 0);
            }
            _ => {
                let mut begun = BTreeSet::new();
                while walk.at < ids.len() && deeds.len() < limit {
                    let id = &ids[walk.at];
                    walk.at += 1;
                    let Some(task) = mine(id).filter(|task| self.may_run_again(walk.doing, task, &begun)) else {
                        begun.remove(id);
                        continue;
                    };
                    let deed = if task.held() {
                        let spared = task.order != Some("kill") && !task.told_of_deadline();
                        spared.then(|| Deed::Spare(id.clone()))
                    } else {
                        let wait = self.may_retry(id, None, &begun, None);
                        wait.ok().map(|wait| Deed::Retry { id: id.clone(), wait, rerun: false })
                    };
                    match deed {
                        Some(deed) => {
                            begun.insert(id.clone());
                            deeds.push(deed);
                        }
                        None => refused += 1,
                    }
                }
                let again = |refused, changed| refused > 0 && changed > 0;
                Self::pass(&mut walk, ids.len(), &mut changed, &mut refused, deeds.len(), again);
            }
        }
        self.begin_step();
        let all = self.web.chosen.entry(graph.into()).or_default();
        all.extend(marks);
        self.web.deferred.extend(left.into_iter().map(|id| (id, self.now)));
        let number = deeds.len();
        self.run(deeds);
        // A task of this step may wait for what the walk stops first, and another walk may begin.
        stopped.retain(|id| !self.web.untold(id, "cancelled").is_empty());
        self.web.deferred.extend(stopped.into_iter().map(|id| (id, self.now)));
        let pause = walk.doing == "rerun" && walk.at == 0 && walk.counts.is_none();
        let found: &mut Graph = self.web.graphs.get_mut(graph).unwrap();
        if walk.doing.is_empty() {
            found.walk = None;
            self.web.chosen.remove(graph);
        } else {
            walk.counts = Some((changed, refused));
            found.walk = Some(walk);
            self.web.due.insert(graph.into(), self.now + if pause { PAUSE } else { 0 });
        }
        self.end_step();
        (number, pause)
    }

    /// After the last task, the walk ends or begins again. `counts` is `None` if nothing has changed.
    fn pass(
        walk: &mut Walk,
        total: usize,
        changed: &mut usize,
        refused: &mut usize,
        number: usize,
        again: impl Fn(usize, usize) -> bool,
    ) {
        *changed += number;
        walk.counts = Some((0, 0));
        if walk.at >= total {
            if !again(*refused, *changed) {
                walk.doing = "";
            } else if *changed == 0 {
                walk.counts = None;
            }
            (walk.at, *changed, *refused) = (0, 0, 0);
        }
    }

    fn may_run_again(&self, doing: &str, task: &Task, begun: &BTreeSet<String>) -> bool {
        let ended = matches!(task.status.as_str(), "failed" | "cancelled");
        if !(ended || task.held() && task.has("cancel")) {
            return false;
        }
        let cause = task.get("cause");
        let status = self.tasks.get(cause).map(|cause| cause.status.as_str());
        doing == "retry"
            || status.is_some_and(|status| status != "failed" && status != "cancelled")
            || begun.contains(cause)
    }

    /// Upstreams of a task that is rerun. `begun`: the tasks that the same step has reached.
    pub fn look_rerun(&self, id: &str, graph: &str, begun: &BTreeSet<String>) -> Rerun {
        let task = &self.tasks[id];
        let in_set = task.flagged('k');
        let over = |up: &String| self.tasks.get(up).is_none_or(Task::finished);
        // No upstream of a root is rerun.
        let first = self.marked(graph, id) == Some(2);
        let marked = |up: &str| if first && !in_set { None } else { self.marked(graph, up) };
        let waits: Vec<&String> = self.web.upstreams.get(id).into_iter().flat_map(|edges| edges.keys()).collect();
        let mut order = submitted(task.get("inputs"));
        let (mut open, mut others) = (Vec::new(), Vec::new());
        let mut least = asked(task.get("inputs"));
        for (up, edge) in order.iter_mut().filter(|(_, edge)| in_set && edge.kind == "some") {
            if marked(up).is_some() {
                edge.mark = Some(0);
            } else if waits.iter().any(|other| *other == up) {
                open.push((up.clone(), edge.clone()));
            } else if self.tasks.get(up).is_some_and(|other| other.status != "complete") {
                others.push((up.clone(), edge.clone()));
            } else {
                least -= 1;
            }
        }
        if !open.is_empty() {
            least = least.max(self.web.least(id));
        }
        if least > 0 {
            open.append(&mut others);
        }
        let there = open.len() + order.iter().filter(|(_, edge)| edge.mark.is_some()).count();
        least = least.min(there.try_into().unwrap());
        let mut ended: Vec<String> = open.iter().map(|(up, _)| up.clone()).filter(over).collect();
        let counts = !open.is_empty() || order.iter().any(|(_, edge)| edge.mark.is_some());
        let rerun = order.into_iter().filter(|(up, _)| marked(up).is_some());
        open.extend(rerun);
        let left = |up: &String| marked(up).is_some() && over(up) && !begun.contains(up);
        ended.extend(open.iter().map(|(up, _)| up.clone()).filter(left));
        let rest = waits.iter().copied().filter(|up| marked(up).is_none() && over(up));
        ended.extend(rest.cloned());
        let left = |up: &&String| marked(up).is_none() && !over(up) && task.finished();
        let mut still: Vec<String> = waits.iter().copied().filter(left).cloned().collect();
        // An upstream that had ended before, or another task that has its id now, does not list this task as a
        // dependent.
        let told = |up: &String| ended.contains(up);
        let stranger = |up: &&String| self.tasks.get(*up).is_some_and(|task| !task.flagged('d')) && !told(up);
        still.extend(open.iter().map(|(up, _)| up).filter(stranger).cloned());
        Rerun { open, ended, still, waits: !waits.is_empty(), least: (in_set && counts).then_some(least) }
    }

    pub fn wait_rerun(&mut self, id: &str, rerun: Rerun) {
        let now = self.now;
        let forget: BTreeSet<usize> = rerun.open.iter().flat_map(|(_, edge)| edge.slots.iter().copied()).collect();
        let waits = !rerun.open.is_empty();
        for (up, edge) in rerun.open {
            self.web.begin_to_wait(&up, id, now);
            self.web.upstreams.entry(id.into()).or_default().insert(up, edge);
        }
        for up in rerun.still {
            self.web.begin_to_wait(&up, id, now);
            self.flag(&up);
        }
        for up in rerun.ended {
            self.web.begin_to_wait(&up, id, now);
            self.web.deferred.insert(up, now);
        }
        if let Some(inputs) = self.web.inputs.get_mut(id).filter(|inputs| inputs.slots > 0) {
            for slot in forget {
                inputs.bytes -= inputs.filled.remove(&slot).map_or(0, |text| text.len());
            }
        } else if waits && self.tasks[id].has("slots") {
            self.split(id, &forget);
        }
        if let Some(least) = rerun.least {
            self.web.keep_least(id, least);
        }
    }

    /// Splits the list that a task was given.
    fn split(&mut self, id: &str, forget: &BTreeSet<usize>) {
        let task = self.task(id);
        let joined = task.get("parameters").to_owned();
        let lengths: Vec<usize> = task.get("slots").split(',').map(|length| length.parse().unwrap()).collect();
        task.set("parameters", "");
        task.forget(&["slots"]);
        let mut at = 1;
        let mut filled = BTreeMap::new();
        for (slot, length) in lengths.iter().enumerate() {
            if !forget.contains(&slot) {
                filled.insert(slot, joined[at..at + length].to_owned());
            }
            at += length + 1;
        }
        let inputs = self.web.inputs.entry(id.into()).or_default();
        (inputs.slots, inputs.bytes) = (lengths.len(), filled.values().map(String::len).sum());
        inputs.filled = filled;
    }
}
