//! Calls that ask what happened.

use redis::Value;

use super::{Call, Calls, read};
use crate::model::{Event, Events, Follow, Transition};
use crate::names::{QueueName, TaskId};
use crate::reply;

impl Calls {
    /// A queue's transitions after an event, `0` for the oldest that is kept; those of one
    /// task among the next `limit` events where `only` names it.
    #[must_use]
    pub fn events(&self, queue: &QueueName, after: &str, limit: u32, only: Option<&TaskId>) -> Call<Events> {
        let parse = |value: &Value| {
            let items = reply::array(value)?;
            let [last, missed, ..] = items else { return None };
            Some(Events {
                last: reply::text(last)?,
                missed: read::flag(missed)?,
                items: reply::groups(items, 2, 9, event)?,
            })
        };
        self.call("events", parse).arg(queue).arg(after).arg(limit).option("id", only)
    }

    /// What happened to a task after a transition, 0 for the first that is kept.
    #[must_use]
    pub fn history(&self, id: &TaskId, after: u64, limit: u32) -> Call<Follow<Transition>> {
        let parse = |value: &Value| read::follow(value, 11, transition);
        self.call("history", parse).arg(id).arg(after).arg(limit)
    }
}

fn event(item: &[Value]) -> Option<Event> {
    let [cursor, id, from, to, attempt, at, by, why, since] = item else { return None };
    Some(Event {
        cursor: reply::text(cursor)?,
        id: reply::text(id)?,
        from: reply::optional(from)?,
        to: reply::text(to)?,
        attempt: reply::number(attempt)?,
        at: reply::number(at)?,
        by: reply::optional(by)?,
        why: reply::text(why)?,
        since: reply::optional(since)?.and_then(|since| since.parse().ok()),
    })
}

fn transition(item: &[Value]) -> Option<Transition> {
    let [number, at, from, to, attempt, by, why, outcome, group, error, cost] = item else { return None };
    Some(Transition {
        number: reply::number(number)?,
        at: reply::optional(at)?.and_then(|at| at.parse().ok()),
        from: reply::optional(from)?,
        to: reply::text(to)?,
        attempt: reply::number(attempt)?,
        by: reply::optional(by)?,
        why: reply::optional(why)?,
        outcome: reply::optional(outcome)?.and_then(|outcome| outcome.parse().ok()),
        group: reply::optional(group)?,
        error: Some(reply::bytes(error)?).filter(|error| !error.is_empty()),
        cost: Some(reply::bytes(cost)?).filter(|cost| !cost.is_empty()),
    })
}
