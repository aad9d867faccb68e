//! Statistics and events of a queue.

use crate::calls::{Call, EventsOptions, StatisticsOptions};
use crate::error::Result;
use crate::link::Link;
use crate::model::{Aggregated, Event, Events, Figures, Statistics};
use crate::queue::Queue;

/// Number of days that one call returns.
const DAYS: u32 = 14;

impl<L: Link> Queue<L> {
    /// Adds at most 500 new events to the statistics of their days. Workers do this continuously.
    ///
    /// # Errors
    /// The errors of [`Client::call`](crate::Client::call).
    pub fn aggregate(&self) -> L::Answer<'_, Result<Aggregated>> {
        self.client().make(self.aggregates())
    }

    pub(crate) fn aggregates(&self) -> Call<Aggregated> {
        self.client().calls().aggregate(self.name(), 500)
    }

    /// Returns the statistics of the last `days`, including today: at least 1 day, and at most as many as the setting
    /// `statistics` keeps.
    ///
    /// # Errors
    /// The errors of [`Client::call`](crate::Client::call).
    pub fn statistics(&self, days: u32) -> L::Answer<'_, Result<Statistics>> {
        L::answer(self.all_days(days, StatisticsOptions::new()))
    }

    /// Returns the statistics of one host: the outcomes and the durations of the attempts of its listeners. Submits,
    /// starts and waiting times belong to no host. The server keeps 100 hosts for each day.
    ///
    /// # Errors
    /// `BADNAME` if `host` is not a valid host of a listener; the errors of [`Client::call`](crate::Client::call).
    pub fn statistics_of(&self, host: &str, days: u32) -> L::Answer<'_, Result<Statistics>> {
        L::answer(self.all_days(days, StatisticsOptions::new().host(host)))
    }

    async fn all_days(&self, days: u32, options: StatisticsOptions) -> Result<Statistics> {
        let mut all = self.some_days(days, &options).await?;
        let mut left = days.saturating_sub(DAYS);
        while left > 0
            && let Some(until) = all.before.take()
        {
            let mut earlier = self.some_days(left, &options.clone().until(&until)).await?;
            left = left.saturating_sub(DAYS);
            earlier.days.append(&mut all.days);
            let mut total = Figures::default();
            total.add(&earlier.total);
            total.add(&all.total);
            let Statistics { first, before, days, .. } = earlier;
            all = Statistics { first, before, total, days, last: all.last };
        }
        Ok(all)
    }

    async fn some_days(&self, days: u32, options: &StatisticsOptions) -> Result<Statistics> {
        self.client().run(&self.client().calls().statistics(self.name(), days.clamp(1, DAYS), options)).await
    }

    /// Returns up to 500 transitions after an event; `0` starts at the oldest event that is kept. Keep
    /// [`Events::last`], or the [`cursor`](crate::Event::cursor) of an event, to continue later.
    ///
    /// # Errors
    /// `BADARG` for an invalid cursor; the errors of [`Client::call`](crate::Client::call).
    pub fn events(&self, after: &str) -> L::Answer<'_, Result<Events>> {
        self.client().make(self.client().calls().events(self.name(), after, 500, &EventsOptions::new()))
    }

    /// Returns the latest event: [`Queue::follow`] and [`Queue::events`] after it begin with the next one. `0` if the
    /// queue has no events.
    ///
    /// # Errors
    /// The errors of [`Client::call`](crate::Client::call).
    pub fn latest_event(&self) -> L::Answer<'_, Result<String>> {
        L::answer(async move {
            let mut after = "0".to_owned();
            loop {
                let last = L::step(self.events(&after)).await?.last;
                if last == after {
                    return Ok(after);
                }
                after = last;
            }
        })
    }

    /// Yields the transitions after an event, one after another, and then new transitions as they happen; `0` starts at
    /// the oldest event that is kept. The blocking client returns an iterator that waits for the next event, the
    /// asynchronous client a stream. While the server is away, both wait for it. Keep the [`cursor`](crate::Event::cursor) of the last event to continue after an
    /// error.
    ///
    /// # Errors
    /// Same as [`Queue::events`].
    pub fn follow(&self, after: &str) -> L::Many<'_, Event> {
        let part = |after: &str| self.client().calls().events(self.name(), after, 500, &EventsOptions::new());
        self.client().items(after, part, |events| (events.items, Some(events.last)), true)
    }
}
