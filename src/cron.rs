//! Cron expressions in time zones. The crate `croner` finds the times of an expression; this module handles changes of
//! the clock.

#[cfg(test)]
mod tests;

use std::fmt;

use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, Zoned};

use crate::error::{Error, Result};

const NICKNAMES: [(&str, &str); 7] = [
    ("@YEARLY", "0 0 1 1 *"),
    ("@ANNUALLY", "0 0 1 1 *"),
    ("@MONTHLY", "0 0 1 * *"),
    ("@WEEKLY", "0 0 * * 0"),
    ("@DAILY", "0 0 * * *"),
    ("@MIDNIGHT", "0 0 * * *"),
    ("@HOURLY", "0 * * * *"),
];

/// An expression and its time zone.
#[derive(Clone, Debug)]
pub(crate) struct Cron {
    expression: String,
    zone: String,
    times: croner::Cron,
    clock: TimeZone,
}

impl Cron {
    pub(crate) fn new(expression: &str, zone: &str) -> Result<Self> {
        let given = expression.trim();
        let mut expression = given.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
        if let Some((_, fields)) = NICKNAMES.iter().find(|(name, _)| *name == expression) {
            (*fields).clone_into(&mut expression);
        }
        // As in Vixie cron: if both days are given, either day matches, unless one of the two fields begins with `*`.
        let both_days = expression.split(' ').skip(2).step_by(2).any(|day| day.starts_with('*'));
        let parser =
            CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).dom_and_dow(both_days).build();
        let times = parser.parse(&expression).map_err(|_| bad(unreadable(given)))?;
        let clock = TimeZone::get(zone).ok().filter(|clock| clock.iana_name().is_some());
        let clock =
            clock.ok_or_else(|| bad(format!("there is no time zone `{zone}`; such as Europe/Berlin or UTC")))?;
        let cron = Self { expression, zone: zone.to_owned(), times, clock };
        // An expression with a possible date has slots in every year, unless it requires 29 February on a certain
        // weekday.
        if cron.slots(0, 1).is_empty() {
            return Err(bad(format!("no date fits the cron expression `{}`", cron.expression)));
        }
        Ok(cron)
    }

    /// Reads the contract's form.
    pub(crate) fn read(recurrence: &str) -> Result<Self> {
        let mut words = recurrence.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("cron"), Some(zone), Some(expression)) => Self::new(expression, zone),
            _ => Err(bad(format!("`{recurrence}` is not a cron recurrence"))),
        }
    }

    /// Returns the next slots after a time, ascending, both in seconds since 1970. There are fewer than `count` only if
    /// no more slots exist.
    pub(crate) fn slots(&self, after: u64, count: usize) -> Vec<u64> {
        let mut slots: Vec<u64> = Vec::new();
        let Some(start) = i64::try_from(after).ok().and_then(|after| Timestamp::from_second(after).ok()) else {
            return slots;
        };
        if self.expression.split(' ').nth(1).is_some_and(|hour| hour.starts_with('*')) {
            let mut at = start.to_zoned(self.clock.clone());
            while slots.len() < count {
                let Ok(next) = self.times.find_next_occurrence(&at, false) else { break };
                slots.extend(u64::try_from(next.timestamp().as_second()).ok());
                at = next;
            }
            return slots;
        }
        // A wall-clock time creates at most one slot, even if it occurs twice.
        let mut wall = start.to_zoned(self.clock.clone()).datetime();
        let mut last = after;
        while slots.len() < count {
            let Some(next) = self.next_on_the_wall(wall) else { break };
            wall = next;
            match self.moment(next).and_then(|moment| u64::try_from(moment.as_second()).ok()) {
                Some(slot) if slot > last => {
                    slots.push(slot);
                    last = slot;
                }
                _ => {}
            }
        }
        slots
    }

    fn next_on_the_wall(&self, wall: DateTime) -> Option<DateTime> {
        let wall: Zoned = wall.to_zoned(TimeZone::UTC).ok()?;
        self.times.find_next_occurrence(&wall, false).ok().map(|next| next.datetime())
    }

    /// Returns the moment when the clock shows this time. If the clock shows the time twice, returns the first moment.
    /// If the clock skips the time, returns the moment of the clock change.
    fn moment(&self, wall: DateTime) -> Option<Timestamp> {
        let ambiguous = self.clock.to_ambiguous_timestamp(wall);
        match ambiguous.offset() {
            AmbiguousOffset::Gap { .. } => {
                let before = ambiguous.earlier().ok()?;
                self.clock.following(before).next().map(|change| change.timestamp())
            }
            _ => ambiguous.earlier().ok(),
        }
    }
}

impl PartialEq for Cron {
    fn eq(&self, other: &Self) -> bool {
        (&self.expression, &self.zone) == (&other.expression, &other.zone)
    }
}

impl Eq for Cron {}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cron {} {}", self.zone, self.expression)
    }
}

/// Describes an invalid expression, and quotes it as it was given.
fn unreadable(given: &str) -> String {
    let why =
        if given.starts_with('@') {
            "the words are @hourly, @daily, @weekly, @monthly, @yearly".to_owned()
        } else {
            match given.split_whitespace().count() {
            5 => "a field is wrong: minutes are 0-59, hours 0-23, days of the month 1-31, months 1-12 or JAN-DEC, days \
                  of the week 0-7 or SUN-SAT; a field may be *, a list (1,15), a range (1-5), or steps (*/10)"
                .to_owned(),
            number => format!(
                "it has {number} fields, and needs 5: minute, hour, day of the month, month, day of the week"
            ),
        }
        };
    format!("the cron expression `{given}` cannot be read: {why}")
}

fn bad(text: String) -> Error {
    Error::argument(text)
}
