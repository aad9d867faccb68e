//! Delivers the ends of tasks, and the parts of graphs, from one partition to others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::value::RawValue;

use super::reachable::Targets;
use super::remote_edges::{self, Standing, reason};
use super::{Merged, Partitions};
use crate::calls::{CancelOptions, EditOptions};
use crate::client::Client;
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{GraphState, Outcome, Status};
use crate::names::{PartitionName, QueueName, TaskId};
use crate::placeholder::{self, ANEW, Carrier, Delivery, OFFER, QUEUE, patient};
use crate::topology::GlobalId;
use crate::worker::{Context, Failure, HandlerError, Stop, Worker};

/// Number of deliveries of one partition at the same time.
const SLOTS: usize = 16;

/// Id and method of the task that compares the placeholders of a partition with their upstreams once in each period.
const COMPARE: &str = "@compare";
const PERIOD: Duration = Duration::from_secs(30);

/// The longest pause before the next attempt to reach a partition.
const PAUSE: Duration = Duration::from_millis(500);

/// Maximum pause of a placeholder that waits for other tasks to stop, as a multiple of [`PAUSE`]. The pause grows by
/// one [`PAUSE`] with each failed attempt.
const SLOW: u32 = 60;

/// Longest pause of a placeholder without a delivery. A delivery makes it run earlier.
const YEAR: Duration = Duration::from_secs(31_536_000);

/// Interval at which unreachable partitions are probed, and their deliveries are sent again.
const LOOK: Duration = Duration::from_secs(1);

/// Time limit of a probe.
const PROBE: Duration = Duration::from_secs(1);

/// Maximum number of deliveries that are sent again at the same time.
const PAGE: u32 = 500;

/// Error of a delivery that was not tried because its partition does not answer other calls either.
const SILENT: &str = "it does not answer";

/// Prefix of the error group of a failed delivery. The name of the partition follows.
const GROUP: &str = "partition-";

/// Delivers the ends of tasks to the partitions in which other tasks wait for them. Any number of processes may run a
/// deliverer.
pub struct Deliverer {
    partitions: Partitions,
    own: Vec<PartitionName>,
    stopped: AtomicBool,
    /// The last period in which this deliverer started a comparison.
    compared: AtomicU64,
    workers: Mutex<BTreeMap<PartitionName, Worker>>,
    targets: Arc<Targets>,
    /// Partitions whose tasks are upstreams of placeholders in the deliverer's own partitions.
    needed: Arc<Mutex<BTreeSet<PartitionName>>>,
    /// Pairs of an own partition and an unreachable partition for which the own partition has a note.
    told: Mutex<BTreeSet<(PartitionName, PartitionName)>>,
    heed: Option<Heed>,
    heard: Mutex<BTreeMap<PartitionName, String>>,
}

/// Callback for errors that keep a partition from being served.
type Heed = Box<dyn Fn(&PartitionName, &Error) + Send + Sync>;

impl fmt::Debug for Deliverer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliverer").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Deliverer {
    /// The queue of placeholders for tasks of other partitions, and of the tasks that deliver to other partitions.
    pub const QUEUE: &str = QUEUE;

    /// Creates a deliverer for these partitions.
    #[must_use]
    pub fn new(partitions: &Partitions) -> Self {
        let own = partitions.names().cloned().collect();
        Self {
            partitions: partitions.clone(),
            own,
            stopped: AtomicBool::new(false),
            compared: AtomicU64::new(0),
            workers: Mutex::new(BTreeMap::new()),
            targets: Arc::default(),
            needed: Arc::default(),
            told: Mutex::default(),
            heed: None,
            heard: Mutex::default(),
        }
    }

    /// Sets a callback for errors that keep the deliverer from serving one of its partitions, such as a missing
    /// permission. The callback runs once for each new error of a partition. The deliverer continues to retry.
    #[must_use]
    pub fn on_error(mut self, heed: impl Fn(&PartitionName, &Error) + Send + Sync + 'static) -> Self {
        self.heed = Some(Box::new(heed));
        self
    }

    /// Restricts the deliverer to these partitions. It then handles only their deliveries: what they send to any
    /// partition, and what they receive. With many partitions, each process can handle some of them.
    #[must_use]
    pub fn only(mut self, own: impl IntoIterator<Item = PartitionName>) -> Self {
        self.own = own.into_iter().collect();
        self
    }

    /// Delivers until [`Deliverer::stop`] is called. A partition that cannot be reached is retried without limit. It
    /// does not stop deliveries to and from reachable partitions.
    pub fn run(&self) {
        thread::scope(|scope| {
            for name in &self.own {
                scope.spawn(|| {
                    while !self.stopped.load(Ordering::Acquire) {
                        if let Err(error) = self.worker(name).and_then(|worker| worker.run()) {
                            self.hear(name, &error);
                            thread::sleep(PAUSE);
                        }
                    }
                });
            }
            scope.spawn(|| {
                while !self.stopped.load(Ordering::Acquire) {
                    self.look();
                    let begun = Instant::now();
                    while begun.elapsed() < LOOK && !self.stopped.load(Ordering::Acquire) {
                        thread::sleep(LOOK / 10);
                    }
                }
            });
            while !self.stopped.load(Ordering::Acquire) {
                self.begin_to_compare();
                thread::sleep(PAUSE);
            }
        });
    }

    fn hear(&self, name: &PartitionName, error: &Error) {
        let text = error.to_string();
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.insert(name.clone(), text.clone()).as_ref() != Some(&text)
            && let Some(heed) = &self.heed
        {
            heed(name, error);
        }
    }

    /// Submits the comparison task. It is created once in each period, for any number of deliverers.
    fn begin_to_compare(&self) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let period = now.as_secs() / PERIOD.as_secs();
        if self.compared.swap(period, Ordering::AcqRel) == period {
            return;
        }
        let request = format!("{COMPARE}-{period}");
        for name in &self.own {
            let submit = |client: Client| {
                let compare = patient().id(TaskId::new(COMPARE)?);
                client.queue(QUEUE)?.submit_again_bytes(b"null", compare, &request)
            };
            match self.partitions.partition(name).and_then(submit) {
                // The call is refused while the last comparison runs. An unreachable partition is compared when it is
                // back.
                Ok(_) | Err(Error::State { .. }) => {}
                Err(error) => self.hear(name, &error),
            }
        }
    }

    /// Probes the deliverer's own partitions, and the partitions that their placeholders and deliveries depend on.
    /// Updates the notes about unreachable partitions, and immediately repeats the deliveries to each partition that is
    /// back.
    fn look(&self) {
        let own: BTreeSet<PartitionName> = self.own.iter().cloned().collect();
        let mut asked = own.clone();
        asked.extend(self.targets.away());
        asked.extend(self.needed.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        let mut waiting: BTreeMap<PartitionName, Vec<(PartitionName, TaskId)>> = BTreeMap::new();
        let look = |name: PartitionName, end| async move { paused(&self.partitions.partition(&name)?.until(end)) };
        let found = Blocking::answer(Partitions::<Blocking>::ask(own.iter().cloned().collect(), PROBE, look));
        for (here, found) in found.answers {
            for (to, id) in found {
                asked.insert(to.clone());
                waiting.entry(to).or_default().push((here.clone(), id));
            }
        }
        let look =
            |name: PartitionName, end| async move { self.partitions.partition(&name)?.until(end).topology().map(drop) };
        let found = Blocking::answer(Partitions::<Blocking>::ask(asked.into_iter().collect(), PROBE, look));
        for name in found.answers.keys() {
            self.targets.note(name, true);
        }
        for (name, error) in &found.missing {
            if is_silent(error) {
                self.targets.note(name, false);
            }
        }
        for (here, id) in found.answers.keys().filter_map(|name| waiting.remove(name)).flatten() {
            let again = |client: Client| client.task(id.as_str())?.edit(&EditOptions::new().unset("eta")).map(drop);
            let sent = self.partitions.partition(&here).and_then(again);
            if let Err(error) = remote_edges::unless_state(sent) {
                self.hear(&here, &error);
            }
        }
        self.tell(&found);
    }

    /// Creates a note in each of the deliverer's own partitions for each partition that does not answer, and removes
    /// the notes of partitions that are back. A note shows since when the partition is unreachable.
    fn tell(&self, found: &Merged<()>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for here in self.own.iter().filter(|name| found.answers.contains_key(name)) {
            for (name, error) in &found.missing {
                let pair = (here.clone(), name.clone());
                if !is_silent(error) || told.contains(&pair) {
                    continue;
                }
                let note = |client: Client| {
                    let away = patient().id(placeholder::away(name)?).eta(SystemTime::UNIX_EPOCH + placeholder::NEVER);
                    client.queue(QUEUE)?.submit_bytes(b"null", away).map(drop)
                };
                match self.partitions.partition(here).and_then(note) {
                    Ok(()) => _ = told.insert(pair),
                    Err(error) => self.hear(here, &error),
                }
            }
            for name in self.known_away(here, found).unwrap_or_default() {
                let note = |client: Client| {
                    let note = client.task(placeholder::away(&name)?.as_str())?;
                    remote_edges::unless_state(note.cancel("it is back"))?;
                    remote_edges::unless_state(note.delete())
                };
                match self.partitions.partition(here).and_then(note) {
                    Ok(()) => _ = told.remove(&(here.clone(), name.clone())),
                    Err(error) => self.hear(here, &error),
                }
            }
        }
    }

    /// Returns the partitions that answer although a note in `here` marks them as unreachable.
    fn known_away(&self, here: &PartitionName, found: &Merged<()>) -> Result<Vec<PartitionName>> {
        let names: Vec<&PartitionName> = found.answers.keys().filter(|name| *name != here).collect();
        let ids: Vec<TaskId> = names.iter().map(|name| placeholder::away(name)).collect::<Result<_>>()?;
        let infos = self.partitions.partition(here)?.until(Instant::now() + PROBE).infos(&ids)?;
        Ok(names.into_iter().zip(infos).filter(|(_, info)| info.is_some()).map(|(name, _)| name.clone()).collect())
    }

    /// Ends [`Deliverer::run`] after the deliveries in progress are complete.
    pub fn stop(&self) {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        self.stopped.store(true, Ordering::Release);
        for worker in workers.values() {
            worker.stop(Stop::Drain);
        }
    }

    fn worker(&self, name: &PartitionName) -> Result<Worker> {
        // A delivery that a failover loses is found by the comparison.
        let client = self.partitions.partition(name)?.durable(Durability::Local);
        let partitions = self.partitions.clone();
        let (own, from) = (client.clone(), name.clone());
        let (targets, needed) = (self.targets.clone(), self.needed.clone());
        let worker = Worker::builder(&client)
            .queue(QUEUE)?
            .has(OFFER)
            .slots(SLOTS)
            .handle_bytes(move |context| {
                let id = &context.reservation().id;
                let desk = Desk { partitions: &partitions, targets: &targets, own: &own, here: &from, context };
                match id.as_str() {
                    COMPARE => {
                        let upstreams = partitions.compare(&from, context)?;
                        needed.lock().unwrap_or_else(PoisonError::into_inner).extend(upstreams);
                    }
                    // The part that this task completes exists.
                    id if id.starts_with("@@@@") => {}
                    id if id.starts_with("@@@") => desk.bring()?,
                    id if id.starts_with("@@") => desk.give_up()?,
                    // The receipt was not removed before it expired.
                    id if placeholder::is_receipt(id) => {}
                    _ => match Carrier::of(id) {
                        Some(carrier) => desk.carry(&carrier)?,
                        None => return desk.receive(),
                    },
                }
                Ok(b"null".to_vec())
            })
            .build()?;
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stopped.load(Ordering::Acquire) {
            worker.stop(Stop::Drain);
        }
        workers.insert(name.clone(), worker.clone());
        Ok(worker)
    }
}

/// Returns the deliveries that pause because a partition did not answer, each with that partition.
fn paused(client: &Client) -> Result<Vec<(PartitionName, TaskId)>> {
    let page = client.call(&client.calls().list(&QueueName::new(QUEUE)?, "scheduled", "0", PAGE))?;
    let ids: Vec<TaskId> = page.items.into_iter().filter_map(|id| TaskId::new(id).ok()).collect();
    let found = ids.iter().zip(client.infos(&ids)?).filter_map(|(id, info)| {
        let group = info?.last_group()?;
        Some((PartitionName::new(group.strip_prefix(GROUP)?).ok()?, id.clone()))
    });
    Ok(found.collect())
}

/// Context of one attempt.
struct Desk<'a> {
    partitions: &'a Partitions,
    targets: &'a Targets,
    own: &'a Client,
    here: &'a PartitionName,
    context: &'a Context,
}

impl Desk<'_> {
    /// Ends a placeholder according to its delivery. If the placeholder or its upstream runs again, the current state
    /// of the upstream is read instead.
    fn receive(&self) -> Result<Vec<u8>, HandlerError> {
        let reservation = self.context.reservation();
        let info = self.own.task(reservation.id.as_str())?.info()?;
        let distrusts = info.method().is_some_and(|method| method.ends_with(ANEW));
        if reservation.attempt == 1 && reservation.outcome != Some(Outcome::Retry) && !distrusts {
            match serde_json::from_slice(&reservation.parameters) {
                Ok(Delivery::Complete(result)) => return Ok(result.get().as_bytes().to_vec()),
                Ok(Delivery::Failed(why)) => return Err(failed(why)),
                Ok(Delivery::Skipped(why)) => return self.skip(why),
                // Another call made the placeholder due.
                Ok(Delivery::Waits(_)) | Err(_) => {}
            }
        }
        let upstream: GlobalId = reservation.id.as_str().parse()?;
        let graph = info.graph();
        let from = upstream.partition();
        if let Some(graph) = &graph
            && self.ask(from, || Blocking::answer(self.partitions.runs_anew(from, graph)))?
        {
            // This check comes before the upstream is read, so an end that is read afterwards is the end of the new
            // run.
            let why = format!("tasks of the partition {from} are queued to run again");
            let pause = PAUSE * reservation.failures.clamp(1, SLOW);
            return Err(Failure::new(why).again_in(pause).into());
        }
        let standing = self.ask(from, || Blocking::answer(self.partitions.standing(&upstream, self.here, &info)))?;
        match standing {
            Standing::Complete(result) => return Ok(result),
            Standing::Ended(why) => return Err(failed(why)),
            Standing::Skipped(why) => return self.skip(why),
            Standing::Stopping | Standing::Coming => {
                return Err(Failure::new(format!("{upstream} is being stopped or created")).again_in(PAUSE).into());
            }
            Standing::Unneeded => {
                self.ask(from, || Blocking::answer(self.partitions.revive(&upstream, self.here)))?;
            }
            Standing::Open if graph.is_some() => {
                self.ask(from, || Blocking::answer(self.partitions.rearm(&upstream, self.here)))?;
            }
            Standing::Open => {}
        }
        if let Some(graph) = graph {
            self.watch(&upstream)?;
            Blocking::answer(self.partitions.relink(self.here, &graph))?;
        }
        Err(Failure::new("nothing has been delivered yet").again_in(YEAR).into())
    }

    /// Ends a placeholder as skipped. The owner of a task cannot skip it, so this asks for a cancel, which the failure
    /// of the attempt then completes.
    fn skip(&self, why: String) -> Result<Vec<u8>, HandlerError> {
        let id = &self.context.reservation().id;
        let call = self.own.calls().cancel(id, &why, &CancelOptions::new().skip(true));
        self.own.call(&call)?;
        Err(failed(why))
    }

    /// Makes the task that reports an unneeded placeholder wait for that event again.
    fn watch(&self, upstream: &GlobalId) -> Result<(), HandlerError> {
        let watch = self.own.task(placeholder::unneeded(upstream)?.as_str())?;
        match Blocking::answer(remote_edges::status(&watch))? {
            Some(Status::Waiting) => return Ok(()),
            Some(status) if !status.is_finished() => {
                return Err(Failure::new("the reason for the cancel is still being reported").again_in(PAUSE).into());
            }
            Some(_) => remote_edges::unless_state(watch.delete())?,
            None => {}
        }
        let waits = TaskId::new(upstream.to_string())?;
        let watch = patient().id(watch.id().clone()).method(placeholder::UNNEEDED).after_failure(&waits);
        self.own.queue(QUEUE)?.submit_bytes(b"null", watch)?;
        Ok(())
    }

    /// Delivers the content of a carrier to its placeholder.
    fn carry(&self, carrier: &Carrier) -> Result<(), HandlerError> {
        let reservation = self.context.reservation();
        let upstream = GlobalId::new(self.here.clone(), carrier.task.clone());
        let delivery = if carrier.has_result {
            let [result] = serde_json::from_slice::<[&RawValue; 1]>(&reservation.parameters)?;
            Delivery::Complete(result)
        } else {
            let info = match self.own.task(upstream.task().as_str())?.info() {
                Err(Error::NotFound) => None,
                info => Some(info?),
            };
            let why = reason(&upstream, info.as_ref());
            if info.is_some_and(|info| info.is_skipped()) { Delivery::Skipped(why) } else { Delivery::Failed(why) }
        };
        match self.at(&carrier.to, || Blocking::answer(self.partitions.hand_over(&carrier.to, &upstream, &delivery)))? {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::new(format!("the placeholder {upstream} is running in {}", carrier.to)).into()),
            Err(Error::NotFound) => {
                let failure = Failure::new(format!("{} has no placeholder {upstream}", carrier.to));
                // The placeholder of a graph may not exist yet.
                let own = self.own.task(reservation.id.as_str())?.info()?;
                Err(if own.graph().is_some() { failure } else { failure.permanent() }.into())
            }
            Err(error) if error.code() == Some(Code::TooBig) => Err(Failure::new(error.to_string()).permanent().into()),
            Err(error) => Err(unheard(&carrier.to, &error)),
        }
    }

    /// Cancels the carrier of an upstream in the partition of the upstream. This also cancels the upstream itself,
    /// unless another task needs it.
    fn give_up(&self) -> Result<(), HandlerError> {
        let id = &self.context.reservation().id;
        let upstream: GlobalId = id.as_str().trim_start_matches('@').parse()?;
        let info = match self.own.task(&upstream.to_string())?.info() {
            Err(Error::NotFound) => return Ok(()),
            info => info?,
        };
        if !matches!(info.status(), Some(Status::Failed | Status::Cancelled)) {
            return Ok(()); // the placeholder was retried
        }
        let cancel = || {
            let client = self.partitions.partition(upstream.partition())?;
            let carrier = Carrier { to: self.here.clone(), task: upstream.task().clone(), has_result: true }.id()?;
            let why = format!("the partition {} no longer needs it", self.here);
            match client.task(carrier.as_str())?.cancel(&why) {
                Ok(_) => {
                    // Workers also do this work, but later.
                    let _ = client.run_deferred(remote_edges::DEFERRED_STEPS);
                    Ok(true)
                }
                Err(Error::State { .. }) => Ok(true),
                Err(Error::NotFound) => match serde_json::from_slice(info.parameters_bytes().unwrap_or_default()) {
                    Ok(Delivery::Waits(waits)) => {
                        Blocking::answer(self.partitions.has_begun(&waits, upstream.partition()))
                    }
                    _ => Ok(true),
                },
                Err(error) => Err(error),
            }
        };
        if self.ask(upstream.partition(), cancel)? {
            return Ok(());
        }
        Err(Failure::new(format!("the partition {} has not created its part yet", upstream.partition())).into())
    }

    /// Creates the part of a graph that another partition has staged. Creates nothing else in that partition: the user
    /// who submitted this task may have write access to its own partition only.
    fn bring(&self) -> Result<(), HandlerError> {
        let reservation = self.context.reservation();
        let (to, _) = placeholder::other_part(&reservation.id)
            .ok_or_else(|| Failure::new("it names no partition").permanent())?;
        let graph = self.own.task(reservation.id.as_str())?.info()?.graph();
        let graph = graph.ok_or_else(|| Failure::new("it is of no graph").permanent())?;
        let receipt = placeholder::receipt(&reservation.parameters)?;
        let bring = || {
            let client = self.partitions.partition(&to)?;
            if !is_created(&client, &graph)? {
                if client.infos(std::slice::from_ref(&receipt))?.iter().all(Option::is_none) {
                    return Ok(false);
                }
                let Some(calls) = client.calls().packed_graph(&reservation.parameters) else {
                    return Err(Error::Reply { command: "submit_graph" });
                };
                for call in calls {
                    client.call(&call.once())?;
                }
                // Without this call, the work waits for a worker.
                let _ = client.run_deferred(remote_edges::DEFERRED_STEPS);
            }
            // Removes this part's receipt. The receipts of earlier parts expire.
            if is_created(&client, &graph)? {
                Blocking::answer(super::graphs::forget(&client, &receipt))?;
            }
            Ok(true)
        };
        if self.ask(&to, bring)? {
            return Ok(());
        }
        let why =
            format!("the partition {to} has no receipt of this part: submit the same graph again, as a user of {to}");
        Err(Failure::new(why).group(format!("refused-{to}")).into())
    }

    /// Calls another partition. Fails without a call if that partition does not answer.
    fn at<T>(&self, to: &PartitionName, call: impl FnOnce() -> Result<T>) -> Result<Result<T>, HandlerError> {
        let turn = self.targets.turn(to).ok_or_else(|| away(to, SILENT))?;
        let answer = call();
        drop(turn);
        if answer.as_ref().is_err_and(is_silent) {
            self.targets.note(to, false);
        }
        Ok(answer)
    }

    /// Calls another partition like [`Self::at`]. After an error the attempt fails and is retried.
    fn ask<T>(&self, to: &PartitionName, call: impl FnOnce() -> Result<T>) -> Result<T, HandlerError> {
        self.at(to, call)?.map_err(|error| unheard(to, &error))
    }
}

/// Returns true if the graph is in this partition, and no longer staged.
fn is_created(client: &Client, graph: &str) -> Result<bool> {
    match client.graph(graph)?.info() {
        Err(error) if error.code() == Some(Code::NoTask) => Ok(false),
        info => Ok(info?.state == Some(GraphState::Created)),
    }
}

fn failed(why: String) -> HandlerError {
    Failure::new(why).group("upstream").permanent().into()
}

/// Returns true if an error means that a partition does not answer.
fn is_silent(error: &Error) -> bool {
    matches!(error, Error::Unavailable { .. } | Error::Connection(_))
}

/// Returns the error of a call that was not answered or was refused. A refused call has its own error group, because it
/// does not succeed when the partition is back.
fn unheard(to: &PartitionName, error: &Error) -> HandlerError {
    if is_silent(error) {
        return away(to, &error.to_string());
    }
    Failure::new(format!("the partition {to}: {error}")).group(format!("refused-{to}")).into()
}

fn away(to: &PartitionName, why: &str) -> HandlerError {
    Failure::new(format!("the partition {to}: {why}")).group(format!("{GROUP}{to}")).into()
}
