//! Checks of each call and its reply.

use std::collections::BTreeMap;

use super::events::Events;
use super::starts::{Starts, caps, early};
use super::statistics::Statistics;
use super::{Checked, ensure, field, hash, records};
use crate::model::Turn;
use crate::model::arguments::{intern, micros};
use crate::model::keys::Reply;
use crate::model::ops::{Act, Asks, Op, PAYLOADS};

pub const FINISHED: [&str; 3] = ["complete", "failed", "cancelled"];

/// A repeated call returns its first reply, or an equivalent one.
fn repeated(turn: &Turn, first: &Reply) -> Checked {
    let expected = match (&turn.op, first) {
        (_, Reply::Refused(_) | Reply::Nil) => return Ok(()),
        (Op::Submit { tasks, .. }, Reply::List(first)) if first.len() == tasks.len() => {
            Reply::List(vec![Reply::text("existing"); tasks.len()])
        }
        (Op::Reserve { asks: Asks { request, .. }, .. } | Op::Adopt { request, .. }, _) if request.is_some() => {
            first.clone()
        }
        // A repetition finds again what the first call took. Where the first call took nothing, there may be
        // something now.
        (Op::FinishAndReserve { asks, .. }, Reply::List(items)) if asks.request.is_some() && items.len() > 2 => {
            first.clone()
        }
        (Op::Owner { act, .. }, _)
            if act.is_end() || matches!(act, Act::Next { .. } | Act::Into { .. } | Act::Lost) =>
        {
            first.clone()
        }
        (Op::Cancel { .. } | Op::Retry { .. } | Op::Graph { .. } | Op::Resubmit { .. }, _) => first.clone(),
        _ => return Ok(()),
    };
    ensure(turn.reply == expected, || format!("the same call again should answer {expected:?}"))?;
    ensure(turn.before == turn.after, || "the same call again changed something".into())
}

/// The replies so far.
#[derive(Default)]
pub struct Log {
    /// The largest token, and each token with the task that it was issued for.
    tokens: BTreeMap<u64, &'static str>,
    /// The first accepted result of each token.
    results: BTreeMap<String, u8>,
    clock: u64,
    starts: Starts,
    events: Events,
    statistics: Statistics,
}

impl Log {
    /// Checks I6, I16, I17, I24 of a call, and the promises for its repetition.
    pub fn call(&mut self, turn: &Turn) -> Checked {
        let Turn { op, reply, before, after, .. } = turn;
        if let Some(first) = &turn.again {
            repeated(turn, first)?;
        }
        if let Reply::Refused(code) = reply {
            ensure(before == after, || format!("I24: refused with {code}, and something changed"))?;
        }
        caps(turn)?;
        early(turn)?;
        match (op, reply) {
            (Op::Reserve { .. } | Op::Adopt { .. }, Reply::List(items)) => self.taken(items, turn)?,
            (Op::FinishAndReserve { ends, .. }, Reply::List(items)) => {
                let verdicts = items[0].as_text().split(' ');
                for ((_, token, act), verdict) in ends.iter().zip(verdicts) {
                    if let (Some(result), "complete") = (act.result(), verdict) {
                        self.results.entry(token.token().to_owned()).or_insert(result);
                    }
                }
                self.taken(&items[2..], turn)?;
            }
            (Op::Configure { .. } | Op::Limit { .. }, _) => self.starts.forget_changed(after),
            (Op::Owner { task, token, act }, answer) => {
                let (id, token) = (task.id(), token.token());
                let current = field(&hash(before, &format!("task_{id}")), "token") == token;
                ensure(current || before == after, || "I16: a stale token changed something".into())?;
                if let (Some(result), Reply::Text(_)) = (act.result(), answer) {
                    self.results.entry(token.to_owned()).or_insert(result);
                }
            }
            _ => {}
        }
        for (id, record) in records(after) {
            if field(record, "status") == "complete" {
                let sent = self.results.get(field(record, "ended")).map(|result| PAYLOADS[usize::from(*result)]);
                ensure(sent == Some(field(record, "result")), || format!("I17: the result of {id} is not {sent:?}"))?;
            }
            let times: Vec<u64> = ["created", "started", "updated"]
                .iter()
                .filter_map(|name| record.get(*name))
                .map(|at| micros(at))
                .collect();
            ensure(times.is_sorted(), || format!("I6: {id} has {record:?}"))?;
            ensure(FINISHED.contains(&field(record, "status")) || !record.contains_key("result"), || {
                format!("I17: {id} has a result")
            })?;
        }
        let clock = hash(after, "meta").get("clock:1").map_or(0, |clock| clock.parse().unwrap());
        ensure(clock >= self.clock, || format!("I6: the clock went from {} to {clock}", self.clock))?;
        self.clock = clock;
        self.events.check(after)?;
        self.statistics.check(after)
    }

    /// Checks the attempts that began. For the first attempt of a call, everything that it may have is known. For
    /// each later attempt, it checks what holds in any order.
    fn taken(&mut self, items: &[Reply], turn: &Turn) -> Checked {
        let Turn { op, before, after, .. } = turn;
        let mut first = matches!(op, Op::Reserve { .. });
        for task in items.chunks(11) {
            let (id, token) = (intern(task[0].as_text()), task[2].as_text().parse().unwrap());
            let newest = self.tokens.last_key_value().map_or(0, |(token, _)| *token);
            let known = self.tokens.get(&token);
            ensure(known.map_or(token > newest, |of| *of == id), || format!("I16: {token} after {newest}"))?;
            ensure(known.is_none() || before == after || matches!(op, Op::FinishAndReserve { .. }), || {
                "a repeated reservation changed something".into()
            })?;
            match (known, op) {
                (Some(_), _) => {}
                (None, Op::Adopt { .. }) => self.starts.adopted(id, token, before),
                (None, _) if first => self.starts.reserved(id, token, before, after)?,
                (None, _) => self.starts.taken(id, token, before, after)?,
            }
            first = false;
            self.tokens.insert(token, id);
        }
        Ok(())
    }
}
