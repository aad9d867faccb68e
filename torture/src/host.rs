//! A host of workers: a name, a state folder on its own disk, and its own route to a namespace. Some hosts are
//! containers, in which the worker is process 1.

use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::jobs::QUEUE;
use crate::neighbour;
use crate::way::Way;

pub const LEASE: Duration = Duration::from_secs(6);

/// Number of slots of a worker.
const SLOTS: &str = "4";

/// Size of a host's disk.
const DISK: u64 = 32 << 20;

/// Surroundings that workers inherit in turn.
#[derive(Clone, Copy, Debug)]
enum Inherited {
    Usual,
    /// SIGCHLD is ignored.
    NoChildren,
    /// The worker's stderr is a full pipe that no process reads.
    FullPipe,
}

const INHERITED: [Inherited; 3] = [Inherited::Usual, Inherited::NoChildren, Inherited::FullPipe];

/// Kind of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A machine with a name of its own.
    Machine,
    /// A container with its own processes. All containers have the same host name, and the worker in each is process 1.
    Container,
}

/// The host name of all containers.
const TWIN: &str = "twin";

impl Kind {
    pub fn workers(self) -> u32 {
        if self == Self::Machine { 2 } else { 1 }
    }
}

/// A process of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Supervisor,
    Program,
}

/// Works on a task.
#[derive(Clone, Debug)]
pub struct Victim {
    pub task: String,
    pub run: PathBuf,
    pub supervisor: i32,
    pub program: Option<i32>,
}

impl Victim {
    pub fn pid(&self, who: Who) -> Option<i32> {
        match who {
            Who::Supervisor => Some(self.supervisor),
            Who::Program => self.program,
        }
    }
}

pub struct Host {
    name: String,
    kind: Kind,
    /// Number of workers started so far, including workers of the hosts before this one. It selects the inherited
    /// surroundings.
    started: usize,
    pipe: (PipeReader, PipeWriter),
    state: PathBuf,
    log: PathBuf,
    programs: PathBuf,
    config: PathBuf,
    blueque: PathBuf,
    way: Way,
    /// Folder to which output is published. None means the state folder.
    publish: Option<PathBuf>,
    pub workers: Vec<Child>,
}

impl Host {
    pub fn new(
        (name, kind, number): (&str, Kind, usize),
        folder: &Path,
        (programs, config): (PathBuf, PathBuf),
        blueque: &Path,
        (way, publish): (Way, Option<PathBuf>),
    ) -> Result<Self> {
        let state = folder.join(name);
        fs::create_dir(&state)?;
        let data = format!("size={DISK},mode=0700");
        mount(Some("tmpfs"), &state, Some("tmpfs"), MsFlags::empty(), Some(data.as_str()))
            .context("no disk of its own for a host's state folder")?;
        Ok(Self {
            name: name.to_owned(),
            kind,
            started: number,
            pipe: full_pipe()?,
            log: folder.join(format!("{name}.log")),
            state,
            programs,
            config,
            blueque: blueque.to_owned(),
            way,
            publish,
            workers: Vec::new(),
        })
    }

    pub fn start_worker(&mut self) -> Result<()> {
        let inherited = INHERITED.into_iter().cycle().nth(self.started).unwrap_or(Inherited::Usual);
        self.started = (self.started + 1) % INHERITED.len();
        let log: Stdio = match inherited {
            Inherited::FullPipe => self.pipe.1.try_clone()?.into(),
            _ => File::options().create(true).append(true).open(&self.log)?.into(),
        };
        let ignores = if matches!(inherited, Inherited::NoChildren) { "trap '' CHLD; " } else { "" };
        let mut command = Command::new("unshare");
        command.arg("--uts");
        let name = match self.kind {
            Kind::Machine => &self.name,
            Kind::Container => {
                command.args(["--pid", "--fork", "--kill-child", "--mount-proc"]);
                TWIN
            }
        };
        let script = format!("hostname \"$0\" && {ignores}exec \"$@\"");
        command.args(["sh", "-c", &script]).arg(name).arg(&self.blueque);
        command.args(["worker", "--queue", QUEUE, "--slots", SLOTS, "--lease", "6s", "--grace", "2s", "--drain"]);
        command.args(["checkpoint", "--dir"]).arg(&self.programs).arg("--state-dir").arg(&self.state);
        command.arg("--config").arg(&self.config);
        if let Some(folder) = &self.publish {
            command.arg("--publish").arg(folder);
        }
        command.env("BLUEQUE_URL", &self.way.url).env("BLUEQUE_NAMESPACE", &self.way.namespace);
        command.env_remove("BLUEQUE_PASSWORD");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.workers.push(command.spawn().context("no worker can be started: apt-get install util-linux")?);
        Ok(())
    }

    /// Returns the process id of a worker. In a container, the worker is the child of the process that created the PID
    /// namespace.
    pub fn pid(&self, worker: &Child) -> Option<i32> {
        let pid = worker.id().cast_signed();
        match self.kind {
            Kind::Machine => Some(pid),
            Kind::Container => {
                let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
                children.split_whitespace().next()?.parse().ok()
            }
        }
    }

    /// Returns the process that has this number on this host.
    fn outside(&self, pid: i32) -> Option<i32> {
        match self.kind {
            Kind::Machine => Some(pid),
            Kind::Container => self.processes().into_iter().find(|outside| number_inside(*outside) == Some(pid)),
        }
    }

    /// Returns a folder of the workers.
    fn of_namespace(&self, name: &str) -> PathBuf {
        self.state.join(&self.way.namespace).join(name)
    }

    /// Returns the processes of this host's tasks, according to the lock files.
    pub fn victims(&self) -> Vec<Victim> {
        let runs = fs::read_dir(self.of_namespace("runs")).into_iter().flatten().flatten();
        let read = |run: PathBuf| {
            let holder: Value = serde_json::from_slice(&fs::read(run.join("lock")).ok()?).ok()?;
            let pid = |who: &str| {
                let pid = self.outside(i32::try_from(holder.get(who)?.get("pid")?.as_i64()?).ok()?)?;
                lives(pid).then_some(pid)
            };
            let (task, _) = run.file_name()?.to_str()?.rsplit_once('.')?;
            let (supervisor, program) = (pid("supervisor")?, pid("program"));
            Some(Victim { task: task.to_owned(), run: run.clone(), supervisor, program })
        };
        runs.filter_map(|run| read(run.path())).collect()
    }

    /// Fills the disk.
    pub fn fill(&self) -> Result<()> {
        let mut ballast = File::create(self.state.join("ballast"))?;
        for size in [1 << 20, 1 << 12, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(())
    }

    pub fn empty(&self) {
        let _ = fs::remove_file(self.state.join("ballast"));
    }

    pub fn output(&self, task: &str) -> Option<String> {
        let published = self.publish.clone().unwrap_or_else(|| self.of_namespace("output"));
        fs::read_to_string(published.join(task).join("attempt")).ok()
    }

    /// Asks the workers to end, and waits for their end.
    pub fn end(&mut self, limit: Duration) -> Result<()> {
        let until = Instant::now() + limit;
        for worker in self.workers.iter().filter_map(|worker| self.pid(worker)) {
            send(worker, Signal::SIGTERM);
        }
        for worker in &mut self.workers {
            while worker.try_wait()?.is_none() {
                ensure!(Instant::now() < until, "a worker of {} does not end within {limit:?}", self.name);
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        self.workers.clear();
        Ok(())
    }

    /// Returns the run folders of this host's tasks.
    pub fn runs(&self) -> Vec<String> {
        let runs = fs::read_dir(self.of_namespace("runs")).into_iter().flatten().flatten();
        runs.map(|run| run.path().display().to_string()).collect()
    }

    /// Returns the run folders and processes of this host's tasks.
    pub fn left(&self) -> Vec<String> {
        let mut left = self.runs();
        left.extend(self.processes().iter().map(|pid| format!("process {pid}")));
        left
    }

    fn processes(&self) -> Vec<i32> {
        let state = self.state.to_string_lossy();
        let mine = |word: &str| word.strip_prefix("BLUEQUE_RUN=").unwrap_or(word).starts_with(&*state);
        let names = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &i32| {
            let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            if fs::metadata(format!("/proc/{pid}")).is_ok_and(|about| about.uid() == neighbour::USER) {
                return false;
            }
            ["environ", "cmdline"].iter().any(|name| String::from_utf8_lossy(&read(name)).split('\0').any(mine))
        })
        .collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for pid in self.processes() {
            send(pid, Signal::SIGKILL);
        }
        self.workers.drain(..).for_each(killed);
        let _ = umount2(&self.state, MntFlags::MNT_DETACH);
    }
}

pub fn killed(mut worker: Child) {
    let _ = worker.kill();
    let _ = worker.wait();
}

pub fn send(pid: i32, signal: Signal) {
    // The process may have ended.
    let _ = kill(Pid::from_raw(pid), signal);
}

fn lives(pid: i32) -> bool {
    // The name before the last `)` need not be UTF-8.
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(|&byte| byte == b')')
        .next()
        .is_some_and(|rest| matches!(rest, [b' ', state, ..] if !b"ZX".contains(state)))
}

/// Returns the number of a process in its own PID namespace, or none if the process shares our PID namespace.
fn number_inside(pid: i32) -> Option<i32> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().nth(1)?.parse().ok()
}

/// Returns a full pipe that no process reads.
fn full_pipe() -> Result<(PipeReader, PipeWriter)> {
    let (reader, mut writer) = io::pipe()?;
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    for size in [1 << 12, 1] {
        while writer.write_all(&vec![b'\n'; size]).is_ok() {}
    }
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::empty()))?;
    Ok((reader, writer))
}
