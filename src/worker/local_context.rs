//! The context of a handler that is called directly, without a worker and a server.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::de::DeserializeOwned;

use super::context::Context;
use super::hooks::AllHooks;
use crate::client::Client;
use crate::error::Result;
use crate::link::{Blocking, Link};
use crate::model::{Order, Reservation, TaskInfo};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::processor::Processor;
use crate::progress::Progress;

/// Lease of an attempt that nobody else can take.
const LEASE: Duration = Duration::from_secs(365 * 86_400);

/// A context for direct calls of a handler: in a test, or in a program of your own. Progress is printed to stderr, and
/// checkpoints stay in memory. Calls of the server return an error.
///
/// ```
/// use blueque::{Context, HandlerError, LocalContext};
///
/// fn transcode(film: String, cx: &Context) -> Result<u32, HandlerError> {
///     let done = cx.last_checkpoint::<u32>()?.unwrap_or(0);
///     cx.progress(u64::from(done + 1), 3, "parts")?;
///     cx.checkpoint(&(done + 1))?;
///     if film.is_empty() { Err("no film".into()) } else { Ok(done + 1) }
/// }
///
/// # fn main() -> blueque::Result<()> {
/// let cx = LocalContext::new("films")?;
/// assert!(transcode(String::new(), &cx).is_err());
/// assert_eq!(cx.saved()?, Some(1));
/// assert_eq!(transcode("movie-17".to_owned(), &cx.next_attempt()).ok(), Some(2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalContext<L: Link = Blocking>(Arc<Context<L>>);

/// What a handler has reported to its local context, as JSON.
#[derive(Default)]
pub(super) struct Memory {
    checkpoint: Mutex<Option<Vec<u8>>>,
    progress: Mutex<Option<Vec<u8>>>,
}

impl Memory {
    pub(super) fn keep_checkpoint(&self, checkpoint: Vec<u8>) {
        *self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner) = Some(checkpoint);
    }

    pub(super) fn keep_progress(&self, task: &TaskId, progress: Vec<u8>) {
        eprintln!("{task}: {}", Progress::read(&progress).text);
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }
}

impl<L: Link> fmt::Debug for LocalContext<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalContext").field(&self.0).finish()
    }
}

impl<L: Link> Deref for LocalContext<L> {
    type Target = Context<L>;

    fn deref(&self) -> &Context<L> {
        &self.0
    }
}

impl<L: Link> LocalContext<L> {
    /// Begins the first attempt of a task of this queue.
    ///
    /// # Errors
    /// `BADNAME` for an invalid name.
    pub fn new(queue: &str) -> Result<Self> {
        let queue = QueueName::new(queue)?;
        let reservation = Reservation {
            id: TaskId::new("local")?,
            queue,
            token: Token::new(1)?,
            attempt: 1,
            deadline: SystemTime::now() + LEASE,
            lease: LEASE,
            outcome: None,
            losses: 0,
            failures: 0,
            parameters: Vec::new(),
            checkpoint: None,
        };
        Ok(Self::of(Processor::new(Client::nowhere()?, ListenerId::of_this_process(), reservation)))
    }

    fn of(processor: Processor<L>) -> Self {
        let about = processor.reservation();
        let fields = [
            ("queue", about.queue.to_string()),
            ("attempt", about.attempt.to_string()),
            ("status", "started".to_owned()),
        ];
        let fields: BTreeMap<String, Vec<u8>> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect();
        let mut context = Context::new(processor, Instant::now(), AllHooks::<L>::default());
        context.keep(TaskInfo { fields });
        context.memory = Some(Memory::default());
        Self(Arc::new(context))
    }

    /// Begins the next attempt, which continues from the last checkpoint.
    #[must_use]
    pub fn next_attempt(&self) -> Self {
        let mut next = self.0.reservation().clone();
        next.attempt += 1;
        next.checkpoint = self.kept(|memory| &memory.checkpoint).or(next.checkpoint);
        Self::of(Processor::new(self.0.processor().client().clone(), self.0.processor().attempt().listener, next))
    }

    /// Gives an order to the handler, such as [`Order::Cancel`].
    pub fn give(&self, order: Order) {
        self.0.obey(order);
    }

    /// Returns the last checkpoint of this attempt.
    ///
    /// # Errors
    /// `PAYLOAD` if the checkpoint has another type.
    pub fn saved<C: DeserializeOwned>(&self) -> Result<Option<C>> {
        self.read(|memory| &memory.checkpoint)
    }

    /// Returns the last progress of this attempt, such as `{"done": 3, "total": 10, "unit": "files"}`.
    ///
    /// # Errors
    /// `PAYLOAD` if the progress has another type.
    pub fn reported<P: DeserializeOwned>(&self) -> Result<Option<P>> {
        self.read(|memory| &memory.progress)
    }

    /// Returns the context as an asynchronous handler takes it.
    pub fn shared(&self) -> Arc<Context<L>> {
        Arc::clone(&self.0)
    }

    fn read<T: DeserializeOwned>(&self, which: impl Fn(&Memory) -> &Mutex<Option<Vec<u8>>>) -> Result<Option<T>> {
        Ok(self.kept(which).as_deref().map(serde_json::from_slice).transpose()?)
    }

    fn kept(&self, which: impl Fn(&Memory) -> &Mutex<Option<Vec<u8>>>) -> Option<Vec<u8>> {
        let memory = self.0.memory.as_ref()?;
        which(memory).lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
