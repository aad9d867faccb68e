//! Heartbeats of running tasks, and the orders that they return.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Stop;
use super::context::Context;
use super::run::Worker;
use crate::client::Client;
use crate::link::{Blocking, Link};
use crate::model::Order;
use crate::names::{ListenerId, QueueName, TaskId, Token};

/// Tasks that one heartbeat can carry.
const BATCH: usize = 500;

/// Without leases to renew, the thread wakes up this seldom: a new task wakes it.
const IDLE: Duration = Duration::from_secs(60);

/// Tasks of one queue with leases of one length share a heartbeat.
pub(super) type Groups<L> = HashMap<(QueueName, Duration), Vec<Arc<Context<L>>>>;

/// When the heartbeats of each length of lease are due.
#[derive(Default)]
pub(super) struct Due(HashMap<Duration, Instant>);

impl Due {
    /// The tasks whose leases have to be renewed now, or when to look again. `beat`: how often, if not by the lease.
    pub(super) fn groups<L: Link>(
        &mut self,
        running: &[Arc<Context<L>>],
        beat: Option<Duration>,
    ) -> Result<Groups<L>, Instant> {
        let (due, now) = (&mut self.0, Instant::now());
        let mut next = now + IDLE;
        let leases: Vec<Duration> = running.iter().map(|cx| cx.reservation().lease).collect();
        due.retain(|lease, _| leases.contains(lease));
        for lease in leases {
            next = next.min(*due.entry(lease).or_insert(now + beat.unwrap_or(lease / 3)));
        }
        if next > now {
            return Err(next);
        }
        let mut groups = Groups::new();
        let is_due = |lease: &Duration| due.get(lease).is_some_and(|&at| at <= now);
        for context in running.iter().filter(|cx| is_due(&cx.reservation().lease)) {
            let about = context.reservation();
            groups.entry((about.queue.clone(), about.lease)).or_default().push(Arc::clone(context));
        }
        for (lease, at) in due.iter_mut().filter(|(_, at)| **at <= now) {
            *at = now + beat.unwrap_or(*lease / 3);
        }
        Ok(groups)
    }
}

/// Renews the leases of these tasks, and passes on their orders. Whether the worker is to drain.
pub(super) async fn renew<L: Link>(client: &Client<L>, listener: &ListenerId, groups: Groups<L>) -> bool {
    let mut drains = false;
    for ((queue, lease), group) in groups {
        for batch in group.chunks(BATCH) {
            drains |= beat(client, &queue, listener, lease, batch).await;
        }
    }
    drains
}

async fn beat<L: Link>(
    client: &Client<L>,
    queue: &QueueName,
    listener: &ListenerId,
    lease: Duration,
    batch: &[Arc<Context<L>>],
) -> bool {
    let tasks: Vec<(TaskId, Token)> =
        batch.iter().map(|cx| (cx.reservation().id.clone(), cx.reservation().token)).collect();
    let sent = Instant::now();
    // A failure is not reported: a context that is not renewed loses its task automatically.
    let Ok(beat) = client.run(&client.calls().heartbeat(queue, listener, lease, &tasks)).await else {
        return false;
    };
    for (context, &order) in batch.iter().zip(&beat.orders) {
        // The lease of a task that is to be killed expires: a handler that goes on has lost it then.
        if !matches!(order, Order::Lost | Order::Kill) {
            context.renew(sent);
        }
        context.obey(order);
    }
    beat.orders.contains(&Order::Drain)
}

impl Worker {
    /// Renews the leases of running tasks as long as the worker lives, and passes on orders.
    pub(super) fn beats(&self, listener: &ListenerId) {
        let mut due = Due::default();
        while let Some(groups) = self.next_beats(&mut due) {
            if Blocking::answer(renew(&self.settings.client, listener, groups)) {
                self.shared.update(|state| {
                    state.stop.get_or_insert((Stop::Release, Instant::now()));
                });
            }
        }
    }

    /// Waits until leases have to be renewed; none when the worker has ended.
    fn next_beats(&self, due: &mut Due) -> Option<Groups<Blocking>> {
        let mut state = self.shared.lock();
        while !state.ended {
            match due.groups(&state.running, self.settings.beat) {
                Ok(groups) => return Some(groups),
                Err(next) => state = self.shared.wait(state, next.saturating_duration_since(Instant::now())),
            }
        }
        None
    }
}
