//! An attempt, as seen by its handler.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::hooks::{self, AllHooks};
use super::local_context::Memory;
use crate::calls::CompleteOptions;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link, Way, Wires};
use crate::model::{Order, Reservation, TaskInfo};
use crate::names::QueueName;
use crate::processor::Processor;

const ORDERS: [Order; 6] = [Order::Continue, Order::Stop, Order::Drain, Order::Cancel, Order::Kill, Order::Lost];

/// An order that stopped a handler: the error of [`Context::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped(pub Order);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Order::Kill => f.write_str("stopped at once: the task was cancelled by force"),
            Order::Lost => f.write_str("stopped: the attempt no longer holds the task"),
            order => write!(f, "stopped by the order to {order}"),
        }
    }
}

impl std::error::Error for Stopped {}

/// A running attempt: its processor, the latest order, and how long the lease is certainly valid.
pub struct Context<L: Link = Blocking> {
    processor: Processor<L>,
    order: AtomicU8,
    /// True after an order to kill. The flag is separate because the order becomes [`Order::Lost`] when the lease has
    /// expired.
    killed: AtomicBool,
    renewed: Mutex<Instant>,
    /// Options that the handler has set for the next step.
    next: Mutex<CompleteOptions>,
    hooks: AllHooks<L>,
    /// Takes the place of the server, for a handler that no worker has called.
    pub(super) memory: Option<Memory>,
    /// Record of the task, once it was read.
    info: OnceLock<TaskInfo>,
    /// Span of the attempt.
    #[cfg(feature = "opentelemetry")]
    pub(crate) span: OnceLock<opentelemetry::Context>,
    /// Begin of the handler.
    #[cfg(feature = "opentelemetry")]
    pub(crate) begun: OnceLock<Instant>,
    /// Rings at each order.
    pub(super) ordered: <<L as Way>::Wires as Wires>::Bell,
}

impl<L: Link> fmt::Debug for Context<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("processor", &self.processor)
            .field("order", &self.order)
            .finish_non_exhaustive()
    }
}

impl<L: Link> Context<L> {
    pub(super) fn new(processor: Processor<L>, renewed: Instant, hooks: AllHooks<L>) -> Self {
        let (order, killed, renewed) = (AtomicU8::new(0), AtomicBool::new(false), Mutex::new(renewed));
        Self {
            processor,
            order,
            killed,
            renewed,
            next: Mutex::default(),
            hooks,
            memory: None,
            info: OnceLock::new(),
            #[cfg(feature = "opentelemetry")]
            span: OnceLock::new(),
            #[cfg(feature = "opentelemetry")]
            begun: OnceLock::new(),
            ordered: <_>::default(),
        }
    }

    /// Reads the record of the task, such as its method, tags and key: once for each attempt.
    ///
    /// # Errors
    /// `LOST` if the task was deleted; the errors of [`Client::call`](crate::Client::call).
    pub fn info(&self) -> L::Answer<'_, Result<&TaskInfo>> {
        L::answer(async move {
            if let Some(info) = self.info.get() {
                return Ok(info);
            }
            let client = self.processor.client();
            let info = client.run(&client.calls().get(self.processor.id())).await?.ok_or(Error::Lost)?;
            Ok(self.info.get_or_init(|| info))
        })
    }

    /// Keeps the record that the worker has read.
    pub(super) fn keep(&self, info: TaskInfo) {
        self.info.get_or_init(|| info);
    }

    /// Processor of the attempt.
    #[must_use]
    pub fn processor(&self) -> &Processor<L> {
        &self.processor
    }

    /// Reply of the server when it gave out the task.
    #[must_use]
    pub fn reservation(&self) -> &Reservation {
        self.processor.reservation()
    }

    /// Returns the latest order. Returns [`Order::Lost`] also if the lease was not renewed in time and may have
    /// expired, so that another worker may have the task. After [`Order::Kill`] the lease is no longer renewed.
    #[must_use]
    pub fn order(&self) -> Order {
        if self.left().is_zero() {
            self.obey(Order::Lost);
        }
        ORDERS.get(usize::from(self.order.load(Ordering::Acquire))).copied().unwrap_or(Order::Lost)
    }

    /// Returns `Ok` to continue, or the order to stop as an error. Call this method between two steps of the work,
    /// after saving a checkpoint, and pass the error on.
    ///
    /// # Errors
    /// [`Stopped`] for any order but [`Order::Continue`].
    pub fn check(&self) -> Result<(), Stopped> {
        match self.order() {
            Order::Continue => Ok(()),
            order => Err(Stopped(order)),
        }
    }

    /// Reports the progress of the work, for people: `done` of `total` in some unit.
    ///
    /// # Errors
    /// `LOST`; the errors of [`Client::call`](crate::Client::call).
    pub fn progress(&self, done: u64, total: u64, unit: &str) -> L::Answer<'_, Result<()>> {
        let progress = serde_json::json!({ "done": done, "total": total, "unit": unit });
        match &self.memory {
            None => self.processor.progress(&progress),
            Some(memory) => {
                memory.keep_progress(self.processor.id(), progress.to_string().into_bytes());
                L::answer(async { Ok(()) })
            }
        }
    }

    /// Stores a checkpoint for the next attempt, as JSON.
    ///
    /// # Errors
    /// `LOST`, `TOOBIG`, `PAYLOAD`; the errors of [`Client::call`](crate::Client::call).
    pub fn checkpoint<C: Serialize + ?Sized>(&self, checkpoint: &C) -> L::Answer<'_, Result<()>> {
        let checkpoint = serde_json::to_vec(checkpoint);
        L::answer(async move {
            if let Some(memory) = &self.memory {
                memory.keep_checkpoint(checkpoint?);
                return Ok(());
            }
            let begun = Instant::now();
            let stored = self.processor.client().run(&self.processor.saves(&checkpoint?)).await;
            hooks::call(&self.hooks, |hook| hook.on_checkpoint(self, &stored, begun.elapsed()));
            stored
        })
    }

    /// Returns the checkpoint of the previous attempt.
    ///
    /// # Errors
    /// `PAYLOAD` if the checkpoint has another type.
    pub fn last_checkpoint<C: DeserializeOwned>(&self) -> Result<Option<C>> {
        self.processor.last_checkpoint()
    }

    /// Sets the queue of the next step. When the handler has returned its result, the task continues in this queue,
    /// with the result as its parameters. This queue replaces the next of the task's [steps](crate::Submit::step).
    pub fn next(&self, queue: &QueueName) {
        self.next_with(CompleteOptions::new().next(queue.as_str()));
    }

    /// Sets the options of the next step that differ from this step: queue, parameters, time and task options. If the
    /// server refuses them, the attempt fails.
    ///
    /// ```
    /// use blueque::calls::{CompleteOptions, TaskOptions};
    ///
    /// fn fetch(film: String, cx: &blueque::Context) -> Result<String, blueque::HandlerError> {
    ///     cx.next_with(CompleteOptions::new().next("encode").task(&TaskOptions::default().limits("gpu")));
    ///     Ok(film)
    /// }
    /// ```
    pub fn next_with(&self, options: CompleteOptions) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = options;
    }

    /// Returns the options that the handler has set for its completion.
    pub(super) fn completion(&self) -> CompleteOptions {
        std::mem::take(&mut *self.next.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns true if the task was cancelled by force. The attempt can then only be given back.
    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    /// Records an order. An order never replaces a more severe order.
    pub(crate) fn obey(&self, order: Order) {
        if order == Order::Kill {
            self.killed.store(true, Ordering::Release);
        }
        let rank = ORDERS.iter().position(|&known| known == order).unwrap_or(0);
        self.order.fetch_max(u8::try_from(rank).unwrap_or(0), Ordering::AcqRel);
        self.processor.client().wires().ring(&self.ordered);
    }

    /// Returns how long the lease is certainly valid.
    pub(super) fn left(&self) -> Duration {
        self.processor.lease().saturating_sub(self.lock().elapsed())
    }

    /// Records a heartbeat that was sent at `sent` and acknowledged.
    pub(crate) fn renew(&self, sent: Instant) {
        *self.lock() = sent;
    }

    /// Locks the time when the last acknowledged renewal was sent. The lease counts at least from that time.
    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
