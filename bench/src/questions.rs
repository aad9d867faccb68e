//! The cost of queries in a namespace of a million tasks.

use redis::{Connection, Value};

use crate::life::{args, id};
use crate::server::{Args, Result, Server, call, load_command, median, timed};

/// Number of queues, and number of tasks of each queue.
const QUEUES: usize = 1_000;
const EACH: usize = 1_000;

const CALLS: usize = 15;

/// Queries, and their calls. A goal holds for the queries that a client makes by itself.
pub const CALLED: [(&str, &[&str]); 16] = [
    ("find by a tag", &["find", "", "*", "0", "100", "tag", "night"]),
    ("find by a state", &["find", "", "*", "0", "100", "status", "cancelled"]),
    ("find by a method, a half", &["find", "", "*", "0", "100", "method", "m"]),
    ("find by a method, none", &["find", "", "*", "0", "100", "method", "none"]),
    ("find by a key, none", &["find", "", "*", "0", "100", "key", "none"]),
    ("find by a method, one queue", &["find", "", "queue-7", "0", "100", "method", "none"]),
    ("get_many of 1", &["get_many", "1"]),
    ("get_many of 100", &["get_many", "100"]),
    ("get_many of 500", &["get_many", "500"]),
    ("peek of 10", &["peek", "", "queue-7", "10"]),
    ("peek of 100", &["peek", "", "queue-7", "100"]),
    ("peek of 10, 50 keys", &["peek", "", "keyed", "10"]),
    ("peek of 30, 50 keys", &["peek", "", "keyed", "30"]),
    ("peek of 100, 50 keys", &["peek", "", "keyed", "100"]),
    ("peek of 10, full keys", &["peek", "", "full", "10"]),
    ("peek of 100, full keys", &["peek", "", "full", "100"]),
];

/// Calls whose time depends on the number of requested items. Clients split these calls.
pub const LONGER: [&str; 3] = ["get_many of 500", "peek of 100, 50 keys", "peek of 100, full keys"];

/// Queries that are read to their end.
pub const WHOLE: [(&str, [&str; 2]); 4] = [
    ("a tag, 10,000 tasks", ["tag", "night"]),
    ("a state, 3,000 tasks", ["status", "cancelled"]),
    ("a tag that nobody has", ["tag", "none"]),
    ("a method that nobody has", ["method", "none"]),
];

pub struct Questions {
    /// Microseconds of each call in `CALLED`.
    pub calls: Vec<f64>,
    /// Number of calls, and milliseconds of the server, of each query in `WHOLE`.
    pub whole: Vec<(usize, f64)>,
}

pub fn questions() -> Result<Questions> {
    let server = Server::start()?;
    let mut connection = server.connect()?;
    fill(&mut connection)?;
    let some = call(&load_command(&mut connection, "find")?, "blueque", &args(&["", "*", "0", "500", "method", "m"]));
    let mut ids: Vec<String> = some.query(&mut connection)?;
    while ids.len() < 501 {
        ids.push(id()); // missing tasks take as long
    }
    let mut calls = Vec::new();
    for (_, words) in CALLED {
        let [command, rest @ ..] = words else { return Err("no command".into()) };
        let words = if *command == "get_many" {
            let number: usize = rest.first().ok_or("no number")?.parse()?;
            [args(&["", &number.to_string()]), ids.iter().skip(1).take(number).cloned().collect()].concat()
        } else {
            args(rest)
        };
        let sha = load_command(&mut connection, command)?;
        let took: Result<Vec<f64>> =
            (0..CALLS).map(|_| Ok(timed(&mut connection, &sha, "blueque", std::slice::from_ref(&words))?.0)).collect();
        calls.push(median(took?));
    }
    let whole = WHOLE.iter().map(|(_, [name, value])| ask(&mut connection, name, value)).collect::<Result<_>>()?;
    Ok(Questions { calls, whole })
}

/// Reads a query to its end.
fn ask(connection: &mut Connection, name: &str, value: &str) -> Result<(usize, f64)> {
    let sha = load_command(connection, "find")?;
    let (mut cursor, mut calls, mut took) = ("0".to_owned(), 0, 0.0);
    loop {
        let (one, replies) = timed(connection, &sha, "blueque", &[args(&["", "*", &cursor, "500", name, value])])?;
        (calls, took) = (calls + 1, took + one / 1000.0);
        let reply: Vec<String> = redis::from_redis_value(replies.into_iter().next().unwrap_or(Value::Nil))?;
        cursor = reply.into_iter().next().ok_or("no cursor")?;
        if cursor == "0" {
            return Ok((calls, took));
        }
    }
}

/// Fills the namespace. Half of the tasks have a method, a hundredth has a tag, and three tasks of each queue are
/// cancelled.
fn fill(connection: &mut Connection) -> Result<()> {
    let (submit, cancel) = (load_command(connection, "submit")?, load_command(connection, "cancel")?);
    let some = |queue: &str, number: usize, options: &[&str]| -> (Args, Vec<String>) {
        let ids: Vec<String> = (0..number).map(|_| id()).collect();
        let mut words = args(&["", queue, &number.to_string()]);
        for id in &ids {
            words.extend([id.clone(), String::new(), "{}".to_owned()]);
        }
        words.extend(args(options));
        (words, ids)
    };
    for number in 0..QUEUES {
        let queue = format!("queue-{number}");
        let mut pipe = redis::pipe();
        let (tagged, _) = some(&queue, EACH / 100, &["tags", "night"]);
        let (plain, ids) = some(&queue, EACH / 2 - EACH / 100, &[]);
        let (named, _) = some(&queue, EACH / 2, &["method", "m"]);
        for words in [tagged, plain, named] {
            pipe.add_command(call(&submit, "blueque", &words)).ignore();
        }
        for id in ids.iter().take(3) {
            pipe.add_command(call(&cancel, "blueque", &args(&["", id, "no"]))).ignore();
        }
        pipe.query::<()>(connection)?;
    }
    let configure = load_command(connection, "configure")?;
    call(&configure, "blueque", &args(&["", "full", "key_concurrency", "1"])).exec(connection)?;
    for (queue, keys) in [("keyed", 50), ("full", 30)] {
        for round in 0..3_000 / keys {
            let mut pipe = redis::pipe();
            for key in 0..keys {
                let (words, _) = some(queue, 1, &["key", &format!("key-{key}"), "tags", &format!("t{}", round % 5)]);
                pipe.add_command(call(&submit, "blueque", &words)).ignore();
            }
            pipe.query::<()>(connection)?;
        }
    }
    Ok(())
}
