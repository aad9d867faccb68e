//! A queue with the interface of redis-work-queue: items are added, leased, completed and cleaned, without a worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::calls::{CompleteOptions, NewTask, PruneOptions, TaskOptions};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::listener::Listener;
use crate::model::{Outcome, Status, Submitted};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::queue::Queue;

/// Maximum number of losses, so large that no task reaches it.
const UNLIMITED: u32 = 1_000_000_000;

/// Maximum number of tries to add an item while other clients add and complete it at the same time.
const TRIES: u32 = 10;

/// Time limit of the call that unregisters the listener when a value is dropped.
const BRIEFLY: Duration = Duration::from_secs(1);

/// Escape character before the two hexadecimal digits of a byte that a name cannot contain.
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

    /// Id of the item.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Data of the item.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Parses the data as JSON.
    ///
    /// # Errors
    /// `PAYLOAD` if the data has another type.
    pub fn data_json<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_slice(&self.data)?)
    }
}

impl WorkItem {
    /// Encodes any text as the name of a task or queue; [`WorkItem::decode`] reverses the rule. `A-Z a-z 0-9 . _ : -`
    /// stand for themselves. Any other byte of the UTF-8 text becomes `@` and two hexadecimal digits in upper case. The
    /// empty text becomes `@`. For example, `a/b` becomes `a@2Fb`. A name has at most 128 characters.
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

    /// Decodes a name that [`WorkItem::encode`] returned. Any other name is returned unchanged.
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
    /// A queue with the interface of redis-work-queue. Makes no call. The name may be any text: see
    /// [`WorkItem::encode`].
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

/// A queue with the interface of redis-work-queue: items are added, leased, completed and cleaned, without a worker.
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
/// Items are tasks: other clients may submit, watch and run them. The first lease registers the queue as a listener.
/// The listener's name belongs to no host, so a leased item is freed only when its lease ends. Dropping the queue
/// unregisters the listener unless it still leases an item. In that case, or if the process dies,
/// [maintenance](crate::Maintenance) removes the listener.
#[derive(Debug)]
pub struct WorkQueue<L: Link = Blocking> {
    queue: Queue<L>,
    id: ListenerId,
    listener: Option<Listener<L>>,
    options: TaskOptions,
    keeps_records: bool,
}

impl<L: Link> WorkQueue<L> {
    /// Sets the options of new items. They replace the default options, which only remove the limit on losses. If
    /// `max_losses`, `max_failures` and `max_releases` are 0, an item runs at most once.
    #[must_use]
    pub fn options(mut self, options: TaskOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets whether the records of completed items are kept as long as the queue's settings allow. By default they are
    /// deleted.
    #[must_use]
    pub fn keep_records(mut self, keep: bool) -> Self {
        self.keeps_records = keep;
        self
    }

    /// Queue whose tasks are the items.
    #[must_use]
    pub fn queue(&self) -> &Queue<L> {
        &self.queue
    }

    /// Adds an item. Returns true if the item was added; an ended item with the same id, whose record was kept, is
    /// replaced. Returns false and changes nothing if an unfinished item has this id.
    ///
    /// # Errors
    /// `BADNAME` if the id is too long, `TOOBIG` for the data, `OTHERQUEUE` if the id is an item of another queue; the
    /// errors of [`Client::call`].
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
        // Each time that the item was completed, another client added it before this client.
        Ok(false)
    }

    /// Leases the next item for the time `lease` (1 s to 7 days). Waits for an item for at most `timeout`: without a
    /// limit if `None`, not at all if zero. If the item is not completed in time, the next clean gives it out again.
    ///
    /// # Errors
    /// `BADARG` for a lease out of bounds; the errors of [`Client::call`].
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

    /// Completes an item. Returns true once for each item that was added, to the caller that leases the item now.
    /// Returns false if the lease has ended and the item was given out again, and for an item that was not leased.
    ///
    /// # Errors
    /// The errors of [`Client::call`]. After an error the item may have been completed; the call can be repeated.
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
                // The item is complete. If the delete fails, retention deletes the record later.
                let _ = client.run(&client.calls().delete(&task)).await;
            }
            Ok(true)
        })
    }

    /// Returns the number of items that wait to be leased.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn queue_len(&self) -> L::Answer<'_, Result<u64>> {
        let client = self.queue.client();
        L::answer(async move { Ok(client.run(&client.calls().counts(self.queue.name())).await?.pending) })
    }

    /// Returns the number of leased items, including items whose lease has ended and that no clean has given back.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn processing(&self) -> L::Answer<'_, Result<u64>> {
        let client = self.queue.client();
        L::answer(async move {
            let counts = client.run(&client.calls().counts(self.queue.name())).await?;
            Ok(counts.reserved + counts.started)
        })
    }

    /// Gives back the items whose leases have ended, and returns their number. After a pause without any call to the
    /// namespace, and after a restart of the server, the owners first get the time of one lease to report.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
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

    /// Does a light clean, then repairs damage by clients that do not use the scripts, and deletes old records
    /// according to the queue's settings. Returns the total number of items given back, repairs and deleted records.
    ///
    /// # Errors
    /// The errors of [`Client::call`].
    pub fn deep_clean(&self) -> L::Answer<'_, Result<u64>> {
        L::answer(async move {
            let (repaired, _) = self.queue.repair_all(None).await?;
            let mut done = self.give_back().await? + repaired;
            loop {
                let pruned = self.queue.client().run(&self.queue.prunes(&PruneOptions::new())).await?;
                done += pruned.deleted;
                if !pruned.more {
                    return Ok(done);
                }
            }
        })
    }
}

impl<L: Link> Drop for WorkQueue<L> {
    /// Unregisters the listener, unless it leases an item.
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
