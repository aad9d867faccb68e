//! Generates cases in which a single call of maintenance does everything that is due.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::cases::{Theme, timed};
use crate::model::graph_cases;
use crate::model::ops::{Case, Op, Step};

fn maintenance() -> impl Strategy<Value = (Step, Op)> {
    let queues = select(vec![vec![0_u8], vec![0], vec![0, 1], vec![0, 1], vec![1, 0], vec![1], vec![]]);
    let about = || -1..=1_i8;
    let step = prop_oneof![
        16 => Just(Step::Stay),
        6 => (0..3_u32).prop_map(Step::Seconds),
        2 => (1..2_000_000_u32).prop_map(Step::Micros),
        1 => (50..70_u32).prop_map(Step::Seconds),
        1 => (1..5_u32).prop_map(Step::Back),
        2 => about().prop_map(Step::Due),
        2 => about().prop_map(Step::Deadline),
        2 => about().prop_map(Step::Overdue),
    ];
    (step, queues).prop_map(|(step, queues)| (step, Op::Maintenance { queues }))
}

pub fn case() -> impl Strategy<Value = Case> {
    let other = |theme| {
        prop_oneof![
            9 => timed(theme),
            1 => graph_cases::graph().prop_map(|op| (Step::Stay, op)),
            1 => graph_cases::dependent().prop_map(|op| (Step::Stay, op)),
        ]
    };
    // Often several calls of maintenance together, so that rounds come to their ends.
    let of = |theme| {
        let some = prop_oneof![
            6 => other(theme).prop_map(|call| vec![call]),
            3 => vec(maintenance(), 1..4),
            1 => vec(maintenance(), 10..25),
        ];
        vec(some, 1..80).prop_map(|calls| calls.concat())
    };
    let calls = prop_oneof![3 => of(Theme::All), 2 => of(Theme::Slots), 2 => of(Theme::Limits), 1 => of(Theme::Tries)];
    (any::<bool>(), proptest::bool::weighted(0.9), calls).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}
