//! What every worker does for its queues beside its own tasks: scheduled tasks
//! that are due, orphans, retention, and what clients without scripts leave.
//! Any number of workers do it safely together, each the less often the more they are.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::Result;
use crate::names::{ListenerId, QueueName, TaskId};
use crate::queue::Queue;

/// How often somebody should look at a queue.
const EVERY: Duration = Duration::from_secs(2);

/// So many listeners look as often as one would.
const SHARING: u32 = 5;

/// How often retention and mending are due.
const SELDOM: Duration = Duration::from_secs(60);

/// Steps of mending in one round.
const STEPS: usize = 10;

/// The lease between adopting an orphan and giving it back.
const HANDOVER: Duration = Duration::from_secs(10);

pub(crate) struct Upkeep {
    client: Client,
    queues: Vec<QueueName>,
    mend_at: Instant,
    retain_at: Instant,
    cursors: HashMap<QueueName, String>,
}

impl Upkeep {
    pub(crate) fn new(client: Client, queues: Vec<QueueName>) -> Self {
        let now = Instant::now();
        Self { client, queues, mend_at: now, retain_at: now, cursors: HashMap::new() }
    }

    /// One round over all queues; answers when the next is due.
    pub(crate) fn round(&mut self) -> Result<Duration> {
        let seldom = self.retain_at <= Instant::now();
        let mut pause = EVERY;
        for name in self.queues.clone() {
            let queue = Queue::new(self.client.clone(), name.clone());
            while queue.promote()?.more {}
            let orphans = loop {
                let orphans = queue.requeue_orphans()?;
                if !orphans.more {
                    break orphans;
                }
            };
            let sharers = u32::try_from(orphans.listeners).unwrap_or(u32::MAX) / SHARING;
            pause = pause.max(EVERY.saturating_mul(sharers.max(1)));
            if seldom {
                while queue.retain(None, None)?.more {}
            }
            self.mend(&name)?;
        }
        if seldom {
            self.retain_at = Instant::now() + SELDOM;
        }
        Ok(pause)
    }

    /// Some steps of mending at a time, so that a round stays short.
    fn mend(&mut self, queue: &QueueName) -> Result<()> {
        let mut cursor = self.cursors.get(queue).cloned().unwrap_or_default();
        if cursor.is_empty() && self.mend_at > Instant::now() {
            return Ok(());
        }
        for _ in 0..STEPS {
            let step = self.client.call(&self.client.calls().mend(queue, &cursor, 100, None))?;
            cursor = step.next.unwrap_or_default();
            if cursor.is_empty() {
                self.mend_at = Instant::now() + SELDOM;
                break;
            }
        }
        self.cursors.insert(queue.clone(), cursor);
        Ok(())
    }
}

/// Gives back what listeners of dead processes on this host hold, and unregisters them.
pub(crate) fn adopt_dead(client: &Client, own: &ListenerId, queues: &[QueueName]) -> Result<()> {
    let (host, _) = own.host_and_pid();
    let host = host.split(':').next().unwrap_or(host);
    for name in queues {
        for listener in Queue::new(client.clone(), name.clone()).listeners()? {
            let Some(id) = listener.listener() else { continue };
            let (other, pid) = id.host_and_pid();
            if other.split(':').next() == Some(host) && !alive(pid) {
                // One that somebody else is burying, or that cannot be, must not stand before the others.
                match bury(client, own, name, &id) {
                    Err(error) if error.is_transient() => return Err(error),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

fn bury(client: &Client, own: &ListenerId, queue: &QueueName, dead: &ListenerId) -> Result<()> {
    let calls = client.calls();
    let mut left = false;
    for held in client.call(&calls.held(queue, dead))? {
        let Ok(id) = TaskId::new(held.id.as_str()) else { continue };
        // The process of the task may have outlived its listener.
        if held.pid.is_some_and(alive) {
            left = true;
        } else {
            let request = TaskId::random();
            let adopted = client.call(&calls.adopt(own, dead, queue, &id, HANDOVER, request.as_str()))?;
            if let Some(adopted) = adopted {
                client.call(&calls.release(&adopted.id, adopted.token, Some("orphan")))?;
            }
        }
    }
    if !left {
        client.call(&calls.unregister(queue, dead))?;
    }
    Ok(())
}

fn alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}
