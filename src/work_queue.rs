//! A queue used like one of redis-work-queue: items are added, leased, completed and cleaned, without a worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::calls::{CompleteOptions, NewTask, RetainOptions, TaskOptions};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::listener::Listener;
use crate::model::{Outcome, Status, Submitted};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::queue::Queue;

/// The cap of losses that no task reaches.
const UNLIMITED: u32 = 1_000_000_000;

/// How often an item is added anew while others add and complete it at the same time.
const TRIES: u32 = 10;

/// The limit of the call that unregisters, where a value is dropped.
const BRIEFLY: Duration = Duration::from_secs(1);

/// What stands before the two digits of a byte that a name cannot have.
const ESCAPE: char = '@';

/// An item of a [`WorkQueue`]: an id and opaque bytes.
#[derive(Clone, Debug)]
pub struct WorkItem {
    id: String,
    data: Vec<u8>,
    lease: Option<Lease>,
}

/// The attempt of an item that was leased. Clones share `ended`.
#[derive(Clone, Debug)]
struct Lease {
    task: TaskId,
    token: Token,
    ended: Arc<AtomicBool>,
}

impl WorkItem {
    /// An item with a random id (UUID, version 4).
    pub fn new(data: impl Into<Vec<u8>>) -> Self {
        Self::with_id(TaskId::random().as_str(), data)
    }

    /// An item with an id of the caller's choice.
    pub fn with_id(id: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self { id: id.into(), data: data.into(), lease: None }
    }

    /// An item with a random id, and JSON as its data.
    ///
    /// # Errors
    /// `PAYLOAD` if the data cannot be JSON.
    pub fn from_json<T: Serialize + ?Sized>(data: &T) -> Result<Self> {
        Ok(Self::new(serde_json::to_vec(data)?))
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its data.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Its data, parsed as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if it has another type.
    pub fn data_json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(&self.data)?)
    }
}

impl WorkItem {
    /// The name of a task or queue for any text, by a rule that [`WorkItem::decode`] reverses: `A-Z a-z 0-9 . _ : -` stand
    /// for themselves, any other byte of its UTF-8 is `@` with two hexadecimal digits in upper case, and `@` alone is the
    /// empty text. So `a/b` is `a@2Fb`. A name has at most 128 characters.
    #[must_use]
    pub fn encode(text: &str) -> String {
        if text.is_empty() {
            return ESCAPE.to_string();
        }
        let mut name = String::with_capacity(text.len());
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() || b"._:-".contains(&byte) {
                name.push(char::from(byte));
            } else {
                name.push_str(&format!("{ESCAPE}{byte:02X}"));
            }
        }
        name
    }

    /// The text that [`WorkItem::encode`] made this name of. Any other name stands for itself.
    #[must_use]
    pub fn decode(name: &str) -> String {
        let text = if name == "@" { Some(String::new()) } else { unescaped(name) };
        text.filter(|text| Self::encode(text) == name).unwrap_or_else(|| name.to_owned())
    }
}

fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split(ESCAPE);
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

impl<L: Link> Client<L> {
    /// A queue used like one of redis-work-queue. Makes no call. The name may be any text: see [`WorkItem::encode`].
    ///
    /// # Errors
    /// `BADNAME` if the name is too long.
    pub fn work_queue(&self, name: &str) -> Result<WorkQueue<L>> {
        let queue = Queue::new(self.clone(), QueueName::new(WorkItem::encode(name))?);
        let session = uuid::Uuid::new_v4();
        let id = ListenerId::of_process(&format!("work-queue.{session}"), std::process::id());
        let options = TaskOptions::default().max_losses(UNLIMITED);
        Ok(WorkQueue { queue, id, listener: None, options, keeps_records: false })
    }
}

/// A queue used like one of redis-work-queue: items are added, leased, completed and cleaned, without a worker.
///
/// ```no_run
/// # fn main() -> blueque::Result<()> {
/// use std::time::{Duration, Instant};
/// use blueque::{Client, WorkItem};
///
/// let client = Client::open("redis://127.0.0.1/")?;
/// let mut films = client.work_queue("films")?;
/// films.add_item(&WorkItem::with_id("movie-17", "movie-17.mkv"))?;
///
/// while let Some(item) = films.lease(Some(Duration::from_secs(1)), Duration::from_secs(600))? {
///     // … work on item.data() …
///     films.complete(&item)?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// Items are tasks: other clients may submit, watch and run them. It registers as a listener with its first lease, with a
/// name of its own that belongs to no host, so that only the end of a lease frees what it has leased. When it is dropped
/// it is unregistered unless it still leases something; then, and if its process dies, [upkeep](crate::Upkeep) forgets it.
#[derive(Debug)]
pub struct WorkQueue<L: Link = Blocking> {
    queue: Queue<L>,
    id: ListenerId,
    listener: Option<Listener<L>>,
    options: TaskOptions,
    keeps_records: bool,
}

impl<L: Link> WorkQueue<L> {
    /// The options of items that it adds, in place of the only default: no limit of losses. With `max_losses`,
    /// `max_failures` and `max_releases` of 0 an item runs at most once.
    #[must_use]
    pub fn options(mut self, options: TaskOptions) -> Self {
        self.options = options;
        self
    }

    /// Whether the records of completed items are kept, as long as the queue's settings say: by default not.
    #[must_use]
    pub fn keep_records(mut self, keep: bool) -> Self {
        self.keeps_records = keep;
        self
    }

    /// The queue whose tasks its items are.
    #[must_use]
    pub fn queue(&self) -> &Queue<L> {
        &self.queue
    }

    /// Adds an item. True if it was added: one with this id that has ended, and whose record was kept, is made anew. False
    /// if there is an unfinished one: then nothing changes.
    ///
    /// # Errors
    /// `BADNAME` if the id is too long, `TOOBIG` for the data, `OTHERQUEUE` if the id is an item of another queue; those of
    /// [`Client::call`].
    pub fn add_item(&self, item: &WorkItem) -> L::Answer<'_, Result<bool>> {
        let made = TaskId::new(WorkItem::encode(&item.id)).map(|id| (id, item.data.clone()));
        L::answer(async move {
            let (id, data) = made?;
            self.add(&id, &data).await
        })
    }

    async fn add(&self, id: &TaskId, data: &[u8]) -> Result<bool> {
        let client = self.queue.client();
        let options = client.sized(&self.options);
        for _ in 0..TRIES {
            let submit = client.calls().submit(self.queue.name(), &[NewTask::new(id, data)], &options);
            match client.run(&submit.answered_once()).await?.first() {
                Some(Submitted::Existing) => {}
                Some(Submitted::Taken(_)) => return Ok(false),
                _ => return Ok(true),
            }
            let Some(info) = client.run(&client.calls().get(id)).await? else {
                continue;
            };
            if !info.status().is_some_and(Status::is_finished) {
                return Ok(false);
            }
            match client.run(&client.calls().delete(id)).await {
                // Another client was faster.
                Ok(()) | Err(Error::NotFound | Error::State { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // Each time it was completed, another client added it first.
        Ok(false)
    }

    /// Leases the next item for this long (1 s to 7 days), and waits for one: without a limit, or at most for `timeout`;
    /// zero does not wait. If the item is not completed in time, it is given out again by whoever cleans next.
    ///
    /// # Errors
    /// `BADARG` for another length of the lease; those of [`Client::call`].
    pub fn lease(&mut self, timeout: Option<Duration>, lease: Duration) -> L::Answer<'_, Result<Option<WorkItem>>> {
        L::answer(async move {
            if self.listener.is_none() {
                let client = self.queue.client().clone();
                let queue = vec![self.queue.name().as_str().parse()?];
                self.listener = Some(Listener::register(client, self.id.clone(), queue).await?);
            }
            let Some(listener) = self.listener.as_mut() else {
                return Ok(None);
            };
            listener.set_lease(lease);
            let next = listener.next_within(timeout.unwrap_or(Duration::MAX)).await?;
            Ok(next.map(|processor| {
                let reservation = processor.reservation();
                let (task, token) = (reservation.id.clone(), reservation.token);
                let lease = Lease { task, token, ended: Arc::default() };
                let id = WorkItem::decode(reservation.id.as_str());
                WorkItem { id, data: reservation.parameters.clone(), lease: Some(lease) }
            }))
        })
    }

    /// Completes an item. True once for each item that was added: for the call of the one that leases it now. False if its
    /// lease has ended and it was given out again, and for an item that was not leased.
    ///
    /// # Errors
    /// Those of [`Client::call`]: then it may have been completed, and the call can be repeated.
    pub fn complete(&self, item: &WorkItem) -> L::Answer<'_, Result<bool>> {
        let lease = item.lease.clone();
        L::answer(async move {
            let Some(Lease { task, token, ended }) = lease else {
                return Ok(false);
            };
            if ended.swap(true, Ordering::AcqRel) {
                return Ok(false);
            }
            let client = self.queue.client();
            match client.run(&client.calls().complete(&task, token, b"null", &CompleteOptions::new())).await {
                Ok(Outcome::Complete) => {}
                Ok(_) | Err(Error::Lost | Error::NotFound) => return Ok(false),
                Err(error) => {
                    ended.store(false, Ordering::Release);
                    return Err(error);
                }
            }
            if !self.keeps_records {
                // It is complete: what is left after a failure, retention deletes.
                let _ = client.run(&client.calls().delete(&task)).await;
            }
            Ok(true)
        })
    }

    /// The number of items that wait to be leased.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn queue_len(&self) -> L::Answer<'_, Result<u64>> {
        let client = self.queue.client();
        L::answer(async move { Ok(client.run(&client.calls().counts(self.queue.name())).await?.pending) })
    }

    /// The number of items that are leased, with those whose lease has ended and that no clean has given back.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn processing(&self) -> L::Answer<'_, Result<u64>> {
        let client = self.queue.client();
        L::answer(async move {
            let counts = client.run(&client.calls().counts(self.queue.name())).await?;
            Ok(counts.reserved + counts.started)
        })
    }

    /// Gives back the items whose leases have ended, and returns their number. After a pause in which nobody used the
    /// namespace, and after a restart of the server, those that lease them first get the time of a lease to report.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn light_clean(&self) -> L::Answer<'_, Result<u64>> {
        L::answer(self.give_back())
    }

    async fn give_back(&self) -> Result<u64> {
        let mut given_back = 0;
        loop {
            let orphans = self.queue.client().run(&self.queue.requeues()).await?;
            given_back += orphans.requeued;
            if !orphans.more {
                return Ok(given_back);
            }
        }
    }

    /// A light clean; then it repairs what clients without the scripts left, and deletes records as the queue's settings
    /// say. Returns the number of items given back, repairs and deleted records.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn deep_clean(&self) -> L::Answer<'_, Result<u64>> {
        L::answer(async move {
            let (mended, _) = self.queue.mend_all(None).await?;
            let mut done = self.give_back().await? + mended;
            loop {
                let retained = self.queue.client().run(&self.queue.retains(&RetainOptions::new())).await?;
                done += retained.deleted;
                if !retained.more {
                    return Ok(done);
                }
            }
        })
    }
}

impl<L: Link> Drop for WorkQueue<L> {
    /// Unregisters, unless something is leased.
    fn drop(&mut self) {
        if self.listener.is_some() {
            let Some(end) = Instant::now().checked_add(BRIEFLY) else { return };
            let client = self.queue.client().until(end);
            let call = client.calls().unregister(self.queue.name(), &self.id);
            L::briefly(async move {
                let _ = client.run(&call).await;
            });
        }
    }
}
