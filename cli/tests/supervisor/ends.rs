//! The ends of a program, and the resulting states of its task.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use blueque::{Status, TaskInfo};
use serde_json::{Value, json};

use crate::stage::{QUEUE, Stage, text};
use crate::support::eventually;

#[test]
fn a_program_that_prints_json_completes_its_task_with_it() {
    let stage = Stage::new();
    let mut run = stage.task("echo '{\"sum\": 3}'");
    let info = run.finish();
    assert_eq!(info.status(), Some(Status::Complete));
    assert_eq!(text(info.result_bytes()), "{\"sum\": 3}");
    assert!(!run.folder.exists(), "the run folder is removed");
}

#[test]
fn a_program_finds_its_arguments_on_stdin_and_in_a_file() {
    let stage = Stage::new();
    let mut run = stage.task("cmp -s - \"$BLUEQUE_PARAMETERS\" && cat \"$BLUEQUE_PARAMETERS\"");
    assert_eq!(text(run.finish().result_bytes()), "[\"one\",\"zwei\"]");
}

#[test]
fn a_program_that_closes_its_stdin_does_not_matter() {
    let stage = Stage::new();
    let mut run = stage.task("exec 0<&-; echo 7");
    assert_eq!(text(run.finish().result_bytes()), "7");
}

#[test]
fn a_result_file_wins_over_stdout() {
    let stage = Stage::new();
    let mut run = stage.task("echo '\"printed\"'; printf '\\001 no json' > \"$BLUEQUE_RESULT\"");
    assert_eq!(run.finish().result_bytes(), Some(&b"\x01 no json"[..]));
}

#[test]
fn what_is_no_json_is_no_result() {
    let stage = Stage::new();
    let mut run = stage.task("echo working; echo done");
    assert_eq!(text(run.finish().result_bytes()), "null");
}

#[test]
fn the_log_says_that_what_looks_like_json_on_stdout_is_none() {
    let stage = Stage::new();
    let looks = ["{\"loss\": NaN, \"epoch\": 5}", "{'epoch': 5}", "[1, 2", "-Infinity"];
    let none = [
        "working",
        "",
        "[INFO] working",
        "{\"level\": \"info\"}\n{\"level\": \"warn\"}",
        "NaN frames lost",
        "{\"sum\": 3}",
    ];
    for (script, warns) in looks.iter().map(|text| (text, true)).chain(none.iter().map(|text| (text, false))) {
        let mut run = stage.task(&format!("cat <<'END'\n{script}\nEND"));
        assert_eq!(run.finish().status(), Some(Status::Complete), "{script}");
        let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
        assert_eq!(said.matches("the result is null").count(), usize::from(warns), "{script}: {said}");
    }
    let mut run = stage.task("echo '{\"loss\": NaN}'; echo 7 > \"$BLUEQUE_RESULT\"");
    assert_eq!(text(run.finish().result_bytes()), "7\n");
    assert_eq!(stage.log(&run, "supervisor").concat(), b"", "stdout is not the result");
}

#[test]
fn a_result_over_the_limit_is_an_error_and_no_silent_loss() {
    let stage = Stage::new();
    let small = |run: &mut Value| run["limits"]["max_bytes"] = json!(100);
    for script in ["head -c 101 /dev/zero > \"$BLUEQUE_RESULT\"", "printf '[%0200d]' 0"] {
        let info = stage.task_with(script, Duration::from_secs(60), small).finish();
        assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("result")), "{script}");
        assert!(info.error().unwrap().contains("BLUEQUE_OUTPUT_DIR"));
    }
}

#[test]
fn exit_codes_mean_what_the_table_says() {
    let stage = Stage::new();
    let codes = [64, 65, 77, 78, 126, 127].map(|code| (code, "permanent"));
    for (code, group) in codes.into_iter().chain([(75, "temporary"), (1, "exit"), (85, "exit")]) {
        let mut run = stage.task(&format!("echo last words >&2; exit {code}"));
        let info = run.finish();
        assert_eq!(info.status(), Some(Status::Failed), "{code}");
        assert_eq!(info.group().as_deref(), Some(group), "{code}");
        let error = info.error().unwrap();
        assert!(error.contains("last words") && error.contains(&code.to_string()), "{error}");
    }
}

#[test]
fn a_crash_is_told_from_an_exit_code() {
    let stage = Stage::new();
    let mut run = stage.task("kill -SEGV $$");
    let info = run.finish();
    assert_eq!(info.group().as_deref(), Some("crashed"));
    assert!(info.error().unwrap().contains("SIGSEGV"), "{:?}", info.error());
}

#[test]
fn a_program_that_is_missing_or_cannot_be_run_gives_its_task_back_with_a_clear_text_in_the_log() {
    let stage = Stage::new();
    let missing = |run: &mut Value| run["program"] = json!(["/nowhere/at-all"]);
    let cases = [
        (stage.task_with("", Duration::from_secs(60), missing), "/nowhere/at-all cannot be run: No such file"),
        (stage.task("#!/no/such/interpreter"), "asks for /no/such/interpreter"),
    ];
    for (mut run, what) in cases {
        let info = run.finish();
        assert_eq!(info.status(), Some(Status::Pending), "{:?}", info.error());
        assert_eq!(text(info.fields.get("uncounted").map(Vec::as_slice)), "1");
        let log = stage.log(&run, "stderr").concat();
        let log = text(Some(&log));
        assert!(log.contains(what), "{log}");
    }
}

#[test]
fn exit_85_with_a_new_checkpoint_gives_the_task_back_uncounted() {
    let stage = Stage::new();
    let script = "if [ -e \"$BLUEQUE_CHECKPOINT\" ]; then printf '\"from '; tr -d '\\n' < \"$BLUEQUE_CHECKPOINT\"; echo '\"'; exit 0; fi
        echo chunk 9 > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; exit 85";
    let mut run = stage.task(script);
    let info = run.finish();
    assert_eq!(info.status(), Some(Status::Pending), "{:?}", info.error());
    assert_eq!(text(info.checkpoint_bytes()), "chunk 9\n");
    let program = stage.program("again", script);
    let mut again = stage.reserve(&run.task, &program, Duration::from_secs(60), |_| {});
    let info = again.finish();
    assert_eq!((info.attempt(), text(info.result_bytes())), (2, "\"from chunk 9\"".into()));
}

#[test]
fn exit_85_with_the_checkpoint_it_got_counts_as_a_failure() {
    let stage = Stage::new();
    let save =
        "echo same > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"; exit 85";
    let mut run = stage.task(save);
    assert_eq!(run.finish().status(), Some(Status::Pending));
    let program = stage.program("again", save);
    let info = stage.reserve(&run.task, &program, Duration::from_secs(60), |_| {}).finish();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("exit")));
}

#[test]
fn the_output_of_a_completed_attempt_is_published_whole_with_its_manifest() {
    let stage = Stage::new();
    let mut run = stage.task("cd \"$BLUEQUE_OUTPUT_DIR\"; mkdir deep; printf abc > deep/film; printf x > a");
    assert_eq!(run.finish().status(), Some(Status::Complete));
    let place = stage.published(&run);
    assert_eq!(fs::read_to_string(place.join("deep/film")).unwrap(), "abc");
    let manifest: Value = serde_json::from_slice(&fs::read(place.join("manifest.json")).unwrap()).unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(manifest["files"][1], json!({ "path": "deep/film", "size": 3, "sha256": abc }));
    assert_eq!(manifest["files"].as_array().unwrap().len(), 2);
}

#[test]
fn the_output_is_ready_before_its_task_is_complete() {
    let mut stage = Stage::new();
    let mut run =
        stage.task("echo x > \"$BLUEQUE_OUTPUT_DIR/film\"; echo > begun; while [ ! -e go ]; do sleep 0.01; done");
    run.supervise();
    run.said("begun");
    stage.server.kill();
    fs::write(run.folder.join("work/go"), "").unwrap();
    eventually("it is hashed", || run.folder.join("output/manifest.json").exists().then_some(()));
    stage.server.restart();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
    assert!(stage.published(&run).join("film").exists());
}

/// The hash of this file takes hours.
#[test]
fn the_lease_is_renewed_while_output_is_hashed_and_a_forced_cancel_ends_that() {
    let stage = Stage::new();
    let mut run = stage.task_with("truncate -s 1T \"$BLUEQUE_OUTPUT_DIR/film\"", Duration::from_secs(3), |_| {});
    run.supervise();
    eventually("it has ended", || run.folder.join("end.json").exists().then_some(()));
    // A program this short may end before its start was reported.
    eventually("its start is reported", || (run.task.info().unwrap().status() == Some(Status::Started)).then_some(()));
    for time in 0..4 {
        let before = stage.deadline();
        eventually(&format!("the lease is renewed, {time}"), || {
            assert_eq!(run.task.info().unwrap().status(), Some(Status::Started));
            (stage.deadline() > before).then_some(())
        });
    }
    run.task.cancel_by_force("not that").unwrap();
    run.ended();
    assert_eq!(run.task.info().unwrap().status(), Some(Status::Cancelled));
    assert!(!stage.published(&run).exists() && !run.folder.exists());
}

/// A folder for outputs in another file system, removed at the end.
struct Elsewhere(PathBuf);

impl Elsewhere {
    fn new() -> Self {
        Self(Path::new("/dev/shm").join(format!("blueque-output-{}", std::process::id())))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = Command::new("chmod").arg("-R").arg("u+rwx").arg(&self.0).status();
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn output_of_which_the_owner_may_change_and_read_nothing_is_published_as_it_is() {
    let stage = Stage::new();
    let elsewhere = Elsewhere::new();
    let script =
        "cd \"$BLUEQUE_OUTPUT_DIR\"; mkdir -p deep/hidden; echo 1 > film; echo 2 > deep/film; echo 3 > deep/hidden/film
chmod 444 film; chmod 200 deep/film; chmod 0 deep/hidden; chmod 555 deep .";
    for place in [None, Some(&elsewhere.0)] {
        let mut run = stage.task_with(script, Duration::from_secs(60), |run| run["publish"] = json!(place));
        run.supervise_as_a_user();
        run.ended();
        assert_eq!(run.task.info().unwrap().status(), Some(Status::Complete));
        let target = place.map_or_else(|| stage.published(&run), |place| place.join(run.task.id().as_str()));
        let mode = |name: &str| fs::symlink_metadata(target.join(name)).unwrap().permissions().mode() & 0o777;
        let files = [".", "film", "deep", "deep/film", "deep/hidden"];
        let said = String::from_utf8_lossy(&stage.log(&run, "supervisor").concat()).into_owned();
        assert!(target.exists(), "{said}");
        assert_eq!(files.map(mode), [0o555, 0o444, 0o555, 0o200, 0], "{place:?}");
        let manifest: Value = serde_json::from_slice(&fs::read(target.join("manifest.json")).unwrap()).unwrap();
        assert_eq!(manifest["files"].as_array().unwrap().len(), 3);
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        assert!(!run.folder.exists());
    }
}

#[test]
fn a_task_that_is_run_again_publishes_anew_and_a_manifest_of_its_own_is_kept() {
    let stage = Stage::new();
    let script =
        "echo $BLUEQUE_ATTEMPT > \"$BLUEQUE_OUTPUT_DIR/film\"; echo mine > \"$BLUEQUE_OUTPUT_DIR/manifest.json\"";
    let program = stage.program("twice", script);
    let mut run = stage.task("echo 0 > \"$BLUEQUE_OUTPUT_DIR/old\"; exit 1");
    run.finish();
    fs::create_dir_all(stage.published(&run).join("old")).unwrap();
    run.task.retry().unwrap();
    let mut again = stage.reserve(&run.task, &program, Duration::from_secs(60), |_| {});
    again.finish();
    let place = stage.published(&run);
    assert_eq!(fs::read_to_string(place.join("film")).unwrap(), "2\n");
    assert_eq!(fs::read_to_string(place.join("manifest.json")).unwrap(), "mine\n");
    assert!(place.join("blueque-manifest.json").exists() && !place.join("old").exists());
}

#[test]
fn the_output_of_a_failed_attempt_is_not_published() {
    let stage = Stage::new();
    let mut run = stage.task("echo half > \"$BLUEQUE_OUTPUT_DIR/film\"; exit 1");
    assert_eq!(run.finish().status(), Some(Status::Failed));
    assert!(!stage.published(&run).exists() && !run.folder.exists());
}

#[test]
fn the_environment_is_the_contracts_and_no_more() {
    let stage = Stage::new();
    let script = "env | sort > \"$BLUEQUE_RESULT\"; nice >> \"$BLUEQUE_RESULT\"; ulimit -c >> \"$BLUEQUE_RESULT\"";
    let mut run = stage.task_with(script, Duration::from_secs(60), |run| {
        run["limits"]["nice"] = json!(7);
        run["limits"]["max_run_ms"] = json!(60_000);
    });
    let seen = text(run.finish().result_bytes());
    for name in [
        "TASK_ID",
        "QUEUE=films",
        "METHOD=test",
        "ATTEMPT=1",
        "NODE=test_1",
        "START_REASON=new",
        "STOP",
        "RUN",
        "DEADLINE",
    ] {
        assert!(seen.contains(&format!("BLUEQUE_{name}")), "{name} in {seen}");
    }
    assert!(!seen.contains("SECRET") && !seen.contains("PASSWORD"), "{seen}");
    assert!(seen.ends_with("\n7\n0\n"), "its priority, and no core files: {seen}");
}

#[test]
fn the_post_mortem_tells_exit_memory_time_and_last_words() {
    let stage = Stage::new();
    let mut run = stage.task("echo oh no >&2; exit 3");
    run.finish();
    let last = stage.log(&run, "exit").pop().expect("an entry of the source exit");
    let told: Value = serde_json::from_slice(&last).unwrap();
    assert_eq!((&told["exit"], &told["oom"], &told["stderr"]), (&json!(3), &json!(false), &json!("oh no")));
    assert!(told["max_rss_kib"].as_u64().unwrap() > 100 && told["wall_ms"].is_u64() && told["cpu_ms"].is_u64());
}

/// The cost of the last attempt in the record.
fn cost(info: &TaskInfo) -> Value {
    serde_json::from_slice(info.cost().expect("a cost")).unwrap()
}

#[test]
fn what_an_attempt_cost_is_in_the_record_and_in_the_history_of_each() {
    let stage = Stage::new();
    // The cost includes a grandchild whose parent has ended.
    let script = "import os, time\nif os.fork() == 0:\n    if os.fork() == 0:\n        x = bytearray(64 << 20)\n\
                  \x20       open('big', 'wb').write(x)\n        open('big', 'rb').read()\n\
                  \x20       end = time.process_time() + 0.3\n        while time.process_time() < end: pass\n\
                  \x20       open('done', 'w')\n    os._exit(0)\nwhile not os.path.exists('done'): time.sleep(0.01)\n\
                  raise SystemExit(75)";
    let mut run = stage.task(&format!("#!/usr/bin/env python3\n{script}"));
    stage.client.queue(QUEUE).unwrap().configure("max_failures", Some("1")).unwrap();
    stage.client.queue(QUEUE).unwrap().configure("delay", Some("0")).unwrap();
    run.finish();
    let first = cost(&run.task.info().unwrap());
    assert_eq!((&first["attempt"], &first["exit"], &first["counted"]), (&json!(1), &json!(75), &json!("calls")));
    assert!(first["cpu_ms"].as_u64().unwrap() >= 300 && first["wall_ms"].as_u64().unwrap() >= 300, "{first}");
    assert!(first["max_rss_kib"].as_u64().unwrap() >= 64 << 10, "{first}");
    for bytes in ["read_bytes", "written_bytes"] {
        let bytes = first[bytes].as_u64().unwrap();
        assert!((64 << 20..72 << 20).contains(&bytes), "the program's own, not its supervisor's: {first}");
    }
    assert!(first.get("output").is_none() && first.get("stderr").is_none(), "{first}");

    let program = stage.program("second", "kill -9 $$");
    let mut run = stage.reserve(&run.task, &program, Duration::from_secs(60), |_| {});
    let second = cost(&run.finish());
    assert_eq!(
        (&second["attempt"], &second["signal"], &second["host"]),
        (&json!(2), &json!("SIGKILL"), &json!("test"))
    );
    let steps = run.task.history().unwrap();
    let costs: Vec<Value> = steps
        .iter()
        .filter_map(|step| step.cost.as_deref())
        .map(|bytes| serde_json::from_slice(bytes).unwrap())
        .collect();
    assert_eq!(costs, [first, second]);
}

#[test]
fn the_record_says_where_the_output_was_published() {
    let stage = Stage::new();
    let mut run = stage.task("echo x > \"$BLUEQUE_OUTPUT_DIR/film\"");
    let told = cost(&run.finish());
    let place = fs::canonicalize(stage.published(&run)).unwrap();
    assert_eq!((told["output"].as_str(), told["host"].as_str()), (place.to_str(), Some("test")));
    assert!(cost(&stage.task("true").finish()).get("output").is_none());
    // Only a path that is too long for the record is left out.
    let far =
        stage.state.path().join("x".repeat(200)).join("y".repeat(250)).join("z".repeat(250)).join("w".repeat(250));
    let script = "echo x > \"$BLUEQUE_OUTPUT_DIR/film\"";
    let mut run = stage.task_with(script, Duration::from_secs(60), |run| run["publish"] = json!(far));
    let told = cost(&run.finish());
    assert!(told.get("output").is_none() && told["exit"] == 0, "{told}");
    assert!(far.join(run.task.id().as_str()).join("film").exists());
}

#[test]
fn a_program_that_is_stopped_has_its_cost_too() {
    let stage = Stage::new();
    let mut run = stage.task("echo $$ > child; exec sleep 600");
    run.supervise();
    run.pid("child");
    run.task.cancel("enough").unwrap();
    stage.call();
    run.ended();
    let info = run.task.info().unwrap();
    assert_eq!((info.status(), &cost(&info)["signal"]), (Some(Status::Cancelled), &json!("SIGTERM")));
}

#[test]
fn an_error_leads_with_the_last_line_of_stderr_and_the_stack_follows() {
    let stage = Stage::new();
    let error = |script: &str| stage.task(script).finish().error().unwrap();
    assert_eq!(error("exit 3"), "exit code 3");
    assert_eq!(error("echo no disk >&2; exit 3"), "exit code 3: no disk");
    assert_eq!(error("echo >&2; echo no disk >&2; echo >&2; kill -9 $$"), "killed by SIGKILL: no disk");
    let stack = error("seq 300 >&2; echo 'RuntimeError: out of it' >&2; exit 1");
    assert!(
        stack.starts_with("exit code 1: RuntimeError: out of it\n…") && stack.ends_with("300\nRuntimeError: out of it"),
        "{stack}"
    );
    assert!(stack.len() < 1_100, "{}", stack.len());
    let long = error("printf '%05000d' 7 >&2; exit 1");
    assert!(long.starts_with("exit code 1: 000") && long.ends_with("0…") && long.len() < 1_100, "{long}");
    let bar = "i=0; while [ $i -lt 4000 ]; do i=$((i + 1)); printf '\\r%s of 4000' $i >&2; done";
    assert_eq!(error(&format!("{bar}; printf '\\rno space left\\r\\n' >&2; exit 1")), "exit code 1: no space left");
    assert_eq!(
        error(&format!("{bar}; echo ': no space left' >&2; exit 1")),
        "exit code 1: 4000 of 4000: no space left"
    );
}

#[test]
fn a_program_killed_by_a_signal_without_a_name_has_ended() {
    let stage = Stage::new();
    let info = stage.task("kill -s 40 $$").finish();
    assert_eq!((info.status(), info.group().as_deref()), (Some(Status::Failed), Some("crashed")));
    assert_eq!((info.error().as_deref(), &cost(&info)["signal"]), (Some("killed by signal 40"), &json!("signal 40")));
}

#[test]
fn a_program_that_somebody_kills_is_not_out_of_memory() {
    let stage = Stage::new();
    for (script, group) in [("kill -9 $$", "crashed"), ("exit 137", "exit")] {
        assert_eq!(stage.task(script).finish().group().as_deref(), Some(group));
    }
}

#[test]
fn a_limit_on_memory_holds() {
    let stage = Stage::new();
    let script = "#!/usr/bin/env python3\nx = bytearray(300_000_000)";
    let small = |run: &mut Value| run["limits"]["memory"] = json!(100_000_000);
    let info = stage.task_with(script, Duration::from_secs(60), small).finish();
    assert_eq!(info.status(), Some(Status::Failed));
    assert!(info.error().unwrap().contains("MemoryError"), "{:?}", info.error());
}
