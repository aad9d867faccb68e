//! A listener: a process that takes tasks from queues.

use std::mem;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::calls::{AdoptOptions, RegisterOptions, ReserveOptions};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::host;
use crate::model::{Held, Order, QueueOrder, Reservation};
use crate::names::{ListenerId, QueueName, TaskId};
use crate::processor::Processor;

/// A waiting listener polls the queue this often even if nobody wakes it: the listener that was woken may have died
/// before it took the task.
const LOOK: Duration = Duration::from_secs(30);

/// How long a listener that leaves all its queues alone waits at a time.
const NOTHING: Duration = Duration::from_millis(100);

/// Counts the listeners of this process, so that each has its own id.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// `HOSTNAME_PID`; the second and later listeners of a process are `HOSTNAME:N_PID`.
pub(crate) fn this_process() -> ListenerId {
    let host = host::name();
    match NUMBER.fetch_add(1, Ordering::Relaxed) {
        0 => ListenerId::of_process(&host, process::id()),
        number => ListenerId::of_process(&format!("{host}:{number}"), process::id()),
    }
}

/// Ends the waits of a listener from another thread, for instance after a signal.
#[derive(Clone, Debug)]
pub struct Interrupter {
    client: Client,
    /// The connection that waits, 0 for none.
    waiting: Arc<AtomicI64>,
    interrupted: Arc<AtomicBool>,
}

impl Interrupter {
    fn new(client: Client) -> Self {
        Self { client, waiting: Arc::default(), interrupted: Arc::default() }
    }

    /// From now on [`Listener::listen`] does not wait, and takes nothing. May take half a second.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
        unblock(&self.client, &self.waiting);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}

/// Ends the wait of the connection in `waiting`. It may be about to begin: the call is repeated until it has ended.
pub(crate) fn unblock(client: &Client, waiting: &AtomicI64) {
    for _ in 0..50 {
        let connection = waiting.load(Ordering::Acquire);
        if connection == 0 {
            break;
        }
        client.link().unblock(connection);
        thread::sleep(Duration::from_millis(10));
    }
}

/// A registered listener.
#[derive(Debug)]
pub struct Listener {
    interrupter: Interrupter,
    client: Client,
    id: ListenerId,
    queues: Vec<QueueName>,
    lease: Option<Duration>,
    order: QueueOrder,
    has: Option<String>,
    next: String,
    woken: bool,
    /// Queues that are left alone for now.
    skipped: Vec<QueueName>,
    /// Whether the reply of the last call was lost: it may have reserved a task of any queue.
    unheard: bool,
    /// Whether the last call was refused, perhaps because of one of the queues: those that are left alone stay so.
    refused: bool,
}

impl Listener {
    pub(crate) fn register(client: Client, id: ListenerId, queues: Vec<QueueName>) -> Result<Self> {
        let interrupter = Interrupter::new(client.clone());
        let (lease, order, has) = (None, QueueOrder::Strict, None);
        let listener = Self {
            interrupter,
            client,
            id,
            queues,
            lease,
            order,
            has,
            next: request(),
            woken: false,
            skipped: Vec::new(),
            unheard: false,
            refused: false,
        };
        listener.announce()?;
        Ok(listener)
    }

    /// Registers. A problem of one queue, such as a key of a wrong type, does not affect the others.
    fn announce(&self) -> Result<()> {
        let (mut refusal, mut registered) = (None, false);
        let options = self.has.iter().fold(RegisterOptions::new(), RegisterOptions::has);
        for queue in &self.queues {
            match self.client.call(&self.client.calls().register(queue, &self.id, &options)) {
                Ok(()) => registered = true,
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        refusal.filter(|_| !registered).map_or(Ok(()), Err)
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &ListenerId {
        &self.id
    }

    /// The lease of reservations without a heartbeat: 1 s to 7 days; by default the queue's setting, 60 s.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// The order in which its queues are asked: as named, by default.
    #[must_use]
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.order = order;
        self
    }

    /// What it offers to tasks with needs: `gpu,transcoder=3`.
    ///
    /// # Errors
    /// `BADARG` for an invalid form; those of [`Client::call`].
    pub fn has(mut self, has: impl Into<String>) -> Result<Self> {
        self.has = Some(has.into());
        self.announce()?;
        Ok(self)
    }

    /// Leaves some of its queues alone until the next call of this method: it takes no tasks from them, and stays
    /// registered.
    pub fn skip(&mut self, queues: Vec<QueueName>) {
        self.skipped = queues;
    }

    /// The queues to ask now, and in which order.
    fn asked(&self) -> (Vec<QueueName>, QueueOrder) {
        let all = self.unheard && !self.refused;
        let kept = |queue: &QueueName| all || !self.skipped.contains(queue);
        let queues = self.queues.iter().filter(|queue| kept(queue)).cloned().collect();
        let order = match &self.order {
            QueueOrder::Weighted(weights) => {
                let all = weights.iter().zip(&self.queues);
                QueueOrder::Weighted(all.filter(|(_, queue)| kept(queue)).map(|(&weight, _)| weight).collect())
            }
            order => order.clone(),
        };
        (queues, order)
    }

    /// A handle that ends its waits from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Waits for a task, at most for `limit`, or until its [`Interrupter`] is used.
    ///
    /// # Errors
    /// Those of [`Client::call`]. After one, the next call first finds what this one may have reserved.
    pub fn listen(&mut self, limit: Duration) -> Result<Option<Processor>> {
        let deadline = Deadline::after(limit);
        while !self.interrupter.is_interrupted() {
            if let Some(processor) = self.try_listen()? {
                return Ok(Some(processor));
            }
            let left = deadline.left();
            if left.is_zero() {
                break;
            }
            self.wait(left);
        }
        Ok(None)
    }

    /// Takes the next task if there is one, without waiting.
    ///
    /// # Errors
    /// As [`Listener::listen`].
    pub fn try_listen(&mut self) -> Result<Option<Processor>> {
        Ok(self.take()?.map(|(processor, _)| processor))
    }

    /// Waits until there may be a task to take, at most for `limit` and 30 s, or until its [`Interrupter`] is used.
    /// For callers of [`Listener::try_listen`].
    pub fn wait(&mut self, limit: Duration) {
        let Interrupter { waiting, interrupted, .. } = &self.interrupter;
        self.woken = self.wait_unless(waiting, || interrupted.load(Ordering::Acquire), limit);
    }

    /// One wait for a task that another thread can end: it sees the connection in `waiting`. Returns the processor
    /// and the time from which its lease certainly counts.
    pub(crate) fn listen_unless(
        &mut self,
        waiting: &AtomicI64,
        stopped: impl Fn() -> bool,
    ) -> Result<Option<(Processor, Instant)>> {
        let taken = self.take()?;
        if taken.is_none() {
            self.woken = self.wait_unless(waiting, stopped, LOOK);
        }
        Ok(taken)
    }

    fn wait_unless(&self, waiting: &AtomicI64, stopped: impl Fn() -> bool, limit: Duration) -> bool {
        let lists = self.lists();
        if lists.is_empty() {
            thread::sleep(limit.min(NOTHING));
            return false;
        }
        self.client.link().wait(&lists, limit.min(LOOK), (waiting, &stopped))
    }

    fn lists(&self) -> Vec<String> {
        self.asked().0.iter().map(|queue| self.client.calls().wake_list(queue)).collect()
    }

    fn take(&mut self) -> Result<Option<(Processor, Instant)>> {
        let woken = mem::take(&mut self.woken);
        let repeated = self.unheard;
        let mut sent = Instant::now();
        let calls = self.client.calls();
        let (queues, order) = self.asked();
        if queues.is_empty() {
            return Ok(None);
        }
        let options = ReserveOptions::new().request(&self.next).woken(woken).order(&order);
        let options = self.lease.into_iter().fold(options, ReserveOptions::lease);
        let call = calls.reserve(&self.id, &queues, &options);
        self.unheard = true;
        let reserved = match self.client.call(&call) {
            // This process was taken for dead, or the server lost its data.
            Err(Error::State { code: Code::NoListener, .. }) => self.announce().and_then(|()| self.client.call(&call)),
            answer => answer,
        };
        self.refused = reserved.as_ref().is_err_and(|error| !error.is_transient());
        let reserved = reserved?;
        let mut processor = reserved.map(|reservation| self.processor(reservation));
        // Its lease may count from an earlier call: it is renewed before anybody relies on it.
        if let Some(taken) = processor.as_ref().filter(|_| repeated) {
            sent = Instant::now();
            if taken.heartbeat()? == Order::Lost {
                processor = None;
            }
        }
        self.next = request();
        self.unheard = false;
        Ok(processor.map(|processor| (processor, sent)))
    }

    /// The tasks that the listener holds in a queue, including those whose reply was lost.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn held(&self, queue: &QueueName) -> Result<Vec<Held>> {
        self.client.call(&self.client.calls().held(queue, &self.id))
    }

    /// Takes over a task from a listener whose process is dead, which the caller has made sure of. None if the task
    /// has ended instead: it was cancelled, or lost too often.
    ///
    /// # Errors
    /// `STATE` if that listener does not hold it; those of [`Client::call`].
    pub fn adopt(&self, from: &ListenerId, queue: &QueueName, id: &TaskId) -> Result<Option<Processor>> {
        let options = self.lease.into_iter().fold(AdoptOptions::new().request(request()), AdoptOptions::lease);
        let call = self.client.calls().adopt(&self.id, from, queue, id, &options);
        Ok(self.client.call(&call)?.map(|reservation| self.processor(reservation)))
    }

    /// Unregisters.
    ///
    /// # Errors
    /// `HELD` while it holds a task; those of [`Client::call`].
    pub fn unregister(self) -> Result<()> {
        for queue in &self.queues {
            self.client.call(&self.client.calls().unregister(queue, &self.id))?;
        }
        Ok(())
    }

    fn processor(&self, reservation: Reservation) -> Processor {
        Processor::new(self.client.clone(), self.id.clone(), reservation)
    }
}

fn request() -> String {
    uuid::Uuid::new_v4().to_string()
}
