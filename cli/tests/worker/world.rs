//! A server, a folder of programs, a folder of state, and workers on them; all removed at the end.

#![allow(dead_code)]

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use blueque::{Client, Status, Submit, Task, TaskId, TaskInfo};

use crate::support::{Folder, Server, eventually};

pub const LIMIT: Duration = Duration::from_secs(30);

pub struct World {
    pub server: Server,
    pub folder: Folder,
    pub client: Client,
}

/// A worker's process, killed when dropped.
pub struct Worker(pub Child);

impl Worker {
    pub fn pid(&self) -> i32 {
        self.0.id().cast_signed()
    }

    pub fn signal(&self, signal: &str) {
        send(signal, self.pid());
    }

    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits until it ends on its own.
    pub fn ended(&mut self) -> std::process::ExitStatus {
        eventually("the worker ends", || self.0.try_wait().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl World {
    pub fn new() -> Self {
        Self::on(Server::start())
    }

    pub fn on(server: Server) -> Self {
        let client = Client::open(&server.url()).unwrap();
        Self::reached(server, client)
    }

    /// A world whose client reaches the server in another way.
    pub fn reached(server: Server, client: Client) -> Self {
        let world = Self { server, folder: Folder::new(), client };
        fs::create_dir(world.path("worker.d")).unwrap();
        fs::set_permissions(world.path("worker.d"), PermissionsExt::from_mode(0o755)).unwrap();
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A shell script in worker.d. `FOLDER` in its text stands for this world's folder.
    pub fn program(&self, name: &str, text: &str) {
        let path = self.path("worker.d").join(name);
        let text = text.replace("FOLDER", self.folder.path().to_str().unwrap());
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Runs the command: its exit code, stdout and stderr.
    pub fn outcome(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.args(args).env("BLUEQUE_URL", self.server.url()).env("XDG_CONFIG_HOME", self.path("none"));
        command.env("BLUEQUE_STATE_DIR", self.path("user")); // of a user, not of a worker
        let output = command.output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), out, err)
    }

    pub fn worker(&self, args: &[&str]) -> Worker {
        self.worker_of(Path::new(env!("CARGO_BIN_EXE_blueque")), args)
    }

    pub fn worker_of(&self, binary: &Path, args: &[&str]) -> Worker {
        Worker(self.command(binary, args).spawn().unwrap())
    }

    pub fn command(&self, binary: &Path, args: &[&str]) -> Command {
        let log = File::options().create(true).append(true).open(self.path("worker.log")).unwrap();
        let mut command = Command::new(binary);
        command.args(["worker", "--dir"]).arg(self.path("worker.d")).args(args);
        command.env("BLUEQUE_URL", self.server.url()).env("BLUEQUE_STATE_DIR", self.path("state"));
        command
            .env_remove("BLUEQUE_NAMESPACE")
            .env_remove("BLUEQUE_PASSWORD")
            .env("XDG_CONFIG_HOME", self.path("none"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command
    }

    /// Runs a command while the worker runs; returns all its output.
    pub fn run(&self, args: &[&str]) -> String {
        let (_, out, err) = self.outcome(args);
        out + &err
    }

    pub fn submit(&self, queue: &str, parameters: &str) -> Task {
        self.client.queue(queue).unwrap().submit_bytes(parameters.as_bytes(), Submit::default()).unwrap()
    }

    pub fn submit_as(&self, queue: &str, id: &str, how: Submit) -> Task {
        self.client.queue(queue).unwrap().submit_bytes(b"[]", how.id(TaskId::new(id).unwrap())).unwrap()
    }

    /// A worker that runs HOLD for a task, which is started.
    pub fn holding(&self, args: &[&str]) -> (Worker, Task) {
        self.program("hold", HOLD);
        let worker = self.worker(&[&["--queue", "hold"], args].concat());
        (worker, self.held())
    }

    /// A task of the queue `hold` whose program an existing worker has started.
    pub fn held(&self) -> Task {
        let task = self.submit("hold", "[]");
        self.written("pid");
        status(&task, Status::Started);
        task
    }

    /// Waits until a program has written this file completely (ending in a newline), and reads it.
    pub fn written(&self, name: &str) -> String {
        eventually(&format!("{name} is written"), || {
            let text = fs::read_to_string(self.path(name)).ok()?;
            text.ends_with('\n').then(|| text.trim().to_owned())
        })
    }

    pub fn touch(&self, name: &str) {
        fs::write(self.path(name), "").unwrap();
    }

    /// The folders of runs.
    pub fn runs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path("state/blueque/runs")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().path());
        names.filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.')).collect()
    }

    /// The supervisor of the only run.
    pub fn supervisor(&self) -> i32 {
        eventually("there is a supervisor and its program", || {
            let runs = self.runs();
            assert!(runs.len() <= 1, "one run: {runs:?}");
            let text = fs::read(runs.first()?.join("lock")).ok()?;
            let holder: serde_json::Value = serde_json::from_slice(&text).ok()?;
            holder.get("program")?.as_object()?;
            i32::try_from(holder["supervisor"]["pid"].as_i64()?).ok()
        })
    }

    /// Every process of this world: supervisors, programs, and what they started.
    pub fn processes(&self) -> Vec<i32> {
        let state = self.path("state");
        let state = state.to_str().unwrap();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let read = |name: &str| {
                let bytes = fs::read(entry.path().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            };
            let runs = |variable: &str| variable.strip_prefix("BLUEQUE_RUN=").is_some_and(|run| run.starts_with(state));
            let supervises = || read("cmdline").split('\0').any(|word| word.starts_with(state));
            if read("environ").split('\0').any(runs) || supervises() {
                found.push(pid);
            }
        }
        found
    }

    pub fn nothing_is_left(&self) {
        eventually("no process of a task is left", || self.processes().is_empty().then_some(()));
        eventually("no run folder is left", || self.runs().is_empty().then_some(()));
    }

    pub fn log(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.path(name)).unwrap_or_default();
        format!("{}\n{}", read("worker.log"), read("state/blueque/supervisors.log"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
            for pid in self.processes() {
                let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                eprintln!("process {pid} is left: {}", String::from_utf8_lossy(&line).replace('\0', " "));
            }
        }
        for pid in self.processes() {
            send("KILL", pid);
        }
    }
}

pub fn send(signal: &str, pid: i32) {
    let _ = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).stderr(Stdio::null()).status();
}

pub fn lives(pid: i32) -> bool {
    let Ok(stat) = fs::read(format!("/proc/{pid}/stat")) else { return false };
    !String::from_utf8_lossy(&stat).rsplit_once(") ").unwrap().1.starts_with(['Z', 'X'])
}

/// Writes its pid, then waits until it is released. Its grandchild has another session.
pub const HOLD: &str = "setsid sleep 600 & echo $! > FOLDER/grandchild\n\
    echo $$ > FOLDER/pid; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo '\"done\"'";

/// Counts to 60, and saves after each step. Records the start of each attempt.
pub const STEPS: &str = "n=0; [ -e \"$BLUEQUE_CHECKPOINT\" ] && n=$(cat \"$BLUEQUE_CHECKPOINT\")\n\
    echo \"$BLUEQUE_ATTEMPT $n\" >> FOLDER/begun\n\
    while [ $n -lt 60 ]; do\n\
      [ -e \"$BLUEQUE_STOP\" ] && exit 85\n\
      n=$((n + 1)); sleep 0.05\n\
      echo $n > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"\n\
    done\n\
    echo \"[$n]\"";

/// Waits until the server has the checkpoint of STEPS up to this step, and returns the step.
pub fn saved(task: &Task, least: u32) -> u32 {
    eventually("the checkpoint is saved", || {
        let info = task.info().unwrap();
        let saved: u32 = std::str::from_utf8(info.checkpoint_bytes()?).unwrap().trim().parse().unwrap();
        (saved >= least).then_some(saved)
    })
}

/// The steps at which the attempts of STEPS began.
pub fn beginnings(world: &World) -> Vec<u32> {
    let text = fs::read_to_string(world.path("begun")).unwrap();
    text.lines().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect()
}

pub fn status(task: &Task, status: Status) -> TaskInfo {
    eventually(&format!("{} is {status}", task.id()), || {
        let info = task.info().unwrap();
        (info.status() == Some(status)).then_some(info)
    })
}

pub fn field(info: &TaskInfo, name: &str) -> String {
    String::from_utf8(info.fields.get(name).cloned().unwrap_or_default()).unwrap()
}

pub fn result(task: &Task) -> String {
    let info = task.wait(LIMIT).unwrap_or_else(|error| panic!("{}: {error}", task.id()));
    assert_eq!(info.status(), Some(Status::Complete), "{:?}", info.error());
    String::from_utf8(info.result_bytes().unwrap().to_vec()).unwrap()
}
