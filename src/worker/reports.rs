//! Reports: what the worker is and that it is alive, whatever it does.

use std::time::{Duration, Instant};

use super::run::Worker;
use super::{Settings, Stop};
use crate::bundle;
use crate::calls::ReportOptions;
use crate::error::Result;
use crate::link::{Blocking, Link};
use crate::listener::unblock;
use crate::names::ListenerId;

/// After three of these without a report it counts as dead.
pub(super) const EVERY: Duration = Duration::from_secs(10);

/// The delay before a failed report is repeated.
pub(super) const AGAIN: Duration = Duration::from_secs(2);

impl Worker {
    /// Reports as long as the worker lives, and obeys the order to drain.
    pub(super) fn reports(&self, listener: &ListenerId) {
        loop {
            let sent = Instant::now();
            let pause = match self.report(listener) {
                Ok(()) => EVERY.saturating_sub(sent.elapsed()),
                Err(_) => AGAIN,
            };
            if self.shared.ended_within(pause) {
                return;
            }
        }
    }

    fn report(&self, listener: &ListenerId) -> Result<()> {
        let (running, draining) = {
            let state = self.shared.lock();
            (state.running.len(), state.stop.is_some())
        };
        if Blocking::answer(report(&self.settings, listener, running, draining))? {
            self.shared.update(|state| {
                state.stop.get_or_insert((Stop::Release, Instant::now()));
            });
            unblock(&self.settings.client, &self.shared.waiting);
        }
        Ok(())
    }
}

/// Reports once. Whether the worker is to drain, which it does not yet.
pub(super) async fn report<L: Link>(
    settings: &Settings<L>,
    listener: &ListenerId,
    running: usize,
    draining: bool,
) -> Result<bool> {
    let number = |slots: usize| u32::try_from(slots).unwrap_or(u32::MAX);
    let slots = (number(settings.slots), number(settings.slots.saturating_sub(running)));
    let options = ReportOptions::new().version(bundle::VERSION).draining(draining);
    let options = settings.has.iter().fold(options, ReportOptions::has);
    let options = settings.name.iter().fold(options, ReportOptions::name);
    let client = &settings.client;
    let drains = client.run(&client.calls().report(listener, &settings.queues, slots, &options)).await?;
    Ok(!draining && drains.contains(&true))
}
