//! The cost of a task's life while many other tasks wait or are held.

use redis::Value;

use crate::life::{Life, args, attempt, id};
use crate::server::{Args, Result, Scripts, Server, call, load_command, median, timed};

/// Number of tasks of one submit call, and of one heartbeat.
const MOST: usize = 500;

/// Returns a server with a namespace in which the queue `q` has `pending` tasks and one listener.
pub fn filled(pending: usize) -> Result<Server> {
    filled_by(Scripts::Own, pending)
}

/// Returns a filled server with the scripts of any bundle.
pub fn filled_by(scripts: Scripts, pending: usize) -> Result<Server> {
    let server = Server::with(scripts)?;
    one(&server, "register", &["", "q", "host_1"])?;
    let mut connection = server.connect()?;
    let submit = server.scripts.load(&mut connection, "submit")?;
    let calls: Vec<usize> = (0..pending).step_by(MOST).map(|first| MOST.min(pending - first)).collect();
    for calls in calls.chunks(8) {
        let mut pipe = redis::pipe();
        for tasks in calls {
            let mut args = args(&["", "q", &tasks.to_string()]);
            for _ in 0..*tasks {
                args.extend([id(), String::new(), "{}".to_owned()]);
            }
            pipe.add_command(call(&submit, "blueque", &args)).ignore();
        }
        pipe.query::<()>(&mut connection)?;
    }
    Ok(server)
}

fn one(server: &Server, command: &str, values: &[&str]) -> Result<()> {
    let mut connection = server.connect()?;
    let sha = server.scripts.load(&mut connection, command)?;
    Ok(call(&sha, "blueque", &args(values)).exec(&mut connection)?)
}

/// Creates another queue with the listener `host_1` and a setting.
pub fn queue(server: &Server, name: &str, setting: &str, value: &str) -> Result<()> {
    one(server, "register", &["", name, "host_1"])?;
    one(server, "configure", &["", name, setting, value])
}

/// Returns a server whose queue `keyed` has a number of keys. Each key has one place, which is taken, and a waiting
/// task.
pub fn waiting_for_places(keys: usize) -> Result<Server> {
    let server = Server::start()?;
    queue(&server, "keyed", "key_concurrency", "1")?;
    one(&server, "limit", &["", "keyed", "another", "1000", "-"])?;
    one(&server, "register", &["", "keyed", "holder_1"])?;
    let mut connection = server.connect()?;
    let (submit, reserve) = (load_command(&mut connection, "submit")?, load_command(&mut connection, "reserve")?);
    for number in 0..keys {
        let (key, running, waiting) = (format!("tenant-{number}"), id(), id());
        let mut pipe = redis::pipe();
        for task in [&running, &waiting] {
            pipe.add_command(call(&submit, "blueque", &args(&["", "keyed", "1", task, "", "{}", "key", &key])))
                .ignore();
        }
        pipe.add_command(call(&reserve, "blueque", &args(&["", "holder_1", "1", "keyed"]))).ignore();
        pipe.query::<()>(&mut connection)?;
    }
    Ok(server)
}

/// Makes each of some listeners reserve `each` tasks. Returns their ids and tokens, for a heartbeat.
pub fn hold(server: &Server, listeners: usize, each: usize) -> Result<Args> {
    let mut connection = server.connect()?;
    let reserve = load_command(&mut connection, "reserve")?;
    let mut held = Vec::new();
    for number in 0..listeners {
        let listener = format!("holder_{number}");
        one(server, "register", &["", "q", &listener])?;
        let mut pipe = redis::pipe();
        for _ in 0..each {
            pipe.add_command(call(&reserve, "blueque", &args(&["", &listener, "1", "q"])));
        }
        for reply in pipe.query::<Vec<Value>>(&mut connection)? {
            let (id, token) = attempt(reply)?;
            held.extend([id, token]);
        }
    }
    Ok(held)
}

/// Returns the microseconds per task of a heartbeat for 500 tasks: the median call.
pub fn heartbeat(server: &Server, held: &Args) -> Result<f64> {
    let mut connection = server.connect()?;
    let heartbeat = load_command(&mut connection, "heartbeat")?;
    let mut args = args(&["", "q", "host_1", "30", &MOST.to_string()]);
    args.extend(held.iter().take(2 * MOST).cloned());
    let mut took = Vec::new();
    for _ in 0..300 {
        let (microseconds, _) = timed(&mut connection, &heartbeat, "blueque", std::slice::from_ref(&args))?;
        took.push(microseconds);
    }
    Ok(median(took) / 500.0)
}

/// Returns the medians of each step on each server. The servers take turns.
pub fn lives(servers: &[&Server], rounds: usize) -> Result<Vec<[f64; 4]>> {
    let mut lives = servers.iter().map(|server| Life::ours(server)).collect::<Result<Vec<_>>>()?;
    for _ in 0..rounds {
        for life in &mut lives {
            life.round()?;
        }
    }
    Ok(lives.iter().map(Life::medians).collect())
}
