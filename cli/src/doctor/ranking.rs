//! Checks the orders in which ranked tasks run: the counts of their needs, and the turns of keys (I1, I4).

use std::collections::{BTreeMap, BTreeSet};

use redis::Value;

use super::checks::Checks;
use super::entries::PAGE;
use super::index::{Entries, TRIES};
use super::keys::Scan;
use super::remedy::{text_of, whole};
use super::task_entries::class;
use crate::view::listeners::suits;

/// Maximum number of different needs of the tasks of one queue.
const NEEDS: usize = 64;

/// A row: the waiting tasks of one key with the same needs. Contains the key, and the number of the needs or an empty
/// text.
type Row = (String, String);

/// Status, needs and shared limits of a task.
type Known = (Option<String>, Option<String>, Option<String>);

/// The data of a row, read atomically.
struct Look {
    /// Score and rank of the first task of the row.
    head: Option<(i64, String)>,
    /// The turn of the row in the hash of turns: score and rank. The order must contain an entry with these values.
    turn: Option<(i64, String)>,
    /// The time at which a task of the key was last taken.
    served: Option<String>,
    used: bool,
    delayed: bool,
}

impl Checks {
    /// Compares the counts in the hash of needs with the tasks.
    pub fn needs(&mut self, queue: &str, entries: &Entries) -> anyhow::Result<()> {
        let key = self.key("needs", queue);
        let known: BTreeMap<String, String> = self.ask(&["HGETALL", &key])?;
        let mut numbers = BTreeSet::new();
        let mut counts = BTreeMap::new();
        for (needs, value) in &known {
            let parsed = value.split_once(' ').and_then(|(number, count)| {
                Some((number.parse::<usize>().ok()?, count.parse::<usize>().ok().filter(|count| *count > 0)?))
            });
            let Some((_, count)) = parsed.filter(|(number, _)| numbers.insert(*number)) else {
                let text = format!("{key} says {value} of {needs}, and must say NUMBER COUNT, each number once");
                self.finding(
                    "ranking",
                    text,
                    "cancel the tasks that wait in this queue, HDEL the field, and retry them",
                );
                continue;
            };
            counts.insert(needs.clone(), count);
        }
        self.lacking(queue, &counts)?;
        if !entries.cut && counts != entries.needs {
            self.recount(queue, &key)?;
        }
        Ok(())
    }

    /// Reports needs that no active listener satisfies. Tasks with such needs wait. If a queue has too many different
    /// needs, it refuses tasks with further needs.
    fn lacking(&mut self, queue: &str, counts: &BTreeMap<String, usize>) -> anyhow::Result<()> {
        if counts.keys().all(String::is_empty) {
            return Ok(());
        }
        let mut listeners: BTreeMap<String, String> = self.ask(&["HGETALL", &self.key("has", queue)])?;
        let gone = self.gone(queue, listeners.keys())?;
        listeners.retain(|listener, _| !gone.contains(listener));
        let needs = |class: &str| class.split('|').next().unwrap_or_default().to_owned();
        let asked = counts.iter().map(|(class, number)| (needs(class), number)).filter(|(needs, _)| !needs.is_empty());
        let lacking = asked.filter(|(needs, _)| !listeners.values().any(|has| suits(has, needs)));
        let named: Vec<String> = lacking.map(|(needs, number)| format!("{needs} ({number})")).collect();
        if named.is_empty() {
            return Ok(());
        }
        let text = format!("{queue}: no worker has what these need (tasks): {}", named.join("; "));
        if counts.len() >= NEEDS {
            let text = format!("{text}; with {NEEDS} different needs, new ones are refused");
            self.finding(
                "ranking",
                text,
                "start a worker with `--has`, or cancel these tasks: `blueque why` names them",
            );
        } else if self.ask(&["HEXISTS", &format!("{}meta", self.prefix), &format!("paused:{queue}")])? {
            self.note("ranking", text);
        } else {
            self.finding("waiting", text, "start a worker with `--has`, or cancel these tasks");
        }
        Ok(())
    }

    /// Counts the needs of ranked tasks atomically.
    fn recount(&mut self, queue: &str, key: &str) -> anyhow::Result<()> {
        if self.full {
            return Ok(()); // without a transaction, a concurrent change would go unnoticed
        }
        for _ in 0..TRIES {
            self.ask::<()>(&["WATCH", key])?;
            let mut ids = Vec::new();
            self.zsets(&[self.key("pending_ranked_tasks", queue)], |_, member, _| {
                ids.push(member.rsplit(' ').next().unwrap_or_default().to_owned());
            })?;
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            let mut strange = false;
            for batch in ids.chunks(PAGE) {
                let mut pipeline = redis::pipe();
                for id in batch {
                    pipeline.cmd("HMGET").arg(self.key("task", id)).arg(&["status", "needs", "limits"]);
                }
                for (status, needs, limits) in self.send::<Vec<Known>>(&pipeline)? {
                    strange |= status.as_deref() != Some("pending");
                    let class = class(&needs.unwrap_or_default(), &limits.unwrap_or_default());
                    *counts.entry(class).or_default() += 1;
                }
            }
            counts.remove("");
            let mut last = redis::pipe();
            last.atomic().cmd("HGETALL").arg(key);
            // The reply is `None` if another client changed the hash after `WATCH`.
            let Some((known,)): Option<(BTreeMap<String, String>,)> = self.send(&last)? else { continue };
            // Entries without a pending task are also counted here. They are reported separately.
            for (needs, value) in known.iter().filter(|_| !strange) {
                let number = counts.remove(needs).unwrap_or(0);
                if value.split_once(' ').is_some_and(|(_, count)| count != number.to_string()) {
                    let text = format!("{key} counts {value} of {needs}, and {number} wait");
                    let todo = format!("HSET {key} '{needs}' 'NUMBER {number}', with its first word as it is");
                    self.finding("ranking", text, todo);
                }
            }
            for (needs, number) in counts.iter().filter(|_| !strange) {
                let todo = "cancel these tasks and retry them, which adds them again";
                self.finding(
                    "ranking",
                    format!("{number} tasks of {queue} wait with {needs}, which {key} does not contain"),
                    todo,
                );
            }
            return Ok(());
        }
        Ok(())
    }

    /// Checks the rows. If the first task of a row may run, the order must contain one entry for the key, and the hash
    /// of turns the same entry. If the first task may not run, there must be a reason.
    pub fn turns(&mut self, queue: &str, scan: &Scan) -> anyhow::Result<()> {
        let mut rows: BTreeSet<Row> = BTreeSet::new();
        let mut served = BTreeSet::new();
        self.fields(&self.key("turns", queue), |field, _| match field.split_once('/') {
            Some((key, number)) => {
                rows.insert((key.to_owned(), number.to_owned()));
            }
            None => {
                served.insert(field.to_owned());
            }
        })?;
        let split =
            |part: &str| part.split_once('/').map_or((part.to_owned(), String::new()), |(a, b)| (a.into(), b.into()));
        rows.extend(scan.of("key_tasks", queue).map(split));
        // The entries of keys in the orders, with their ranks and scores.
        let numbers: Vec<&str> = scan.after("ranked_tasks", queue).map(|part| part.trim_start_matches('/')).collect();
        let keys: Vec<String> = numbers.iter().map(|number| self.ranked(queue, number)).collect();
        let mut ranks: BTreeMap<Row, BTreeMap<String, i64>> = BTreeMap::new();
        self.zsets(&keys, |at, member, score| {
            if let (Some((rank, key)), Some(number)) = (member.split_once(" /"), numbers.get(at)) {
                let row = (key.to_owned(), (*number).to_owned());
                rows.insert(row.clone());
                ranks.entry(row).or_default().insert(rank.to_owned(), score);
            }
        })?;
        for (row, look) in self.rows(queue, &rows)? {
            let right = self.row(queue, row, &look);
            let seen = ranks.remove(row).unwrap_or_default();
            let turn: BTreeMap<String, i64> = look.turn.into_iter().map(|(score, rank)| (rank, score)).collect();
            if right && seen != turn {
                self.entry(queue, row, seen.into_keys().collect())?;
            }
        }
        let waiting: BTreeSet<&String> = rows.iter().map(|(key, _)| key).collect();
        for key in served.iter().filter(|key| !waiting.contains(key)) {
            self.leftover(queue, key)?;
        }
        Ok(())
    }

    fn ranked(&self, queue: &str, number: &str) -> String {
        self.key("ranked_tasks", &if number.is_empty() { queue.to_owned() } else { format!("{queue}/{number}") })
    }

    /// Reads rows, each atomically.
    fn rows<'a>(&mut self, queue: &str, rows: &'a BTreeSet<Row>) -> anyhow::Result<Vec<(&'a Row, Look)>> {
        let turns = self.key("turns", queue);
        let asked = self.each(rows, |checks, pipeline, (key, number)| {
            let part = if number.is_empty() { key.clone() } else { format!("{key}/{number}") };
            let keyed = checks.key("key_tasks", &format!("{queue}/{part}"));
            pipeline.cmd("ZRANGE").arg(keyed).arg(0).arg(0).arg("WITHSCORES");
            pipeline.cmd("HGET").arg(&turns).arg(format!("{key}/{number}"));
            pipeline.cmd("HGET").arg(&turns).arg(key);
            pipeline.cmd("HEXISTS").arg(checks.key("places", queue)).arg(format!("k:{key}"));
            pipeline.cmd("ZSCORE").arg(checks.key("delayed", queue)).arg(key);
        })?;
        let read = |(head, turn, served, used, delayed): (Value, Value, Value, bool, Option<f64>)| {
            let head: Vec<(String, f64)> = redis::from_redis_value(head).unwrap_or_default();
            let head = head.into_iter().next();
            Look {
                head: head.map(|(member, score)| (whole(score).unwrap_or(i64::MAX), first(&member))),
                turn: text_of(&turn).map(|text| turn_of(&text)),
                served: text_of(&served),
                used,
                delayed: delayed.is_some(),
            }
        };
        Ok(asked.into_iter().map(|(row, answer)| (row, read(answer))).collect())
    }

    /// Reports a turn that does not match the first task of its row. Returns true if there is nothing to report.
    fn row(&mut self, queue: &str, (key, number): &Row, look: &Look) -> bool {
        let again = format!("set its limits again, as they are: blueque limit set {queue} {key} …");
        let of = if number.is_empty() { String::new() } else { format!(" (needs {number})") };
        // The key whose last task was taken first comes first.
        let rank = |rank: &String| look.served.as_ref().filter(|served| *served > rank).unwrap_or(rank).clone();
        let expected = look.head.as_ref().map(|(score, of)| (*score, rank(of)));
        match (&expected, &look.turn) {
            (None, Some(_)) => {
                self.finding("ranking", format!("key {key}{of} of {queue} has a turn, and no task waits"), again);
            }
            (Some(expected), Some(turn)) if expected != turn => {
                let text = format!("key {key}{of} of {queue} has a turn that does not match its first task");
                self.finding("ranking", text, again);
            }
            (Some(_), None) if !look.used && !look.delayed => {
                let text =
                    format!("key {key}{of} of {queue} has tasks and free places, and no turn: none of them will run");
                self.finding("ranking", text, again);
            }
            _ => return true,
        }
        false
    }

    /// Compares the entries of a row in the order with its turn. `asked`: the ranks for which the order is read.
    fn entry(&mut self, queue: &str, (key, number): &Row, mut asked: BTreeSet<String>) -> anyhow::Result<()> {
        let turns = self.key("turns", queue);
        let field = format!("{key}/{number}");
        for _ in 0..TRIES {
            let turn: Option<String> = self.ask(&["HGET", &turns, &field])?;
            let turn = turn.map(|text| turn_of(&text));
            asked.extend(turn.iter().map(|(_, rank)| rank.clone()));
            let ranked = self.ranked(queue, number);
            let mut pipeline = redis::pipe();
            pipeline.atomic().cmd("HGET").arg(&turns).arg(&field);
            for rank in &asked {
                pipeline.cmd("ZSCORE").arg(&ranked).arg(format!("{rank} /{key}"));
            }
            let answers: Vec<Value> = self.send(&pipeline)?;
            let Some((now, scores)) = answers.split_first() else { return Ok(()) };
            if text_of(now).map(|text| turn_of(&text)) != turn {
                continue;
            }
            for (rank, score) in asked.iter().zip(scores) {
                let score: Option<f64> = redis::from_redis_value_ref(score).unwrap_or(None);
                let is = score.map(|score| (whole(score).unwrap_or(i64::MAX), rank.clone()));
                let own = turn.clone().filter(|(_, own)| own == rank);
                if is.is_some() && is != own {
                    let text = format!("key {key}: its position in {ranked} does not match its turn");
                    self.finding("ranking", text, format!("ZREM {ranked} '{rank} /{key}', then look again"));
                } else if is.is_none() && own.is_some() {
                    let text =
                        format!("key {key} has its turn, and does not stand in {ranked}: none of its tasks will run");
                    let todo = format!("HDEL {turns} {field}, then set its limits again, unchanged");
                    self.finding("ranking", text, todo);
                }
            }
            return Ok(());
        }
        Ok(())
    }

    /// Reports a key that is still in the hash of turns although none of its tasks waits or runs.
    fn leftover(&mut self, queue: &str, key: &str) -> anyhow::Result<()> {
        let turns = self.key("turns", queue);
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("HEXISTS").arg(&turns).arg(key);
        pipeline.cmd("HEXISTS").arg(self.key("places", queue)).arg(format!("k:{key}"));
        pipeline.cmd("EXISTS").arg(self.key("key_tasks", &format!("{queue}/{key}")));
        for number in 1..=NEEDS {
            pipeline.arg(self.key("key_tasks", &format!("{queue}/{key}/{number}")));
        }
        let (stands, used, waits): (bool, bool, usize) = self.send(&pipeline)?;
        if stands && !used && waits == 0 {
            let text = format!("{turns} contains key {key}, but none of its tasks waits or runs");
            self.finding("ranking", text, format!("HDEL {turns} {key}"));
        }
        Ok(())
    }
}

fn first(text: &str) -> String {
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Parses `SCORE RANK`.
fn turn_of(text: &str) -> (i64, String) {
    let (score, rank) = text.split_once(' ').unwrap_or((text, ""));
    (score.parse::<f64>().ok().and_then(whole).unwrap_or(i64::MAX), rank.to_owned())
}
