//! Generates cases.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::model::arguments::{HAS, KEYS, OF_ALL, RATES};
use crate::model::ops::{
    Act, Asks, Bulk, Case, Eta, Key, Op, Options, Order, PARTS, Plan, REASONS, SCHEDULES, Step, TAGS, Which,
};

const STATUSES: [&str; 9] =
    ["all", "scheduled", "pending", "held", "reserved", "started", "complete", "failed", "cancelled"];

/// Options of new tasks, and their values.
const OPTIONS: [(&str, &[&str]); 14] = [
    ("max_losses", &["0", "1", "2"]),
    ("max_failures", &["0", "1", "3"]),
    ("log_bytes", &["0", "5000"]),
    ("max_releases", &["0", "1", "3"]),
    ("backoff", &["fixed", "exponential"]),
    ("delay", &["0", "3", "20"]),
    ("max_delay", &["1", "30"]),
    ("jitter", &["0", "50"]),
    ("lease", &["5", "90"]),
    ("priority", &["-3", "0", "5", "1000"]),
    ("weight", &["1", "2", "3"]),
    ("needs", &["gpu", "cores>=4", "gpu,cores>=4", "cores<4"]),
    ("tags", &["x", "x,y", "y,x,z"]),
    ("method", &["m"]),
];

pub fn step() -> impl Strategy<Value = Step> {
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
        6 => (-1..=1_i8).prop_map(Step::Due),
    ]
}

pub fn queue() -> impl Strategy<Value = u8> + Clone {
    prop_oneof![3 => Just(0_u8), 1 => Just(1_u8)]
}

pub fn listener() -> std::ops::Range<u8> {
    0..3
}

pub fn payload() -> std::ops::Range<u8> {
    0..5
}

fn index<T>(of: &[T]) -> std::ops::Range<u8> {
    0..u8::try_from(of.len()).unwrap()
}

fn lease() -> impl Strategy<Value = Option<u32>> + Clone {
    option::weighted(0.8, 1..120_u32)
}

fn request() -> impl Strategy<Value = Option<u8>> + Clone {
    option::weighted(0.6, 0..3_u8)
}

fn any_task() -> impl Strategy<Value = Which> + Clone {
    (0..8_u8).prop_map(Which::Any)
}

pub fn held_task() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![7 => (0..8_u8).prop_map(Which::Held), 1 => any_task()]
}

pub fn finished_task() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![7 => (0..8_u8).prop_map(Which::Finished), 1 => any_task()]
}

pub fn token() -> impl Strategy<Value = Key> + Clone {
    prop_oneof![
        16 => Just(Key::Last),
        3 => (0..4_u8).prop_map(Key::Older),
        1 => (0..8_u8).prop_map(Key::Of),
        1 => Just(Key::MadeUp),
        1 => Just(Key::Malformed),
    ]
}

pub fn act() -> impl Strategy<Value = Act> {
    let again = || option::weighted(0.2, prop_oneof![Just(0), 1..20_u32]);
    let cost = || option::weighted(0.7, payload());
    let fail = (payload(), any::<bool>(), again(), option::weighted(0.2, any::<bool>()), cost()).prop_map(
        |(error, group, again, last, cost)| {
            let last = last.filter(|_| again.is_none());
            Act::Fail { error, group, again, last, cost }
        },
    );
    prop_oneof![
        12 => (1..3_u8, option::weighted(0.3, 1..120_u32)).prop_map(|(pid, lease)| Act::Start { pid, lease }),
        3 => payload().prop_map(Act::Progress),
        3 => payload().prop_map(Act::Checkpoint),
        3 => (option::weighted(0.8, 1..4_u8), option::weighted(0.2, Just(())))
            .prop_map(|(answered, refused)| Act::Attend { answered, refused: refused.is_some() }),
        5 => (payload(), cost()).prop_map(|(result, cost)| Act::Complete { result, cost }),
        9 => fail,
        5 => (index(&REASONS), option::weighted(0.3, 0..20_u32), option::weighted(0.3, any::<bool>()), cost())
            .prop_map(|(reason, again, uncounted, cost)| Act::Release { reason, again, uncounted, cost }),
        3 => Just(Act::Lost),
    ]
}

fn option_of(choices: &[(&'static str, &[&'static str])]) -> impl Strategy<Value = Options> + use<> {
    let mut all = Vec::new();
    for (name, values) in choices {
        all.extend(values.iter().map(|value| vec![(*name, *value)]));
    }
    select(all)
}

/// A unique name with its options; or these without a name, which is refused.
fn unique() -> impl Strategy<Value = Options> {
    let name = option::weighted(0.98, select(&["k", "u"][..]));
    let until = option::weighted(0.4, select(&["end", "start", "20"][..]));
    let policy = option::weighted(0.8, select(&["reject", "existing", "replace", "replace", "latest", "latest"][..]));
    (name, until, policy).prop_map(|(name, until, policy)| {
        let until = until.filter(|_| policy != Some("latest"));
        let all = [("unique", name), ("unique_until", until), ("unique_policy", policy)];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    })
}

/// The theme of a case, so that related things meet.
#[derive(Clone, Copy, Debug)]
pub enum Theme {
    All,
    Limits,
    Shared,
    Names,
    Tries,
    Slots,
}

pub fn options(theme: Theme) -> BoxedStrategy<Options> {
    let key = || select(&KEYS[..2]).prop_map(|key| vec![("key", key)]);
    let weight = option_of(&OPTIONS[9..10]);
    let any = || prop_oneof![6 => option_of(&OPTIONS), 3 => key(), 2 => unique()];
    let one = match theme {
        Theme::All | Theme::Slots => any().boxed(),
        Theme::Limits => prop_oneof![4 => key(), 3 => weight, 2 => option_of(&OPTIONS[8..11])].boxed(),
        Theme::Shared => {
            let limits = select(&["database", "gpu", "database:2", "database,gpu", "database,gpu:2"][..]);
            let limits = limits.prop_map(|limits| vec![("limits", limits)]);
            prop_oneof![9 => limits, 1 => key(), 1 => weight, 1 => option_of(&OPTIONS[9..12])].boxed()
        }
        Theme::Names => prop_oneof![5 => unique(), 1 => any()].boxed(),
        Theme::Tries => prop_oneof![4 => option_of(&OPTIONS[1..2]), 5 => option_of(&OPTIONS[..8]), 1 => any()].boxed(),
    };
    let several = vec(one, 1..5).prop_map(|parts| {
        let mut options = Options::new();
        for (name, value) in parts.into_iter().flatten() {
            if options.iter().all(|(other, _)| *other != name) {
                options.push((name, value));
            }
        }
        options
    });
    // Versions of one name, so that an attempt comes back while a newer one waits.
    let latest = option::weighted(0.4, Just(("max_failures", "3"))).prop_map(|tries| {
        let mut options = vec![("unique", "k"), ("unique_policy", "latest")];
        options.extend(tries);
        options
    });
    let versions = if matches!(theme, Theme::Names) { 8 } else { 1 };
    prop_oneof![2 => Just(Options::new()), 1 => option_of(&OPTIONS[..1]), 5 => several, versions => latest].boxed()
}

/// A submit of tasks that wait for nothing.
fn plain(free: bool, queue: u8, tasks: Vec<(u8, Option<Eta>, u8)>, options: Options) -> Op {
    Op::Submit { free, queue, tasks, options, deadline: None, needs: Vec::new(), turn: 0 }
}

pub fn submit(theme: Theme) -> BoxedStrategy<Op> {
    let eta = || option::weighted(0.3, (-20..90_i32).prop_map(Eta::In));
    // Ids within a call are mostly distinct; an id that comes twice is refused.
    let tasks = prop_oneof![
        5 => (0..8_u8, eta(), payload()).prop_map(|task| vec![task]),
        3 => vec((0..8_u8, eta(), payload()), 2..5),
    ];
    (proptest::bool::weighted(0.85), queue(), tasks, options(theme))
        .prop_map(|(free, queue, tasks, options)| plain(free, queue, tasks, options))
        .boxed()
}

fn asks() -> impl Strategy<Value = Asks> {
    let weights = vec(1..4_u32, 3..4);
    let order = option::weighted(
        0.3,
        prop_oneof![1 => Just(Order::Strict), 2 => Just(Order::Round), 3 => weights.prop_map(Order::Weighted)],
    );
    (lease(), request(), option::weighted(0.3, 1..3_u8), any::<bool>(), order)
        .prop_map(|(lease, request, pid, woken, order)| Asks { lease, request, pid, woken, order })
}

/// Cuts the weights of a call to one for each queue.
fn weighed(asks: Asks, queues: &[u8]) -> Asks {
    let order = asks.order.and_then(|order| match order {
        Order::Weighted(weights) => (!queues.is_empty()).then(|| Order::Weighted(weights[..queues.len()].to_vec())),
        other => Some(other),
    });
    Asks { order, ..asks }
}

pub fn reserve() -> BoxedStrategy<Op> {
    let limit = option::weighted(0.4, 1..6_u8);
    (proptest::bool::weighted(0.8), listener(), vec(queue(), 1..4), limit, asks())
        .prop_map(|(able, listener, queues, limit, asks)| {
            let asks = weighed(asks, &queues);
            Op::Reserve { able, listener, queues, limit, asks }
        })
        .boxed()
}

/// Ends of several attempts, and the next tasks.
pub fn finish_and_reserve() -> BoxedStrategy<Op> {
    let done = (payload(), option::weighted(0.3, payload())).prop_map(|(result, cost)| Act::Complete { result, cost });
    let act = prop_oneof![3 => done, 1 => act().prop_filter("an end", Act::is_end)];
    let ends = vec((held_task(), token(), act), 0..5);
    (proptest::bool::weighted(0.9), listener(), vec(queue(), 0..3), 1..5_u8, ends, asks())
        .prop_map(|(able, listener, queues, limit, ends, asks)| {
            let asks = weighed(asks, &queues);
            Op::FinishAndReserve { able, listener, queues, limit, ends, asks }
        })
        .boxed()
}

pub fn maintenance() -> BoxedStrategy<Op> {
    prop_oneof![
        5 => (queue(), 1..4_u32).prop_map(|(queue, limit)| Op::Promote { queue, limit }),
        5 => (queue(), 1..4_u32).prop_map(|(queue, limit)| Op::RequeueOrphans { queue, limit }),
        3 => (queue(), 1..4_u32, option::of(0..4_u32), option::of(0..600_u32))
            .prop_map(|(queue, limit, keep, seconds)| Op::Prune { queue, limit, keep, seconds }),
        1 => (queue(), payload(), option::of(any::<bool>()))
            .prop_map(|(queue, reason, stop)| Op::Pause { queue, reason, stop }),
        2 => queue().prop_map(|queue| Op::Resume { queue }),
        2 => (queue(), listener(), any::<bool>())
            .prop_map(|(queue, listener, on)| Op::Drain { queue, listener, on }),
        4 => (listener(), select(vec![vec![0_u8], vec![1], vec![0, 1], vec![1, 0]]), 0..3_u8, option::weighted(0.6, index(&HAS)), option::of(any::<bool>()))
            .prop_map(|(listener, queues, free, has, draining)| Op::Report { listener, queues, free, has, draining }),
        2 => queue().prop_map(|queue| Op::Wake { queue }),
        1 => Just(Op::Restarted),
    ]
    .boxed()
}

pub fn waiting_task() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![7 => (0..8_u8).prop_map(Which::Waiting), 1 => any_task()]
}

/// Actions of operators.
pub fn operators() -> BoxedStrategy<Op> {
    let priority = || select(&[-3_i16, 0, 5][..]);
    let bulk = prop_oneof![
        1 => Just(Bulk::Purge),
        1 => any::<[bool; 2]>().prop_map(|[force, at_once]| Bulk::Cancel { force, at_once }),
        2 => priority().prop_map(Bulk::Prioritise),
    ];
    prop_oneof![
        6 => (waiting_task(), priority()).prop_map(|(task, priority)| Op::Prioritise { task, priority }),
        6 => (waiting_task(), any::<bool>()).prop_map(|(task, on)| Op::Hold { task, on }),
        6 => (held_task(), 0..3_u8).prop_map(|(task, what)| Op::Control { task, what }),
        5 => (waiting_task(), queue()).prop_map(|(task, queue)| Op::Move { task, queue }),
        12 => (any_task(), vec(index(&TAGS), 1..4), any::<bool>()).prop_map(|(task, tags, on)| Op::Tag { task, tags, on }),
        1 => (queue(), bulk).prop_map(|(queue, action)| Op::Bulk { queue, action }),
        1 => queue().prop_map(|queue| Op::Forget { queue }),
    ]
    .boxed()
}

pub fn schedules() -> BoxedStrategy<Op> {
    let name = || index(&SCHEDULES);
    let recurrence = select(&[(10, 0), (30, 7), (60, 0), (3600, 100)][..]);
    let overlap = select(&["skip", "allow", "queue", "cancel"][..]);
    let missed = select(&["one", "skip", "all"][..]);
    let plan = (queue(), recurrence, 0..2_u8, overlap, missed, proptest::bool::weighted(0.3)).prop_map(
        |(queue, (every, offset), parameters, overlap, missed, urgent)| Plan {
            queue,
            every,
            offset,
            parameters,
            overlap,
            missed,
            urgent,
        },
    );
    prop_oneof![
        6 => (1..4_u32).prop_map(|limit| Op::Tick { limit }),
        2 => (name(), plan).prop_map(|(name, plan)| Op::Schedule { name, plan }),
        1 => name().prop_map(|name| Op::RunSchedule { name }),
        1 => (name(), any::<bool>()).prop_map(|(name, on)| Op::PauseSchedule { name, on }),
        1 => name().prop_map(|name| Op::Unschedule { name }),
    ]
    .boxed()
}

/// Settings by operators.
pub fn rules(theme: Theme) -> BoxedStrategy<Op> {
    let settings = match theme {
        Theme::Limits => 0..7,
        Theme::Tries => 7..13,
        _ => 0..OF_ALL,
    };
    let places = option::weighted(0.7, 1..4_u32);
    let rules = prop_oneof![
        4 => (option::weighted(0.8, queue()), settings, 0..8_u8)
            .prop_map(|(queue, setting, value)| Op::Configure { queue, setting, value }),
        2 => (queue(), 0..2_u8, places, option::weighted(0.5, index(&RATES)))
            .prop_map(|(queue, key, places, rate)| Op::Limit { queue, key, places, rate }),
    ]
    .boxed();
    let expires = option::weighted(0.5, 60..120_u32);
    let share = (0..2_u8, option::weighted(0.8, 2..4_u32), option::weighted(0.3, index(&RATES)), expires).prop_map(
        |(limit, places, rate, expires)| {
            let places = places.or(rate.map_or(Some(3), |_| None));
            Op::Share { limit, places, rate, expires }
        },
    );
    let unshare = (0..2_u8).prop_map(|limit| Op::Share { limit, places: None, rate: None, expires: None });
    let share = prop_oneof![6 => share, 1 => unshare];
    if matches!(theme, Theme::Shared) { prop_oneof![9 => share, 6 => rules].boxed() } else { rules }
}

pub fn reading() -> BoxedStrategy<Op> {
    prop_oneof![
        1 => any_task().prop_map(|task| Op::Get { task }),
        6 => any_task().prop_map(|task| Op::History { task }),
        3 => any_task().prop_map(|task| Op::Note { task }),
        3 => (queue(), 1..40_u32).prop_map(|(queue, limit)| Op::Aggregate { queue, limit }),
        1 => (queue(), listener()).prop_map(|(queue, listener)| Op::Held { queue, listener }),
        3 => (queue(), select(&STATUSES[..]), 0..3_u32, 1..4_u32)
            .prop_map(|(queue, status, cursor, limit)| Op::List { queue, status, cursor, limit }),
        1 => queue().prop_map(|queue| Op::Counts { queue }),
        1 => queue().prop_map(|queue| Op::Listeners { queue }),
        1 => Just(Op::Queues),
        1 => Just(Op::Workers),
        1 => (queue(), any::<bool>()).prop_map(|(queue, used)| Op::Limits { queue, used }),
        2 => (queue(), select(&PARTS[..])).prop_map(|(queue, part)| Op::Repair { queue, part }),
    ]
    .boxed()
}

/// Repairs of shared limits, when one may have expired.
fn repair_shared() -> BoxedStrategy<(Step, Op)> {
    let step = prop_oneof![2 => Just(Step::Stay), 3 => (59..130_u32).prop_map(Step::Seconds)];
    (step, queue()).prop_map(|(step, queue)| (step, Op::Repair { queue, part: "places" })).boxed()
}

pub fn register() -> BoxedStrategy<Op> {
    (queue(), listener(), option::weighted(0.6, index(&HAS)))
        .prop_map(|(queue, listener, has)| Op::Register { queue, listener, has })
        .boxed()
}

pub fn call(theme: Theme) -> impl Strategy<Value = Op> {
    let owned = prop_oneof![9 => held_task(), 1 => finished_task()];
    let owner = (owned, token(), act()).prop_map(|(task, token, act)| Op::Owner { task, token, act });
    let late = (finished_task(), prop_oneof![Just(Key::Last), (0..4_u8).prop_map(Key::Older)], payload())
        .prop_map(|(task, token, result)| Op::Owner { task, token, act: Act::Complete { result, cost: Some(result) } });
    let drained = (
        held_task(),
        prop_oneof![
            Just(Act::Checkpoint(1)),
            Just(Act::Release { reason: 2, again: None, uncounted: None, cost: Some(1) })
        ],
    )
        .prop_map(|(task, act)| Op::Owner { task, token: Key::Last, act });
    let beat = (queue(), listener(), 1..120_u32, vec((held_task(), token()), 0..4))
        .prop_map(|(queue, listener, lease, tasks)| Op::Heartbeat { queue, listener, lease, tasks });
    let other = |most| option::weighted(0.2, 0..most);
    let adopt = (listener(), other(3_u8), other(2_u8), held_task(), lease(), request()).prop_map(
        |(listener, from, queue, task, lease, request)| Op::Adopt { listener, from, queue, task, lease, request },
    );
    let cancel = (
        prop_oneof![2 => held_task().boxed(), 1 => any_task().boxed(), 1 => waiting_task().boxed()],
        payload(),
        option::weighted(0.6, any::<bool>()),
        option::weighted(0.5, any::<bool>()),
    )
        .prop_map(|(task, reason, force, at_once)| Op::Cancel { task, reason, force, at_once });
    let requeue =
        (prop_oneof![3 => held_task().boxed(), 1 => any_task().boxed()], option::weighted(0.6, any::<bool>()))
            .prop_map(|(task, at_once)| Op::Requeue { task, at_once });
    let retry = (finished_task(), option::of(any::<bool>())).prop_map(|(task, fresh)| Op::Retry {
        task,
        fresh,
        deadline: None,
    });
    let here = (queue(), listener());
    Union::new_weighted(vec![
        (36, submit(theme)),
        (34, reserve()),
        (14, finish_and_reserve()),
        (40, owner.boxed()),
        (2, late.boxed()),
        (if matches!(theme, Theme::Names) { 16 } else { 1 }, drained.boxed()),
        (6, beat.boxed()),
        (if matches!(theme, Theme::Limits) { 15 } else { 5 }, adopt.boxed()),
        (9, cancel.boxed()),
        (4, requeue.boxed()),
        (6, retry.boxed()),
        (16, finished_task().prop_map(|task| Op::Delete { task }).boxed()),
        (9, register()),
        (1, here.prop_map(|(queue, listener)| Op::Unregister { queue, listener }).boxed()),
        (18, maintenance()),
        (if matches!(theme, Theme::Shared) { 14 } else { 9 }, rules(theme)),
        (12, operators()),
        (if matches!(theme, Theme::Slots) { 60 } else { 1 }, schedules()),
        (11, reading()),
        (8, Just(Op::Again).boxed()),
        (4, Just(Op::Overtaken).boxed()),
    ])
}

/// A call at some time; or work that is due at exactly that time, or close to it.
pub fn timed(theme: Theme) -> impl Strategy<Value = (Step, Op)> {
    let about = -1..=1_i8;
    prop_oneof![
        40 => (step(), call(theme)),
        3 => (about.clone(), queue(), 1..4_u32)
            .prop_map(|(by, queue, limit)| (Step::Deadline(by), Op::RequeueOrphans { queue, limit })),
        2 => (about, queue(), 1..4_u32).prop_map(|(by, queue, limit)| (Step::Due(by), Op::Promote { queue, limit })),
    ]
}

/// An attempt is drained with a checkpoint while a newer version of its task waits. A few of its calls are left
/// out, and after a failure all that are not needed for it.
fn drained_version() -> impl Strategy<Value = Vec<(Step, Op)>> {
    let made = [0.97, 0.97, 0.97, 0.97, 0.97, 0.97, 0.5, 0.97].map(proptest::bool::weighted);
    (queue(), [0..8_u8, 0..8_u8], made).prop_map(|(queue, [old, new], made)| {
        let versions = || vec![("unique", "k"), ("unique_policy", "latest")];
        let submit = |task| plain(true, queue, vec![(task, None, 0)], versions());
        let reserve = |listener| Op::Reserve {
            able: true,
            listener,
            queues: vec![queue],
            limit: None,
            asks: Asks { lease: Some(60), ..Asks::default() },
        };
        let own = |act| Op::Owner { task: Which::Held(0), token: Key::Last, act };
        let calls = [
            submit(old),
            reserve(0),
            own(Act::Checkpoint(1)),
            submit(new),
            own(Act::Release { reason: 2, again: None, uncounted: None, cost: Some(1) }),
            reserve(1),
            own(Act::Start { pid: 1, lease: None }),
            reserve(2),
        ];
        calls.into_iter().zip(made).filter(|(_, made)| *made).map(|(call, _)| (Step::Stay, call)).collect()
    })
}

/// Cases about shared limits.
pub fn shared() -> impl Strategy<Value = Case> {
    (
        any::<bool>(),
        proptest::bool::weighted(0.9),
        vec(prop_oneof![25 => timed(Theme::Shared), 1 => repair_shared()], 1..200),
    )
        .prop_map(|(tagged, listening, calls)| Case { tagged, listening, calls })
}

/// Cases about queues by pattern.
pub fn patterns() -> impl Strategy<Value = Case> {
    let ready = (step(), listener().prop_map(|listener| Op::Ready { listener }));
    let calls = vec(prop_oneof![5 => timed(Theme::All), 1 => ready], 1..200);
    (any::<bool>(), proptest::bool::weighted(0.9), calls).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}

/// 100 calls on the average, and as few as one after shrinking.
pub fn case() -> impl Strategy<Value = Case> {
    let of = |theme| vec(timed(theme), 1..200);
    let single = timed(Theme::Names).prop_map(|call| vec![call]);
    let names = vec(prop_oneof![40 => single, 1 => drained_version()], 1..200);
    let calls = prop_oneof![
        3 => of(Theme::All),
        4 => of(Theme::Limits),
        2 => names.prop_map(|calls| calls.concat()),
        2 => of(Theme::Tries),
        2 => of(Theme::Slots),
    ];
    (any::<bool>(), proptest::bool::weighted(0.9), calls).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}
