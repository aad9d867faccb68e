//! Requests per second: each connection takes tasks through their lives, call by call.

use std::thread;
use std::time::{Duration, Instant};

use redis::{Connection, Value};

use crate::life::{STEPS, args, attempt, id};
use crate::server::{Args, Result, Server, call, load_command};

const PERIOD: Duration = Duration::from_secs(3);

pub fn requests_per_second(server: &Server, connections: usize) -> Result<f64> {
    let connections = (0..connections).map(|_| server.connect()).collect::<Result<Vec<_>>>()?;
    let began = Instant::now();
    let threads: Vec<_> = connections.into_iter().map(|connection| thread::spawn(move || lives(connection))).collect();
    let mut total = 0.0;
    for thread in threads {
        total += thread.join().map_err(|_| "a connection's thread panicked")??;
    }
    Ok(total / began.elapsed().as_secs_f64())
}

/// Runs lives until the time is over. Returns the number of calls made.
fn lives(mut connection: Connection) -> Result<f64> {
    let shas = STEPS.iter().map(|name| load_command(&mut connection, name)).collect::<Result<Vec<_>>>()?;
    let [submit, reserve, start, complete] = shas.as_slice() else {
        return Err("a life has four steps".into());
    };
    let mut ask = |sha: &str, args: Args| call(sha, "blueque", &args).query::<Value>(&mut connection);
    let mut calls = 0.0;
    let until = Instant::now() + PERIOD;
    while Instant::now() < until {
        let own = id();
        ask(submit, args(&["", "q", "1", &own, "", "{}"]))?;
        let (id, token) = attempt(ask(reserve, args(&["", "host_1", "1", "q", "request", &own]))?)?;
        ask(start, args(&["", &id, &token, "77"]))?;
        ask(complete, args(&["", &id, &token, "{}"]))?;
        calls += 4.0;
    }
    Ok(calls)
}
