//! A server, a task reserved by the test, a program written by the test, and its supervisor.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use blueque::calls::ReserveOptions;
use blueque::{Client, ListenerId, Submit, Task, TaskInfo};
use nix::sys::signal::{Signal, kill};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::{Folder, Server, eventually};

const LISTENER: &str = "test_1";
pub const QUEUE: &str = "films";

pub struct Stage {
    pub server: Server,
    pub client: Client,
    pub state: Folder,
}

impl Stage {
    pub fn new() -> Self {
        let server = Server::start_with(&["--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
        let client = Client::open(&server.url()).unwrap();
        client.listener_as(ListenerId::new(LISTENER).unwrap(), &[QUEUE]).unwrap();
        Self { server, client, state: Folder::new() }
    }

    /// A task whose program is this script, reserved, with its run folder, and without a supervisor yet.
    pub fn task(&self, script: &str) -> Run {
        self.task_with(script, Duration::from_secs(60), |_| {})
    }

    pub fn task_with(&self, script: &str, lease: Duration, change: impl FnOnce(&mut Value)) -> Run {
        let task = self.client.queue(QUEUE).unwrap().submit(&["one", "zwei"], Submit::default()).unwrap();
        let program = self.program(task.id().as_str(), script);
        self.reserve(&task, &program, lease, change)
    }

    /// Takes a pending task, and creates its run folder.
    pub fn reserve(&self, task: &Task, program: &Path, lease: Duration, change: impl FnOnce(&mut Value)) -> Run {
        let renewed = boot_clock_us();
        let listener = ListenerId::new(LISTENER).unwrap();
        let queue = self.client.queue(QUEUE).unwrap();
        let options = ReserveOptions::new().lease(lease).request(task.id().as_str());
        let call = self.client.calls().reserve(&listener, &[queue.name().clone()], &options);
        let reserved = self.client.call(&call).unwrap().pop().expect("the task is there to be reserved");
        assert_eq!(&reserved.id, task.id(), "the only task");
        let id = reserved.id.as_str();
        let folder = self.runs().join(format!("{id}.{}", reserved.token));
        fs::create_dir_all(folder.join("work")).unwrap();
        fs::create_dir_all(folder.join("output")).unwrap();
        let mut run = json!({
            "version": 1, "namespace": "blueque", "url": self.server.url(), "id": id, "queue": QUEUE,
            "token": reserved.token.value(), "attempt": reserved.attempt, "listener": LISTENER,
            "lease_ms": u64::try_from(lease.as_millis()).unwrap(), "renewed_us": renewed,
            "boot": fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim(),
            "method": "test", "program": [program], "start_reason": "new",
            "machine": "", "environment": [], "on_drain": "wait", "pause_ms": 0, "suspect": false,
            "limits": { "grace_ms": 1_000 },
        });
        change(&mut run);
        fs::write(folder.join("run.json"), run.to_string()).unwrap();
        fs::write(folder.join("parameters"), &reserved.parameters).unwrap();
        if let Some(checkpoint) = &reserved.checkpoint {
            fs::write(folder.join("checkpoint"), checkpoint).unwrap();
        }
        fs::write(folder.join("events"), "").unwrap();
        Run { folder, task: task.clone(), password: String::new(), supervisor: None }
    }

    /// Writes a program with its interpreter in its first line.
    pub fn program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.state.path().join(format!("program-{name}"));
        let first = if script.starts_with("#!") { "" } else { "#!/bin/sh\n" };
        fs::write(&path, format!("{first}{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn runs(&self) -> PathBuf {
        self.state.path().join("blueque/runs")
    }

    /// The folder in which outputs are published.
    pub fn published(&self, run: &Run) -> PathBuf {
        self.state.path().join("blueque/output").join(run.task.id().as_str())
    }

    /// The log on the disk: each line without its time.
    pub fn disk_log(&self, run: &Run) -> Vec<String> {
        let token = run.folder.file_name().unwrap().to_str().unwrap().rsplit_once('.').unwrap().1;
        let folder = self.state.path().join(format!("blueque/logs/{}.1.{token}", run.task.id()));
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        text.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    }

    /// Number of heartbeats that were executed since the server started.
    pub fn renewals(&self) -> u64 {
        let mut connection = self.server.connection();
        // Every heartbeat updates the leases, and few other calls do.
        let info: String = redis::cmd("INFO").arg("commandstats").query(&mut connection).unwrap();
        let line = info.lines().find(|line| line.starts_with("cmdstat_hlen:")).unwrap_or("calls=0,");
        line.split_once("calls=").unwrap().1.split_once(',').unwrap().0.parse().unwrap()
    }

    /// End of the only lease; every heartbeat advances it.
    pub fn deadline(&self) -> Option<u64> {
        let leases: Vec<(String, u64)> = redis::cmd("ZRANGE")
            .arg(format!("blueque_leases_{QUEUE}"))
            .arg(&[b"0", b"0"])
            .arg("WITHSCORES")
            .query(&mut self.server.connection())
            .unwrap();
        leases.first().map(|lease| lease.1)
    }

    /// Announces orders.
    pub fn call(&self) {
        redis::cmd("PUBLISH")
            .arg(format!("blueque_orders_{QUEUE}"))
            .arg("")
            .exec(&mut self.server.connection())
            .unwrap();
    }

    /// Everything that the server stores about a task.
    pub fn dump(&self, run: &Run) -> String {
        let mut connection = self.server.connection();
        let key = format!("blueque_task_{}", run.task.id());
        let record: std::collections::BTreeMap<String, Vec<u8>> =
            redis::cmd("HGETALL").arg(key).query(&mut connection).unwrap();
        format!("{record:?} {:?}", self.client.queue(QUEUE).unwrap().counts().unwrap())
    }

    /// Number of times that a task entered a state.
    pub fn transitions(&self, run: &Run, to: &str) -> usize {
        let queue = self.client.queue(QUEUE).unwrap();
        let events = self
            .client
            .call(&self.client.calls().events(queue.name(), "0", 500, &blueque::calls::EventsOptions::new()))
            .unwrap()
            .items;
        events.iter().filter(|event| event.id == run.task.id().as_str() && event.to == to).count()
    }

    /// The entries of one source in the log in Redis.
    pub fn log(&self, run: &Run, source: &str) -> Vec<Vec<u8>> {
        let entries = self
            .client
            .call(&self.client.calls().logs(run.task.id(), "0", 500, &blueque::calls::LogsOptions::new()))
            .unwrap()
            .items;
        entries.into_iter().filter(|entry| entry.source == source).map(|entry| entry.text).collect()
    }
}

pub struct Run {
    pub folder: PathBuf,
    pub task: Task,
    /// The server's password.
    pub password: String,
    supervisor: Option<Child>,
}

impl Run {
    /// Starts the supervisor.
    pub fn supervise(&mut self) -> Pid {
        self.supervise_with(Stdio::inherit())
    }

    pub fn supervise_with(&mut self, stderr: Stdio) -> Pid {
        self.supervise_by(Command::new(env!("CARGO_BIN_EXE_blueque")), stderr)
    }

    /// Starts the supervisor so that rights of files hold for it, even if root runs this test.
    pub fn supervise_as_a_user(&mut self) -> Pid {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-dac_override,-dac_read_search", env!("CARGO_BIN_EXE_blueque")]);
        let is_root = nix::unistd::geteuid().is_root();
        self.supervise_by(if is_root { command } else { Command::new(env!("CARGO_BIN_EXE_blueque")) }, Stdio::inherit())
    }

    pub fn supervise_by(&mut self, mut command: Command, stderr: Stdio) -> Pid {
        command.arg("supervise").arg(&self.folder).arg("--password-stdin").stdin(Stdio::piped()).stdout(Stdio::null());
        command.stderr(stderr);
        let mut child = command.env("SECRET", "of the worker").spawn().unwrap();
        child.stdin.take().unwrap().write_all(self.password.as_bytes()).unwrap();
        let pid = Pid::from_raw(child.id().cast_signed());
        self.supervisor = Some(child);
        pid
    }

    /// Starts the supervisor and waits until it has ended; returns the task.
    pub fn finish(&mut self) -> TaskInfo {
        self.supervise();
        self.ended();
        self.task.info().unwrap()
    }

    /// Waits for the supervisor's end.
    pub fn ended(&mut self) -> ExitStatus {
        let supervisor = self.supervisor.as_mut().expect("a supervisor was started");
        eventually("the supervisor ends", || supervisor.try_wait().unwrap())
    }

    /// A supervisor after the first has ended.
    pub fn again(&mut self) -> ExitStatus {
        self.supervise();
        self.ended()
    }

    /// Runs a supervisor at the same time as the first supervisor.
    pub fn second(&self) -> ExitStatus {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.arg("supervise").arg(&self.folder).stdin(Stdio::null()).stderr(Stdio::null()).status().unwrap()
    }

    /// Waits until the program has written a file with this name to its working folder.
    pub fn said(&self, name: &str) -> String {
        eventually(&format!("the program writes {name}"), || {
            fs::read_to_string(self.folder.join("work").join(name)).ok().filter(|text| text.ends_with('\n'))
        })
        .trim()
        .to_owned()
    }

    /// A pid that the program has written.
    pub fn pid(&self, name: &str) -> Pid {
        Pid::from_raw(self.said(name).parse().unwrap())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(supervisor) = self.supervisor.as_mut() {
            let _ = supervisor.kill();
            let _ = supervisor.wait();
        }
    }
}

pub fn boot_clock_us() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_BOOTTIME).unwrap();
    u64::try_from(time.tv_sec() * 1_000_000 + time.tv_nsec() / 1_000).unwrap()
}

pub fn send(pid: Pid, signal: Signal) {
    kill(pid, signal).unwrap();
}

/// Waits until a process is gone; a zombie counts as gone.
pub fn gone(pid: Pid) {
    eventually(&format!("process {pid} is gone"), || (!lives(pid)).then_some(()));
}

pub fn lives(pid: Pid) -> bool {
    fs::read(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !String::from_utf8_lossy(&stat).rsplit_once(") ").unwrap().1.starts_with(['Z', 'X']))
}

pub fn text(bytes: Option<&[u8]>) -> String {
    String::from_utf8(bytes.unwrap_or_default().to_vec()).unwrap()
}
