//! Tasks that wait for tasks of other partitions.
//!
//! In the partition of the task that waits stands a *placeholder* with the global id of the upstream as its id, which
//! others wait for as for any task. In the partition of the upstream two *carriers* wait for it: one that gets its result,
//! and one that runs if that cannot be. So the call that ends the upstream makes a carrier ready in the same step, and it
//! is gone only after the placeholder has what it carries. A worker of each partition runs both, from the queue `@links`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Partitions;
use crate::calls::EditOptions;
use crate::client::Client;
use crate::durability::Durability;
use crate::error::{Code, Error, Result};
use crate::model::{Status, TaskInfo};
use crate::names::{PartitionName, QueueName, TaskId};
use crate::options::Submit;
use crate::topology::GlobalId;
use crate::worker::{Context, Failure, HandlerError, Stop, Worker};

/// The queue of placeholders and carriers.
const QUEUE: &str = Deliverer::QUEUE;

/// What only those who deliver offer: a worker that takes all queues leaves these tasks alone.
const OFFER: &str = "blueque-links";

/// A placeholder is due when something has been delivered: this is later than all that.
const NEVER: Duration = Duration::from_secs(90_000_000_000);

/// Deliveries of one partition at the same time.
const SLOTS: usize = 16;

/// The largest payload that a call takes.
const LARGEST: u32 = 8 << 20;

/// The task that compares what waits in a partition with what it waits for, once in each period: its id and method.
const COMPARE: &str = "@compare";
const PERIOD: Duration = Duration::from_secs(30);

/// Placeholders that are read at once.
const PAGE: u32 = 500;

/// The longest pause before a partition that was not reached is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// What a placeholder gets.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Delivery<'a> {
    /// The upstream is complete, with this result.
    Complete(#[serde(borrow)] &'a RawValue),
    /// It will not be, because of this.
    Failed(String),
}

/// A carrier, as its id says: `@TO:ID` has the result of the task, `@TO@ID` runs if the other one failed.
struct Carrier {
    to: PartitionName,
    task: TaskId,
    has_result: bool,
}

impl Carrier {
    fn of(id: &TaskId) -> Option<Self> {
        let rest = id.as_str().strip_prefix('@')?;
        let at = rest.find([':', '@'])?;
        let (to, task) = rest.split_at_checked(at)?;
        let has_result = task.starts_with(':');
        Some(Self { to: PartitionName::new(to).ok()?, task: TaskId::new(task.get(1..)?).ok()?, has_result })
    }

    fn id(&self) -> Result<TaskId> {
        let sign = if self.has_result { ':' } else { '@' };
        TaskId::new(format!("@{}{sign}{}", self.to, self.task))
    }
}

/// The options of what the queue has: a partition that is away for days is waited for.
fn patient() -> Submit {
    let submit = Submit::default().needs(OFFER).max_failures(1_000);
    submit.delay(Duration::from_millis(200)).max_delay(Duration::from_secs(300))
}

impl Partitions {
    /// Lets tasks of one partition wait for a task of another. Returns the id that stands for that task there: to be
    /// waited for with [`Submit::result_of`], [`Submit::after_success`] and the like. It ends as the task does, with its
    /// result, while a [`Deliverer`] runs. Repeated, it changes nothing.
    ///
    /// The result must be JSON, as that of every task whose result another one gets; the global id must have at most 128
    /// characters.
    ///
    /// # Errors
    /// `NOTASK` if there is no such task; `BADNAME` for an id that is too long; those of [`Partitions::partition`].
    pub fn link(&self, upstream: &GlobalId, to: &PartitionName) -> Result<TaskId> {
        let id = TaskId::new(upstream.to_string())?;
        self.task(upstream)?.info()?;
        let never = SystemTime::UNIX_EPOCH + NEVER;
        self.partition(to)?.queue(QUEUE)?.submit_bytes(b"null", patient().id(id.clone()).eta(never))?;
        self.carriers(upstream, to)?;
        Ok(id)
    }

    /// Submits what waits for the upstream in its own partition, unless it is there.
    fn carriers(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let carrier = |has_result| Carrier { to: to.clone(), task: upstream.task().clone(), has_result }.id();
        let (result, failure) = (carrier(true)?, carrier(false)?);
        let links = self.partition(upstream.partition())?.queue(QUEUE)?;
        // Which of the two is needed is decided by what the upstream does in between, too: the other one is refused.
        match links.submit_bytes(b"", patient().id(result.clone()).result_of(0, upstream.task())) {
            Ok(_) => {
                let last = links.submit_bytes(b"null", patient().id(failure).after_failure(&result));
                last.map(drop).or_else(unless_upstream)
            }
            Err(error) => {
                unless_upstream(error)?;
                links.submit_bytes(b"null", patient().id(failure)).map(drop)
            }
        }
    }

    /// Repairs what a failover has lost of the links of one partition: an upstream that has ended is delivered again, and
    /// one that has not gets its carriers again.
    fn compare(&self, to: &PartitionName, context: &Context) -> Result<(), HandlerError> {
        let client = self.partition(to)?;
        let (queue, mut cursor) = (QueueName::new(QUEUE)?, "0".to_owned());
        loop {
            let page = client.call(&client.calls().list(&queue, "scheduled", &cursor, PAGE))?;
            for upstream in page.items.iter().filter_map(|id| id.parse::<GlobalId>().ok()) {
                context.check()?;
                // A partition that is away is compared next time.
                let _ = self.mend(&upstream, to);
            }
            match page.next {
                Some(next) => cursor = next,
                None => return Ok(()),
            }
        }
    }

    fn mend(&self, upstream: &GlobalId, to: &PartitionName) -> Result<()> {
        let info = match self.task(upstream)?.info() {
            Ok(info) => info,
            Err(Error::NotFound) => return self.hand_over(to, upstream, &Delivery::Failed(reason(upstream, None))),
            Err(error) => return Err(error),
        };
        match info.status() {
            Some(status) if status.is_finished() => {
                let result = info.result_bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
                let delivery = match result.filter(|_| status == Status::Complete) {
                    Some(result) => Delivery::Complete(result),
                    None => Delivery::Failed(reason(upstream, Some(&info))),
                };
                self.hand_over(to, upstream, &delivery)
            }
            _ => self.carriers(upstream, to),
        }
    }

    /// Makes a placeholder due, with what it ends with. One that has ended had its delivery before, or was cancelled.
    fn hand_over(&self, to: &PartitionName, upstream: &GlobalId, delivery: &Delivery<'_>) -> Result<()> {
        let parameters = serde_json::to_vec(delivery).map_err(|error| Error::argument(error.to_string()))?;
        let size = u32::try_from(parameters.len()).unwrap_or(u32::MAX).saturating_add(1_024).min(LARGEST);
        let edit = EditOptions::new().parameters(&parameters[..]).max_bytes(size).unset("eta");
        let target = self.partition(to)?.durable(Durability::Local);
        match target.task(&upstream.to_string())?.edit(&edit) {
            Err(error) if error.code() == Some(Code::State) => Ok(()),
            edited => edited.map(drop),
        }
    }
}

impl Partitions {
    /// Retries a task that has failed or was cancelled, and has those elsewhere that wait for it get its new end:
    /// [`Partitions::link_again`].
    ///
    /// # Errors
    /// As [`Task::retry`](crate::Task::retry) and [`Partitions::link_again`].
    pub fn retry(&self, upstream: &GlobalId) -> Result<()> {
        self.task(upstream)?.retry()?;
        self.link_again(upstream).map(drop)
    }

    /// Has each partition whose placeholder got the failure of a task wait for its next end, now that the task was retried.
    /// What waited for a placeholder there and has failed with it is retried by itself, as within one partition. Returns
    /// those partitions. Repeated, it changes nothing.
    ///
    /// # Errors
    /// Those of [`Partitions::partition`].
    pub fn link_again(&self, upstream: &GlobalId) -> Result<Vec<PartitionName>> {
        let from = self.partition(upstream.partition())?;
        let carrier =
            |to: &PartitionName, has_result| Carrier { to: to.clone(), task: upstream.task().clone(), has_result }.id();
        // An id that would be too long was never linked.
        let known = self.names().filter(|name| *name != upstream.partition());
        let known: Vec<_> =
            known.filter_map(|to| Some((to, carrier(to, true).ok()?, carrier(to, false).ok()?))).collect();
        let ids: Vec<TaskId> =
            known.iter().flat_map(|(_, result, failure)| [result.clone(), failure.clone()]).collect();
        let states: Vec<_> = from.infos(&ids)?.into_iter().map(|info| info.and_then(|info| info.status())).collect();
        let mut again = Vec::new();
        for ((to, result, failure), states) in known.into_iter().zip(states.chunks(2)) {
            let [Some(of_result), of_failure] = states else { continue };
            let has_run = of_failure.is_none_or(Status::is_finished);
            if matches!(of_result, Status::Failed | Status::Cancelled) || *of_result != Status::Complete && has_run {
                self.anew(&from, upstream, to, (&result, &failure))?;
                again.push(to.clone());
            }
        }
        Ok(again)
    }

    /// Begins the next round of a placeholder, and then of what is carried to it. Each step may be repeated, and as long as
    /// the last one was not taken all are.
    fn anew(
        &self,
        from: &Client,
        upstream: &GlobalId,
        to: &PartitionName,
        (result, failure): (&TaskId, &TaskId),
    ) -> Result<()> {
        let (links, request) = (from.queue(QUEUE)?, TaskId::random());
        let never = SystemTime::UNIX_EPOCH + NEVER;
        let placeholder = patient().id(TaskId::new(upstream.to_string())?).eta(never);
        self.partition(to)?.queue(QUEUE)?.submit_again_bytes(b"null", placeholder, request.as_str())?;
        match from.task(result.as_str())?.retry() {
            // It waits already, or the upstream has failed once more.
            Ok(_) | Err(Error::State { .. }) => {}
            Err(error) => return Err(error),
        }
        // The former failure, if it has not been delivered yet, is delivered no more.
        match from.task(failure.as_str())?.cancel("the task was retried") {
            Ok(_) | Err(Error::State { .. } | Error::NotFound) => {}
            Err(error) => return Err(error),
        }
        match from.task(failure.as_str())?.delete() {
            Ok(()) | Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
        let after = patient().id(failure.clone()).after_failure(result);
        links.submit_bytes(b"null", after).map(drop).or_else(unless_upstream)
    }
}

fn unless_upstream(error: Error) -> Result<()> {
    if error.code() == Some(Code::Upstream) { Ok(()) } else { Err(error) }
}

/// Delivers the ends of tasks to the partitions in which others wait for them. Any number of processes may run one.
#[derive(Debug)]
pub struct Deliverer {
    partitions: Partitions,
    own: Vec<PartitionName>,
    stopped: AtomicBool,
    /// The last period in which it has begun to compare.
    compared: AtomicU64,
    workers: Mutex<BTreeMap<PartitionName, Worker>>,
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
        }
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
                        let ran = self.worker(name).and_then(|worker| worker.run());
                        if ran.is_err() {
                            thread::sleep(PAUSE);
                        }
                    }
                });
            }
            while !self.stopped.load(Ordering::Acquire) {
                self.begin_to_compare();
                thread::sleep(PAUSE);
            }
        });
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
            // Refused while the last one runs. A partition that is away is compared when it is back.
            let _ = self.partitions.partition(name).and_then(submit);
        }
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
        let worker = Worker::builder(&client)
            .queue(QUEUE)?
            .has(OFFER)
            .slots(SLOTS)
            .handle_bytes(move |context| {
                let id = &context.reservation().id;
                if id.as_str() == COMPARE {
                    partitions.compare(&from, context)?;
                } else if let Some(carrier) = Carrier::of(id) {
                    let upstream = GlobalId::new(from.clone(), carrier.task.clone());
                    carry(&partitions, &own, &carrier, &upstream, context)?;
                } else {
                    return received(&context.reservation().parameters);
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

/// Ends a placeholder as what was delivered says.
fn received(delivery: &[u8]) -> Result<Vec<u8>, HandlerError> {
    match serde_json::from_slice(delivery) {
        Ok(Delivery::Complete(result)) => Ok(result.get().as_bytes().to_vec()),
        Ok(Delivery::Failed(why)) => Err(Failure::new(why).group("upstream").permanent().into()),
        // Somebody else made it due.
        Err(_) => Err(Failure::new("nothing has been delivered yet").again_in(Duration::from_secs(31_536_000)).into()),
    }
}

/// Gives a placeholder what a carrier has.
fn carry(
    partitions: &Partitions,
    own: &Client,
    carrier: &Carrier,
    upstream: &GlobalId,
    context: &Context,
) -> Result<(), HandlerError> {
    let delivery = if carrier.has_result {
        let [result] = serde_json::from_slice::<[&RawValue; 1]>(&context.reservation().parameters)?;
        Delivery::Complete(result)
    } else {
        let info = match own.task(upstream.task().as_str())?.info() {
            Err(Error::NotFound) => None,
            info => Some(info?),
        };
        Delivery::Failed(reason(upstream, info.as_ref()))
    };
    match partitions.hand_over(&carrier.to, upstream, &delivery) {
        Ok(()) => Ok(()),
        Err(Error::NotFound) => {
            Err(Failure::new(format!("{} has no placeholder {upstream}", carrier.to)).permanent().into())
        }
        Err(error) if error.code() == Some(Code::TooBig) => Err(Failure::new(error.to_string()).permanent().into()),
        Err(error) => Err(away(&carrier.to, &error)),
    }
}

fn away(to: &PartitionName, error: &Error) -> HandlerError {
    Failure::new(format!("the partition {to}: {error}")).group(format!("partition-{to}")).into()
}

/// Why there is no result.
fn reason(upstream: &GlobalId, info: Option<&TaskInfo>) -> String {
    let why = match info.map(|info| (info.status(), info)) {
        None => "was removed".to_owned(),
        Some((Some(Status::Failed), info)) => format!("failed: {}", info.error().unwrap_or_default()),
        Some((Some(Status::Cancelled), _)) => "was cancelled".to_owned(),
        Some(_) => "has a result that was not delivered: it must be JSON, of 8 MiB at most".to_owned(),
    };
    format!("{upstream} {why}")
}
