//! Views of schedules.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use blueque::{Missed, Overlap, ScheduleInfo, ScheduleName, ScheduleState, ScheduleSummary};
use serde::Serialize;

use super::payload::Payload;
use super::queue::Paused;
use crate::command_line::{COMMAND, Shown};
use crate::output::table::{Cell, Column, Row};
use crate::output::{clean_line, prose};
use crate::times;

/// A schedule in a list.
#[derive(Serialize)]
pub struct Summary {
    schedule: String,
    queue: String,
    recurrence: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    made: u64,
    skipped: u64,
    passed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Shown>,
    #[serde(skip)]
    due: Option<SystemTime>,
}

impl Summary {
    pub fn new(schedule: ScheduleSummary) -> Self {
        let due = schedule.next;
        Self {
            schedule: schedule.name.to_string(),
            queue: schedule.queue,
            recurrence: schedule.recurrence,
            state: schedule.state.as_str(),
            next: due.map(times::utc),
            made: schedule.made,
            skipped: schedule.skipped,
            passed: schedule.passed,
            last_task: schedule.last_task,
            error: schedule.error.map(|error| error.to_string()),
            title: schedule.title,
            command: schedule.argv.and_then(|argv| Shown::of(&format!("{{\"argv\":{argv}}}"))),
            due,
        }
    }
}

impl Row for Summary {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("schedule").at_least(20), |row| row.schedule.clone()),
        (Column::whole("state"), |row| row.state.to_owned()),
        (Column::text("queue").rank(4), |row| row.queue.clone()),
        (Column::text("recurrence").rank(5), |row| words(&row.recurrence)),
        (Column::whole("next"), |row| row.due.map(|due| times::relative(due, times::now())).unwrap_or_default()),
        (Column::whole("made").rank(2), |row| row.made.to_string()),
        (Column::whole("skipped").rank(1), |row| row.skipped.to_string()),
        (Column::id("last task").rank(3), |row| row.last_task.clone().unwrap_or_default()),
        (Column::text("task").rank(6), |row| {
            let command = row.command.as_ref().map(|command| command.words.clone());
            row.title.clone().or(command).unwrap_or_default()
        }),
        (Column::text(""), |row| row.error.clone().unwrap_or_default()),
    ];

    fn id(&self) -> String {
        self.schedule.clone()
    }
}

/// A schedule in full.
#[derive(Serialize)]
pub struct Whole {
    schedule: String,
    queue: Option<String>,
    recurrence: Option<String>,
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<Paused>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    overlap: Option<&'static str>,
    missed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
    made: u64,
    skipped: u64,
    passed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_slot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    created: Option<String>,
    changed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Shown>,
    options: BTreeMap<String, String>,
    parameters: Option<Payload>,
}

impl Whole {
    pub fn new(name: &ScheduleName, info: &ScheduleInfo) -> Self {
        let mut options: BTreeMap<String, String> = info.options().into_iter().collect();
        Self {
            schedule: name.to_string(),
            queue: info.queue(),
            recurrence: info.recurrence(),
            state: info.state().map(ScheduleState::as_str),
            paused: info.paused().map(Paused::new),
            next: info.next().map(times::utc),
            overlap: info.overlap().map(Overlap::as_str),
            missed: info.missed().map(Missed::as_str),
            late: info.late().map(|late| late.as_secs()),
            start: info.start().map(times::utc),
            end: info.end().map(times::utc),
            times: info.times(),
            made: info.made(),
            skipped: info.skipped(),
            passed: info.passed(),
            last_slot: info.last_slot().map(times::utc),
            last_task: info.last_task(),
            error: info.error().map(|error| error.to_string()),
            created: info.created().map(times::utc),
            changed: info.changed().map(times::utc),
            command: options.remove(COMMAND).as_deref().and_then(Shown::of),
            options,
            parameters: info.parameters_bytes().map(|bytes| Payload(bytes.to_vec())),
        }
    }

    /// Prints the fields of the schedule, one per line.
    pub fn people(&self) -> anyhow::Result<()> {
        let counted = |number: u64| (number > 0).then(|| number.to_string());
        let options: Vec<String> = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let state = match (&self.paused, self.state) {
            (Some(paused), _) => Some(paused.pause.words(times::now())),
            (None, state) => state.map(str::to_owned),
        };
        let command = self.command.as_ref();
        let local = |time: Option<&String>| time.map(|time| times::local_of(time));
        let facts = [
            ("schedule", Some(self.schedule.clone())),
            ("queue", self.queue.clone()),
            ("recurrence", self.recurrence.as_deref().map(words)),
            ("state", state),
            ("next", local(self.next.as_ref())),
            ("overlap", self.overlap.map(str::to_owned)),
            ("missed", self.missed.map(str::to_owned)),
            ("late", self.late.map(|late| times::span(Duration::from_secs(late)))),
            ("start", local(self.start.as_ref())),
            ("end", local(self.end.as_ref())),
            ("times", self.times.map(|times| times.to_string())),
            ("made", Some(self.made.to_string())),
            ("skipped", counted(self.skipped)),
            ("passed", counted(self.passed)),
            ("last task", self.last_task.clone()),
            ("error", self.error.clone()),
            ("command", command.map(|command| command.words.clone())),
            ("folder", command.and_then(|command| command.cwd.clone())),
            ("variables", command.map(|command| command.env.join(" ")).filter(|names| !names.is_empty())),
            ("options", Some(options.join(" ")).filter(|options| !options.is_empty())),
            ("parameters", self.parameters.as_ref().map(|Payload(bytes)| String::from_utf8_lossy(bytes).into_owned())),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                prose(format!("{name:<11} {}", clean_line(&value, 2_000)), 12)?;
            }
        }
        Ok(())
    }
}

impl Row for Whole {
    const COLUMNS: &'static [Cell<Self>] = &[(Column::text("schedule"), |row| row.schedule.clone())];
}

/// A task that was created by `schedule run`.
#[derive(Serialize)]
pub struct Made {
    pub id: String,
    pub schedule: String,
}

impl Row for Made {
    const COLUMNS: &'static [Cell<Self>] = &[(Column::id("id"), |row| row.id.clone())];
}

/// A schedule that was removed.
#[derive(Serialize)]
pub struct Removed {
    pub schedule: String,
    pub outcome: &'static str,
}

impl Row for Removed {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::text("schedule"), |row| row.schedule.clone()),
        (Column::whole("outcome"), |row| row.outcome.to_owned()),
    ];
}

/// Formats a schedule rule for people: `every 1h, 5m later`, or `0 3 * * * in Europe/Berlin`.
fn words(recurrence: &str) -> String {
    let parts: Vec<&str> = recurrence.splitn(3, ' ').collect();
    let time = |text: &str| {
        text.parse().ok().map(|seconds| humantime::format_duration(std::time::Duration::from_secs(seconds)).to_string())
    };
    match parts.as_slice() {
        ["every", period, offset] => match (time(period), time(offset)) {
            (Some(period), Some(offset)) if *offset != *"0s" => format!("every {period}, {offset} later"),
            (Some(period), _) => format!("every {period}"),
            _ => recurrence.to_owned(),
        },
        ["cron", zone, fields] => format!("{fields} in {zone}"),
        _ => recurrence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_recurrence_is_said_in_words() {
        assert_eq!(words("every 3600 0"), "every 1h");
        assert_eq!(words("every 86400 10800"), "every 1day, 3h later");
        assert_eq!(words("cron Europe/Berlin 0 3 * * MON"), "0 3 * * MON in Europe/Berlin");
        assert_eq!(words("of a later version"), "of a later version");
    }
}
