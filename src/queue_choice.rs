//! Selects the queues that a listener with patterns asks: matching queues that have tasks, according to the server.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::calls::ReadyOptions;
use crate::client::Client;
use crate::constants::{EMPTY_PAGES, QUEUES_FRESH, QUEUES_OF_WORKER};
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::{QueueOrder, Ready};
use crate::names::{ListenerId, Pattern, QueueName};

/// Queues that are selected now.
#[derive(Debug, Default)]
struct Chosen {
    queues: Vec<QueueName>,
    /// Pattern that selected each queue, counted from 1.
    patterns: Vec<u64>,
    /// The list on which the listener waits.
    list: Option<String>,
    /// Time when the server was asked.
    at: Option<Instant>,
    /// Cursor where this search began.
    start: String,
    /// Cursor of the next page of this search; `None` after the last page.
    next: Option<String>,
    /// True after the search has passed the last queue and continued from the first queue.
    wrapped: bool,
    /// Queues with which the listener has been registered.
    known: BTreeSet<QueueName>,
}

/// The queues that a listener selects, shared by all calls of the listener.
#[derive(Debug)]
pub(crate) struct Choice<L: Link> {
    client: Client<L>,
    listener: ListenerId,
    patterns: Vec<Pattern>,
    order: QueueOrder,
    has: Option<String>,
    chosen: Mutex<Chosen>,
}

impl<L: Link> Choice<L> {
    pub(crate) fn new(client: Client<L>, listener: ListenerId, patterns: Vec<Pattern>) -> Result<Self> {
        if patterns.iter().all(Pattern::is_exclusion) {
            return Err(Error::argument("these patterns only leave queues out: add one for those to take, such as *"));
        }
        let (order, has, chosen) = (QueueOrder::Strict, None, Mutex::default());
        Ok(Self { client, listener, patterns, order, has, chosen })
    }

    /// Returns the same selection with this order, for a listener with the capabilities `has`.
    pub(crate) fn with(&self, order: QueueOrder, has: Option<String>) -> Self {
        let (client, listener, patterns) = (self.client.clone(), self.listener.clone(), self.patterns.clone());
        let chosen = Mutex::new(Chosen { known: self.lock().known.clone(), ..Chosen::default() });
        Self { client, listener, patterns, order, has, chosen }
    }

    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    fn lock(&self) -> MutexGuard<'_, Chosen> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the queues to ask now, and their order.
    pub(crate) fn now(&self) -> (Vec<QueueName>, QueueOrder) {
        let chosen = self.lock();
        let order = match &self.order {
            QueueOrder::Weighted(weights) => {
                let wanted = self.patterns.iter().zip(weights).filter(|(pattern, _)| !pattern.is_exclusion());
                let weights: Vec<u32> = wanted.map(|(_, &weight)| weight).collect();
                let of = |&nth: &u64| usize::try_from(nth).ok().and_then(|nth| weights.get(nth.checked_sub(1)?));
                QueueOrder::Weighted(chosen.patterns.iter().map(|nth| of(nth).copied().unwrap_or(1)).collect())
            }
            order => order.clone(),
        };
        (chosen.queues.clone(), order)
    }

    /// Returns the list on which to wait for a task of any selected queue, if there is such a list.
    pub(crate) fn list(&self) -> Option<String> {
        self.lock().list.clone()
    }

    /// Returns the queues with which the listener has been registered.
    pub(crate) fn known(&self) -> Vec<QueueName> {
        self.lock().known.iter().cloned().collect()
    }

    /// Asks the server again when its last reply is too old or selected no queue. Returns true if the server was asked.
    pub(crate) async fn look(&self, woken: bool) -> Result<bool> {
        let fresh = {
            let chosen = self.lock();
            !woken && !chosen.queues.is_empty() && chosen.at.is_some_and(|at| at.elapsed() < QUEUES_FRESH)
        };
        if !fresh {
            self.begin(woken).await?;
        }
        Ok(!fresh)
    }

    /// Begins a search of all queues. If queues take turns, the search continues where the last one ended, because
    /// there may be more queues than one call asks.
    pub(crate) async fn begin(&self, woken: bool) -> Result<()> {
        let start = match &self.order {
            QueueOrder::Strict => "0".to_owned(),
            _ => self.lock().next.clone().unwrap_or_else(|| "0".to_owned()),
        };
        {
            let mut chosen = self.lock();
            (chosen.start, chosen.wrapped) = (start.clone(), false);
        }
        self.page(&start, woken).await?;
        if self.lock().queues.is_empty() {
            self.more(woken).await?;
        }
        Ok(())
    }

    /// Continues with the next queues. Returns true if there are any.
    pub(crate) async fn more(&self, woken: bool) -> Result<bool> {
        for _ in 0..EMPTY_PAGES {
            let cursor = {
                let mut chosen = self.lock();
                match chosen.next.clone() {
                    Some(next) if chosen.wrapped && place(&next) >= place(&chosen.start) => return Ok(false),
                    Some(next) => next,
                    None if chosen.wrapped || chosen.start == "0" => return Ok(false),
                    None => {
                        chosen.wrapped = true;
                        "0".to_owned()
                    }
                }
            };
            self.page(&cursor, woken).await?;
            if !self.lock().queues.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn page(&self, cursor: &str, woken: bool) -> Result<()> {
        let options = ReadyOptions::new().woken(woken);
        let options = self.has.iter().fold(options, ReadyOptions::has);
        let call = self.client.calls().ready(&self.listener, cursor, QUEUES_OF_WORKER, &self.patterns, &options);
        let Ready { next, list, queues, .. } = self.client.run(&call).await?;
        let mut chosen = self.lock();
        chosen.list = list.map(|list| self.client.calls().waiting_list(&list));
        chosen.known.extend(queues.iter().map(|queue| queue.name.clone()));
        (chosen.queues, chosen.patterns) = queues.into_iter().map(|queue| (queue.name, queue.pattern)).unzip();
        (chosen.next, chosen.at) = (next, Some(Instant::now()));
        Ok(())
    }
}

/// Position of a cursor: the number of a pattern, and a name.
fn place(cursor: &str) -> (u32, &str) {
    let (nth, name) = cursor.split_once('/').unwrap_or((cursor, ""));
    (nth.parse().unwrap_or(0), name)
}

/// Queues that a listener takes tasks from: named queues, or queues that match patterns.
#[derive(Debug)]
pub(crate) enum Queues<L: Link> {
    Named(Vec<QueueName>),
    Chosen(Arc<Choice<L>>),
}

impl<L: Link> Clone for Queues<L> {
    fn clone(&self) -> Self {
        match self {
            Self::Named(queues) => Self::Named(queues.clone()),
            Self::Chosen(choice) => Self::Chosen(Arc::clone(choice)),
        }
    }
}

impl<L: Link> Queues<L> {
    /// Returns `BADARG` for patterns that match nothing.
    pub(crate) fn new(client: &Client<L>, listener: &ListenerId, patterns: Vec<Pattern>) -> Result<Self> {
        Ok(match Pattern::queues(&patterns) {
            Some(queues) => Self::Named(queues),
            None => Self::Chosen(Arc::new(Choice::new(client.clone(), listener.clone(), patterns)?)),
        })
    }

    pub(crate) fn chosen(&self) -> Option<&Arc<Choice<L>>> {
        match self {
            Self::Named(_) => None,
            Self::Chosen(choice) => Some(choice),
        }
    }

    /// Returns the queues that are named, or have been found.
    pub(crate) fn known(&self) -> Vec<QueueName> {
        match self {
            Self::Named(queues) => queues.clone(),
            Self::Chosen(choice) => choice.known(),
        }
    }

    /// Returns the queues to ask, and their order.
    pub(crate) fn now(&self, order: &QueueOrder) -> (Vec<QueueName>, QueueOrder) {
        match self {
            Self::Named(queues) => (queues.clone(), order.clone()),
            Self::Chosen(choice) => choice.now(),
        }
    }

    /// Returns the same queues with this order, for a listener with the capabilities `has`.
    pub(crate) fn with(&self, order: &QueueOrder, has: Option<&str>) -> Self {
        match self {
            Self::Named(queues) => Self::Named(queues.clone()),
            Self::Chosen(choice) => Self::Chosen(Arc::new(choice.with(order.clone(), has.map(str::to_owned)))),
        }
    }
}
