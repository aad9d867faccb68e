//! Heartbeats of running tasks, and the orders that they return.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Stop;
use super::context::Context;
use super::run::Worker;
use crate::model::Order;
use crate::names::{ListenerId, QueueName, TaskId, Token};

/// Tasks that one heartbeat can carry.
const BATCH: usize = 500;

/// Without leases to renew, the thread wakes up this seldom: a new task wakes it.
const IDLE: Duration = Duration::from_secs(60);

/// Tasks of one queue with leases of one length share a heartbeat.
type Groups = HashMap<(QueueName, Duration), Vec<Arc<Context>>>;

impl Worker {
    /// Renews the leases of running tasks as long as the worker lives, and passes on orders.
    pub(super) fn beats(&self, listener: &ListenerId) {
        // When the heartbeats of each length of lease are due.
        let mut due: HashMap<Duration, Instant> = HashMap::new();
        while let Some(groups) = self.next_beats(&mut due) {
            for ((queue, lease), group) in groups {
                for batch in group.chunks(BATCH) {
                    self.beat(&queue, listener, lease, batch);
                }
            }
        }
    }

    /// Waits until leases have to be renewed; none when the worker has ended.
    fn next_beats(&self, due: &mut HashMap<Duration, Instant>) -> Option<Groups> {
        let mut state = self.shared.lock();
        while !state.ended {
            let now = Instant::now();
            let mut groups = Groups::new();
            let mut next = now + IDLE;
            let leases: Vec<Duration> = state.running.iter().map(|cx| cx.reservation().lease).collect();
            due.retain(|lease, _| leases.contains(lease));
            for lease in leases {
                let every = self.settings.beat.unwrap_or(lease / 3);
                next = next.min(*due.entry(lease).or_insert(now + every));
            }
            if next <= now {
                let is_due = |lease: &Duration| due.get(lease).is_some_and(|&at| at <= now);
                for context in state.running.iter().filter(|cx| is_due(&cx.reservation().lease)) {
                    let about = context.reservation();
                    groups.entry((about.queue.clone(), about.lease)).or_default().push(Arc::clone(context));
                }
                for (lease, at) in due.iter_mut().filter(|(_, at)| **at <= now) {
                    *at = now + self.settings.beat.unwrap_or(*lease / 3);
                }
                return Some(groups);
            }
            state = self.shared.wait(state, next - now);
        }
        None
    }

    fn beat(&self, queue: &QueueName, listener: &ListenerId, lease: Duration, batch: &[Arc<Context>]) {
        let tasks: Vec<(TaskId, Token)> =
            batch.iter().map(|cx| (cx.reservation().id.clone(), cx.reservation().token)).collect();
        let client = &self.settings.client;
        let sent = Instant::now();
        // A failure is not reported: a context that is not renewed loses its task automatically.
        let Ok(beat) = client.call(&client.calls().heartbeat(queue, listener, lease, &tasks)) else {
            return;
        };
        for (context, order) in batch.iter().zip(beat.orders) {
            // The lease of a task that is to be killed expires: a handler that goes on has lost it then.
            if !matches!(order, Order::Lost | Order::Kill) {
                context.renew(sent);
            }
            context.obey(order);
            if order == Order::Drain {
                self.shared.update(|state| {
                    state.stop.get_or_insert((Stop::Release, sent));
                });
            }
        }
    }
}
