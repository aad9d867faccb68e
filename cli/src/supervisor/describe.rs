//! Describes the running program for users: reads /proc, the log, and the state of GPUs.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use blueque::constants::LOG_PIECE_BYTES;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::threads::spawn;
use crate::logs;
use crate::output::{hides, redact};
use crate::process::{Stat, descendants, text};
use crate::processes::description::{Description, Gpu, OpenFile, Process};
use crate::run_folder::{Run, RunFolder, boot_clock_us};
use crate::server::host;

/// The maximum size of a description in bytes, which is the size that the server accepts.
const MOST: usize = LOG_PIECE_BYTES as usize;

/// Time limits: for a disk, and for the driver of the GPUs.
const PATIENCE: Duration = Duration::from_secs(5);
const GPU_PATIENCE: Duration = Duration::from_secs(2);

/// Time in which the use of processors is measured.
const SAMPLE: Duration = Duration::from_millis(200);

/// Number of the kernel's ticks in a second, which is the same on all platforms with /proc.
const TICKS: f64 = 100.0;

/// Maximum numbers of entries, maximum number of characters of a text, and of the end of the log.
const PROCESSES: usize = 200;
const FILES: usize = 200;
const TEXT: usize = 400;
const LOG: u64 = 8 << 10;

/// Describes the program in JSON. Returns an error if the host does not respond.
pub fn describe(pid: u32, run: Run, folder: RunFolder, values: bool) -> Result<String, String> {
    let (show, shown) = mpsc::channel();
    // A hanging disk may block this thread for ever, so it is not joined.
    let describes = move || drop(show.send(bounded(read(pid, &run, &folder, values))));
    spawn("description", describes).map_err(|error| format!("its supervisor cannot describe it: {error}"))?;
    shown
        .recv_timeout(PATIENCE + GPU_PATIENCE)
        .map_err(|_| format!("the host did not respond within {} s: a disk may hang", PATIENCE.as_secs()))
}

fn read(pid: u32, run: &Run, folder: &RunFolder, values: bool) -> Description {
    // Before the processes are listed, because `nvidia-smi` is a child of the supervisor.
    let gpus = gpus(run.limits.gpus.as_deref());
    let (processes, more_processes) = processes();
    let (files, more_files, sockets) = open_files(&processes);
    Description {
        host: host(&run.listener).unwrap_or_default(),
        listener: run.listener.clone(),
        attempt: run.attempt,
        pid,
        folder: folder.path().to_string_lossy().into_owned(),
        cwd: link(format!("/proc/{pid}/cwd")),
        environment: environment(pid, values),
        more_variables: 0,
        processes,
        more_processes,
        files,
        more_files,
        sockets,
        gpus,
        log: logs::of_run(folder.path(), run).and_then(|path| logs::tail(path, LOG)),
    }
}

/// Formats a description. Shortens its lists until the server accepts it.
fn bounded(mut description: Description) -> String {
    loop {
        let text = serde_json::to_string(&description).unwrap_or_default();
        if text.len() <= MOST {
            return text;
        }
        description.more_processes += halve(&mut description.processes);
        description.more_files += halve(&mut description.files);
        let half = description.environment.len() / 2;
        while description.environment.len() > half {
            description.environment.pop_last();
            description.more_variables += 1;
        }
        description.log = description.log.map(|log| log.chars().skip(log.chars().count().div_ceil(2)).collect());
    }
}

fn halve<T>(list: &mut Vec<T>) -> usize {
    let removed = list.len() / 2;
    list.truncate(list.len() - removed);
    removed
}

fn environment(pid: u32, values: bool) -> BTreeMap<String, Option<String>> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let variables = bytes.split(|&byte| byte == 0).filter(|variable| !variable.is_empty());
    let pairs = variables.map(|variable| {
        let variable = String::from_utf8_lossy(variable);
        let (name, value) = variable.split_once('=').unwrap_or((&variable, ""));
        let shown = values && !hides(name);
        (short(name), shown.then(|| short(&redact(value))))
    });
    pairs.collect()
}

/// Returns the processes of the run, each after its parent.
fn processes() -> (Vec<Process>, usize) {
    let before: HashMap<i32, u64> = times().collect();
    thread::sleep(SAMPLE);
    let now = boot_clock_us();
    let mut all: Vec<Process> =
        descendants().into_iter().filter_map(|pid| process(pid.as_raw(), &before, now)).collect();
    let more = all.len().saturating_sub(PROCESSES);
    all.truncate(PROCESSES);
    (all, more)
}

fn times() -> impl Iterator<Item = (i32, u64)> {
    descendants().into_iter().filter_map(|pid| Some((pid.as_raw(), Stat::of_living(pid.as_raw())?.ticks)))
}

#[allow(clippy::cast_precision_loss, reason = "for people")]
fn process(pid: i32, before: &HashMap<i32, u64>, now: u64) -> Option<Process> {
    let stat = Stat::of_living(pid)?;
    let status = text(format!("/proc/{pid}/status")).unwrap_or_default();
    let number = |name: &str| -> Option<u64> {
        status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
    };
    let state = status.lines().find_map(|line| line.strip_prefix("State:")?.trim().chars().next());
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ");
    let name = || format!("[{}]", text(format!("/proc/{pid}/comm")).unwrap_or_default().trim());
    let used = stat.ticks.saturating_sub(before.get(&pid).copied().unwrap_or(stat.ticks));
    Some(Process {
        pid,
        parent: stat.parent,
        state: state.unwrap_or('?'),
        cpu_percent: (used as f64 / TICKS / SAMPLE.as_secs_f64() * 100.0).round(),
        cpu_seconds: stat.ticks as f64 / TICKS,
        memory: number("VmRSS:").unwrap_or(0) << 10,
        threads: number("Threads:").and_then(|threads| u32::try_from(threads).ok()).unwrap_or(1),
        age_seconds: (now as f64 / 1e6 - stat.started as f64 / TICKS).max(0.0),
        command: if words.is_empty() { name() } else { short(&redact(&words)) },
    })
}

/// Returns the open files of processes, each path once in a process, the number of omitted files, and the number of
/// sockets.
fn open_files(processes: &[Process]) -> (Vec<OpenFile>, usize, usize) {
    let (mut files, mut more, mut sockets): (Vec<OpenFile>, usize, usize) = (Vec::new(), 0, 0);
    for process in processes {
        let pid = process.pid;
        let first = files.len();
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let Some(fd) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let Some(path) = link(entry.path()) else { continue };
            sockets += usize::from(path.starts_with("socket:"));
            let known = files.get(first..).is_some_and(|own| own.iter().any(|file| file.path == path));
            if !path.starts_with('/') || path.starts_with("/dev/null") || known {
                continue;
            }
            if files.len() == FILES {
                more += 1;
                continue;
            }
            let info = text(format!("/proc/{pid}/fdinfo/{fd}")).unwrap_or_default();
            let position = info.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse().ok());
            let file = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file);
            let size = file.map(|file| file.len());
            files.push(OpenFile { pid, fd, path, position: position.filter(|_| size.is_some()), size });
        }
    }
    (files, more, sockets)
}

/// Returns the GPUs of the program, or all GPUs of the host if the program has none of its own. Returns `None` if the
/// host has no `nvidia-smi`, or if it does not respond.
fn gpus(own: Option<&[String]>) -> Option<Vec<Gpu>> {
    let child = Command::new("nvidia-smi")
        .args(["--query-gpu=index,name,utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let pid = child.id().cast_signed();
    let (show, shown) = mpsc::channel();
    let mut stdout = child.stdout?;
    // The main thread reaps all children of the supervisor, so this thread only reads.
    let reads = move || {
        let mut text = String::new();
        let read = stdout.by_ref().take(MOST as u64).read_to_string(&mut text);
        drop(show.send(read.is_ok().then_some(text)));
    };
    spawn("gpus", reads).ok()?;
    let text = shown.recv_timeout(GPU_PATIENCE).ok().flatten();
    let lives = || Stat::of_living(pid).is_some_and(|stat| stat.parent == std::process::id().cast_signed());
    if text.is_none() && lives() {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let found = text?.lines().filter_map(gpu).filter(|gpu| own.is_none_or(|own| own.contains(&gpu.index))).collect();
    Some(found)
}

fn gpu(line: &str) -> Option<Gpu> {
    let mut words = line.split(',').map(str::trim);
    let (index, name) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut number = || words.next()?.parse().ok();
    Some(Gpu { index, name, busy_percent: number(), memory_mib: number(), total_mib: number() })
}

fn link(path: impl AsRef<Path>) -> Option<String> {
    Some(short(&fs::read_link(path).ok()?.to_string_lossy()))
}

fn short(text: &str) -> String {
    text.char_indices()
        .nth(TEXT)
        .map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", text.get(..end).unwrap_or_default()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Description, MOST, OpenFile, bounded, gpu};

    #[test]
    fn a_description_is_shortened_to_what_the_server_accepts() {
        let file = OpenFile { path: "\u{1}".repeat(400), ..OpenFile::default() };
        let environment = (0..500).map(|number| (format!("{number}{}", "n".repeat(400)), None)).collect();
        let description = Description { files: vec![file; 200], environment, ..Description::default() };
        let text = bounded(description);
        assert!(text.len() <= MOST, "{}", text.len());
        let read: Description = serde_json::from_str(&text).unwrap();
        assert_eq!(read.files.len() + read.more_files, 200);
        assert_eq!(read.environment.len() + read.more_variables, 500);
    }

    #[test]
    fn lines_of_nvidia_smi_are_read_even_without_numbers() {
        let read = gpu("0, NVIDIA A100-SXM4-40GB, 97, 30211, 40960").unwrap();
        assert_eq!((read.index.as_str(), read.busy_percent, read.total_mib), ("0", Some(97.0), Some(40960.0)));
        assert_eq!(gpu("1, Tesla, [N/A], 3, 4").unwrap().busy_percent, None);
    }
}
