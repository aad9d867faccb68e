//! Heartbeats of running tasks, and the orders that they return.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::context::Context;
use crate::calls::AttendOptions;
use crate::client::Client;
use crate::constants::{CONTROLS, HEARTBEATS_PER_LEASE, TASKS_OF_HEARTBEAT};
use crate::link::Link;
use crate::model::Order;
use crate::names::{ListenerId, QueueName, TaskId, Token};

/// Interval of checks for due heartbeats while no lease has to be renewed. A new task also starts a check.
const IDLE: Duration = Duration::from_secs(60);

/// Answer to requests that a worker in a process of the user cannot carry out.
const REFUSAL: &str = "this worker runs the task in its own process: it cannot be suspended, signalled or described";

/// Running tasks by queue and length of lease. The tasks of a group share a heartbeat.
pub(super) type Groups<L> = HashMap<(QueueName, Duration), Vec<Arc<Context<L>>>>;

/// Times of the next heartbeats, by length of lease.
#[derive(Default)]
pub(super) struct Due {
    leases: HashMap<Duration, Instant>,
    /// Time of the next check.
    look: Option<Instant>,
}

impl Due {
    /// Plans the heartbeats of a new task. `beat` is their interval, if the lease does not determine it. Returns true
    /// if a heartbeat is due before the next check.
    pub(super) fn expect(&mut self, lease: Duration, beat: Option<Duration>) -> bool {
        let at =
            *self.leases.entry(lease).or_insert_with(|| Instant::now() + beat.unwrap_or(lease / HEARTBEATS_PER_LEASE));
        self.look.is_some_and(|look| at < look)
    }

    /// Returns true if a heartbeat is due before this moment.
    pub(super) fn is_before(&self, look: Instant) -> bool {
        self.leases.values().any(|at| *at < look)
    }

    /// Returns the tasks whose leases must be renewed now. If there are none, returns the time of the next check.
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
            *at = now + beat.unwrap_or(*lease / HEARTBEATS_PER_LEASE);
        }
        Ok(groups)
    }
}

/// Renews the leases of these tasks, and passes their orders to the contexts. Returns true if the worker is ordered to
/// drain.
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
    // A failure is not reported: without a renewal the context loses its task automatically.
    let Ok(beat) = client.run(&client.calls().heartbeat(queue, listener, lease, &tasks)).await else {
        return false;
    };
    for (context, &order) in batch.iter().zip(&beat.orders) {
        // A killed task's lease is not renewed, so a handler that continues loses the task when the lease expires.
        if !matches!(order, Order::Lost | Order::Kill) {
            context.renew(sent);
        }
        if order == Order::Attend {
            refuse(client, context).await;
        } else {
            context.obey(order);
        }
    }
    beat.orders.contains(&Order::Drain)
}

/// Answers the requests to suspend or to signal a handler. It is a thread or a future, which neither can be done to.
async fn refuse<L: Link>(client: &Client<L>, context: &Context<L>) {
    let about = context.reservation();
    let mut options = AttendOptions::new();
    for _ in 0..=CONTROLS {
        match client.run(&client.calls().attend(&about.id, about.token, &options)).await {
            Ok(Some(control)) => options = AttendOptions::new().answered(control.number).refused(REFUSAL),
            // After a failure, the next heartbeat has the order again.
            _ => return,
        }
    }
}
