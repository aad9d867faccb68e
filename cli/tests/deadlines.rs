//! Deadlines, and upstreams that are added late: real workers and programs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use blueque::{Inputs, Status, Submit, TaskId};
use world::{Worker, World, field, lives, result, status};

#[test]
fn a_program_that_runs_past_its_deadline_is_stopped_and_its_task_fails() {
    let world = World::new();
    world.program("q", "trap 'echo 5; exit 0' TERM; echo $$ > FOLDER/pid; while :; do sleep 0.1; done");
    let _worker = world.worker(&["--queue", "q"]);
    assert_eq!(world.run(&["submit", "q", "[]", "--id", "long", "--deadline", "3s"]), "long\n");
    assert_eq!(world.run(&["submit", "q", "[]", "--id", "below", "--after-success", "long"]), "below\n");
    let pid: i32 = world.written("pid").parse().unwrap();
    let why = world.run(&["why", "long"]);
    assert!(why.contains("It has been running on ") && why.contains(" Its deadline is "), "{why}");
    let long = status(&world.client.task("long").unwrap(), Status::Failed);
    // The program ended successfully after the stop signal: its result is discarded.
    assert_eq!((long.group().as_deref(), long.result_bytes()), (Some("deadline"), None));
    assert_eq!(field(&long, "error"), "its deadline has passed");
    assert!(!lives(pid));
    let below = status(&world.client.task("below").unwrap(), Status::Failed);
    assert_eq!(field(&below, "cause"), "long");
    assert!(world.run(&["show", "long"]).contains("deadline"));
    let refused = world.run(&["retry", "long"]);
    assert!(refused.contains("OVERDUE") && refused.contains("give it a later one"), "{refused}");
    assert_eq!(world.run(&["retry", "long", "--deadline", "1h", "-o", "id"]), "long\n");
}

#[test]
fn a_task_that_nobody_takes_fails_at_its_deadline() {
    let world = World::new();
    let _worker = world.worker(&["--queue", "other"]);
    world.run(&["submit", "q", "[]", "--id", "up"]);
    let args: [&[&str]; 3] = [&[], &["--eta", "1h"], &["--after", "up"]];
    for (id, args) in ["pending", "scheduled", "waiting"].into_iter().zip(args) {
        world.run(&[&["submit", "q", "[]", "--id", id, "--deadline", "2s"], args].concat());
    }
    for id in ["pending", "scheduled", "waiting"] {
        let info = status(&world.client.task(id).unwrap(), Status::Failed);
        assert_eq!(info.group().as_deref(), Some("deadline"), "{id}");
    }
    assert_eq!(world.client.task("up").unwrap().info().unwrap().status(), Some(Status::Pending));
}

#[test]
fn a_task_waits_for_others_that_are_added_late() {
    let world = World::new();
    world.program("q", "while [ -e FOLDER/wait ]; do sleep 0.05; done; echo '\"done\"'");
    world.program("join", "cat");
    world.touch("wait");
    let first = world.submit_as("q", "first", Submit::default());
    let second = world.submit_as("q", "second", Submit::default());
    let join = Submit::default().id(TaskId::new("join").unwrap()).result_of(0, first.id());
    let join = world.client.queue("join").unwrap().submit_bytes(b"", join).unwrap();
    assert!(world.run(&["depend", "join", "--result-of", "second"]).ends_with("join  waiting\n"));
    assert_eq!(world.run(&["depend", "second", "--after", "first", "-o", "id"]), "second\n");
    let circle = world.run(&["depend", "first", "--after-success", "join"]);
    assert!(circle.contains("CYCLE: these tasks would wait for one another: first -> "), "{circle}");
    assert_eq!(second.undepend(first.id()).unwrap(), Status::Pending);
    assert_eq!(second.depend(&Inputs::new().after(first.id())).unwrap(), Status::Waiting);
    let _workers = [world.worker(&["--queue", "q"]), world.worker(&["--queue", "join"])];
    status(&first, Status::Started);
    assert!(world.run(&["depend", "first", "--after", "join"]).contains("STATE"));
    std::fs::remove_file(world.path("wait")).unwrap();
    status(&join, Status::Complete);
    assert_eq!(result(&join), r#"["done","done"]"#);
    let only = world.submit_as("nobody", "only", Submit::default());
    let last = world.submit_as("q", "last", Submit::default().after_success(only.id()));
    assert!(world.run(&["undepend", "last", "only"]).ends_with("last  pending\n"));
    status(&last, Status::Complete);
}

#[test]
fn a_running_program_waits_for_its_children_without_a_slot_and_goes_on() {
    let world = World::new();
    let url = world.server.url();
    world.program(
        "parent",
        &format!(
            "if [ -e \"$BLUEQUE_CHECKPOINT\" ]; then
               blueque --url {url} show child -o json | grep -o '\"result\":[0-9]*' | cut -d: -f2; exit 0
             fi
             blueque --url {url} submit child '[]' --id child >&2 && echo waits > \"$BLUEQUE_CHECKPOINT\"
             blueque task suspend --after-success child; exit 85"
        ),
    );
    world.program("child", "echo 7");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_blueque"));
    let parent = world.submit("parent", "[]");
    // One slot for both queues: the child runs only because the parent has given up its own.
    let mut command = world.command(binary, &["--queue", "parent", "--queue", "child", "--slots", "1"]);
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut worker = command.env("PATH", path).spawn().unwrap();
    let info = status(&parent, Status::Complete);
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert_eq!((info.attempt(), result(&parent).as_str()), (2, "7"));
    let steps = parent.history().unwrap();
    assert!(steps.iter().any(|step| step.to == "waiting" && step.why.as_deref() == Some("suspend")), "{steps:?}");
}

/// A worker with one slot for these queues, whose programs find the command.
fn with_one_slot(world: &World, queues: &[&str]) -> Worker {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_blueque"));
    let queues: Vec<&str> = queues.iter().flat_map(|queue| ["--queue", queue]).collect();
    let mut command = world.command(binary, &[&queues[..], &["--slots", "1"]].concat());
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    Worker(command.env("PATH", path).spawn().unwrap())
}

#[test]
fn a_program_waits_for_several_children_and_comes_back_though_one_has_failed() {
    let world = World::new();
    let url = world.server.url();
    world.program(
        "parent",
        &format!(
            "if [ -e \"$BLUEQUE_CHECKPOINT\" ]; then
               for child in 1 2 3; do
                 blueque --url {url} show $BLUEQUE_TASK_ID.$child -o json | grep -o '\"result\":[0-9]*' | cut -d: -f2
               done | jq -s .; exit 0
             fi
             for child in 1 2 3; do blueque --url {url} submit child $child --id $BLUEQUE_TASK_ID.$child >&2; done
             echo submitted > \"$BLUEQUE_CHECKPOINT\"
             blueque task suspend --after-success $BLUEQUE_TASK_ID.1 --after-success $BLUEQUE_TASK_ID.2 \
               --after $BLUEQUE_TASK_ID.3
             exit 85"
        ),
    );
    world.program("child", "read n; [ $n = 3 ] && exit 64; echo $((n * 10))");
    let parent = world.submit("parent", "[]");
    let _worker = with_one_slot(&world, &["parent", "child"]);
    assert_eq!(result(&parent).split_whitespace().collect::<String>(), "[10,20]");
    assert_eq!(parent.info().unwrap().attempt(), 2);
    status(&world.client.task(&format!("{}.3", parent.id())).unwrap(), Status::Failed);

    // An upstream of the parent fails: the parent is not run again.
    world.program("child", "read n; [ $n = 2 ] && exit 64; echo $n");
    let parent = world.submit("parent", "[]");
    let info = status(&parent, Status::Failed);
    assert_eq!((info.attempt(), field(&info, "cause")), (1, format!("{}.2", parent.id())));
}

#[test]
fn a_program_ends_and_another_one_goes_on_with_the_results_of_its_children() {
    let world = World::new();
    let url = world.server.url();
    world.program(
        "parent",
        &format!(
            "id=$BLUEQUE_TASK_ID
             for child in 1 2 3; do blueque --url {url} submit child $child --id $id.$child >&2; done
             blueque --url {url} submit rest --id $id.rest --result-of $id.1 --result-of $id.2 --result-of $id.3 >&2
             [ $BLUEQUE_ATTEMPT = 1 ] && kill -KILL $$
             echo '\"split\"'"
        ),
    );
    world.program("child", "read n; echo $((n * 10))");
    world.program("rest", "cat");
    world.run(&["config", "set", "-q", "parent", "delay=0", "max_failures=1"]);
    let parent = world.submit("parent", "[]");
    let _worker = with_one_slot(&world, &["parent", "child", "rest"]);
    assert_eq!(result(&parent), "\"split\"");
    // The first attempt died after it had submitted all children. The second attempt submitted no duplicates.
    let rest = world.client.task(&format!("{}.rest", parent.id())).unwrap();
    assert_eq!(result(&rest), "[10,20,30]");
    let counts = world.client.queue("child").unwrap().counts().unwrap();
    assert_eq!((counts.complete, parent.info().unwrap().attempt()), (3, 2));
    assert_eq!(rest.history().unwrap()[0].to, "waiting");
}

#[test]
fn a_lost_task_is_scheduled_if_its_queue_says_so() {
    let world = World::new();
    world.program("q", "echo $$ > FOLDER/pid; exec sleep 600");
    assert!(world.run(&["config", "set", "-q", "q", "lost_delay=1h"]).contains("lost_delay"));
    let task = world.submit("q", "[]");
    let worker = world.worker(&["--queue", "q", "--lease", "5s"]);
    world.written("pid");
    status(&task, Status::Started);
    let supervisor = world.supervisor();
    worker.kill();
    world::send("KILL", supervisor);
    let _other = world.worker(&["--queue", "q", "--lease", "5s"]);
    let info = status(&task, Status::Scheduled);
    let eta = info.eta().unwrap().duration_since(std::time::SystemTime::now()).unwrap();
    assert!(eta.as_secs() > 3_000 && eta.as_secs() <= 3_600, "{eta:?}");
    assert_eq!(field(&info, "losses"), "1");
}
