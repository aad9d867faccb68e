//! A private server for the benchmark, and its measurements of script times.

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use redis::{Connection, Value};

pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Arguments of one call, after the script's one key.
pub type Args = Vec<String>;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A server on a unix socket and on loopback, without persistence. Killed when dropped.
pub struct Server {
    /// The measured scripts.
    pub scripts: Scripts,
    folder: PathBuf,
    port: u16,
    child: Child,
}

impl Server {
    pub fn start() -> Result<Self> {
        Self::with(Scripts::Own)
    }

    pub fn with(scripts: Scripts) -> Result<Self> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("blueque-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(program()?)
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--unixsocket", "socket"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(&folder)
            .stdout(Stdio::null())
            .spawn()?;
        let server = Self { scripts, folder, port, child };
        let until = Instant::now() + Duration::from_secs(10);
        while server.connect().is_err() {
            if Instant::now() > until {
                return Err("the server does not answer".into());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Connects by the unix socket.
    pub fn connect(&self) -> Result<Connection> {
        connect(&self.socket())
    }

    /// Connects by TCP on loopback, like clients on another machine.
    pub fn connect_tcp(&self) -> Result<Connection> {
        Ok(redis::Client::open(format!("redis://127.0.0.1:{}/", self.port))?.get_connection()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub fn connect(socket: &Path) -> Result<Connection> {
    Ok(redis::Client::open(format!("unix://{}", socket.display()))?.get_connection()?)
}

fn program() -> Result<PathBuf> {
    if let Some(named) = env::var_os("BLUEQUE_REDIS_SERVER") {
        return Ok(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = ["redis-server", "valkey-server"]
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file());
    found.ok_or_else(|| {
        "no redis-server or valkey-server: apt-get install redis-server, or set BLUEQUE_REDIS_SERVER".into()
    })
}

/// Returns the value of `FIELD:` or `FIELD=` in a section of INFO.
pub fn info(connection: &mut Connection, section: &str, field: &str) -> Result<String> {
    let text: String = redis::cmd("INFO").arg(section).query(connection)?;
    find(&text, field)
}

fn find(text: &str, field: &str) -> Result<String> {
    let (_, rest) = text.split_once(field).ok_or_else(|| format!("INFO says nothing of {field}"))?;
    Ok(rest.split([',', '\r']).next().unwrap_or_default().to_owned())
}

/// Returns the seconds of processor time of the server.
pub fn worked(connection: &mut Connection) -> Result<f64> {
    let user: f64 = info(connection, "cpu", "used_cpu_user:")?.parse()?;
    let system: f64 = info(connection, "cpu", "used_cpu_sys:")?.parse()?;
    Ok(user + system)
}

/// Returns the number of calls of scripts since the statistics were reset, and the seconds that they took.
pub fn scripts_called(connection: &mut Connection) -> Result<(f64, f64)> {
    let text: String = redis::cmd("INFO").arg("commandstats").query(connection)?;
    let Some(line) = text.lines().find(|line| line.starts_with("cmdstat_evalsha:")) else { return Ok((0.0, 0.0)) };
    let microseconds: f64 = find(line, ",usec=")?.parse()?;
    Ok((find(line, "calls=")?.parse()?, microseconds / 1e6))
}

/// Loads a script and returns its digest.
pub fn load(connection: &mut Connection, source: &str) -> Result<String> {
    Ok(redis::cmd("SCRIPT").arg("LOAD").arg(source).query(connection)?)
}

/// The scripts of a bundle.
#[derive(Clone, Debug)]
pub enum Scripts {
    /// The scripts of this build.
    Own,
    /// The scripts of a bundle that another build wrote to this folder.
    Of(PathBuf),
}

impl Scripts {
    /// Loads a command and returns its digest.
    pub fn load(&self, connection: &mut Connection, name: &str) -> Result<String> {
        match self {
            Self::Own => {
                let command = blueque::bundle::command(name).ok_or_else(|| format!("the bundle has no {name}"))?;
                load(connection, command.source())
            }
            Self::Of(folder) => {
                let file = folder.join("scripts").join(format!("{name}.lua"));
                let source = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                load(connection, &source)
            }
        }
    }
}

/// Loads a command of this build.
pub fn load_command(connection: &mut Connection, name: &str) -> Result<String> {
    Scripts::Own.load(connection, name)
}

/// Returns the call of a script whose key is `NAMESPACE_meta`.
pub fn call(sha: &str, namespace: &str, args: &[String]) -> redis::Cmd {
    let mut cmd = redis::cmd("EVALSHA");
    cmd.arg(sha).arg(1).arg(format!("{namespace}_meta")).arg(args);
    cmd
}

/// Returns the number of empty calls before a measurement. Redis collects Lua's garbage at every 50th call of a script.
/// If all rounds have the same calls, the collection always hits the same rows.
fn idle_calls() -> u32 {
    static STATE: AtomicU32 = AtomicU32::new(1);
    let next = STATE.load(Ordering::Relaxed).wrapping_mul(1_103_515_245).wrapping_add(12_345);
    STATE.store(next, Ordering::Relaxed);
    (next >> 16) % 50
}

/// Runs the calls of one script in one pipeline. Returns the microseconds of server time per call, and the replies.
pub fn timed(connection: &mut Connection, sha: &str, namespace: &str, calls: &[Args]) -> Result<(f64, Vec<Value>)> {
    let mut pipe = redis::pipe();
    for _ in 0..idle_calls() {
        pipe.cmd("EVAL").arg("return 0").arg(0).ignore();
    }
    pipe.cmd("CONFIG").arg("RESETSTAT").ignore();
    for args in calls {
        pipe.add_command(call(sha, namespace, args));
    }
    pipe.cmd("INFO").arg("commandstats");
    let mut replies: Vec<Value> = pipe.query(connection)?;
    let stats: String = redis::from_redis_value(replies.pop().unwrap_or(Value::Nil))?;
    let stats = stats.lines().find(|line| line.starts_with("cmdstat_evalsha:")).unwrap_or_default();
    Ok((find(&format!("{stats}\r"), "usec_per_call=")?.parse()?, replies))
}

/// Returns the median of the values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
