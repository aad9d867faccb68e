//! Compares the index entries of tasks with the entries that their records require (I1, I2, I3, I7, I8).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use blueque::Status;
use redis::{Pipeline, Value};

use super::checks::Checks;
use super::remedy;
use super::task_entries::{FIELDS, Head, Numbers, Place, expected};

/// Number of records read at once.
const BATCH: usize = 500;

/// Maximum number of suspects of a queue that are checked again.
const SUSPECTS: usize = 1_000;

/// Maximum number of attempts of a check. A check is repeated if a task changes its state during the check.
pub const TRIES: usize = 5;

/// All entries of a queue's indexes that were read.
#[derive(Default)]
pub struct Entries {
    pub places: HashMap<String, Vec<Place>>,
    /// Tasks that were read twice in the same place. Such a task is a duplicate, or the list changed during the read.
    twice: BTreeSet<String>,
    /// True if an index was not read to its end, so that a missing entry may still exist.
    pub cut: bool,
    /// The number of waiting ranked tasks, by needs.
    pub needs: BTreeMap<String, usize>,
}

impl Entries {
    pub fn add(&mut self, id: &str, place: Place) {
        let places = match self.places.get_mut(id) {
            Some(places) => places,
            None => self.at_least(id),
        };
        if places.contains(&place) {
            self.twice.insert(id.to_owned());
        } else {
            places.push(place);
        }
    }

    /// Moves the deadlines of the queue's tasks from `dated` to these entries.
    pub fn date(&mut self, dated: &mut HashMap<String, Place>) {
        let ids: Vec<&String> = dated.keys().filter(|id| self.places.contains_key(*id)).collect();
        for id in ids.into_iter().cloned().collect::<Vec<_>>() {
            if let Some(place) = dated.remove(&id) {
                self.add(&id, place);
            }
        }
    }

    /// Returns the places of a task. Adds an empty list for a new task.
    pub fn at_least(&mut self, id: &str) -> &mut Vec<Place> {
        // Most tasks are in two places: the index of all tasks, and one other index.
        self.places.entry(id.to_owned()).or_insert_with(|| Vec::with_capacity(2))
    }
}

impl Checks {
    /// Compares every entry of a queue's indexes with the record of the task. A task with a difference is a suspect.
    /// Each suspect is checked again atomically, because tasks change during the first comparison.
    pub fn places(&mut self, queue: &str, entries: &mut Entries) -> anyhow::Result<()> {
        let ids: Vec<&String> = entries.places.keys().collect();
        let (mut suspects, mut without, mut backwards) = (Vec::new(), Vec::new(), Vec::new());
        let mut needs: BTreeMap<String, usize> = BTreeMap::new();
        let numbers = self.numbers(queue)?;
        for batch in ids.chunks(BATCH) {
            let heads = self.heads(batch)?;
            for (id, head) in batch.iter().zip(heads) {
                let Some(found) = entries.places.get(id.as_str()) else { continue };
                let expected = expected(id, head.as_ref(), queue, found, &numbers);
                let missing = !entries.cut && expected.iter().any(|place| !found.contains(place));
                let odd = head.as_ref().is_some_and(Head::is_odd);
                let twice = entries.twice.contains(id.as_str());
                if missing || odd || twice || found.iter().any(|place| !expected.contains(place)) {
                    suspects.push((*id, found));
                }
                let Some(head) = head else {
                    without.push(*id);
                    continue;
                };
                if head.runs_backwards() {
                    backwards.push(*id);
                }
                if found.iter().any(|place| matches!(place, Place::Ranked(..))) && !head.needs.is_empty() {
                    *needs.entry(head.needs).or_default() += 1;
                }
            }
            self.bar.inc(batch.len() as u64);
        }
        for id in without.into_iter().take(SUSPECTS) {
            self.stump(id)?;
        }
        for id in backwards {
            let text = format!("{id} was started before it was created, or ended before it started");
            self.finding("times", text, "set the clocks of clients without scripts by NTP");
        }
        if suspects.len() > SUSPECTS {
            let number = suspects.len();
            self.note(
                "tasks",
                format!("{queue}: {number} tasks are wrong or changed during the check; {SUSPECTS} are checked again"),
            );
        }
        for (id, found) in suspects.into_iter().take(SUSPECTS) {
            self.judge(queue, id, found)?;
        }
        entries.needs = needs;
        Ok(())
    }

    fn heads(&mut self, ids: &[&String]) -> anyhow::Result<Vec<Option<Head>>> {
        let mut pipeline = Pipeline::with_capacity(ids.len());
        for id in ids {
            pipeline.cmd("HMGET").arg(self.key("task", id)).arg(FIELDS);
        }
        // The error for a record of a wrong type must not hide the remaining records.
        pipeline.ignore_errors();
        let values: Vec<redis::RedisResult<Value>> = self.send(&pipeline)?;
        let read = |value: Value| redis::from_redis_value::<Vec<Option<Vec<u8>>>>(value).ok().and_then(Head::read);
        Ok(values.into_iter().map(|value| value.ok().and_then(read)).collect())
    }

    /// Returns the numbers by which a queue stores the needs of its tasks.
    fn numbers(&mut self, queue: &str) -> anyhow::Result<Numbers> {
        let known: BTreeMap<String, String> = self.ask(&["HGETALL", &self.key("needs", queue)])?;
        Ok(known.into_iter().map(|(needs, value)| (needs, number(&value))).collect())
    }

    /// Checks one task atomically.
    fn judge(&mut self, queue: &str, id: &String, found: &[Place]) -> anyhow::Result<()> {
        for _ in 0..TRIES {
            let head = self.heads(&[id])?.pop().flatten();
            let needs = head.as_ref().map(|head| head.needs.clone()).unwrap_or_default();
            let known: Option<String> = self.ask(&["HGET", &self.key("needs", queue), &needs])?;
            let numbers = known.iter().map(|value| (needs.clone(), number(value))).collect();
            let expected = expected(id, head.as_ref(), queue, found, &numbers);
            let places: BTreeSet<Place> = found.iter().chain(&expected).cloned().collect();
            let mut pipeline = redis::pipe();
            pipeline.atomic().cmd("HMGET").arg(self.key("task", id)).arg(FIELDS);
            pipeline.cmd("HGET").arg(self.key("needs", queue)).arg(&needs);
            for place in &places {
                self.count(&mut pipeline, queue, id, place);
            }
            let Ok(mut answers) = self.send::<Vec<Value>>(&pipeline) else {
                // The check of the keys reports a key of a wrong type.
                return Ok(());
            };
            if answers.len() < 2 {
                return Ok(());
            }
            let counts = answers.split_off(2);
            let known_now = answers.pop().and_then(|value| remedy::text_of(&value));
            let now = answers.pop().and_then(|value| redis::from_redis_value::<Vec<Option<Vec<u8>>>>(value).ok());
            if now.and_then(Head::read) != head || known_now.as_deref().map(number) != known.as_deref().map(number) {
                continue;
            }
            let stands = |place: &Place, answer| remedy::stands(id, place, answer);
            let stands = places.into_iter().zip(&counts).map(|(place, answer)| {
                let count = stands(&place, answer);
                (place, count)
            });
            self.verdict(queue, id, head.as_ref(), &expected, &stands.collect());
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
        let repair = "a worker repairs this within minutes; if it stays, stop the clients that write these keys";
        let status = head.map_or("without a record", |head| head.status.as_str());
        let id = crate::output::clean_line(id, 200);
        if let Some(head) = head {
            if head.queue == queue && head.is_odd() {
                self.finding(
                    "tasks",
                    format!("{id} has the unknown status {status}"),
                    "find out which client wrote it",
                );
            }
            if head.is_held() && head.node.is_empty() {
                let todo = format!("blueque cancel --force {id}, then blueque retry {id}");
                self.finding("leases", format!("{id} is {status}, but has no node"), todo);
            }
        }
        let rankless = head.is_some_and(Head::is_rankless);
        if rankless {
            let rank = stands.iter().find_map(|(place, count)| match place {
                Place::Ranked(rank, _) if *count > 0 => Some(rank),
                _ => None,
            });
            let listed = stands.get(&Place::List(Status::Pending)).is_some_and(|count| *count > 0);
            let anew = || format!("blueque cancel {id}, then blueque retry {id}: which adds it again");
            let todo = rank.map_or_else(
                || if listed { repair.to_owned() } else { anew() },
                |rank| format!("HSET {} rank {rank}", self.key("task", &id)),
            );
            self.finding("ranking", format!("{id} is pending in the ranking of {queue}, but its record has no rank"), todo);
        }
        for (place, &count) in stands {
            let (check, name) = (place.check(), place.name());
            let removal = self.removal(queue, &id, place).unwrap_or_else(|| repair.to_owned());
            match (expected.contains(place), count) {
                (true, 1) | (false, 0) => {}
                (true, 0) if place.stands_otherwise(stands) || place.is_timed() => {}
                _ if rankless && check == "ranking" => {}
                (true, 0) => {
                    let todo = self.return_of(queue, &id, place).unwrap_or_else(|| repair.to_owned());
                    self.finding(check, format!("{id} is {status}, but is not in {name} of {queue}"), todo);
                }
                (true, _) => {
                    let todo = "no loss: a worker drops the second entry within minutes";
                    self.finding(check, format!("{id} is twice in {name} of {queue}"), todo);
                }
                (false, _) if head.is_none() => {
                    self.finding(check, format!("{id} is in {name} of {queue}, but has no record"), removal);
                }
                (false, _) => {
                    self.finding(check, format!("{id} is {status}, but is in {name} of {queue}"), removal);
                }
            }
        }
    }
}

/// Returns the number in `NUMBER COUNT`.
fn number(value: &str) -> String {
    value.split(' ').next().unwrap_or_default().to_owned()
}
