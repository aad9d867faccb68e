//! The calls of a case. They name tasks and tokens by what they are at that moment ("a held task", "an older
//! token"), so that they stay meaningful when a case is shrunk; `Model::concrete` makes them concrete.

use crate::model::audit::Wanted;

pub const IDS: [&str; 8] = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"];
/// Shared limits.
pub const SHARED: [&str; 2] = ["database", "gpu"];

pub const QUEUES: [&str; 2] = ["a", "b"];
pub const LISTENERS: [&str; 3] = ["one_1", "one_2", "other-host_1"];
/// Payloads; the last ones are results of tasks that others wait for.
pub const PAYLOADS: [&str; 7] = ["", "x", "a b\n", "\u{e9}\0", "17", "{\"n\": 1}", "[2,\"b\"]"];
pub const PARTS: [&str; 20] = [
    "owned",
    "started",
    "waiting",
    "pending",
    "scheduled",
    "ranked",
    "held",
    "complete",
    "failed",
    "cancelled",
    "orders",
    "suspects",
    "tasks",
    "tags",
    "groups",
    "graphs",
    "ranking",
    "places",
    "unique",
    "claims",
];

pub const SCHEDULES: [&str; 2] = ["s1", "s2"];
pub const REASONS: [&str; 3] = ["release", "deploy", "drain"];
pub const TAGS: [&str; 4] = ["w", "x", "y", "z"];

/// Moves of the time before a call.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Stay,
    Seconds(u32),
    Micros(u32),
    Back(u32),
    /// To this many µs before or after the first deadline of a lease.
    Deadline(i8),
    /// To this many µs before or after the first eta, or the end of a rate's delay.
    Due(i8),
    /// To this many µs before or after the end of the time for a graph to arrive.
    Sweep(i8),
    /// To this many µs before or after the first deadline of a task.
    Overdue(i8),
}

#[derive(Clone, Debug)]
pub enum Which {
    Any(u8),
    There(u8),
    Held(u8),
    Waiting(u8),
    Finished(u8),
    /// A task that waits for others.
    Blocked(u8),
    /// An earlier task of the same graph.
    Member(u8),
    /// An id that is not a task yet.
    Free,
    Is(&'static str),
}

/// A need of a task. The slots of a settled call have no gaps.
#[derive(Clone, Debug)]
pub enum Need {
    Edge(&'static str, Which),
    Result(Which, u8),
    /// A result that may be missing.
    Optional(Which, u8),
    Value(&'static str, u8),
    /// A result of one of a set.
    Some(Which, u8),
    /// Number of tasks of a set that must be complete.
    Least(u8),
}

impl Need {
    /// Returns true if the need fills a slot.
    pub fn takes(&self) -> bool {
        !matches!(self, Self::Edge(..) | Self::Least(_))
    }
}

/// A task of a graph.
#[derive(Clone, Debug)]
pub struct Part {
    pub task: Which,
    pub queue: u8,
    pub eta: Option<Eta>,
    pub parameters: u8,
    pub needs: Vec<Need>,
    /// Rotates its slots.
    pub turn: u8,
    pub options: Options,
    pub deadline: Option<Eta>,
    pub label: bool,
}

#[derive(Clone, Debug)]
pub enum Key {
    /// The last token of the task, running or not.
    Last,
    Older(u8),
    /// The last token of another task.
    Of(u8),
    MadeUp,
    Malformed,
    Is(String),
}

#[derive(Clone, Copy, Debug)]
pub enum Eta {
    In(i32),
    At(u64),
}

/// Options of new tasks, each name once.
pub type Options = Vec<(&'static str, &'static str)>;

/// Changes of a task.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    pub options: Options,
    pub unset: Vec<&'static str>,
    pub parameters: Option<u8>,
    pub eta: Option<Eta>,
    pub deadline: Option<Eta>,
    pub queue: Option<u8>,
    pub token: Option<Key>,
}

/// The order in which a call asks its queues.
#[derive(Clone, Debug)]
pub enum Order {
    Strict,
    Round,
    Weighted(Vec<u32>),
}

/// Options of a call that asks for tasks.
#[derive(Clone, Debug, Default)]
pub struct Asks {
    pub lease: Option<u32>,
    pub request: Option<u8>,
    /// Process id with which the tasks are started at once.
    pub pid: Option<u8>,
    pub woken: bool,
    pub order: Option<Order>,
}

/// The number of no queue: there is no next step.
pub const NOWHERE: u8 = 2;

/// Values of an owner for the next step.
#[derive(Clone, Debug, Default)]
pub struct Go {
    pub queue: Option<u8>,
    pub parameters: Option<u8>,
    pub eta: Option<Eta>,
    pub options: Options,
    pub unset: Vec<&'static str>,
    pub deadline: Option<Eta>,
}

/// Actions of an owner. Payloads are indexes of `PAYLOADS`.
#[derive(Clone, Debug)]
pub enum Act {
    Start {
        pid: u8,
        lease: Option<u32>,
    },
    Progress(u8),
    Checkpoint(u8),
    /// The answer to a request, and the question for the next. 0 stands for the request whose turn it is.
    Attend {
        answered: Option<u8>,
        refused: bool,
    },
    Complete {
        result: u8,
        cost: Option<u8>,
    },
    Fail {
        error: u8,
        group: bool,
        again: Option<u32>,
        last: Option<bool>,
        cost: Option<u8>,
    },
    /// The reason is an index of `REASONS`.
    Release {
        reason: u8,
        again: Option<u32>,
        uncounted: Option<bool>,
        cost: Option<u8>,
    },
    /// A release into another queue, or its own.
    Into {
        queue: u8,
        reason: u8,
        again: Option<u32>,
        uncounted: Option<bool>,
        cost: Option<u8>,
    },
    /// The end of a step.
    Next {
        result: u8,
        cost: Option<u8>,
        go: Go,
    },
    /// A release of an owner that was found dead.
    Lost,
}

impl Act {
    /// Returns true if a `finish_and_reserve` can have this action.
    pub fn is_end(&self) -> bool {
        match self {
            Self::Complete { .. } | Self::Fail { .. } | Self::Release { .. } => true,
            Self::Next { go, .. } => go.is_only_a_queue(),
            _ => false,
        }
    }

    /// The result that it brings, if it completes its task or a step of it.
    pub fn result(&self) -> Option<u8> {
        match self {
            Self::Complete { result, .. } | Self::Next { result, .. } => Some(*result),
            _ => None,
        }
    }
}

/// The options of a schedule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub queue: u8,
    pub every: u64,
    pub offset: u64,
    pub parameters: u8,
    pub overlap: &'static str,
    pub missed: &'static str,
    pub urgent: bool,
}

/// An action on all tasks of a queue.
#[derive(Clone, Copy, Debug)]
pub enum Bulk {
    Purge,
    Cancel {
        force: bool,
        at_once: bool,
    },
    Prioritise(i16),
    /// An index of `CONTROLS`, except `describe`.
    Control(u8),
    Requeue,
    Hold(bool),
}

/// Queues and listeners are indexes, leases and ages whole seconds.
#[derive(Clone, Debug)]
pub enum Op {
    /// Submits tasks. With `free`, their ids are not tasks yet, as far as there are such ids.
    Submit {
        free: bool,
        queue: u8,
        tasks: Vec<(u8, Option<Eta>, u8)>,
        options: Options,
        deadline: Option<Eta>,
        needs: Vec<Need>,
        turn: u8,
    },
    /// Submits some tasks of a new graph, with `rest` more to come; or with `goes_on`, tasks of a graph that is not
    /// complete. With `rude`, the tasks are as they were generated, which is mostly wrong.
    Graph {
        graph: String,
        total: u32,
        request: u32,
        rest: u8,
        goes_on: Option<u8>,
        parts: Vec<Part>,
        name: bool,
        on_failure: Option<&'static str>,
        deadline: Option<Eta>,
        digest: Option<u8>,
        /// Queue, key and places.
        bound: Option<(u8, u8, u32)>,
        rude: bool,
    },
    Settle {
        limit: u32,
    },
    ShowGraph {
        graph: String,
        number: u8,
        cursor: u32,
        limit: u32,
    },
    Edit {
        task: Which,
        edit: Edit,
    },
    /// A submit with `again`. With `old`, it has the request id that made the present round, or that makes the next
    /// one.
    Resubmit {
        queue: u8,
        task: Which,
        eta: Option<Eta>,
        parameters: u8,
        options: Options,
        deadline: Option<Eta>,
        request: u32,
        old: bool,
        once_more: bool,
    },
    /// Cancels a created graph; with a task, everything downstream of it.
    CancelGraph {
        graph: String,
        number: u8,
        task: Option<Which>,
        reason: u8,
        force: Option<bool>,
    },
    /// Retries a created graph; with tasks, everything downstream of them.
    RetryGraph {
        graph: String,
        number: u8,
        tasks: Vec<Which>,
    },
    Depend {
        task: Which,
        needs: Vec<Need>,
        turn: u8,
    },
    Undepend {
        task: Which,
        /// Number of the upstream in the list of the task.
        number: u8,
        up: Which,
    },
    /// A release that waits for others.
    Suspend {
        task: Which,
        token: Key,
        needs: Vec<Need>,
        /// An index of `REASONS`.
        reason: u8,
    },
    /// With `able`: by a listener of the first queue, if the queue has listeners.
    Reserve {
        able: bool,
        listener: u8,
        queues: Vec<u8>,
        limit: Option<u8>,
        asks: Asks,
    },
    /// With `able`: by the listener that holds most tasks, if a listener holds tasks.
    FinishAndReserve {
        able: bool,
        listener: u8,
        queues: Vec<u8>,
        limit: u8,
        ends: Vec<(Which, Key, Act)>,
        asks: Asks,
    },
    Owner {
        task: Which,
        token: Key,
        act: Act,
    },
    Heartbeat {
        queue: u8,
        listener: u8,
        lease: u32,
        tasks: Vec<(Which, Key)>,
    },
    /// Without `from` and `queue`: the task's own.
    Adopt {
        listener: u8,
        from: Option<u8>,
        queue: Option<u8>,
        task: Which,
        lease: Option<u32>,
        request: Option<u8>,
    },
    Cancel {
        task: Which,
        reason: u8,
        force: Option<bool>,
        at_once: Option<bool>,
    },
    Requeue {
        task: Which,
        at_once: Option<bool>,
    },
    Retry {
        task: Which,
        fresh: Option<bool>,
        deadline: Option<Eta>,
    },
    Delete {
        task: Which,
    },
    Get {
        task: Which,
    },
    Promote {
        queue: u8,
        limit: u32,
    },
    RequeueOrphans {
        queue: u8,
        limit: u32,
    },
    Prune {
        queue: u8,
        limit: u32,
        keep: Option<u32>,
        seconds: Option<u32>,
    },
    /// The queues with tasks, for a listener that takes all.
    Ready {
        listener: u8,
    },
    /// The offer is an index of `HAS`.
    Register {
        queue: u8,
        listener: u8,
        has: Option<u8>,
    },
    Unregister {
        queue: u8,
        listener: u8,
    },
    Pause {
        queue: u8,
        reason: u8,
        stop: Option<bool>,
    },
    Resume {
        queue: u8,
    },
    /// Sets a setting of a queue, or of all queues. Indexes of `SETTINGS` and of the values there.
    Configure {
        queue: Option<u8>,
        setting: u8,
        value: u8,
    },
    /// Indexes of `KEYS` and `RATES`.
    Limit {
        queue: u8,
        key: u8,
        places: Option<u32>,
        rate: Option<u8>,
    },
    /// A shared limit. Indexes of `SHARED` and `RATES`.
    /// Without places and rate it is removed.
    Share {
        limit: u8,
        places: Option<u32>,
        rate: Option<u8>,
        expires: Option<u32>,
    },
    Limits {
        queue: u8,
        used: bool,
    },
    /// Asks what `reserve` gives to a listener, or for an offer: an index of `HAS`.
    Peek {
        queue: u8,
        limit: u32,
        listener: Option<u8>,
        has: Option<u8>,
    },
    /// The next part of maintenance.
    Maintenance {
        queues: Vec<u8>,
    },
    /// A page of the audit, after some entry: its number, and its id as soon as that is known.
    Audit {
        after: usize,
        id: String,
        limit: u32,
        wanted: Wanted,
    },
    /// Changes the priority of a waiting task.
    Prioritise {
        task: Which,
        priority: i16,
    },
    /// Holds a task, or releases it.
    Hold {
        task: Which,
        on: bool,
    },
    /// A request to the owner: an index of `CONTROLS`.
    Control {
        task: Which,
        what: u8,
    },
    Move {
        task: Which,
        queue: u8,
    },
    /// Indexes of `TAGS`; off: `untag`.
    Tag {
        task: Which,
        tags: Vec<u8>,
        on: bool,
    },
    Bulk {
        queue: u8,
        action: Bulk,
    },
    Forget {
        queue: u8,
    },
    /// Index of `SCHEDULES`.
    Schedule {
        name: u8,
        plan: Plan,
    },
    Tick {
        limit: u32,
    },
    RunSchedule {
        name: u8,
    },
    PauseSchedule {
        name: u8,
        on: bool,
    },
    Unschedule {
        name: u8,
    },
    History {
        task: Which,
    },
    Note {
        task: Which,
    },
    Track {
        task: Which,
        on: bool,
    },
    Aggregate {
        queue: u8,
        limit: u32,
    },
    Drain {
        queue: u8,
        listener: u8,
        on: bool,
    },
    /// A report of a worker with two slots.
    Report {
        listener: u8,
        queues: Vec<u8>,
        free: u8,
        has: Option<u8>,
        draining: Option<bool>,
    },
    Workers,
    Held {
        queue: u8,
        listener: u8,
    },
    List {
        queue: u8,
        status: &'static str,
        cursor: u32,
        limit: u32,
    },
    Counts {
        queue: u8,
    },
    Listeners {
        queue: u8,
    },
    Queues,
    /// Without other clients there is nothing to repair.
    Repair {
        queue: u8,
        part: &'static str,
    },
    /// A waiting listener takes the wake-up.
    Wake {
        queue: u8,
    },
    /// The data was last seen by another server.
    Restarted,
    /// Repeats the previous call, whose reply was lost.
    Again,
    /// Repeats the previous `finish_and_reserve`. Other calls of its listener may have come in between, because a worker
    /// has several in progress.
    Overtaken,
    /// Repeats the previous call for a graph, by a submitter that does not know that the call was made.
    Resend,
}

#[derive(Clone, Debug)]
pub struct Case {
    /// True if the namespace has a hash tag.
    pub tagged: bool,
    /// True if all listeners are registered on all queues at first.
    pub listening: bool,
    pub calls: Vec<(Step, Op)>,
}
