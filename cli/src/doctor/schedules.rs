//! Checks that each schedule is in the index with its next slot, on which I25 depends. A schedule that needs more slots
//! must also be in the index of such schedules.

use blueque::constants::{FEW_SLOTS, SLOTS_AHEAD};
use redis::Value;

use super::checks::Checks;
use super::keys::Scan;
use crate::times;

const FIELDS: [&str; 9] = ["recurrence", "next", "done", "paused", "ended", "final", "slots", "queue", "held"];

/// Maximum number of seconds between now and a handled slot in the future. A schedule that has handled a later slot
/// creates no tasks until that time.
const AHEAD_OF_TIME: f64 = 60.0;

/// Number of seconds after which an overdue slot means that no client creates its task.
const LATE: f64 = 300.0;

impl Checks {
    pub fn schedules(&mut self, scan: &Scan) -> anyhow::Result<()> {
        let [all, low] = ["schedules", "low_schedules"].map(|index| format!("{}{index}", self.prefix));
        let mut names = self.listed(&all)?;
        names.extend(self.listed(&low)?);
        names.extend(scan.all("schedule").iter().cloned());
        let asked = self.each::<_, (Value, Option<f64>, Option<f64>)>(names, |checks, pipeline, name| {
            pipeline.cmd("HMGET").arg(checks.key("schedule", name)).arg(&FIELDS);
            pipeline.cmd("ZSCORE").arg(&all).arg(name).cmd("ZSCORE").arg(&low).arg(name);
        })?;
        let mut late = 0;
        for (name, (fields, slot, low)) in asked {
            let fields: Vec<Option<String>> = redis::from_redis_value(fields).unwrap_or_default();
            late += usize::from(slot.is_some_and(|slot| slot + LATE < times::seconds(times::now())));
            self.schedule(&name, &fields, slot, low.is_some());
        }
        if late > 0 {
            let text = format!("{late} schedules have slots that passed 5 minutes ago or more");
            self.note("schedules", format!("{text}: a worker, of whatever queue, creates their tasks"));
        }
        Ok(())
    }

    /// Checks one schedule, read atomically: its fields, its slot in the index, and whether it needs slots.
    fn schedule(&mut self, name: &str, fields: &[Option<String>], slot: Option<f64>, low: bool) {
        let [recurrence, next, done, paused, ended, last, slots, queue, held] = fields else { return };
        let (all, low_ones) = (format!("{}schedules", self.prefix), format!("{}low_schedules", self.prefix));
        let again = format!("blueque schedule pause {name}, then blueque schedule resume {name}");
        let (Some(recurrence), Some(_)) = (recurrence, queue) else {
            if recurrence.is_some() {
                let key = self.key("schedule", name);
                self.finding(
                    "schedules",
                    format!("schedule {name} has no queue"),
                    format!("DEL {key}, and create it again"),
                );
            } else if slot.is_some() || low {
                let todo = format!("ZREM {all} {name}, and ZREM {low_ones} {name}");
                self.finding("schedules", format!("schedule {name} is in an index, but does not exist"), todo);
            }
            return;
        };
        let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
        let (next, done) = (number(next), number(done).unwrap_or(0.0));
        let rests = paused.is_some() || ended.is_some();
        let told: Vec<f64> =
            slots.iter().flat_map(|text| text.split(' ')).filter_map(|slot| slot.parse().ok()).collect();
        let every = recurrence.strip_prefix("every ").and_then(|text| {
            let (every, offset) = text.split_once(' ')?;
            Some((every.parse::<f64>().ok()?, offset.parse::<f64>().ok()?))
        });
        match slot {
            None => {
                let text = format!("schedule {name} is not in {all}: it creates no tasks");
                let set = next.map_or("+inf".to_owned(), |next| format!("{next:.0}"));
                self.finding("schedules", text, format!("ZADD {all} {set} {name}"));
            }
            // The schedule waits for a task that it created before a change, so that two tasks do not run at the same
            // time.
            Some(slot) if number(held).is_some_and(|held| held.total_cmp(&slot).is_eq()) => {}
            Some(slot) if slot.total_cmp(&next.unwrap_or(f64::INFINITY)).is_ne() => {
                let said = next.map_or("none".to_owned(), |next| format!("{next:.0}"));
                let text = format!("schedule {name} is in {all} at {slot:.0}, and its next slot is {said}");
                self.finding("schedules", text, again.clone());
            }
            Some(_) => {}
        }
        let due = match (next, every) {
            (Some(_), _) if rests => Some("has a next slot, but is paused or has ended"),
            (None, Some(_)) if !rests => Some("has no next slot, and is not paused and has not ended"),
            (None, None) if !rests && !told.is_empty() => Some("has no next slot, although it has some"),
            (Some(next), _) if next <= done => Some("has a next slot which is dealt with already"),
            (Some(next), Some((every, offset))) if (next - offset) % every != 0.0 => {
                Some("has a next slot which does not fit its recurrence")
            }
            (Some(next), None) if told.first() != Some(&next) => {
                Some("has a next slot which is not the first of its slots")
            }
            _ => None,
        };
        if ended.is_none() && done > times::seconds(times::now()) + AHEAD_OF_TIME {
            let text = format!(
                "schedule {name} has dealt with all slots up to {}: the clock ran ahead",
                times::to_the_second(times::epoch(done))
            );
            self.finding("schedules", text, again.clone());
        }
        if let Some(due) = due {
            self.finding("schedules", format!("schedule {name} {due}"), again.clone());
        }
        if told.len() > SLOTS_AHEAD as usize {
            let text = format!("schedule {name} has {} slots, the bound is 64", told.len());
            self.finding("schedules", text, again.clone());
        }
        let tells = every.is_none() && !rests && last.is_none() && told.len() < FEW_SLOTS as usize;
        if tells && !low {
            let text = format!("schedule {name} needs slots, and is not in {low_ones}: it will run dry");
            self.finding("schedules", text, again);
        } else if low && !tells {
            let text = format!("schedule {name} is in {low_ones}, but needs no slots");
            self.finding("schedules", text, format!("ZREM {low_ones} {name}"));
        }
    }
}
