//! Maintenance that every worker does for its queues: schedules, due scheduled tasks, orphans, retention, and repairs
//! of damage by clients without scripts. Any number of workers can do it safely at the same time. With more workers,
//! each does it less often.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use crate::calls::{AdoptOptions, PruneOptions, ReadyOptions, ReleaseOptions, RepairOptions};
use crate::client::Client;
use crate::constants::{CLOCK_EVERY, MAINTENANCE_EVERY, QUEUES_FOUND};
use crate::error::{Code, Error, Result};
use crate::host::{self, alive};
use crate::link::{Blocking, Link};
use crate::model::{Claim, Held, ListenerInfo, Status};
use crate::names::{ListenerId, Pattern, QueueName, TaskId};
use crate::queue::Queue;

/// Number of listeners that together check as often as one listener alone.
const SHARING: u32 = 5;

/// Shortest pause between two rounds.
const SHORTEST: Duration = Duration::from_millis(10);

/// Interval of retention and repairs.
const SELDOM: Duration = Duration::from_secs(60);

/// Number of calls of `aggregate` in one round: enough for all events that a queue keeps.
const AGGREGATES: usize = 200;

/// Maximum number of tasks of graphs that one round releases, or notifies of an upstream's end. The next round does the
/// rest.
const DEFERRED_STEPS: usize = 10_000;

/// Number of repair steps in one round of a single listener; several listeners share the steps, and do at least one.
const STEPS: u32 = 12;

/// Cursor of the last part of the repairs. This part returns the claimed tasks.
const CLAIMS: &str = "claims:0";

/// Time for which the worker maintains a queue found by a pattern after the last work in the queue.
const IDLE: Duration = Duration::from_secs(60);

/// Maximum number of calls of a round that find queues or search for them.
const CALLS: usize = 100;

/// A listener that the server has seen within this time is alive even if its process is not in the process table: a
/// worker reports every 10 s.
const RECENT: Duration = Duration::from_secs(15);

/// Lease between adopting an orphan and giving it back.
const HANDOVER: Duration = Duration::from_secs(10);

/// First error of a maintenance round. The other parts of the maintenance, and other queues, were done.
#[derive(Debug, thiserror::Error)]
#[error("the maintenance of {} fails", queue.as_ref().map_or("schedules and dependents", QueueName::as_str))]
#[non_exhaustive]
pub struct MaintenanceError {
    /// Queue of the failed part; `None` for parts of the whole namespace: schedules, and dependents of ended tasks.
    pub queue: Option<QueueName>,
    /// The error.
    pub source: Error,
    /// Pause before the next round.
    pub pause: Duration,
}

/// First error of a round that continues after the error.
#[derive(Default)]
struct Troubles(Option<(Option<QueueName>, Error)>);

/// The server is away: each further call waits for its whole limit.
struct Away;

impl Troubles {
    /// Records an error, and returns the reply if there is one.
    fn note<T>(&mut self, queue: Option<&QueueName>, outcome: Result<T>) -> Result<Option<T>, Away> {
        outcome.map(Some).or_else(|error| {
            let away = matches!(error, Error::Unavailable { .. });
            self.0.get_or_insert((queue.cloned(), error));
            if away { Err(Away) } else { Ok(None) }
        })
    }

    fn answer<T>(self, pause: Duration, done: T) -> Result<T, MaintenanceError> {
        match self.0 {
            None => Ok(done),
            Some((queue, source)) => Err(MaintenanceError { queue, source, pause }),
        }
    }
}

/// State of a round.
struct Round {
    troubles: Troubles,
    /// Time when the next part is due, if known.
    due: Option<SystemTime>,
    /// Factor by which several listeners check less often than a single listener.
    rarer: u32,
}

/// A queue, and the progress of its less frequent maintenance. A failed part stays due.
#[derive(Debug)]
struct Kept {
    name: QueueName,
    /// Last time when the queue had work.
    found_at: Instant,
    prune_at: Instant,
    claims_at: Instant,
    /// Claimed tasks, as the repairs report them.
    claims: Vec<Claim>,
}

/// Maintenance that every worker does for its queues; for programs that run tasks without [`crate::Worker`].
///
/// Call [`Maintenance::round`] repeatedly, on a separate thread.
#[derive(Debug)]
pub struct Maintenance<L: Link = Blocking> {
    client: Client<L>,
    queues: Vec<Kept>,
    /// Patterns of the queues to maintain, and the listener that has them.
    patterns: Option<(ListenerId, Vec<Pattern>)>,
    host_names: Vec<String>,
    /// Time of the server's clock, and when it was read.
    clock: Option<(SystemTime, Instant)>,
}

impl<L: Link> Maintenance<L> {
    /// Creates the maintenance of these queues.
    #[must_use]
    pub fn new(client: Client<L>, queues: Vec<QueueName>) -> Self {
        let queues = queues.into_iter().map(Kept::new).collect();
        Self { client, queues, patterns: None, host_names: Vec::new(), clock: None }
    }

    /// Creates the maintenance for a listener with these patterns: it maintains the queues that match and have work.
    /// Work means tasks that wait, are due later, or have an owner. Queues without work keep their finished tasks until
    /// they have work again.
    #[must_use]
    pub fn of(client: Client<L>, listener: &ListenerId, patterns: Vec<Pattern>) -> Self {
        match Pattern::queues(&patterns) {
            Some(queues) => Self::new(client, queues),
            None => Self { patterns: Some((listener.clone(), patterns)), ..Self::new(client, Vec::new()) },
        }
    }

    /// Sets other names of this host, by which [`Maintenance::adopt_dead`] recognises listeners of its processes. The
    /// name of the machine and the resolver's full name are known, unless the full name begins with `localhost`.
    #[must_use]
    pub fn host_names(mut self, names: Vec<String>) -> Self {
        self.host_names = names;
        self
    }

    /// Does one round. The round first handles due slots of schedules, and deferred work of graphs in any queue. For
    /// its own queues it then handles due scheduled tasks, orphans, retention, a step of repairs, and statistics.
    /// Returns the pause before the next round: about two seconds for a few listeners, longer for many. The pause ends
    /// early if work is due.
    ///
    /// # Errors
    /// The first error of [`Client::call`]. The error does not affect the other parts, unless the server is away. The
    /// next round does the parts that were not done.
    pub fn round(&mut self) -> L::Answer<'_, Result<Duration, MaintenanceError>> {
        L::answer(self.one_round())
    }

    pub(super) async fn one_round(&mut self) -> Result<Duration, MaintenanceError> {
        if self.clock.is_none_or(|(_, read)| read.elapsed() >= CLOCK_EVERY) {
            // This call skips the checks of `Client::open`, because a server that fails them still needs maintenance.
            let handshake = self.client.run(&self.client.calls().handshake()).await;
            self.clock = handshake.ok().map(|handshake| (handshake.now, Instant::now())).or(self.clock);
        }
        let mut round = Round { troubles: Troubles::default(), due: None, rarer: 1 };
        // The error that the server is away has also been recorded.
        let _ = self.parts(&mut round).await;
        let pause = self.until(round.due, MAINTENANCE_EVERY.saturating_mul(round.rarer));
        round.troubles.answer(pause, pause)
    }

    /// Does all parts of a round. A failed part does not prevent the others.
    async fn parts(&mut self, round: &mut Round) -> Result<(), Away> {
        let Round { troubles, due, rarer } = round;
        if let Some(next) = troubles.note(None, self.make_slots().await)? {
            *due = sooner(*due, next);
        }
        troubles.note(None, self.client.run_deferred_steps(DEFERRED_STEPS).await)?;
        troubles.note(None, self.find().await)?;
        for kept in &mut self.queues {
            let queue = Queue::new(self.client.clone(), kept.name.clone());
            let mut note = |outcome: Result<()>| troubles.note(Some(queue.name()), outcome).map(|_| ());
            note(promote(&queue).await.map(|next| *due = sooner(*due, next)))?;
            let mut listeners = 0;
            note(requeue(&queue).await.map(|number| listeners = number))?;
            *rarer = (listeners / SHARING).max(*rarer);
            note(kept.prune(&queue).await)?;
            note(repair(&queue, STEPS / listeners.clamp(1, STEPS)).await)?;
            note(kept.read_claims(&self.client).await)?;
            note(aggregate(&queue).await)?;
        }
        Ok(())
    }

    /// Finds the queues that match the patterns, and does its part of the search for further queues.
    async fn find(&mut self) -> Result<()> {
        let Some((listener, patterns)) = &self.patterns else { return Ok(()) };
        let (mut cursor, options) = ("0".to_owned(), ReadyOptions::new().live(true));
        let mut found = BTreeSet::new();
        for _ in 0..CALLS {
            let call = self.client.calls().ready(listener, &cursor, QUEUES_FOUND, patterns, &options);
            let ready = self.client.run(&call).await?;
            found.extend(ready.queues.into_iter().map(|queue| queue.name));
            match ready.next {
                Some(next) => cursor = next,
                None if ready.more => "0".clone_into(&mut cursor),
                None => break,
            }
        }
        self.queues.retain_mut(|kept| {
            if found.remove(&kept.name) {
                kept.found_at = Instant::now();
            }
            kept.found_at.elapsed() < IDLE
        });
        self.queues.extend(found.into_iter().map(Kept::new));
        Ok(())
    }

    /// Creates the tasks of due slots. Returns the time of the next slot.
    async fn make_slots(&self) -> Result<Option<SystemTime>> {
        loop {
            let ticked = self.client.tick_once().await?;
            if !ticked.more {
                return Ok(ticked.next);
            }
        }
    }

    /// Returns the pause before the next round if work is due at `due`. Many listeners do not all check at that moment,
    /// because each listener keeps a minimum pause.
    fn until(&self, due: Option<SystemTime>, pause: Duration) -> Duration {
        let (Some((time, read)), Some(due)) = (self.clock, due) else { return pause };
        let left = due.duration_since(time).unwrap_or_default().saturating_sub(read.elapsed());
        let shortest = pause.saturating_sub(MAINTENANCE_EVERY) / 20;
        pause.min(left.max(shortest).max(SHORTEST))
    }

    /// Gives back the tasks that listeners of dead processes on this host hold, and unregisters these listeners. Also
    /// gives back tasks that such a listener claimed from other listeners, and tasks of a listener that was removed
    /// from its queue, as the repairs report them. A task is left alone while its own process lives, or if `spare`
    /// returns true.
    ///
    /// An id of [`ListenerId::of_this_process`] identifies the host of its process. An id without an identity, as of
    /// Blueque 1.0, is compared with the host's name, and only if its listener never called a script. Listeners that
    /// the server has just seen are left alone, and so are processes that this process may not see.
    ///
    /// # Errors
    /// The errors of [`Maintenance::round`].
    pub fn adopt_dead<'a>(
        &'a self,
        own: &'a ListenerId,
        spare: impl Fn(&Held) -> bool + Send + Sync + 'a,
    ) -> L::Answer<'a, Result<(), MaintenanceError>> {
        L::answer(self.adopt_all(own, spare))
    }

    pub(super) async fn adopt_all(
        &self,
        own: &ListenerId,
        spare: impl Fn(&Held) -> bool + Send + Sync,
    ) -> Result<(), MaintenanceError> {
        host::resolve();
        let names = host::Names::new(own, &self.host_names);
        let mut troubles = Troubles::default();
        for kept in &self.queues {
            if self.adopt_of(kept, own, &names, &spare, &mut troubles).await.is_err() {
                break;
            }
        }
        troubles.answer(MAINTENANCE_EVERY, ())
    }

    async fn adopt_of(
        &self,
        kept: &Kept,
        own: &ListenerId,
        names: &host::Names,
        spare: &(impl Fn(&Held) -> bool + Send + Sync),
        troubles: &mut Troubles,
    ) -> Result<(), Away> {
        let queue = &kept.name;
        let listeners = self.client.pages(|cursor| self.client.calls().listeners(queue, cursor, 500)).await;
        let listeners = troubles.note(Some(queue), listeners)?.unwrap_or_default();
        let registered = listeners.iter().filter_map(ListenerInfo::listener);
        // The registered listeners, and the listeners that have claimed tasks. The value has the holder of each claimed
        // task, by its id.
        let mut found: BTreeMap<ListenerId, BTreeMap<&str, &str>> =
            registered.map(|id| (id, BTreeMap::new())).collect();
        for claim in &kept.claims {
            let Ok(id) = ListenerId::new(claim.listener.as_str()) else { continue };
            found.entry(id).or_default().insert(&claim.id, &claim.holder);
        }
        let seen: BTreeMap<&str, SystemTime> =
            listeners.iter().filter_map(|listener| Some((listener.id.as_str(), listener.seen?))).collect();
        for (id, claimed) in found.iter().filter(|(id, _)| names.have(id)) {
            let adopted = if !alive(id.host_and_pid().1) {
                if seen.get(id.as_str()).is_some_and(|&seen| self.may_live(id, seen)) {
                    continue;
                }
                self.bury(own, queue, id, spare).await
            } else if claimed.is_empty() {
                Ok(())
            } else {
                self.relieve(own, queue, id, names, claimed, spare).await
            };
            troubles.note(Some(queue), adopted)?;
        }
        Ok(())
    }

    /// Returns true if a listener that calls scripts may live although its process is not on this host. Without an
    /// identity, the host of the process is unknown, and its tasks are free only when their leases end.
    fn may_live(&self, id: &ListenerId, seen: SystemTime) -> bool {
        let Some((time, read)) = self.clock.filter(|_| id.identity().is_some()) else { return true };
        (time + read.elapsed()).duration_since(seen).unwrap_or_default() < RECENT
    }

    async fn bury(
        &self,
        own: &ListenerId,
        queue: &QueueName,
        dead: &ListenerId,
        spare: &(impl Fn(&Held) -> bool + Send + Sync),
    ) -> Result<()> {
        let calls = self.client.calls();
        let mut left = false;
        for held in self.client.run(&calls.list_held(queue, dead)).await? {
            // The process of the task may have outlived its listener. Or the task has a supervisor, which may still
            // have to send the end of the task, and renews its lease during its own life.
            let supervised = held.token.is_some() && held.pid.is_some_and(|pid| pid != dead.host_and_pid().1);
            if supervised || held.pid.is_some_and(alive) || spare(&held) {
                left = true;
            } else {
                left |= !self.take_back(own, queue, dead, &held).await?;
            }
        }
        if left {
            return Ok(());
        }
        match self.client.run(&calls.unregister(queue, dead)).await {
            // A client without scripts has given the listener another task in the meantime. The next round takes that
            // task back.
            Err(Error::State { code: Code::Held, .. }) => Ok(()),
            done => done.map(drop),
        }
    }

    /// Gives back started tasks that a living listener claimed from a dead one, if the task's process is also dead.
    /// Blueque 1.0 only waits for that process.
    async fn relieve(
        &self,
        own: &ListenerId,
        queue: &QueueName,
        claimer: &ListenerId,
        names: &host::Names,
        holders: &BTreeMap<&str, &str>,
        spare: &(impl Fn(&Held) -> bool + Send + Sync),
    ) -> Result<()> {
        let gone = |id: &str| {
            let holder = holders.get(id).and_then(|holder| ListenerId::new(*holder).ok());
            holder.is_some_and(|holder| names.have(&holder) && !alive(holder.host_and_pid().1))
        };
        for held in self.client.run(&self.client.calls().list_held(queue, claimer)).await? {
            let dead = held.status == Some(Status::Started) && held.pid.is_some_and(|pid| !alive(pid));
            if dead && gone(&held.id) && !spare(&held) {
                self.take_back(own, queue, claimer, &held).await?;
            }
        }
        Ok(())
    }

    /// Adopts a task and gives it back. Returns false if that listener no longer holds the task.
    async fn take_back(&self, own: &ListenerId, queue: &QueueName, from: &ListenerId, held: &Held) -> Result<bool> {
        let Ok(id) = TaskId::new(held.id.as_str()) else { return Ok(true) };
        let calls = self.client.calls();
        let options = AdoptOptions::new().lease(HANDOVER).request(TaskId::random());
        let adopted = match self.client.run(&calls.adopt(own, from, queue, &id, &options)).await {
            Err(Error::State { code: Code::State, .. }) => return Ok(false),
            Err(Error::NotFound) => return Ok(true),
            adopted => adopted?,
        };
        if let Some(adopted) = adopted {
            self.client
                .run(&calls.release(&adopted.id, adopted.token, &ReleaseOptions::new().reason("orphan")))
                .await?;
        }
        Ok(true)
    }
}

impl Kept {
    fn new(name: QueueName) -> Self {
        let now = Instant::now();
        Self { name, found_at: now, prune_at: now, claims_at: now, claims: Vec::new() }
    }

    async fn prune<L: Link>(&mut self, queue: &Queue<L>) -> Result<()> {
        if self.prune_at <= Instant::now() {
            let prunes = queue.prunes(&PruneOptions::new());
            while queue.client().run(&prunes).await?.more {}
            self.prune_at = Instant::now() + SELDOM;
        }
        Ok(())
    }

    /// Reads which tasks listeners have claimed from others: the responsible listener may have died on this host.
    async fn read_claims<L: Link>(&mut self, client: &Client<L>) -> Result<()> {
        if self.claims_at > Instant::now() {
            return Ok(());
        }
        let (mut found, mut cursor) = (Vec::new(), CLAIMS.to_owned());
        while !cursor.is_empty() {
            let page = client.run(&client.calls().repair(&self.name, &cursor, 100, &RepairOptions::new())).await?;
            found.extend(page.claims);
            cursor = page.next.unwrap_or_default();
        }
        (self.claims, self.claims_at) = (found, Instant::now() + SELDOM);
        Ok(())
    }
}

/// Does some steps of the repairs, which all listeners share. The bound keeps a round short.
async fn repair<L: Link>(queue: &Queue<L>, steps: u32) -> Result<()> {
    let client = queue.client();
    let next = client.calls().repair(queue.name(), "", 100, &RepairOptions::new().shared(true));
    for _ in 0..steps {
        if client.run(&next).await?.next.is_none() {
            break;
        }
    }
    Ok(())
}

/// Returns the earlier of two times, as far as they are known.
fn sooner(one: Option<SystemTime>, other: Option<SystemTime>) -> Option<SystemTime> {
    one.into_iter().chain(other).min()
}

/// Makes due scheduled tasks pending. Returns the time at which the next task is due.
async fn promote<L: Link>(queue: &Queue<L>) -> Result<Option<SystemTime>> {
    loop {
        let promoted = queue.client().run(&queue.promotes()).await?;
        if !promoted.more {
            return Ok(promoted.next);
        }
    }
}

/// Gives back tasks without an owner. Returns the number of listeners of the queue.
async fn requeue<L: Link>(queue: &Queue<L>) -> Result<u32> {
    loop {
        let orphans = queue.client().run(&queue.requeues()).await?;
        if !orphans.more {
            return Ok(u32::try_from(orphans.listeners).unwrap_or(u32::MAX));
        }
    }
}

/// Adds the events since the last round to the statistics.
async fn aggregate<L: Link>(queue: &Queue<L>) -> Result<()> {
    for _ in 0..AGGREGATES {
        if !queue.client().run(&queue.aggregates()).await?.more {
            break;
        }
    }
    Ok(())
}
