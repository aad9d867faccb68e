//! Serves the partitions of a worker. If there are many, only some are served at a time: a partition that has had no
//! task for a while is replaced by the partition that has waited longest. Partitions with running programs are always
//! served, in addition to the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use blueque::PartitionName;

use super::partition_worker::{PartitionWorker, Turn, defect};
use super::round_robin::RoundRobin;
use super::slots::Slots;
use super::stop_signals::StopSignals;
use crate::session::many::{AT_ONCE, at_once};

/// Maximum number of partitions without running programs that are served at a time. Each partition needs some threads
/// and connections.
pub const SERVED: usize = 32;

/// Interval at which the number of served partitions is checked. A partition whose first program starts makes room for
/// another partition, but causes no notification.
const LOOK: Duration = Duration::from_millis(250);

/// Serves all partitions until they have ended. An error of one of several partitions ends only that partition.
pub fn serve(
    partition_workers: &[Arc<PartitionWorker>],
    slots: &Slots,
    stop_signals: &StopSignals,
    round_robin: &RoundRobin,
) -> anyhow::Result<()> {
    // Partitions with running programs are served first.
    let (first, later): (Vec<_>, Vec<_>) =
        partition_workers.iter().partition(|partition_worker| partition_worker.has_runs());
    first.into_iter().chain(later).for_each(|partition_worker| round_robin.put_last(partition_worker.index));
    let (says, ended) = mpsc::channel();
    let mut serving = BTreeMap::new();
    let mut failed = None;
    loop {
        while !stop_signals.is_stopping() && slots.idle(serving.keys()) < SERVED {
            let Some(index) = round_robin.next() else { break };
            if let Some(partition_worker) = partition_workers.get(index) {
                serving.insert(index, begin(partition_worker.clone(), index, says.clone()));
            }
        }
        if serving.is_empty() {
            break;
        }
        let Some((index, partition_worker)) =
            ended.recv_timeout(LOOK).ok().and_then(|index| serving.remove_entry(&index))
        else {
            continue;
        };
        match partition_worker.join().unwrap_or_else(|_| Err(defect("partitions"))) {
            // If the partition has got a run at the last moment, it is served again at once.
            Ok(Turn::Over)
                if partition_workers.get(index).is_some_and(|partition_worker| partition_worker.has_runs()) =>
            {
                round_robin.put_first(index);
            }
            Ok(Turn::Over) => round_robin.put_last(index),
            Ok(Turn::Last) => {}
            Err(error) => failed = Some(error),
        }
    }
    take_leave(partition_workers);
    failed.map_or(Ok(()), Err)
}

/// Reports the end of a thread, including a panic.
struct Ends(usize, Sender<usize>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

fn begin(
    partition_worker: Arc<PartitionWorker>,
    index: usize,
    says: Sender<usize>,
) -> JoinHandle<anyhow::Result<Turn>> {
    thread::spawn(move || {
        let _end = Ends(index, says);
        partition_worker.serve()
    })
}

/// Unregisters the worker in partitions that wait for their turn, where it is still registered.
fn take_leave(partition_workers: &[Arc<PartitionWorker>]) {
    let known: BTreeMap<&PartitionName, &Arc<PartitionWorker>> = partition_workers
        .iter()
        .filter(|partition_worker| partition_worker.is_registered())
        .filter_map(|partition_worker| Some((partition_worker.name()?, partition_worker)))
        .collect();
    let names: Vec<PartitionName> = known.keys().map(|name| (*name).clone()).collect();
    at_once(&names, AT_ONCE, |name| known.get(name).map_or(Ok(()), |partition_worker| partition_worker.take_leave()));
}
