//! The calls that a case is made of. They name tasks and tokens by what they are at that
//! moment ("a held task", "an older token"), so that they stay meaningful when a case is
//! shrunk; `Model::settle` makes them concrete.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Union;

pub const IDS: [&str; 6] = ["t1", "t2", "t3", "t4", "t5", "t6"];
pub const QUEUES: [&str; 2] = ["a", "b"];
pub const LISTENERS: [&str; 3] = ["one_1", "one_2", "other-host_1"];
pub const PAYLOADS: [&str; 5] = ["", "x", "a b\n", "\u{e9}\0", "17"];
pub const PARTS: [&str; 10] =
    ["held", "started", "pending", "scheduled", "complete", "failed", "cancelled", "orders", "suspects", "tasks"];
const STATUSES: [&str; 8] = ["all", "scheduled", "pending", "reserved", "started", "complete", "failed", "cancelled"];

/// How time moves before a call.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Stay,
    Seconds(u32),
    Micros(u32),
    Back(u32),
    /// To this many µs before or after the first deadline of a lease.
    Deadline(i8),
    /// To this many µs before or after the first eta.
    Due(i8),
}

#[derive(Clone, Debug)]
pub enum Which {
    Any(u8),
    Held(u8),
    Finished(u8),
    Is(&'static str),
}

#[derive(Clone, Debug)]
pub enum Key {
    /// The token issued last for the task, running or not.
    Last,
    Older(u8),
    /// The last one of another task.
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

/// What an owner does. Payloads are indexes of `PAYLOADS`.
#[derive(Clone, Debug)]
pub enum Act {
    Start { pid: u8, lease: Option<u32> },
    Progress(u8),
    Checkpoint(u8),
    Complete(u8),
    Fail { error: u8, group: bool },
    Release { reason: bool },
}

/// Queues and listeners are indexes, leases and ages whole seconds.
#[derive(Clone, Debug)]
pub enum Op {
    /// With `free`, of ids that are no tasks yet, as far as there are any.
    Submit {
        free: bool,
        queue: u8,
        tasks: Vec<(u8, Option<Eta>, u8)>,
        max_losses: Option<u32>,
    },
    /// With `able`, by a listener of the first queue, where there is one.
    Reserve {
        able: bool,
        listener: u8,
        queues: Vec<u8>,
        lease: Option<u32>,
        request: Option<u8>,
        woken: bool,
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
    },
    Retry {
        task: Which,
        fresh: Option<bool>,
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
    Requeue {
        queue: u8,
        limit: u32,
    },
    Retain {
        queue: u8,
        limit: u32,
        keep: Option<u32>,
        seconds: Option<u32>,
    },
    Register {
        queue: u8,
        listener: u8,
    },
    Unregister {
        queue: u8,
        listener: u8,
    },
    Pause {
        queue: u8,
        reason: u8,
    },
    Resume {
        queue: u8,
    },
    Drain {
        queue: u8,
        listener: u8,
        on: bool,
    },
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
    /// With no other clients there is nothing to mend.
    Mend {
        queue: u8,
        part: &'static str,
    },
    /// A waiting listener takes the wake-up.
    Wake {
        queue: u8,
    },
    /// The data was last seen by another server.
    Restarted,
    /// The call before once more: its reply was lost.
    Again,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        30 => Just(Step::Stay),
        30 => (0..8_u32).prop_map(Step::Seconds),
        10 => (8..30_u32).prop_map(Step::Seconds),
        10 => (1..2_000_000_u32).prop_map(Step::Micros),
        1 => (60..600_u32).prop_map(Step::Seconds),
        1 => prop_oneof![60..600_u32, 3600..20_000_u32].prop_map(Step::Seconds),
        4 => (1..60_u32).prop_map(Step::Back),
        2 => (60..7200_u32).prop_map(Step::Back),
        8 => (-1..=1_i8).prop_map(Step::Deadline),
        4 => (-1..=1_i8).prop_map(Step::Due),
    ]
}

fn queue() -> impl Strategy<Value = u8> + Clone {
    prop_oneof![2 => Just(0_u8), 1 => Just(1_u8)]
}

fn listener() -> std::ops::Range<u8> {
    0..3
}

fn payload() -> std::ops::Range<u8> {
    0..5
}

fn lease() -> impl Strategy<Value = Option<u32>> + Clone {
    option::weighted(0.8, 1..120_u32)
}

fn request() -> impl Strategy<Value = Option<u8>> + Clone {
    option::weighted(0.6, 0..3_u8)
}

fn any_task() -> impl Strategy<Value = Which> + Clone {
    (0..6_u8).prop_map(Which::Any)
}

fn held_task() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![4 => (0..6_u8).prop_map(Which::Held), 1 => any_task()]
}

fn finished_task() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![3 => (0..6_u8).prop_map(Which::Finished), 1 => any_task()]
}

fn token() -> impl Strategy<Value = Key> + Clone {
    prop_oneof![
        16 => Just(Key::Last),
        3 => (0..4_u8).prop_map(Key::Older),
        1 => (0..6_u8).prop_map(Key::Of),
        1 => Just(Key::MadeUp),
        1 => Just(Key::Malformed),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (1..3_u8, option::weighted(0.3, 1..120_u32)).prop_map(|(pid, lease)| Act::Start { pid, lease }),
        3 => payload().prop_map(Act::Progress),
        3 => payload().prop_map(Act::Checkpoint),
        4 => payload().prop_map(Act::Complete),
        4 => (payload(), any::<bool>()).prop_map(|(error, group)| Act::Fail { error, group }),
        4 => any::<bool>().prop_map(|reason| Act::Release { reason }),
    ]
}

fn submit() -> BoxedStrategy<Op> {
    let eta = || option::weighted(0.3, (-20..90_i32).prop_map(Eta::In));
    // Ids of one call are mostly distinct; the same one twice is refused.
    let tasks = prop_oneof![
        4 => (0..6_u8, eta(), payload()).prop_map(|task| vec![task]),
        2 => vec((0..6_u8, eta(), payload()), 2..5),
    ];
    (any::<bool>(), queue(), tasks, option::weighted(0.7, 0..3_u32))
        .prop_map(|(free, queue, tasks, max_losses)| Op::Submit { free, queue, tasks, max_losses })
        .boxed()
}

fn reserve() -> BoxedStrategy<Op> {
    (proptest::bool::weighted(0.8), listener(), vec(queue(), 1..4), lease(), request(), any::<bool>())
        .prop_map(|(able, listener, queues, lease, request, woken)| Op::Reserve {
            able,
            listener,
            queues,
            lease,
            request,
            woken,
        })
        .boxed()
}

fn upkeep() -> BoxedStrategy<Op> {
    prop_oneof![
        4 => (queue(), 1..4_u32).prop_map(|(queue, limit)| Op::Promote { queue, limit }),
        5 => (queue(), 1..4_u32).prop_map(|(queue, limit)| Op::Requeue { queue, limit }),
        3 => (queue(), 1..4_u32, option::of(0..4_u32), option::of(0..600_u32))
            .prop_map(|(queue, limit, keep, seconds)| Op::Retain { queue, limit, keep, seconds }),
        1 => (queue(), payload()).prop_map(|(queue, reason)| Op::Pause { queue, reason }),
        2 => queue().prop_map(|queue| Op::Resume { queue }),
        2 => (queue(), listener(), any::<bool>())
            .prop_map(|(queue, listener, on)| Op::Drain { queue, listener, on }),
        2 => queue().prop_map(|queue| Op::Wake { queue }),
        1 => Just(Op::Restarted),
    ]
    .boxed()
}

fn reading() -> BoxedStrategy<Op> {
    prop_oneof![
        1 => any_task().prop_map(|task| Op::Get { task }),
        1 => (queue(), listener()).prop_map(|(queue, listener)| Op::Held { queue, listener }),
        3 => (queue(), proptest::sample::select(&STATUSES[..]), 0..3_u32, 1..4_u32)
            .prop_map(|(queue, status, cursor, limit)| Op::List { queue, status, cursor, limit }),
        1 => queue().prop_map(|queue| Op::Counts { queue }),
        1 => queue().prop_map(|queue| Op::Listeners { queue }),
        1 => Just(Op::Queues),
        2 => (queue(), proptest::sample::select(&PARTS[..])).prop_map(|(queue, part)| Op::Mend { queue, part }),
    ]
    .boxed()
}

fn call() -> impl Strategy<Value = Op> {
    let owned = prop_oneof![5 => held_task(), 1 => finished_task()];
    let owner = (owned, token(), act()).prop_map(|(task, token, act)| Op::Owner { task, token, act });
    let beat = (queue(), listener(), 1..120_u32, vec((held_task(), token()), 0..4))
        .prop_map(|(queue, listener, lease, tasks)| Op::Heartbeat { queue, listener, lease, tasks });
    let other = |most| option::weighted(0.2, 0..most);
    let adopt = (listener(), other(3_u8), other(2_u8), held_task(), lease(), request()).prop_map(
        |(listener, from, queue, task, lease, request)| Op::Adopt { listener, from, queue, task, lease, request },
    );
    let cancel =
        (prop_oneof![held_task().boxed(), any_task().boxed()], payload(), option::weighted(0.4, any::<bool>()))
            .prop_map(|(task, reason, force)| Op::Cancel { task, reason, force });
    let retry = (finished_task(), option::of(any::<bool>())).prop_map(|(task, fresh)| Op::Retry { task, fresh });
    let here = (queue(), listener());
    Union::new_weighted(vec![
        (20, submit()),
        (28, reserve()),
        (40, owner.boxed()),
        (6, beat.boxed()),
        (5, adopt.boxed()),
        (7, cancel.boxed()),
        (6, retry.boxed()),
        (6, finished_task().prop_map(|task| Op::Delete { task }).boxed()),
        (8, here.clone().prop_map(|(queue, listener)| Op::Register { queue, listener }).boxed()),
        (1, here.prop_map(|(queue, listener)| Op::Unregister { queue, listener }).boxed()),
        (18, upkeep()),
        (8, reading()),
        (8, Just(Op::Again).boxed()),
    ])
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Whether the namespace has a hash tag.
    pub tagged: bool,
    /// Whether all listeners are registered on all queues at first.
    pub listening: bool,
    pub calls: Vec<(Step, Op)>,
}

/// A call at some time; or what is due at the very time when it is, or about it.
fn timed() -> impl Strategy<Value = (Step, Op)> {
    let about = -1..=1_i8;
    prop_oneof![
        40 => (step(), call()),
        3 => (about.clone(), queue(), 1..4_u32)
            .prop_map(|(by, queue, limit)| (Step::Deadline(by), Op::Requeue { queue, limit })),
        1 => (about, queue(), 1..4_u32).prop_map(|(by, queue, limit)| (Step::Due(by), Op::Promote { queue, limit })),
    ]
}

/// 100 calls on the average, and as few as one after shrinking.
pub fn case() -> impl Strategy<Value = Case> {
    (any::<bool>(), proptest::bool::weighted(0.9), vec(timed(), 1..200)).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}
