//! What carries the ends of tasks from one partition to others, and the parts of graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::value::RawValue;

use super::links::{self, Standing, reason};
use super::targets::Targets;
use super::{Merged, Partitions};
use crate::calls::EditOptions;
use crate::client::Client;
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link};
use crate::model::{GraphState, Outcome, Status};
use crate::names::{PartitionName, QueueName, TaskId};
use crate::placeholder::{self, ANEW, Carrier, Delivery, OFFER, QUEUE, patient};
use crate::topology::GlobalId;
use crate::worker::{Context, Failure, HandlerError, Stop, Worker};

/// Deliveries of one partition at the same time.
const SLOTS: usize = 16;

/// The task that compares what waits in a partition with what it waits for, once in each period: its id and method.
const COMPARE: &str = "@compare";
const PERIOD: Duration = Duration::from_secs(30);

/// The longest pause before a partition that was not reached is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// A placeholder that waits for others to stop looks again after as many pauses as it has looked already, at most.
const SLOW: u32 = 60;

/// A placeholder that has nothing yet runs again when something is delivered: after a year at the latest.
const YEAR: Duration = Duration::from_secs(31_536_000);

/// How often partitions that do not answer are asked whether they are back, and what waits for them is sent again.
const LOOK: Duration = Duration::from_secs(1);

/// The limit of that question.
const PROBE: Duration = Duration::from_secs(1);

/// What is sent again at once.
const PAGE: u32 = 500;

/// The error of a delivery that was not tried, as its partition does not answer others either.
const SILENT: &str = "it does not answer";

/// What the group of what was not delivered to a partition begins with.
const GROUP: &str = "partition-";

/// Delivers the ends of tasks to the partitions in which others wait for them. Any number of processes may run one.
pub struct Deliverer {
    partitions: Partitions,
    own: Vec<PartitionName>,
    stopped: AtomicBool,
    /// The last period in which it has begun to compare.
    compared: AtomicU64,
    workers: Mutex<BTreeMap<PartitionName, Worker>>,
    targets: Arc<Targets>,
    /// Those that others here wait for.
    needed: Arc<Mutex<BTreeSet<PartitionName>>>,
    /// Of each of its own partitions those of which it has said there that they are away.
    told: Mutex<BTreeSet<(PartitionName, PartitionName)>>,
    heed: Option<Heed>,
    heard: Mutex<BTreeMap<PartitionName, String>>,
}

/// Hears what keeps a partition from being served.
type Heed = Box<dyn Fn(&PartitionName, &Error) + Send + Sync>;

impl fmt::Debug for Deliverer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deliverer").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Deliverer {
    /// The queue of what stands for tasks of other partitions, and of what is to be delivered.
    pub const QUEUE: &str = "@links";

    /// One for these partitions.
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

    /// Calls this with what keeps it from serving one of its partitions, such as a right that its user lacks: once until
    /// that is another error. It goes on trying.
    #[must_use]
    pub fn on_error(mut self, heed: impl Fn(&PartitionName, &Error) + Send + Sync + 'static) -> Self {
        self.heed = Some(Box::new(heed));
        self
    }

    /// Only what these partitions have for the others, and get from them: of many, each process takes some.
    #[must_use]
    pub fn only(mut self, own: impl IntoIterator<Item = PartitionName>) -> Self {
        self.own = own.into_iter().collect();
        self
    }

    /// Delivers until [`Deliverer::stop`]. A partition that cannot be reached is tried again and again; the others go on.
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

    /// Submits the task that compares, once in each period however many deliver.
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
                // Refused while the last one runs. A partition that is away is compared when it is back.
                Ok(_) | Err(Error::State { .. }) => {}
                Err(error) => self.hear(name, &error),
            }
        }
    }

    /// Asks those partitions that matter here whether they answer, says in its own ones which do not, and sends again at
    /// once what was to go to one that is back.
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
            if let Err(error) = links::unless_state(sent) {
                self.hear(&here, &error);
            }
        }
        self.tell(&found);
    }

    /// Has a note in each of its own partitions for each one that does not answer: it says since when.
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
                    links::unless_state(note.cancel("it is back").map(drop))?;
                    links::unless_state(note.delete())
                };
                match self.partitions.partition(here).and_then(note) {
                    Ok(()) => _ = told.remove(&(here.clone(), name.clone())),
                    Err(error) => self.hear(here, &error),
                }
            }
        }
    }

    /// Those that answer, and of which a partition has a note that they do not.
    fn known_away(&self, here: &PartitionName, found: &Merged<()>) -> Result<Vec<PartitionName>> {
        let names: Vec<&PartitionName> = found.answers.keys().filter(|name| *name != here).collect();
        let ids: Vec<TaskId> = names.iter().map(|name| placeholder::away(name)).collect::<Result<_>>()?;
        let infos = self.partitions.partition(here)?.until(Instant::now() + PROBE).infos(&ids)?;
        Ok(names.into_iter().zip(infos).filter(|(_, info)| info.is_some()).map(|(name, _)| name.clone()).collect())
    }

    /// Ends [`Deliverer::run`]; what is being delivered is done first.
    pub fn stop(&self) {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        self.stopped.store(true, Ordering::Release);
        for worker in workers.values() {
            worker.stop(Stop::Drain);
        }
    }

    fn worker(&self, name: &PartitionName) -> Result<Worker> {
        // What a failover loses of a delivery is found by comparing.
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
                    // There is the part that it completes.
                    id if id.starts_with("@@@@") => {}
                    id if id.starts_with("@@@") => desk.bring()?,
                    id if id.starts_with("@@") => desk.give_up()?,
                    // Nobody has removed it in its time.
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

/// What pauses because a partition did not answer, and that partition.
fn paused(client: &Client) -> Result<Vec<(PartitionName, TaskId)>> {
    let page = client.call(&client.calls().list(&QueueName::new(QUEUE)?, "scheduled", "0", PAGE))?;
    let ids: Vec<TaskId> = page.items.into_iter().filter_map(|id| TaskId::new(id).ok()).collect();
    let found = ids.iter().zip(client.infos(&ids)?).filter_map(|(id, info)| {
        let group = info?.last_group()?;
        Some((PartitionName::new(group.strip_prefix(GROUP)?).ok()?, id.clone()))
    });
    Ok(found.collect())
}

/// What one attempt works with.
struct Desk<'a> {
    partitions: &'a Partitions,
    targets: &'a Targets,
    own: &'a Client,
    here: &'a PartitionName,
    context: &'a Context,
}

impl Desk<'_> {
    /// Ends a placeholder as what was delivered says. If it runs again, or its task runs anew, it looks how that is by now.
    fn receive(&self) -> Result<Vec<u8>, HandlerError> {
        let reservation = self.context.reservation();
        let info = self.own.task(reservation.id.as_str())?.info()?;
        let distrusts = info.method().is_some_and(|method| method.ends_with(ANEW));
        if reservation.attempt == 1 && reservation.outcome != Some(Outcome::Retry) && !distrusts {
            match serde_json::from_slice(&reservation.parameters) {
                Ok(Delivery::Complete(result)) => return Ok(result.get().as_bytes().to_vec()),
                Ok(Delivery::Failed(why)) => return Err(failed(why)),
                // Somebody else made it due.
                Ok(Delivery::Waits(_)) | Err(_) => {}
            }
        }
        let upstream: GlobalId = reservation.id.as_str().parse()?;
        let graph = info.graph();
        let from = upstream.partition();
        if let Some(graph) = &graph
            && self.ask(from, || Blocking::answer(self.partitions.runs_anew(from, graph)))?
        {
            // Asked before the task itself: what ends after this answer is a new end.
            let why = format!("tasks of the partition {from} are to run anew");
            let pause = PAUSE * reservation.failures.clamp(1, SLOW);
            return Err(Failure::new(why).again_in(pause).into());
        }
        let standing = self.ask(from, || Blocking::answer(self.partitions.standing(&upstream, self.here, &info)))?;
        match standing {
            Standing::Complete(result) => return Ok(result),
            Standing::Ended(why) => return Err(failed(why)),
            Standing::Stopping | Standing::Coming => {
                return Err(Failure::new(format!("{upstream} is being stopped, or made")).again_in(PAUSE).into());
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

    /// Has the task that is told when nobody needs a placeholder wait for that once more.
    fn watch(&self, upstream: &GlobalId) -> Result<(), HandlerError> {
        let watch = self.own.task(placeholder::unneeded(upstream)?.as_str())?;
        match Blocking::answer(links::status(&watch))? {
            Some(Status::Waiting) => return Ok(()),
            Some(status) if !status.is_finished() => {
                return Err(Failure::new("what it was cancelled for is still being said").again_in(PAUSE).into());
            }
            Some(_) => links::unless_state(watch.delete())?,
            None => {}
        }
        let waits = TaskId::new(upstream.to_string())?;
        let watch = patient().id(watch.id().clone()).method(placeholder::UNNEEDED).after_failure(&waits);
        self.own.queue(QUEUE)?.submit_bytes(b"null", watch)?;
        Ok(())
    }

    /// Gives a placeholder what a carrier has.
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
            Delivery::Failed(reason(&upstream, info.as_ref()))
        };
        match self.at(&carrier.to, || Blocking::answer(self.partitions.hand_over(&carrier.to, &upstream, &delivery)))? {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::new(format!("{upstream} is being looked after in {}", carrier.to)).into()),
            Err(Error::NotFound) => {
                let failure = Failure::new(format!("{} has no placeholder {upstream}", carrier.to));
                // That of a graph may be yet to come.
                let own = self.own.task(reservation.id.as_str())?.info()?;
                Err(if own.graph().is_some() { failure } else { failure.permanent() }.into())
            }
            Err(error) if error.code() == Some(Code::TooBig) => Err(Failure::new(error.to_string()).permanent().into()),
            Err(error) => Err(unheard(&carrier.to, &error)),
        }
    }

    /// Cancels in the partition of a task what was to carry its end here: with that the task itself, unless somebody else
    /// needs it.
    fn give_up(&self) -> Result<(), HandlerError> {
        let id = &self.context.reservation().id;
        let upstream: GlobalId = id.as_str().trim_start_matches('@').parse()?;
        let info = match self.own.task(&upstream.to_string())?.info() {
            Err(Error::NotFound) => return Ok(()),
            info => info?,
        };
        if !matches!(info.status(), Some(Status::Failed | Status::Cancelled)) {
            return Ok(()); // it was retried meanwhile
        }
        let cancel = || {
            let client = self.partitions.partition(upstream.partition())?;
            let carrier = Carrier { to: self.here.clone(), task: upstream.task().clone(), has_result: true }.id()?;
            let why = format!("the partition {} does not need it any more", self.here);
            match client.task(carrier.as_str())?.cancel(&why) {
                Ok(_) => {
                    // Workers would do it, too.
                    let _ = client.settle(links::SETTLED);
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
        Err(Failure::new(format!("the part of {} has yet to come", upstream.partition())).into())
    }

    /// Brings the part of a graph that another partition has staged. It brings nothing else there: this task may be of
    /// somebody who may write to this partition alone.
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
                // Saves waiting for a worker to do it.
                let _ = client.settle(links::SETTLED);
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

    /// Calls another partition, if it answers.
    fn at<T>(&self, to: &PartitionName, call: impl FnOnce() -> Result<T>) -> Result<Result<T>, HandlerError> {
        let turn = self.targets.turn(to).ok_or_else(|| away(to, SILENT))?;
        let answer = call();
        drop(turn);
        if answer.as_ref().is_err_and(is_silent) {
            self.targets.note(to, false);
        }
        Ok(answer)
    }

    /// The same. After an error it is tried again.
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

/// Whether an error says that a partition does not answer.
fn is_silent(error: &Error) -> bool {
    matches!(error, Error::Unavailable { .. } | Error::Connection(_))
}

/// Of a call that was not answered, or refused: what was refused does not succeed once the partition answers.
fn unheard(to: &PartitionName, error: &Error) -> HandlerError {
    if is_silent(error) {
        return away(to, &error.to_string());
    }
    Failure::new(format!("the partition {to}: {error}")).group(format!("refused-{to}")).into()
}

fn away(to: &PartitionName, why: &str) -> HandlerError {
    Failure::new(format!("the partition {to}: {why}")).group(format!("{GROUP}{to}")).into()
}
