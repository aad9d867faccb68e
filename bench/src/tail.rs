//! The slowest calls, from the server's slow log of every call of a run.

use std::collections::BTreeMap;

use redis::Value;

use crate::server::{Result, Server, load_command};

/// Number of entries that the log keeps. No run makes more calls.
const MOST: usize = 500_000;

pub struct Tail {
    calls: usize,
    /// Milliseconds that 99 of 100 calls do not exceed.
    pub p99: f64,
    pub worst: f64,
    /// The p99 and the worst call of each command.
    by_command: BTreeMap<&'static str, (f64, f64)>,
}

/// Runs an action on the server. Returns the times of all scripts that it called.
pub fn watch<T>(server: &Server, run: impl FnOnce() -> Result<T>) -> Result<(T, Tail)> {
    let mut connection = server.connect()?;
    let mut set =
        |name: &str, value: usize| redis::cmd("CONFIG").arg("SET").arg(name).arg(value).query::<()>(&mut connection);
    set("slowlog-max-len", MOST)?;
    set("slowlog-log-slower-than", 0)?;
    let answer = run()?;
    let entries: Vec<Value> = redis::cmd("SLOWLOG").arg("GET").arg(MOST).query(&mut connection)?;
    let names =
        blueque::bundle::commands().map(|command| (load_command(&mut connection, command.name()), command.name()));
    let names: Vec<(Result<String>, &'static str)> = names.collect();
    let mut took: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for entry in entries {
        let (_, _, microseconds, words): (Value, Value, f64, Vec<Vec<u8>>) =
            redis::from_redis_value(first_four(entry)?)?;
        let digest = words.get(1).map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default();
        if let Some((_, name)) = names.iter().find(|(sha, _)| sha.as_ref().is_ok_and(|sha| *sha == digest)) {
            took.entry(name).or_default().push(microseconds / 1000.0);
        }
    }
    let mut all: Vec<f64> = took.values().flatten().copied().collect();
    let (p99, worst) = ends(&mut all);
    let by_command = took.into_iter().map(|(name, mut times)| (name, ends(&mut times))).collect();
    Ok((answer, Tail { calls: all.len(), p99, worst, by_command }))
}

impl Tail {
    /// Prints the commands with the slowest calls, and the total.
    pub fn print(&self) {
        println!("the slowest of {} calls, in milliseconds: p99 {:.3}, worst {:.2}", self.calls, self.p99, self.worst);
        let mut commands: Vec<_> = self.by_command.iter().collect();
        commands.sort_by(|(_, one), (_, other)| other.1.total_cmp(&one.1));
        for (name, (p99, worst)) in commands.into_iter().take(5) {
            println!("  {name:<22} p99 {p99:.3}, worst {worst:.2}");
        }
        println!();
    }
}

fn first_four(entry: Value) -> Result<Value> {
    let Value::Array(mut parts) = entry else { return Err(format!("the slow log has {entry:?}").into()) };
    parts.truncate(4);
    Ok(Value::Array(parts))
}

/// Returns the 99th percentile, and the largest value.
fn ends(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |index: usize| times.get(index).copied().unwrap_or(f64::NAN);
    (at(times.len() * 99 / 100), at(times.len().saturating_sub(1)))
}
