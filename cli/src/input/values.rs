//! Parsers for values of arguments: names, numbers, sizes, durations, times.

use std::time::Duration;

use blueque::{GraphId, QueueName, Rate, TaskId};
use jiff::Timestamp;

use super::local_time::{self, Side};
use crate::times::{self, When};

/// The usual port of the page.
pub const PAGE_PORT: u16 = 7733;

/// Parses the name of a queue.
pub fn queue_name(text: &str) -> Result<QueueName, String> {
    QueueName::new(text).map_err(|_| "must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -".to_owned())
}

/// Parses a method, a key, a tag or a unique name. They have the same form as names of queues.
pub fn plain(text: &str) -> Result<String, String> {
    queue_name(text).map(|name| name.to_string())
}

/// Parses a duration such as `90s` or `1h 30m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "must be a time such as 90s, 15m or 2h 30m".to_owned())
}

/// Parses the length of a lease.
pub fn lease(text: &str) -> Result<Duration, String> {
    let within = Duration::from_secs(1)..=Duration::from_secs(7 * 86_400);
    let lease = duration(text)?;
    if within.contains(&lease) { Ok(lease) } else { Err("must be from 1s to 7days".to_owned()) }
}

/// Returns a parser of whole numbers within bounds.
pub fn whole_number<T: TryFrom<i64>>(low: i64, high: i64) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("must be a whole number from {low} to {high}"))
    }
}

/// Parses a number of bytes such as 512, 512K, 512M or 2G.
pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "" | "B" => 1,
        "K" | "k" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        "T" | "TiB" => 1 << 40,
        _ => return Err("must be a number of bytes, with K, M, G or T for its unit".into()),
    };
    let number: u64 =
        digits.parse().map_err(|_| "must be a number of bytes, with K, M, G or T for its unit".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "that is too large".to_owned())
}

/// Formats a number of bytes as an argument, in the largest unit that gives a whole number.
pub fn written_bytes(number: u64) -> String {
    let units = [("G", 30), ("M", 20), ("K", 10)];
    let unit = units.into_iter().find(|(_, shift)| number > 0 && number.trailing_zeros() >= *shift);
    unit.map_or_else(|| number.to_string(), |(unit, shift)| format!("{}{unit}", number >> shift))
}

/// Formats seconds as an argument, such as `1h`.
pub fn written_seconds(seconds: u64) -> String {
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}

/// Parses the id of a task.
pub fn task_id(text: &str) -> Result<TaskId, String> {
    plain(text).and_then(|text| TaskId::new(text).map_err(|error| error.to_string()))
}

/// Converts a text such as `90`, `1.5` or `15m` to seconds.
pub fn seconds(text: &str) -> Option<String> {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if plain {
        return Some(text.to_owned());
    }
    let time = humantime::parse_duration(text).ok()?;
    Some(match time.subsec_micros() {
        0 => time.as_secs().to_string(),
        micros => format!("{}.{micros:06}", time.as_secs()),
    })
}

/// Parses a rate such as `100/3600` or `100/1h`.
pub fn rate(text: &str) -> Option<Rate> {
    let (starts, time) = text.split_once('/')?;
    let time = match time.chars().next()? {
        c if c.is_ascii_digit() => time.to_owned(),
        _ => format!("1{time}"),
    };
    Rate::new(starts.parse().ok()?, Duration::from_secs(seconds(&time)?.parse().ok()?)).ok()
}

/// Parses a future time: a form that `moment` reads, `+10m`, or `10m` from now.
pub fn coming(text: &str) -> Result<When, String> {
    if let Some(span) = text.strip_prefix('+') {
        return When::later(duration(span)?);
    }
    duration(text).map_or_else(|_| moment(text, Side::Coming, "10m from now"), When::later)
}

/// Parses a past time: a form that `moment` reads, or `10m` for ten minutes ago.
pub fn past(text: &str) -> Result<When, String> {
    match duration(text.strip_prefix('-').unwrap_or(text)) {
        Ok(span) => When::ago(span),
        Err(_) => moment(text, Side::Past, "10m for ten minutes ago"),
    }
}

/// Parses a time: RFC 3339, or a local time, which is repeated in full when the command starts. The error also names
/// `other`, a form that the caller accepts.
pub fn moment(text: &str, side: Side, other: &str) -> Result<When, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(When::At(time.into()));
    }
    let time = local_time::read(text, side, &times::here()).map(|time| time.timestamp().into());
    let time = time.ok_or_else(|| {
        format!(
            "must be a time such as 22:00, tomorrow 8:00, 2026-11-21 22:00 or 2026-11-21T22:00:00+01:00, or {other}"
        )
    })?;
    times::understood(text, time);
    Ok(When::At(time))
}

/// Parses the id of a graph.
pub fn graph_id(text: &str) -> Result<GraphId, String> {
    GraphId::new(text).map_err(|_| "must be 1 to 100 characters of A-Z a-z 0-9 . _ : @ -".to_owned())
}
