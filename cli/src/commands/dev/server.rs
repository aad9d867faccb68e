//! The private server of `blueque dev`: durable, on a unix socket in the data folder and on loopback.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::output::{Code, fault};
use crate::run_folder::lock::Process;

/// The longest path that a unix socket can have, with some room.
const SOCKET: usize = 100;

/// Reading the data of an earlier start may take its time.
const LOADING: Duration = Duration::from_secs(60);

pub struct Server {
    child: Child,
    port: u16,
    socket: Option<PathBuf>,
    log: PathBuf,
}

impl Server {
    /// Starts it. Nothing of an earlier one runs any more.
    pub fn start(data: &Path, port: u16) -> anyhow::Result<Self> {
        let program = program()?;
        if let Err(error) = TcpListener::bind(("127.0.0.1", port)) {
            return Err(fault(Code::Refused, format!("port {port} is not free ({error}): choose another by --port")));
        }
        let folder = data.join("server");
        crate::run_folder::private_folders(&folder)?;
        let socket = Some(folder.join("socket")).filter(|path| path.as_os_str().len() <= SOCKET);
        let log = folder.join("log");
        let mut command = Command::new(&program);
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--daemonize", "no"]);
        command.args(["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""]);
        command.args(["--maxmemory-policy", "noeviction"]).arg("--dir").arg(&folder).arg("--logfile").arg(&log);
        if let Some(socket) = &socket {
            let _ = fs::remove_file(socket);
            command.arg("--unixsocket").arg(socket).args(["--unixsocketperm", "700"]);
        }
        // Ctrl-C in the terminal is not for the server: it ends last.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
        Ok(Self { child, port, socket, log })
    }

    pub fn process(&self) -> Option<Process> {
        Process::of(self.child.id().cast_signed())
    }

    /// Waits until it answers.
    pub fn ready(&mut self) -> anyhow::Result<()> {
        let server = redis::Client::open(self.url())?;
        let end = Instant::now() + LOADING;
        loop {
            let answer = server.get_connection_with_timeout(Duration::from_secs(1)).and_then(|mut connection| {
                connection.set_read_timeout(Some(Duration::from_secs(1)))?;
                redis::cmd("PING").query::<String>(&mut connection)
            });
            if answer.is_ok() {
                return Ok(());
            }
            if let Some(status) = self.ended()? {
                bail!("the server ended at once: {status}\n{}", super::tail(&self.log).unwrap_or_default());
            }
            if Instant::now() > end {
                bail!("the server does not answer; see {}", self.log.display());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// For this machine's user: the socket, where its path is short enough.
    pub fn url(&self) -> String {
        self.socket.as_ref().map_or_else(|| self.address(), |socket| format!("unix://{}", socket.display()))
    }

    /// On loopback.
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub fn log(&self) -> &Path {
        &self.log
    }

    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Ends it; what it knows is on the disk first.
    pub fn stop(&mut self) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
        let _ = self.child.wait();
        if let Some(socket) = &self.socket {
            let _ = fs::remove_file(socket);
        }
    }
}

/// `BLUEQUE_REDIS_SERVER`, else the first of two names on `PATH`.
fn program() -> anyhow::Result<PathBuf> {
    if let Some(named) = env::var_os("BLUEQUE_REDIS_SERVER").filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let names = ["valkey-server", "redis-server"];
    let mut found = names.iter().flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    found.find(|file| file.is_file()).ok_or_else(|| {
        let text = "no valkey-server or redis-server: install one (apt-get install redis-server, brew install valkey), \
                    or set BLUEQUE_REDIS_SERVER";
        fault(Code::Failed, text)
    })
}
