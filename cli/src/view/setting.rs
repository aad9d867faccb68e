//! The value of a setting, for people.

use std::time::Duration;

use blueque::Rate;

/// Settings that are a time: kept in seconds, and said as `90s` or `15m` too.
pub const TIMES: [&str; 7] = ["ageing", "delay", "forget_after", "grace", "lease", "max_delay", "retain"];

/// Settings that are so many starts in a time.
pub const RATES: [&str; 2] = ["rate", "key_rate"];

/// A value for people: seconds with their unit.
pub fn words(name: &str, value: &str) -> String {
    let time = |seconds: f64| {
        let time = Duration::try_from_secs_f64(seconds).ok()?;
        Some(humantime::format_duration(time).to_string().replace(' ', ""))
    };
    let spelt = if TIMES.contains(&name) {
        value.parse().ok().and_then(time)
    } else if RATES.contains(&name) {
        value.parse::<Rate>().ok().and_then(|rate| Some(format!("{}/{}", rate.starts, time(rate.seconds.into())?)))
    } else {
        None
    };
    spelt.unwrap_or_else(|| value.to_owned())
}
