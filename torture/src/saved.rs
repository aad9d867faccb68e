//! Checkpoints that were read from the server while tasks ran.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use blueque::Client;

use crate::faults::uptime;
use crate::jobs::QUEUE;
use crate::way::Way;

struct Sight {
    /// Time of the read in seconds since boot.
    time: f64,
    task: String,
    step: u64,
}

pub struct Saved {
    seen: Arc<Mutex<Vec<Sight>>>,
}

impl Saved {
    /// Polls the running tasks until it is stopped.
    pub fn watch(ways: Vec<Way>, stop: Arc<AtomicBool>) -> Self {
        let seen: Arc<Mutex<Vec<Sight>>> = Arc::default();
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                for way in &ways {
                    // A server that is away is read later.
                    if let Ok(sights) = look(way) {
                        shared.lock().unwrap_or_else(PoisonError::into_inner).extend(sights);
                    }
                }
                thread::sleep(Duration::from_millis(100));
            }
        });
        Self { seen }
    }

    /// Returns the furthest step of a task that the server had between these times.
    pub fn between(&self, task: &str, from: f64, to: f64) -> Option<u64> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let sights = seen.iter().filter(|sight| sight.task == task && from < sight.time && sight.time < to);
        sights.map(|sight| sight.step).max()
    }
}

fn look(way: &Way) -> blueque::Result<Vec<Sight>> {
    let client = way.open(Client::builder().limit(Duration::from_millis(500)))?;
    let mut sights = Vec::new();
    for task in client.queue(QUEUE)?.list("started", 50)? {
        let info = client.task(&task)?.info()?;
        let step = info.checkpoint_bytes().and_then(|saved| std::str::from_utf8(saved).ok()?.trim().parse().ok());
        sights.extend(step.map(|step| Sight { time: uptime(), task, step }));
    }
    Ok(sights)
}
