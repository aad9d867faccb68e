//! Ids and namespaces that begin with a dot.

use std::fs;
use std::time::Duration;

use blueque::{Status, Submit};

use crate::age;
use crate::support::eventually;
use crate::world::{World, result, status};

const HOURS: Duration = Duration::from_secs(7_200);

/// Each id, and the name of its folders.
const IDS: [(&str, &str); 5] = [("x", "x"), (".x", "%2Ex"), (".", "%2E"), ("..", "%2E."), ("..x", "%2E.x")];

#[test]
fn runs_of_ids_that_begin_with_a_dot_are_waited_for_taken_over_and_published() {
    let world = World::new();
    world.program(
        "hold",
        "echo \"$BLUEQUE_TASK_ID\" > \"$BLUEQUE_OUTPUT_DIR/me\"; echo 1 >> FOLDER/begun\n\
         while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo '\"done\"'",
    );
    let begun = || fs::read_to_string(world.path("begun")).unwrap_or_default().lines().count();
    let first = world.worker(&["--queue", "hold", "--slots", "5"]);
    let tasks: Vec<_> = IDS.iter().map(|(id, _)| world.submit_as("hold", id, Submit::default())).collect();
    for task in &tasks {
        status(task, Status::Started);
    }
    eventually("all have begun", || (begun() == 5).then_some(()));
    first.kill();

    // Sets the age at which leftovers of crashes are removed, both of this release and of its predecessor.
    let runs = world.path("state/blueque/runs");
    let leftovers = [".+x.7.1", ".+%2Ex.7.gone", ".x.7.1", "..x.7.gone"].map(|name| runs.join(name));
    for leftover in &leftovers {
        fs::create_dir(leftover).unwrap();
    }
    for run in fs::read_dir(&runs).unwrap() {
        age(&run.unwrap().path(), HOURS);
    }
    let mut second = world.worker(&["--queue", "hold", "--slots", "5"]);
    eventually("all are taken over", || (world.log().matches("took over").count() == 5).then_some(()));
    assert!(!leftovers.iter().any(|leftover| leftover.exists()));
    second.signal("TERM");
    eventually("it drains", || world.log().contains("drains; running: 5").then_some(()));
    for task in &tasks {
        assert_eq!(task.info().unwrap().status(), Some(Status::Started), "{}", task.id());
    }
    world.touch("go");
    for (task, (id, name)) in tasks.iter().zip(IDS) {
        assert_eq!(result(task), "\"done\"");
        let output = world.path("state/blueque/output").join(name).join("me");
        let published = eventually(&format!("{id} is published"), || fs::read_to_string(&output).ok());
        assert_eq!(published.trim(), id);
    }
    assert!(second.ended().success());
    assert_eq!(begun(), 5, "none ran twice");
    assert_eq!(fs::read_dir(runs).unwrap().count(), 0);
}

#[test]
fn nothing_outside_the_folder_of_a_namespace_that_begins_with_a_dot_is_cleared_away() {
    let world = World::new();
    let state = world.path("deep/state");
    let precious = world.path("deep/runs/.precious");
    let leftover = state.join("%2E./runs/.+x.1.2");
    for folder in [&precious, &leftover] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        age(folder, HOURS);
    }
    let state = state.to_str().unwrap();
    let _worker = world.worker(&["--queue", "q", "--namespace", "..", "--state-dir", state]);
    eventually("it listens", || world.log().contains("takes tasks of q").then_some(()));
    assert!(precious.join("file").exists());
    assert!(!leftover.exists());
}
