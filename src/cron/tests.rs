#![allow(clippy::unwrap_used)]

use std::fs;

use serde::{Deserialize, Serialize};

use super::*;

/// A case of `tests/fixtures/cron.json`: the slots after a time, as local times; or an error.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Case {
    expression: String,
    zone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// The contract's form of the recurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recurrence: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Case {
    /// Returns this case with the results of this crate.
    fn played(&self) -> Self {
        let Self { expression, zone, after, count, .. } = self;
        let mut played = Self {
            expression: expression.clone(),
            zone: zone.clone(),
            after: after.clone(),
            count: *count,
            recurrence: None,
            next: None,
            code: None,
            error: None,
        };
        match Cron::new(expression, zone) {
            Ok(cron) => {
                let after = after.as_ref().unwrap().parse::<Timestamp>().unwrap().as_second();
                let slots = cron.slots(u64::try_from(after).unwrap(), count.unwrap());
                let shown = slots.iter().map(|&slot| {
                    let at = Timestamp::from_second(i64::try_from(slot).unwrap()).unwrap();
                    at.to_zoned(cron.clock.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
                });
                (played.recurrence, played.next) = (Some(cron.to_string()), Some(shown.collect()));
            }
            Err(error) => {
                played.code = Some(error.word().to_owned());
                let text = error.to_string();
                played.error = text.strip_prefix("BADARG: ").map(str::to_owned);
            }
        }
        played
    }
}

/// `make bless` writes the results of new cases. The clients for Python and TypeScript play the same file.
#[test]
fn the_cases_of_the_file_hold() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cron.json");
    let cases: Vec<Case> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let played: Vec<Case> = cases.iter().map(Case::played).collect();
    if std::env::var_os("BLUEQUE_BLESS").is_some() {
        let lines: Vec<String> = played.iter().map(|case| serde_json::to_string(case).unwrap()).collect();
        return fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    assert!(cases.len() > 200);
    for (case, played) in cases.iter().zip(&played) {
        assert_eq!(case, played, "or make bless");
    }
}

#[test]
fn slots_told_in_parts_are_those_told_at_once() {
    for (expression, zone) in [
        ("*/7 * * * *", "Europe/Berlin"),
        ("*/7 1-4 * * *", "Europe/Berlin"),
        ("0,30 0-23 * * *", "Australia/Lord_Howe"),
        ("59 23 L * *", "America/New_York"),
    ] {
        let cron = Cron::new(expression, zone).unwrap();
        for day in ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z", "2026-04-04T00:00:00Z"] {
            let after = u64::try_from(day.parse::<Timestamp>().unwrap().as_second()).unwrap();
            let whole = cron.slots(after, 600);
            assert!(whole.is_sorted_by(|one, next| one < next) && whole.len() == 600);
            let mut parts = Vec::new();
            while parts.len() < 600 {
                parts.extend(cron.slots(parts.last().copied().unwrap_or(after), 64));
            }
            assert!(parts.starts_with(&whole), "{expression} {zone} {day}");
        }
    }
}

#[test]
fn an_expression_is_kept_in_one_form() {
    let shown = |expression, zone| Cron::new(expression, zone).unwrap().to_string();
    assert_eq!(shown(" 0  3 * jan-mar  mon ", "Europe/Berlin"), "cron Europe/Berlin 0 3 * JAN-MAR MON");
    assert_eq!(shown("@daily", "UTC"), "cron UTC 0 0 * * *");
    assert_eq!(Cron::read("cron UTC 0 0 * * *").unwrap(), Cron::new("@midnight", "UTC").unwrap());
    for recurrence in ["every 60 0", "cron UTC", "cron", "", "cron Nowhere/At_All 0 0 * * *"] {
        assert_eq!(Cron::read(recurrence).unwrap_err().code(), Some(crate::Code::BadArgument), "{recurrence}");
    }
}

#[test]
fn there_are_no_slots_after_the_last_time() {
    assert!(Cron::new("0 0 * * *", "UTC").unwrap().slots(u64::MAX, 5).is_empty());
}
