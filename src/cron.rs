//! Cron expressions in time zones. The clients for Python and TypeScript follow the same rules: all three pass the cases
//! of `tests/fixtures/cron.json`.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use jiff::civil::{Date, Weekday, date};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

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

/// Field of an expression.
struct Field {
    low: u8,
    high: u8,
    /// Names of the values from `low` on.
    names: &'static [&'static str],
    means: &'static str,
}

const DAY: Field = Field { low: 1, high: 31, names: &[], means: "days of the month are 1-31, L, LW or 15W" };
const WEEKDAY: Field = Field {
    low: 0,
    high: 7,
    names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    means: "days of the week are 0-7 or SUN-SAT, MON#2 or FRIL",
};
const FIELDS: [Field; 5] = [
    Field { low: 0, high: 59, names: &[], means: "minutes are 0-59" },
    Field { low: 0, high: 23, names: &[], means: "hours are 0-23" },
    DAY,
    Field {
        low: 1,
        high: 12,
        names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
        means: "months are 1-12 or JAN-DEC",
    },
    WEEKDAY,
];

/// What a field names. A date has several of these values: Monday 2 March has `On(2)` and `Workday(1)`, for example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    On(u8),
    /// The last day of the month.
    Last,
    /// The last day of the month from Monday to Friday.
    LastWorkday,
    /// The day from Monday to Friday that is nearest to this day, in the same month.
    Workday(u8),
    /// A day of the week, the first to the fifth of its month.
    Nth(u8, u8),
    /// A day of the week, the last of its month.
    LastOf(u8),
}

/// Longest search for a date. The 29th of February is on a certain day of the week every 28 years, or every 40 years if
/// a century without a leap day is between.
const YEARS: i32 = 41;

const LAST_DATE: Date = date(9998, 12, 31);

/// Seconds of a day.
const A_DAY: i64 = 86_400;

/// An expression and its time zone.
#[derive(Clone, Debug)]
pub(crate) struct Cron {
    expression: String,
    zone: String,
    clock: TimeZone,
    /// Seconds of the day, ascending.
    times: Vec<i64>,
    days: BTreeSet<Value>,
    months: BTreeSet<Value>,
    weekdays: BTreeSet<Value>,
    /// As in Vixie cron: if both days are given, either day matches, unless one of the two fields begins with `*`.
    both_days: bool,
    /// The hour begins with `*`: slots follow elapsed time.
    every_hour: bool,
}

impl Cron {
    pub(crate) fn new(given: &str, zone: &str) -> Result<Self> {
        let words: Vec<_> = given.split_ascii_whitespace().map(str::to_ascii_uppercase).collect();
        let mut expression = words.join(" ");
        if expression.starts_with('@') {
            let known = NICKNAMES.iter().find(|(name, _)| *name == expression);
            let known = known.ok_or_else(|| {
                bad(format!("the cron expression `{given}` is unknown: @hourly, @daily, @weekly, @monthly or @yearly"))
            })?;
            known.1.clone_into(&mut expression);
        }
        let words: Vec<_> = expression.split(' ').filter(|word| !word.is_empty()).collect();
        if words.len() != FIELDS.len() {
            return Err(bad(format!(
                "the cron expression `{given}` needs 5 fields: minute, hour, day of the month, month, day of the week; \
                 it has {}",
                words.len()
            )));
        }
        let mut fields = Vec::new();
        for (word, field) in words.iter().zip(&FIELDS) {
            fields.push(field.read(word).ok_or_else(|| {
                bad(format!(
                    "the cron expression `{given}` has the invalid field `{word}`: {}; a field is *, a list (1,15), a \
                     range (1-5), or steps (*/10, 8-18/2)",
                    field.means
                ))
            })?);
        }
        let starred = |field: usize| words.get(field).is_some_and(|word| word.starts_with('*'));
        let (both_days, every_hour) = (starred(2) || starred(4), starred(1));
        let mut fields = fields.into_iter();
        let mut next = || fields.next().unwrap_or_default();
        let (minutes, hours) = (numbers(&next()), numbers(&next()));
        let times = hours.iter().flat_map(|hour| minutes.iter().map(move |minute| hour * 3600 + minute * 60)).collect();
        let (days, months, weekdays) = (next(), next(), next());
        let (zone, clock) = (zone.to_owned(), clock(zone)?);
        let cron = Self { expression, zone, clock, times, days, months, weekdays, both_days, every_hour };
        if cron.slots(0, 1).is_empty() {
            return Err(bad(format!("no date fits the cron expression `{given}`")));
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
        let mut slots = BTreeSet::new();
        let Some(start) = i64::try_from(after).ok().and_then(|after| Timestamp::from_second(after).ok()) else {
            return Vec::new();
        };
        // A change of the clock may repeat times of the day before.
        let mut date = self.clock.to_datetime(start).date().saturating_sub(1.day());
        let mut end = date.saturating_add(YEARS.years());
        while date <= end.min(LAST_DATE) {
            if !self.months.contains(&on(date.month())) {
                date = date.last_of_month().saturating_add(1.day());
                continue;
            }
            if self.fits(date) {
                // For the same reason a date may have slots before the last slots of the date before.
                let enough = slots.len() >= count;
                slots.extend(self.on_date(date).into_iter().filter(|&slot| slot > start.as_second()));
                if enough {
                    break;
                }
                end = date.saturating_add(YEARS.years());
            }
            date = date.saturating_add(1.day());
        }
        slots.into_iter().take(count).filter_map(|slot| u64::try_from(slot).ok()).collect()
    }

    /// Returns true if the date matches both fields of days. The caller checks the month.
    fn fits(&self, date: Date) -> bool {
        let (day, last) = (number(date.day()), number(date.days_in_month()));
        let weekday = number(date.weekday().to_sunday_zero_offset());
        let mut days = vec![Value::On(day)];
        let mut weekdays = vec![Value::On(weekday), Value::Nth(weekday, (day - 1) / 7 + 1)];
        if day == last {
            days.push(Value::Last);
        }
        if day + 7 > last {
            weekdays.push(Value::LastOf(weekday));
        }
        // The days whose nearest working day this is.
        let (from, to) = match date.weekday() {
            Weekday::Saturday | Weekday::Sunday => (1, 0),
            Weekday::Monday if day == 3 => (1, 3),
            Weekday::Monday => (day - 1, day),
            Weekday::Friday if day + 2 == last => (day, last),
            Weekday::Friday => (day, day + 1),
            _ => (day, day),
        };
        days.extend((from.max(1)..=to.min(last)).map(Value::Workday));
        if (from..=to).contains(&last) {
            days.push(Value::LastWorkday);
        }
        let day = days.iter().any(|value| self.days.contains(value));
        let weekday = weekdays.iter().any(|value| self.weekdays.contains(value));
        if self.both_days { day && weekday } else { day || weekday }
    }

    /// Returns the slots of a date that fits. If the clock skips a time, the slot is the moment of the change.
    fn on_date(&self, date: Date) -> Vec<i64> {
        let Ok(midnight) = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).map(Timestamp::as_second) else {
            return Vec::new();
        };
        let (before, after) = (self.offset(midnight - A_DAY), self.offset(midnight + 2 * A_DAY));
        let mut slots = Vec::new();
        for time in &self.times {
            let wall = midnight + time;
            if before == after {
                slots.push(wall - before);
                continue;
            }
            let (first, second) = (wall - before.max(after), wall - before.min(after));
            let mut shown = [first, second].into_iter().filter(|&moment| self.offset(moment) == wall - moment);
            match shown.next() {
                Some(moment) => {
                    slots.push(moment);
                    slots.extend(shown.next().filter(|_| self.every_hour));
                }
                None if self.every_hour => {}
                None => slots.push(self.change(first, second)),
            }
        }
        slots
    }

    /// Returns the moment after `from`, at the latest at `to`, at which the offset changes.
    fn change(&self, mut from: i64, mut to: i64) -> i64 {
        let before = self.offset(from);
        while to - from > 1 {
            let middle = i64::midpoint(from, to);
            if self.offset(middle) == before {
                from = middle;
            } else {
                to = middle;
            }
        }
        to
    }

    /// Returns the number of seconds by which the clock is ahead of UTC.
    fn offset(&self, moment: i64) -> i64 {
        Timestamp::from_second(moment).map_or(0, |moment| i64::from(self.clock.to_offset(moment).seconds()))
    }
}

impl Field {
    /// Returns the values that a field names, or `None` if it is invalid.
    fn read(&self, word: &str) -> Option<BTreeSet<Value>> {
        let mut values = BTreeSet::new();
        for item in word.split(',') {
            match self.special(item) {
                Some(value) => _ = values.insert(value),
                None => values.extend(self.range(item)?),
            }
        }
        Some(values)
    }

    fn special(&self, item: &str) -> Option<Value> {
        if self.high == DAY.high {
            return match item {
                "L" => Some(Value::Last),
                "LW" => Some(Value::LastWorkday),
                _ => Some(Value::Workday(self.value(item.strip_suffix('W')?)?)),
            };
        }
        if self.high != WEEKDAY.high {
            return None;
        }
        if let Some((weekday, nth)) = item.split_once('#') {
            let nth = digits(nth).filter(|nth| (1..=5).contains(nth))?;
            return Some(Value::Nth(self.value(weekday)? % 7, nth));
        }
        Some(Value::LastOf(self.value(item.strip_suffix('L')?)? % 7))
    }

    fn range(&self, item: &str) -> Option<impl Iterator<Item = Value> + use<>> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(digits(step).filter(|step| (1..=self.high).contains(step))?)),
            None => (item, None),
        };
        let (first, mut last) = match range.split_once('-') {
            Some((first, last)) => (self.value(first)?, self.value(last)?),
            None if range == "*" => (self.low, self.high),
            // `5/15` has different meanings in different programs.
            None if step.is_some() => return None,
            None => (self.value(range)?, self.value(range)?),
        };
        let weekday = self.high == WEEKDAY.high;
        if weekday && last == 0 && first > 0 {
            last = 7; // FRI-SUN
        }
        let all = (first <= last).then(|| (first..=last).step_by(usize::from(step.unwrap_or(1))))?;
        Some(all.map(move |value| Value::On(if weekday { value % 7 } else { value })))
    }

    fn value(&self, text: &str) -> Option<u8> {
        let named = self.names.iter().zip(self.low..).find(|(name, _)| **name == text);
        named.map(|(_, value)| value).or_else(|| digits(text)).filter(|value| (self.low..=self.high).contains(value))
    }
}

fn digits(text: &str) -> Option<u8> {
    text.parse().ok().filter(|_| text.len() <= 2 && text.bytes().all(|digit| digit.is_ascii_digit()))
}

fn on(value: i8) -> Value {
    Value::On(number(value))
}

fn number(value: i8) -> u8 {
    value.unsigned_abs()
}

fn numbers(values: &BTreeSet<Value>) -> Vec<i64> {
    values
        .iter()
        .filter_map(|value| if let Value::On(value) = value { Some(i64::from(*value)) } else { None })
        .collect()
}

/// Names of the tz database begin with a capital. Other names, such as `localtime`, differ between hosts.
fn clock(zone: &str) -> Result<TimeZone> {
    let known = TimeZone::get(zone)
        .ok()
        .filter(|clock| clock.iana_name() == Some(zone) && zone.starts_with(|first: char| first.is_ascii_uppercase()));
    known.ok_or_else(|| bad(format!("there is no time zone `{zone}`: write it as in Europe/Berlin or UTC")))
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

fn bad(text: String) -> Error {
    Error::argument(text)
}
