//! Recurrence of a schedule: the times at which it creates its tasks.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::constants::SLOTS_AHEAD;
use crate::error::{Error, Result};
use crate::times;

/// The times at which a schedule creates its tasks, called slots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recurrence(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Every {
        period: u64,
        offset: u64,
    },
    #[cfg(feature = "cron")]
    Cron(Box<crate::cron::Cron>),
}

impl Recurrence {
    /// Creates a slot every period, at multiples of the period since 1970. The period is 1 s to ten years, in whole
    /// seconds.
    ///
    /// # Errors
    /// `BADARG` for a fraction of a second, or a period out of bounds.
    pub fn every(period: Duration) -> Result<Self> {
        Self::every_after(period, Duration::ZERO)
    }

    /// Creates a slot every period, at an offset from the multiples of the period: a period of a day and an offset of 3
    /// hours create a slot at 03:00 UTC each day.
    ///
    /// # Errors
    /// `BADARG` for fractions of a second, or times out of bounds; the offset must be less than the period.
    pub fn every_after(period: Duration, offset: Duration) -> Result<Self> {
        let (seconds, after) = (period.as_secs(), offset.as_secs());
        let whole = period.subsec_nanos() == 0 && offset.subsec_nanos() == 0;
        if whole && (1..=315_360_000).contains(&seconds) && after < seconds {
            Ok(Self(Kind::Every { period: seconds, offset: after }))
        } else {
            let text = "a period must be 1 s to ten years, its offset less than it, both in whole seconds";
            Err(Error::argument(text))
        }
    }

    /// Creates slots from a cron expression of five fields (minute, hour, day of the month, month, day of the week), or
    /// a nickname such as `@daily`, in a time zone such as `Europe/Berlin` (feature `cron`).
    ///
    /// If a change of the clock skips a time, the slot is at the first moment after the gap. If a time occurs twice,
    /// the slot is at the first occurrence. If the hour field begins with `*`, slots follow elapsed time.
    ///
    /// # Errors
    /// `BADARG` for an invalid expression, an expression that matches no date, or an unknown zone.
    #[cfg(feature = "cron")]
    pub fn cron(expression: &str, zone: &str) -> Result<Self> {
        Ok(Self(Kind::Cron(Box::new(crate::cron::Cron::new(expression, zone)?))))
    }

    /// Returns the slots to send to the server: for cron up to 64 slots after a time, otherwise none.
    #[must_use]
    pub fn slots(&self, after: SystemTime) -> Vec<SystemTime> {
        if self.is_cron() { self.preview(after, SLOTS_AHEAD as usize) } else { Vec::new() }
    }

    /// Returns true if the server needs the slots of this recurrence from clients.
    pub(crate) fn is_cron(&self) -> bool {
        !matches!(self.0, Kind::Every { .. })
    }

    /// Returns the next `count` slots after a time.
    #[must_use]
    pub fn preview(&self, after: SystemTime, count: usize) -> Vec<SystemTime> {
        let slots = self.seconds(times::since_1970(after).as_secs(), count);
        slots.into_iter().filter_map(|slot| UNIX_EPOCH.checked_add(Duration::from_secs(slot))).collect()
    }

    /// Returns the next `count` slots in seconds since 1970.
    fn seconds(&self, after: u64, count: usize) -> Vec<u64> {
        match &self.0 {
            Kind::Every { period, offset } => {
                let first = match after.checked_sub(*offset) {
                    Some(since) => (since / period + 1).saturating_mul(*period).saturating_add(*offset),
                    None => *offset,
                };
                (0..).map(|n: u64| first.saturating_add(n.saturating_mul(*period))).take(count).collect()
            }
            #[cfg(feature = "cron")]
            Kind::Cron(cron) => cron.slots(after, count),
        }
    }
}

impl fmt::Display for Recurrence {
    /// Writes the contract's form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Every { period, offset } => write!(f, "every {period} {offset}"),
            #[cfg(feature = "cron")]
            Kind::Cron(cron) => cron.fmt(f),
        }
    }
}

impl FromStr for Recurrence {
    type Err = Error;

    /// Parses the contract's form.
    ///
    /// # Errors
    /// `BADARG` for anything else, for a time zone that this machine does not know, and for cron if the crate's
    /// feature is off.
    fn from_str(text: &str) -> Result<Self> {
        let every = text.strip_prefix("every ").and_then(|numbers| {
            let (period, offset) = numbers.split_once(' ').unwrap_or((numbers, "0"));
            Some((Duration::from_secs(period.parse().ok()?), Duration::from_secs(offset.parse().ok()?)))
        });
        if let Some((period, offset)) = every {
            return Self::every_after(period, offset);
        }
        #[cfg(feature = "cron")]
        if text.starts_with("cron ") {
            return Ok(Self(Kind::Cron(Box::new(crate::cron::Cron::read(text)?))));
        }
        Err(Error::argument(format!("`{text}` is not a recurrence that this program can read")))
    }
}

impl TryFrom<String> for Recurrence {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Recurrence> for String {
    fn from(recurrence: Recurrence) -> Self {
        recurrence.to_string()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn the_slots_of_a_period_are_its_multiples_and_the_offset() -> Result<()> {
        let seconds = Duration::from_secs;
        let recurrence = Recurrence::every_after(seconds(60), seconds(7))?;
        assert_eq!(recurrence.to_string(), "every 60 7");
        let at = |time: u64| UNIX_EPOCH + seconds(time);
        assert_eq!(recurrence.preview(at(1000), 2), [at(1027), at(1087)]);
        assert_eq!(recurrence.preview(at(1027), 1), [at(1087)]);
        assert_eq!(recurrence.preview(at(1026) + Duration::from_millis(999), 1), [at(1027)]);
        assert_eq!(recurrence.preview(at(0), 1), [at(7)]);
        assert!(!recurrence.is_cron() && recurrence.slots(at(0)).is_empty());
        assert_eq!("every 60 7".parse::<Recurrence>()?, recurrence);
        for text in ["", "every", "every x 0", "every 0 0", "every 60 60", "cron UTC", "daily"] {
            assert_eq!(text.parse::<Recurrence>().unwrap_err().code(), Some(Code::BadArgument), "{text}");
        }
        for (period, offset) in [(0, 0), (315_360_001, 0), (60, 60)] {
            assert_eq!(
                Recurrence::every_after(seconds(period), seconds(offset)).unwrap_err().code(),
                Some(Code::BadArgument)
            );
        }
        assert_eq!(Recurrence::every(Duration::from_millis(1500)).unwrap_err().code(), Some(Code::BadArgument));
        Ok(())
    }
}
