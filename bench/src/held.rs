//! Long tasks: the load of 100,000 tasks that 10,000 workers hold, and the effects when 1,000 workers die at once.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use blueque::constants::REPORT_EVERY;
use blueque::{Client, Listener, Maintenance, QueueName};
use redis::{Connection, Value};

use crate::life::{args, attempt, id};
use crate::server::{Args, Result, Server, call, load_command, worked};
use crate::sizes;

const WORKERS: usize = 10_000;

/// Number of tasks of each worker.
const EACH: usize = 10;

/// Seconds of a lease, and seconds between two heartbeats.
const LEASE: f64 = 60.0;
const BEAT: f64 = LEASE / 3.0;

/// Maximum number of measured rounds. A pass of the repairs takes fewer.
const TIMES: u32 = 20_000;

/// Number of workers that die at once, and seconds of their leases.
const DEAD: usize = 1_000;
const SHORT: u64 = 2;

/// Shares of a core of the server, in percent.
pub struct Shares {
    pub heartbeats: f64,
    pub maintenance: f64,
    pub waiting: f64,
    pub reports: f64,
}

fn many(connection: &mut Connection, sha: &str, calls: &[Args]) -> Result<Vec<Value>> {
    let mut replies = Vec::new();
    for some in calls.chunks(100) {
        let mut pipe = redis::pipe();
        for args in some {
            pipe.add_command(call(sha, "blueque", args));
        }
        replies.extend(pipe.query::<Vec<Value>>(connection)?);
    }
    Ok(replies)
}

/// Registers a listener for each worker and makes it hold `EACH` tasks. Returns the arguments of their heartbeats.
fn hold(connection: &mut Connection, workers: std::ops::Range<usize>, lease: &str) -> Result<Vec<Args>> {
    let (register, reserve) = (load_command(connection, "register")?, load_command(connection, "reserve")?);
    let listeners: Vec<String> = workers.map(|number| format!("host{number}_1")).collect();
    let calls: Vec<Args> = listeners.iter().map(|listener| args(&["", "q", listener])).collect();
    many(connection, &register, &calls)?;
    let each = EACH.to_string();
    let calls: Vec<Args> = listeners
        .iter()
        .map(|listener| args(&["", listener, "1", "q", "limit", &each, "pid", "1", "lease", lease]))
        .collect();
    let mut beats = Vec::new();
    for (listener, reply) in listeners.iter().zip(many(connection, &reserve, &calls)?) {
        let mut beat = args(&["", "q", listener, lease, &each]);
        let fields: Vec<Value> = redis::from_redis_value(reply)?;
        for task in fields.chunks(fields.len() / EACH) {
            let (id, token) = attempt(Value::Array(task.to_vec()))?;
            beat.extend([id, token]);
        }
        beats.push(beat);
    }
    Ok(beats)
}

/// Returns the shares of a core for workers that hold 100,000 tasks with a lease of 60 s, and for 10,000 waiting
/// workers.
pub fn shares() -> Result<Shares> {
    let server = sizes::filled(WORKERS * EACH)?;
    let mut connection = server.connect()?;
    let beats = hold(&mut connection, 0..WORKERS, &LEASE.to_string())?;
    let names: Vec<&String> = beats.iter().filter_map(|beat| beat.get(2)).collect();
    let reports: Vec<Args> = names.iter().map(|name| args(&["", name, "10", "0", "1", "q"])).collect();
    let looks: Vec<Args> = names.iter().map(|name| args(&["", name, "1", "q"])).collect();
    let mut share = |command: &str, calls: &[Args], every: f64| -> Result<f64> {
        let sha = load_command(&mut connection, command)?;
        many(&mut connection, &sha, calls)?; // the first calls may write more
        let before = worked(&mut connection)?;
        many(&mut connection, &sha, calls)?;
        Ok((worked(&mut connection)? - before) / every * 100.0)
    };
    let heartbeats = share("heartbeat", &beats, BEAT)?;
    let reports = share("report", &reports, REPORT_EVERY.as_secs_f64())?;
    let waiting = share("reserve", &looks, Listener::LOOK.as_secs_f64())?;

    let client = Client::open(&format!("redis+unix://{}", server.socket().display()))?;
    // With 10,000 workers, each worker has one round per hour, so each round does all the rare work.
    let round = || -> Result<Duration> { Ok(Maintenance::new(client.clone(), vec![QueueName::new("q")?]).round()?) };
    round()?; // includes the statistics of earlier events
    let before = worked(&mut connection)?;
    // A whole pass of the repairs: the steps of its parts cost from 0.1 to 4 ms.
    let (mut rounds, mut pause) = (0_u32, Duration::ZERO);
    let passed = |connection: &mut Connection| -> Result<bool> {
        let pass: Option<String> = redis::cmd("HGET").arg(&["blueque_suspects_q", "pass"]).query(connection)?;
        Ok(pass.is_some_and(|pass| pass.starts_with("done")))
    };
    while rounds < TIMES && !(rounds.is_multiple_of(20) && passed(&mut connection)?) {
        pause = round()?;
        rounds += 1;
    }
    // Pause of one worker. Within the pause, all workers together make as many rounds as there are workers.
    let pause = pause.as_secs_f64() / f64::from(u32::try_from(WORKERS)?);
    let maintenance = (worked(&mut connection)? - before) / f64::from(rounds) / pause * 100.0;
    Ok(Shares { heartbeats, maintenance, waiting, reports })
}

/// Effects on other clients when 1,000 workers die at once.
pub struct Deaths {
    /// Milliseconds that 99 of 100 submits do not exceed, before and while the tasks are requeued.
    pub before: f64,
    pub meanwhile: f64,
    /// Seconds from the end of the leases until all tasks can be taken again.
    pub until_requeued: f64,
}

pub fn deaths() -> Result<Deaths> {
    let server = sizes::filled((WORKERS + DEAD) * EACH)?;
    let mut connection = server.connect()?;
    hold(&mut connection, 0..WORKERS, &LEASE.to_string())?;
    let a_second = || {
        thread::sleep(Duration::from_secs(1));
        Ok(())
    };
    let before = latency(&server, a_second)?.0;
    hold(&mut connection, WORKERS..WORKERS + DEAD, &SHORT.to_string())?;
    thread::sleep(Duration::from_secs(SHORT));
    let client = Client::open(&format!("redis+unix://{}", server.socket().display()))?;
    let mut maintenance = Maintenance::new(client.clone(), vec![QueueName::new("q")?]);
    let (meanwhile, took) = latency(&server, || {
        let began = Instant::now();
        loop {
            maintenance.round()?;
            if client.queue("q")?.counts()?.started == (WORKERS * EACH) as u64 {
                return Ok(began.elapsed());
            }
        }
    })?;
    Ok(Deaths { before, meanwhile, until_requeued: took.as_secs_f64() })
}

/// Returns the milliseconds that 99 of 100 submits of another client do not exceed during an action.
fn latency<T>(server: &Server, done: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let mut connection = server.connect()?;
    let submit = load_command(&mut connection, "submit")?;
    let (stop, stopped) = mpsc::channel::<()>();
    let other = thread::spawn(move || -> Result<Vec<f64>> {
        let mut took = Vec::new();
        while stopped.recv_timeout(Duration::from_millis(1)) == Err(mpsc::RecvTimeoutError::Timeout) {
            let new = args(&["", "other", "1", &id(), "", "{}"]);
            let began = Instant::now();
            call(&submit, "blueque", &new).exec(&mut connection)?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(took)
    });
    let answer = done();
    drop(stop);
    let mut took = other.join().map_err(|_| "the other client's thread panicked")??;
    took.sort_by(f64::total_cmp);
    Ok((took.get(took.len() * 99 / 100).copied().unwrap_or(f64::NAN), answer?))
}
