//! The value of a setting, for people.

use std::time::Duration;

use blueque::Rate;
use blueque::contract::{Form, SETTINGS};

/// Formats a value for people: seconds with their unit.
pub fn words(name: &str, value: &str) -> String {
    let time = |seconds: f64| {
        let time = Duration::try_from_secs_f64(seconds).ok()?;
        Some(humantime::format_duration(time).to_string().replace(' ', ""))
    };
    let setting = SETTINGS.iter().find(|setting| setting.name == name);
    let spelt = if setting.is_some_and(|setting| matches!(setting.form, Form::Seconds { .. })) {
        value.parse().ok().and_then(time)
    } else if setting.is_some_and(|setting| setting.kind == "rate") {
        value
            .parse::<Rate>()
            .ok()
            .and_then(|rate| Some(format!("{}/{}", rate.starts(), time(rate.window().as_secs_f64())?)))
    } else {
        None
    };
    spelt.unwrap_or_else(|| value.to_owned())
}
