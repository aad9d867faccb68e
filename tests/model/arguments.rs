//! Makes calls concrete.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::model::ops::{Act, Asks, Eta, IDS, Key, LISTENERS, Need, Op, PAYLOADS, QUEUES, Step, Which};
use crate::model::state::{Model, Task};

pub const START: u64 = 1_700_000_000_000_000;

/// Keys of tasks: the first one also serves as a unique name.
pub const KEYS: [&str; 3] = ["k", "l", "m"];
pub const RATES: [&str; 4] = ["1/5", "1/60", "2/10", "3/30"];
/// Offers of listeners; the last two together satisfy all needs.
pub const HAS: [&str; 5] = ["", "gpu", "cores=4", "gpu,cores=8", "cores=2"];
/// Settings, and values for them; mostly few values, so that most are unset again.
pub const SETTINGS: [(&str, &[&str]); 20] = [
    ("concurrency", &["", "1", "2", "3", "4"]),
    ("concurrency", &["", "", "2", "4"]),
    ("rate", &["", "1/5", "", "2/10", "3/60"]),
    ("key_concurrency", &["", "1", "2", "3"]),
    ("key_concurrency", &["", "1", "2"]),
    ("key_rate", &["", "1/5", "", "2/10", "3/60"]),
    ("ageing", &["", "", "3", "60"]),
    ("max_failures", &["", "0", "1", "2"]),
    ("max_losses", &["", "0", "1", "2"]),
    ("max_releases", &["", "0", "1", "2"]),
    ("max_uncounted", &["", "0", "1", "2"]),
    ("backoff", &["", "fixed", "exponential"]),
    ("delay", &["", "0", "2"]),
    ("jitter", &["", "0", "100"]),
    ("lease", &["", "10"]),
    ("keep", &["", "1", "3"]),
    ("retain", &["", "30"]),
    ("forget_after", &["", "60", "100", ""]),
    ("closed", &["", "0", "", "0", "", "1", "", "0"]),
    ("audit", &["", "100"]),
];
/// Settings of the namespace alone are the last ones, from this index on.
pub const OF_ALL: u8 = 19;

impl Model {
    /// The time to which the caller's clock moves.
    pub fn wall(&self, wall: u64, step: Step) -> u64 {
        let near = |moment: Option<u64>, by: i8| moment.map_or(wall, |moment| moment.saturating_add_signed(by.into()));
        let etas = self.tasks.values().filter(|task| task.status == "scheduled").map(|task| micros(task.get("eta")));
        let delays = self.queues.values().flat_map(|queue| queue.lanes.delayed.values().copied());
        match step {
            Step::Stay => wall,
            Step::Seconds(seconds) => wall + u64::from(seconds) * 1_000_000,
            Step::Micros(micros) => wall + u64::from(micros),
            Step::Back(seconds) => wall - u64::from(seconds) * 1_000_000,
            Step::Deadline(by) => near(self.tasks.values().filter_map(|task| task.deadline).min(), by),
            Step::Due(by) => near(etas.chain(delays).min(), by),
            Step::Overdue(by) => near(self.web.deadlines.values().copied().min().filter(|at| *at > wall), by),
            Step::Sweep(by) => near(self.web.due.values().copied().max().filter(|due| *due > wall), by),
        }
    }

    fn created_graph(&self, number: u8) -> String {
        let created = self.web.graphs.iter().filter(|(_, found)| found.created);
        let known: Vec<&String> = created.map(|(id, _)| id).collect();
        known.get(usize::from(number) % known.len().max(1)).map_or("none", |id| id.as_str()).into()
    }

    /// Decides which task is meant: mostly a task of the graph.
    fn member_of(&self, graph: &str, task: &mut Which) {
        if let Which::Member(at) = task {
            let members = self.web.graphs.get(graph).map_or(&[][..], |found| &found.members);
            let at = usize::from(*at) % members.len().max(1);
            *task = Which::Is(members.get(at).map_or(IDS[0], |id| intern(id)));
        } else {
            self.which(task);
        }
    }

    fn which(&self, which: &mut Which) -> &'static str {
        let nth = |number: u8, fits: fn(&Task) -> bool| {
            let found: Vec<&str> = self.tasks.values().filter(|task| fits(task)).map(|task| task.id.as_str()).collect();
            let number = usize::from(number);
            intern(if found.is_empty() { IDS[number] } else { found[number % found.len()] })
        };
        let id = match which {
            Which::Any(number) => IDS[usize::from(*number)],
            Which::There(number) => nth(*number, |_| true),
            Which::Held(number) => nth(*number, Task::held),
            Which::Waiting(number) => nth(*number, Task::waits),
            Which::Blocked(number) => nth(*number, |task| task.status == "waiting"),
            Which::Finished(number) | Which::Member(number) => nth(*number, Task::finished),
            Which::Free => self.free().next().map_or(IDS[0], |number| IDS[usize::from(number)]),
            Which::Is(id) => id,
        };
        *which = Which::Is(id);
        id
    }

    fn key(&self, id: &str, key: &mut Key) {
        const MADE_UP: &str = "1600000000000001";
        let issued = |id: &str| self.tokens.get(id).map_or(&[][..], Vec::as_slice);
        let token = match key {
            Key::Last => issued(id).last().map_or(MADE_UP, String::as_str),
            Key::Older(number) => match issued(id) {
                [older @ .., _] if !older.is_empty() => &older[usize::from(*number) % older.len()],
                _ => MADE_UP,
            },
            Key::Of(number) => issued(IDS[usize::from(*number)]).last().map_or(MADE_UP, String::as_str),
            Key::MadeUp => MADE_UP,
            Key::Malformed => "1e9",
            Key::Is(token) => token,
        };
        *key = Key::Is(token.to_owned());
    }

    /// The ids that are not tasks yet, as numbers.
    fn free(&self) -> impl Iterator<Item = u8> {
        (0..).zip(IDS).filter(|(_, id)| !self.used(id)).map(|(number, _)| number)
    }

    /// Decides what a task waits for. Gives slots to the needs that take a slot, from `base` on and rotated by
    /// `turn`. Needs that name a task twice are left out.
    fn concrete_needs(&self, needs: &mut Vec<Need>, turn: u8, base: u8, members: &[&'static str]) {
        let mut seen: Vec<(&'static str, bool)> = Vec::new();
        needs.retain_mut(|need| {
            let (up, takes) = match need {
                Need::Edge(_, up) => (up, false),
                Need::Result(up, _) | Need::Optional(up, _) | Need::Some(up, _) => (up, true),
                Need::Value(..) | Need::Least(_) => return true,
            };
            if let Which::Member(number) = up
                && !members.is_empty()
            {
                *up = Which::Is(members[usize::from(*number) % members.len()]);
            }
            let id = self.which(up);
            let fits = seen.iter().all(|(other, took)| *other != id || takes && *took);
            seen.push((id, takes));
            fits
        });
        if seen.is_empty() && !needs.iter().any(|need| matches!(need, Need::Least(_))) {
            needs.clear();
        }
        // The number is mostly at most the size of the set.
        let some = needs.iter().filter(|need| matches!(need, Need::Edge("some", _) | Need::Some(..))).count();
        for need in needs.iter_mut().filter(|_| some > 0 && base == 0 && turn != 3) {
            if let Need::Least(least) = need {
                *least = (*least).min(u8::try_from(some).unwrap());
            }
        }
        let takes = |need: &&mut Need| need.takes();
        let number = u8::try_from(needs.iter_mut().filter(takes).count()).unwrap();
        for (at, need) in (0..).zip(needs.iter_mut().filter(takes)) {
            if let Need::Result(_, slot) | Need::Optional(_, slot) | Need::Value(_, slot) | Need::Some(_, slot) = need {
                *slot = base + (at + turn) % number;
            }
        }
    }

    /// The number of requests so far, for the id of the next one.
    fn requests(&self) -> u32 {
        self.answers.get("last").map_or(0, |last| last.parse().unwrap())
    }

    /// Decides which tasks a graph gets, and what they wait for.
    fn concrete_graph(&self, op: &mut Op, wall: u64) {
        let Op::Graph { graph, total, request, rest, goes_on, parts, deadline, rude, .. } = op else { return };
        *deadline = from_now(*deadline, wall);
        let open: Vec<&String> = self.web.graphs.iter().filter(|(_, found)| !found.created).map(|(id, _)| id).collect();
        let known = goes_on.filter(|_| !open.is_empty()).map(|number| open[usize::from(number) % open.len()]);
        let known = known.or_else(|| self.web.graphs.keys().last().filter(|_| *rude));
        *graph = known.cloned().unwrap_or_else(|| format!("g{}", self.web.made));
        *request = self.requests();
        let mut members: Vec<&'static str> = self.web.staged_of(graph).iter().map(|task| intern(&task.id)).collect();
        let room = self.web.graphs.get(graph).map(|found| found.total - found.staged);
        let mut free = self.free();
        let mut fresh = 0;
        parts.retain_mut(|part| {
            let mut base = 0;
            let id = match part.task {
                Which::Member(number) if !members.is_empty() => {
                    let id = members[usize::from(number) % members.len()];
                    let inputs = self.web.inputs.get(id);
                    base = inputs.map_or(0, |inputs| u8::try_from(inputs.slots).unwrap());
                    if let (Some(task), false) = (self.web.staged.get(id), *rude) {
                        part.queue = u8::try_from(QUEUES.iter().position(|name| *name == task.queue).unwrap()).unwrap();
                        part.options.clear();
                    }
                    id
                }
                Which::Any(number) if *rude => IDS[usize::from(number)],
                _ => match free.next() {
                    Some(number) if *rude || room.is_none_or(|room| fresh < room) => IDS[usize::from(number)],
                    _ => return false,
                },
            };
            self.concrete_needs(&mut part.needs, part.turn, base, &members);
            part.needs.retain(|need| match need {
                Need::Edge(_, up) | Need::Result(up, _) | Need::Optional(up, _) | Need::Some(up, _) => {
                    *rude || up.id() != id
                }
                Need::Value(..) | Need::Least(_) => true,
            });
            if !part.needs.iter().any(|need| !matches!(need, Need::Value(..))) {
                part.needs.clear();
            }
            part.eta = from_now(part.eta, wall);
            part.deadline = from_now(part.deadline, wall);
            fresh += usize::from(!members.contains(&id));
            members.push(id);
            part.task = Which::Is(id);
            true
        });
        let all = u32::try_from(fresh).unwrap() + u32::from(*rest);
        let known = self.web.graphs.get(graph).map(|found| u32::try_from(found.total).unwrap());
        *total = known.map_or(all, |known| known + u32::from(*rude && *rest == 1));
        if parts.is_empty() {
            *op = Op::Settle { limit: 2 };
        }
    }

    /// Decides which task, which token, which time is meant.
    pub fn concrete(&self, op: &mut Op, wall: u64) {
        let held = self.tasks.values().any(Task::held);
        if matches!(op, Op::Owner { task: Which::Held(_), .. }) && !held {
            // There is nothing that an owner could do.
            *op = Op::Reserve { able: true, listener: 0, queues: vec![0, 1], limit: None, asks: Asks::default() };
        }
        let finished = self.tasks.values().any(Task::finished);
        let graph = matches!(op, Op::Graph { graph, .. } if graph.is_empty());
        let new = graph || matches!(op, Op::Submit { free: true, .. });
        if new && finished && IDS.iter().all(|id| self.used(id)) {
            *op = Op::Delete { task: Which::Finished(0) }; // to have an id for a new task
        }
        // A request id belongs to one call: another call finds the tasks that this call took.
        if let Op::Reserve { asks, .. } | Op::FinishAndReserve { asks, .. } = op {
            let used =
                |number: &u8| self.tasks.values().any(|task| task.held() && task.get("request") == request(*number));
            asks.request =
                asks.request.map(|wish| [wish].into_iter().chain(10..).find(|number| !used(number)).unwrap());
        }
        match op {
            Op::Submit { free, tasks, deadline, needs, turn, .. } => {
                self.concrete_needs(needs, *turn, 0, &[]);
                for (task, number) in tasks.iter_mut().zip(self.free()).filter(|_| *free) {
                    task.0 = number;
                }
                *free = false;
                for (_, eta, _) in tasks {
                    *eta = from_now(*eta, wall);
                }
                *deadline = from_now(*deadline, wall);
            }
            Op::Graph { graph, request, .. } if !graph.is_empty() => *request = self.requests(),
            Op::Graph { .. } => self.concrete_graph(op, wall),
            Op::ShowGraph { graph, number, .. } => {
                let (known, number) = (&self.web.graphs, usize::from(*number));
                *graph = known.keys().nth(number % known.len().max(1)).map_or("none", String::as_str).into();
            }
            Op::CancelGraph { graph, number, task, .. } => {
                *graph = self.created_graph(*number);
                if let Some(task) = task {
                    self.member_of(graph, task);
                }
            }
            Op::RetryGraph { graph, number, tasks } => {
                *graph = self.created_graph(*number);
                for task in tasks {
                    self.member_of(graph, task);
                }
            }
            Op::Depend { task, needs, turn } => {
                let id = self.which(task);
                let base = self.web.inputs.get(id).map_or(0, |inputs| u8::try_from(inputs.slots).unwrap());
                // The first slot comes at times after a gap.
                self.concrete_needs(needs, *turn, base + u8::from(*turn > 4), &[]);
            }
            Op::Undepend { task, number, up } => {
                let id = self.which(task);
                match self.web.upstreams.get(id).filter(|edges| !edges.is_empty()) {
                    Some(edges) => {
                        let at = usize::from(*number) % edges.len();
                        *up = Which::Is(intern(edges.get_index(at).unwrap().0));
                    }
                    None => drop(self.which(up)),
                }
            }
            Op::Suspend { task, token, needs, .. } => {
                self.key(self.which(task), token);
                self.concrete_needs(needs, 0, 0, &[]);
            }
            Op::Reserve { able, listener: who, queues, .. } if *able => {
                let listens = &self.queues[queue(queues[0])].listeners;
                let mut others = (0..3).map(|by| (*who + by) % 3);
                *who = others.find(|other| listens.contains_key(listener(*other))).unwrap_or(*who);
                *able = false;
            }
            Op::FinishAndReserve { able, listener: who, ends, .. } => {
                if *able {
                    let holds = |by: &u8| self.tasks.values().filter(|task| task.get("node") == listener(*by)).count();
                    *who = (0..3).map(|by| (*who + by) % 3).max_by_key(holds).unwrap();
                    *able = false;
                }
                for (task, token, act) in ends {
                    self.key(self.which(task), token);
                    if let Act::Complete { cost, .. }
                    | Act::Fail { cost, .. }
                    | Act::Release { cost, .. }
                    | Act::Next { cost, .. } = act
                    {
                        *cost = cost.filter(|cost| *cost > 0); // an empty one is none
                    }
                }
            }
            Op::Owner { task, token, act } => {
                let id = self.which(task);
                self.key(id, token);
                if let Act::Attend { answered: Some(number @ 0), .. } = act {
                    *number = self.tasks.get(id).map_or(1, Task::next_request);
                }
                if let Act::Next { go, .. } = act {
                    go.eta = from_now(go.eta, wall);
                    go.deadline = from_now(go.deadline, wall);
                }
            }
            Op::Heartbeat { tasks, .. } => tasks.iter_mut().for_each(|(task, token)| self.key(self.which(task), token)),
            Op::Adopt { from, queue, task, .. } => {
                let task = self.tasks.get(self.which(task));
                let node = task.and_then(|task| LISTENERS.into_iter().position(|id| id == task.get("node")));
                let own = task.and_then(|task| QUEUES.into_iter().position(|name| name == task.queue));
                *from = from.or(node.map(|node| u8::try_from(node).unwrap())).or(Some(0));
                *queue = queue.or(own.map(|own| u8::try_from(own).unwrap())).or(Some(0));
            }
            Op::Edit { task, edit } => {
                let id = self.which(task);
                edit.settle_times(|eta| from_now(eta, wall));
                if let Some(token) = &mut edit.token {
                    self.key(id, token);
                }
            }
            Op::Resubmit { task, eta, deadline, request, old, parameters, .. } => {
                let task = self.tasks.get(self.which(task));
                (*eta, *deadline) = (from_now(*eta, wall), from_now(*deadline, wall));
                let next = task.filter(|task| task.has("next_round") && *parameters % 2 == 0);
                let made = task.map(|task| task.get("round_request"));
                let made = next.map(|task| task.get("next_round")).or(made);
                let known = made.and_then(|made| made.strip_prefix('s')?.parse().ok());
                *request = known.filter(|_| *old).unwrap_or_else(|| self.requests());
            }
            Op::Retry { task, deadline, .. } => {
                self.which(task);
                *deadline = from_now(*deadline, wall);
            }
            Op::Cancel { task, .. }
            | Op::Requeue { task, .. }
            | Op::Delete { task }
            | Op::Prioritise { task, .. }
            | Op::Hold { task, .. }
            | Op::Control { task, .. }
            | Op::Move { task, .. }
            | Op::Tag { task, .. }
            | Op::History { task }
            | Op::Note { task }
            | Op::Track { task, .. }
            | Op::Get { task } => {
                self.which(task);
            }
            Op::List { status, cursor, limit, .. } if matches!(*status, "reserved" | "started") => {
                (*cursor, *limit) = (0, 500); // their pages are unordered
            }
            _ => {}
        }
    }
}

/// The time that is this number of seconds from now.
fn from_now(eta: Option<Eta>, wall: u64) -> Option<Eta> {
    eta.map(|eta| match eta {
        Eta::In(seconds) => Eta::At(wall.saturating_add_signed(i64::from(seconds) * 1_000_000)),
        at @ Eta::At(_) => at,
    })
}

/// Keeps the id for the whole run of the test, since the ids of schedules' tasks are generated.
pub fn intern(id: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap();
    if !known.contains(id) {
        known.insert(Box::leak(id.into()));
    }
    known.get(id).unwrap()
}

pub fn micros(seconds: &str) -> u64 {
    seconds.replace('.', "").parse().unwrap()
}

pub fn queue(number: u8) -> &'static str {
    QUEUES[usize::from(number)]
}

pub fn listener(number: u8) -> &'static str {
    LISTENERS[usize::from(number)]
}

pub fn payload(number: u8) -> &'static str {
    PAYLOADS[usize::from(number)]
}

pub fn request(number: u8) -> String {
    format!("r{number}")
}

impl Which {
    pub fn id(&self) -> &'static str {
        match self {
            Self::Is(id) => id,
            other => panic!("not settled: {other:?}"),
        }
    }
}

impl Key {
    pub fn token(&self) -> &str {
        match self {
            Self::Is(token) => token,
            other => panic!("not settled: {other:?}"),
        }
    }
}
