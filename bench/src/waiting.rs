//! Listeners that wait: the time until a listener gets a new task, the load of a thousand listeners on the server, and
//! the number of listeners that one task wakes.

use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, thread};

use redis::{Connection, Value};

use crate::life::{args, attempt, id};
use crate::server::{Result, Server, call, connect, info, load_command, median};

pub const LISTENERS: usize = 1000;

/// Number of listeners in one process. Each listener has its own connection, and the usual limit is 1,024 files.
const EACH: usize = 250;

/// Seconds that a listener waits before it polls.
const LIMIT: f64 = 30.0;

/// Returns the milliseconds from before a submit until the waiting listener has the task: the median.
pub fn wake(server: &Server) -> Result<f64> {
    let mut connection = server.connect_tcp()?;
    let submit = load_command(&mut connection, "submit")?;
    let listener = server.connect_tcp()?;
    let (tell, told) = mpsc::channel();
    let waiting = thread::spawn(move || -> Result<()> {
        let mut listener = listener;
        let reserve = load_command(&mut listener, "reserve")?;
        loop {
            if await_wake(&mut listener, "q", LIMIT)? {
                let reply =
                    call(&reserve, "blueque", &args(&["", "host_1", "1", "q", "woken", "1"])).query(&mut listener)?;
                let (id, _) = attempt(reply)?;
                if tell.send((id, Instant::now())).is_err() {
                    return Ok(());
                }
            }
        }
    });
    let mut took = Vec::new();
    for _ in 0..500 {
        blocked(&mut connection, 1)?;
        let own = id();
        let began = Instant::now();
        call(&submit, "blueque", &args(&["", "q", "1", &own, "", "{}"])).exec(&mut connection)?;
        let (got, ended) = told.recv_timeout(Duration::from_secs(10))?;
        if got != own {
            return Err(format!("{got} was reserved instead of {own}").into());
        }
        took.push((ended - began).as_secs_f64() * 1000.0);
    }
    drop(told);
    call(&submit, "blueque", &args(&["", "q", "1", &id(), "", "{}"])).exec(&mut connection)?;
    waiting.join().map_err(|_| "the listener's thread panicked")??;
    Ok(median(took))
}

/// Returns true if the wait ended with a wake-up.
fn await_wake(connection: &mut Connection, queue: &str, limit: f64) -> Result<bool> {
    let reply: Value = redis::cmd("BLPOP").arg(format!("blueque_wake_{queue}")).arg(limit).query(connection)?;
    Ok(reply != Value::Nil)
}

/// Waits until this many clients wait on the server.
fn blocked(connection: &mut Connection, number: usize) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(20);
    while info(connection, "clients", "blocked_clients:")?.parse::<usize>()? < number {
        if Instant::now() > until {
            return Err(format!("fewer than {number} listeners wait").into());
        }
    }
    Ok(())
}

/// Processes with many listeners. They end when this value is dropped.
struct Crowd(Vec<Child>);

impl Crowd {
    /// Starts the processes. `spread`: the first waits end evenly over the limit instead of all at once.
    fn gather(server: &Server, spread: bool) -> Result<Self> {
        let mut crowd = Self(Vec::new());
        for first in (0..LISTENERS).step_by(EACH) {
            let child = Command::new(env::current_exe()?)
                .arg("listeners")
                .arg(server.socket())
                .args([first.to_string(), spread.to_string()])
                .spawn()?;
            crowd.0.push(child);
        }
        blocked(&mut server.connect()?, LISTENERS)?;
        Ok(crowd)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs the loop of a process with listeners, until it is killed.
pub fn listeners(socket: &Path, first: usize, spread: bool) -> Result<()> {
    let threads: Vec<_> = (first..first + EACH)
        .map(|number| {
            let socket = socket.to_owned();
            thread::Builder::new().stack_size(256 * 1024).spawn(move || listen(&socket, number, spread))
        })
        .collect();
    for thread in threads {
        thread?.join().map_err(|_| "a listener's thread panicked")??;
    }
    Ok(())
}

fn listen(socket: &Path, number: usize, spread: bool) -> Result<()> {
    let mut connection = connect(socket)?;
    let listener = format!("host_{number}");
    let register = load_command(&mut connection, "register")?;
    let reserve = load_command(&mut connection, "reserve")?;
    call(&register, "blueque", &args(&["", "q", &listener])).exec(&mut connection)?;
    let share = u32::try_from(number).map(f64::from)? / f64::from(u32::try_from(LISTENERS)?);
    let mut limit = if spread { (LIMIT * share).max(0.1) } else { LIMIT };
    loop {
        let woken = if await_wake(&mut connection, "q", limit)? { "1" } else { "0" };
        call(&reserve, "blueque", &args(&["", &listener, "1", "q", "woken", woken])).exec(&mut connection)?;
        limit = LIMIT;
    }
}

/// Returns the commands per second that idle listeners send to the server, without the inner calls of scripts.
pub fn idle() -> Result<f64> {
    let server = Server::start()?;
    let mut connection = server.connect()?;
    let _crowd = Crowd::gather(&server, true)?;
    redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection)?;
    let began = Instant::now();
    thread::sleep(Duration::from_secs(15));
    let commands = ["evalsha", "blpop"].iter().map(|name| calls(&mut connection, name)).sum::<Result<f64>>()?;
    Ok(commands / began.elapsed().as_secs_f64())
}

/// Returns the maximum number of reserve calls that a single submit causes, of five submits.
pub fn storm() -> Result<f64> {
    let server = Server::start()?;
    let mut connection = server.connect()?;
    let submit = load_command(&mut connection, "submit")?;
    let _crowd = Crowd::gather(&server, false)?;
    let mut most: f64 = 0.0;
    for _ in 0..5 {
        redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection)?;
        call(&submit, "blueque", &args(&["", "q", "1", &id(), "", "{}"])).exec(&mut connection)?;
        thread::sleep(Duration::from_secs(1)); // the submit did not cause later calls
        most = most.max(calls(&mut connection, "evalsha")? - 1.0);
    }
    Ok(most)
}

fn calls(connection: &mut Connection, command: &str) -> Result<f64> {
    let text: String = redis::cmd("INFO").arg("commandstats").query(connection)?;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("cmdstat_{command}:calls=")));
    Ok(line.and_then(|line| line.split(',').next()).unwrap_or("0").parse()?)
}
