//! Output and files that programs write while they run.

use std::fs;
use std::time::Duration;

use blueque::{Status, TaskInfo};
use serde_json::{Value, json};

use crate::stage::{Stage, text};
use crate::support::eventually;

#[test]
fn output_can_be_followed_while_the_program_runs() {
    let stage = Stage::new();
    let mut run = stage.task("echo hello; echo problem >&2; while [ ! -e go ]; do sleep 0.01; done");
    run.supervise();
    eventually("both lines are in the log", || {
        (stage.log(&run, "stdout").concat() == b"hello\n" && stage.log(&run, "stderr").concat() == b"problem\n")
            .then_some(())
    });
    assert_eq!(stage.disk_log(&run), ["stdout F hello", "stderr F problem"]);
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
    let log = stage.disk_log(&run);
    assert!(log.len() == 3 && log[2].starts_with("exit F {"), "it outlives the run folder: {log:?}");
    assert!(log[2].contains("\"exit\":0,"), "{log:?}");
}

#[test]
fn a_flood_of_output_blocks_nobody_and_fills_neither_the_disk_nor_the_server() {
    let stage = Stage::new();
    let script = "echo first; yes 'one line of a flood of output' | head -n 3000000; echo last
du -sk \"$BLUEQUE_RUN/../../logs\" | cut -f1 > \"$BLUEQUE_RESULT\"";
    let mut run = stage.task_with(script, Duration::from_secs(60), |run| run["keep_log"] = json!(16 << 20));
    let info = run.finish();
    assert_eq!(info.status(), Some(Status::Complete));
    let kib: u64 = text(info.result_bytes()).trim().parse().unwrap();
    assert!((10_000..18_000).contains(&kib), "{kib} KiB on the disk");
    let log = stage.disk_log(&run);
    assert_eq!(log[0], "stdout F first");
    assert!(log.contains(&"stdout F last".to_owned()));
    let there = stage.log(&run, "stdout").concat();
    assert!((100_000..160 << 10).contains(&there.len()), "{} bytes in the server", there.len());
    assert!(there.starts_with(b"first\none line") && there.ends_with(b"output\nlast\n"));
    let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
    let left: u64 = said.split(' ').next().unwrap().parse().unwrap();
    assert!((89_000_000..90_000_011).contains(&left), "{said}");
    let folder = said.trim_end().rsplit_once(" is on test in ").unwrap().1;
    assert!(std::path::Path::new(folder).is_dir(), "the notice tells the truth: {said}");
}

#[test]
fn a_program_that_prints_a_little_all_the_time_keeps_its_first_line() {
    let stage = Stage::new();
    let script =
        "for i in $(seq 0 299); do echo l $i; sleep 0.01; done; echo > done; while [ ! -e go ]; do sleep 0.01; done";
    let mut run = stage.task(script);
    run.supervise();
    run.said("done");
    let all = (0..300).map(|line| format!("l {line}\n")).collect::<Vec<_>>().concat();
    eventually("all of it is at the server", || (stage.log(&run, "stdout").concat() == all.as_bytes()).then_some(()));
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
}

#[test]
fn lines_of_two_streams_that_alternate_all_arrive_in_their_order() {
    let stage = Stage::new();
    let mut run = stage.task("for i in $(seq 200); do echo o$i; sleep 0.002; echo e$i >&2; sleep 0.002; done");
    run.finish();
    for (source, letter) in [("stdout", "o"), ("stderr", "e")] {
        let all = (1..=200).map(|line| format!("{letter}{line}\n")).collect::<Vec<_>>().concat();
        assert_eq!(String::from_utf8(stage.log(&run, source).concat()).unwrap(), all);
    }
}

/// A filter like `tee` that passes its line on when the program has ended.
const FILTER: &str = "#!/bin/bash
exec > >(IFS= read -r line; while kill -0 $$ 2>/dev/null; do :; done; echo \"$line\") 2>&1
";

#[test]
fn output_that_a_filter_has_when_its_program_ends_is_the_result() {
    let stage = Stage::new();
    let mut run = stage.task(&format!("{FILTER}echo '{{\"rows\": 12345}}'"));
    assert_eq!(text(run.finish().result_bytes()), "{\"rows\": 12345}");
    let mut run = stage.task(&format!("{FILTER}echo no space left; exit 3"));
    run.finish();
    assert_eq!(stage.log(&run, "stdout").concat(), b"no space left\n");
}

#[test]
fn a_process_that_keeps_the_pipe_does_not_keep_the_task() {
    let stage = Stage::new();
    let mut run = stage.task("setsid sleep 1000 & echo 5");
    assert_eq!(text(run.finish().result_bytes()), "5");
    let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
    assert!(said.contains("keep its output open"), "{said}");
}

#[test]
fn events_become_progress_and_log_and_what_is_no_json_is_said() {
    let stage = Stage::new();
    let script = "printf '{\"progress\":{\"done\":5,\"total\":12},\"mess' >> \"$BLUEQUE_EVENTS\"
sleep 0.6; printf 'age\":\"epoch 5\"}\\n' >> \"$BLUEQUE_EVENTS\"
echo '{\"log\":{\"level\":\"warn\",\"message\":\"low\"}}' >> \"$BLUEQUE_EVENTS\"
echo 'no json' >> \"$BLUEQUE_EVENTS\"
head -c 200000 /dev/zero | tr '\\0' x >> \"$BLUEQUE_EVENTS\"; echo >> \"$BLUEQUE_EVENTS\"
echo '{\"unknown\":1}' >> \"$BLUEQUE_EVENTS\"
while [ ! -e go ]; do sleep 0.01; done";
    let mut run = stage.task(script);
    run.supervise();
    let progress = eventually("progress", || run.task.info().unwrap().progress_bytes().map(<[u8]>::to_vec));
    let progress: Value = serde_json::from_slice(&progress).unwrap();
    assert_eq!(progress, json!({ "done": 5, "total": 12, "message": "epoch 5" }));
    eventually("the log", || (stage.log(&run, "event").concat() == b"warn: low\n").then_some(()));
    let said = eventually("the rest", || {
        let said = String::from_utf8(stage.log(&run, "supervisor").concat()).unwrap();
        (said.matches("cannot be read").count() == 2).then_some(said)
    });
    assert!(said.contains("no json") && said.len() < 3_000, "{said}");
    fs::write(run.folder.join("work/go"), "").unwrap();
    run.ended();
}

#[test]
fn the_progress_that_a_program_told_last_is_kept_however_soon_it_ends() {
    let stage = Stage::new();
    for (code, status) in [(0, Status::Complete), (3, Status::Failed)] {
        let script = format!(
            "tell() {{ echo \"{{\\\"progress\\\":{{\\\"done\\\":$1,\\\"total\\\":3}}}}\" >> \"$BLUEQUE_EVENTS\"; }}
tell 1; while [ ! -e go ]; do sleep 0.01; done; tell 2; tell 3; exit {code}"
        );
        let mut run = stage.task(&script);
        run.supervise();
        let done = |info: &TaskInfo| {
            let told: Value = serde_json::from_slice(info.progress_bytes()?).unwrap();
            told["done"].as_u64()
        };
        eventually("the first", || done(&run.task.info().unwrap()).filter(|&done| done == 1));
        fs::write(run.folder.join("work/go"), "").unwrap();
        run.ended();
        let info = run.task.info().unwrap();
        assert_eq!((info.status(), done(&info)), (Some(status), Some(3)));
    }
}

#[test]
fn each_new_checkpoint_is_saved_while_the_program_runs() {
    let stage = Stage::new();
    let script =
        "for i in 1 2; do echo $i > \"$BLUEQUE_CHECKPOINT.new\"; mv \"$BLUEQUE_CHECKPOINT.new\" \"$BLUEQUE_CHECKPOINT\"
while [ ! -e go$i ]; do sleep 0.01; done; done";
    let mut run = stage.task(script);
    run.supervise();
    for i in ["1", "2"] {
        let saved = format!("{i}\n");
        eventually("the checkpoint", || (text(run.task.info().unwrap().checkpoint_bytes()) == saved).then_some(()));
        fs::write(run.folder.join(format!("work/go{i}")), "").unwrap();
    }
    run.ended();
}

#[test]
fn a_checkpoint_over_the_limit_stays_on_this_host() {
    let stage = Stage::new();
    let script = "head -c 2000 /dev/zero > \"$BLUEQUE_CHECKPOINT\"; exit 85";
    let small = |run: &mut Value| run["limits"]["max_bytes"] = json!(1_000);
    let mut run = stage.task_with(script, Duration::from_secs(60), small);
    let info = run.finish();
    assert_eq!((info.status(), info.checkpoint_bytes()), (Some(Status::Failed), None), "it counts: nothing was saved");
    assert!(String::from_utf8_lossy(&stage.log(&run, "supervisor").concat()).contains("2000 bytes"));
    let kept: Vec<_> = fs::read_dir(stage.state.path().join("blueque/kept")).unwrap().flatten().collect();
    assert!(
        matches!(&kept[..], [one] if one.file_name().to_str().unwrap().starts_with(&format!("{}.1+", run.task.id())))
    );
    assert_eq!(kept[0].metadata().unwrap().len(), 2_000);
}
