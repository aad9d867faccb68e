//! A server that refuses writes when a worker starts, or is down when the worker takes or ends a task.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/proxy.rs"]
mod proxy;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::path::Path;

use blueque::Status;
use nix::time::{ClockId, clock_gettime};
use proxy::Proxy;
use serde_json::Value;
use support::{Server, eventually};
use world::{HOLD, Worker, World, result, send};

/// Waits until the worker reports that it waits; the worker must not end.
fn waits(world: &World, worker: &mut Worker) {
    eventually("it waits for the server", || {
        assert_eq!(worker.0.try_wait().unwrap(), None, "{}", world.log());
        world.log().contains("waiting for the server").then_some(())
    });
}

fn waits_while(begin: &[&[&str]], end: &[&[&str]]) {
    let world = World::new();
    world.program("q", "echo 1");
    let mut connection = world.server.connection();
    let mut all = |commands: &[&[&str]]| {
        for words in commands {
            redis::cmd(words[0]).arg(&words[1..]).exec(&mut connection).unwrap();
        }
    };
    all(begin);
    let mut worker = world.worker(&["--queue", "q"]);
    waits(&world, &mut worker);
    all(end);
    assert_eq!(result(&world.submit("q", "[]")), "1");
}

#[test]
fn a_worker_that_starts_on_a_replica_waits_for_its_promotion() {
    waits_while(&[&["REPLICAOF", "127.0.0.1", "1"]], &[&["REPLICAOF", "NO", "ONE"]]);
}

#[test]
fn a_worker_that_starts_on_a_replica_without_its_master_waits_for_its_promotion() {
    let begin: &[&[&str]] = &[&["CONFIG", "SET", "replica-serve-stale-data", "no"], &["REPLICAOF", "127.0.0.1", "1"]];
    waits_while(begin, &[&["REPLICAOF", "NO", "ONE"]]);
}

#[test]
fn a_worker_that_starts_while_the_server_cannot_save_waits() {
    let world = World::new();
    world.program("q", "echo 1");
    world.server.cannot_save();
    let mut worker = world.worker(&["--queue", "q"]);
    waits(&world, &mut worker);
    redis::cmd("CONFIG").arg("SET").arg("save").arg("").exec(&mut world.server.connection()).unwrap();
    assert_eq!(result(&world.submit("q", "[]")), "1");
}

#[test]
fn a_worker_that_starts_while_the_server_loads_its_data_waits() {
    let mut world = World::new();
    world.program("q", "echo 1");
    let waiting: Vec<_> = (0..200).map(|_| world.submit("q", "[]")).collect();
    let mut connection = world.server.connection();
    redis::cmd("SAVE").exec(&mut connection).unwrap();
    world.server.kill();
    // The server takes a tenth of a second for each key while it loads, and answers clients after each key.
    world.server.begin(&["--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024"]);
    let mut connection =
        eventually("it listens", || redis::Client::open(world.server.url()).ok()?.get_connection().ok());
    let loads = |connection: &mut redis::Connection| {
        let refused = redis::cmd("DBSIZE").exec(connection).err();
        refused.is_some_and(|error| error.code() == Some("LOADING"))
    };
    assert!(loads(&mut connection));
    let mut worker = world.worker(&["--queue", "q"]);
    waits(&world, &mut worker);
    assert!(loads(&mut connection), "it waited for something else");
    redis::cmd("CONFIG").arg("SET").arg("key-load-delay").arg("0").exec(&mut connection).unwrap();
    assert_eq!(result(&waiting[0]), "1");
}

#[test]
fn a_worker_that_starts_on_half_a_transaction_in_the_append_only_file_says_so() {
    let mut world = World::on(Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]));
    world.program("q", "echo 1");
    let said = "it contains half a transaction: BGREWRITEAOF";
    let worker = world.worker(&["--queue", "q"]);
    assert_eq!(result(&world.submit("q", "[]")), "1");
    assert!(!world.log().contains(said), "{}", world.log());
    worker.kill();
    for torn in [true, false] {
        world.submit("other", "[]").cancel("no").unwrap();
        if torn {
            world.server.tear(5); // the end of its EXEC
        }
        world.server.kill();
        world.server.restart();
    }
    let info: String = redis::cmd("INFO").arg("everything").query(&mut world.server.connection()).unwrap();
    let _worker = world.worker(&["--queue", "q"]);
    assert_eq!(result(&world.submit("q", "[]")), "1");
    // Servers that remove the whole transaction read the file without an error.
    assert_eq!(world.log().contains(said), !info.contains("unexpected_error_replies:0"), "{}", world.log());
}

#[test]
fn a_worker_whose_way_is_cut_between_its_first_two_calls_waits() {
    let world = World::new();
    world.program("q", "echo 1");
    let proxy = Proxy::to(&world.server);
    proxy.lose_and_close("register");
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "q"]);
    let mut worker = Worker(command.env("BLUEQUE_URL", proxy.url()).spawn().unwrap());
    waits(&world, &mut worker);
    proxy.open();
    assert_eq!(result(&world.submit("q", "[]")), "1");
}

#[test]
fn a_worker_told_to_end_while_only_an_end_is_left_to_send_leaves_that_to_the_supervisor() {
    let world = World::new();
    let (mut worker, task) = world.holding(&[]);
    let server = world.server.pid().cast_signed();
    send("STOP", server);
    world.touch("go");
    eventually("the end is on the disk", || world.runs().first()?.join("end.json").exists().then_some(()));
    worker.signal("TERM");
    let end = worker.ended();
    send("CONT", server);
    assert!(end.success(), "{end}");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempt(), 1);
    world.nothing_is_left();
}

/// Microseconds of a clock.
fn micros(clock: ClockId) -> i64 {
    let time = clock_gettime(clock).unwrap();
    time.tv_sec() * 1_000_000 + time.tv_nsec() / 1_000
}

#[test]
fn a_supervisor_counts_no_lease_longer_than_the_server_whose_answer_was_lost() {
    let world = World::new();
    world.program("hold", HOLD);
    let proxy = Proxy::to(&world.server);
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &["--queue", "hold", "--lease", "10min"]);
    let _worker = Worker(command.env("BLUEQUE_URL", proxy.url()).spawn().unwrap());
    proxy.lose_and_close("reserve");
    let task = world.submit("hold", "[]");
    eventually("the worker has not heard of it", || world.log().contains("waiting for the server").then_some(()));
    assert_eq!((proxy.lost(), task.info().unwrap().status()), (1, Some(Status::Reserved)));
    // From here on the server accepts only the renewal of the lease, not the start itself.
    let mut connection = world.server.connection();
    let mut memory =
        |most: &str| redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(most).exec(&mut connection).unwrap();
    memory("1");
    proxy.open();
    world.written("pid");
    let run: Value = serde_json::from_slice(&fs::read(world.runs()[0].join("run.json")).unwrap()).unwrap();
    assert_eq!(run["attempt"], 1);
    let believed = run["renewed_us"].as_i64().unwrap() + run["lease_ms"].as_i64().unwrap() * 1_000
        - micros(ClockId::CLOCK_BOOTTIME)
        + micros(ClockId::CLOCK_REALTIME);
    let leases: Vec<(String, f64)> = redis::cmd("ZRANGE")
        .arg("blueque_leases_hold")
        .arg(&["0", "0", "WITHSCORES"])
        .query(&mut world.server.connection())
        .unwrap();
    #[allow(clippy::cast_possible_truncation, reason = "microseconds of this century have 51 bits")]
    let held = leases[0].1 as i64;
    assert!(held >= believed, "the server holds it {} µs less than its supervisor believes", believed - held);
    memory("0");
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
}
