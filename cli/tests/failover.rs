//! A failover, or a slot that moves back and forth, while everything waits: a worker with a running program, its
//! supervisor, schedules, and the commands that follow. All of them continue by themselves, and report what they wait
//! for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "../../tests/support/sentinel.rs"]
mod sentinel;
#[path = "../../tests/support/slot_move.rs"]
mod slot_move;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use blueque::{Address, Client, Namespace, Status, Submit, Task};
use sentinel::Sentinel;
use slot_move::Point;
use support::{Server, eventually};
use world::{Worker, World, result, send, status};

const BINARY: &str = env!("CARGO_BIN_EXE_blueque");

const NAMESPACE: &str = "{bq}";

/// Time within which everything continues after there is a new master.
const SOON: Duration = Duration::from_secs(20);

/// Prints a line before it is released and a line after.
const TALK: &str = "echo before >&2; echo $$ > FOLDER/pid\n\
    while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo after >&2; echo '\"done\"'";

/// The ways in which a server fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fails {
    ByDeath,
    /// The server hangs: its connections stay open.
    BySilence,
}

/// A world whose worker reaches the server by a URL.
struct Stage {
    world: World,
    url: String,
}

/// A command that follows; its output is in files.
struct Follower<'a> {
    stage: &'a Stage,
    name: &'static str,
    child: Child,
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{} has shown: {:?}", self.name, self.shown());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Follower<'_> {
    fn shows(&self, text: &str) {
        eventually(&format!("{} shows {text:?}", self.name), || self.shown().contains(text).then_some(()));
    }

    fn shown(&self) -> String {
        let bytes = fs::read(self.stage.world.path(&format!("{}.shown", self.name))).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn ends_well(&mut self) {
        let ended = eventually(&format!("{} ends", self.name), || self.child.try_wait().unwrap());
        assert!(ended.success(), "{}: {ended}: {}", self.name, self.shown());
    }
}

impl Stage {
    fn new(server: Server, url: String) -> Self {
        let client = Client::builder().namespace(Namespace::new(NAMESPACE).unwrap()).limit(Duration::from_secs(5));
        let world = World::reached(server, client.open(&url).unwrap());
        Self { world, url }
    }

    fn to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("BLUEQUE_URL", &self.url).env("BLUEQUE_NAMESPACE", NAMESPACE)
    }

    fn follow(&self, name: &'static str, program: &str, args: &[&str]) -> Follower<'_> {
        let file = File::create(self.world.path(&format!("{name}.shown"))).unwrap();
        let mut command = Command::new(program);
        command.args(args).env("XDG_CONFIG_HOME", self.world.path("none")).env("TERM", "xterm");
        // Imitates another host, which has no log on its disk.
        command.env("BLUEQUE_STATE_DIR", self.world.path("other-state"));
        command.stdin(Stdio::piped()).stdout(file.try_clone().unwrap()).stderr(file);
        Follower { stage: self, name, child: self.to(&mut command).spawn().unwrap() }
    }

    fn ticks(&self) -> usize {
        fs::read_to_string(self.world.path("ticks")).unwrap_or_default().lines().count()
    }

    fn all_wait(&self, waiting: &[&Follower<'_>], top: &Follower<'_>) {
        let log = || self.world.log();
        eventually("the worker says what it waits for", || log().contains("waiting for the server").then_some(()));
        for follower in waiting {
            follower.shows("the server is away");
        }
        top.shows("no answer from the server");
    }

    /// A worker, a schedule, and a task whose program waits.
    fn works(&self) -> (Worker, Task) {
        self.world.program("hold", TALK);
        self.world.program("tick", "echo tick >> FOLDER/ticks");
        let mut command = self.world.command(Path::new(BINARY), &["-q", "hold", "-q", "tick", "--slots", "3"]);
        let worker = Worker(self.to(&mut command).spawn().unwrap());
        let task = self.world.held();
        let schedule = ["schedule", "add", "often", "tick", "--every", "1s"];
        assert!(self.to(Command::new(BINARY).args(schedule)).stdout(Stdio::null()).status().unwrap().success());
        eventually("the schedule makes tasks", || (self.ticks() > 0).then_some(()));
        (worker, task)
    }

    /// The commands that follow: `wait`, `logs`, `events` and `top`.
    fn followed(&self, task: &Task) -> [Follower<'_>; 4] {
        let id = task.id().as_str();
        let top = format!("stty rows 40 cols 120; exec {BINARY} top");
        let wait = self.follow("wait", BINARY, &["wait", id]);
        let logs = self.follow("logs", BINARY, &["logs", "-f", id]);
        let events = self.follow("events", BINARY, &["events", "-f", "hold"]);
        let top = self.follow("top", "script", &["-qec", &top, "/dev/null"]);
        logs.shows("before");
        events.shows("started");
        top.shows("hold");
        [wait, logs, events, top]
    }

    /// Starts everything. Then the slot of the namespace moves to another master, key by key, and back, twice. Work of
    /// every kind runs while the slot is half moved.
    fn goes_on_while_its_slot_moves(self, points: &mut [Point]) {
        let (_worker, task) = self.works();
        let [mut wait, mut logs, events, top] = self.followed(&task);
        let slot: u16 = points[0].cluster(&["KEYSLOT", NAMESPACE]).unwrap();
        let slot = slot.to_string();
        let has_it = |points: &mut [Point]| {
            points.iter_mut().position(|point| point.cluster::<u64>(&["COUNTKEYSINSLOT", &slot]).unwrap() > 0).unwrap()
        };
        let owner = has_it(points);
        points.rotate_left(owner);
        // Each name shares no letter with the previous text in its row on the screen of `top`, because `top` writes
        // only the differences.
        for (round, queue) in ["pearl", "ruby", "sand", "topaz"].into_iter().enumerate() {
            slot_move::agree(points);
            let [one, two, third] = points else { panic!("three masters") };
            let (from, to) = if round % 2 == 0 { (one, two) } else { (two, one) };
            let before = self.ticks();
            slot_move::begin(&slot, from, to);
            // Some of the keys have already moved when a task is submitted.
            slot_move::carry(&slot, 10, from, to);
            let mut submit = Command::new(BINARY);
            self.to(submit.args(["submit", queue, "[]"])).stdout(Stdio::null());
            let mut submit = submit.spawn().unwrap();
            slot_move::carry(&slot, 10, from, to);
            let mut left = 1;
            while left > 0 {
                slot_move::carry(&slot, 5, from, to);
                left = from.cluster(&["COUNTKEYSINSLOT", &slot]).unwrap();
            }
            slot_move::end(&slot, to, [from, third]);
            let begun = Instant::now();
            let submitted = eventually("the task is submitted", || submit.try_wait().unwrap());
            assert!(submitted.success(), "{submitted}");
            top.shows(queue);
            eventually("the schedule goes on", || (self.ticks() > before).then_some(()));
            let tried = self.world.submit("tick", "[]");
            status(&tried, Status::Complete);
            assert!(begun.elapsed() < SOON, "{:?} after move {round}", begun.elapsed());
        }
        self.world.touch("go");
        assert_eq!(result(&task), "\"done\"");
        assert_eq!(task.info().unwrap().attempt(), 1, "the program ran on, and its lease was kept");
        wait.ends_well();
        logs.ends_well();
        assert!(logs.shown().contains("after"), "{}", logs.shown());
        assert_eq!(logs.shown().matches("before").count(), 1, "nothing is shown twice: {}", logs.shown());
        events.shows("complete");
    }

    /// The program, which never stopped, ends, and so do the commands that wait for it.
    fn ends_well(&self, task: &Task, waiting: [&mut Follower<'_>; 2]) {
        self.world.touch("go");
        assert_eq!(result(task), "\"done\"");
        assert_eq!(task.info().unwrap().attempt(), 1, "the program ran on");
        waiting.into_iter().for_each(Follower::ends_well);
    }

    /// Starts everything; then the server cuts all connections and has no room for new connections for a while.
    fn goes_on_without_room(self) {
        let (_worker, task) = self.works();
        let [mut wait, mut logs, events, top] = self.followed(&task);
        let mut admin = self.world.server.connection();
        let mut set = |number: &str| {
            redis::cmd("CONFIG").arg(&["SET", "maxclients", number]).exec(&mut admin).unwrap();
            for kind in ["normal", "pubsub"] {
                redis::cmd("CLIENT").arg(&["KILL", "TYPE", kind, "SKIPME", "yes"]).exec(&mut admin).unwrap();
            }
        };
        set("1");
        self.all_wait(&[&wait, &logs, &events], &top);
        let mut short = Command::new(BINARY);
        let short = self.to(short.args(["show", task.id().as_str()])).output().unwrap();
        let said = String::from_utf8_lossy(&short.stderr).into_owned();
        assert_eq!((short.status.code(), said.contains("max number of clients")), (Some(3), true), "{said}");
        set("10000");
        let before = self.ticks();
        eventually("the schedule goes on", || (self.ticks() > before).then_some(()));
        self.ends_well(&task, [&mut wait, &mut logs]);
        events.shows("complete");
    }

    /// Starts everything; then the server fails. Its replica may take its place once all parts have reported that they
    /// wait, or at once if the server hangs.
    fn goes_on_across(mut self, fails: Fails, allow: impl FnOnce()) {
        let (_worker, task) = self.works();
        let mut server = std::mem::replace(&mut self.world.server, Server::start());
        let [mut wait, mut logs, events, top] = self.followed(&task);
        let kept: u32 = redis::cmd("WAIT").arg(1).arg(10_000).query(&mut server.connection()).unwrap();
        assert!(kept >= 1, "the replica has what was done so far");

        match fails {
            Fails::ByDeath => server.kill(),
            Fails::BySilence => send("STOP", server.pid().cast_signed()),
        }
        if fails == Fails::ByDeath {
            self.all_wait(&[&wait, &logs, &events], &top);
        }
        allow();
        let client = &self.world.client;
        eventually("there is a new master", || client.queue("fresh").unwrap().submit("x", Submit::default()).ok());
        let (begun, before) = (Instant::now(), self.ticks());

        top.shows("fresh");
        eventually("the schedule goes on", || (self.ticks() > before).then_some(()));
        self.ends_well(&task, [&mut wait, &mut logs]);
        assert!(logs.shown().contains("after"), "{}", logs.shown());
        events.shows("complete");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        let later = self.world.submit("hold", "[]");
        status(&later, Status::Complete);
    }
}

#[test]
fn everything_goes_on_across_a_failover_of_sentinel() {
    let (master, port) = Server::start_at_port(&[]);
    let (_replica, _) = Server::start_replica(&port);
    let sentinel = Sentinel::start(&port);
    sentinel.knows_a_replica();
    let stage = Stage::new(master, format!("redis+sentinel://127.0.0.1:{}/films", sentinel.port));
    stage.goes_on_across(Fails::ByDeath, || sentinel.watch());
}

#[test]
fn everything_goes_on_when_the_master_hangs() {
    let (master, port) = Server::start_at_port(&[]);
    let (_replica, _) = Server::start_replica(&port);
    let sentinel = Sentinel::start(&port);
    sentinel.knows_a_replica();
    let stage = Stage::new(master, format!("redis+sentinel://127.0.0.1:{}/films", sentinel.port));
    stage.goes_on_across(Fails::BySilence, || sentinel.watch());
}

#[test]
fn everything_goes_on_across_a_failover_of_a_cluster() {
    let (mut nodes, ports) = Server::start_cluster();
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let url = format!("redis+cluster://{}", hosts.join(","));
    let namespace = Namespace::new(NAMESPACE).unwrap();
    let mut holder = Address::parse(&url).unwrap().connect(&namespace, Duration::from_secs(5)).unwrap();
    let (_, port): (String, String) = redis::cmd("CONFIG").arg("GET").arg("port").query(&mut holder).unwrap();
    let holder = nodes.swap_remove(ports.iter().position(|own| *own == port).unwrap());
    Stage::new(holder, url).goes_on_across(Fails::ByDeath, || {
        for node in &nodes {
            let words = ["SET", "cluster-replica-no-failover", "no"];
            redis::cmd("CONFIG").arg(&words).exec(&mut node.connection()).unwrap();
        }
    });
}

#[test]
fn everything_goes_on_while_the_slot_of_its_namespace_moves_to_another_master_and_back() {
    let (mut nodes, ports) = Server::start_cluster();
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let mut masters: Vec<Point> = nodes[..3].iter().map(|node| Point::new(node.connection())).collect();
    // A single node belongs to the stage; the remaining nodes stay here.
    let replica = nodes.pop().unwrap();
    let stage = Stage::new(replica, format!("redis+cluster://{}", hosts.join(",")));
    stage.goes_on_while_its_slot_moves(&mut masters);
}

#[test]
fn everything_goes_on_after_a_time_without_room_for_connections() {
    let (server, port) = Server::start_at_port(&[]);
    Stage::new(server, format!("redis://127.0.0.1:{port}")).goes_on_without_room();
}

#[test]
fn everything_goes_on_after_a_time_without_room_for_connections_with_a_password() {
    let (server, port) = Server::start_at_port(&[]);
    let words = ["SETUSER", "films", "on", ">pass", "~*", "&*", "+@all"];
    redis::cmd("ACL").arg(&words).exec(&mut server.connection()).unwrap();
    Stage::new(server, format!("redis://films:pass@127.0.0.1:{port}")).goes_on_without_room();
}
