//! A listener: a process that takes tasks from queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::calls::{AdoptOptions, Call, RegisterOptions, ReserveOptions};
use crate::choice::Queues;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Code, Error, Result};
use crate::link::{Blocking, Link, Way, Wires, wakes};
use crate::model::{Held, Order, QueueOrder, Reservation};
use crate::names::{ListenerId, Pattern, QueueName, TaskId};
use crate::processor::Processor;

/// The limit of a call that wakes another listener, even where a value is dropped.
const BRIEFLY: Duration = Duration::from_secs(1);

/// How long a listener that leaves all its queues alone waits at a time.
const NOTHING: Duration = Duration::from_millis(100);

/// The pause of a listener that nothing wakes: too many different patterns are waited for.
const ASK: Duration = Duration::from_millis(500);

/// Ends a wait from elsewhere.
type Bell<L> = <<L as Way>::Wires as Wires>::Bell;

impl<L: Link> Client<L> {
    /// A listener of this process on some queues, in the order in which they are asked. Problems of some of them,
    /// such as a key of a wrong type, are reported by [`Listener::listen`]; [`Listener::skip`] can leave such
    /// queues out.
    ///
    /// Queues may be named by patterns ([`Pattern`]): with `["video-*", "!video-test"]` it takes tasks of all queues
    /// that match, also of those that come later, and is registered with each when that has tasks.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name, `BADARG` for patterns that match nothing; those of [`Client::call`].
    pub fn listener(&self, queues: &[&str]) -> L::Answer<'_, Result<Listener<L>>> {
        self.listener_as(ListenerId::of_this_process(), queues)
    }

    /// A listener with an id of the caller's choice. No other may use it at the same time.
    ///
    /// # Errors
    /// As [`Client::listener`].
    pub fn listener_as(&self, id: ListenerId, queues: &[&str]) -> L::Answer<'_, Result<Listener<L>>> {
        let queues = queues.iter().map(|&name| Pattern::new(name)).collect::<Result<_>>();
        L::answer(async { Listener::register(self.clone(), id, queues?).await })
    }
}

/// Ends the waits of a listener from elsewhere, for instance after a signal.
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

    /// From now on [`Listener::listen`] does not wait, and takes nothing. May take half a second where it blocks.
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
/// Its futures can be dropped at any time: the next call finds what an unfinished one may have taken, and dropping the
/// listener gives it back.
#[derive(Debug)]
pub struct Listener<L: Link = Blocking> {
    interrupter: Interrupter<L>,
    client: Client<L>,
    id: ListenerId,
    queues: Queues<L>,
    /// What the last call asked, in which order.
    asked: (Vec<QueueName>, QueueOrder),
    lease: Option<Duration>,
    order: QueueOrder,
    has: Option<String>,
    next: String,
    /// The list from which a wake-up was taken, if nobody has looked for its task yet.
    woken: Option<String>,
    /// Queues that are left alone for now.
    skipped: Vec<QueueName>,
    /// Whether the reply of the last call was lost: it may have reserved a task of any queue.
    unheard: bool,
    /// How many tasks that call asks for, and the process for which they are started at once.
    asking: (u32, Option<u32>),
}

impl<L: Link> Listener<L> {
    /// A waiting listener looks into its queues this often even if nobody wakes it: the listener that was woken may
    /// have died before it took the task.
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

    /// Registers. A problem of one queue, such as a key of a wrong type, does not affect the others.
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

    /// The same for the reservations that follow.
    pub(crate) fn set_lease(&mut self, lease: Duration) {
        self.lease = Some(lease);
    }

    /// The order in which its queues are asked: as named, by default.
    #[must_use]
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.order = order;
        self.queues = self.queues.with(&self.order, self.has.as_deref());
        self
    }

    /// What it offers to tasks with needs: `gpu,transcoder=3`.
    ///
    /// # Errors
    /// `BADARG` for an invalid form; those of [`Client::call`].
    pub fn has(self, has: impl Into<String>) -> L::Answer<'static, Result<Self>> {
        L::answer(self.offering(has.into()))
    }

    pub(crate) async fn offering(mut self, has: String) -> Result<Self> {
        self.has = Some(has);
        self.queues = self.queues.with(&self.order, self.has.as_deref());
        self.announce().await?;
        Ok(self)
    }

    /// Leaves some of its queues alone until the next call of this method: it takes no tasks from them, and stays
    /// registered.
    pub fn skip(&mut self, queues: Vec<QueueName>) {
        self.skipped = queues;
    }

    /// The queues to ask now, and in which order: those of the last call until its reply has been heard.
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

    /// Which queues it takes tasks from.
    pub(crate) fn serves(&self) -> &Queues<L> {
        &self.queues
    }

    /// The queues with which it is registered: those that are named, or that it has found so far by its patterns.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueName> {
        self.queues.known()
    }

    /// A handle that ends its waits from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter<L> {
        self.interrupter.clone()
    }

    /// Waits for a task, at most for `limit`, or until its [`Interrupter`] is used.
    ///
    /// # Errors
    /// Those of [`Client::call`]. After one, the next call first finds what this one may have reserved.
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

    /// Takes the next task if there is one, without waiting.
    ///
    /// # Errors
    /// As [`Listener::listen`].
    pub fn try_listen(&mut self) -> L::Answer<'_, Result<Option<Processor<L>>>> {
        L::answer(async { Ok(self.take_up_to(1).await?.pop()) })
    }

    /// Takes up to `limit` tasks (1 to 100) in one call, as if one after another, without waiting. All their leases
    /// count from this call.
    ///
    /// # Errors
    /// `BADARG` for another limit; as [`Listener::listen`].
    pub fn try_listen_many(&mut self, limit: u32) -> L::Answer<'_, Result<Vec<Processor<L>>>> {
        L::answer(self.take_up_to(limit))
    }

    /// Waits until there may be a task to take, at most for `limit` and [`Listener::LOOK`], or until its
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

    /// One wait for tasks that the bell ends.
    pub(crate) async fn wait_for_tasks(&mut self, bell: &Bell<L>, stopped: &(dyn Fn() -> bool + Sync)) {
        self.wait_unless(bell, stopped, Self::LOOK).await;
    }

    /// Wakes another listener instead of this one, which does not look for the task.
    pub(crate) async fn pass_on(&mut self) {
        if let Some(list) = &self.woken {
            // After a failure the others look by themselves.
            let _ = self.client.wires().send(&wakes(list), BRIEFLY).await;
            self.woken = None;
        }
    }

    /// Whether the reply to the last call was lost: it may have taken tasks, so the next one has to ask for as many.
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

    /// The call that takes tasks. It can be repeated until its reply has been heard.
    fn reserves(&self) -> Call<Vec<Reservation>> {
        let ((queues, order), (limit, pid)) = (&self.asked, self.asking);
        let options = ReserveOptions::new().request(&self.next).woken(self.woken.is_some()).order(order);
        let options = self.lease.into_iter().fold(options, ReserveOptions::lease);
        let options = pid.into_iter().fold(options, ReserveOptions::pid);
        let options = if limit > 1 { options.limit(limit) } else { options };
        self.client.calls().reserve(&self.id, queues, &options)
    }

    /// Up to `limit` tasks. Gives back what is beyond, which an earlier call for more took whose reply was lost.
    async fn take_up_to(&mut self, limit: u32) -> Result<Vec<Processor<L>>> {
        let mut taken = self.take(limit, None).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(taken.len());
        for (processor, _) in taken.split_off(limit) {
            let _ = processor.give_back().await; // after a failure the lease expires
        }
        Ok(taken.into_iter().map(|(processor, _)| processor).collect())
    }

    /// Up to `limit` tasks; with `pid` they are started at once.
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

    /// The same, of the queues that are named or chosen.
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
        // This process was taken for dead, or the server lost its data.
        if matches!(reserved, Err(Error::State { code: Code::NoListener, .. })) {
            self.announce().await?;
            if self.queues.chosen().is_some() {
                self.asked = self.queues.now(&self.order);
            }
            reserved = if self.asked.0.is_empty() { Ok(Vec::new()) } else { self.client.run(&self.reserves()).await };
        }
        // What is refused has taken nothing.
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

    /// The tasks that the listener holds in a queue, including those whose reply was lost.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn held(&self, queue: &QueueName) -> L::Answer<'_, Result<Vec<Held>>> {
        self.client.make(self.client.calls().held(queue, &self.id))
    }

    /// Takes over a task from a listener whose process is dead, which the caller has made sure of. None if the task
    /// has ended instead: it was cancelled, or lost too often.
    ///
    /// # Errors
    /// `STATE` if that listener does not hold it; those of [`Client::call`].
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

    /// Unregisters, after giving back what an unfinished call may have taken.
    ///
    /// # Errors
    /// `HELD` while it holds a task; those of [`Client::call`].
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
    /// Passes on a wake-up, and gives back what an unfinished call may have taken, unless that would block.
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
                // After a failure the lease expires.
                for reservation in client.run(&call).await.ok().into_iter().flatten() {
                    let _ = Processor::new(client.clone(), id.clone(), reservation).give_back().await;
                }
            });
        }
    }
}

/// A task that was taken, and the time from which its lease certainly counts. If the call is `repeated`, the lease may
/// count from an earlier call: it is renewed before anybody relies on it.
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
