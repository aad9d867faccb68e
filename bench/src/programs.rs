//! The cost of running programs: the time from submit to the first instruction, supervisors, many programs at once, and
//! a program that floods its output.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use blueque::{Client, Queue, Submit, Task};

use crate::server::{Result, Server, median};

/// A time limit longer than any measured action.
pub const LIMIT: Duration = Duration::from_secs(120);

pub const AT_ONCE: usize = 200;

pub const FLOOD: usize = 1 << 30;

/// A worker that runs one shell command for each task. The worker and its supervisors end when this value is dropped.
pub struct Worker {
    child: Child,
    pub state: PathBuf,
}

impl Worker {
    pub fn start(server: &Server, slots: usize, script: &str) -> Result<Self> {
        let state = server.socket().with_file_name("state");
        let child = Command::new(binary()?)
            .args(["--url", &format!("unix://{}", server.socket().display()), "worker", "--quiet", "--queue", "q"])
            .args(["--slots", &slots.to_string(), "--state-dir"])
            .arg(&state)
            .args(["--", "/bin/sh", "-c", script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child, state })
    }

    /// Returns the process ids of the supervisors: the runs of this worker's state folder.
    pub fn supervisors(&self) -> Vec<u32> {
        let state = self.state.display().to_string();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("\0supervise\0") && line.contains(&state)
        })
        .collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The first signal ends the supervisors gracefully, so that they remove what they created. The second signal
        // kills the rest.
        for signal in ["-TERM", "-KILL"] {
            let until = Instant::now() + Duration::from_secs(10);
            let mut left = self.supervisors();
            for pid in &left {
                let _ = Command::new("kill").args([signal, &pid.to_string()]).status();
            }
            while !left.is_empty() && Instant::now() < until {
                thread::sleep(Duration::from_millis(20));
                left = self.supervisors();
            }
        }
    }
}

/// Returns the command of this build.
pub fn binary() -> Result<PathBuf> {
    let path = env::current_exe()?.with_file_name("blueque");
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("{} is missing: cargo build --release --package blueque-cli", path.display()).into())
    }
}

fn queue(server: &Server) -> Result<Queue> {
    Ok(Client::open(&format!("unix://{}", server.socket().display()))?.queue("q")?)
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let until = Instant::now() + LIMIT;
    while !holds()? {
        if Instant::now() > until {
            return Err(format!("waited in vain until {what}").into());
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Returns the milliseconds from before the submit to the program's first instruction: the median of some tasks.
pub fn start_latency(server: &Server) -> Result<f64> {
    let queue = queue(server)?;
    let _worker = Worker::start(server, 1, "date +%s%N")?;
    let mut took = Vec::new();
    for number in 0..60 {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
        let task = queue.submit(&number, Submit::default())?;
        let first: u128 = task.result(LIMIT)?;
        took.push(Duration::from_nanos(u64::try_from(first.saturating_sub(begun))?).as_secs_f64() * 1000.0);
    }
    // The first tasks start with cold caches, and while the worker starts.
    Ok(median(took.split_off(10)))
}

/// Returns the resident MiB of an idle task's supervisor, and its CPU usage in percent.
pub fn quiet(server: &Server) -> Result<(f64, f64)> {
    let task = queue(server)?.submit(&(), Submit::default())?;
    let worker = Worker::start(server, 1, "exec sleep 60")?;
    wait_until("it runs", || Ok(task.info()?.started().is_some()))?;
    let pid = *worker.supervisors().first().ok_or("no supervisor")?;
    thread::sleep(Duration::from_secs(1));
    let before = cpu(pid)?;
    let begun = Instant::now();
    thread::sleep(Duration::from_secs(10));
    let share = (cpu(pid)? - before) / begun.elapsed().as_secs_f64() * 100.0;
    Ok((resident(pid)?, share))
}

/// Returns the resident MiB of a process.
pub fn resident(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kib: f64 = line.split_whitespace().nth(1).ok_or("no VmRSS")?.parse()?;
    Ok(kib / 1024.0)
}

/// Returns the seconds of processor time of all threads of a process.
pub fn cpu(pid: u32) -> Result<f64> {
    let mut nanoseconds = 0.0;
    for entry in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let stat = fs::read_to_string(entry.path().join("schedstat"))?;
        nanoseconds += stat.split_whitespace().next().ok_or("no schedstat")?.parse::<f64>()?;
    }
    Ok(nanoseconds / 1e9)
}

/// Runs many programs at once. Returns the seconds until all run, and the average resident MiB of a supervisor.
pub fn at_once(server: &Server) -> Result<(f64, f64)> {
    let queue = queue(server)?;
    let worker = Worker::start(server, AT_ONCE, "exec sleep 60")?;
    let begun = Instant::now();
    let tasks =
        (0..AT_ONCE).map(|number| queue.submit(&number, Submit::default())).collect::<blueque::Result<Vec<Task>>>()?;
    wait_until("all run", || Ok(queue.counts()?.started == tasks.len() as u64))?;
    let took = begun.elapsed().as_secs_f64();
    let pids: BTreeSet<u32> = worker.supervisors().into_iter().collect();
    let total = pids.iter().map(|&pid| resident(pid)).sum::<Result<f64>>()?;
    Ok((took, total / f64::from(u32::try_from(pids.len())?)))
}

/// Runs a program that writes a GiB. Returns its seconds, and the KiB of its log in Redis.
pub fn flood(server: &Server) -> Result<(f64, f64)> {
    let script = format!("head -c {FLOOD} /dev/zero | tr '\\0' x");
    let _worker = Worker::start(server, 1, &script)?;
    let begun = Instant::now();
    let task = queue(server)?.submit(&(), Submit::default())?;
    task.wait(LIMIT)?;
    let took = begun.elapsed().as_secs_f64();
    let mut connection = server.connect()?;
    let bytes: Option<f64> = redis::cmd("MEMORY")
        .arg(&["USAGE", &format!("blueque_log_{}", task.id()), "SAMPLES", "0"])
        .query(&mut connection)?;
    Ok((took, bytes.unwrap_or(0.0) / 1024.0))
}
