//! `blueque history`

use std::collections::BTreeMap;
use std::iter;
use std::time::{Duration, SystemTime};

use blueque::wording::headline;
use blueque::{TaskId, Transition};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::output::table::{Cell, Column, Row, or_dash};
use crate::output::{Code, Format, fault, line, one_line, say};
use crate::run_folder::end::Cost;
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times;
use crate::view::cost;
use crate::view::payload::Payload;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The id, or an unambiguous prefix of it; @last, @failed; a graph or a part of it
    pub id: String,
}

/// A transition of a task.
#[derive(Serialize)]
struct Step {
    number: u64,
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Seconds that the task was in the previous state.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Payload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Payload>,
    /// True if the step is an edit or belongs to an edit.
    #[serde(skip)]
    edits: bool,
    #[serde(skip)]
    id: String,
    #[serde(skip)]
    moment: String,
}

impl Step {
    fn new(id: &str, step: Transition, before: Option<SystemTime>) -> Self {
        let Transition { number, at, from, to, attempt, by, why, outcome, group, error, cost, note, data, .. } = step;
        Self {
            number,
            at: at.and_then(times::exact),
            from,
            to,
            attempt,
            by,
            edits: matches!(why.as_deref(), Some("edit" | "move")),
            why,
            after: at.zip(before).map(|(at, before)| times::between(before, at).as_secs_f64()),
            outcome: outcome.map(blueque::Outcome::as_str),
            group,
            error: error.map(Payload),
            cost: cost.map(Payload),
            note: note.map(Payload),
            data: data.map(Payload),
            id: id.to_owned(),
            moment: at.map(times::cell).unwrap_or_default(),
        }
    }

    /// Returns the error or the note of the step, followed by the changes of an edit.
    fn words(&self) -> String {
        let text = |Payload(bytes): &Payload| headline(&String::from_utf8_lossy(bytes));
        let changes = self.data.as_ref().filter(|_| self.edits).and_then(|Payload(bytes)| changes(bytes));
        let told = [self.error.as_ref().or(self.note.as_ref()).map(text), changes];
        told.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
    }

    fn known_cost(&self) -> Option<Cost> {
        self.cost.as_ref().and_then(|Payload(bytes)| cost::read(bytes))
    }
}

/// Returns the changes of an edit as text.
fn changes(data: &[u8]) -> Option<String> {
    let all: BTreeMap<String, (Value, Value)> = serde_json::from_slice(data).ok()?;
    let word = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let each = all.iter().map(|(name, (before, after))| {
        let unit = if name == "parameters" { " bytes" } else { "" };
        format!("{name} {} -> {}{unit}", word(before), word(after))
    });
    Some(each.collect::<Vec<_>>().join(", "))
}

impl Row for Step {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("at"), |row| row.moment.clone()),
        (Column::whole("from").rank(2), |row| or_dash(row.from.as_ref())),
        (Column::whole("to"), |row| row.to.clone()),
        (Column::whole("attempt").rank(4), |row| row.attempt.to_string()),
        (Column::text("by").rank(1), |row| or_dash(row.by.as_ref())),
        (Column::text("why"), |row| {
            // The owner of a cancelled task gives it back.
            let cancelled = row.to == "cancelled" && row.why.as_deref() == Some("release");
            if cancelled { "cancel".to_owned() } else { or_dash(row.why.as_ref()) }
        }),
        (Column::whole("after").rank(5), |row| or_dash(row.after.map(Duration::from_secs_f64).map(times::span))),
        (Column::text("error or note"), |row| row.words()),
        (Column::whole("cost").rank(3), |row| {
            row.known_cost().map(|known| cost::with_refusals(&known)).unwrap_or_default()
        }),
    ];

    fn id(&self) -> String {
        self.id.clone()
    }
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        if session.format == Format::Id {
            return Err(fault(Code::Usage, "a history has no ids: use -o table, json or jsonl"));
        }
        let mut found = session.find_tasks(&self.id).peekable();
        let Some(first) = found.next() else { return Ok(Code::Ok) };
        let several = found.peek().is_some();
        if several && session.format == Format::Json {
            let text = "the histories of several tasks are no single document: use -o table or jsonl";
            return Err(fault(Code::Usage, text));
        }
        for (name, found) in iter::once(first).chain(found) {
            let (id, _) = found?;
            if several && session.format == Format::Table {
                line(format!("-- {} ({}) --", one_line(&name), session.global(id.as_str())))?;
            }
            write(session, &id)?;
        }
        Ok(Code::Ok)
    }
}

fn write(session: &Session, id: &TaskId) -> anyhow::Result<()> {
    let history = session.client.task(id.as_str())?.history()?;
    let gone = history.first().map_or(0, |first| first.number.saturating_sub(1));
    if gone > 0 {
        say(format!("-- the first {gone} transitions of {id} have been removed --"));
    }
    let mut before = None;
    let mut steps = Vec::new();
    for step in history {
        let at = step.at;
        steps.push(Step::new(id.as_str(), step, before));
        before = at;
    }
    session.write(&steps)
}
