//! A listener: a process that takes tasks from queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::calls::{AdoptOptions, Call, RegisterOptions, ReserveOptions};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link, Way, Wires, wakes};
use crate::model::{Held, Order, QueueOrder, Reservation};
use crate::names::{ListenerId, Pattern, QueueName, TaskId};
use crate::processor::Processor;
use crate::queue_choice::Queues;

/// Time limit of a call that wakes another listener. The call may run while a listener is dropped.
const BRIEFLY: Duration = Duration::from_secs(1);

/// Length of one wait of a listener that skips all its queues.
const NOTHING: Duration = Duration::from_millis(100);

/// Pause of a listener that no wake-up reaches, because too many listeners with different patterns wait.
const ASK: Duration = Duration::from_millis(500);

/// Ends a wait from another thread or task.
type Bell<L> = <<L as Way>::Wires as Wires>::Bell;

impl<L: Link> Client<L> {
    /// Registers a listener of this process on some queues, in the order in which it asks the queues.
    /// [`Listener::listen`] reports problems of single queues, such as a key of a wrong type; [`Listener::skip`] can
    /// leave these queues out.
    ///
    /// Patterns ([`Pattern`]) may name the queues: with `["video-*", "!video-test"]` the listener takes tasks of all
    /// queues that match, including queues that are created later. It is registered with each of these queues once the
    /// queue has tasks.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name, `BADARG` for patterns that match nothing; the errors of [`Client::call`].
    pub fn listener(&self, queues: &[&str]) -> L::Answer<'_, Result<Listener<L>>> {
        self.listener_as(ListenerId::of_this_process(), queues)
    }

    /// Registers a listener with an id of the caller's choice. No other listener may use the id at the same time.
    ///
    /// # Errors
    /// Same as [`Client::listener`].
    pub fn listener_as(&self, id: ListenerId, queues: &[&str]) -> L::Answer<'_, Result<Listener<L>>> {
        let queues = queues.iter().map(|&name| Pattern::new(name)).collect::<Result<_>>();
        L::answer(async { Listener::register(self.clone(), id, queues?).await })
    }
}

/// Ends the waits of a listener from another thread or task, for example after a signal.
#[derive(Clone, Debug)]
pub struct Interrupter<L: Link = Blocking> {
    client: Client<L>,
    waiting: Arc<Bell<L>>,
    interrupted: Arc<AtomicBool>,
}

impl<L: Link> Interrupter<L> {
    fn new(client: Client<L>) -> Self {
        Self { client, waiting: Arc::default(), interrupted: Arc::default() }
    }

    /// From now on [`Listener::listen`] does not wait, and takes no task. For blocking clients this call may take half
    /// a second.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
        unblock(&self.client, &self.waiting);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}

/// Ends the wait that has this bell.
pub(crate) fn unblock<L: Link>(client: &Client<L>, bell: &Bell<L>) {
    client.wires().ring(bell);
}

/// A registered listener.
///
/// The futures of a listener can be dropped at any time. The next call finds the tasks that an unfinished call may have
/// taken, and dropping the listener gives them back.
#[derive(Debug)]
pub struct Listener<L: Link = Blocking> {
    interrupter: Interrupter<L>,
    client: Client<L>,
    id: ListenerId,
    queues: Queues<L>,
    /// Queues that the last call asked, and their order.
    asked: (Vec<QueueName>, QueueOrder),
    lease: Option<Duration>,
    order: QueueOrder,
    has: Option<String>,
    next: String,
    /// The list from which a wake-up was taken, if no call has looked for its task since then.
    woken: Option<String>,
    /// Queues that are skipped for now.
    skipped: Vec<QueueName>,
    /// True if the reply to the last call was lost: the call may have reserved a task of any queue.
    unheard: bool,
    /// Number of tasks that the last call asks for, and the process for which they are started at once.
    asking: (u32, Option<u32>),
}

impl<L: Link> Listener<L> {
    /// Interval at which a waiting listener checks its queues without a wake-up. A listener that was woken may have
    /// died before it took the task.
    pub const LOOK: Duration = Duration::from_secs(30);

    pub(crate) async fn register(client: Client<L>, id: ListenerId, patterns: Vec<Pattern>) -> Result<Self> {
        let interrupter = Interrupter::new(client.clone());
        let queues = Queues::new(&client, &id, patterns)?;
        let (lease, order, has) = (None, QueueOrder::Strict, None);
        let listener = Self {
            interrupter,
            client,
            id,
            queues,
            asked: (Vec::new(), QueueOrder::Strict),
            lease,
            order,
            has,
            next: request(),
            woken: None,
            skipped: Vec::new(),
            unheard: false,
            asking: (1, None),
        };
        listener.announce().await?;
        Ok(listener)
    }

    /// Registers the listener. A problem of one queue, such as a key of a wrong type, does not affect the other queues.
    async fn announce(&self) -> Result<()> {
        let queues = match &self.queues {
            Queues::Named(queues) => queues,
            Queues::Chosen(choice) => return choice.begin(false).await,
        };
        let (mut refusal, mut registered) = (None, false);
        let options = self.has.iter().fold(RegisterOptions::new(), RegisterOptions::has);
        for queue in queues {
            match self.client.run(&self.client.calls().register(queue, &self.id, &options)).await {
                Ok(_) => registered = true,
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        refusal.filter(|_| !registered).map_or(Ok(()), Err)
    }

    /// Id of the listener.
    #[must_use]
    pub fn id(&self) -> &ListenerId {
        &self.id
    }

    /// Sets the lease of reservations without a heartbeat: 1 s to 7 days; by default the queue's setting, 60 s.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Sets the lease of the next reservations.
    pub(crate) fn set_lease(&mut self, lease: Duration) {
        self.lease = Some(lease);
    }

    /// Sets the order in which the queues are asked: by default the order in which they are named.
    #[must_use]
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.order = order;
        self.queues = self.queues.with(&self.order, self.has.as_deref());
        self
    }

    /// Sets the capabilities that the listener offers to tasks with needs, such as `gpu,transcoder=3`.
    ///
    /// # Errors
    /// `BADARG` for an invalid form; the errors of [`Client::call`].
    pub fn has(self, has: impl Into<String>) -> L::Answer<'static, Result<Self>> {
        L::answer(self.offering(has.into()))
    }

    pub(crate) async fn offering(mut self, has: String) -> Result<Self> {
        self.offered(has).await?;
        Ok(self)
    }

    /// Changes the capabilities that the listener offers from now on, for example because its tasks use a part of them.
    ///
    /// # Errors
    /// As [`Listener::has`]. The next calls offer the new capabilities even after an error.
    pub fn offer(&mut self, has: impl Into<String>) -> L::Answer<'_, Result<()>> {
        L::answer(self.offered(has.into()))
    }

    async fn offered(&mut self, has: String) -> Result<()> {
        self.has = Some(has);
        self.queues = self.queues.with(&self.order, self.has.as_deref());
        self.announce().await
    }

    /// Skips some queues until the next call of this method: the listener takes no tasks from them, and stays
    /// registered.
    pub fn skip(&mut self, queues: Vec<QueueName>) {
        self.skipped = queues;
    }

    /// Returns the queues to ask now, and their order. While the reply to the last call is missing, these are the
    /// queues of that call.
    fn asks(&self) -> (Vec<QueueName>, QueueOrder) {
        if self.unheard {
            return self.asked.clone();
        }
        let (all, order) = self.queues.now(&self.order);
        let kept = |queue: &QueueName| !self.skipped.contains(queue);
        let order = match order {
            QueueOrder::Weighted(weights) => {
                let all = weights.iter().zip(&all);
                QueueOrder::Weighted(all.filter(|(_, queue)| kept(queue)).map(|(&weight, _)| weight).collect())
            }
            order => order,
        };
        (all.into_iter().filter(kept).collect(), order)
    }

    /// Queues that the listener takes tasks from.
    pub(crate) fn serves(&self) -> &Queues<L> {
        &self.queues
    }

    /// Queues with which the listener is registered: the named queues, or the queues that its patterns have found so
    /// far.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueName> {
        self.queues.known()
    }

    /// Returns a handle that ends the waits of this listener from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter<L> {
        self.interrupter.clone()
    }

    /// Waits for a task, for at most `limit`, or until the [`Interrupter`] is used.
    ///
    /// # Errors
    /// The errors of [`Client::call`]. After an error, the next call first finds the task that the failed call may have
    /// reserved.
    pub fn listen(&mut self, limit: Duration) -> L::Answer<'_, Result<Option<Processor<L>>>> {
        L::answer(self.next_within(limit))
    }

    pub(crate) async fn next_within(&mut self, limit: Duration) -> Result<Option<Processor<L>>> {
        let deadline = Deadline::after(limit);
        while !self.interrupter.is_interrupted() {
            if let Some(processor) = self.take_up_to(1).await?.pop() {
                return Ok(Some(processor));
            }
            let left = deadline.left();
            if left.is_zero() {
                break;
            }
            self.wait_interruptibly(left).await;
        }
        self.pass_on().await;
        Ok(None)
    }

    /// Takes the next task, if there is one, without waiting.
    ///
    /// # Errors
    /// Same as [`Listener::listen`].
    pub fn try_listen(&mut self) -> L::Answer<'_, Result<Option<Processor<L>>>> {
        L::answer(async { Ok(self.take_up_to(1).await?.pop()) })
    }

    /// Takes up to `limit` tasks (1 to 100) in one call, as if one after another, without waiting. The leases of all
    /// these tasks count from this call.
    ///
    /// # Errors
    /// `BADARG` for a limit out of bounds; the errors of [`Listener::listen`].
    pub fn try_listen_many(&mut self, limit: u32) -> L::Answer<'_, Result<Vec<Processor<L>>>> {
        L::answer(self.take_up_to(limit))
    }

    /// Waits until there may be a task to take, for at most `limit` and [`Listener::LOOK`], or until the
    /// [`Interrupter`] is used. For callers of [`Listener::try_listen`].
    pub fn wait(&mut self, limit: Duration) -> L::Answer<'_, ()> {
        L::answer(self.wait_interruptibly(limit))
    }

    async fn wait_interruptibly(&mut self, limit: Duration) {
        let Interrupter { waiting, interrupted, .. } = self.interrupter.clone();
        self.wait_unless(&waiting, &|| interrupted.load(Ordering::Acquire), limit).await;
    }

    /// Takes up to `limit` tasks, which are started at once. Returns the processors, each with the time from which its
    /// lease certainly counts.
    pub(crate) async fn take_started(&mut self, limit: u32) -> Result<Vec<(Processor<L>, Instant)>> {
        self.take(limit, Some(std::process::id())).await
    }

    /// Waits once for tasks, until the bell rings.
    pub(crate) async fn wait_for_tasks(&mut self, bell: &Bell<L>, stopped: &(dyn Fn() -> bool + Sync)) {
        self.wait_unless(bell, stopped, Self::LOOK).await;
    }

    /// Passes the wake-up on to another listener, because this listener does not look for the task.
    pub(crate) async fn pass_on(&mut self) {
        if let Some(list) = &self.woken {
            // If this fails, the other listeners find the task at their next regular check.
            let _ = self.client.wires().send(&wakes(list), BRIEFLY).await;
            self.woken = None;
        }
    }

    /// Returns true if the reply to the last call was lost. The call may have taken tasks, so the next call must ask
    /// for the same number.
    pub(crate) fn is_unheard(&self) -> bool {
        self.unheard
    }

    async fn wait_unless(&mut self, bell: &Bell<L>, stopped: &(dyn Fn() -> bool + Sync), limit: Duration) {
        let lists = self.lists();
        if lists.is_empty() {
            let pause = if self.queues.chosen().is_some() { ASK } else { NOTHING };
            L::pause(limit.min(pause)).await;
            return;
        }
        let woken = self.client.wires().wait(lists, limit.min(Self::LOOK), bell, stopped).await;
        if woken.is_some()
            && let Some(earlier) = std::mem::replace(&mut self.woken, woken)
        {
            let _ = self.client.wires().send(&wakes(&earlier), BRIEFLY).await;
        }
    }

    fn lists(&self) -> Vec<String> {
        match &self.queues {
            Queues::Named(_) => self.asks().0.iter().map(|queue| self.client.calls().wake_list(queue)).collect(),
            Queues::Chosen(choice) => choice.list().into_iter().collect(),
        }
    }

    /// Builds the call that takes tasks. The call can be repeated until its reply has arrived.
    fn reserves(&self) -> Call<Vec<Reservation>> {
        let ((queues, order), (limit, pid)) = (&self.asked, self.asking);
        let options = ReserveOptions::new().request(&self.next).woken(self.woken.is_some()).order(order);
        let options = self.lease.into_iter().fold(options, ReserveOptions::lease);
        let options = pid.into_iter().fold(options, ReserveOptions::pid);
        let options = if limit > 1 { options.limit(limit) } else { options };
        self.client.calls().reserve(&self.id, queues, &options)
    }

    /// Takes up to `limit` tasks. Gives back tasks beyond `limit`: an earlier call for more tasks, whose reply was
    /// lost, took them.
    async fn take_up_to(&mut self, limit: u32) -> Result<Vec<Processor<L>>> {
        let mut taken = self.take(limit, None).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(taken.len());
        for (processor, _) in taken.split_off(limit) {
            let _ = processor.give_back().await; // if this fails, the lease expires
        }
        Ok(taken.into_iter().map(|(processor, _)| processor).collect())
    }

    /// Takes up to `limit` tasks; with `pid` the tasks are started at once.
    async fn take(&mut self, limit: u32, pid: Option<u32>) -> Result<Vec<(Processor<L>, Instant)>> {
        let Some(choice) = self.queues.chosen().cloned().filter(|_| !self.unheard) else {
            return self.take_of_asked(limit, pid).await;
        };
        let mut begun = choice.look(self.woken.is_some()).await?;
        loop {
            let taken = self.take_of_asked(limit, pid).await?;
            if !taken.is_empty() {
                return Ok(taken);
            } else if !begun {
                choice.begin(self.woken.is_some()).await?;
                begun = true;
            } else if !choice.more(self.woken.is_some()).await? {
                self.woken = None;
                return Ok(taken);
            }
        }
    }

    /// Takes up to `limit` tasks of the queues that are named or chosen now.
    async fn take_of_asked(&mut self, limit: u32, pid: Option<u32>) -> Result<Vec<(Processor<L>, Instant)>> {
        let repeated = self.unheard;
        let sent = Instant::now();
        if !repeated {
            self.asking = (limit, pid);
            self.asked = self.asks();
        }
        if self.asked.0.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.reserves();
        self.unheard = true;
        let mut reserved = self.client.run(&call).await;
        // The server took this process for dead, or lost its data.
        if matches!(reserved, Err(Error::State { code: Code::NoListener, .. })) {
            self.announce().await?;
            if self.queues.chosen().is_some() {
                self.asked = self.queues.now(&self.order);
            }
            reserved = if self.asked.0.is_empty() { Ok(Vec::new()) } else { self.client.run(&self.reserves()).await };
        }
        // A refused call has taken no task.
        self.unheard = !reserved.as_ref().is_err_and(|error| !error.is_transient());
        let mut taken = Vec::new();
        for reservation in reserved? {
            taken.extend(sure(self.processor(reservation), sent, repeated).await?);
        }
        self.next = request();
        self.unheard = false;
        self.woken = None;
        Ok(taken)
    }

    /// Returns the tasks that the listener holds in a queue, including tasks whose reservation reply was lost.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn held(&self, queue: &QueueName) -> L::Answer<'_, Result<Vec<Held>>> {
        self.client.make(self.client.calls().list_held(queue, &self.id))
    }

    /// Takes over a task from a listener whose process is dead, which the caller must check. Returns `None` if
    /// the task has ended instead, because it was cancelled or lost too often.
    ///
    /// # Errors
    /// `STATE` if that listener does not hold the task; the errors of [`Client::call`].
    pub fn adopt(
        &self,
        from: &ListenerId,
        queue: &QueueName,
        id: &TaskId,
    ) -> L::Answer<'_, Result<Option<Processor<L>>>> {
        let options = self.lease.into_iter().fold(AdoptOptions::new().request(request()), AdoptOptions::lease);
        let call = self.client.calls().adopt(&self.id, from, queue, id, &options);
        L::answer(async move { Ok(self.client.run(&call).await?.map(|reservation| self.processor(reservation))) })
    }

    /// Gives back the tasks that an unfinished call may have taken, then unregisters the listener.
    ///
    /// # Errors
    /// `HELD` while the listener holds a task; the errors of [`Client::call`].
    pub fn unregister(self) -> L::Answer<'static, Result<()>> {
        L::answer(self.leave())
    }

    pub(crate) async fn leave(mut self) -> Result<()> {
        if self.unheard {
            for (processor, _) in self.take(1, None).await? {
                processor.give_back().await?;
            }
        }
        self.pass_on().await;
        for queue in &self.queues.known() {
            self.client.run(&self.client.calls().unregister(queue, &self.id)).await?;
        }
        Ok(())
    }

    fn processor(&self, reservation: Reservation) -> Processor<L> {
        Processor::new(self.client.clone(), self.id.clone(), reservation)
    }
}

impl<L: Link> Drop for Listener<L> {
    /// Passes on a wake-up, and gives back tasks that an unfinished call may have taken, unless that blocks.
    fn drop(&mut self) {
        if let Some(list) = self.woken.clone() {
            let client = self.client.clone();
            L::briefly(async move {
                let _ = client.wires().send(&wakes(&list), BRIEFLY).await;
            });
        }
        if self.unheard {
            let (client, id, call) = (self.client.clone(), self.id.clone(), self.reserves());
            L::afterwards(async move {
                // If this fails, the lease expires.
                for reservation in client.run(&call).await.ok().into_iter().flatten() {
                    let _ = Processor::new(client.clone(), id.clone(), reservation).give_back().await;
                }
            });
        }
    }
}

/// Returns a task that was taken, and the time from which its lease certainly counts. If the call is `repeated`, the
/// lease may count from an earlier call, so the lease is renewed first. Returns `None` if the task is lost.
pub(crate) async fn sure<L: Link>(
    taken: Processor<L>,
    sent: Instant,
    repeated: bool,
) -> Result<Option<(Processor<L>, Instant)>> {
    if !repeated {
        return Ok(Some((taken, sent)));
    }
    let sent = Instant::now();
    Ok((taken.beat().await? != Order::Lost).then_some((taken, sent)))
}

pub(crate) fn request() -> String {
    uuid::Uuid::new_v4().to_string()
}
