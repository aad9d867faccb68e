//! Times, durations and errors in sentences for people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds of the units of a duration, with their names. A month is a twelfth of a year.
const UNITS: [(u64, &str); 6] =
    [(31_557_600, "year"), (2_630_016, "month"), (86_400, "day"), (3_600, "h"), (60, "m"), (1, "s")];

/// Formats a duration in its two largest units.
#[must_use]
pub fn span(duration: Duration) -> String {
    if duration < Duration::from_millis(9_950) {
        return format!("{:.1}s", duration.as_secs_f64());
    }
    let mut rest = duration.as_secs();
    let mut words = Vec::new();
    for (size, unit) in UNITS {
        let number = rest / size;
        rest %= size;
        if number > 0 {
            let plural = if number > 1 && unit.len() > 1 { "s" } else { "" };
            words.push(format!("{number}{unit}{plural}"));
        }
    }
    words.truncate(2);
    words.join(" ")
}

/// Formats the difference between a time and now.
#[must_use]
pub fn relative(time: SystemTime, now: SystemTime) -> String {
    match now.duration_since(time) {
        Ok(ago) => format!("{} ago", span(ago)),
        Err(soon) => format!("in {}", span(soon.duration())),
    }
}

/// Formats a time as RFC 3339 in UTC, to the second.
#[must_use]
pub fn to_the_second(time: SystemTime) -> String {
    // The format has years of four digits.
    let seconds = time.duration_since(UNIX_EPOCH).map(|after| after.as_secs()).ok();
    let Some(seconds) = seconds.filter(|seconds| *seconds < 253_402_300_800) else {
        return "an unknown time".to_owned();
    };
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the day of a leap year is their last. 1970 began 719,468 days after 0000-03-01.
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (year, day) = (era * 400 + year + u64::from(month > 9), day - (153 * month + 2) / 5 + 1);
    let month = if month > 9 { month - 9 } else { month + 3 };
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Formats a time exactly, and relative to now.
#[must_use]
pub fn both(time: SystemTime, now: SystemTime) -> String {
    format!("{} ({})", to_the_second(time), relative(time, now))
}

/// Formats a number with its noun.
pub(crate) fn many(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns the most important line of an error: the last line of a stack trace, or the first line of an error from a
/// supervisor.
#[must_use]
pub fn headline(error: &str) -> String {
    let mut lines = error.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next_back() {
        Some(last) if first.starts_with("Traceback") => last.to_owned(),
        Some(_) if first.starts_with("exit code ") || first.starts_with("killed by ") => first.to_owned(),
        _ => error.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{headline, span, to_the_second};

    #[test]
    fn durations_have_their_two_largest_units() {
        let of = |seconds| span(Duration::from_secs(seconds));
        assert_eq!(span(Duration::from_millis(1_250)), "1.2s");
        assert_eq!(
            (of(10), of(60), of(3_725), of(86_401)),
            ("10s".into(), "1m".into(), "1h 2m".into(), "1day 1s".into())
        );
        assert_eq!((of(172_800), of(31_557_600 + 2 * 2_630_016)), ("2days".into(), "1year 2months".into()));
    }

    #[test]
    fn times_are_dates_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "an unknown time"),
        ] {
            assert_eq!(to_the_second(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn of_an_error_the_line_that_says_what_it_was_leads() {
        for (error, head) in [
            ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "KeyError: 'a'"),
            (
                "exit code 1: KeyError: 'a'\nTraceback (most recent call last):\n  File x\nKeyError: 'a'",
                "exit code 1: KeyError: 'a'",
            ),
            ("exit code 1: wrong:\nall of it is\nwrong:", "exit code 1: wrong:"),
            ("exit code 1: KeyError: 'a'\nTraceback (most recent", "exit code 1: KeyError: 'a'"),
            ("no disk\nleft", "no disk\nleft"),
            ("", ""),
        ] {
            assert_eq!(headline(error), head, "{error:?}");
        }
    }
}
