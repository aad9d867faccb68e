//! Generates cases with graphs: tasks that wait for others, of all shapes that few ids allow.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::model::cases::{
    Theme, act, finish_and_reserve, finished_task, held_task, listener, maintenance, operators, options, payload,
    queue, register, reserve, rules, step, submit, token, waiting_task,
};
use crate::model::ops::{Act, Bulk, Case, Eta, Key, Need, Op, Part, Step, Which};

/// Main subject of a case, so that related calls meet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum About {
    All,
    Cascades,
    Holds,
    Walks,
    LateEdges,
    Deadlines,
    Children,
    Sets,
}

/// Options of tasks of graphs.
const FEW: [(&str, &str); 6] =
    [("priority", "5"), ("weight", "2"), ("key", "k"), ("tags", "x,y"), ("lease", "5"), ("max_failures", "1")];

/// Values; the last two are refused.
const VALUES: [&str; 5] = ["17", "\"v\"", "{\"a\":[1]}", "", "no"];

fn upstream() -> impl Strategy<Value = Which> + Clone {
    prop_oneof![
        6 => (0..8_u8).prop_map(Which::Waiting),
        3 => (0..8_u8).prop_map(Which::Held),
        2 => (0..8_u8).prop_map(Which::Finished),
        1 => (0..8_u8).prop_map(Which::Any),
        5 => (0..8_u8).prop_map(Which::Member),
    ]
}

/// A task of a set: any existing task.
fn one_of_set() -> impl Strategy<Value = Which> + Clone {
    let there = (0..8_u8).prop_map(Which::There);
    prop_oneof![6 => there, 3 => (0..8_u8).prop_map(Which::Member), 1 => upstream()]
}

fn need() -> impl Strategy<Value = Need> {
    let value = prop_oneof![12 => 0..3_usize, 1 => 3..5_usize];
    prop_oneof![
        4 => upstream().prop_map(|up| Need::Edge("success", up)),
        2 => upstream().prop_map(|up| Need::Edge("after", up)),
        2 => upstream().prop_map(|up| Need::Edge("failure", up)),
        6 => upstream().prop_map(|up| Need::Result(up, 0)),
        2 => upstream().prop_map(|up| Need::Optional(up, 0)),
        2 => value.prop_map(|value| Need::Value(VALUES[value], 0)),
    ]
}

/// Needs of a task: mostly some of several.
fn of_set() -> impl Strategy<Value = Vec<Need>> {
    let one = prop_oneof![
        8 => one_of_set().prop_map(|up| Need::Edge("some", up)),
        6 => one_of_set().prop_map(|up| Need::Some(up, 0)),
        3 => need(),
    ];
    (vec(one, 1..6), option::weighted(0.7, 1..4_u8), any::<bool>()).prop_map(|(mut needs, least, last)| {
        if let Some(least) = least {
            needs.insert(if last { needs.len() } else { 0 }, Need::Least(least));
        }
        needs
    })
}

/// Later needs of a task. At times the only change is another number.
fn needs(about: About, most: usize) -> BoxedStrategy<Vec<Need>> {
    if about != About::Sets {
        return vec(need(), 1..most).boxed();
    }
    let number = (1..4_u8).prop_map(|least| vec![Need::Least(least)]);
    prop_oneof![8 => of_set(), if most < 5 { 3 } else { 0 } => number].boxed()
}

/// A deadline: often with cases about those.
fn deadline(about: About) -> impl Strategy<Value = Option<Eta>> {
    let often = if about == About::Deadlines { 0.4 } else { 0.04 };
    option::weighted(often, (-1..60_i32).prop_map(Eta::In))
}

fn eta() -> impl Strategy<Value = Option<Eta>> {
    option::weighted(0.2, (-20..90_i32).prop_map(Eta::In))
}

/// Tasks that wait for earlier ones.
fn dependent_of(about: About) -> impl Strategy<Value = Op> {
    let tasks = vec((0..8_u8, eta(), payload()), 1..3);
    let options = prop_oneof![7 => options(Theme::All), 1 => options(Theme::Names)];
    let task = (queue(), tasks, options, deadline(about));
    (proptest::bool::weighted(0.9), task, needs(about, 5), 0..4_u8).prop_map(
        |(free, (queue, tasks, options, deadline), needs, turn)| Op::Submit {
            free,
            queue,
            tasks,
            options,
            deadline,
            needs,
            turn,
        },
    )
}

fn part(about: About) -> impl Strategy<Value = Part> {
    let task = prop_oneof![
        9 => Just(Which::Free),
        2 => (0..8_u8).prop_map(Which::Member),
        1 => (0..8_u8).prop_map(Which::Any),
    ];
    let options = vec(select(&FEW[..]), 0..2);
    let needs = prop_oneof![1 => Just(Vec::new()), 2 => needs(about, 5)];
    (task, queue(), eta(), payload(), needs, 0..4_u8, options, deadline(about), any::<bool>()).prop_map(
        |(task, queue, eta, parameters, needs, turn, options, deadline, label)| Part {
            task,
            queue,
            eta,
            parameters,
            needs,
            turn,
            options,
            deadline,
            label,
        },
    )
}

fn graph_of(about: About) -> impl Strategy<Value = Op> {
    let rest = prop_oneof![if about == About::All { 3 } else { 15 } => Just(0_u8), 2 => 1..4_u8];
    let goes_on = option::weighted(0.7, 0..2_u8);
    let words = match about {
        About::Cascades => vec![Some("cancel"), None],
        About::Holds => vec![Some("hold")],
        About::All => vec![Some("continue")],
        _ => vec![Some("continue"), Some("cancel"), Some("hold")],
    };
    let bound = option::weighted(0.1, (queue(), 0..2_u8, 1..3_u32));
    // Digests within a graph mostly agree.
    let digest = option::weighted(0.3, prop_oneof![9 => Just(0_u8), 1 => Just(1)]);
    let facts = (any::<bool>(), select(words), deadline(about), digest, bound);
    (vec(part(about), 1..6), rest, goes_on, facts, proptest::bool::weighted(0.05)).prop_map(
        |(parts, rest, goes_on, (name, on_failure, deadline, digest, bound), rude)| {
            let (graph, total, request) = (String::new(), 0, 0);
            Op::Graph { graph, total, request, rest, goes_on, parts, name, on_failure, deadline, digest, bound, rude }
        },
    )
}

pub fn dependent() -> impl Strategy<Value = Op> {
    dependent_of(About::All)
}

pub fn graph() -> impl Strategy<Value = Op> {
    graph_of(About::All)
}

/// Edges that come or go later, and attempts that wait for others.
fn late(about: About) -> impl Strategy<Value = Op> {
    let task = || prop_oneof![3 => waiting_task(), 2 => (0..8_u8).prop_map(Which::Blocked)];
    prop_oneof![
        5 => (task(), needs(about, 3), 0..8_u8).prop_map(|(task, needs, turn)| Op::Depend { task, needs, turn }),
        3 => ((0..8_u8).prop_map(Which::Blocked), 0..4_u8, upstream())
            .prop_map(|(task, number, up)| Op::Undepend { task, number, up }),
    ]
}

fn suspend(about: About) -> impl Strategy<Value = Op> {
    let key = prop_oneof![12 => Just(Key::Last), 1 => token()];
    let child = || upstream().prop_filter("another", |up| !matches!(up, Which::Held(_)));
    let edge = prop_oneof![
        6 => child().prop_map(|up| Need::Edge("success", up)),
        3 => child().prop_map(|up| Need::Edge("after", up)),
        2 => child().prop_map(|up| Need::Edge("failure", up)),
        1 => need(),
    ];
    let needs = if about == About::Sets {
        let one = prop_oneof![5 => child().prop_map(|up| Need::Edge("some", up)), 1 => edge];
        (vec(one, 1..5), option::weighted(0.6, 1..4_u8))
            .prop_map(|(mut needs, least)| {
                needs.extend(least.map(Need::Least));
                needs
            })
            .boxed()
    } else {
        vec(edge, 1..4).boxed()
    };
    (held_task(), key, needs, 0..3_u8).prop_map(|(task, token, needs, reason)| Op::Suspend {
        task,
        token,
        needs,
        reason,
    })
}

/// Walks through a graph.
pub fn walk() -> impl Strategy<Value = Op> {
    let task = || {
        let member = (0..6_u8).prop_map(Which::Member);
        option::weighted(0.6, prop_oneof![15 => member, 1 => (0..8_u8).prop_map(Which::Any)])
    };
    let force = option::weighted(0.3, any::<bool>());
    prop_oneof![
        2 => (0..3_u8, task(), payload(), force).prop_map(|(number, task, reason, force)| Op::CancelGraph {
            graph: String::new(),
            number,
            task,
            reason,
            force,
        }),
        3 => (0..3_u8, task()).prop_map(|(number, task)| Op::RetryGraph {
            graph: String::new(),
            number,
            tasks: several(number, task),
        }),
    ]
}

/// A third of the members of a graph with one or two more. Nothing is drawn for it: the seeds of the planted bugs hold.
fn several(number: u8, task: Option<Which>) -> Vec<Which> {
    let more = match task {
        Some(Which::Member(at)) if (number + at).is_multiple_of(3) => &[2, 3][..usize::from(1 + at % 2)],
        _ => &[],
    };
    let first = if let Some(Which::Member(at)) = task { at } else { 0 };
    task.into_iter().chain(more.iter().map(|more| Which::Member((first + more) % 6))).collect()
}

pub fn settle() -> impl Strategy<Value = Op> {
    prop_oneof![3 => 1..4_u32, 1 => Just(100)].prop_map(|limit| Op::Settle { limit })
}

/// Ends: mostly with a result that others can take.
fn end() -> impl Strategy<Value = Op> {
    let result = select(vec![0, 4, 5, 5, 6, 6, 1]);
    let complete = result.prop_map(|result| Act::Complete { result, cost: None });
    let fail = payload().prop_map(|error| Act::Fail { error, group: false, again: None, last: Some(true), cost: None });
    let act = prop_oneof![6 => complete, 2 => fail, 2 => act()];
    let key = prop_oneof![12 => Just(Key::Last), 1 => token()];
    (held_task(), key, act).prop_map(|(task, token, act)| Op::Owner { task, token, act })
}

fn call(about: About) -> impl Strategy<Value = Op> {
    let show = (0..4_u8, 0..3_u32, 1..5_u32).prop_map(|(number, cursor, limit)| {
        let graph = String::new();
        Op::ShowGraph { graph, number, cursor, limit }
    });
    let cancel = (prop_oneof![3 => waiting_task().boxed(), 1 => held_task().boxed()], payload(), any::<bool>())
        .prop_map(|(task, reason, at_once)| Op::Cancel { task, reason, force: None, at_once: Some(at_once) });
    let retry = (finished_task(), option::of(any::<bool>()), deadline(about))
        .prop_map(|(task, fresh, deadline)| Op::Retry { task, fresh, deadline });
    let often = |theme, weight, else_| if about == theme { weight } else { else_ };
    let list = (queue(), 0..3_u32, 1..4_u32).prop_map(|(queue, cursor, limit)| Op::List {
        queue,
        status: "waiting",
        cursor,
        limit,
    });
    let purge = queue().prop_map(|queue| Op::Bulk { queue, action: Bulk::Purge });
    Union::new_weighted(vec![
        (
            if matches!(about, About::Cascades | About::Holds | About::Walks) { 4 } else { 22 },
            dependent_of(about).boxed(),
        ),
        (if about == About::Sets { 30 } else { 10 }, submit(Theme::All)),
        (20, graph_of(about).boxed()),
        (often(About::Walks, 50, 30), settle().boxed()),
        (if about == About::Sets { 6 } else { often(About::Walks, 16, 2) }, walk().boxed()),
        (if about == About::Sets { 14 } else { often(About::LateEdges, 24, 2) }, late(about).boxed()),
        (if about == About::Sets { 6 } else { often(About::Children, 24, 2) }, suspend(about).boxed()),
        (5, show.boxed()),
        (30, reserve()),
        (34, end().boxed()),
        (6, finish_and_reserve()),
        (10, cancel.boxed()),
        (12, retry.boxed()),
        (12, finished_task().prop_map(|task| Op::Delete { task }).boxed()),
        (8, maintenance()),
        (8, operators()),
        (1, purge.boxed()),
        (2, rules(Theme::All)),
        (3, list.boxed()),
        (2, prop_oneof![waiting_task(), finished_task()].prop_map(|task| Op::History { task }).boxed()),
        (2, waiting_task().prop_map(|task| Op::Get { task }).boxed()),
        (1, queue().prop_map(|queue| Op::Counts { queue }).boxed()),
        (3, queue().prop_map(|queue| Op::Repair { queue, part: "waiting" }).boxed()),
        (3, register()),
        (1, listener().prop_map(|listener| Op::Drain { queue: 0, listener, on: false }).boxed()),
        (6, Just(Op::Again).boxed()),
        (4, Just(Op::Resend).boxed()),
    ])
}

fn timed(about: About) -> impl Strategy<Value = (Step, Op)> {
    prop_oneof![
        60 => (step(), call(about)),
        if about == About::Deadlines { 6 } else { 1 } => (-1..=1_i8, 1..4_u32)
            .prop_map(|(by, limit)| (Step::Overdue(by), Op::Settle { limit })),
        1 => (-1..=1_i8, 1..4_u32).prop_map(|(by, limit)| (Step::Sweep(by), Op::Settle { limit })),
    ]
}

pub fn case() -> impl Strategy<Value = Case> {
    let of = |about| vec(timed(about), 1..200);
    let calls = prop_oneof![
        3 => of(About::All),
        2 => of(About::Cascades),
        2 => of(About::Holds),
        3 => of(About::Walks),
        2 => of(About::LateEdges),
        2 => of(About::Deadlines),
        2 => of(About::Children),
    ];
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}

/// Cases about tasks that need only some of several upstreams.
pub fn sets() -> impl Strategy<Value = Case> {
    let calls = vec(timed(About::Sets), 1..200);
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}
