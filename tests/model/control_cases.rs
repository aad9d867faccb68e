//! Generates cases about requests to owners, and about orders that repairs and other requests meet.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::cases::{Theme, held_task, listener, queue, reserve, step, timed, token, waiting_task};
use crate::model::ops::{Act, Bulk, Case, Key, Op, Step};

fn call() -> impl Strategy<Value = Op> {
    let control = (held_task(), 0..4_u8).prop_map(|(task, what)| Op::Control { task, what });
    let key = prop_oneof![5 => Just(Key::Last), 1 => token()];
    let attend = (
        held_task(),
        key,
        option::weighted(0.9, prop_oneof![3 => Just(0), 1 => 1..5_u8]),
        proptest::bool::weighted(0.15),
    )
        .prop_map(|(task, token, answered, refused)| Op::Owner {
            task,
            token,
            act: Act::Attend { answered, refused },
        });
    let start = (held_task(), 1..3_u8).prop_map(|(task, pid)| Op::Owner {
        task,
        token: Key::Last,
        act: Act::Start { pid, lease: None },
    });
    let beat = (queue(), listener(), 30..120_u32, vec((held_task(), Just(Key::Last)), 1..4))
        .prop_map(|(queue, listener, lease, tasks)| Op::Heartbeat { queue, listener, lease, tasks });
    let part = select(&["orders", "orders", "orders", "owned", "started"][..]);
    let bulk = prop_oneof![
        3 => (0..3_u8).prop_map(Bulk::Control),
        1 => Just(Bulk::Requeue),
        1 => any::<bool>().prop_map(Bulk::Hold),
    ];
    prop_oneof![
        12 => control,
        12 => attend,
        4 => start,
        4 => reserve(),
        4 => beat,
        6 => (queue(), part).prop_map(|(queue, part)| Op::Repair { queue, part }),
        2 => (held_task(), option::weighted(0.5, any::<bool>())).prop_map(|(task, at_once)| Op::Requeue { task, at_once }),
        2 => (waiting_task(), any::<bool>()).prop_map(|(task, on)| Op::Hold { task, on }),
        2 => (queue(), bulk).prop_map(|(queue, action)| Op::Bulk { queue, action }),
    ]
}

pub fn case() -> impl Strategy<Value = Case> {
    let own = prop_oneof![3 => call().prop_map(|op| (Step::Stay, op)), 1 => (step(), call())];
    let calls = vec(prop_oneof![3 => timed(Theme::All), 2 => own], 1..200);
    (any::<bool>(), proptest::bool::weighted(0.9), calls).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}
