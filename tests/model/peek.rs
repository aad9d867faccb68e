//! Compares `peek` with what `reserve` gives out, and with the reasons why it passes over the rest.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::model::arguments::{HAS, listener as who, queue};
use crate::model::cases::{Theme, call, listener, queue as any_queue};
use crate::model::change_cases::onwards;
use crate::model::check::{Checked, ensure};
use crate::model::keys::Reply;
use crate::model::ops::{Case, Op, Step};
use crate::model::ranking::suits;
use crate::model::reserve::Asked;
use crate::model::state::Model;

/// The caller if no listener asks.
const NOBODY: &str = "nobody_1";

/// The part of a reply with the tasks that are given out.
pub fn given(items: &[Reply]) -> &[Reply] {
    let passed = items.chunks(3).position(|task| !task[1].as_text().is_empty());
    passed.map_or(items, |at| &items[..3 * at])
}

impl Model {
    /// The tasks that a listener with this offer gets, and the state afterwards.
    fn would_give(&self, op: &Op) -> (Vec<String>, Self) {
        let Op::Peek { queue: name, limit, listener, has } = op else { panic!("no peek: {op:?}") };
        let (name, me) = (queue(*name), listener.map_or(NOBODY, who));
        let mut then = self.clone();
        let now = self.now;
        let queue = then.queue(name);
        queue.listeners.insert(me.into(), now);
        if let Some(has) = has {
            queue.has.insert(me.into(), HAS[usize::from(*has)].into());
        }
        let asked = Asked {
            who: me,
            limit: *limit as usize,
            lease: Some(60),
            request: None,
            pid: None,
            woken: false,
            order: None,
        };
        let taken = then.take_some(&asked, &[name]).unwrap_or_default();
        (taken.chunks(11).map(|task| task[0].as_text().to_owned()).collect(), then)
    }

    pub fn peeked(&self, op: &Op) -> Reply {
        let given = self.would_give(op).0.into_iter();
        Reply::List(given.flat_map(|id| [Reply::text(id), Reply::text(""), Reply::text("")]).collect())
    }

    /// Checks that each task that is passed over waits, for the reported reason, and that no task is left out.
    pub fn passed_over(&self, op: &Op, reply: &Reply) -> Checked {
        let (Op::Peek { queue: name, limit, listener, has }, Reply::List(items)) = (op, reply) else { return Ok(()) };
        let (name, limit) = (queue(*name), *limit as usize);
        let (given_out, then) = self.would_give(op);
        let own = listener.and_then(|listener| self.queues[name].has.get(who(listener)).map(String::as_str));
        let has = has.map_or(own.unwrap_or_default(), |has| HAS[usize::from(has)]);
        let drains = listener.is_some_and(|listener| self.queues[name].draining.contains(who(listener)));
        let mut seen: BTreeSet<&str> = given_out.iter().map(String::as_str).collect();
        let passed = &items[given(items).len()..];
        for task in passed.chunks(3) {
            let (id, why) = (task[0].as_text(), task[1].as_text());
            let waits = then.tasks.get(id).filter(|task| task.queue == name && task.status == "pending");
            ensure(waits.is_some() && seen.insert(id), || format!("{id} is not passed over"))?;
            let waits = waits.unwrap();
            let fits = match why {
                "paused" => self.queues[name].paused.is_some(),
                "draining" => drains,
                "needs" => !suits(has, waits.get("needs")),
                "queue_full" | "queue_rate" => then.is_closed_to(name, waits.weight()),
                "key_full" | "key_rate" => then.is_held_up(waits),
                "limit_full" | "limit_rate" | "limit_turn" => waits.has("limits"),
                "behind" => true,
                _ => false,
            };
            ensure(fits, || format!("{id} is passed over, but not for {why}"))?;
        }
        let rest = then.tasks.values().filter(|task| task.queue == name && task.status == "pending").count();
        let all = given_out.len() == limit || passed.len() / 3 == rest.min(limit);
        ensure(all, || format!("of {rest} tasks that are not given out {} are passed over", passed.len() / 3))
    }
}

/// Cases in which somebody looks at what comes next. No clock goes back: otherwise a task that came later than now
/// stands behind the tasks that are given out, each a microsecond later.
pub fn case() -> impl Strategy<Value = Case> {
    let look = || {
        let whom = (option::weighted(0.6, listener()), option::weighted(0.5, 0..u8::try_from(HAS.len()).unwrap()));
        (any_queue(), 1..7_u32, whom).prop_map(|(queue, limit, (listener, has))| {
            let listener = listener.filter(|_| has.is_none());
            (Step::Stay, Op::Peek { queue, limit, listener, has })
        })
    };
    let of = |theme| vec(prop_oneof![4 => (onwards(), call(theme)), 1 => look()], 1..200);
    let calls = prop_oneof![
        2 => of(Theme::All),
        4 => of(Theme::Limits),
        4 => of(Theme::Shared),
        1 => of(Theme::Names),
    ];
    (any::<bool>(), proptest::bool::weighted(0.9), calls).prop_map(|(tagged, listening, calls)| Case {
        tagged,
        listening,
        calls,
    })
}
