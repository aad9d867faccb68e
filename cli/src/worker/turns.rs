//! Serves the partitions of a worker, or a part of them at a time if there are many. A partition that has had no task
//! for a while makes room for the partition that has waited longest. A partition with running programs stays, and takes
//! no room from others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use blueque::PartitionName;

use super::crew::{Crew, Turn, defect};
use super::helm::Helm;
use super::rota::Rota;
use super::slots::Slots;
use crate::session::many::{AT_ONCE, at_once};

/// Maximum number of partitions without running programs that are served at a time. Each partition needs some threads
/// and connections.
pub const SERVED: usize = 32;

/// Interval between checks for room: a program that begins makes room without a notification.
const LOOK: Duration = Duration::from_millis(250);

/// Serves all partitions until they have ended. An error of one of several partitions ends only that partition.
pub fn serve(crews: &[Arc<Crew>], slots: &Slots, helm: &Helm, rota: &Rota) -> anyhow::Result<()> {
    // Partitions with running programs are served first.
    let (first, later): (Vec<_>, Vec<_>) = crews.iter().partition(|crew| crew.has_runs());
    first.into_iter().chain(later).for_each(|crew| rota.put_last(crew.seat));
    let (says, ended) = mpsc::channel();
    let mut serving = BTreeMap::new();
    let mut failed = None;
    loop {
        while !helm.is_stopping() && slots.idle(serving.keys()) < SERVED {
            let Some(seat) = rota.next() else { break };
            if let Some(crew) = crews.get(seat) {
                serving.insert(seat, begin(crew.clone(), seat, says.clone()));
            }
        }
        if serving.is_empty() {
            break;
        }
        let Some((seat, crew)) = ended.recv_timeout(LOOK).ok().and_then(|seat| serving.remove_entry(&seat)) else {
            continue;
        };
        match crew.join().unwrap_or_else(|_| Err(defect("partitions"))) {
            // A run that came at the last moment is served at once.
            Ok(Turn::Over) if crews.get(seat).is_some_and(|crew| crew.has_runs()) => rota.put_first(seat),
            Ok(Turn::Over) => rota.put_last(seat),
            Ok(Turn::Last) => {}
            Err(error) => failed = Some(error),
        }
    }
    take_leave(crews);
    failed.map_or(Ok(()), Err)
}

/// Reports the end of a thread, including a panic.
struct Ends(usize, Sender<usize>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

fn begin(crew: Arc<Crew>, seat: usize, says: Sender<usize>) -> JoinHandle<anyhow::Result<Turn>> {
    thread::spawn(move || {
        let _end = Ends(seat, says);
        crew.serve()
    })
}

/// Unregisters the worker from waiting partitions, in which it is still registered.
fn take_leave(crews: &[Arc<Crew>]) {
    let known: BTreeMap<&PartitionName, &Arc<Crew>> =
        crews.iter().filter(|crew| crew.is_registered()).filter_map(|crew| Some((crew.name()?, crew))).collect();
    let names: Vec<PartitionName> = known.keys().map(|name| (*name).clone()).collect();
    at_once(&names, AT_ONCE, |name| known.get(name).map_or(Ok(()), |crew| crew.take_leave()));
}
