//! The reports about a lost lease, end or result, or about a server that refuses an end or a result.

use std::fs;
use std::path::Path;

use blueque::{Submit, Task};

use crate::proxy::Proxy;
use crate::support::eventually;
use crate::world::{HOLD, Worker, World, result};

fn worker_log(world: &World) -> String {
    fs::read_to_string(world.path("worker.log")).unwrap_or_default()
}

fn supervisors_log(world: &World) -> String {
    fs::read_to_string(world.path("state/blueque/supervisors.log")).unwrap_or_default()
}

/// The contents of the logs of attempts on the disk.
fn disk_logs(world: &World) -> String {
    fn read(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                read(&entry.path(), text);
            } else {
                *text += &fs::read_to_string(entry.path()).unwrap();
            }
        }
    }
    let mut text = String::new();
    read(&world.path("state/blueque/logs"), &mut text);
    text
}

fn set(world: &World, name: &str, value: &str) {
    redis::cmd("CONFIG").arg(&["SET", name, value]).exec(&mut world.server.connection()).unwrap();
}

fn log(world: &World, task: &Task) -> String {
    let entries = world
        .client
        .call(&world.client.calls().logs(task.id(), "0", 500, &blueque::calls::LogsOptions::new()))
        .unwrap()
        .items;
    entries.into_iter().map(|entry| String::from_utf8(entry.text).unwrap()).collect()
}

#[test]
fn a_lease_that_was_lost_is_said_everywhere_and_is_no_end() {
    let mut world = World::new();
    let (_worker, task) = world.holding(&["--lease", "3s"]);
    world.server.kill();
    world.nothing_is_left();
    eventually("the worker says something of it", || {
        worker_log(&world).contains(&format!(" {}", task.id())).then_some(())
    });
    eventually("the worker looked", || {
        let log = worker_log(&world);
        (log.contains(&format!("ended {}", task.id())) || log.contains("lost its lease")).then_some(())
    });
    for (which, text) in
        [("worker", worker_log(&world)), ("supervisors", supervisors_log(&world)), ("task", disk_logs(&world))]
    {
        assert!(text.contains("lost its lease"), "{which}: {text}");
        assert!(text.contains("is discarded"), "{which}: {text}");
    }
    assert!(!worker_log(&world).contains(&format!("ended {}", task.id())));
}

/// The logs of the worker, of its supervisors and of the task say that the result of a task is discarded.
fn is_said_to_be_discarded(world: &World, task: &Task) {
    eventually("the worker looked", || {
        let log = worker_log(world);
        (log.contains(&format!("ended {}", task.id())) || log.contains("is discarded")).then_some(())
    });
    for (which, text) in
        [("worker", worker_log(world)), ("supervisors", supervisors_log(world)), ("task", disk_logs(world))]
    {
        assert!(text.contains("result is discarded"), "{which}: {text}");
    }
}

#[test]
fn a_result_that_the_server_does_not_want_any_more_is_said_to_be_thrown_away() {
    let mut world = World::new();
    let (_worker, task) = world.holding(&[]);
    world.server.kill();
    world.touch("go");
    eventually("the end is on the disk", || world.runs().iter().any(|run| run.join("end.json").exists()).then_some(()));
    // The server restarts empty: to the supervisor it is another server.
    world.server.restart();
    world.nothing_is_left();
    is_said_to_be_discarded(&world, &task);
}

#[test]
fn a_result_of_an_attempt_that_somebody_else_gave_back_is_said_to_be_thrown_away() {
    let world = World::new();
    let (_worker, task) = world.holding(&["--lease", "5min"]);
    world.client.queue("hold").unwrap().pause("test", "").unwrap();
    let token = task.info().unwrap().token().unwrap();
    let drained = blueque::calls::ReleaseOptions::new().reason("drain");
    world.client.call(&world.client.calls().release(task.id(), token, &drained)).unwrap();
    world.touch("go");
    world.nothing_is_left();
    is_said_to_be_discarded(&world, &task);
    assert!(!worker_log(&world).contains(&format!("ended {}", task.id())));
}

#[test]
fn heartbeats_that_are_refused_are_said_once_and_so_is_the_end_of_that() {
    let world = World::new();
    let (_worker, task) = world.holding(&["--lease", "30s"]);
    set(&world, "min-replicas-to-write", "1");
    eventually("it is said", || supervisors_log(&world).contains("NOREPLICAS").then_some(()));
    set(&world, "min-replicas-to-write", "0");
    eventually("its end is said", || supervisors_log(&world).contains("takes heartbeats again").then_some(()));
    eventually("the task's log says both", || {
        let log = log(&world, &task);
        (log.contains("NOREPLICAS") && log.contains("takes heartbeats again")).then_some(())
    });
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    assert_eq!(supervisors_log(&world).matches("NOREPLICAS").count(), 1, "{}", supervisors_log(&world));
}

/// Causes a heartbeat before a third of the lease, because a call announces orders.
fn beat(world: &World) {
    redis::cmd("PUBLISH").arg("blueque_orders_hold").arg("").exec(&mut world.server.connection()).unwrap();
}

/// The refusals of an attempt in its history.
fn refused(world: &World, task: &Task) -> String {
    let said = world.run(&["history", task.id().as_str()]);
    said.lines().last().unwrap().to_owned()
}

#[test]
fn heartbeats_that_a_server_refuses_that_cannot_save_are_said_in_each_log_and_in_the_history() {
    let world = World::new();
    let (_worker, task) = world.holding(&["--lease", "10min", "--slots", "1"]);
    world.server.cannot_save();
    beat(&world);
    let (begins, ends) = ("the server refuses heartbeats", "the server takes heartbeats again, after");
    eventually("the worker says it", || worker_log(&world).contains(begins).then_some(()));
    set(&world, "save", "");
    eventually("the worker says its end", || worker_log(&world).contains(ends).then_some(()));
    eventually("the task's log says both", || {
        let log = log(&world, &task);
        (log.contains(begins) && log.contains("MISCONF") && log.contains(ends)).then_some(())
    });
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    for (which, text) in [("worker", worker_log(&world)), ("supervisors", supervisors_log(&world))] {
        for said in [begins, ends] {
            assert_eq!(text.matches(&format!("{}: {said}", task.id())).count(), 1, "{which}: {text}");
        }
        assert!(text.contains("MISCONF"), "{which}: {text}");
    }
    let told = refused(&world, &task);
    assert!(told.contains("heartbeats refused for ") && told.contains(": MISCONF "), "{told}");
    let shown = world.run(&["show", task.id().as_str()]);
    assert!(shown.contains("heartbeats refused for "), "{shown}");
}

#[test]
fn a_start_that_a_server_without_memory_refuses_is_said_and_is_no_refused_heartbeat() {
    let world = World::new();
    world.program("hold", HOLD);
    let task = world.submit("hold", "[]");
    let proxy = Proxy::to(&world.server);
    let server = redis::Client::open(world.server.url()).unwrap();
    // Between the reservation and the start.
    proxy.lose("reserve", move || {
        redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).exec(&mut server.get_connection().unwrap()).unwrap();
    });
    let args = ["--queue", "hold", "--lease", "10min", "--slots", "1"];
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &args);
    let _worker = Worker(command.env("BLUEQUE_URL", proxy.url()).spawn().unwrap());
    let (begins, ends) = ("the server refuses the start of the program", "the server knows that the program");
    eventually("the worker says it", || worker_log(&world).contains(begins).then_some(()));
    beat(&world);
    set(&world, "maxmemory", "0");
    eventually("the worker says its end", || worker_log(&world).contains(ends).then_some(()));
    world.touch("go");
    assert_eq!(result(&task), "\"done\"");
    for (which, text) in [("worker", worker_log(&world)), ("supervisors", supervisors_log(&world))] {
        assert_eq!(text.matches(&format!("{}: {begins}", task.id())).count(), 1, "{which}: {text}");
        assert!(text.contains("OOM") && !text.contains("heartbeat"), "{which}: {text}");
    }
    let told = refused(&world, &task);
    assert!(told.contains("its start refused for ") && told.contains(": OOM "), "{told}");
}

#[test]
fn an_end_that_cannot_be_delivered_is_said_wherever_somebody_looks() {
    let world = World::new();
    world.program("large", "{ printf '\"'; head -c 2000000 /dev/zero | tr '\\0' x; echo '\"'; } > \"$BLUEQUE_RESULT\"");
    let _worker = world.worker(&["--queue", "large", "--max-bytes", "4M"]);
    set(&world, "proto-max-bulk-len", "1mb");
    let task = world.client.queue("large").unwrap().submit_bytes(b"[]", Submit::default()).unwrap();
    let id = task.id().as_str();
    let begins = "its end (2000003 bytes) cannot be delivered";
    eventually("the worker says it", || worker_log(&world).contains(&format!("{id}: {begins}")).then_some(()));
    // All these reports are made while the server still refuses the end.
    eventually("the task's log says it", || log(&world, &task).contains(begins).then_some(()));
    let says = format!("cannot deliver the end of {id}: ");
    for command in [&["workers"][..], &["doctor"], &["why", id]] {
        eventually(&format!("{command:?} says it"), || world.run(command).contains(&says).then_some(()));
    }
    set(&world, "proto-max-bulk-len", "512mb");
    assert_eq!(result(&task).trim().len(), 2_000_002);
    eventually("the worker says its end", || {
        worker_log(&world).contains(&format!("{id}: its end was delivered, after ")).then_some(())
    });
    assert_eq!(supervisors_log(&world).matches("cannot be delivered").count(), 1);
    let told = refused(&world, &task);
    assert!(told.contains("its end refused for "), "{told}");
    eventually("the worker has no trouble any more", || (!world.run(&["workers"]).contains(&says)).then_some(()));
}

#[test]
fn a_lease_that_a_supervisor_lost_is_said_by_the_worker_that_took_it_over() {
    let mut world = World::new();
    let (first, task) = world.holding(&["--lease", "10min"]);
    first.kill();
    let _second = world.worker(&["--queue", "hold"]);
    eventually("it takes it over", || worker_log(&world).contains("took over").then_some(()));
    // The server restarts empty: to the supervisor it is another server, without the task.
    world.server.kill();
    world.server.restart();
    world.nothing_is_left();
    let says = format!("{}: lost its lease at ", task.id());
    eventually("the worker says something of it", || {
        let log = worker_log(&world);
        (log.contains(&format!("ended {}", task.id())) || log.contains(&says)).then_some(())
    });
    let log = worker_log(&world);
    assert!(log.contains("as the server reported: killed, its result is discarded"), "{log}");
    assert!(!log.contains(&format!("ended {}", task.id())), "{log}");
}
