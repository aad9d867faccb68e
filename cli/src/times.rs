//! Times and durations, for people and programs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use blueque::wording::{relative, span, to_the_second as utc};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::output::say;

/// Returns the time of this machine's clock.
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// Milliseconds by which the server's clock is ahead of this machine's. Unknown before `learn`.
static AHEAD: OnceLock<i64> = OnceLock::new();

/// True if an argument is a time relative to now.
static RELATIVE: AtomicBool = AtomicBool::new(false);

/// A time as an argument. A time relative to now counts from the server's time, which is unknown when the arguments are
/// parsed.
#[derive(Clone, Copy, Debug)]
pub enum When {
    At(SystemTime),
    /// Milliseconds from now.
    FromNow(i64),
}

impl When {
    /// Returns the time this long from now, as an argument.
    pub fn later(span: Duration) -> Result<Self, String> {
        Self::relative(span, 1)
    }

    /// Returns the time this long ago, as an argument.
    pub fn ago(span: Duration) -> Result<Self, String> {
        Self::relative(span, -1)
    }

    fn relative(span: Duration, sign: i64) -> Result<Self, String> {
        // The sum of a time and this offset is always a time.
        let millis = i64::try_from(span.as_millis()).ok().filter(|&millis| millis < i64::MAX / 4);
        RELATIVE.store(true, Ordering::Relaxed);
        millis.map(|millis| Self::FromNow(sign * millis)).ok_or_else(|| "too far away".to_owned())
    }

    /// Returns the time by the server's clock after a call of `learn`, else by this machine's clock.
    pub fn time(self) -> SystemTime {
        match self {
            Self::At(time) => time,
            Self::FromNow(millis) => {
                let by = millis + AHEAD.get().copied().unwrap_or(0);
                let span = Duration::from_millis(by.unsigned_abs());
                let time = if by < 0 { now().checked_sub(span) } else { now().checked_add(span) };
                time.unwrap_or_else(now)
            }
        }
    }
}

/// Returns true if an argument is a time relative to now, and the server's clock is unknown.
pub fn are_relative() -> bool {
    RELATIVE.load(Ordering::Relaxed) && AHEAD.get().is_none()
}

/// Stores the difference between the server's time and the time of this machine's clock.
pub fn learn(server: SystemTime) {
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(0);
    let ahead = server.duration_since(now()).map_or_else(|behind| -millis(behind.duration()), millis);
    AHEAD.get_or_init(|| ahead);
}

/// Returns the time this many seconds after the beginning of 1970.
pub fn epoch(seconds: f64) -> SystemTime {
    Duration::try_from_secs_f64(seconds).ok().and_then(|after| UNIX_EPOCH.checked_add(after)).unwrap_or(UNIX_EPOCH)
}

/// Returns the seconds since the beginning of 1970.
pub fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Returns the duration from one time to a later time, or zero if the second time is earlier.
pub fn between(from: SystemTime, to: SystemTime) -> Duration {
    to.duration_since(from).unwrap_or_default()
}

/// Formats a time as RFC 3339 in UTC, with microseconds.
pub fn exact(time: SystemTime) -> Option<String> {
    let after = time.duration_since(UNIX_EPOCH).ok()? + Duration::from_nanos(500);
    let micros = i64::try_from(after.as_micros()).ok()?;
    Timestamp::from_microsecond(micros).ok().map(|time| format!("{time:.6}"))
}

/// Returns the time plus `later`, cut to the second.
fn whole(time: SystemTime, later: Duration) -> Option<Timestamp> {
    let after = time.duration_since(UNIX_EPOCH).ok()?.checked_add(later)?;
    Timestamp::from_second(i64::try_from(after.as_secs()).ok()?).ok()
}

/// Formats a local time to the second, rounded up. The date is left out if it is today.
pub fn local(time: SystemTime) -> String {
    let Some(time) = whole(time, Duration::from_nanos(999_999_999)) else { return "an unknown time".to_owned() };
    let zone = zone();
    let (time, today) = (time.to_zoned(zone.clone()), Timestamp::now().to_zoned(zone).date());
    if time.date() == today { time.strftime("%H:%M:%S").to_string() } else { time.strftime("%F %H:%M:%S").to_string() }
}

/// Formats a time for people: local, to the second, with the zone.
pub fn to_the_second(time: SystemTime) -> String {
    whole(time, Duration::ZERO).map_or_else(|| "an unknown time".to_owned(), zoned)
}

/// Formats a time in RFC 3339 like `to_the_second`.
pub fn local_of(exact: &str) -> String {
    exact.parse::<Timestamp>().map_or_else(|_| exact.to_owned(), zoned)
}

/// Formats a time for a cell of a table, as one word: local, in RFC 3339 with its offset, such as `2026-11-21T22:00:00+01`.
pub fn cell(time: SystemTime) -> String {
    whole(time, Duration::ZERO).map_or_else(|| "unknown".to_owned(), cell_of)
}

/// Formats a time in RFC 3339 like `cell`.
pub fn local_cell(exact: &str) -> String {
    exact.parse::<Timestamp>().map_or_else(|_| exact.to_owned(), cell_of)
}

fn cell_of(time: Timestamp) -> String {
    let time = time.to_zoned(zone());
    let form = if time.offset().is_zero() { "%FT%TZ" } else { "%FT%T%:::z" };
    time.strftime(form).to_string()
}

fn zoned(time: Timestamp) -> String {
    time.to_zoned(zone()).strftime("%F %T %Z").to_string()
}

/// Formats a time like `to_the_second`, with its distance from now.
pub fn both(time: SystemTime, now: SystemTime) -> String {
    format!("{} ({})", to_the_second(time), relative(time, now))
}

/// Returns the zone of this machine, or UTC if it is unknown.
fn zone() -> TimeZone {
    TimeZone::try_system().unwrap_or(TimeZone::UTC)
}

/// Returns a sentence with its times in UTC as local times.
pub fn localised(sentence: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(['(', ')', ',', '.', ';', ':']);
        let time = bare.ends_with('Z').then(|| bare.parse::<Timestamp>().ok()).flatten();
        time.map_or_else(|| word.to_owned(), |time| word.replace(bare, &zoned(time)))
    };
    sentence.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the present time in the zone of this machine.
pub fn here() -> Zoned {
    Timestamp::now().to_zoned(zone())
}

/// Local times among the arguments, as they were written.
static UNDERSTOOD: Mutex<Vec<(String, SystemTime)>> = Mutex::new(Vec::new());

/// Notes how a local time was understood.
pub fn understood(text: &str, time: SystemTime) {
    UNDERSTOOD.lock().unwrap_or_else(PoisonError::into_inner).push((text.to_owned(), time));
}

/// Reports how local times among the arguments were understood.
pub fn say_understood() {
    for (text, time) in UNDERSTOOD.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        say(format!("{text} is {}", both(time, now())));
    }
}
