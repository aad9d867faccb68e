//! The server under test and its replica: killed, truncated, reset to older data, promoted, out of memory, with another
//! clock.

use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use redis::{Connection, ErrorKind, ServerErrorKind};

use crate::clock::Clock;
use crate::proxy::Proxy;

const STARTS: Duration = Duration::from_secs(20);

/// The remains of a transaction that a power loss interrupted during the write.
const TORN: &[u8] =
    b"*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$7\r\ntorture\r\n$4\r\ntorn\r\n*3\r\n$3\r\nSET\r\n$7\r\ntor";

struct Server {
    folder: PathBuf,
    port: u16,
    child: Child,
}

impl Server {
    fn connection(&self) -> Result<Connection> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", self.port))?;
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(2))?;
        connection.set_read_timeout(Some(Duration::from_secs(5)))?;
        let until = Instant::now() + STARTS;
        // A replica reloads its data whenever it has lost its primary.
        while let Err(error) = redis::cmd("PING").exec(&mut connection) {
            ensure!(error.kind() == ErrorKind::Server(ServerErrorKind::BusyLoading) && Instant::now() < until, error);
            thread::sleep(Duration::from_millis(20));
        }
        Ok(connection)
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

pub struct Servers {
    program: PathBuf,
    folder: PathBuf,
    pub clock: Clock,
    /// Route to the primary that no fault affects.
    pub calm: Proxy,
    primary: Server,
    replica: Server,
    /// Number of servers so far.
    count: u32,
}

impl Servers {
    pub fn start(program: PathBuf, folder: &Path) -> Result<Self> {
        let clock = Clock::new(folder)?;
        let primary = start(&program, &clock, &folder.join("server-1"), free_port()?, None)?;
        let replica = start(&program, &clock, &folder.join("server-2"), free_port()?, Some(primary.port))?;
        let calm = Proxy::start(primary.port)?;
        Ok(Self { program, folder: folder.to_owned(), clock, calm, primary, replica, count: 2 })
    }

    pub fn port(&self) -> u16 {
        self.primary.port
    }

    /// Returns the time of the server's clock in microseconds since 1970, as in tokens.
    pub fn now_us(&self) -> Result<u64> {
        let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut self.primary.connection()?)?;
        Ok(seconds * 1_000_000 + micros)
    }

    /// Waits until the replica has all earlier writes, also on its disk. After a full synchronisation the replica's AOF
    /// is the old file until the first rewrite is done.
    pub fn synchronise(&self) -> Result<()> {
        let mut connection = self.primary.connection()?;
        let until = Instant::now() + STARTS;
        while Instant::now() < until {
            redis::cmd("SET").arg(&["torture", "here"]).exec(&mut connection)?;
            if redis::cmd("WAIT").arg(&["1", "500"]).query::<u32>(&mut connection)? >= 1 {
                return rewritten(&mut self.replica.connection()?);
            }
        }
        bail!("the replica does not follow")
    }

    pub fn kill(&mut self) {
        self.primary.kill();
    }

    /// Restarts the primary with the data on its disk.
    pub fn restart(&mut self) -> Result<()> {
        let (folder, port) = (self.primary.folder.clone(), self.primary.port);
        self.primary = start(&self.program, &self.clock, &folder, port, None)?;
        Ok(())
    }

    /// Leaves half a transaction at the end of the dead primary's file.
    pub fn tear(&self) -> Result<()> {
        let folder = self.primary.folder.join("appendonlydir");
        let manifest = fs::read_to_string(folder.join("appendonly.aof.manifest"))?;
        // In `file appendonly.aof.3.incr.aof seq 3 type i`, the server is writing the last file.
        let last = manifest.lines().rev().find(|line| line.ends_with("type i"));
        let last = last.and_then(|line| line.split(' ').nth(1)).context("the server has no AOF")?;
        File::options().append(true).open(folder.join(last))?.write_all(TORN)?;
        Ok(())
    }

    /// Rewrites the AOF, as the docs advise after such a start: without the rewrite, a server that ends may not start
    /// again.
    pub fn rewrite(&self) -> Result<()> {
        let mut connection = self.primary.connection()?;
        redis::cmd("BGREWRITEAOF").exec(&mut connection)?;
        rewritten(&mut connection)
    }

    /// Copies the data on the dead primary's disk.
    pub fn copy(&self) -> Result<()> {
        copied(&self.primary.folder.join("appendonlydir"), &self.folder.join("copy"))
    }

    /// Replaces the dead primary's data with the copy.
    pub fn set_back(&self) -> Result<()> {
        copied(&self.folder.join("copy"), &self.primary.folder.join("appendonlydir"))
    }

    /// Makes the replica the primary, and starts another replica for it. The old primary dies or, if `stays`, becomes
    /// the new replica and keeps its connections.
    pub fn promote(&mut self, stays: bool) -> Result<()> {
        if !stays {
            self.primary.kill();
        }
        redis::cmd("REPLICAOF").arg(&["NO", "ONE"]).exec(&mut self.replica.connection()?)?;
        std::mem::swap(&mut self.primary, &mut self.replica);
        self.calm.lead_to(self.primary.port);
        self.calm.cut();
        if stays {
            let port = self.primary.port.to_string();
            redis::cmd("REPLICAOF").arg(&["127.0.0.1", &port]).exec(&mut self.replica.connection()?)?;
        } else {
            self.count += 1;
            let folder = self.folder.join(format!("server-{}", self.count));
            self.replica = start(&self.program, &self.clock, &folder, free_port()?, Some(self.primary.port))?;
        }
        Ok(())
    }

    /// Limits the server's memory to its present use plus this amount. None removes the limit.
    pub fn memory(&self, more: Option<u64>) -> Result<()> {
        let mut connection = self.primary.connection()?;
        let limit = match more {
            Some(more) => {
                let info: String = redis::cmd("INFO").arg("memory").query(&mut connection)?;
                let used = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
                used.context("INFO has no used_memory")?.trim().parse::<u64>()? + more
            }
            None => 0,
        };
        redis::cmd("CONFIG").arg(&["SET", "maxmemory", &limit.to_string()]).exec(&mut connection)?;
        Ok(())
    }
}

/// Waits until a server has rewritten its AOF.
fn rewritten(connection: &mut Connection) -> Result<()> {
    let until = Instant::now() + STARTS;
    while Instant::now() < until {
        let info: String = redis::cmd("INFO").arg("persistence").query(connection)?;
        if info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0") {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    bail!("the server does not finish rewriting its AOF")
}

pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn start(program: &Path, clock: &Clock, folder: &Path, port: u16, primary: Option<u16>) -> Result<Server> {
    fs::create_dir_all(folder)?;
    let log = File::options().create(true).append(true).open(folder.join("log"))?;
    let mut command = Command::new(program);
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"]);
    command.args(["--appendfsync", "always", "--repl-diskless-sync-delay", "0", "--dir"]).arg(folder);
    if let Some(primary) = primary {
        command.args(["--replicaof", "127.0.0.1", &primary.to_string()]);
    }
    clock.wind(&mut command);
    let child = command.stdin(Stdio::null()).stdout(log).spawn().context("the server cannot be started")?;
    let server = Server { folder: folder.to_owned(), port, child };
    let until = Instant::now() + STARTS;
    while !answers(&server) {
        ensure!(Instant::now() < until, "the server does not answer: see {}", folder.join("log").display());
        thread::sleep(Duration::from_millis(20));
    }
    Ok(server)
}

fn answers(server: &Server) -> bool {
    let connection = server.connection();
    connection.is_ok_and(|mut connection| redis::cmd("PING").exec(&mut connection).is_ok())
}

fn copied(from: &Path, to: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from)? {
        let file = file?;
        fs::copy(file.path(), to.join(file.file_name()))?;
    }
    Ok(())
}
