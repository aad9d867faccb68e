//! Generates cases about who changed what.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::arguments::OF_ALL;
use crate::model::audit::Wanted;
use crate::model::cases::{
    Theme, call, finished_task, held_task, listener, operators, payload, queue, rules, schedules, waiting_task,
};
use crate::model::change_cases::{self, onwards};
use crate::model::graph_cases;
use crate::model::ops::{Case, Op, Step};

fn audit() -> impl Strategy<Value = Op> {
    const CALLS: [&str; 9] =
        ["configure", "limit", "cancel", "prioritise", "pause", "edit", "bulk", "schedule", "submit"];
    let by = option::weighted(0.3, select(vec!["me", "", "other-host_1"]));
    let what = option::weighted(0.3, select(&CALLS[..]));
    let on = option::weighted(0.2, select(vec!["a", "*", "t1", "t2", "a/k", "one_1", "s1", "g1"]));
    let limit = prop_oneof![3 => 1..6_u32, 1 => Just(500)];
    (0..1000_usize, limit, by, what, on).prop_map(|(after, limit, by, what, on)| Op::Audit {
        after,
        id: String::new(),
        limit,
        wanted: Wanted { by: by.filter(|by| !by.is_empty()), what, on },
    })
}

/// Generates a call that leaves an entry.
fn change() -> impl Strategy<Value = Op> {
    let cancel =
        (prop_oneof![held_task(), waiting_task()], payload(), any::<bool>(), option::weighted(0.2, any::<bool>()))
            .prop_map(|(task, reason, force, at_once)| Op::Cancel { task, reason, force: Some(force), at_once });
    let requeue =
        (held_task(), option::weighted(0.4, any::<bool>())).prop_map(|(task, at_once)| Op::Requeue { task, at_once });
    let retry = finished_task().prop_map(|task| Op::Retry { task, fresh: None, deadline: None });
    let flow = prop_oneof![
        (queue(), 0..2_u8, option::weighted(0.4, any::<bool>())).prop_map(|(queue, reason, stop)| Op::Pause {
            queue,
            reason,
            stop
        }),
        queue().prop_map(|queue| Op::Resume { queue }),
    ];
    let drain =
        (queue(), listener(), any::<bool>()).prop_map(|(queue, listener, on)| Op::Drain { queue, listener, on });
    let keep = (0..4_u8).prop_map(|value| Op::Configure { queue: None, setting: OF_ALL, value: value.min(1) });
    prop_oneof![
        3 => cancel,
        2 => requeue,
        2 => retry,
        3 => flow,
        3 => drain,
        8 => rules(Theme::All),
        2 => rules(Theme::Shared),
        6 => operators(),
        3 => schedules(),
        4 => change_cases::edit(),
        3 => change_cases::round(change_cases::About::NextRound),
        2 => finished_task().prop_map(|task| Op::Delete { task }),
        1 => keep,
    ]
}

pub fn case() -> impl Strategy<Value = Case> {
    let some = prop_oneof![
        8 => change().boxed(),
        8 => call(Theme::All).boxed(),
        1 => graph_cases::graph().boxed(),
        1 => graph_cases::walk().boxed(),
        1 => graph_cases::settle().boxed(),
        2 => audit().boxed(),
        1 => Just(Op::Again).boxed(),
    ];
    // As many entries as are kept, and more.
    let many = vec(
        (onwards(), prop_oneof![9 => change().boxed(), 4 => call(Theme::All).boxed(), 1 => audit().boxed()]),
        200..300,
    );
    let calls = prop_oneof![4 => vec((onwards(), some), 1..200).boxed(), 1 => many.boxed()];
    (any::<bool>(), proptest::bool::weighted(0.8), calls).prop_map(|(tagged, listening, mut calls)| {
        if calls.len() > 199 {
            calls.insert(0, (Step::Stay, Op::Configure { queue: None, setting: OF_ALL, value: 1 }));
        }
        Case { tagged, listening, calls }
    })
}
