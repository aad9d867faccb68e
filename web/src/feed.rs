//! Live data: one reader for each topic of a place, whose frames go to all browsers. A topic is read only while a
//! browser listens.

pub mod log;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::failure::Failure;

/// Interval at which a topic is read. With one second, 200 readers of 15 topics cost the server 2.7 % of a core.
pub const PERIOD: Duration = Duration::from_secs(2);

/// Maximum number of topics that are read at the same time, such as different tasks.
const TOPICS: usize = 500;

/// The parts of a page that change: the id of an element, and its content.
pub type Parts = Vec<(String, Arc<str>)>;

/// What was read of a topic.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of the reading, from 1; 0 before the first reading.
    pub number: u64,
    /// When the reading began.
    pub begun: Option<Instant>,
    pub parts: Parts,
    /// The reason why the parts are old.
    pub trouble: Option<String>,
}

/// The future of a reading.
pub type Reading = Pin<Box<dyn Future<Output = Result<Parts, Failure>> + Send>>;

/// The topics that are read now, by their names.
#[derive(Debug, Default)]
pub struct Feeds(Arc<Mutex<HashMap<String, watch::Sender<Arc<Frame>>>>>);

impl Feeds {
    /// Returns the frames of a topic. Starts a reader if no browser has asked for the topic before. Returns `None` if too
    /// many topics are read already.
    pub fn follow(
        &self,
        topic: &str,
        read: impl Fn() -> Reading + Send + Sync + 'static,
    ) -> Option<watch::Receiver<Arc<Frame>>> {
        let mut topics = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = topics.get(topic) {
            return Some(known.subscribe());
        }
        if topics.len() >= TOPICS {
            return None;
        }
        let (sender, receiver) = watch::channel(Arc::new(Frame::default()));
        topics.insert(topic.to_owned(), sender.clone());
        let (all, topic) = (Arc::clone(&self.0), topic.to_owned());
        tokio::spawn(async move {
            loop {
                let begun = Instant::now();
                let read = read().await;
                let mut next = after(&sender.borrow().clone(), read);
                next.begun = Some(begun);
                sender.send_replace(Arc::new(next));
                tokio::time::sleep(PERIOD).await;
                let mut topics = all.lock().unwrap_or_else(PoisonError::into_inner);
                if sender.receiver_count() == 0 {
                    topics.remove(&topic);
                    return;
                }
            }
        });
        Some(receiver)
    }

    /// Number of topics that are read now.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The frame after a reading. Parts that have not changed keep their text, so that a browser gets only what has changed.
fn after(last: &Frame, read: Result<Parts, Failure>) -> Frame {
    let number = last.number + 1;
    match read {
        Err(failure) => Frame { number, parts: last.parts.clone(), trouble: Some(failure.text()), begun: None },
        Ok(parts) => {
            let known: HashMap<&str, &Arc<str>> = last.parts.iter().map(|(id, html)| (id.as_str(), html)).collect();
            let same = |(id, html): (String, Arc<str>)| match known.get(id.as_str()) {
                Some(old) if **old == html => (id, Arc::clone(old)),
                _ => (id, html),
            };
            Frame { number, parts: parts.into_iter().map(same).collect(), trouble: None, begun: None }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_topic_is_read_once_for_all_and_not_when_nobody_listens() {
        let (feeds, read) = (Feeds::default(), Arc::new(AtomicU64::new(0)));
        let reading = |read: &Arc<AtomicU64>| {
            let read = Arc::clone(read);
            move || -> Reading {
                let read = Arc::clone(&read);
                Box::pin(async move {
                    read.fetch_add(1, Ordering::Relaxed);
                    Ok(vec![("a".to_owned(), "text".into())])
                })
            }
        };
        let mut one = feeds.follow("topic", reading(&read)).unwrap();
        let mut other = feeds.follow("topic", reading(&read)).unwrap();
        one.changed().await.unwrap();
        other.changed().await.unwrap();
        assert_eq!((feeds.len(), read.load(Ordering::Relaxed)), (1, 1));
        let first = one.borrow_and_update().parts[0].1.clone();
        one.changed().await.unwrap();
        assert!(Arc::ptr_eq(&first, &one.borrow().parts[0].1), "a part that is the same is not sent again");
        drop((one, other));
        while feeds.len() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
