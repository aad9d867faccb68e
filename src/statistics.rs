//! Statistics and events of a queue.

use crate::calls::{EventsOptions, StatisticsOptions};
use crate::error::Result;
use crate::model::{Events, Figures, Statistics, Tallied};
use crate::queue::Queue;

/// Days that one call returns.
const DAYS: u32 = 14;

impl Queue {
    /// Adds events that were not read yet to the statistics of their days, at most 500. Workers do this all the
    /// time.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn tally(&self) -> Result<Tallied> {
        self.client().call(&self.client().calls().tally(self.name(), 500))
    }

    /// The statistics of the last `days`, including today: at least 1, and as many as the setting `statistics`
    /// keeps.
    ///
    /// # Errors
    /// Those of [`Client::call`](crate::Client::call).
    pub fn statistics(&self, days: u32) -> Result<Statistics> {
        let call = |days: u32, until: Option<&str>| {
            let options = until.into_iter().fold(StatisticsOptions::new(), StatisticsOptions::until);
            self.client().call(&self.client().calls().statistics(self.name(), days.clamp(1, DAYS), &options))
        };
        let mut all = call(days, None)?;
        let mut left = days.saturating_sub(DAYS);
        while left > 0
            && let Some(until) = all.before.take()
        {
            let mut earlier = call(left, Some(&until))?;
            left = left.saturating_sub(DAYS);
            earlier.days.append(&mut all.days);
            let mut total = Figures::default();
            total.add(&earlier.total);
            total.add(&all.total);
            all =
                Statistics { first: earlier.first, before: earlier.before, total, days: earlier.days, last: all.last };
        }
        Ok(all)
    }

    /// Up to 500 transitions after an event, `0` for the oldest that is kept. Keep [`Events::last`], or the
    /// [`cursor`](crate::Event::cursor) of an event, to read on later.
    ///
    /// # Errors
    /// `BADARG` for an invalid cursor; those of [`Client::call`](crate::Client::call).
    pub fn events(&self, after: &str) -> Result<Events> {
        self.client().call(&self.client().calls().events(self.name(), after, 500, &EventsOptions::new()))
    }
}
