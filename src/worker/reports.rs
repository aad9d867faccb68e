//! Reports of the worker: what the worker is, and that it is alive.

use super::handlers::Handlers;
use super::settings::Settings;
use crate::bundle;
use crate::calls::ReportOptions;
use crate::error::Result;
use crate::link::Link;
use crate::model::Order;
use crate::names::ListenerId;
use crate::queue_choice::Queues;

/// Sends a report. Returns true if the worker is ordered to drain and does not drain yet.
pub(super) async fn report<L: Link>(
    settings: &Settings<L>,
    handlers: &Handlers<L>,
    (listener, queues): (&ListenerId, &Queues<L>),
    (running, failed): (usize, u64),
    draining: bool,
) -> Result<bool> {
    let number = |slots: usize| u32::try_from(slots).unwrap_or(u32::MAX);
    let (slots, free) = (number(settings.slots), number(settings.slots.saturating_sub(running)));
    let options = ReportOptions::new().version(bundle::VERSION).draining(draining).failed(failed);
    let options = handlers.names().iter().fold(options, ReportOptions::methods);
    let options = settings.has.iter().fold(options, ReportOptions::has);
    let options = settings.name.iter().fold(options, ReportOptions::name);
    let options = queues.chosen().map(|choice| choice.patterns()).into_iter().fold(options, ReportOptions::of_patterns);
    let client = &settings.client;
    let (queues, _) = queues.now(&settings.order);
    let orders = client.run(&client.calls().report(listener, slots, free, &queues, &options)).await?;
    Ok(!draining && orders.contains(&Order::Drain))
}
