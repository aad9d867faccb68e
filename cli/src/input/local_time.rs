//! Local times as people write them: `22:00`, `tomorrow 8:00`, `monday 9:30`, `2026-11-27 08:00`.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{ToSpan, Zoned};

/// The side of now on which an incomplete time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Coming,
    Past,
}

const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// Reads a local time. A time that the clock skips is an hour later, and a time that it repeats is the first of the two.
pub fn read(text: &str, side: Side, now: &Zoned) -> Option<Zoned> {
    let text = text.trim().to_lowercase();
    let at = |date: Date, time: Time| date.to_datetime(time).to_zoned(now.time_zone().clone()).ok();
    let fits = |found: &Zoned| if side == Side::Coming { found > now } else { found <= now };
    let step = if side == Side::Coming { 1 } else { -1 };
    if let Some(time) = clock(&text) {
        let today = at(now.date(), time)?;
        return if fits(&today) { Some(today) } else { at(now.date().checked_add(step.days()).ok()?, time) };
    }
    let (day, time) = text.split_once([' ', 't']).filter(|(day, _)| day.contains('-')).map_or_else(
        || match text.split_once(' ') {
            Some((day, time)) => Some((day, clock(time.trim())?)),
            None => Some((text.as_str(), Time::midnight())),
        },
        |(day, time)| Some((day, clock(time.trim())?)),
    )?;
    let today = now.date();
    let date = match day {
        "now" if text == day => return Some(now.clone()),
        "today" => today,
        "tomorrow" => today.tomorrow().ok()?,
        "yesterday" => today.yesterday().ok()?,
        day => match DAYS.iter().find(|(name, _)| day == *name || day == name.get(..3).unwrap_or_default()) {
            Some((_, weekday)) if today.weekday() == *weekday && fits(&at(today, time)?) => today,
            Some((_, weekday)) => today.nth_weekday(step, *weekday).ok()?,
            None => day.parse().ok()?,
        },
    };
    at(date, time)
}

/// Reads a time of the day: `8:00`, `22:00:30`, `noon`, `midnight`.
fn clock(text: &str) -> Option<Time> {
    match text {
        "noon" => return Some(Time::constant(12, 0, 0, 0)),
        "midnight" => return Some(Time::midnight()),
        _ => {}
    }
    let shape = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && text.contains(':');
    let padded = if text.find(':') == Some(1) { format!("0{text}") } else { text.to_owned() };
    let time: DateTime = shape.then(|| format!("2000-01-01T{padded}").parse().ok()).flatten()?;
    Some(time.time())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Side, read};

    #[test]
    fn incomplete_times_are_the_next_or_the_last_ones_in_the_local_zone() {
        // A Saturday.
        let now = "2026-11-28T10:30:00+01:00[Europe/Berlin]".parse().unwrap();
        let shown = |text: &str, side| {
            read(text, side, &now).map(|time| time.strftime("%F %T %Z").to_string()).unwrap_or_default()
        };
        for (text, coming, past) in [
            ("22:00", "2026-11-28 22:00:00 CET", "2026-11-27 22:00:00 CET"),
            ("8:00", "2026-11-29 08:00:00 CET", "2026-11-28 08:00:00 CET"),
            ("Tomorrow 8:00", "2026-11-29 08:00:00 CET", "2026-11-29 08:00:00 CET"),
            ("tomorrow", "2026-11-29 00:00:00 CET", "2026-11-29 00:00:00 CET"),
            ("yesterday 22:00:30", "2026-11-27 22:00:30 CET", "2026-11-27 22:00:30 CET"),
            ("today noon", "2026-11-28 12:00:00 CET", "2026-11-28 12:00:00 CET"),
            ("midnight", "2026-11-29 00:00:00 CET", "2026-11-28 00:00:00 CET"),
            ("now", "2026-11-28 10:30:00 CET", "2026-11-28 10:30:00 CET"),
            ("saturday 11:00", "2026-11-28 11:00:00 CET", "2026-11-21 11:00:00 CET"),
            ("sat 9:00", "2026-12-05 09:00:00 CET", "2026-11-28 09:00:00 CET"),
            ("monday", "2026-11-30 00:00:00 CET", "2026-11-23 00:00:00 CET"),
            ("2026-11-27 08:00", "2026-11-27 08:00:00 CET", "2026-11-27 08:00:00 CET"),
            ("2026-07-01T8:00", "2026-07-01 08:00:00 CEST", "2026-07-01 08:00:00 CEST"),
            ("2026-11-27", "2026-11-27 00:00:00 CET", "2026-11-27 00:00:00 CET"),
            ("2027-03-28 02:30", "2027-03-28 03:30:00 CEST", "2027-03-28 03:30:00 CEST"),
            ("2026-10-25 02:30", "2026-10-25 02:30:00 CEST", "2026-10-25 02:30:00 CEST"),
        ] {
            assert_eq!([shown(text, Side::Coming), shown(text, Side::Past)], [coming, past], "{text}");
        }
        for text in [
            "",
            "8",
            "25:00",
            "8:61",
            "someday 8:00",
            "tomorrow 8",
            "2026-13-01",
            "2026-11-31 08:00",
            "noon 8:00",
            "-8:00",
        ] {
            assert_eq!(shown(text, Side::Coming), "", "{text}");
        }
    }
}
