//! The logs that browsers follow: one follower for each watched task.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::failure::Failure;
use crate::read::log::Part;

/// Interval at which a log is read.
const PERIOD: Duration = Duration::from_millis(700);

/// Number of parts that are kept for browsers that are a little behind. Others read for themselves.
const KEPT: usize = 32;

/// Maximum number of logs that are followed at the same time.
const LOGS: usize = 300;

/// A part of a log, after the entry `after`.
#[derive(Debug)]
pub struct Chunk {
    pub after: String,
    pub part: Part,
}

/// The last parts of a log.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    pub chunks: VecDeque<Arc<Chunk>>,
    /// The last entry that was read; empty before the first reading.
    pub last: String,
}

/// A reading of a log after an entry.
pub type Reading = Pin<Box<dyn Future<Output = Result<Part, Failure>> + Send>>;

/// The logs that are followed now, by the names of their tasks.
#[derive(Debug, Default)]
pub struct Logs(Arc<Mutex<HashMap<String, watch::Sender<Arc<Ring>>>>>);

impl Logs {
    /// Follows a log after the entry `from`. Returns `None` if too many logs are followed already.
    pub fn follow(
        &self,
        name: &str,
        from: &str,
        read: impl Fn(String) -> Reading + Send + Sync + 'static,
    ) -> Option<watch::Receiver<Arc<Ring>>> {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = logs.get(name) {
            return Some(known.subscribe());
        }
        if logs.len() >= LOGS {
            return None;
        }
        let (sender, receiver) = watch::channel(Arc::new(Ring { last: from.to_owned(), ..Ring::default() }));
        logs.insert(name.to_owned(), sender.clone());
        let (all, name) = (Arc::clone(&self.0), name.to_owned());
        tokio::spawn(async move {
            loop {
                let last = sender.borrow().last.clone();
                if let Ok(part) = read(last.clone()).await
                    && !part.entries.is_empty()
                {
                    let mut ring = Ring::clone(&sender.borrow());
                    ring.last.clone_from(&part.last);
                    ring.chunks.push_back(Arc::new(Chunk { after: last, part }));
                    if ring.chunks.len() > KEPT {
                        ring.chunks.pop_front();
                    }
                    sender.send_replace(Arc::new(ring));
                }
                tokio::time::sleep(PERIOD).await;
                let mut logs = all.lock().unwrap_or_else(PoisonError::into_inner);
                if sender.receiver_count() == 0 {
                    logs.remove(&name);
                    return;
                }
            }
        });
        Some(receiver)
    }
}
