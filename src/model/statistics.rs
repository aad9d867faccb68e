//! Statistics of queues, and estimates from them.

use std::time::Duration;

use redis::Value;

use super::reply;
use crate::times;
use crate::words::words;

/// A set of durations: their number, mean and variance, and approximate quantiles.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Durations {
    /// Number of durations.
    pub count: u64,
    /// Sum of the durations.
    pub sum: Duration,
    /// Sum of the squared durations, in seconds².
    pub squares: f64,
    /// Shortest duration.
    pub least: Duration,
    /// Longest duration.
    pub most: Duration,
    /// Number of durations in each bucket: up to this bound of [`Durations::BOUNDS`], and longer than the bound before
    /// it. The last bucket counts durations longer than all bounds.
    pub buckets: [u64; 22],
}

impl Durations {
    /// The bounds of the buckets: from 1 s to 4 weeks.
    pub const BOUNDS: [Duration; 21] = {
        let seconds: [u64; 21] = [
            1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 172_800, 345_600,
            604_800, 1_209_600, 2_419_200,
        ];
        let mut bounds = [Duration::ZERO; 21];
        let mut at = 0;
        #[allow(clippy::indexing_slicing, reason = "both have 21; a constant that went beyond would not compile")]
        while at < bounds.len() {
            bounds[at] = Duration::from_secs(seconds[at]);
            at += 1;
        }
        bounds
    };

    /// Mean; `None` without durations.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| span(self.sum.as_secs_f64() / number(self.count)))
    }

    /// Variance in seconds² of these durations themselves (population variance, not sample variance).
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        let mean = self.mean()?.as_secs_f64();
        Some((self.squares / number(self.count) - mean * mean).max(0.0))
    }

    /// Standard deviation.
    #[must_use]
    pub fn deviation(&self) -> Option<Duration> {
        self.variance().map(|variance| span(variance.sqrt()))
    }

    /// Duration that a share of the durations, 0 to 1, does not exceed. The value is estimated within a bucket.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        if self.count == 0 || !(0.0..=1.0).contains(&share) {
            return None;
        }
        let rank = share * number(self.count);
        let (mut below, mut low) = (0.0, Duration::ZERO);
        for (i, &here) in self.buckets.iter().enumerate() {
            let high = Self::BOUNDS.get(i).copied().unwrap_or(self.most);
            let here = number(here);
            if here > 0.0 && below + here >= rank {
                let (from, to) = (low.max(self.least), high.min(self.most).max(self.least));
                let within = to.saturating_sub(from).mul_f64(((rank - below) / here).clamp(0.0, 1.0));
                return Some(from.saturating_add(within).clamp(self.least, self.most.max(self.least)));
            }
            below += here;
            low = high;
        }
        Some(self.most)
    }

    fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.least = if self.count == 0 { other.least } else { self.least.min(other.least) };
        self.most = self.most.max(other.most);
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.squares += other.squares;
        for (own, more) in self.buckets.iter_mut().zip(other.buckets) {
            *own += more;
        }
    }

    /// Sets the value of a field of the contract. Unknown fields are ignored.
    fn take(&mut self, field: &str, value: &str) -> Option<()> {
        match field {
            "count" => self.count = value.parse().ok()?,
            "sum" => self.sum = times::span(value)?,
            "squares" => self.squares = finite(value)?,
            "least" => self.least = times::span(value)?,
            "most" => self.most = times::span(value)?,
            bound => {
                let over = (bound == "over").then_some(Self::BOUNDS.len());
                let at = over.or_else(|| {
                    let bound: u64 = bound.parse().ok()?;
                    Self::BOUNDS.iter().position(|known| known.as_secs() == bound)
                });
                if let Some(bucket) = at.and_then(|at| self.buckets.get_mut(at)) {
                    *bucket = value.parse().ok()?;
                }
            }
        }
        Some(())
    }
}

/// Figures of one or several days.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Figures {
    /// Number of tasks that were created.
    pub submitted: u64,
    /// Number of attempts that started.
    pub started: u64,
    /// Number of tasks that ended with a result.
    pub complete: u64,
    /// Number of tasks that ended with an error, or were lost or given back too often.
    pub failed: u64,
    /// Number of tasks that were cancelled.
    pub cancelled: u64,
    /// Number of attempts that failed, including attempts of tasks that were retried.
    pub failures: u64,
    /// Number of retries after a failure, automatic or by hand.
    pub retries: u64,
    /// Number of attempts whose owner was lost.
    pub losses: u64,
    /// Number of attempts that were given back.
    pub releases: u64,
    /// Number of events that were trimmed before they were counted. The other figures may lack these events.
    pub missed: u64,
    /// Waiting times of tasks: from pending to reserved, for each time that a task was pending.
    pub wait: Durations,
    /// Durations of attempts, with any outcome.
    pub run: Durations,
    /// Durations of attempts that completed their task.
    pub done: Durations,
}

impl Figures {
    /// Adds the figures of other days.
    pub fn add(&mut self, other: &Self) {
        self.submitted += other.submitted;
        self.started += other.started;
        self.complete += other.complete;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.failures += other.failures;
        self.retries += other.retries;
        self.losses += other.losses;
        self.releases += other.releases;
        self.missed += other.missed;
        self.wait.add(&other.wait);
        self.run.add(&other.run);
        self.done.add(&other.done);
    }

    /// Sets the value of a field of the contract. Unknown fields are ignored.
    pub(crate) fn take(&mut self, field: &str, value: &str) -> Option<()> {
        if let Some((measure, field)) = field.split_once('.') {
            return match measure {
                "wait" => self.wait.take(field, value),
                "run" => self.run.take(field, value),
                "done" => self.done.take(field, value),
                _ => Some(()),
            };
        }
        let count = match field {
            "submitted" => &mut self.submitted,
            "started" => &mut self.started,
            "complete" => &mut self.complete,
            "failed" => &mut self.failed,
            "cancelled" => &mut self.cancelled,
            "failures" => &mut self.failures,
            "retries" => &mut self.retries,
            "losses" => &mut self.losses,
            "releases" => &mut self.releases,
            "missed" => &mut self.missed,
            _ => return Some(()),
        };
        *count = value.parse().ok()?;
        Some(())
    }
}

/// Figures of one day.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Day {
    /// The day, in UTC, as YYYYMMDD.
    pub date: String,
    /// Figures of the day.
    pub figures: Figures,
}

/// The statistics of a queue over some days.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// The first day, in UTC, as YYYYMMDD.
    pub first: String,
    /// The last day.
    pub last: String,
    /// The day before the first one; `None` before 1970.
    pub before: Option<String>,
    /// Figures of all days together.
    pub total: Figures,
    /// Days with figures, the earliest first.
    pub days: Vec<Day>,
}

impl Statistics {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let mut found = Self::default();
        let mut days: Vec<Day> = Vec::new();
        for (name, value) in reply::pairs(value)? {
            let value = reply::text(value)?;
            match name.as_str() {
                "day" => days.push(Day { date: value, figures: Figures::default() }),
                "first" => found.first = value,
                "last" => found.last = value,
                "before" => found.before = Some(value).filter(|before| !before.is_empty()),
                field => days.last_mut()?.figures.take(field, &value)?,
            }
        }
        if days.first()?.date != "total" {
            return None;
        }
        found.total = days.remove(0).figures;
        found.days = days;
        Some(found)
    }
}

words! {
    /// Basis of an estimate.
    Basis {
        /// Progress and pace of the task itself.
        Progress = "progress",
        /// Durations of other tasks in the last days.
        History = "history",
        /// Progress and history. The further the task is, the more its own pace counts.
        Both = "both",
    }
}

#[allow(clippy::cast_precision_loss, reason = "nobody counts to 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

/// Converts seconds to a duration; zero if negative.
fn span(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

fn finite(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Durations, Figures};

    fn of(durations: &[f64]) -> Durations {
        let mut all = Durations::default();
        for &one in durations {
            let mut buckets = [0; 22];
            let (squares, one) = (one * one, Duration::from_secs_f64(one));
            let at = Durations::BOUNDS.iter().position(|&bound| one <= bound).unwrap_or(21);
            if let Some(bucket) = buckets.get_mut(at) {
                *bucket = 1;
            }
            all.add(&Durations { count: 1, sum: one, squares, least: one, most: one, buckets });
        }
        all
    }

    fn close(found: Option<Duration>, wanted: f64) -> bool {
        found.is_some_and(|found| (found.as_secs_f64() - wanted).abs() < 1e-6)
    }

    #[test]
    fn nothing_has_no_mean() {
        let none = Durations::default();
        assert_eq!((none.mean(), none.variance(), none.quantile(0.5)), (None, None, None));
    }

    #[test]
    fn a_mean_a_deviation_and_quantiles_are_told_of_what_was_added() {
        let all = of(&[3.0, 3.0, 5.0, 5.0]);
        assert!(close(all.mean(), 4.0) && close(all.deviation(), 1.0));
        assert!(close(all.quantile(0.0), 3.0) && close(all.quantile(1.0), 5.0) && close(all.quantile(0.5), 4.0));
        assert_eq!(all.quantile(1.5), None);
    }

    #[test]
    fn a_quantile_is_never_outside_of_what_was_seen() {
        let one = of(&[90.0]);
        assert!([0.0, 0.5, 0.99, 1.0].iter().all(|&share| close(one.quantile(share), 90.0)));
        let long = of(&[10.0, 9_000_000.0]);
        assert!(close(long.quantile(0.5), 10.0) && close(long.quantile(1.0), 9_000_000.0));
    }

    #[test]
    fn fields_are_taken_and_unknown_ones_left_out() {
        let mut figures = Figures::default();
        for (field, value) in
            [("complete", "3"), ("done.count", "3"), ("done.sum", "7.500000"), ("done.60", "2"), ("done.over", "1")]
        {
            assert_eq!(figures.take(field, value), Some(()));
        }
        assert_eq!(
            (figures.complete, figures.done.count, figures.done.buckets[5], figures.done.buckets[21]),
            (3, 3, 2, 1)
        );
        for field in ["new", "new.count", "done.61", "done.new"] {
            assert_eq!(figures.take(field, "1"), Some(()));
        }
        for (field, value) in [("complete", "-1"), ("done.sum", "nan"), ("done.60", "x")] {
            assert_eq!(figures.take(field, value), None);
        }
    }
}
