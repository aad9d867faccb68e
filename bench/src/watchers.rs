//! Events that 100 watchers follow at once: the load without events, the cost of an event, and the time until the last
//! watcher has the event.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Client, Queue, Submit};

use crate::server::{Result, Server, median, worked};

pub const WATCHERS: usize = 100;

/// Returns the pause between two events. It is longer than the longest pause between two polls, and differs for each
/// event.
fn pause(number: u32) -> Duration {
    Duration::from_millis(u64::from(700 + number * 137 % 500))
}

const EVENTS: u32 = 20;

const IDLE: Duration = Duration::from_secs(5);

pub struct Watched {
    /// Percent of a core of the server without events.
    pub idle: f64,
    /// Additional microseconds of the server for an event, for all watchers together.
    pub event: f64,
    /// Milliseconds from before the submit until a watcher has its event, and until the last watcher has it, as
    /// medians; and the longest time.
    pub one: f64,
    pub all: f64,
    pub longest: f64,
}

/// Starts threads that follow the queue. Each reports the task of every event it reads, and the time.
fn follow(queue: &Queue) -> Receiver<(String, Instant)> {
    let (tell, told) = mpsc::channel();
    for _ in 0..WATCHERS {
        let (queue, tell) = (queue.clone(), tell.clone());
        thread::spawn(move || {
            for event in queue.follow("0") {
                let Ok(event) = event else { return };
                if tell.send((event.id, Instant::now())).is_err() {
                    return;
                }
            }
        });
    }
    told
}

pub fn watch(server: &Server) -> Result<Watched> {
    let queue = Client::open(&format!("unix://{}", server.socket().display()))?.queue("q")?;
    let told = follow(&queue);
    let mut connection = server.connect()?;
    let submit = || -> Result<(f64, f64)> {
        let began = Instant::now();
        let id = queue.submit(&(), Submit::default())?.id().to_string();
        let mut took = Vec::new();
        while took.len() < WATCHERS {
            let (other, at) = told.recv_timeout(Duration::from_secs(30))?;
            if other == id {
                took.push((at - began).as_secs_f64() * 1000.0);
            }
        }
        let last = took.iter().copied().fold(0.0, f64::max);
        Ok((median(took), last))
    };
    submit()?; // all watchers poll
    thread::sleep(pause(0));
    let before = worked(&mut connection)?;
    thread::sleep(IDLE);
    let idle = (worked(&mut connection)? - before) / IDLE.as_secs_f64();
    let (began, before) = (Instant::now(), worked(&mut connection)?);
    let (mut one, mut all) = (Vec::new(), Vec::new());
    for number in 0..EVENTS {
        let (median, last) = submit()?;
        one.push(median);
        all.push(last);
        thread::sleep(pause(number));
    }
    let beyond = worked(&mut connection)? - before - idle * began.elapsed().as_secs_f64();
    Ok(Watched {
        idle: idle * 100.0,
        event: beyond / f64::from(EVENTS) * 1e6,
        one: median(one),
        longest: all.iter().copied().fold(0.0, f64::max),
        all: median(all),
    })
}
