//! The signals that end a worker, with all partitions that it serves.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use blueque::Interrupter;
use signal_hook::iterator::Signals;

use super::pool::Pool;
use crate::output::behind;

/// Handles the signals for all partitions of a worker.
#[derive(Default)]
pub struct StopSignals(Mutex<State>);

#[derive(Default)]
struct State {
    stopping: bool,
    pools: Vec<(Arc<Pool>, Interrupter)>,
}

fn drains(running: usize) -> String {
    format!("drains; running: {running}")
}

impl StopSignals {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true after the first signal.
    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Adds a partition, which signals end from now on.
    pub fn add(&self, pool: &Arc<Pool>, interrupter: Interrupter) {
        let mut state = self.lock();
        if state.stopping {
            // A signal that arrives before the first partition is reported here.
            if state.pools.is_empty() {
                pool.say_for_all(&drains(pool.running()));
            }
            pool.drain();
        }
        state.pools.push((pool.clone(), interrupter));
    }

    /// Removes a partition whose service has ended.
    pub fn remove(&self, pool: &Arc<Pool>) {
        self.lock().pools.retain(|(other, _)| !Arc::ptr_eq(other, pool));
    }

    /// Handles the signals. The first signal drains the worker. The second signal ends the worker, and its supervisors
    /// continue.
    pub fn hear(&self, mut signals: Signals) {
        for _ in signals.forever() {
            let mut state = self.lock();
            let again = state.stopping || state.pools.iter().any(|(pool, _)| pool.draining().is_some());
            state.stopping = true;
            let left: usize = state.pools.iter().map(|(pool, _)| pool.running()).sum();
            let say = |text: &str| state.pools.first().into_iter().for_each(|(pool, _)| pool.say_for_all(text));
            if again {
                say(&format!("ends at once; running on without it: {left}"));
                behind::flush();
                #[expect(clippy::disallowed_methods, reason = "at once, whatever hangs; what counts is on disk")]
                process::exit(0);
            }
            say(&drains(left));
            for (pool, _) in &state.pools {
                pool.drain();
            }
            let interrupters: Vec<Interrupter> = state.pools.iter().map(|(_, one)| one.clone()).collect();
            drop(state);
            // The servers are interrupted in parallel, so that a server that hangs does not delay the others.
            thread::scope(|scope| {
                for interrupter in &interrupters {
                    scope.spawn(|| interrupter.interrupt());
                }
            });
        }
    }
}
