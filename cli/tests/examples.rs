//! The programs of `examples/worker.d`, run by a worker; and what `make` runs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::path::Path;
use std::process::Command;

use blueque::{Status, Submit};
use support::eventually;
use world::{Worker, World, result, send, status};

fn worker(world: &World) -> Worker {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worker.d");
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["worker", "--queue", "resize", "--queue", "digest", "--quiet", "--dir"]).arg(programs);
    command.env("BLUEQUE_URL", world.server.url()).env("BLUEQUE_STATE_DIR", world.path("state"));
    Worker(command.spawn().unwrap())
}

#[test]
fn resize_makes_a_picture_smaller_and_fails_for_good_on_what_is_none() {
    let world = World::new();
    let _worker = worker(&world);
    let picture = world.path("photo.ppm");
    fs::write(&picture, "P3\n# four by two\n4 2 9\n1 1 1 2 2 2 3 3 3 4 4 4\n5 5 5 6 6 6 7 7 7 8 8 8\n").unwrap();
    let task = world.submit("resize", &format!("[\"{}\", 2]", picture.display()));
    assert_eq!(result(&task), format!("{{\"file\":\"{}\",\"width\":2,\"height\":1}}", picture.display()));
    let published = world.path("state/blueque/output").join(task.id().as_str()).join("photo.ppm");
    let small = eventually("it is published", || fs::read_to_string(&published).ok());
    assert_eq!(small, "P3 2 1 9\n1 1 1\n3 3 3\n");

    fs::write(world.path("text"), "no picture").unwrap();
    let info = status(&world.submit("resize", &format!("[\"{}\",2]", world.path("text").display())), Status::Failed);
    assert_eq!(info.group().as_deref(), Some("permanent"));
    assert!(info.error().unwrap().contains("is not a plain PPM picture"));
}

#[test]
fn digest_continues_from_its_checkpoint_and_returns_the_correct_digest() {
    let world = World::new();
    let _worker = worker(&world);
    fs::create_dir(world.path("files")).unwrap();
    for n in 0..20 {
        fs::write(world.path("files").join(format!("{n}")), "abc").unwrap();
    }
    let files = world.path("files");
    let parameters = format!("[\"{}\", 0.05]", files.display());
    let task = world.client.queue("digest").unwrap().submit_bytes(parameters.as_bytes(), Submit::default()).unwrap();
    eventually("progress and a checkpoint are kept", || {
        let info = task.info().unwrap();
        let progress = String::from_utf8(info.progress_bytes()?.to_vec()).unwrap();
        (progress.contains("files") && info.checkpoint_bytes().is_some()).then_some(())
    });
    send("KILL", world.supervisor());
    // What `sha256sum * | sha256sum` prints for these files.
    let sum = "9411d72d8b11267fd7d434b90fc1f19f6a4ccce09e56cd3e79602350795c6070";
    assert_eq!(result(&task), format!("{{\"files\": 20, \"sha256\": \"{sum}\"}}"));
    assert_eq!(task.info().unwrap().attempt(), 2);
    world.nothing_is_left();
}

#[test]
fn make_runs_what_cargo_has_built_wherever_it_builds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for goal in ["demo", "bench", "test", "bundle", "mutants"] {
        let plan = Command::new("make").args(["-n", goal]).current_dir(&root).output().unwrap();
        let plan = String::from_utf8(plan.stdout).unwrap();
        assert!(!plan.is_empty() && !plan.contains("target/"), "make {goal} expects it in target/: {plan}");
    }
    // The test runs the command that the plan of the demo contains.
    let asked = "cargo metadata --locked --no-deps --format-version 1";
    let plan = Command::new("make").args(["-n", "demo"]).current_dir(&root).output().unwrap();
    let plan = String::from_utf8(plan.stdout).unwrap();
    let shell = plan.split_once("$(cargo metadata").and_then(|(_, rest)| rest.split_once(")/demo/blueque"));
    let shell = format!("cargo metadata{}", shell.expect(asked).0);
    let mut command = Command::new("sh");
    let built = command.args(["-c", &shell]).current_dir(&root).env("CARGO_TARGET_DIR", "/nowhere/builds").output();
    assert_eq!(String::from_utf8(built.unwrap().stdout).unwrap(), "/nowhere/builds\n");
}

/// The steps that `make quick` runs after an edit of some files.
fn plan(files: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let plan =
        Command::new("python3").args(["scripts/quick", "--plan"]).args(files).current_dir(root).output().unwrap();
    assert!(plan.status.success(), "{}", String::from_utf8_lossy(&plan.stderr));
    String::from_utf8(plan.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn make_quick_runs_what_an_edit_concerns() {
    let steps = |files: &[&str]| -> Vec<String> {
        let seconds = [".venv/bin/typos ", "luacheck "];
        plan(files).into_iter().filter(|step| !seconds.iter().any(|first| step.starts_with(first))).collect()
    };
    let command = steps(&["lua/cmd/attempt/complete.lua"]);
    assert!(command[0] == "cases changed" && command[1].contains("--test rights"), "{command:?}");
    let library = steps(&["lua/lib/task/state.lua"]);
    assert!(library[0] == "cases changed" && library[1].contains("blueque-cli --test modules"), "{library:?}");
    assert_eq!(steps(&["lua/cmd/task/bulk.lua", "tests/conformance/bulk.json"])[0], "cases changed bulk");
    assert_eq!(steps(&["docs/contribute/architecture.md", "Makefile"]), [""; 0]);
    let page = steps(&["docs/use/retries.md"]);
    assert!(
        page.len() == 1 && page[0].contains("BLUEQUE_PAGE=retries") && page[0].contains("--test pages"),
        "{page:?}"
    );
    let worker = steps(&["cli/tests/worker/world.rs"]);
    assert!(worker[1].contains("blueque-cli --test worker"), "{worker:?}");
}

#[test]
fn make_quick_names_tests_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Command::new("git").arg("ls-files").current_dir(&root).output().unwrap();
    let files = String::from_utf8(files.stdout).unwrap();
    let steps = plan(&files.lines().collect::<Vec<_>>());
    assert!(steps.len() > 40, "{steps:#?}");
    for step in steps {
        let Some((before, test)) = step.split_once("--test ") else { continue };
        let folder = if before.contains("blueque-cli") { "cli/tests" } else { "tests" };
        let file = root.join(folder).join(test.split(' ').next().unwrap());
        assert!(file.with_extension("rs").is_file() || file.join("main.rs").is_file(), "there is no test for: {step}");
    }
}
