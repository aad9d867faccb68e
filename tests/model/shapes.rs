//! How cases with graphs are generated: tasks that wait for others, of all shapes that few ids allow.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::model::arbitrary::{
    Theme, act, exchange, finished_task, held_task, listener, operators, options, payload, queue, register, reserve,
    rules, step, submit, token, upkeep, waiting_task,
};
use crate::model::ops::{Act, Bulk, Case, Eta, Key, Need, Op, Part, Step, Which};

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

fn need() -> impl Strategy<Value = Need> {
    let value = prop_oneof![12 => 0..3_usize, 1 => 3..5_usize];
    prop_oneof![
        4 => upstream().prop_map(|up| Need::Edge("success", up)),
        2 => upstream().prop_map(|up| Need::Edge("after", up)),
        2 => upstream().prop_map(|up| Need::Edge("failure", up)),
        6 => upstream().prop_map(|up| Need::Result(up, 0)),
        2 => value.prop_map(|value| Need::Value(VALUES[value], 0)),
    ]
}

fn eta() -> impl Strategy<Value = Option<Eta>> {
    option::weighted(0.2, (-20..90_i32).prop_map(Eta::In))
}

/// Tasks that wait for earlier ones.
fn dependent() -> impl Strategy<Value = Op> {
    let tasks = vec((0..8_u8, eta(), payload()), 1..3);
    (proptest::bool::weighted(0.9), queue(), tasks, options(Theme::All), vec(need(), 1..5), 0..4_u8)
        .prop_map(|(free, queue, tasks, options, needs, turn)| Op::Submit { free, queue, tasks, options, needs, turn })
}

fn part() -> impl Strategy<Value = Part> {
    let task = prop_oneof![
        9 => Just(Which::Free),
        2 => (0..8_u8).prop_map(Which::Member),
        1 => (0..8_u8).prop_map(Which::Any),
    ];
    let options = vec(select(&FEW[..]), 0..2);
    let needs = prop_oneof![1 => Just(Vec::new()), 2 => vec(need(), 1..5)];
    (task, queue(), eta(), payload(), needs, 0..4_u8, options, any::<bool>()).prop_map(
        |(task, queue, eta, parameters, needs, turn, options, label)| Part {
            task,
            queue,
            eta,
            parameters,
            needs,
            turn,
            options,
            label,
        },
    )
}

fn graph() -> impl Strategy<Value = Op> {
    let rest = prop_oneof![3 => Just(0_u8), 2 => 1..4_u8];
    let goes_on = option::weighted(0.7, 0..2_u8);
    (vec(part(), 1..5), rest, goes_on, any::<bool>(), proptest::bool::weighted(0.05)).prop_map(
        |(parts, rest, goes_on, name, rude)| {
            let (graph, total, request) = (String::new(), 0, 0);
            Op::Graph { graph, total, request, rest, goes_on, parts, name, rude }
        },
    )
}

fn settle() -> impl Strategy<Value = Op> {
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

fn call() -> impl Strategy<Value = Op> {
    let show = (0..4_u8, 0..3_u32, 1..5_u32).prop_map(|(number, cursor, limit)| {
        let graph = String::new();
        Op::ShowGraph { graph, number, cursor, limit }
    });
    let cancel = (prop_oneof![3 => waiting_task().boxed(), 1 => held_task().boxed()], payload(), any::<bool>())
        .prop_map(|(task, reason, at_once)| Op::Cancel { task, reason, force: None, at_once: Some(at_once) });
    let retry = (finished_task(), option::of(any::<bool>())).prop_map(|(task, fresh)| Op::Retry { task, fresh });
    let list = (queue(), 0..3_u32, 1..4_u32).prop_map(|(queue, cursor, limit)| Op::List {
        queue,
        status: "waiting",
        cursor,
        limit,
    });
    let purge = queue().prop_map(|queue| Op::Bulk { queue, action: Bulk::Purge });
    Union::new_weighted(vec![
        (22, dependent().boxed()),
        (10, submit(Theme::All)),
        (20, graph().boxed()),
        (30, settle().boxed()),
        (5, show.boxed()),
        (30, reserve()),
        (34, end().boxed()),
        (6, exchange()),
        (10, cancel.boxed()),
        (12, retry.boxed()),
        (12, finished_task().prop_map(|task| Op::Delete { task }).boxed()),
        (8, upkeep()),
        (8, operators()),
        (1, purge.boxed()),
        (2, rules(Theme::All)),
        (3, list.boxed()),
        (2, prop_oneof![waiting_task(), finished_task()].prop_map(|task| Op::History { task }).boxed()),
        (2, waiting_task().prop_map(|task| Op::Get { task }).boxed()),
        (1, queue().prop_map(|queue| Op::Counts { queue }).boxed()),
        (3, queue().prop_map(|queue| Op::Mend { queue, part: "waiting" }).boxed()),
        (3, register()),
        (1, listener().prop_map(|listener| Op::Drain { queue: 0, listener, on: false }).boxed()),
        (6, Just(Op::Again).boxed()),
        (4, Just(Op::Resend).boxed()),
    ])
}

fn timed() -> impl Strategy<Value = (Step, Op)> {
    prop_oneof![
        60 => (step(), call()),
        1 => (-1..=1_i8, 1..4_u32).prop_map(|(by, limit)| (Step::Sweep(by), Op::Settle { limit })),
    ]
}

pub fn case() -> impl Strategy<Value = Case> {
    (any::<bool>(), vec(timed(), 1..200)).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}
