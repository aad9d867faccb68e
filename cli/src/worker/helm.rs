//! The signals that end a worker, for all partitions that it serves.

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use blueque::Interrupter;
use signal_hook::iterator::Signals;

use super::pool::Pool;
use crate::output::behind;

/// Ends the parts of a worker.
#[derive(Default)]
pub struct Helm(Mutex<State>);

#[derive(Default)]
struct State {
    stopping: bool,
    crews: Vec<(Arc<Pool>, Interrupter)>,
}

impl Helm {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a signal has come.
    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// From now on a signal ends this one, too.
    pub fn add(&self, pool: &Arc<Pool>, interrupter: Interrupter) {
        let mut state = self.lock();
        if state.stopping {
            pool.drain();
        }
        state.crews.push((pool.clone(), interrupter));
    }

    /// This one has ended.
    pub fn remove(&self, pool: &Arc<Pool>) {
        self.lock().crews.retain(|(other, _)| !Arc::ptr_eq(other, pool));
    }

    /// Drains at the first signal; at the second the worker ends, and its supervisors go on without it.
    pub fn hear(&self, mut signals: Signals) {
        for _ in signals.forever() {
            let mut state = self.lock();
            let again = state.stopping || state.crews.iter().any(|(pool, _)| pool.draining().is_some());
            state.stopping = true;
            let left: usize = state.crews.iter().map(|(pool, _)| pool.running()).sum();
            let say = |text: &str| state.crews.first().into_iter().for_each(|(pool, _)| pool.say_for_all(text));
            if again {
                say(&format!("ends at once; running on without it: {left}"));
                behind::flush();
                #[expect(clippy::disallowed_methods, reason = "at once, whatever hangs; what counts is on disk")]
                process::exit(0);
            }
            say(&format!("drains; running: {left}"));
            for (pool, _) in &state.crews {
                pool.drain();
            }
            let interrupters: Vec<Interrupter> = state.crews.iter().map(|(_, one)| one.clone()).collect();
            drop(state);
            // A server that hangs delays no other.
            thread::scope(|scope| {
                for interrupter in &interrupters {
                    scope.spawn(|| interrupter.interrupt());
                }
            });
        }
    }
}
