//! Odd output and odd folders of programs: links, pipes, and deeply nested folders.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use blueque::Status;
use serde_json::json;

use crate::stage::Stage;

/// Nests this many folders with names of this length.
fn nest(folder: &str, levels: u32, length: u32) -> String {
    let make = format!(
        "import os\nfor _ in range({levels}):\n os.mkdir('d' * {length})\n os.chdir('d' * {length})\nopen('film', 'w').close()"
    );
    format!("cd \"{folder}\"; python3 -c \"{make}\"")
}

#[test]
fn links_that_lead_out_of_the_output_and_what_is_no_file_are_not_published() {
    let stage = Stage::new();
    let elsewhere = Path::new("/dev/shm").join(format!("blueque-links-{}", std::process::id()));
    let script = "cd \"$BLUEQUE_OUTPUT_DIR\"; mkdir -p a/b/c; echo 1 > a/film; mkfifo pipe
chain() { ln -s \"$2\" \"$1\"; }
chain a/same film; chain good a/film; chain a/b/up ../film; chain around a/b/../film; chain later missing
chain a/b/c/root ../../..; chain through a/b/c/root/a/film
chain absolute /etc/passwd; chain out ../run.json; chain back ../output/a/film; chain a/b/out ../../../run.json
chain trick a/b/c/root/../run.json; chain gone missing/../../run.json; chain round round
chmod 555 a/b .";
    for place in [None, Some(&elsewhere)] {
        let mut run = stage.task_with(script, Duration::from_secs(60), |run| run["publish"] = json!(place));
        let info = run.finish();
        assert_eq!(info.status(), Some(Status::Complete), "{:?}", info.error());
        let target = place.map_or_else(|| stage.published(&run), |place| place.join(run.task.id().as_str()));
        let names = |folder: &str| {
            let entries = fs::read_dir(target.join(folder)).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names("."), ["a", "around", "good", "later", "manifest.json", "through"]);
        assert_eq!(
            (names("a"), names("a/b")),
            (vec!["b".into(), "film".into(), "same".into()], vec!["c".into(), "up".into()])
        );
        assert_eq!(fs::read_to_string(target.join("through")).unwrap(), "1\n");
        let said = String::from_utf8_lossy(&stage.log(&run, "supervisor").concat()).into_owned();
        assert!(said.contains("not published") && said.contains("and 3 more"), "{said}");
    }
    fs::remove_dir_all(elsewhere).unwrap();
}

#[test]
fn output_with_longer_paths_than_the_kernel_takes_fails_its_task() {
    let stage = Stage::new();
    let mut run = stage.task(&nest("$BLUEQUE_OUTPUT_DIR", 30, 200));
    let info = run.finish();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("result")));
    let error = info.error().unwrap();
    assert!(error.contains("the output is nested too deeply"), "{error}");
    assert!(!stage.published(&run).exists() && !run.folder.exists());
    assert_eq!(fs::read_dir(stage.runs()).unwrap().count(), 0, "no run folder is left");
}

#[test]
fn output_with_more_levels_than_descriptors_is_published() {
    let stage = Stage::new();
    let mut run = stage.task(&nest("$BLUEQUE_OUTPUT_DIR", 1500, 1));
    run.supervise_by(few_descriptors(), Stdio::inherit());
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!(info.status(), Some(Status::Complete), "{:?}", info.error());
    let film = stage.published(&run).join("d/".repeat(1500)).join("film");
    assert!(film.exists());
}

/// A supervisor with 128 descriptors.
fn few_descriptors() -> Command {
    let mut command = Command::new("prlimit");
    command.args(["--nofile=128", env!("CARGO_BIN_EXE_blueque")]);
    command
}

#[test]
fn folders_nested_deeper_than_descriptors_and_paths_reach_are_removed_with_the_run() {
    let stage = Stage::new();
    // The names collide with names that the removal may choose, and the folders have no permissions.
    let script = format!("mkdir -p 0/2/3; echo > 1; echo > 0/2/4; chmod 0 0/2 0; {}", nest(".", 20_000, 1));
    let mut run = stage.task(&script);
    run.supervise_by(few_descriptors(), Stdio::inherit());
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
    assert_eq!(fs::read_dir(stage.runs()).unwrap().count(), 0, "no run folder is left");
}
