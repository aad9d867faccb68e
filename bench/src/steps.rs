//! The cost of a step, compared with the `complete` and the `submit` that it replaces.

use redis::{Connection, Value};

use crate::life::{args, attempt, id};
use crate::server::{Args, Result, Server, load_command, median, timed};
use crate::sizes;

const ROUNDS: usize = 60;

const BATCH: usize = 20;

/// Microseconds of each call.
pub struct Steps {
    pub submit: f64,
    pub complete: f64,
    pub next: f64,
    pub chain: f64,
}

pub fn steps(server: &Server) -> Result<Steps> {
    let mut connection = server.connect()?;
    sizes::queue(server, "step", "max_failures", "")?;
    sizes::queue(server, "after", "max_failures", "")?;
    let run = |connection: &mut Connection, command: &str, calls: &[Args]| -> Result<(f64, Vec<Value>)> {
        let sha = load_command(connection, command)?;
        timed(connection, &sha, "blueque", calls)
    };
    let mut submits = Vec::new();
    let mut ends = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (at, took) in ends.iter_mut().enumerate() {
            let submit = |_| {
                let mut call = args(&["", "step", "1", &id(), "", "{}"]);
                call.extend(if at == 2 { args(&["steps", "after"]) } else { Args::new() });
                call
            };
            let submit = run(&mut connection, "submit", &(0..BATCH).map(submit).collect::<Vec<_>>())?.0;
            if at == 0 {
                submits.push(submit);
            }
            let calls = vec![args(&["", "host_1", "1", "step", "pid", "7"]); BATCH];
            let (_, held) = run(&mut connection, "reserve", &calls)?;
            let held = held.into_iter().map(attempt).collect::<Result<Vec<_>>>()?;
            let end = |(id, token): &(String, String)| {
                let mut call = args(&["", id, token, r#"{"ok":true}"#]);
                call.extend(if at == 1 { args(&["next", "after"]) } else { Args::new() });
                call
            };
            took.push(run(&mut connection, "complete", &held.iter().map(end).collect::<Vec<_>>())?.0);
        }
    }
    let [complete, next, chain] = ends.map(median);
    Ok(Steps { submit: median(submits), complete, next, chain })
}
