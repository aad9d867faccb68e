//! Times and durations in the contract's form: decimal seconds, and microseconds of deadlines.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Formats decimal seconds, to the microsecond.
pub(crate) fn seconds(span: Duration) -> String {
    format!("{}.{:06}", span.as_secs(), span.subsec_micros())
}

/// Returns the time since the beginning of 1970; zero for earlier times.
pub(crate) fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the time after the beginning of 1970.
fn after_1970(span: Duration) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(span)
}

/// Parses decimal seconds, to the nanosecond. An exponent is allowed, because clients without scripts may write one.
pub(crate) fn span(text: &str) -> Option<Duration> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.').unwrap_or((text, "0")) {
        (whole, part) if digits(whole) && digits(part) => {
            let nanos: u32 = format!("{part:0<9}").get(..9)?.parse().ok()?;
            Some(Duration::new(whole.parse().ok()?, nanos))
        }
        _ => Duration::try_from_secs_f64(text.parse().ok()?).ok(),
    }
}

/// Parses a point in time, in decimal seconds since 1970.
pub(crate) fn time(text: &str) -> Option<SystemTime> {
    after_1970(span(text)?)
}

/// Parses a point in time, in microseconds since 1970.
pub(crate) fn deadline(text: &str) -> Option<SystemTime> {
    after_1970(micros(text)?)
}

/// Parses a duration in microseconds.
pub(crate) fn micros(text: &str) -> Option<Duration> {
    text.parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{seconds, span};

    #[test]
    fn decimal_seconds_are_read_and_written_without_a_loss() {
        for text in ["0.000000", "1.000001", "1732278153.123456", "99999999999.999999"] {
            assert_eq!(span(text).map(seconds).as_deref(), Some(text));
        }
        assert_eq!(span("5"), Some(Duration::from_secs(5)));
        assert_eq!(span("1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(span("1.0000000019"), Some(Duration::new(1, 1)));
        assert_eq!(span("1e3"), Some(Duration::from_secs(1000)));
        for text in ["", ".", "-1", "nan", "inf", "1e300", "x", "1.x", "99999999999999999999"] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
