//! Which queues a listener asks that takes them by pattern: those that have tasks, as the server tells it.

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

/// What is chosen now.
#[derive(Debug, Default)]
struct Chosen {
    queues: Vec<QueueName>,
    /// The pattern of each, counted from 1.
    patterns: Vec<u64>,
    /// The list on which to wait.
    list: Option<String>,
    /// When the server was asked.
    at: Option<Instant>,
    /// Where this look began, where its next page begins, and whether it is past the end and goes on from the start.
    start: String,
    next: Option<String>,
    wrapped: bool,
    /// Those with which the listener has been registered.
    known: BTreeSet<QueueName>,
}

/// The choice of a listener, which all its calls share.
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

    /// The same, in this order; for a listener that has this.
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

    /// The queues to ask now, and in which order.
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

    /// The list on which to wait for a task of any of them, if there is one.
    pub(crate) fn list(&self) -> Option<String> {
        self.lock().list.clone()
    }

    /// The queues with which the listener has been registered.
    pub(crate) fn known(&self) -> Vec<QueueName> {
        self.lock().known.iter().cloned().collect()
    }

    /// Asks the server if its last answer is too old, or leads nowhere. Whether it was asked.
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

    /// Begins a look at all queues. With an order in turn it goes on where the last one was, as there may be more
    /// queues than one call asks.
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

    /// Goes on with the next queues. Whether there are any.
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

/// Where a cursor stands: the number of a pattern, and a name.
fn place(cursor: &str) -> (u32, &str) {
    let (nth, name) = cursor.split_once('/').unwrap_or((cursor, ""));
    (nth.parse().unwrap_or(0), name)
}

/// Which queues a listener takes tasks from: named ones, or those that match patterns.
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
    /// `BADARG` for patterns that match nothing.
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

    /// Those that are named, or have been found.
    pub(crate) fn known(&self) -> Vec<QueueName> {
        match self {
            Self::Named(queues) => queues.clone(),
            Self::Chosen(choice) => choice.known(),
        }
    }

    /// The queues to ask, and in which order.
    pub(crate) fn now(&self, order: &QueueOrder) -> (Vec<QueueName>, QueueOrder) {
        match self {
            Self::Named(queues) => (queues.clone(), order.clone()),
            Self::Chosen(choice) => choice.now(),
        }
    }

    /// The same, in this order; for a listener that has this.
    pub(crate) fn with(&self, order: &QueueOrder, has: Option<&str>) -> Self {
        match self {
            Self::Named(queues) => Self::Named(queues.clone()),
            Self::Chosen(choice) => Self::Chosen(Arc::new(choice.with(order.clone(), has.map(str::to_owned)))),
        }
    }
}
