//! Runs cases against a server and the model.

pub mod args;
pub mod arguments;
pub mod audit;
pub mod audit_cases;
pub mod cases;
pub mod change_cases;
pub mod check;
pub mod commands;
mod control_cases;
pub mod controls;
pub mod deadlines;
pub mod drain;
pub mod edit_edges;
pub mod edits;
pub mod expected_keys;
pub mod graph_cases;
pub mod graphs;
pub mod keys;
pub mod maintenance;
pub mod maintenance_cases;
pub mod next_round;
pub mod operators;
pub mod ops;
pub mod owners;
pub mod peek;
pub mod planted;
pub mod ranking;
pub mod reading;
pub mod reserve;
pub mod rounds;
pub mod schedules;
pub mod sets;
pub mod shared_limits;
pub mod state;
pub mod steps;
pub mod submit;
pub mod tracking;
pub mod walks;
pub mod workers;

use std::collections::BTreeMap;
use std::fmt::Write;

use blueque::bundle;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use redis::{RedisResult, Value};

use arguments::START;
use check::Log;
use drain::Drained;
use keys::{Events, Keys, Reply, difference, dump};
use ops::{Case, Op, Step};
use state::Model;

use crate::support::receiver::{Ground, read};
use crate::support::script;

/// Command and source.
pub type Scripts = BTreeMap<&'static str, String>;

pub fn scripts() -> Scripts {
    bundle::commands().map(|command| (command.name(), script(command.name()))).collect()
}

/// The checks that detect a failure.
#[derive(Clone, Copy, PartialEq)]
pub enum Judge {
    /// The model and the invariants.
    Both,
    /// The model alone.
    Model,
    /// The invariants alone.
    Invariants,
}

/// Subject of the cases.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// All kinds: of fifteen cases three are plain, and each other kind has one. On several servers, the last five
    /// kinds are left out.
    All,
    Plain,
    Graphs,
    Shared,
    Changes,
    Patterns,
    Sets,
    NextRound,
    Watched,
    Audited,
    KeptUp,
    Peeked,
    Edited,
    Controlled,
}

/// A call that was made.
pub struct Turn {
    pub op: Op,
    pub reply: Reply,
    /// The first reply, if this call repeats the call before.
    pub again: Option<Reply>,
    pub before: Keys,
    pub after: Keys,
}

/// A server, or several, with a set of scripts.
pub struct Bench<'a> {
    ground: &'a mut dyn Ground,
    scripts: &'a Scripts,
    digests: BTreeMap<&'static str, String>,
    here: String,
    judge: Judge,
    pub kind: Kind,
    /// The only namespace of the cases, in place of one with a tag and one without.
    pub namespace: Option<&'static str>,
    /// Number of replies of each kind that each command gave.
    pub seen: BTreeMap<String, u32>,
    pub calls: u32,
}

impl<'a> Bench<'a> {
    pub fn new(ground: &'a mut dyn Ground, scripts: &'a Scripts, judge: Judge) -> Self {
        let (digests, here) = (load(ground, scripts), ground.run());
        // Each master of several has its own.
        let together = audit::TOGETHER.to_string();
        let _ = ground.send(redis::cmd("CONFIG").arg(&["SET", "stream-node-max-entries", &together]));
        let (seen, kind) = (BTreeMap::new(), Kind::All);
        Self { ground, scripts, digests, here, judge, kind, namespace: None, seen, calls: 0 }
    }

    /// Plays a case on an empty database. The error shows the calls, and what is wrong after the last.
    pub fn play(&mut self, case: &Case) -> Result<(), String> {
        let namespace = self.namespace.unwrap_or(if case.tagged { "{model}" } else { "model" });
        self.ground.empty();
        let mut model = Model { here: self.here.clone(), ..Model::default() };
        model.queues = ops::QUEUES.iter().map(|name| ((*name).to_owned(), state::Queue::default())).collect();
        let (mut wall, mut log, mut story) = (START, Log::default(), String::new());
        let (mut before, mut last, mut graph, mut exchange) = (Keys::new(), None, None, None);
        let mut events = Events::default();
        let everywhere =
            (0..2).flat_map(|queue| (0..3).map(move |listener| Op::Register { queue, listener, has: None }));
        let first = everywhere.filter(|_| case.listening).map(|op| (Step::Stay, op));
        let mut drained = Drained::default();
        let mut calls = first.chain(case.calls.iter().cloned());
        loop {
            let (step, op) = match calls.next() {
                Some(call) => call,
                None => match drained.next(&before, last.as_ref()).map_err(|what| format!("{what}\nafter\n{story}"))? {
                    Some(call) => call,
                    None => return Ok(()),
                },
            };
            let overtaken = matches!(op, Op::Overtaken);
            let (mut op, again) = match (op, last) {
                (Op::Overtaken, _) => (exchange.clone().unwrap_or(Op::Queues), None),
                (Op::Again, Some((op, reply))) => (op, Some(reply)),
                (Op::Again, None) => (Op::Queues, None),
                (Op::Resend, _) => (graph.clone().unwrap_or(Op::Queues), None),
                (op, _) => (op, None),
            };
            wall = model.wall(wall, step);
            if again.is_none() && !overtaken {
                model.concrete(&mut op, wall);
                events.place(&mut op);
            }
            if matches!(op, Op::Graph { .. }) {
                graph = Some(op.clone());
            } else if matches!(op, Op::FinishAndReserve { .. }) {
                exchange = Some(op.clone());
            }
            let now = state::decimal(wall);
            let _ = writeln!(story, "  at {now} {}", told(&op));
            if self.ground.between() {
                self.here = self.ground.run();
                model.here = self.here.clone();
            }
            let expected = op.canonical(model.call(wall, &op));
            let reply = events.numbered(&op, self.send(namespace, &now, &op, &model, &expected));
            let reply = if matches!(op, Op::Peek { .. }) { reply } else { op.canonical(reply) };
            let after = dump(self.ground, namespace, &mut events);
            let _ = writeln!(story, "    {}", brief(&reply));
            let turn = Turn { op, reply, again, before, after };
            self.judge(&model, &mut log, &expected, &turn).map_err(|what| format!("{what}\nafter\n{story}"))?;
            (before, last) = (turn.after, Some((turn.op, turn.reply)));
        }
    }

    fn judge(&mut self, model: &Model, log: &mut Log, expected: &Reply, turn: &Turn) -> Result<(), String> {
        if matches!(turn.op, Op::Ready { .. }) {
            check::tidy(&turn.after)?; // the model does not have that index
        }
        if self.judge != Judge::Invariants {
            model.passed_over(&turn.op, &turn.reply)?;
            if turn.op.canonical(turn.reply.clone()) != *expected {
                return Err(format!("the answer should be {}", brief(expected)));
            }
            if let Some(what) = difference(&turn.after, &model.keys()) {
                return Err(format!("the keys are not as they should be: {what}"));
            }
        }
        if self.judge != Judge::Model {
            log.call(turn)?;
            check::keys(&turn.after)?;
        }
        if let Some((command, _)) = turn.op.args() {
            *self.seen.entry(format!("{command} {}", kind(&turn.op, &turn.reply))).or_default() += 1;
            self.calls += 1;
        }
        Ok(())
    }

    fn send(&mut self, namespace: &str, now: &str, op: &Op, model: &Model, expected: &Reply) -> Reply {
        let Some((command, args)) = op.args() else {
            let answer = match op {
                Op::Wake { queue } => {
                    let list = format!("{namespace}_wake_{}", arguments::queue(*queue));
                    self.ground.send(redis::cmd("LPOP").arg(list))
                }
                Op::Restarted if model.run.is_some() => {
                    let meta = format!("{namespace}_meta");
                    self.ground.send(redis::cmd("HSET").arg(meta).arg("run").arg("another"))
                }
                _ => Ok(Value::Nil),
            };
            answer.unwrap();
            return Reply::Nil;
        };
        let mut call = redis::cmd("EVALSHA");
        call.arg(&self.digests[command]).arg(1).arg(format!("{namespace}_meta")).arg(now).arg(&args);
        let right = |answer: &RedisResult<Value>| op.canonical(outcome(answer.clone())) == *expected;
        let mut answer = self.ground.call(command, &call, &right);
        if answer.as_ref().is_err_and(|error| error.code() == Some("NOSCRIPT")) {
            load(self.ground, self.scripts); // this server has not seen them yet
            answer = self.ground.call(command, &call, &right);
        }
        outcome(answer)
    }
}

fn load(ground: &mut dyn Ground, scripts: &Scripts) -> BTreeMap<&'static str, String> {
    let mut load = |source: &String| read(ground.send(redis::cmd("SCRIPT").arg("LOAD").arg(source))).unwrap();
    scripts.iter().map(|(name, source)| (*name, load(source))).collect()
}

fn outcome(answer: RedisResult<Value>) -> Reply {
    match answer {
        Ok(value) => Reply::read(value),
        Err(error) => Reply::Refused(error.code().map_or_else(|| error.to_string(), str::to_owned)),
    }
}

/// A call as it is sent, without its time.
fn told(op: &Op) -> String {
    let Some((command, args)) = op.args() else { return format!("({op:?})") };
    let args = args.iter().map(|arg| format!(" {arg:?}"));
    format!("{command}{}", args.collect::<String>())
}

/// A command's reply in short.
fn brief(reply: &Reply) -> String {
    match reply {
        Reply::Nil => "nil".into(),
        Reply::Text(text) => format!("{text:?}"),
        Reply::Refused(code) => code.clone(),
        Reply::List(items) => format!("[{}]", items.iter().map(brief).collect::<Vec<_>>().join(", ")),
    }
}

/// Kind of a reply, for the summary.
fn kind(op: &Op, reply: &Reply) -> String {
    match (op, reply) {
        (_, Reply::Refused(code)) => code.clone(),
        (_, Reply::Nil) => "nil".into(),
        (_, Reply::Text(text)) if text.bytes().all(|byte| byte.is_ascii_lowercase()) => text.clone(),
        (Op::Heartbeat { .. }, Reply::List(items)) if items.len() == 1 => "none".into(),
        (Op::Heartbeat { .. } | Op::Submit { .. }, Reply::List(items)) => brief(items.last().unwrap()),
        (Op::Maintenance { .. }, Reply::List(items)) if items[0].as_text().is_empty() => "none".into(),
        (Op::Maintenance { .. }, Reply::List(items)) => items[0].as_text().into(),
        (Op::Peek { .. }, Reply::List(items)) => {
            let why = items.chunks(3).map(|task| task[1].as_text()).find(|why| !why.is_empty());
            why.unwrap_or(if items.is_empty() { "none" } else { "ok" }).into()
        }
        (Op::Settle { .. }, Reply::List(items)) if items[0].as_text() == "0" => "none".into(),
        (Op::RequeueOrphans { .. }, Reply::List(items)) => {
            let words = ["requeued", "failed", "cancelled", "postponed", "more"];
            let some = words.iter().zip(items).filter(|(_, number)| number.as_text() != "0");
            some.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
        }
        (Op::Promote { .. } | Op::Prune { .. }, Reply::List(items)) => {
            if items[0].as_text() == "0" {
                "none".into()
            } else {
                "some".into()
            }
        }
        _ => "ok".into(),
    }
}

/// A failure: what is wrong, and the calls that lead there, shrunk.
pub struct Failure {
    pub what: String,
    pub case: Case,
    /// The calls made before it was found.
    pub after: u32,
}

/// Plays random cases until at least this many calls are made, or a case fails. A case that fails is shrunk.
pub fn explore(bench: &mut Bench<'_>, seed: u64, calls: u32, shrink: u32) -> Option<Failure> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { failure_persistence: None, max_shrink_iters: shrink, ..Config::default() };
    let runner = || TestRunner::new_with_rng(config.clone(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    // Each kind has its own random numbers, so that a further kind changes nothing for the present ones.
    let (shared, patterns) = (cases::shared().boxed(), cases::patterns().boxed());
    let (sets, watched) = (graph_cases::sets().boxed(), change_cases::watched().boxed());
    let kinds = [
        cases::case().boxed(),
        graph_cases::case().boxed(),
        shared,
        change_cases::case().boxed(),
        patterns,
        sets,
        change_cases::next_round().boxed(),
        watched,
        audit_cases::case().boxed(),
        maintenance_cases::case().boxed(),
        peek::case().boxed(),
        change_cases::edited().boxed(),
        control_cases::case().boxed(),
    ];
    let mut kinds = kinds.map(|cases| (cases, runner()));
    let mut number = 0;
    while bench.calls < calls {
        number += 1;
        let kind = match bench.kind {
            Kind::All => match number % if bench.namespace.is_some() { 10 } else { 15 } {
                0 => Kind::Graphs,
                5 => Kind::Sets,
                3 => Kind::Changes,
                8 => Kind::NextRound,
                6 => Kind::Shared,
                7 => Kind::Patterns,
                4 => Kind::Watched,
                10 => Kind::Audited,
                11 => Kind::KeptUp,
                12 => Kind::Peeked,
                13 => Kind::Edited,
                14 => Kind::Controlled,
                _ => Kind::Plain,
            },
            kind => kind,
        };
        let (strategy, runner) = &mut kinds[kind as usize - Kind::Plain as usize];
        let tree = strategy.new_tree(runner).unwrap();
        let played = std::cell::RefCell::new(&mut *bench);
        let failed_at = std::cell::Cell::new(None);
        let result = runner.run_one(tree, |case| {
            let mut bench = played.borrow_mut();
            bench.play(&case).map_err(|what| {
                failed_at.set(failed_at.get().or(Some(bench.calls)));
                TestCaseError::fail(what)
            })
        });
        match result {
            Ok(_) => {}
            Err(TestError::Fail(what, case)) => {
                let failure = Failure { what: what.message().to_owned(), case, after: failed_at.get().unwrap() };
                return Some(if shrink > 0 { without_idle_calls(bench, failure) } else { failure });
            }
            Err(TestError::Abort(why)) => panic!("{why}"),
        }
    }
    None
}

/// Leaves out every call without which the case still fails: such a call may have been needed before later calls were
/// shrunk.
fn without_idle_calls(bench: &mut Bench<'_>, mut failure: Failure) -> Failure {
    let mut at = failure.case.calls.len();
    while at > 0 {
        at -= 1;
        let mut case = failure.case.clone();
        case.calls.remove(at);
        if let Err(what) = bench.play(&case) {
            failure = Failure { what, case, ..failure };
            at = failure.case.calls.len();
        }
    }
    failure
}
