//! Tasks that wait for others, and graphs.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use crate::model::args::bound_text;
use crate::model::arguments::{KEYS, micros, payload, queue};
use crate::model::deadlines::moment;
use crate::model::keys::{Kept, Keys, Reply};
use crate::model::ops::{Eta, Need, Op, Which};
use crate::model::ranking::rank;
use crate::model::sets::{Set, Turn, asked, named};
use crate::model::state::{Model, SECOND, Task, Verdict, decimal, outcome, score};
use crate::model::submit::fields;
use crate::model::walks::{Ahead, Walk};

/// Number of dependents that a call which ends a task notifies itself.
const INLINE: usize = 100;

/// Begin of the error of a task whose set can no longer have enough complete tasks.
const SHORT: &str = "too few of its set can still be complete: ";

/// Time in µs after which a graph that is not complete is removed.
const STAGED: u64 = 600 * SECOND;

/// Edge from a task to an upstream.
#[derive(Clone, Debug)]
pub struct Edge {
    pub kind: &'static str,
    pub slots: Vec<usize>,
    /// Mark of an edge of a set. 0: the end of the upstream is awaited in any case. 1: the upstream has ended, but is
    /// not complete.
    pub mark: Option<u8>,
}

/// State of a dependent in the records of its upstream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    Waits(u64),
    /// The dependent ended with this upstream.
    Ended(u64),
    /// The dependent waits until this upstream is retried, or for others of a set.
    Held,
    /// The dependent belongs to a graph that is not released.
    Staged,
}

/// The known part of the input of a task.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub slots: usize,
    pub bytes: usize,
    pub filled: BTreeMap<usize, String>,
    /// Number of tasks of a set that must still be complete.
    pub least: Option<i64>,
}

#[derive(Clone, Default)]
pub struct Graph {
    pub created: bool,
    pub at: u64,
    pub total: usize,
    /// Tasks that are not deleted.
    left: usize,
    pub staged: usize,
    name: bool,
    released: usize,
    ended: BTreeMap<String, i64>,
    pub members: Vec<String>,
    /// Effect of the failure of a task, if the submit named it.
    on_failure: Option<&'static str>,
    deadline: Option<u64>,
    digest: Option<u8>,
    bound: Option<(u8, u8, u32)>,
    pub walk: Option<Walk>,
}

/// Everything that tasks wait for.
#[derive(Clone, Default)]
pub struct Web {
    /// In the order in which the edges came, which is the order of a small hash.
    pub upstreams: BTreeMap<String, IndexMap<String, Edge>>,
    pub dependents: BTreeMap<String, BTreeMap<String, Seen>>,
    pub inputs: BTreeMap<String, Inputs>,
    /// Tasks that have ended, and whose dependents are not notified.
    pub deferred: BTreeMap<String, u64>,
    /// Tasks of graphs that are not released.
    pub staged: BTreeMap<String, Task>,
    pub graphs: BTreeMap<String, Graph>,
    /// Graphs to release, or to remove.
    pub due: BTreeMap<String, u64>,
    outside: BTreeMap<String, Vec<(String, String)>>,
    /// Number of graphs created so far.
    pub made: u32,
    /// True if ends are left to `run_deferred`.
    pub later: bool,
    /// For the present transition: what the transition leaves to `run_deferred`, if its step has planned that; and
    /// whether the task ends because of an upstream that has ended.
    pub ahead: Option<Ahead>,
    broken: bool,
    /// For the present call: the last task that began to wait, and the number of tasks before it.
    waiter: Option<(String, u64)>,
    /// The tasks that the walk of a graph concerns, each with a mark: 0 after the walk has reached the task.
    pub chosen: BTreeMap<String, BTreeMap<String, u8>>,
    /// Deadlines of tasks that have not ended. A task is left out once its owner was ordered to stop.
    pub deadlines: BTreeMap<String, u64>,
}

/// Checked needs of a task.
pub struct Wanted {
    pub upstreams: Vec<(&'static str, Edge)>,
    pub values: Vec<(usize, &'static str)>,
    slots: usize,
    /// Upstreams of a set, and the number of them that must be complete.
    pub some: usize,
    pub least: Option<i64>,
}

/// The present state of the upstreams of a new task.
pub struct Look {
    pub edges: Vec<(&'static str, Edge)>,
    inputs: Inputs,
    pub parameters: Option<String>,
}

/// Upstreams of a retried task.
pub struct Again {
    met: Vec<String>,
    open: Vec<String>,
    inputs: Inputs,
    came: BTreeMap<usize, String>,
    /// Upstreams of a set, each with true if it has ended, but is not complete.
    some: Vec<(String, bool)>,
}

impl Again {
    pub fn begins(&self) -> &'static str {
        let set = self.inputs.least.is_some_and(|least| least > 0);
        if self.open.is_empty() && !set { "pending" } else { "waiting" }
    }
}

impl Graph {
    /// Returns true if the retry of a task may concern other tasks that have ended.
    pub fn has_others_to_repair(&self) -> bool {
        let ended: i64 = ["failed", "cancelled", "skipped"].iter().filter_map(|status| self.ended.get(*status)).sum();
        ended > 1 && self.walk.as_ref().is_none_or(|walk| walk.doing == "repair")
    }
}

pub fn met(kind: &str, status: &str) -> bool {
    matches!(kind, "after" | "optional") || status != "skipped" && (kind == "failure") != (status == "complete")
}

pub fn element(result: &str) -> String {
    if result.is_empty() { "null".into() } else { result.into() }
}

/// Returns true if a later call cannot have these two kinds for an upstream.
fn differ(kind: &str, other: &str) -> bool {
    kind != other && [kind, other].iter().any(|kind| matches!(*kind, "some" | "optional"))
}

/// Returns true if a result can be an element of a list. Covers the results that the cases have.
pub fn is_json(text: &str) -> bool {
    text.is_empty() || serde_json::from_str::<serde_json::Value>(text).is_ok()
}

impl Inputs {
    fn join(&self) -> String {
        format!("[{}]", self.elements().join(","))
    }

    fn elements(&self) -> Vec<&str> {
        (0..self.slots).map(|slot| self.filled.get(&slot).map_or("null", String::as_str)).collect()
    }

    /// Fields of the record for a whole input: the list, and the length of each element.
    fn fields(&self) -> [(&'static str, String); 2] {
        let lengths: Vec<String> = self.elements().iter().map(|element| element.len().to_string()).collect();
        [("parameters", self.join()), ("slots", lengths.join(","))]
    }
}

impl Wanted {
    /// `partial`: other calls may bring other slots.
    pub fn of(needs: &[Need], partial: bool) -> Verdict<Self> {
        let mut wanted = Self { upstreams: Vec::new(), values: Vec::new(), slots: 0, some: 0, least: None };
        let mut taken = BTreeSet::new();
        for need in needs {
            let (kind, up, slot) = match need {
                Need::Edge(kind, up) => (*kind, up.id(), None),
                Need::Result(up, slot) => ("result", up.id(), Some(usize::from(*slot))),
                Need::Optional(up, slot) => ("optional", up.id(), Some(usize::from(*slot))),
                Need::Some(up, slot) => ("some", up.id(), Some(usize::from(*slot))),
                Need::Least(least) => {
                    wanted.least = Some(i64::from(*least));
                    continue;
                }
                Need::Value(text, slot) => {
                    taken.insert(usize::from(*slot));
                    wanted.values.push((usize::from(*slot), text));
                    continue;
                }
            };
            taken.extend(slot);
            match wanted.upstreams.iter_mut().find(|(other, _)| *other == up) {
                Some((_, edge)) if slot.is_some() && edge.kind == kind && !edge.slots.is_empty() => {
                    edge.slots.extend(slot)
                }
                Some(_) => return Err("BADARG"),
                None => {
                    wanted.some += usize::from(kind == "some");
                    wanted.upstreams.push((up, Edge { kind, slots: slot.into_iter().collect(), mark: None }));
                }
            }
        }
        wanted.slots = taken.last().map_or(0, |last| last + 1);
        let gap = !partial && taken.len() < wanted.slots;
        let nothing = wanted.upstreams.is_empty() && !(partial && wanted.least.is_some());
        let few = !partial && wanted.least.is_some_and(|least| least > i64::try_from(wanted.some).unwrap());
        if nothing || gap || few { Err("BADARG") } else { Ok(wanted) }
    }
}

/// The needs as an argument, or with `kept` the needs that the record keeps.
pub fn text(needs: &[Need], kept: bool) -> String {
    let entry = |need: &Need| match need {
        Need::Edge(kind, up) => Some(format!("{kind}={}", up.id())),
        Need::Result(up, slot) => Some(format!("result/{slot}={}", up.id())),
        Need::Optional(up, slot) => Some(format!("optional/{slot}={}", up.id())),
        Need::Some(up, slot) => Some(format!("some/{slot}={}", up.id())),
        Need::Least(least) => Some(format!("least/{least}")),
        Need::Value(text, slot) => (!kept).then(|| format!("value/{slot}={}", text.len())),
    };
    needs.iter().filter_map(entry).collect::<Vec<_>>().join(" ")
}

/// The parameters of a task: its values, or a whole payload if it takes neither values nor results.
pub fn parameters(needs: &[Need], whole: u8) -> String {
    let values = needs.iter().filter_map(|need| if let Need::Value(text, _) = need { Some(*text) } else { None });
    let takes = needs.iter().any(Need::takes);
    if takes { values.collect() } else { payload(whole).to_owned() }
}

impl Web {
    pub fn edge(&self, id: &str, up: &str) -> Option<Edge> {
        self.upstreams.get(id)?.get(up).cloned()
    }

    pub fn edges(&self, id: &str) -> impl Iterator<Item = &Edge> {
        self.upstreams.get(id).into_iter().flat_map(IndexMap::values)
    }

    pub fn least(&self, id: &str) -> i64 {
        self.inputs.get(id).and_then(|inputs| inputs.least).unwrap_or_default()
    }

    pub fn keep_least(&mut self, id: &str, least: i64) {
        self.inputs.entry(id.into()).or_default().least = Some(least);
    }

    /// Elements that nothing will fill.
    pub fn fill(&mut self, id: &str, slots: &[usize]) {
        if let Some(inputs) = self.inputs.get_mut(id) {
            inputs.bytes += "null".len() * slots.len();
            inputs.filled.extend(slots.iter().map(|slot| (*slot, "null".to_owned())));
        }
    }

    pub fn see(&mut self, up: &str, id: &str, seen: Seen) {
        self.dependents.entry(up.into()).or_default().insert(id.into(), seen);
    }

    pub fn begin_call(&mut self) {
        self.waiter = None;
    }

    /// Lets a task begin to wait for another task. The tasks of one call do so a microsecond apart, in order.
    pub fn begin_to_wait(&mut self, up: &str, id: &str, now: u64) {
        let earlier = match self.waiter.take() {
            None => 0,
            Some((last, earlier)) => earlier + u64::from(last != id),
        };
        self.waiter = Some((id.to_owned(), earlier));
        self.see(up, id, Seen::Waits(now + earlier));
    }

    /// Tasks that wait for an upstream, in the order in which they began to wait.
    pub fn open(&self, up: &str) -> Vec<String> {
        let waits = |(id, seen): (&String, &Seen)| match seen {
            Seen::Waits(at) => Some((*at, id.clone())),
            Seen::Held => Some((u64::MAX, id.clone())),
            _ => None,
        };
        let mut open: Vec<_> = self.dependents.get(up).into_iter().flatten().filter_map(waits).collect();
        open.sort();
        open.into_iter().map(|(_, id)| id).collect()
    }

    /// Dependents that were not notified yet that a task has ended with this state.
    pub fn untold(&self, up: &str, to: &str) -> Vec<String> {
        let mut open = self.open(up);
        if to == "failed" || to == "cancelled" {
            open.retain(|id| self.dependents[up][id] != Seen::Held);
        }
        open
    }

    /// Returns true if a dependent was not notified yet that a task has ended.
    pub fn needed(&self, up: &str) -> bool {
        self.dependents.get(up).is_some_and(|all| all.values().any(|seen| !matches!(seen, Seen::Ended(_))))
    }

    pub fn cut(&mut self, id: &str, up: &str) {
        self.dependents.get_mut(up).map(|all| all.remove(id));
        self.upstreams.get_mut(id).map(|all| all.shift_remove(up));
    }

    /// The record of a task that has not begun, once its graph is created.
    pub fn told(&self, id: &str) -> Option<BTreeMap<String, String>> {
        let task = self.staged.get(id).filter(|task| self.graphs[task.get("graph")].created)?;
        let mut record = task.record();
        record.insert("status".into(), "waiting".into());
        Some(record)
    }

    pub fn waits(&self, id: &str) -> usize {
        self.upstreams.get(id).map_or(0, IndexMap::len)
    }

    /// The unreleased tasks of a graph that is not created, or is not complete.
    pub fn staged_of(&self, graph: &str) -> Vec<&Task> {
        self.staged.values().filter(|task| task.get("graph") == graph).collect()
    }
}

impl Model {
    /// Returns true if an id belongs to a task, or to a staged task.
    pub fn used(&self, id: &str) -> bool {
        self.tasks.contains_key(id) || self.web.staged.contains_key(id)
    }

    /// Returns true if a task is complete and a dependent still needs its result.
    pub fn keeps_result(&self, id: &str) -> bool {
        let task = &self.tasks[id];
        task.status == "complete" && task.flagged('d') && self.web.needed(id)
    }

    /// Returns true if a task of a created graph has not begun yet.
    pub fn is_staged(&self, id: &str) -> bool {
        self.web.staged.get(id).is_some_and(|task| self.web.graphs[task.get("graph")].created)
    }

    /// The effect of a task's failure on the tasks of its graph that need it.
    pub fn on_failure(&self, id: &str) -> Option<&'static str> {
        let graph = self.web.graphs.get(self.tasks.get(id)?.get("graph"))?;
        Some(graph.on_failure.unwrap_or("cancel"))
    }

    /// Notes in a task that others wait for it.
    pub fn flag(&mut self, id: &str) {
        let task = self.tasks.get_mut(id).or_else(|| self.web.staged.get_mut(id));
        if let Some(task) = task.filter(|task| !task.flagged('d')) {
            let flags = format!("{}d", task.get("flags"));
            task.set("flags", flags);
        }
    }

    /// Looks at the upstreams of a new task. They may include staged tasks of `graph`, and the `earlier` tasks of the
    /// call.
    pub fn look_up(&self, id: &str, wanted: &Wanted, graph: Option<(&str, &[&str])>) -> Verdict<Look> {
        let mut look =
            Look { edges: Vec::new(), inputs: Inputs { slots: wanted.slots, ..Inputs::default() }, parameters: None };
        for (slot, value) in &wanted.values {
            if value.is_empty() || !is_json(value) {
                return Err("BADARG");
            }
            look.inputs.bytes += value.len();
            look.inputs.filled.insert(*slot, (*value).to_owned());
        }
        let continues = graph.filter(|_| self.web.staged.contains_key(id));
        let before = continues.map_or("", |_| self.web.staged[id].get("inputs"));
        let mut least = wanted.has_set().then(|| {
            let known = continues.filter(|_| self.web.staged[id].flagged('k')).map(|_| self.web.least(id));
            wanted.least_after(before, known)
        });
        for (up, edge) in &wanted.upstreams {
            if *up == id {
                return Err("BADARG");
            }
            let staged = graph.is_some_and(|(graph, earlier)| {
                earlier.contains(up) || self.web.staged.get(*up).is_some_and(|task| task.get("graph") == graph)
            });
            let status = match self.tasks.get(*up) {
                _ if staged => "staged",
                None => return Err("NOTASK"),
                Some(task) => task.outcome(),
            };
            let known = continues.and_then(|_| self.web.edge(id, up));
            let of_set = edge.kind == "some";
            if known.as_ref().is_some_and(|known| differ(known.kind, edge.kind)) {
                return Err("BADARG");
            }
            let was_named = of_set && named(before).contains(up);
            let live = !matches!(status, "complete" | "failed" | "cancelled" | "skipped");
            if was_named && (known.is_some() && !live || known.is_none() && status != "complete") {
                continue; // it counts already, or its end is not delivered yet
            } else if live {
                let mut edge = edge.clone();
                if known.is_none() && self.web.needed(id) {
                    return Err("BADARG"); // it might wait for those
                }
                for slot in known.into_iter().flat_map(|known| known.slots) {
                    if !edge.slots.contains(&slot) {
                        edge.slots.push(slot);
                    }
                }
                look.edges.push((up, edge));
                continue;
            } else if of_set && status != "complete" {
                look.edges.push((up, Edge { mark: Some(1), ..edge.clone() }));
                continue;
            } else if of_set && !was_named {
                least = least.map(|least| least - 1);
            }
            if !met(edge.kind, status) {
                return Err("UPSTREAM");
            } else if !edge.slots.is_empty() {
                let result = self.tasks[*up].get("result");
                let has = |slot: &usize| known.as_ref().is_some_and(|known| known.slots.contains(slot));
                let further: Vec<&usize> = edge.slots.iter().filter(|slot| !has(slot)).collect();
                if !further.is_empty() && !is_json(result) {
                    return Err("UPSTREAM");
                }
                for slot in further {
                    look.inputs.filled.insert(*slot, element(result));
                    look.inputs.bytes += element(result).len();
                }
            }
        }
        if let Some(known) = continues.and_then(|_| self.web.inputs.get(id)) {
            look.inputs.slots = look.inputs.slots.max(known.slots);
            let before = look.inputs.filled.keys().filter_map(|slot| known.filled.get(slot)).map(String::len);
            look.inputs.bytes += known.bytes;
            look.inputs.bytes -= before.sum::<usize>();
        }
        look.inputs.least = least;
        if let Some(least) = least {
            let mut edges = continues.and_then(|_| self.web.upstreams.get(id)).cloned().unwrap_or_default();
            edges.extend(look.edges.iter().map(|(up, edge)| ((*up).to_owned(), edge.clone())));
            let set = Set::of(least, edges.values());
            if wanted.least.is_some() || graph.is_none() {
                set.require()?;
            }
            if graph.is_none() && set.is_enough(look.edges.len()) {
                (look.edges, look.inputs.least) = (Vec::new(), None);
            }
        }
        if wanted.slots > 0 {
            let open = graph.is_some() || !look.edges.is_empty();
            look.parameters = Some(if open { String::new() } else { look.inputs.join() });
        }
        Ok(look)
    }

    /// Lets a new task wait.
    pub fn wait(&mut self, id: &str, look: Look, graph: Option<&str>) {
        for (up, edge) in look.edges {
            let outside = graph.filter(|_| !self.web.staged.contains_key(up));
            match edge.mark {
                _ if outside.is_some() => self.web.see(up, id, Seen::Staged),
                None => self.web.begin_to_wait(up, id, self.now),
                Some(_) => self.web.see(up, id, Seen::Held),
            }
            let known = self.web.upstreams.entry(id.into()).or_default().insert(up.into(), edge).is_some();
            if let Some(graph) = outside.filter(|_| !known) {
                self.web.outside.entry(graph.into()).or_default().push((up.into(), id.into()));
            }
            self.flag(up);
        }
        if look.inputs.slots > 0 {
            let inputs = self.web.inputs.entry(id.into()).or_default();
            (inputs.slots, inputs.bytes) = (look.inputs.slots, look.inputs.bytes);
            inputs.filled.extend(look.inputs.filled);
        }
        if let Some(least) = look.inputs.least {
            self.web.keep_least(id, least);
        }
    }

    /// Applies the effects of a transition on the graph of a task, and on its dependents. `flags`: the claims of the
    /// task.
    pub fn pass_on(&mut self, id: &str, graph: &str, flags: &str, from: &str, to: &str) {
        let (planned, broken) = (self.web.ahead.take(), std::mem::take(&mut self.web.broken));
        let is_final = |status: &str| matches!(status, "complete" | "failed" | "cancelled");
        let counted = |status: &str| is_final(status) || status == "deleted";
        if let Some(found) = self.web.graphs.get_mut(graph).filter(|_| counted(from) || counted(to)) {
            if is_final(to) {
                *found.ended.entry(outcome(to, flags).into()).or_default() += 1;
            }
            if is_final(from) {
                *found.ended.entry(outcome(from, flags).into()).or_default() -= 1;
            }
            found.left -= usize::from(to == "deleted");
            if found.left == 0 {
                self.forget_graph(graph);
            }
        }
        if flags.contains('a') && !from.is_empty() && counted(to) {
            if to == "deleted" {
                self.next_round.remove(id);
            } else if !is_final(from) {
                self.web.deferred.insert(id.to_owned(), self.now);
            }
        }
        if to == "deleted" && flags.contains(['w', 'd']) {
            self.web.upstreams.remove(id);
            self.web.inputs.remove(id);
            if !self.web.needed(id) {
                self.web.dependents.remove(id);
            } else if (is_final(from) || flags.contains('d')) && !self.web.open(id).is_empty() {
                self.web.deferred.insert(id.to_owned(), self.now);
            }
        }
        let cascades = planned.map_or_else(
            || {
                let breaks = from == "waiting" && (to == "failed" || to == "cancelled");
                breaks && self.on_failure(id) == Some("cancel") && self.web.waits(id) > usize::from(broken)
            },
            |planned| planned.cascades,
        );
        if cascades {
            self.task(id).set("cascade", 0);
            self.web.deferred.insert(id.to_owned(), self.now);
        }
        if !flags.contains('d') || from.is_empty() || is_final(from) || !counted(to) {
            return;
        }
        let open = self.web.open(id);
        let rerun = to != "complete" && self.reruns_in(graph, id);
        let left =
            planned.map_or(!open.is_empty() && (self.web.later || open.len() > INLINE || rerun), |it| it.deferred);
        if left {
            self.web.deferred.insert(id.to_owned(), self.now);
        } else if planned.is_none() {
            self.tell(id, to, &open, false);
        }
    }

    /// Removes a graph whose last task is gone.
    fn forget_graph(&mut self, graph: &str) {
        self.web.chosen.remove(graph);
        let Some(found) = self.web.graphs.remove(graph) else { return };
        if let Some((name, key, _)) = found.bound {
            self.queue(queue(name)).lanes.limits.remove(KEYS[usize::from(key)]);
        }
    }

    /// The first cause of the end of a task, and the error of the tasks that end with it.
    pub fn fate(&self, up: &str) -> (String, String) {
        let task = self.tasks.get(up);
        let own = |name: &str| task.map_or("", |task| task.get(name));
        let status = task.map_or("deleted", |task| task.status.as_str());
        let how = if status == "failed" { format!("{up} failed") } else { format!("{up} was {status}") };
        let error = match (own("cause"), own("error")) {
            (_, "") => how,
            ("", error) => format!("{how}: {error}"),
            (_, error) => error.to_owned(),
        };
        (if own("cause").is_empty() { up.into() } else { own("cause").into() }, error)
    }

    /// Notifies dependents of the end of a task. Dependents that are not released yet are left to the release of their
    /// graph. `settled`: the call is a `run_deferred`.
    fn tell(&mut self, up: &str, to: &str, ids: &[String], settled: bool) {
        let now = self.now;
        let to = self.tasks.get(up).map_or(to.to_owned(), |task| outcome(to, task.get("flags")).to_owned());
        let (to, skipped) = (to.as_str(), to == "skipped");
        let unneeded = format!("not needed: {up} {}", if skipped { "was skipped" } else { "is complete" });
        let result = self.tasks.get(up).map(|task| task.get("result").to_owned()).unwrap_or_default();
        let (cause, error) = self.fate(up);
        let later = std::mem::replace(&mut self.web.later, true);
        let live = self.unfinished();
        for id in ids {
            let edge = self.web.edge(id, up);
            if let (Some(_), Some(task)) = (&edge, self.web.staged.get(id)) {
                let graph = task.get("graph").to_owned();
                if settled {
                    self.web.see(up, id, Seen::Staged);
                    self.web.outside.entry(graph).or_default().push((up.into(), id.clone()));
                } else {
                    self.web.deferred.insert(up.into(), now);
                }
                continue;
            }
            let holds = self.on_failure(id) == Some("hold");
            let (edge, task) = match (edge, self.tasks.get_mut(id)) {
                (Some(edge), Some(task)) if task.status == "waiting" => (edge, task),
                (Some(_), Some(task)) if task.finished() => {
                    self.web.see(up, id, Seen::Ended(now));
                    continue;
                }
                _ => {
                    self.web.cut(id, up);
                    continue;
                }
            };
            let (takes, in_set) = (!edge.slots.is_empty(), task.flagged('k'));
            if edge.kind == "some" {
                match self.end_of_one(up, to, id, &edge, &live) {
                    Turn::Complete => {}
                    Turn::Waits => continue,
                    Turn::Ready => {
                        self.web.cut(id, up);
                        self.ready(id);
                        continue;
                    }
                    Turn::Short => {
                        let task = self.task(id);
                        task.set("cause", &cause);
                        if skipped {
                            task.add_flag('x');
                            task.set("reason", &unneeded);
                        } else {
                            task.set("group", "upstream");
                            task.set("error", format!("{SHORT}{error}"));
                        }
                        self.web.see(up, id, Seen::Ended(now));
                        self.web.broken = true;
                        self.shift(id, if skipped { "cancelled" } else { "failed" }, "upstream", "", false);
                        continue;
                    }
                }
            }
            let task = self.task(id);
            if !met(edge.kind, to) && holds && edge.kind != "failure" && (to == "failed" || to == "cancelled") {
                self.web.see(up, id, Seen::Held);
            } else if !met(edge.kind, to) {
                task.set("cause", &cause);
                let to = if edge.kind == "failure" || skipped {
                    task.add_flag('x');
                    task.set("reason", &unneeded);
                    "cancelled"
                } else {
                    task.set("group", "upstream");
                    task.set("error", &error);
                    "failed"
                };
                self.web.see(up, id, Seen::Ended(now));
                self.web.broken = true;
                self.shift(id, to, "upstream", "", false);
            } else if takes && !is_json(&result) {
                task.set("cause", up);
                task.set("group", "input");
                task.set("error", format!("the result of {up} is not JSON"));
                self.web.see(up, id, Seen::Ended(now));
                self.web.broken = true;
                self.shift(id, "failed", "input", "", false);
            } else {
                self.web.cut(id, up);
                if let Some(inputs) = self.web.inputs.get_mut(id).filter(|_| takes) {
                    let text = element(&result);
                    inputs.bytes += text.len() * edge.slots.len();
                    inputs.filled.extend(edge.slots.iter().map(|slot| (*slot, text.clone())));
                }
                let least = self.web.least(id) - i64::from(edge.kind == "some");
                if in_set {
                    self.web.keep_least(id, least);
                }
                if !self.is_open(id) {
                    self.ready(id);
                }
            }
        }
        self.web.later = later;
    }

    /// Makes a task ready whose last edge is met.
    pub fn ready(&mut self, id: &str) -> &'static str {
        let now = self.now;
        self.web.upstreams.remove(id);
        let input = self.web.inputs.remove(id).filter(|input| input.slots > 0);
        let task = self.task(id);
        task.fields.extend(input.iter().flat_map(Inputs::fields));
        let readied = decimal(now.max(task.updated));
        task.set("readied", readied);
        let to = if task.has("eta") && micros(task.get("eta")) > now { "scheduled" } else { "pending" };
        let front = to == "pending" && task.has("front");
        if to == "pending" && task.has("retry_eta") {
            task.forget(&["eta", "retry_eta"]);
        }
        let (name, key, turn) = (task.queue.clone(), task.get("key").to_owned(), task.get("ended").to_owned());
        if front && !key.is_empty() && !turn.is_empty() {
            self.queue(&name).lanes.served.entry(key).or_insert(rank(turn.parse().unwrap()));
        }
        self.shift(id, to, "ready", "", front);
        self.queue(&name).wake |= to == "pending";
        to
    }

    /// Looks again at what a task waited for. `begun`: others that the same step lets run again.
    pub fn look_again(&self, id: &str, begun: &BTreeSet<String>) -> Verdict<Again> {
        let inputs = self.web.inputs.get(id).cloned().unwrap_or_default();
        let in_set = self.tasks[id].flagged('k');
        let mut again = Again { met: Vec::new(), open: Vec::new(), inputs, came: BTreeMap::new(), some: Vec::new() };
        again.inputs.least = in_set.then(|| self.web.least(id));
        let mut edges = self.web.upstreams.get(id).cloned().unwrap_or_default();
        for (up, edge) in self.web.upstreams.get(id).into_iter().flatten() {
            let task = self.tasks.get(up);
            let comes = begun.contains(up) || self.is_staged(up);
            let over = !(task.is_some_and(|task| !task.finished()) || comes);
            let complete = over && task.is_some_and(|task| task.status == "complete");
            let gone = over && task.is_none() && edge.kind == "some";
            if edge.kind == "some" && !complete && !gone {
                edges.get_mut(up).unwrap().mark = over.then_some(1);
                again.some.push((up.clone(), over));
                continue;
            } else if !over {
                again.open.push(up.clone());
                continue;
            } else if edge.kind == "some" && !gone {
                again.inputs.least = again.inputs.least.map(|least| least - 1);
            }
            edges.shift_remove(up);
            let result = task.map_or("", |task| task.get("result"));
            if !gone && !met(edge.kind, task.map_or("deleted", |task| task.outcome()))
                || !edge.slots.is_empty() && !is_json(result)
            {
                return Err("UPSTREAM");
            }
            again.met.push(up.clone());
            for slot in &edge.slots {
                again.inputs.bytes += element(result).len();
                again.came.insert(*slot, element(result));
            }
        }
        again.inputs.filled.extend(again.came.clone());
        let set = again.inputs.least.map(|least| Set::of(least, edges.values()));
        if set.is_some_and(|set| set.least > set.chances()) { Err("UPSTREAM") } else { Ok(again) }
    }

    /// Lets a task wait or run again.
    pub fn wait_again(&mut self, id: &str, again: Again) {
        for up in &again.met {
            self.web.cut(id, up);
        }
        for up in &again.open {
            self.web.begin_to_wait(up, id, self.now);
            self.flag(up);
        }
        let waits = again.begins() == "waiting";
        for (up, over) in again.some.iter().filter(|_| waits) {
            let edges = self.web.upstreams.get_mut(id).unwrap();
            edges.get_mut(up).unwrap().mark = over.then_some(1);
            if *over {
                self.web.see(up, id, Seen::Held);
            } else {
                self.web.begin_to_wait(up, id, self.now);
                self.flag(up);
            }
        }
        if !waits {
            if again.inputs.least.is_some() {
                self.web.upstreams.remove(id);
                self.web.inputs.remove(id);
            }
            if again.inputs.slots > 0 {
                self.web.inputs.remove(id);
                self.task(id).fields.extend(again.inputs.fields());
            }
        } else if !again.came.is_empty() || again.inputs.least.is_some() {
            self.web.inputs.insert(id.into(), again.inputs);
        }
    }

    pub fn graph(&mut self, op: &Op) -> Verdict<Reply> {
        match op {
            Op::Graph { request, .. } => {
                let field = format!("submit_graph g{request}");
                if let Some(answer) = self.answers.get(&field) {
                    return Ok(Reply::text(&answer[1..]));
                }
                let answer = self.stage(op)?;
                if answer != "existing" {
                    self.keep_answer(&field, &format!("\"{answer}"));
                }
                Ok(Reply::text(answer))
            }
            Op::Settle { limit } => Ok(self.go_on_with_graphs(*limit as usize)),
            Op::CancelGraph { graph, task, reason, force, .. } => {
                let walk = Walk { reason: Some(payload(*reason)), force: *force == Some(true), ..Walk::of("cancel") };
                self.ask_to_walk(graph, task.as_slice(), &walk)?;
                let (doing, task) = (if task.is_some() { "mark_cancel" } else { walk.doing }, task.as_ref());
                self.begin_walk(graph, Walk { doing, task: task.map(|task| task.id().into()), ..walk });
                self.note_change("cancel_graph", ["graph", graph], ["", "cancelling"], payload(*reason));
                Ok(Reply::text("cancelling"))
            }
            Op::RetryGraph { graph, tasks, .. } => {
                self.ask_to_walk(graph, tasks, &Walk::of("retry"))?;
                if tasks.is_empty() {
                    self.begin_walk(graph, Walk::of("retry"));
                } else {
                    self.begin_rerun(graph, tasks);
                }
                self.note_change("retry_graph", ["graph", graph], ["", "retrying"], "");
                Ok(Reply::text("retrying"))
            }
            Op::ShowGraph { graph, cursor, limit, .. } => Ok(self.show_graph(graph, *cursor as usize, *limit as usize)),
            other => panic!("not of a graph: {other:?}"),
        }
    }

    /// Checks that a walk through a graph may begin. With tasks, the walk covers them and everything downstream.
    fn ask_to_walk(&self, graph: &str, tasks: &[Which], walk: &Walk) -> Verdict<()> {
        if !self.web.graphs.get(graph).is_some_and(|graph| graph.created) {
            return Err("NOTASK");
        }
        let mut found = tasks.iter().map(Which::id).map(|id| self.tasks.get(id).or_else(|| self.web.staged.get(id)));
        if found.any(|found| found.is_none_or(|task| task.get("graph") != graph)) {
            return Err("NOTASK");
        }
        let deadline = self.web.graphs[graph].deadline;
        if walk.doing == "retry" && deadline.is_some_and(|deadline| deadline <= self.now) {
            return Err("OVERDUE");
        }
        Ok(())
    }

    fn stage(&mut self, op: &Op) -> Verdict<&'static str> {
        let Op::Graph { graph, total, parts, name, on_failure, deadline, digest, bound, .. } = op else {
            panic!("not a graph: {op:?}")
        };
        let (graph, total, common) = (graph.as_str(), *total as usize, moment(*deadline));
        let known = self.web.graphs.get(graph);
        let other = known.and_then(|known| known.digest);
        if other.is_some() && digest.is_some() && other != *digest {
            return Err("DUPLICATE");
        } else if known.is_some_and(|known| known.created) {
            return Ok("existing");
        }
        if known.is_some_and(|known| known.total != total) {
            return Err("BADARG");
        }
        let mut staged = known.map_or(0, |known| known.staged);
        let (mut planned, mut earlier) = (Vec::new(), Vec::new());
        for part in parts {
            let (id, name) = (part.task.id(), queue(part.queue));
            if self.setting(name, "closed").as_deref() == Some("1") {
                return Err("CLOSED");
            }
            let wanted = if part.needs.is_empty() { None } else { Some(Wanted::of(&part.needs, true)?) };
            if earlier.contains(&id) {
                return Err("BADARG");
            }
            let before = self.web.staged.get(id);
            let ours = before.is_none_or(|task| task.get("graph") == graph && task.queue == name);
            if self.tasks.contains_key(id) || !ours {
                return Err("OTHERQUEUE");
            }
            if before.is_none() && self.web.needed(id) {
                return Err("BADARG");
            }
            let end_by = [moment(part.deadline), common].into_iter().flatten().min();
            let fields = fields(&part.options, end_by, &part.needs)?;
            if before.is_none() {
                self.require_ahead(end_by)?;
            }
            let said =
                before.filter(|task| task.get("inputs").contains("least/")).map(|task| asked(task.get("inputs")));
            let least = wanted.as_ref().and_then(|wanted| wanted.least);
            if said.is_some_and(|said| least.is_some_and(|least| least != said)) {
                return Err("BADARG");
            }
            let in_set = wanted.as_ref().is_some_and(|wanted| wanted.some > 0);
            let look = wanted.map(|wanted| self.look_up(id, &wanted, Some((graph, &earlier)))).transpose()?;
            staged += usize::from(before.is_none());
            earlier.push(id);
            planned.push((part, fields, look, in_set));
        }
        if staged > total {
            return Err("BADARG");
        }
        let (now, done) = (self.now, staged == total);
        self.born = true;
        self.web.due.insert(graph.into(), if done { now } else { now + STAGED });
        self.web.made += u32::from(!self.web.graphs.contains_key(graph));
        let found = self.web.graphs.entry(graph.into()).or_default();
        (found.created, found.at, found.total, found.left, found.staged) = (done, now, total, total, staged);
        found.name |= *name;
        found.on_failure = on_failure.or(found.on_failure);
        found.deadline = common.or(found.deadline);
        found.digest = digest.or(found.digest);
        found.bound = bound.or(found.bound);
        if let Some((name, key, places)) = *bound {
            let limits = &mut self.queue(queue(name)).lanes.limits;
            limits.insert(KEYS[usize::from(key)].into(), (places.to_string(), "-".into()));
        }
        for (part, fields, look, in_set) in planned {
            let id = part.task.id();
            self.queue(queue(part.queue)).known = true;
            let more = text(&part.needs, true);
            if let Some(task) = self.web.staged.get_mut(id) {
                if !more.is_empty() {
                    let mut all: Vec<String> = task.get("inputs").split_whitespace().map(str::to_owned).collect();
                    let fresh: Vec<&str> =
                        more.split(' ').filter(|one| !all.iter().any(|other| other == one)).collect();
                    all.extend(fresh.into_iter().map(str::to_owned));
                    task.set("inputs", all.join(" "));
                    if !task.flagged('w') {
                        let flags = format!("{}w", task.get("flags"));
                        task.set("flags", flags);
                    }
                }
            } else {
                let mut task = Task { id: id.into(), queue: queue(part.queue).into(), ..Task::default() };
                (task.created, task.updated, task.fields) = (now, now, fields.into_iter().collect());
                let own = look.as_ref().and_then(|look| look.parameters.clone());
                task.set("parameters", own.unwrap_or_else(|| parameters(&part.needs, part.parameters)));
                let waits = if task.flagged('w') { "w" } else { "" };
                let flags = format!("{}{waits}g", task.get("flags").replace(['w', 'k'], ""));
                task.set("flags", flags);
                task.set("graph", graph);
                if part.label {
                    task.set("label", "l");
                }
                if let Some(Eta::At(eta)) = part.eta {
                    task.set("eta", decimal(eta));
                }
                self.web.staged.insert(id.into(), task);
                self.web.graphs.get_mut(graph).unwrap().members.push(id.into());
            }
            if in_set {
                self.web.staged.get_mut(id).unwrap().add_flag('k');
            }
            if let Some(look) = look {
                self.wait(id, look, Some(graph));
            }
        }
        Ok(if done { "created" } else { "staged" })
    }

    /// Returns true if `run_deferred` has work.
    pub fn is_deferred(&self) -> bool {
        let times = self.web.due.values().chain(self.web.deadlines.values());
        !self.web.deferred.is_empty() || times.into_iter().any(|at| *at <= self.now)
    }

    pub fn go_on_with_graphs(&mut self, limit: usize) -> Reply {
        let first = |times: &BTreeMap<String, u64>, till: u64| {
            let mut all: Vec<(u64, String)> = times.iter().map(|(id, at)| (*at, id.clone())).collect();
            all.retain(|(at, _)| *at <= till);
            all.sort();
            (all.first().map(|(_, id)| id.clone()), all.len() > 1)
        };
        let answer = |number: usize, more| Reply::List(vec![Reply::text(number), Reply::text(u8::from(more))]);
        if let Some(overdue) = self.end_overdue(limit) {
            return overdue;
        }
        let (due, others) = first(&self.web.due, self.now);
        // A graph whose submitter is gone is removed before all else, as that frees memory.
        let gone = |id: &String| !self.web.graphs.get(id).is_some_and(|graph| graph.created);
        let unfinished = self.web.due.iter().filter(|(id, at)| **at <= self.now && gone(id)).map(|(id, at)| (*at, id));
        if let Some(id) = unfinished.min().map(|(_, id)| id.clone()) {
            let waiting = !self.web.deferred.is_empty();
            let (number, more) = self.go_on_with_graph(&id, limit);
            return answer(number, more || others || waiting);
        }
        if let (Some(id), _) = first(&self.web.deferred, u64::MAX) {
            let (number, more) = self.go_on_with(&id, limit);
            return answer(number, more || due.is_some() || !self.web.deferred.is_empty());
        }
        let Some(id) = due else { return answer(0, false) };
        let (number, more) = self.go_on_with_graph(&id, limit);
        answer(number, more || others)
    }

    /// Does what the end of this task has left to `run_deferred`.
    fn go_on_with(&mut self, id: &str, limit: usize) -> (usize, bool) {
        let (status, graph, cascade) = match self.tasks.get(id) {
            Some(task) => (task.status.clone(), task.get("graph").to_owned(), task.has("cascade")),
            None if self.is_staged(id) => ("staged".into(), String::new(), false),
            None => ("deleted".into(), String::new(), false),
        };
        let over = matches!(status.as_str(), "complete" | "failed" | "cancelled" | "deleted");
        assert!(over || !cascade, "only a retry of a task with very many upstreams leaves that");
        let mut ids = if over { self.web.untold(id, &status) } else { Vec::new() };
        let more = ids.len() > limit;
        ids.truncate(limit);
        let further = self.tasks.get(id).is_some_and(|task| task.flagged('a') && task.finished());
        if further && ids.is_empty() && !cascade {
            self.begin_further(id);
            return (1, false);
        }
        if !ids.is_empty() && self.reruns_in(&graph, id) {
            return self.go_on_with_graph(&graph, limit);
        } else if !ids.is_empty() || !cascade {
            if !more && !cascade && !further {
                self.web.deferred.remove(id);
            }
            let waited_for = !self.web.open(id).is_empty();
            self.tell(id, &status, &ids, true);
            if status != "deleted" && waited_for {
                self.flag(id);
            }
            let awaited = |all: &BTreeMap<String, Seen>| all.values().any(|seen| *seen == Seen::Staged);
            if !more && status == "deleted" && !self.web.dependents.get(id).is_some_and(awaited) {
                self.web.dependents.remove(id);
            }
            return (ids.len(), more || cascade || further);
        }
        let found = &self.web.graphs[&graph];
        if found.released < found.total {
            return self.go_on_with_graph(&graph, limit);
        }
        self.cascade(id, limit)
    }

    /// Makes the next step of a graph. Returns how many tasks the step concerned, and whether there are more steps.
    fn go_on_with_graph(&mut self, id: &str, limit: usize) -> (usize, bool) {
        let Some(found) = self.web.graphs.get(id).filter(|graph| graph.created) else {
            let number = self.remove(id, limit);
            return (number, number > 0);
        };
        let outside = self.web.outside.get(id).is_some_and(|edges| !edges.is_empty());
        if found.released == found.total && !outside && found.walk.is_some() {
            let (number, pause) = self.walk(id, limit);
            return (number, !pause);
        }
        let number = self.release(id, limit);
        (number, number > 0)
    }

    fn release(&mut self, graph: &str, limit: usize) -> usize {
        let now = self.now;
        let found = &self.web.graphs[graph];
        let left = found.total - found.released;
        let page = found.members[left.saturating_sub(limit)..left].to_vec();
        // Plain tasks of a queue that begin in the same state begin together.
        let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
        for id in &page {
            let task = &self.web.staged[id];
            let later = task.has("eta") && micros(task.get("eta")) > now;
            let begins = if self.is_open(id) {
                'w'
            } else if later {
                's'
            } else {
                'p'
            };
            let plain = task.get("flags").chars().all(|flag| "wgd".contains(flag));
            let kind = if plain { format!("{begins} {}", task.queue) } else { id.clone() };
            match kinds.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, ids)) => ids.push(id.clone()),
                None => kinds.push((kind, vec![id.clone()])),
            }
        }
        for id in kinds.iter().flat_map(|(_, ids)| ids) {
            let waits = self.is_open(id);
            let mut task = self.web.staged.remove(id).unwrap();
            (task.created, task.updated) = (now, 0);
            let name = task.queue.clone();
            let input = if waits { None } else { self.web.inputs.remove(id).filter(|input| input.slots > 0) };
            if !waits {
                self.web.upstreams.remove(id);
            }
            task.fields.extend(input.iter().flat_map(Inputs::fields));
            let later = task.has("eta") && micros(task.get("eta")) > now;
            let to = if waits {
                "waiting"
            } else if later {
                "scheduled"
            } else {
                "pending"
            };
            self.tasks.insert(id.clone(), task);
            self.shift(id, to, "submit", "", false);
            let queue = self.queue(&name);
            queue.known = true;
            queue.wake |= to == "pending";
        }
        self.web.graphs.get_mut(graph).unwrap().released += page.len();
        let edges = if left > 0 { Vec::new() } else { self.web.outside(graph, limit) };
        for (up, id) in &edges {
            self.web.begin_to_wait(up, id, now);
            if self.tasks.get(up).is_none_or(Task::finished) {
                self.web.deferred.insert(up.clone(), now);
            }
            if self.tasks.contains_key(up) {
                self.flag(up);
            }
        }
        if page.len() + edges.len() == 0 {
            self.web.due.remove(graph);
        }
        page.len() + edges.len()
    }

    /// Removes a graph whose tasks did not all arrive.
    fn remove(&mut self, graph: &str, limit: usize) -> usize {
        let members = self.web.graphs.get_mut(graph).map(|found| {
            let from = found.members.len().saturating_sub(limit);
            let ids = found.members.split_off(from);
            found.staged -= ids.len();
            ids
        });
        let members = members.unwrap_or_default();
        for id in &members {
            self.web.staged.remove(id);
            self.web.upstreams.remove(id);
            self.web.inputs.remove(id);
            if !self.web.deferred.contains_key(id)
                && let Some(all) = self.web.dependents.get_mut(id)
            {
                all.retain(|_, seen| !matches!(seen, Seen::Waits(_)));
            }
        }
        let edges = if members.is_empty() { self.web.outside(graph, limit) } else { Vec::new() };
        for (up, id) in &edges {
            if let Some(all) = self.web.dependents.get_mut(up) {
                all.retain(|other, seen| other != id || *seen != Seen::Staged);
            }
        }
        if members.len() + edges.len() == 0 {
            self.forget_graph(graph);
            self.web.due.remove(graph);
        }
        members.len() + edges.len()
    }

    fn show_graph(&self, graph: &str, cursor: usize, limit: usize) -> Reply {
        let Some(found) = self.web.graphs.get(graph) else { return Reply::Nil };
        let ids: Vec<&String> = found.members.iter().skip(cursor).take(limit).collect();
        let state = if found.created { "created" } else { "staging" };
        let mut answer = vec![if ids.len() < limit { 0 } else { cursor + limit }.to_string(), state.into()];
        answer.extend([decimal(found.at), found.total.to_string(), if found.name { "film" } else { "" }.into()]);
        let ended = |status: &str| found.ended.get(status).copied().unwrap_or_default().to_string();
        answer.extend(["complete", "failed", "cancelled", "skipped"].map(ended));
        answer.push(found.walk.as_ref().map_or("", Walk::shown).into());
        for id in ids {
            let task = self.tasks.get(id).or_else(|| self.web.staged.get(id));
            let task = task.filter(|task| task.get("graph") == graph);
            let (queue, status) = match task {
                None => ("", "deleted"),
                Some(task) if task.status.is_empty() => (task.queue.as_str(), "waiting"),
                Some(task) => (task.queue.as_str(), task.status.as_str()),
            };
            let ended = matches!(status, "complete" | "failed" | "cancelled");
            let status = if ended && self.reruns_in(graph, id) { "waiting" } else { status };
            let waits = if status == "waiting" { self.open_number(id) } else { 0 };
            let field = |name: &str| task.map_or(String::new(), |task| task.get(name).to_owned());
            answer.extend([id.clone(), queue.into(), status.into(), waits.to_string()]);
            answer.extend(["cause", "label", "inputs"].map(field));
            let skipped = status == "cancelled" && task.is_some_and(|task| task.flagged('x'));
            answer.push(u8::from(skipped).to_string());
        }
        Reply::List(answer.into_iter().map(Reply::Text).collect())
    }

    pub fn graph_keys(&self, keys: &mut Keys) {
        let mut put = |name: String, kept| keys.insert(name, kept);
        for (id, edges) in &self.web.upstreams {
            let text = |edge: &Edge| {
                let slots: Vec<String> = edge.slots.iter().map(usize::to_string).collect();
                let kind = edge.mark.map_or(edge.kind.to_owned(), |mark| format!("{}{mark}", edge.kind));
                if slots.is_empty() { kind } else { format!("{kind}/{}", slots.join(",")) }
            };
            put(
                format!("upstreams_{id}"),
                Kept::Hash(edges.iter().map(|(up, edge)| (up.clone(), text(edge))).collect()),
            );
        }
        for (id, all) in &self.web.dependents {
            let at = |seen: &Seen| match seen {
                Seen::Waits(at) => score(*at),
                Seen::Ended(at) => -score(*at),
                Seen::Held => f64::INFINITY,
                Seen::Staged => f64::NEG_INFINITY,
            };
            put(format!("dependents_{id}"), Kept::Zset(all.iter().map(|(id, seen)| (id.clone(), at(seen))).collect()));
        }
        for (id, inputs) in &self.web.inputs {
            let mut hash: BTreeMap<String, String> =
                inputs.filled.iter().map(|(slot, text)| (slot.to_string(), text.clone())).collect();
            if inputs.slots > 0 {
                hash.insert("slots".into(), inputs.slots.to_string());
                hash.insert("bytes".into(), inputs.bytes.to_string());
            }
            if let Some(least) = inputs.least {
                let set = Set::of(least, self.web.edges(id));
                let counts = [("least", least), ("some", set.left), ("missed", set.missed), ("owed", set.owed)];
                hash.extend(counts.map(|(name, number)| (name.into(), number.to_string())));
                hash.insert("turn".into(), "1".into()); // more only after a retry with hundreds of upstreams
            }
            put(format!("inputs_{id}"), Kept::Hash(hash));
        }
        for (id, task) in &self.web.staged {
            let mut record = task.record();
            record.remove("status");
            put(format!("task_{id}"), Kept::Hash(record));
        }
        for (id, graph) in &self.web.graphs {
            let state = if graph.created { "created" } else { "staging" };
            let mut hash =
                BTreeMap::from([("state".to_owned(), state.to_owned()), ("created".into(), decimal(graph.at))]);
            for (name, number) in [("total", graph.total), ("left", graph.left), ("staged", graph.staged)] {
                hash.insert(name.into(), number.to_string());
            }
            hash.extend(graph.name.then(|| ("name".into(), "film".into())));
            hash.extend(graph.on_failure.map(|word| ("on_failure".into(), word.into())));
            hash.extend(graph.digest.map(|digest| ("digest".into(), digest.to_string())));
            hash.extend(graph.deadline.map(|deadline| ("deadline".into(), decimal(deadline))));
            hash.extend(graph.bound.map(|bound| ("bounds".into(), bound_text(bound))));
            hash.extend(graph.walk.iter().flat_map(Walk::fields));
            hash.extend((graph.released > 0).then(|| ("released".into(), graph.released.to_string())));
            hash.extend(graph.ended.iter().map(|(status, number)| (status.clone(), number.to_string())));
            put(format!("graph_{id}"), Kept::Hash(hash));
            put(format!("members_{id}"), Kept::List(graph.members.clone()));
        }
        for (id, edges) in &self.web.outside {
            put(format!("outside_{id}"), Kept::List(edges.iter().map(|(up, id)| format!("{up} {id}")).collect()));
        }
        for (id, all) in &self.web.chosen {
            let mark = |(id, mark): (&String, &u8)| (id.clone(), f64::from(*mark));
            put(format!("chosen_{id}"), Kept::Zset(all.iter().map(mark).collect()));
        }
        let times =
            |times: &BTreeMap<String, u64>| Kept::Zset(times.iter().map(|(id, at)| (id.clone(), score(*at))).collect());
        put("deadlines".into(), times(&self.web.deadlines));
        put("deferred".into(), times(&self.web.deferred));
        put("graphs_due".into(), times(&self.web.due));
        put("graphs".into(), times(&self.web.graphs.iter().map(|(id, graph)| (id.clone(), graph.at)).collect()));
    }
}

impl Web {
    /// Takes the next edges of a graph that begin at an earlier task.
    fn outside(&mut self, graph: &str, limit: usize) -> Vec<(String, String)> {
        let edges = self.outside.entry(graph.into()).or_default();
        edges.drain(..limit.min(edges.len())).collect()
    }
}
