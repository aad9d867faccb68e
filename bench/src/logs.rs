//! Programs with much output: 20 at once, each with a MiB per second, under one worker.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Client, Submit, Task};
use redis::Connection;

use crate::programs::{LIMIT, Worker, cpu, wait_until};
use crate::server::{Result, Server, scripts_called, worked};

pub const PROGRAMS: usize = 20;

/// Bytes that each program prints per second, and the seconds of its run.
const RATE: usize = 1 << 20;
const SECONDS: usize = 20;

/// Number of prints per second.
const TICKS: usize = 64;

pub struct Flow {
    /// Percent of a core for the server, and for all supervisors.
    pub server: f64,
    pub supervisors: f64,
    /// The longest wait of a program until it could print, and the delay of the latest end.
    pub stall: Duration,
    pub late: Duration,
    /// KiB of the keys of the largest log, and the calls per second of a program that wrote it.
    pub kibibytes: f64,
    pub calls: f64,
    /// The smallest share of a program's output that is on the worker's disk.
    pub on_disk: f64,
    /// Number of logs whose first or last line has not arrived.
    pub lacking: f64,
}

/// The program of a task: prints lines at the rate. Its result is the longest wait of a print, and the delay of its
/// end, in microseconds.
pub fn prints() -> Result<()> {
    let mut stdout = io::stdout().lock();
    let (began, mut worst) = (Instant::now(), Duration::ZERO);
    let line = RATE / TICKS / 128;
    for tick in 0..SECONDS * TICKS {
        let due = Duration::from_secs(1) * u32::try_from(tick)? / u32::try_from(TICKS)?;
        thread::sleep(due.saturating_sub(began.elapsed()));
        let lines: Vec<String> = (0..line).map(|number| format!("{:0>127}\n", tick * line + number)).collect();
        let prints = Instant::now();
        stdout.write_all(lines.concat().as_bytes())?;
        stdout.flush()?;
        worst = worst.max(prints.elapsed());
    }
    let last = Duration::from_secs(1) * u32::try_from(SECONDS * TICKS - 1)? / u32::try_from(TICKS)?;
    let late = began.elapsed().saturating_sub(last);
    let result = std::env::var("BLUEQUE_RESULT")?;
    Ok(fs::write(result, format!("[{},{}]", worst.as_micros(), late.as_micros()))?)
}

pub fn flow(server: &Server) -> Result<Flow> {
    let queue = Client::open(&format!("unix://{}", server.socket().display()))?.queue("q")?;
    let program = std::env::current_exe()?;
    let worker = Worker::start(server, PROGRAMS, &format!("exec '{}' prints", program.display()))?;
    let tasks = (0..PROGRAMS).map(|number| queue.submit(&number, Submit::default()));
    let tasks = tasks.collect::<blueque::Result<Vec<Task>>>()?;
    let mut connection = server.connect()?;
    wait_until("all run", || Ok(queue.counts()?.started == PROGRAMS as u64))?;
    redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut connection)?;
    let used = || -> Result<f64> { worker.supervisors().into_iter().map(cpu).sum() };
    let (began, before, supervisors) = (Instant::now(), worked(&mut connection)?, used()?);
    // All programs print during this time: their starts and ends are measured elsewhere.
    thread::sleep(Duration::from_secs(SECONDS as u64 * 3 / 4));
    let seconds = began.elapsed().as_secs_f64();
    let share = (worked(&mut connection)? - before) / seconds * 100.0;
    let supervisors = (used()? - supervisors) / seconds * 100.0;
    let calls = scripts_called(&mut connection)?.0 / seconds / f64::from(u32::try_from(PROGRAMS)?);
    let mut flow = Flow {
        server: share,
        supervisors,
        stall: Duration::ZERO,
        late: Duration::ZERO,
        kibibytes: 0.0,
        calls,
        on_disk: f64::INFINITY,
        lacking: 0.0,
    };
    for task in &tasks {
        let (stall, late): (u64, u64) = task.result(LIMIT)?;
        flow.stall = flow.stall.max(Duration::from_micros(stall));
        flow.late = flow.late.max(Duration::from_micros(late));
        let id = task.id().to_string();
        flow.kibibytes = flow.kibibytes.max(keys(&mut connection, &id)?);
        flow.on_disk = flow.on_disk.min(kept(&worker.state, &id)? / f64::from(u32::try_from(RATE * SECONDS)?));
        flow.lacking += f64::from(u8::from(!has_ends(&mut connection, &id)?));
    }
    Ok(flow)
}

/// Returns the KiB of a log's keys.
fn keys(connection: &mut Connection, id: &str) -> Result<f64> {
    let mut bytes = 0.0;
    for key in [format!("blueque_log_{id}"), format!("blueque_logged_{id}")] {
        let one: Option<f64> = redis::cmd("MEMORY").arg(&["USAGE", &key, "SAMPLES", "0"]).query(connection)?;
        bytes += one.unwrap_or(0.0);
    }
    Ok(bytes / 1024.0)
}

/// Returns the bytes of the lines that a program printed, without the metadata that the files contain for each line.
fn kept(state: &Path, id: &str) -> Result<f64> {
    let logs = state.join("blueque").join("logs");
    let mut bytes = 0;
    for folder in fs::read_dir(&logs)?.flatten() {
        if folder.file_name().to_string_lossy().starts_with(id) {
            for file in fs::read_dir(folder.path())?.flatten() {
                let text = fs::read_to_string(file.path())?;
                let lines = text.lines().filter_map(|line| line.split_once(" stdout F "));
                bytes += lines.map(|(_, line)| line.len() + 1).sum::<usize>();
            }
        }
    }
    Ok(f64::from(u32::try_from(bytes)?))
}

/// Returns true if the first and the last line are on the server.
fn has_ends(connection: &mut Connection, id: &str) -> Result<bool> {
    let entries: redis::Value =
        redis::cmd("XRANGE").arg(&[&format!("blueque_log_{id}"), "-", "+"]).query(connection)?;
    let text = format!("{entries:?}");
    let last = SECONDS * TICKS * (RATE / TICKS / 128) - 1;
    Ok([0, last].iter().all(|line| text.contains(&format!("{line:0>127}"))))
}
