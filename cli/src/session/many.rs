//! Calls to several partitions at the same time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use blueque::PartitionName;

/// Maximum number of partitions that are called at the same time.
pub const AT_ONCE: usize = 64;

/// Calls partitions, and returns their answers in the order of the names.
pub fn at_once<T: Send>(
    names: &[PartitionName],
    most: usize,
    ask: impl Fn(&PartitionName) -> anyhow::Result<T> + Sync,
) -> Vec<(PartitionName, anyhow::Result<T>)> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..names.len().min(most) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(name) = names.get(at) else { break };
                    let answer = (name.clone(), ask(name));
                    found.lock().unwrap_or_else(PoisonError::into_inner).insert(at, answer);
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
