//! A server that takes no writes when a worker starts, or is away when it ends.

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
use proxy::Proxy;
use support::eventually;
use world::{HOLD, Worker, World, result, send, status};

/// Whether the worker says that it waits; it must not end.
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
    let mut connection = world.server.connection();
    // A folder in the place of the dump: saving fails.
    fs::create_dir(world.server.socket().with_file_name("dump.rdb")).unwrap();
    redis::cmd("CONFIG").arg("SET").arg("save").arg("3600 1").exec(&mut connection).unwrap();
    redis::cmd("BGSAVE").exec(&mut connection).unwrap();
    eventually("writes are refused", || {
        let refused = redis::cmd("SET").arg("x").arg("1").exec(&mut connection).err()?;
        (refused.code() == Some("MISCONF")).then_some(())
    });
    let mut worker = world.worker(&["--queue", "q"]);
    waits(&world, &mut worker);
    redis::cmd("CONFIG").arg("SET").arg("save").arg("").exec(&mut connection).unwrap();
    assert_eq!(result(&world.submit("q", "[]")), "1");
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
    world.program("hold", HOLD);
    let mut worker = world.worker(&["--queue", "hold"]);
    let task = world.submit("hold", "[]");
    world.written("pid");
    status(&task, Status::Started);
    let server = world.server.pid().cast_signed();
    send("STOP", server);
    world.touch("go");
    eventually("the end is on the disk", || world.runs().first()?.join("end.json").exists().then_some(()));
    worker.signal("TERM");
    let end = worker.ended();
    send("CONT", server);
    assert!(end.success(), "{end}");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(task.info().unwrap().attempts(), 1);
    world.nothing_is_left();
}
