//! Times and durations, for people and programs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The time of this machine's clock, in seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// RFC 3339 in UTC, with microseconds.
pub fn exact(seconds: f64) -> Option<String> {
    #[allow(clippy::cast_possible_truncation, reason = "what is out of range is refused below")]
    let micros = (seconds * 1e6).round() as i64;
    Timestamp::from_microsecond(micros).ok().map(|time| format!("{time:.6}"))
}

/// RFC 3339 in UTC, to the second.
pub fn to_the_second(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "what is out of range is refused")]
    let time = Timestamp::from_second(seconds.floor() as i64);
    time.map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string())
}

/// Local time, to the second; without the date if it is today.
pub fn local(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "what is out of range is refused")]
    let Ok(time) = Timestamp::from_second(seconds.ceil() as i64) else { return "an unknown time".to_owned() };
    let zone = TimeZone::system();
    let (time, today) = (time.to_zoned(zone.clone()), Timestamp::now().to_zoned(zone).date());
    if time.date() == today { time.strftime("%H:%M:%S").to_string() } else { time.strftime("%F %H:%M:%S").to_string() }
}

/// A duration in its two largest units.
pub fn span(seconds: f64) -> String {
    let duration = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default();
    if duration < Duration::from_millis(9_950) {
        return format!("{:.1}s", duration.as_secs_f64());
    }
    let text = humantime::format_duration(Duration::from_secs(duration.as_secs())).to_string();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// How long ago, or how soon.
pub fn relative(seconds: f64, now: f64) -> String {
    let ago = now - seconds;
    if ago >= 0.0 { format!("{} ago", span(ago)) } else { format!("in {}", span(-ago)) }
}
