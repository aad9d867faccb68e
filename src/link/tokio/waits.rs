//! Shared waits. The listeners of a client share one connection, which pops from the wake-up lists of all of them. Each
//! popped element wakes the listener that has waited longest for its list.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use redis::RedisResult;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time;

use super::{Connections, Wire, Wires};
use crate::link::wakes;
use crate::model::reply;

/// Maximum duration of a pop.
const LONGEST: Duration = Duration::from_secs(30);

/// Maximum duration of a pop on a connection that other connections cannot wake.
const UNWAKEABLE: Duration = Duration::from_secs(2);

/// Interval at which the order to end a pop is repeated.
const SOON: Duration = Duration::from_millis(20);

/// The pause after a failure.
const AGAIN: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(super) struct Waits {
    state: Mutex<State>,
    /// Notified when the lists of the current pop may be outdated.
    changed: Notify,
    /// The connection that pops, with its id if other connections may wake it.
    wire: tokio::sync::Mutex<Option<(Wire, Option<i64>)>>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: HashMap<u64, Waiting>,
    /// The waiters of each list, by their numbers.
    lists: BTreeMap<String, BTreeSet<u64>>,
    /// True while a task pops from the lists.
    popping: bool,
}

struct Waiting {
    lists: Vec<String>,
    /// Receives the list of the element that was popped for this waiter, or `None` after a failure.
    wake: oneshot::Sender<Option<String>>,
}

impl State {
    fn join(&mut self, lists: Vec<String>, wake: oneshot::Sender<Option<String>>) -> u64 {
        self.last += 1;
        for list in &lists {
            self.lists.entry(list.clone()).or_default().insert(self.last);
        }
        self.waiting.insert(self.last, Waiting { lists, wake });
        self.last
    }

    fn leave(&mut self, number: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&number)?;
        for list in &waiting.lists {
            if let Some(others) = self.lists.get_mut(list) {
                others.remove(&number);
                if others.is_empty() {
                    self.lists.remove(list);
                }
            }
        }
        Some(waiting)
    }

    /// Wakes the longest waiter of a list. Returns false if the list has no waiter.
    fn wake(&mut self, list: &str) -> bool {
        while let Some(&first) = self.lists.get(list).and_then(BTreeSet::first) {
            let woken = self.leave(first).map(|waiting| waiting.wake.send(Some(list.to_owned())));
            if matches!(woken, Some(Ok(()))) {
                return true;
            }
        }
        false
    }

    /// Wakes all waiters without passing them an element. Each waiter then polls its queues.
    fn wake_all(&mut self) {
        self.lists.clear();
        for (_, waiting) in self.waiting.drain() {
            let _ = waiting.wake.send(None);
        }
    }
}

impl Waits {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until an element is popped from one of the lists, and returns that list.
pub(super) async fn wait(connections: &Arc<Connections>, lists: Vec<String>, limit: Duration) -> Option<String> {
    let (wake, woken) = oneshot::channel();
    let (number, pops) = {
        let mut state = connections.waits.lock();
        let number = state.join(lists, wake);
        (number, std::mem::replace(&mut state.popping, true))
    };
    let mut waiter = Waiter { connections, number, woken };
    if pops {
        connections.waits.changed.notify_one();
    } else {
        tokio::spawn(pop(Popping { connections: Arc::clone(connections), ended: false }));
    }
    time::timeout(limit, &mut waiter.woken).await.ok()?.ok()?
}

/// The registration of a waiter. Dropping it removes the waiter.
struct Waiter<'a> {
    connections: &'a Arc<Connections>,
    number: u64,
    woken: oneshot::Receiver<Option<String>>,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let waits = &self.connections.waits;
        if waits.lock().leave(self.number).is_some() {
            waits.changed.notify_one();
        }
        // The waiter was woken, but its future is gone.
        if let Ok(Some(list)) = self.woken.try_recv() {
            pass_on(self.connections, list);
        }
    }
}

/// Passes an element on to another waiter of this client, or else to the listeners of all clients.
fn pass_on(connections: &Arc<Connections>, list: String) {
    if connections.waits.lock().wake(&list) {
        return;
    }
    let connections = Arc::clone(connections);
    // Without a runtime, listeners poll within half a minute.
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async move {
            let _ = connections.send(&wakes(&list), connections.limit).await;
        });
    }
}

/// The guard of the task that pops from the lists. If the task is dropped with its runtime, another task can start.
struct Popping {
    connections: Arc<Connections>,
    ended: bool,
}

impl Drop for Popping {
    fn drop(&mut self) {
        if !self.ended {
            let mut state = self.connections.waits.lock();
            state.popping = false;
            state.wake_all();
        }
    }
}

async fn pop(mut popping: Popping) {
    let connections = Arc::clone(&popping.connections);
    for turn in 0_usize.. {
        let lists: Vec<String> = {
            let mut state = connections.waits.lock();
            if state.waiting.is_empty() {
                state.popping = false;
                popping.ended = true;
                return;
            }
            state.lists.keys().cloned().collect()
        };
        match taken(&connections, &lists, turn).await {
            Ok(Some(list)) => pass_on(&connections, list),
            Ok(None) => {}
            Err(_) => {
                *connections.waits.wire.lock().await = None;
                time::sleep(AGAIN).await;
                connections.waits.lock().wake_all();
            }
        }
    }
}

/// Returns the list of the popped element. Returns `None` if the lists of the waiters have changed, or if no element
/// came. The pop takes from the first list that has an element, so `turn` selects another first list for each pop.
async fn taken(connections: &Arc<Connections>, lists: &[String], turn: usize) -> RedisResult<Option<String>> {
    let waits = &connections.waits;
    let mut wire = waits.wire.lock().await;
    let (connection, id) = match wire.as_mut() {
        Some(wire) => wire,
        None => wire.insert(connect(connections).await?),
    };
    let longest = if id.is_some() { LONGEST } else { UNWAKEABLE };
    let mut cmd = redis::cmd("BLPOP");
    let (later, first) = lists.split_at(turn % lists.len().max(1));
    cmd.arg(first).arg(later).arg(format!("{:.3}", longest.as_secs_f64()));
    let mut popped = pin!(connection.query(&cmd));
    let value = loop {
        match select(popped.as_mut(), pin!(waits.changed.notified())).await {
            Either::Left((answer, _)) => break answer?,
            Either::Right(_) => {}
        }
        let Some(own) = *id else { continue };
        if waits.lock().lists.keys().eq(lists) {
            continue;
        }
        let ends = connections.send(redis::cmd("CLIENT").arg("UNBLOCK").arg(own), connections.limit).await;
        // The server may not have received the pop yet.
        match time::timeout(SOON, popped.as_mut()).await {
            Ok(answer) => break answer?,
            Err(_) if ends.as_ref().is_err_and(|error| error.code().is_some()) => *id = None, // not permitted
            Err(_) => waits.changed.notify_one(),
        }
    };
    Ok(reply::popped(&value))
}

/// Opens a connection for pops. Also returns its id if other connections may wake it. In a cluster the id is useless,
/// because its node is not known.
async fn connect(connections: &Arc<Connections>) -> RedisResult<(Wire, Option<i64>)> {
    let limit = connections.limit;
    let mut connection = connections.connect(limit, LONGEST.saturating_add(limit)).await?;
    if connections.is_cluster() {
        return Ok((connection, None));
    }
    let id = connection.query(redis::cmd("CLIENT").arg("ID")).await;
    Ok((connection, id.ok().and_then(|id| reply::word(&id))))
}
