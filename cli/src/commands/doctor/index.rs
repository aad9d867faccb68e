//! Where a task stands, and where its record says that it stands (I1, I2, I3).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use redis::{Pipeline, Value};

use super::Exam;

/// Records read at once.
const BATCH: usize = 500;

/// More suspects than this of one queue are not looked at twice: the data needs more than a doctor.
const SUSPECTS: usize = 1_000;

/// A look that a transition came between is repeated so often.
const TRIES: usize = 5;

/// One entry of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Every task of the queue.
    All,
    /// A list of the queue, such as `pending_tasks`.
    List(&'static str),
    Scheduled,
    /// The list of a listener.
    Reserved(String),
    /// The whole entry.
    Started(String),
    /// The token.
    Lease(String),
}

/// What tells where a task belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    status: String,
    queue: String,
    attempt: String,
    token: String,
    node: String,
    pid: String,
}

const FIELDS: [&str; 6] = ["status", "queue", "attempt", "token", "node", "pid"];

/// Every entry of a queue's indexes that was read.
#[derive(Default)]
pub struct Entries {
    pub places: HashMap<String, BTreeSet<Place>>,
    /// Read twice in the same place: really, or because the list moved on while it was read.
    twice: BTreeSet<String>,
    /// Whether an index was not read to its end, so that what was not seen may yet be there.
    pub cut: bool,
}

impl Entries {
    pub fn add(&mut self, id: &str, place: Option<Place>) {
        let places = self.places.entry(id.to_owned()).or_default();
        if place.is_some_and(|place| !places.insert(place)) {
            self.twice.insert(id.to_owned());
        }
    }
}

impl Head {
    fn read(values: Vec<Option<Vec<u8>>>) -> Option<Self> {
        let mut texts = values.into_iter().map(|value| value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
        let status = texts.next()?;
        let queue = texts.next()?;
        // A record without a queue is what a late update made of a deleted task.
        let (status, queue) = (status?, queue.filter(|queue| !queue.is_empty())?);
        let mut next = || texts.next().flatten().unwrap_or_default();
        Some(Self { status, queue, attempt: next(), token: next(), node: next(), pid: next() })
    }

    fn is_held(&self) -> bool {
        self.status == "reserved" || self.status == "started"
    }

    /// Where it belongs.
    fn places(&self) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        match self.status.as_str() {
            "scheduled" => places.insert(Place::Scheduled),
            "pending" => places.insert(Place::List("pending_tasks")),
            "complete" => places.insert(Place::List("complete_tasks")),
            "failed" => places.insert(Place::List("failed_tasks")),
            "cancelled" => places.insert(Place::List("cancelled_tasks")),
            _ => false,
        };
        if self.is_held() {
            places.insert(Place::Reserved(self.node.clone()));
            // A task of a client without scripts has no lease.
            if !self.attempt.is_empty() {
                places.insert(Place::Lease(self.token.clone()));
            }
        }
        if self.status == "started" {
            places.insert(Place::Started(format!("{} {} ", self.node, self.pid)));
        }
        places
    }
}

impl Exam {
    /// Compares every entry of a queue's indexes with its record. Whatever looks wrong is looked at once more,
    /// alone and at one moment, because tasks move on meanwhile.
    pub fn places(&mut self, queue: &str, entries: &Entries) -> anyhow::Result<()> {
        let ids: Vec<&String> = entries.places.keys().collect();
        let mut suspects = Vec::new();
        for batch in ids.chunks(BATCH) {
            let heads = self.heads(batch)?;
            for (id, head) in batch.iter().zip(heads) {
                let Some(found) = entries.places.get(id.as_str()) else { continue };
                let expected = expected(head.as_ref(), queue, found);
                let missing = !entries.cut && expected.difference(found).next().is_some();
                let unknown = head.as_ref().is_some_and(|head| head.places().is_empty());
                let twice = entries.twice.contains(id.as_str());
                if missing || unknown || twice || found.difference(&expected).next().is_some() {
                    suspects.push((*id, found));
                }
            }
        }
        if suspects.len() > SUSPECTS {
            let number = suspects.len();
            self.note(
                "tasks",
                format!(
                    "{queue}: {number} tasks are wrong, or moved on meanwhile; {SUSPECTS} of them are looked at closely"
                ),
            );
        }
        for (id, found) in suspects.into_iter().take(SUSPECTS) {
            self.judge(queue, id, found)?;
        }
        Ok(())
    }

    fn heads(&mut self, ids: &[&String]) -> anyhow::Result<Vec<Option<Head>>> {
        let mut pipeline = Pipeline::new();
        for id in ids {
            pipeline.cmd("HMGET").arg(self.key("task", id)).arg(&FIELDS);
        }
        // A record of another type answers an error, which must not hide the others.
        pipeline.ignore_errors();
        let values: Vec<redis::RedisResult<Value>> = self.send(&pipeline)?;
        let read = |value: Value| redis::from_redis_value::<Vec<Option<Vec<u8>>>>(value).ok().and_then(Head::read);
        Ok(values.into_iter().map(|value| value.ok().and_then(read)).collect())
    }

    /// Looks at one task at one moment.
    fn judge(&mut self, queue: &str, id: &String, found: &BTreeSet<Place>) -> anyhow::Result<()> {
        for _ in 0..TRIES {
            let head = self.heads(&[id])?.pop().flatten();
            let expected = expected(head.as_ref(), queue, found);
            let places: Vec<Place> = found.union(&expected).cloned().collect();
            let mut pipeline = redis::pipe();
            pipeline.atomic().cmd("HMGET").arg(self.key("task", id)).arg(&FIELDS);
            for place in &places {
                self.count(&mut pipeline, queue, id, place);
            }
            let Ok(mut answers) = self.send::<Vec<Value>>(&pipeline) else {
                // A key of a wrong type: the look at the keys says so.
                return Ok(());
            };
            if answers.is_empty() {
                return Ok(());
            }
            let counts = answers.split_off(1);
            let now = answers.pop().and_then(|value| redis::from_redis_value::<Vec<Option<Vec<u8>>>>(value).ok());
            if now.and_then(Head::read) != head {
                continue;
            }
            let stands: BTreeMap<Place, usize> = places.into_iter().zip(counts.iter().map(number)).collect();
            self.verdict(queue, id, head.as_ref(), &expected, &stands);
            return Ok(());
        }
        Ok(())
    }

    fn verdict(
        &mut self,
        queue: &str,
        id: &str,
        head: Option<&Head>,
        expected: &BTreeSet<Place>,
        stands: &BTreeMap<Place, usize>,
    ) {
        let mend = "a worker sets this right within minutes; if it stays, stop the clients that write these keys";
        let named = |place: &Place| match place {
            Place::All => "tasks".to_owned(),
            Place::List(list) => (*list).to_owned(),
            Place::Scheduled => "scheduled_tasks".to_owned(),
            Place::Reserved(listener) => format!("the list of {listener}"),
            Place::Started(_) => "started_tasks".to_owned(),
            Place::Lease(_) => "leases".to_owned(),
        };
        let status = head.map_or("without a record", |head| head.status.as_str());
        let id = crate::output::clean_line(id, 200);
        if let Some(head) = head {
            if head.queue == queue && head.places().is_empty() {
                self.finding(
                    "tasks",
                    format!("{id} has the unknown status {status}"),
                    "find out which client wrote it",
                );
            }
            if head.is_held() && (head.node.is_empty() || (head.token.is_empty() && !head.attempt.is_empty())) {
                self.finding("leases", format!("{id} is {status}, but has no node or no token"), mend);
            }
        }
        for (place, &count) in stands {
            let check = if matches!(place, Place::Lease(_)) { "leases" } else { "tasks" };
            match (expected.contains(place), count) {
                (true, 1) | (false, 0) => {}
                (true, 0) => {
                    self.finding(check, format!("{id} is {status}, but is not in {} of {queue}", named(place)), mend);
                }
                (true, _) => {
                    let todo = "no loss: the second entry is dropped when it is met";
                    self.finding(check, format!("{id} stands twice in {} of {queue}", named(place)), todo);
                }
                (false, _) if head.is_none() => {
                    self.finding(check, format!("{id} is in {} of {queue}, but has no record", named(place)), mend);
                }
                (false, _) => {
                    self.finding(check, format!("{id} is {status}, but is in {} of {queue}", named(place)), mend);
                }
            }
        }
    }

    /// Adds the question how often an id stands in a place.
    fn count(&self, pipeline: &mut Pipeline, queue: &str, id: &str, place: &Place) {
        match place {
            Place::List(list) => pipeline.cmd("LPOS").arg(self.key(list, queue)).arg(id).arg("COUNT").arg(2),
            Place::Reserved(listener) => {
                let key = self.key("reserved_tasks", &format!("{queue}_{listener}"));
                pipeline.cmd("LPOS").arg(key).arg(id).arg("COUNT").arg(2)
            }
            Place::All => pipeline.cmd("ZSCORE").arg(self.key("tasks", queue)).arg(id),
            Place::Scheduled => pipeline.cmd("ZSCORE").arg(self.key("scheduled_tasks", queue)).arg(id),
            Place::Started(owner) => {
                pipeline.cmd("SISMEMBER").arg(self.key("started_tasks", queue)).arg(format!("{owner}{id}"))
            }
            Place::Lease(token) => pipeline.cmd("ZSCORE").arg(self.key("leases", queue)).arg(format!("{id} {token}")),
        };
    }
}

/// Where a task belongs in this queue.
fn expected(head: Option<&Head>, queue: &str, found: &BTreeSet<Place>) -> BTreeSet<Place> {
    let Some(head) = head.filter(|head| head.queue == queue) else { return BTreeSet::new() };
    let mut places = head.places();
    // Clients without scripts do not list all their tasks.
    if !head.attempt.is_empty() || found.contains(&Place::All) {
        places.insert(Place::All);
    }
    places
}

fn number(value: &Value) -> usize {
    match value {
        Value::Nil => 0,
        Value::Int(number) => usize::try_from(*number).unwrap_or(0),
        Value::Array(items) => items.len(),
        _ => 1,
    }
}
