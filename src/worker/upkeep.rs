//! What every worker does for its queues beside its own tasks: schedules, scheduled
//! tasks that are due, orphans, retention, and what clients without scripts leave.
//! Any number of workers do it safely together, each the less often the more they are.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::Result;
use crate::model::Held;
use crate::names::{ListenerId, QueueName, TaskId};
use crate::queue::Queue;

/// How often somebody should look at a queue.
const EVERY: Duration = Duration::from_secs(2);

/// So many listeners look as often as one would.
const SHARING: u32 = 5;

/// The shortest pause between two rounds.
const SHORTEST: Duration = Duration::from_millis(10);

/// How often retention and mending are due.
const SELDOM: Duration = Duration::from_secs(60);

/// Calls of `tally` in one round: as many as the events that a queue keeps are worth.
const TALLIES: usize = 200;

/// Steps of mending in one round.
const STEPS: usize = 10;

/// The lease between adopting an orphan and giving it back.
const HANDOVER: Duration = Duration::from_secs(10);

/// What every worker does for its queues beside its own tasks; for workers of another make than [`crate::Worker`].
///
/// Call [`Upkeep::round`] again and again, in a thread of its own.
#[derive(Debug)]
pub struct Upkeep {
    client: Client,
    queues: Vec<QueueName>,
    mend_at: Instant,
    retain_at: Instant,
    cursors: HashMap<QueueName, String>,
    /// The server's clock, and when it was read.
    clock: Option<(f64, Instant)>,
}

impl Upkeep {
    /// The upkeep of these queues.
    #[must_use]
    pub fn new(client: Client, queues: Vec<QueueName>) -> Self {
        let now = Instant::now();
        Self { client, queues, mend_at: now, retain_at: now, cursors: HashMap::new(), clock: None }
    }

    /// One round: slots of schedules that are due, in whatever queue; then over all queues scheduled tasks that
    /// are due, orphans, retention, a step of mending, statistics. Answers how long to pause before the next: about
    /// two seconds for a few listeners, longer for many, but not beyond the moment when something is due.
    ///
    /// # Errors
    /// Those of [`Client::call`]. What was not done is done by the next round.
    pub fn round(&mut self) -> Result<Duration> {
        let seldom = self.retain_at <= Instant::now();
        let mut pause = EVERY;
        if seldom || self.clock.is_none() {
            // A server that would not be taken at the start still has to be looked after.
            let greeting = self.client.call(&self.client.calls().hello());
            self.clock = greeting.ok().map(|greeting| (greeting.time, Instant::now())).or(self.clock);
        }
        // Neither the trouble of schedules nor that of a queue keeps the other from its upkeep.
        let slots = self.make_slots();
        let mut due = f64::INFINITY;
        for name in self.queues.clone() {
            let queue = Queue::new(self.client.clone(), name.clone());
            let next = loop {
                let promoted = queue.promote()?;
                if !promoted.more {
                    break promoted.next;
                }
            };
            due = due.min(next.unwrap_or(f64::INFINITY));
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
            tally(&queue)?;
        }
        if seldom {
            self.retain_at = Instant::now() + SELDOM;
        }
        Ok(self.until(due.min(slots?), pause))
    }

    /// Makes the tasks of slots that are due. Answers when the next one is, in seconds since 1970.
    fn make_slots(&self) -> Result<f64> {
        loop {
            let ticked = self.client.tick()?;
            if !ticked.more {
                #[allow(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^52")]
                return Ok(ticked.next.map_or(f64::INFINITY, |next| next as f64));
            }
        }
    }

    /// How long to pause where something is due at `due`. Many listeners do not all look at that
    /// moment: each goes on looking at a time of its own.
    fn until(&self, due: f64, pause: Duration) -> Duration {
        let Some((time, read)) = self.clock else { return pause };
        let left = Duration::try_from_secs_f64((due - time).max(0.0)).unwrap_or(Duration::MAX);
        let left = left.saturating_sub(read.elapsed());
        let shortest = pause.saturating_sub(EVERY) / 20;
        pause.min(left.max(shortest).max(SHORTEST))
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

    /// Gives back what listeners of dead processes on this host hold, and unregisters them.
    /// A task is left alone while its own process lives, or where `spare` says so.
    ///
    /// Only where all processes that share this host's name see each other's process
    /// ids, so not across containers.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn adopt_dead(&self, own: &ListenerId, spare: impl Fn(&Held) -> bool) -> Result<()> {
        let (host, _) = own.host_and_pid();
        let host = host.split(':').next().unwrap_or(host);
        for name in &self.queues {
            for listener in Queue::new(self.client.clone(), name.clone()).listeners()? {
                let Some(id) = listener.listener() else { continue };
                let (other, pid) = id.host_and_pid();
                if other.split(':').next() == Some(host) && !alive(pid) {
                    self.bury(own, name, &id, &spare)?;
                }
            }
        }
        Ok(())
    }

    fn bury(
        &self,
        own: &ListenerId,
        queue: &QueueName,
        dead: &ListenerId,
        spare: &impl Fn(&Held) -> bool,
    ) -> Result<()> {
        let calls = self.client.calls();
        let mut left = false;
        for held in self.client.call(&calls.held(queue, dead))? {
            let Ok(id) = TaskId::new(held.id.as_str()) else { continue };
            // The process of the task may have outlived its listener.
            if held.pid.is_some_and(alive) || spare(&held) {
                left = true;
                continue;
            }
            let request = TaskId::random();
            let adopted = self.client.call(&calls.adopt(own, dead, queue, &id, Some(HANDOVER), request.as_str()))?;
            if let Some(adopted) = adopted {
                self.client.call(&calls.release(&adopted.id, adopted.token, Some("orphan")))?;
            }
        }
        if !left {
            self.client.call(&calls.unregister(queue, dead))?;
        }
        Ok(())
    }
}

/// Adds up what happened since the round before.
fn tally(queue: &Queue) -> Result<()> {
    for _ in 0..TALLIES {
        if !queue.tally()?.more {
            break;
        }
    }
    Ok(())
}

fn alive(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}
