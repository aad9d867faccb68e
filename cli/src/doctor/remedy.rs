//! Queries for the index entries of a task, and remedies for wrong entries.

use blueque::Status;
use redis::{Pipeline, Value};

use super::checks::Checks;
use super::task_entries::Place;

impl Checks {
    /// Adds a query for the number of times that an id is in a place.
    pub fn count(&self, pipeline: &mut Pipeline, queue: &str, id: &str, place: &Place) {
        match place {
            Place::List(status) => {
                pipeline.cmd("LPOS").arg(self.key(&format!("{status}_tasks"), queue)).arg(id).arg("COUNT").arg(2)
            }
            Place::Reserved(listener) => {
                let key = self.key("reserved_tasks", &format!("{queue}_{listener}"));
                pipeline.cmd("LPOS").arg(key).arg(id).arg("COUNT").arg(2)
            }
            Place::All => pipeline.cmd("ZSCORE").arg(self.key("tasks", queue)).arg(id),
            Place::Timed(set) => pipeline.cmd("ZSCORE").arg(self.key(set, queue)).arg(id),
            Place::Started(owner) => {
                pipeline.cmd("SISMEMBER").arg(self.key("started_tasks", queue)).arg(format!("{owner}{id}"))
            }
            Place::Lease(token) => pipeline.cmd("ZSCORE").arg(self.key("leases", queue)).arg(format!("{id} {token}")),
            Place::Ranked(rank, _) => {
                pipeline.cmd("ZSCORE").arg(self.key("pending_ranked_tasks", queue)).arg(format!("{rank} {id}"))
            }
            Place::Order(key, entry, _) => pipeline.cmd("ZSCORE").arg(format!("{}{key}", self.prefix)).arg(entry),
            Place::Limits(token, _) => {
                pipeline.cmd("HGET").arg(self.key("places", queue)).arg(format!("a:{id} {token}"))
            }
            Place::Unique(name, _) => pipeline.cmd("HGET").arg(self.key("unique", queue)).arg(name),
            Place::Tag(tag) => pipeline.cmd("ZSCORE").arg(self.key("tag", &format!("{queue}/{tag}"))).arg(id),
            Place::Group(group) => pipeline.cmd("ZSCORE").arg(self.key("group", &format!("{queue}/{group}"))).arg(id),
            Place::Deadline(_) => pipeline.cmd("ZSCORE").arg(self.deadlines()).arg(id),
        };
    }

    /// Returns the command with which a person removes an entry, if nothing else removes the entry.
    pub fn removal(&self, queue: &str, id: &str, place: &Place) -> Option<String> {
        Some(match place {
            Place::Ranked(rank, _) => format!("ZREM {} '{rank} {id}'", self.key("pending_ranked_tasks", queue)),
            Place::Order(key, entry, _) => format!("ZREM {}{key} '{entry}'", self.prefix),
            Place::Limits(token, _) => format!("HDEL {} 'a:{id} {token}', then look again", self.key("places", queue)),
            Place::Lease(_) => "no loss: a worker drops it when it has run out".to_owned(),
            Place::Tag(tag) => format!("ZREM {} {id}", self.key("tag", &format!("{queue}/{tag}"))),
            Place::Group(group) => format!("ZREM {} {id}", self.key("group", &format!("{queue}/{group}"))),
            Place::Deadline(_) => format!("ZREM {} {id}", self.deadlines()),
            _ => return None,
        })
    }

    /// Returns the command that restores a missing entry, if no worker restores the entry.
    pub fn return_of(&self, queue: &str, id: &str, place: &Place) -> Option<String> {
        Some(match place {
            Place::Ranked(..) | Place::Order(..) | Place::List(Status::Pending) => {
                format!("blueque cancel {id}, then blueque retry {id}: which adds it again")
            }
            Place::List(status) => format!("LPUSH {} {id}", self.key(&format!("{status}_tasks"), queue)),
            Place::Limits(..) => "its places are given out twice until it ends: nothing else to do".to_owned(),
            Place::Unique(name, until) => format!(
                "cancel one of the two where another task holds it (HGET {key} {name}), else HSET {key} {name} '{id} {until}'",
                key = self.key("unique", queue)
            ),
            Place::Tag(tag) => format!("ZADD {} CREATED {id}", self.key("tag", &format!("{queue}/{tag}"))),
            Place::Group(group) => format!("ZADD {} UPDATED {id}", self.key("group", &format!("{queue}/{group}"))),
            _ => return None,
        })
    }
}

/// Returns the number of times that an id is in a place, from the reply to the query of `count`.
pub fn stands(id: &str, place: &Place, answer: &Value) -> usize {
    let is = |text: &str| usize::from(text_of(answer).as_deref() == Some(text));
    match place {
        Place::Ranked(_, score) | Place::Order(_, _, score) => usize::from(score_of(answer) == Some(*score)),
        Place::Limits(_, what) => is(what),
        Place::Deadline(_) => {
            let score = redis::from_redis_value_ref::<Option<f64>>(answer).ok().flatten();
            usize::from(score.map(Place::deadline).as_ref() == Some(place))
        }
        Place::Unique(_, until) => is(&format!("{id} {until}")),
        _ => match answer {
            Value::Nil => 0,
            Value::Int(number) => usize::try_from(*number).unwrap_or(0),
            Value::Array(items) => items.len(),
            _ => 1,
        },
    }
}

pub fn text_of(value: &Value) -> Option<String> {
    let bytes = redis::from_redis_value_ref::<Option<Vec<u8>>>(value).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a score that is a whole number. `-0` is 0.
fn score_of(value: &Value) -> Option<i64> {
    whole(redis::from_redis_value_ref::<Option<f64>>(value).ok().flatten()?)
}

#[allow(clippy::cast_possible_truncation, reason = "checked")]
pub fn whole(score: f64) -> Option<i64> {
    (score.fract() == 0.0 && score.abs() < 9e15).then_some(score as i64)
}
