//! The course of the demo: files are submitted, workers started, one worker is killed, and the results are verified.

use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use blueque::{Client, Status, Submit, Task, TaskInfo};
use serde::Deserialize;

use crate::job::{Answer, Order};
use crate::{Outcome, QUEUE, guard};

/// Number of files, the largest of the folder.
const FILES: usize = 8;

/// Time limit of the whole demo.
const LIMIT: Duration = Duration::from_secs(300);

#[derive(Deserialize)]
struct Progress {
    done: u64,
    total: u64,
}

struct Job {
    file: PathBuf,
    size: u64,
    task: Task,
}

pub fn play(folder: Option<&Path>) -> Outcome<()> {
    let folder = folder.map_or_else(default_folder, |folder| Ok(folder.to_owned()))?;
    let files = largest(&folder)?;
    let scratch = std::env::temp_dir().join(format!("blueque-demo-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let guard = guard::start(&["--guard", &scratch.display().to_string()])?;
    let url = format!("unix://{}", scratch.join("socket").display());
    let client = connect(&url)?;
    println!("A durable server of its own: {url}");

    let queue = client.queue(QUEUE)?;
    let mut jobs = Vec::new();
    // The largest file takes at least four seconds and at least fifty steps.
    let largest = files.first().map_or(0, |(_, size)| *size);
    let speed = (largest / 4).clamp(1, 48 << 20);
    let step = (largest / 50).clamp(1, 4 << 20);
    for (file, size) in files {
        let order = Order { file: file.clone(), step, speed };
        let task = queue.submit(&order, Submit::default())?;
        jobs.push(Job { file, size, task });
    }
    println!("{} tasks: the digests of the largest files in {}", jobs.len(), folder.display());

    let log = scratch.join("carried-to-the-end");
    let start = || guard::start(&["--worker", &url, &log.display().to_string()]);
    let (mut victim, other) = (start()?, start()?);
    println!("Two workers: processes {} and {}\n", victim.id(), other.id());

    let killed = watch(&jobs, &mut victim)?;
    let right = table(&jobs, &log, killed)?;

    for mut process in [victim, other, guard] {
        drop(process.stdin.take());
        process.wait()?;
    }
    if right { Ok(()) } else { Err("not every result is right; see the table".into()) }
}

/// Returns the folder of the toolchain's libraries, or another large folder of the machine.
fn default_folder() -> Outcome<PathBuf> {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let toolchain = sysroot
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok())
        .map(|path| PathBuf::from(path.trim()).join("lib"));
    toolchain
        .into_iter()
        .chain([PathBuf::from("/usr/lib"), PathBuf::from("/usr/bin")])
        .find(|folder| folder.is_dir())
        .ok_or_else(|| "no folder to work on: name one, make demo DIR=…".into())
}

fn largest(folder: &Path) -> Outcome<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && fs::File::open(entry.path()).is_ok() {
                found.push((entry.path(), entry.metadata()?.len()));
            }
        }
    }
    found.retain(|(_, size)| *size > 0);
    found.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    found.truncate(FILES);
    if found.is_empty() {
        return Err(format!("no readable file in {}", folder.display()).into());
    }
    Ok(found)
}

fn connect(url: &str) -> Outcome<Client> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match Client::builder().limit(Duration::from_secs(2)).open(url) {
            Ok(client) => return Ok(client),
            Err(error) if Instant::now() > deadline => return Err(error.into()),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Shows the progress until all tasks are done, and kills the first worker in the middle of its task. Returns that
/// task.
fn watch(jobs: &[Job], victim: &mut Child) -> Outcome<Option<usize>> {
    let begun = Instant::now();
    let mut killed = None;
    let mut screen = Screen::default();
    loop {
        let infos = jobs.iter().map(|job| job.task.info()).collect::<Result<Vec<_>, _>>()?;
        screen.draw(jobs, &infos)?;
        if infos.iter().all(|info| info.status().is_some_and(Status::is_finished)) {
            return Ok(killed);
        }
        let middle = jobs.iter().zip(&infos).enumerate().find(|(_, (_, info))| in_the_middle(info, victim.id()));
        if let (None, Some((index, (job, info)))) = (killed, middle) {
            victim.kill()?;
            victim.wait()?;
            killed = Some(index);
            let (done, total) = progress(info).unwrap_or_default();
            screen.note(&format!(
                "SIGKILL to worker {} at {done} of {total} KiB of {}: its lease of 3 s must expire first",
                victim.id(),
                name(&job.file),
            ));
        }
        if begun.elapsed() > LIMIT {
            return Err("not finished in five minutes".into());
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn in_the_middle(info: &TaskInfo, pid: u32) -> bool {
    let node = format!("_{pid}");
    info.status() == Some(Status::Started)
        && info.node().is_some_and(|listener| listener.ends_with(&node))
        && progress(info).is_some_and(|(done, total)| done * 3 > total && done * 4 < total * 3)
}

fn progress(info: &TaskInfo) -> Option<(u64, u64)> {
    let progress: Progress = serde_json::from_slice(info.progress_bytes()?).ok()?;
    Some((progress.done, progress.total))
}

fn name(file: &Path) -> String {
    file.file_name().map_or_else(String::new, |name| name.to_string_lossy().chars().take(36).collect())
}

/// The state of all tasks, redrawn in place on a terminal, else printed as a line per second.
#[derive(Default)]
struct Screen {
    lines: usize,
    last: Option<Instant>,
}

impl Screen {
    fn draw(&mut self, jobs: &[Job], infos: &[TaskInfo]) -> Outcome<()> {
        let mut out = std::io::stdout().lock();
        if !out.is_terminal() {
            if self.last.is_none_or(|last| last.elapsed() >= Duration::from_secs(1)) {
                self.last = Some(Instant::now());
                let running = jobs.iter().zip(infos).filter(|(_, info)| info.status() == Some(Status::Started));
                let running = running.map(|(job, info)| {
                    let (done, total) = progress(info).unwrap_or_default();
                    format!("{} {done}/{total} KiB", name(&job.file))
                });
                let complete = infos.iter().filter(|info| info.status() == Some(Status::Complete)).count();
                let running: Vec<String> = running.collect();
                let running = if running.is_empty() { "nothing".to_owned() } else { running.join(", ") };
                writeln!(out, "{complete}/{} complete; running: {running}", jobs.len())?;
            }
            return Ok(());
        }
        if self.lines > 0 {
            write!(out, "\x1b[{}A", self.lines)?;
        }
        for (job, info) in jobs.iter().zip(infos) {
            let (done, total) = progress(info).unwrap_or((0, 1));
            let status = info.status().map_or("?", Status::as_str);
            let filled = if status == "complete" { 24 } else { usize::try_from(done * 24 / total.max(1))?.min(24) };
            let bar = "#".repeat(filled) + &"·".repeat(24 - filled);
            writeln!(out, "\x1b[2K{:<36} {bar} {status:<9} attempt {}", name(&job.file), info.attempt())?;
        }
        self.lines = jobs.len();
        Ok(out.flush()?)
    }

    fn note(&mut self, text: &str) {
        println!("{text}");
        self.lines = 0;
    }
}

/// Verifies every result with `sha256sum`, and that no task was completed twice.
fn table(jobs: &[Job], log: &Path, killed: Option<usize>) -> Outcome<bool> {
    let mut carried = BTreeMap::new();
    for id in fs::read_to_string(log).unwrap_or_default().lines() {
        *carried.entry(id.to_owned()).or_insert(0) += 1;
    }
    println!("\n{:<36} {:>9} {:>8} {:>14}  {:<16} check", "file", "KiB", "attempts", "resumed at", "sha256");
    let mut right = true;
    for (index, job) in jobs.iter().enumerate() {
        let info = job.task.info()?;
        let answer: Answer = job.task.result(Duration::ZERO)?;
        let runs = carried.get(job.task.id().as_str()).copied().unwrap_or(0);
        let resumed = killed != Some(index) || (answer.resumed_at > 0 && info.attempt() == 2);
        let verdict = if answer.sha256 != sha256sum(&job.file)? {
            "WRONG DIGEST"
        } else if runs != 1 {
            "NOT ONCE"
        } else if !resumed {
            "NOT RESUMED"
        } else if killed == Some(index) {
            "right, survived SIGKILL"
        } else {
            "right"
        };
        right &= verdict.starts_with("right");
        println!(
            "{:<36} {:>9} {:>8} {:>10} KiB  {:<16} {verdict}",
            name(&job.file),
            job.size.div_ceil(1024),
            info.attempt(),
            answer.resumed_at / 1024,
            answer.sha256.get(..16).unwrap_or_default(),
        );
    }
    if killed.is_none() {
        println!(
            "No worker was killed: every file was too small to be caught in the middle. Name a folder with larger ones."
        );
    }
    Ok(right && killed.is_some())
}

fn sha256sum(file: &Path) -> Outcome<String> {
    let output = Command::new("sha256sum").arg("--").arg(file).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // A name with a backslash or a line end is printed escaped, after a backslash.
    let digest = text.trim_start_matches('\\').split_whitespace().next();
    Ok(digest.ok_or("sha256sum printed nothing")?.to_owned())
}
