//! Generates cases in which tasks change on their way: tasks go on in other queues.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use crate::model::arguments::SETTINGS;
use crate::model::cases::{
    self, Theme, act, finish_and_reserve, finished_task, held_task, maintenance, operators, options, payload, queue,
    reading, register, reserve, rules, step, submit, token, waiting_task,
};
use crate::model::graph_cases;
use crate::model::ops::{Act, Case, Edit, Eta, Go, Key, NOWHERE, Op, Options, REASONS, Step, Which};

/// Main subject of a case, so that related calls meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum About {
    Steps,
    Returns,
    Names,
    Edits,
    Rounds,
    NextRound,
}

const STEPS: [&str; 6] = ["a", "b", "b", "b,a", "a,b", "b,b,a"];

fn eta() -> impl Strategy<Value = Option<Eta>> {
    option::weighted(0.3, (-20..90_i32).prop_map(Eta::In))
}

/// Gives several steps to the tasks of a call.
fn with_steps(op: Op, steps: &'static str) -> Op {
    match op {
        Op::Submit { free, queue, tasks, mut options, deadline, needs, turn } => {
            options.push(("steps", steps));
            Op::Submit { free, queue, tasks, options, deadline, needs, turn }
        }
        Op::Graph {
            graph,
            total,
            request,
            rest,
            goes_on,
            mut parts,
            name,
            on_failure,
            deadline,
            digest,
            bound,
            rude,
        } => {
            parts.iter_mut().step_by(2).for_each(|part| part.options.push(("steps", steps)));
            Op::Graph { graph, total, request, rest, goes_on, parts, name, on_failure, deadline, digest, bound, rude }
        }
        other => other,
    }
}

fn begin(about: About) -> impl Strategy<Value = Op> {
    let themes = match about {
        About::Names => vec![Theme::Names],
        About::Edits | About::Rounds | About::NextRound => vec![Theme::All, Theme::Limits, Theme::Names],
        _ => vec![Theme::All, Theme::Limits],
    };
    let plain = select(themes).prop_flat_map(submit);
    let any = prop_oneof![8 => plain, 3 => graph_cases::dependent(), 1 => graph_cases::graph()];
    let often = if matches!(about, About::Steps | About::Names) { 0.7 } else { 0.2 };
    (any, option::weighted(often, select(&STEPS[..]))).prop_map(|(op, steps)| match steps {
        Some(steps) => with_steps(op, steps),
        None => op,
    })
}

/// Options in which the next step differs from this step.
fn next_options() -> impl Strategy<Value = Options> {
    let some = |values: &'static [&'static str]| option::weighted(0.2, select(values));
    let words = (some(&["-3", "0", "5"]), some(&["n"]), some(&["gpu", "cores>=4"]), some(&STEPS));
    (words, some_options()).prop_map(|((priority, method, needs, steps), mut options)| {
        for (name, value) in [("priority", priority), ("method", method), ("needs", needs), ("steps", steps)] {
            let new = options.iter().all(|(other, _)| *other != name);
            options.extend(value.filter(|_| new).map(|value| (name, value)));
        }
        options
    })
}

/// Values of an owner for the next step: mostly no more than its queue.
pub fn go() -> impl Strategy<Value = Go> {
    let unset = vec!["needs", "priority", "max_failures", "tags", "unique", "steps", "deadline", "key", "lease"];
    let unset = option::weighted(0.2, select(unset));
    let queue = prop_oneof![2 => Just(None), 6 => queue().prop_map(Some), 1 => Just(Some(NOWHERE))];
    let body = (option::weighted(0.3, payload()), eta());
    (queue, body, next_options(), unset, deadline(), any::<bool>()).prop_map(
        |(queue, (parameters, eta), options, unset, deadline, plain)| {
            let go = Go { queue, ..Go::default() };
            if plain || queue == Some(NOWHERE) && parameters.is_none() {
                go
            } else {
                Go { parameters, eta, options, unset: unset.into_iter().collect(), deadline, ..go }
            }
        },
    )
}

fn end(about: About) -> impl Strategy<Value = Act> {
    let cost = || option::weighted(0.3, payload());
    let next = (payload(), cost(), go()).prop_map(|(result, cost, go)| Act::Next { result, cost, go });
    let complete = (payload(), cost()).prop_map(|(result, cost)| Act::Complete { result, cost });
    let again = option::weighted(0.3, 0..20_u32);
    let into = (queue(), 0..u8::try_from(REASONS.len()).unwrap(), again, option::weighted(0.3, any::<bool>()), cost())
        .prop_map(|(queue, reason, again, uncounted, cost)| Act::Into { queue, reason, again, uncounted, cost });
    let (nexts, intos) = match about {
        About::Steps => (8, 1),
        About::Returns => (1, 8),
        _ => (5, 5),
    };
    prop_oneof![nexts => next, intos => into, 4 => complete, 4 => act()]
}

fn owner(about: About) -> impl Strategy<Value = Op> {
    let key = prop_oneof![12 => Just(Key::Last), 1 => token()];
    (held_task(), key, end(about)).prop_map(|(task, token, act)| Op::Owner { task, token, act })
}

/// Several ends at once. Some of their tasks go on in another queue.
fn exchanges() -> impl Strategy<Value = Op> {
    (finish_and_reserve(), queue(), any::<bool>()).prop_map(|(op, to, every)| match op {
        Op::FinishAndReserve { able, listener, queues, limit, mut ends, asks } => {
            for (at, (task, token, act)) in (0..).zip(&mut ends) {
                (*task, *token) = (Which::Held(at), Key::Last);
                if let (Act::Complete { result, cost }, true) = (&*act, every || at == 0) {
                    let go = Go { queue: Some(to), ..Go::default() };
                    *act = Act::Next { result: *result, cost: *cost, go };
                }
            }
            Op::FinishAndReserve { able, listener, queues, limit, ends, asks }
        }
        other => other,
    })
}

/// Some options of a task, without the policy of its unique name.
fn some_options() -> impl Strategy<Value = Options> {
    let all = select(vec![Theme::All, Theme::Limits, Theme::Names]).prop_flat_map(options);
    (all, 0..3_usize).prop_map(|(mut options, most)| {
        options.retain(|(name, _)| *name != "unique_policy");
        options.truncate(most);
        options
    })
}

fn deadline() -> impl Strategy<Value = Option<Eta>> {
    option::weighted(0.1, (-1..60_i32).prop_map(Eta::In))
}

/// Changes of a task. With a token, the owner makes them.
pub fn edit() -> impl Strategy<Value = Op> {
    const UNSET: [&str; 11] = [
        "priority",
        "key",
        "weight",
        "needs",
        "unique",
        "unique_until",
        "tags",
        "lease",
        "deadline",
        "max_failures",
        "eta",
    ];
    let whose = prop_oneof![
        8 => prop_oneof![6 => waiting_task(), 2 => (0..8_u8).prop_map(Which::Blocked)].prop_map(|task| (task, None)),
        2 => held_task().prop_map(|task| (task, None)),
        2 => (held_task(), prop_oneof![4 => Just(Key::Last), 1 => token()]).prop_map(|(task, key)| (task, Some(key))),
    ];
    let unset = prop_oneof![2 => Just(Vec::new()), 1 => vec(select(&UNSET[..]), 1..3)];
    let body = (option::weighted(0.3, payload()), eta(), deadline(), option::weighted(0.2, queue()));
    (whose, some_options(), unset, body).prop_map(
        |((task, token), options, mut unset, (parameters, eta, deadline, queue))| {
            unset.dedup();
            Op::Edit { task, edit: Edit { options, unset, parameters, eta, deadline, queue, token } }
        },
    )
}

/// A further round of a task, or what it would be.
pub fn round(about: About) -> impl Strategy<Value = Op> {
    let once_more = if about == About::NextRound { proptest::bool::weighted(0.9).boxed() } else { Just(false).boxed() };
    let task = prop_oneof![
        6 => finished_task(),
        2 => waiting_task(),
        if about == About::NextRound { 12 } else { 1 } => held_task(),
        1 => Just(Which::Free),
    ];
    let options = prop_oneof![1 => Just(Options::new()), 2 => some_options()];
    let old = proptest::bool::weighted(0.15);
    (queue(), task, eta(), payload(), options, deadline(), old, once_more).prop_map(
        |(queue, task, eta, parameters, options, deadline, old, once_more)| Op::Resubmit {
            queue,
            task,
            eta,
            parameters,
            options,
            deadline,
            request: 0,
            old,
            once_more,
        },
    )
}

/// A queue that takes nothing new, or gives nothing out.
fn shut() -> impl Strategy<Value = Op> {
    let closed = u8::try_from(SETTINGS.iter().position(|(name, _)| *name == "closed").unwrap()).unwrap();
    prop_oneof![
        3 => (queue(), select(vec![0, 5])).prop_map(move |(queue, value)| Op::Configure {
            queue: Some(queue),
            setting: closed,
            value,
        }),
        1 => (queue(), payload(), Just(None)).prop_map(|(queue, reason, stop)| Op::Pause { queue, reason, stop }),
        2 => queue().prop_map(|queue| Op::Resume { queue }),
        6 => queue().prop_map(|queue| Op::Wake { queue }),
    ]
}

fn call(about: About) -> impl Strategy<Value = Op> {
    let cancel = (held_task(), payload(), option::weighted(0.3, any::<bool>()))
        .prop_map(|(task, reason, force)| Op::Cancel { task, reason, force, at_once: None });
    let retry = (finished_task(), option::of(any::<bool>())).prop_map(|(task, fresh)| Op::Retry {
        task,
        fresh,
        deadline: None,
    });
    let history = prop_oneof![held_task(), waiting_task()].prop_map(|task| Op::History { task });
    let often = |theme, weight, else_| if about == theme { weight } else { else_ };
    Union::new_weighted(vec![
        (often(About::Edits, 50, 3), edit().boxed()),
        (if about == About::NextRound { 40 } else { often(About::Rounds, 40, 3) }, round(about).boxed()),
        (30, begin(about).boxed()),
        (36, reserve()),
        (36, owner(about).boxed()),
        (10, exchanges().boxed()),
        (12, shut().boxed()),
        (5, cancel.boxed()),
        (5, retry.boxed()),
        (8, finished_task().prop_map(|task| Op::Delete { task }).boxed()),
        (10, maintenance()),
        (if about == About::NextRound { 30 } else { 8 }, graph_cases::settle().boxed()),
        (5, rules(Theme::Limits)),
        (5, operators()),
        (5, register()),
        (6, history.boxed()),
        (5, reading()),
        (10, Just(Op::Again).boxed()),
    ])
}

/// Clocks go back in cases of other kinds: the history has no promotion that is earlier than an edit before it.
pub fn onwards() -> impl Strategy<Value = Step> {
    step().prop_map(|step| match step {
        Step::Seconds(_) | Step::Micros(_) => step,
        _ => Step::Stay,
    })
}

fn timed(about: About) -> impl Strategy<Value = (Step, Op)> {
    (onwards(), call(about))
}

pub fn case() -> impl Strategy<Value = Case> {
    let of = |about| vec(timed(about), 1..200);
    let calls = prop_oneof![3 => of(About::Steps), 2 => of(About::Returns), 2 => of(About::Names), 3 => of(About::Edits), 2 => of(About::Rounds)];
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}

/// Cases about rounds that begin when a task has ended the present one.
pub fn next_round() -> impl Strategy<Value = Case> {
    let calls = vec(timed(About::NextRound), 1..200);
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}

/// Cases about tracked tasks.
pub fn watched() -> impl Strategy<Value = Case> {
    let task = prop_oneof![2 => held_task(), 2 => waiting_task(), 1 => finished_task()];
    let track = (task, proptest::bool::weighted(0.85)).prop_map(|(task, on)| Op::Track { task, on });
    let note = held_task().prop_map(|task| Op::Note { task });
    let told = (held_task(), payload(), any::<bool>()).prop_map(|(task, text, progress)| {
        let act = if progress { Act::Progress(text) } else { Act::Checkpoint(text) };
        Op::Owner { task, token: Key::Last, act }
    });
    let call = prop_oneof![
        2 => timed(About::Edits),
        2 => timed(About::Steps),
        2 => timed(About::NextRound),
    ];
    let watched = prop_oneof![8 => track, 2 => note, 3 => told].prop_map(|op| (Step::Stay, op));
    let calls = vec(prop_oneof![4 => call, 1 => watched], 1..200);
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}

/// Cases about edits of tasks that name shared limits, including tasks that run.
pub fn edited() -> impl Strategy<Value = Case> {
    let limits = select(&["database", "gpu", "database:2", "database,gpu", "database,gpu:2"][..]);
    let options = (option::weighted(0.5, limits), some_options()).prop_map(|(limits, mut options)| {
        options.extend(limits.map(|limits| ("limits", limits)));
        options
    });
    let whose = prop_oneof![
        4 => waiting_task().prop_map(|task| (task, None)),
        3 => held_task().prop_map(|task| (task, None)),
        3 => (held_task(), prop_oneof![6 => Just(Key::Last), 1 => token()]).prop_map(|(task, key)| (task, Some(key))),
    ];
    let unset = option::weighted(0.2, select(&["limits", "needs", "max_failures", "priority"][..]));
    let body = (option::weighted(0.5, payload()), eta(), option::weighted(0.1, queue()));
    let edit = (whose, options, unset, body).prop_map(|((task, token), options, unset, (parameters, eta, queue))| {
        let unset = unset.filter(|name| options.iter().all(|(given, _)| given != name)).into_iter().collect();
        let eta = eta.filter(|_| token.is_none());
        Op::Edit { task, edit: Edit { options, unset, parameters, eta, deadline: None, queue, token } }
    });
    // Further rounds and next steps that name others.
    let limits = || select(&["database", "gpu", "database:2", "database,gpu"][..]);
    let once_more = (held_task(), queue(), payload(), option::weighted(0.8, limits()), deadline()).prop_map(
        |(task, queue, parameters, limits, deadline)| Op::Resubmit {
            queue,
            task,
            eta: None,
            parameters,
            options: limits.map(|limits| ("limits", limits)).into_iter().collect(),
            deadline,
            request: 0,
            old: false,
            once_more: true,
        },
    );
    let next =
        (held_task(), payload(), go(), option::weighted(0.5, limits())).prop_map(|(task, result, mut go, limits)| {
            if go.queue != Some(NOWHERE) && go.options.iter().all(|(name, _)| *name != "limits") {
                go.options.extend(limits.map(|limits| ("limits", limits)));
            }
            Op::Owner { task, token: Key::Last, act: Act::Next { result, cost: None, go } }
        });
    let call = prop_oneof![
        10 => cases::call(Theme::Shared).boxed(),
        4 => edit.boxed(),
        1 => once_more.boxed(),
        1 => next.boxed(),
        1 => (1..20_u32).prop_map(|limit| Op::Settle { limit }).boxed(),
    ];
    let calls = vec((onwards(), call), 1..200);
    (any::<bool>(), calls).prop_map(|(tagged, calls)| Case { tagged, listening: true, calls })
}
