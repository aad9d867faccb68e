//! What every worker does for its queues besides its own tasks: schedules, due scheduled tasks, orphans, retention,
//! and repairs of what clients without scripts leave behind. Any number of workers do it safely together, each less
//! often the more they are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use crate::calls::{AdoptOptions, MendOptions, ReadyOptions, ReleaseOptions, RetainOptions};
use crate::client::Client;
use crate::constants::{CLOCK_EVERY, QUEUES_FOUND, UPKEEP_EVERY};
use crate::error::{Code, Error, Result};
use crate::host::{self, alive};
use crate::link::{Blocking, Link};
use crate::model::{Claim, Held, ListenerInfo, Status};
use crate::names::{ListenerId, Pattern, QueueName, TaskId};
use crate::queue::Queue;

/// This many listeners check as often as one would.
const SHARING: u32 = 5;

/// The shortest pause between two rounds.
const SHORTEST: Duration = Duration::from_millis(10);

/// The interval of retention and repairs.
const SELDOM: Duration = Duration::from_secs(60);

/// Calls of `tally` in one round: enough for all events that a queue keeps.
const TALLIES: usize = 200;

/// Tasks of graphs that one round releases, or tells that what they wait for has ended; the rest is for the next.
const SETTLED: usize = 10_000;

/// Steps of repairs in one round of a listener that is alone; several share them.
const STEPS: u32 = 12;

/// The part of the repairs that answers what others claimed, which is the last.
const CLAIMS: &str = "claims:0";

/// How long a queue that matches a pattern is looked after once it has no work any more.
const IDLE: Duration = Duration::from_secs(60);

/// The most calls of a round that find queues or search for them.
const CALLS: usize = 100;

/// A listener that the server has seen within this time lives, whatever the table of processes says: a worker reports
/// every 10 s.
const RECENT: Duration = Duration::from_secs(15);

/// The lease between adopting an orphan and giving it back.
const HANDOVER: Duration = Duration::from_secs(10);

/// Why a part of the upkeep was not done: the first error. The other parts, and other queues, were done.
#[derive(Debug, thiserror::Error)]
#[error("the upkeep of {} fails", queue.as_ref().map_or("schedules and dependents", QueueName::as_str))]
#[non_exhaustive]
pub struct UpkeepError {
    /// The queue; none for what is kept for the whole namespace: schedules, and dependents of ended tasks.
    pub queue: Option<QueueName>,
    /// The error.
    pub source: Error,
    /// How long to pause before the next round.
    pub pause: Duration,
}

/// The first error of a round that goes on after it.
#[derive(Default)]
struct Troubles(Option<(Option<QueueName>, Error)>);

/// The server is away: each further call would wait for its limit.
struct Away;

impl Troubles {
    /// The reply, if there was one.
    fn note<T>(&mut self, queue: Option<&QueueName>, outcome: Result<T>) -> Result<Option<T>, Away> {
        outcome.map(Some).or_else(|error| {
            let away = matches!(error, Error::Unavailable { .. });
            self.0.get_or_insert((queue.cloned(), error));
            if away { Err(Away) } else { Ok(None) }
        })
    }

    fn answer<T>(self, pause: Duration, done: T) -> Result<T, UpkeepError> {
        match self.0 {
            None => Ok(done),
            Some((queue, source)) => Err(UpkeepError { queue, source, pause }),
        }
    }
}

/// The state of a round.
struct Round {
    troubles: Troubles,
    /// When the next thing is due, if known.
    due: Option<SystemTime>,
    /// By what factor each of several listeners checks less often than one alone would.
    rarer: u32,
}

/// A queue, and the progress of its rarer upkeep. What fails stays due.
#[derive(Debug)]
struct Kept {
    name: QueueName,
    /// When it was last found to have work.
    found_at: Instant,
    retain_at: Instant,
    claims_at: Instant,
    /// Tasks that others claimed, according to the repairs.
    claims: Vec<Claim>,
}

/// What every worker does for its queues besides its own tasks; for workers other than [`crate::Worker`].
///
/// Call [`Upkeep::round`] repeatedly, on a separate thread.
#[derive(Debug)]
pub struct Upkeep<L: Link = Blocking> {
    client: Client<L>,
    queues: Vec<Kept>,
    /// Who looks after the queues that match which patterns.
    patterns: Option<(ListenerId, Vec<Pattern>)>,
    host_names: Vec<String>,
    /// The server's clock, and when it was read.
    clock: Option<(SystemTime, Instant)>,
}

impl<L: Link> Upkeep<L> {
    /// The upkeep of these queues.
    #[must_use]
    pub fn new(client: Client<L>, queues: Vec<QueueName>) -> Self {
        let queues = queues.into_iter().map(Kept::new).collect();
        Self { client, queues, patterns: None, host_names: Vec::new(), clock: None }
    }

    /// The upkeep for a listener of the queues that match these patterns and have work: tasks that wait, are due later,
    /// or have an owner. Finished tasks of others are kept until there is work again.
    #[must_use]
    pub fn of(client: Client<L>, listener: &ListenerId, patterns: Vec<Pattern>) -> Self {
        match Pattern::queues(&patterns) {
            Some(queues) => Self::new(client, queues),
            None => Self { patterns: Some((listener.clone(), patterns)), ..Self::new(client, Vec::new()) },
        }
    }

    /// Other names of this host, by which [`Upkeep::adopt_dead`] recognises listeners of its processes. The name of
    /// the machine and the resolver's full name need not be given, unless that begins with `localhost`.
    #[must_use]
    pub fn host_names(mut self, names: Vec<String>) -> Self {
        self.host_names = names;
        self
    }

    /// One round: due slots of schedules, and what calls leave behind in graphs, in any queue; then, over its queues, due
    /// scheduled tasks, orphans, retention, a step of repairs, statistics. Returns how long to pause before the next: about
    /// two seconds for a few listeners, longer for many, but not beyond the moment when something is due.
    ///
    /// # Errors
    /// The first of those of [`Client::call`]. It does not affect the rest, unless the server is away; what was not
    /// done is done in the next round.
    pub fn round(&mut self) -> L::Answer<'_, Result<Duration, UpkeepError>> {
        L::answer(self.one_round())
    }

    pub(super) async fn one_round(&mut self) -> Result<Duration, UpkeepError> {
        if self.clock.is_none_or(|(_, read)| read.elapsed() >= CLOCK_EVERY) {
            // A server that would be refused at the start still needs upkeep.
            let greeting = self.client.run(&self.client.calls().hello()).await;
            self.clock = greeting.ok().map(|greeting| (greeting.now, Instant::now())).or(self.clock);
        }
        let mut round = Round { troubles: Troubles::default(), due: None, rarer: 1 };
        // The error that the server is away is recorded, too.
        let _ = self.parts(&mut round).await;
        let pause = self.until(round.due, UPKEEP_EVERY.saturating_mul(round.rarer));
        round.troubles.answer(pause, pause)
    }

    /// The parts of a round, each done whatever becomes of the others.
    async fn parts(&mut self, round: &mut Round) -> Result<(), Away> {
        let Round { troubles, due, rarer } = round;
        if let Some(next) = troubles.note(None, self.make_slots().await)? {
            *due = sooner(*due, next);
        }
        troubles.note(None, self.client.settle_steps(SETTLED).await)?;
        troubles.note(None, self.find().await)?;
        for kept in &mut self.queues {
            let queue = Queue::new(self.client.clone(), kept.name.clone());
            let mut note = |outcome: Result<()>| troubles.note(Some(queue.name()), outcome).map(|_| ());
            note(promote(&queue).await.map(|next| *due = sooner(*due, next)))?;
            let mut listeners = 0;
            note(requeue(&queue).await.map(|number| listeners = number))?;
            *rarer = (listeners / SHARING).max(*rarer);
            note(kept.retain(&queue).await)?;
            note(mend(&queue, STEPS / listeners.clamp(1, SHARING)).await)?;
            note(kept.read_claims(&self.client).await)?;
            note(tally(&queue).await)?;
        }
        Ok(())
    }

    /// Finds the queues that match its patterns, and does its part of the search for further ones.
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

    /// Creates the tasks of due slots. Returns when the next one is.
    async fn make_slots(&self) -> Result<Option<SystemTime>> {
        loop {
            let ticked = self.client.tick_once().await?;
            if !ticked.more {
                return Ok(ticked.next);
            }
        }
    }

    /// How long to pause if something is due at `due`. Many listeners do not all check at that moment: each keeps
    /// its own rhythm.
    fn until(&self, due: Option<SystemTime>, pause: Duration) -> Duration {
        let (Some((time, read)), Some(due)) = (self.clock, due) else { return pause };
        let left = due.duration_since(time).unwrap_or_default().saturating_sub(read.elapsed());
        let shortest = pause.saturating_sub(UPKEEP_EVERY) / 20;
        pause.min(left.max(shortest).max(SHORTEST))
    }

    /// Gives back what listeners of dead processes on this host hold, and unregisters them; also tasks that such a
    /// listener claimed from others, and tasks of a listener that was removed from its queue, as found by repairs.
    /// A task is left alone while its own process lives, or if `spare` says so.
    ///
    /// An id of [`ListenerId::of_this_process`] tells whether its process was on this very host; ids without an identity,
    /// as those of Blueque 1.0, are judged by the host's name, and only if their listener never called a script. A listener
    /// that the server has just seen is left alone, and so are processes that this one may not see.
    ///
    /// # Errors
    /// As [`Upkeep::round`].
    pub fn adopt_dead<'a>(
        &'a self,
        own: &'a ListenerId,
        spare: impl Fn(&Held) -> bool + Send + Sync + 'a,
    ) -> L::Answer<'a, Result<(), UpkeepError>> {
        L::answer(self.adopt_all(own, spare))
    }

    pub(super) async fn adopt_all(
        &self,
        own: &ListenerId,
        spare: impl Fn(&Held) -> bool + Send + Sync,
    ) -> Result<(), UpkeepError> {
        host::resolve();
        let names = host::Names::new(own, &self.host_names);
        let mut troubles = Troubles::default();
        for kept in &self.queues {
            if self.adopt_of(kept, own, &names, &spare, &mut troubles).await.is_err() {
                break;
            }
        }
        troubles.answer(UPKEEP_EVERY, ())
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
        // Who is responsible for tasks of others, with the holders of those that are started.
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

    /// Returns true if a listener that calls scripts may live although its process is not here. Without an identity nobody
    /// knows where its process is: its leases end by themselves.
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
        for held in self.client.run(&calls.held(queue, dead)).await? {
            // The process of the task may have outlived its listener; or the task has a supervisor, which may still have
            // its end to send, and renews its lease as long as it lives.
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
            // A client without scripts has given it another task meanwhile, which the next round takes back.
            Err(Error::State { code: Code::Held, .. }) => Ok(()),
            done => done.map(drop),
        }
    }

    /// Gives back what a living listener claimed from a dead one, if it was started and its process is dead, too:
    /// Blueque 1.0 only waits for that.
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
        for held in self.client.run(&self.client.calls().held(queue, claimer)).await? {
            let dead = held.status == Some(Status::Started) && held.pid.is_some_and(|pid| !alive(pid));
            if dead && gone(&held.id) && !spare(&held) {
                self.take_back(own, queue, claimer, &held).await?;
            }
        }
        Ok(())
    }

    /// Adopts a task and gives it back. False if that listener no longer holds it.
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
        Self { name, found_at: now, retain_at: now, claims_at: now, claims: Vec::new() }
    }

    async fn retain<L: Link>(&mut self, queue: &Queue<L>) -> Result<()> {
        if self.retain_at <= Instant::now() {
            let retains = queue.retains(&RetainOptions::new());
            while queue.client().run(&retains).await?.more {}
            self.retain_at = Instant::now() + SELDOM;
        }
        Ok(())
    }

    /// Reads which tasks others claimed: whoever is responsible for them may have died on this host.
    async fn read_claims<L: Link>(&mut self, client: &Client<L>) -> Result<()> {
        if self.claims_at > Instant::now() {
            return Ok(());
        }
        let (mut found, mut cursor) = (Vec::new(), CLAIMS.to_owned());
        while !cursor.is_empty() {
            let page = client.run(&client.calls().mend(&self.name, &cursor, 100, &MendOptions::new())).await?;
            found.extend(page.claims);
            cursor = page.next.unwrap_or_default();
        }
        (self.claims, self.claims_at) = (found, Instant::now() + SELDOM);
        Ok(())
    }
}

/// Some steps of the repairs that all listeners make together, so that a round stays short.
async fn mend<L: Link>(queue: &Queue<L>, steps: u32) -> Result<()> {
    let client = queue.client();
    let next = client.calls().mend(queue.name(), "", 100, &MendOptions::new().shared(true));
    for _ in 0..steps {
        if client.run(&next).await?.next.is_none() {
            break;
        }
    }
    Ok(())
}

/// The earlier of two times, as far as they are known.
fn sooner(one: Option<SystemTime>, other: Option<SystemTime>) -> Option<SystemTime> {
    one.into_iter().chain(other).min()
}

/// Makes due scheduled tasks pending. Returns when the next one is due.
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

/// Adds up the events since the last round.
async fn tally<L: Link>(queue: &Queue<L>) -> Result<()> {
    for _ in 0..TALLIES {
        if !queue.client().run(&queue.tallies()).await?.more {
            break;
        }
    }
    Ok(())
}
