//! Heartbeats of running tasks, and the orders that they return.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::Context;
use crate::client::Client;
use crate::constants::{BEATS_PER_LEASE, TASKS_OF_HEARTBEAT};
use crate::link::Link;
use crate::model::Order;
use crate::names::{ListenerId, QueueName, TaskId, Token};

/// Without leases to renew, somebody looks this seldom: a new task wakes them.
const IDLE: Duration = Duration::from_secs(60);

/// Tasks of one queue with leases of one length share a heartbeat.
pub(super) type Groups<L> = HashMap<(QueueName, Duration), Vec<Arc<Context<L>>>>;

/// When the heartbeats of each length of lease are due.
#[derive(Default)]
pub(super) struct Due {
    leases: HashMap<Duration, Instant>,
    /// When somebody looks at them next.
    look: Option<Instant>,
}

impl Due {
    /// A task with such a lease begins. Whether its heartbeat is due before anybody looks. `beat`: how often, if not by
    /// the lease.
    pub(super) fn expect(&mut self, lease: Duration, beat: Option<Duration>) -> bool {
        let at = *self.leases.entry(lease).or_insert_with(|| Instant::now() + beat.unwrap_or(lease / BEATS_PER_LEASE));
        self.look.is_some_and(|look| at < look)
    }

    /// Whether a heartbeat is due before this moment.
    pub(super) fn is_before(&self, look: Instant) -> bool {
        self.leases.values().any(|at| *at < look)
    }

    /// The tasks whose leases have to be renewed now, or when to look again.
    pub(super) fn groups<L: Link>(
        &mut self,
        running: &[Arc<Context<L>>],
        beat: Option<Duration>,
    ) -> Result<Groups<L>, Instant> {
        let now = Instant::now();
        let leases: HashSet<Duration> = running.iter().map(|cx| cx.reservation().lease).collect();
        self.leases.retain(|lease, _| leases.contains(lease));
        let due: HashSet<Duration> =
            self.leases.iter().filter(|(_, at)| **at <= now).map(|(lease, _)| *lease).collect();
        if due.is_empty() {
            let next = self.leases.values().copied().fold(now + IDLE, Instant::min);
            self.look = Some(next);
            return Err(next);
        }
        let mut groups = Groups::new();
        for context in running.iter().filter(|cx| due.contains(&cx.reservation().lease)) {
            let about = context.reservation();
            groups.entry((about.queue.clone(), about.lease)).or_default().push(Arc::clone(context));
        }
        for (lease, at) in self.leases.iter_mut().filter(|(lease, _)| due.contains(lease)) {
            *at = now + beat.unwrap_or(*lease / BEATS_PER_LEASE);
        }
        Ok(groups)
    }
}

/// Renews the leases of these tasks, and passes on their orders. Whether the worker is to drain.
pub(super) async fn renew<L: Link>(client: &Client<L>, listener: &ListenerId, groups: Groups<L>) -> bool {
    let mut drains = false;
    for ((queue, lease), group) in groups {
        for batch in group.chunks(TASKS_OF_HEARTBEAT as usize) {
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
