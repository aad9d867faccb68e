//! What is said when a lease, an end or a result is lost, or the server refuses to hear of them.

use std::fs;
use std::path::Path;

use blueque::{Status, Submit, Task};

use crate::support::eventually;
use crate::world::{HOLD, World, result, status};

fn worker_log(world: &World) -> String {
    fs::read_to_string(world.path("worker.log")).unwrap_or_default()
}

fn supervisors_log(world: &World) -> String {
    fs::read_to_string(world.path("state/blueque/supervisors.log")).unwrap_or_default()
}

/// What stands in the logs of attempts on the disk.
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
    let entries = world.client.call(&world.client.calls().logs(task.id(), "0", 500)).unwrap().items;
    entries.into_iter().map(|entry| String::from_utf8(entry.text).unwrap()).collect()
}

#[test]
fn a_lease_that_was_lost_is_said_everywhere_and_is_no_end() {
    let mut world = World::new();
    world.program("hold", HOLD);
    let _worker = world.worker(&["--queue", "hold", "--lease", "3s"]);
    let task = world.submit("hold", "[]");
    world.written("pid");
    status(&task, Status::Started);
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
        assert!(text.contains("thrown away"), "{which}: {text}");
    }
    assert!(!worker_log(&world).contains(&format!("ended {}", task.id())));
}

#[test]
fn a_result_that_the_server_does_not_want_any_more_is_said_to_be_thrown_away() {
    let mut world = World::new();
    world.program("hold", HOLD);
    let _worker = world.worker(&["--queue", "hold"]);
    let task = world.submit("hold", "[]");
    world.written("pid");
    status(&task, Status::Started);
    world.server.kill();
    world.touch("go");
    eventually("the end is on the disk", || world.runs().iter().any(|run| run.join("end.json").exists()).then_some(()));
    // Empty: it is another one, for all that the supervisor knows.
    world.server.restart();
    world.nothing_is_left();
    eventually("the worker looked", || {
        let log = worker_log(&world);
        (log.contains(&format!("ended {}", task.id())) || log.contains("thrown away")).then_some(())
    });
    for (which, text) in
        [("worker", worker_log(&world)), ("supervisors", supervisors_log(&world)), ("task", disk_logs(&world))]
    {
        assert!(text.contains("result is thrown away"), "{which}: {text}");
    }
}

#[test]
fn heartbeats_that_are_refused_are_said_once_and_so_is_the_end_of_that() {
    let world = World::new();
    world.program("hold", HOLD);
    let _worker = world.worker(&["--queue", "hold", "--lease", "30s"]);
    let task = world.submit("hold", "[]");
    world.written("pid");
    status(&task, Status::Started);
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

#[test]
fn an_end_that_cannot_be_delivered_is_said() {
    let world = World::new();
    world.program("large", "{ printf '\"'; head -c 2000000 /dev/zero | tr '\\0' x; echo '\"'; } > \"$BLUEQUE_RESULT\"");
    let _worker = world.worker(&["--queue", "large", "--max-bytes", "4M"]);
    set(&world, "proto-max-bulk-len", "1mb");
    let task = world.client.queue("large").unwrap().submit_bytes(b"[]", Submit::default()).unwrap();
    eventually("it is said", || supervisors_log(&world).contains("cannot be delivered").then_some(()));
    set(&world, "proto-max-bulk-len", "512mb");
    assert_eq!(result(&task).trim().len(), 2_000_002);
    assert_eq!(supervisors_log(&world).matches("cannot be delivered").count(), 1);
}
