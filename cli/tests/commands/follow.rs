use std::os::unix::process::ExitStatusExt;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::eventually;
use crate::terminal::Screen;
use crate::{Desk, SOON, left};

#[test]
fn a_log_on_a_terminal_goes_through_the_pager_of_its_user() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    desk.say(&task, "stdout", "one \u{1b}[2Jline\n");
    desk.say(&task, "exit", r#"{"exit":0,"wall_ms":1500}"#);
    task.complete("x").unwrap();
    let size = (80, 24);
    let mut screen = Screen::within(&desk, "'PAGER=sed s/^/paged:/'", &["logs", "t"], size);
    assert_eq!(screen.ends(), 0);
    let shown = screen.shown();
    assert!(shown.contains("paged:one line") && shown.contains("paged:-- attempt 1: exit code 0"), "{shown:?}");
    // The pager is not used with -f, with an empty PAGER, or without a terminal.
    let plain: [(&str, &[&str]); 3] = [
        ("'PAGER=sed s/^/paged:/'", &["logs", "t", "-f"]),
        ("PAGER=", &["logs", "t"]),
        ("PAGER=no-such-pager-anywhere", &["logs", "t", "-o", "jsonl"]),
    ];
    for (variables, args) in plain {
        let mut screen = Screen::within(&desk, variables, args, size);
        assert_eq!(screen.ends(), 0);
        let shown = screen.shown();
        assert!(shown.contains("line") && !shown.contains("paged"), "{args:?}: {shown:?}");
    }
    let piped = desk.command(&["logs", "t"]).env("PAGER", "sed s/^/paged:/").output().unwrap();
    assert_eq!(left(piped).out, "one line\n");
    // The user quits the pager, and no more is read.
    let mut screen = Screen::within(&desk, "PAGER=true", &["logs", "t"], size);
    assert_eq!(screen.ends(), 0);
}

#[test]
fn a_log_is_shown_without_what_a_terminal_obeys() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    desk.say(&task, "stdout", "one \u{1b}[31mred\u{1b}[0m\u{7}\r\n");
    desk.say(&task, "stderr", "two\n");
    desk.say(&task, "exit", r#"{"exit":0,"wall_ms":1500}"#);
    let left = desk.run(&["logs", "t"]);
    assert_eq!(left.out, "one red\ntwo\n");
    assert!(left.err.contains("attempt 1: exit code 0 after 1.5s"), "{}", left.err);
    let entries = desk.json(&["logs", "t"]);
    assert_eq!((&entries[1]["source"], &entries[1]["text"]), (&"stderr".into(), &"two\n".into()));
    assert!(entries.as_array().unwrap().iter().all(|entry| entry["text"].is_string()), "{entries}");
    let lines = desk.ok(&["logs", "t", "-o", "jsonl"]);
    assert_eq!(lines.lines().count(), 3);
    assert!(!lines.contains('\u{1b}'));
    desk.refused(2, &["logs", "t", "-o", "id"]);
    desk.refused(2, &["logs", "t", "-f", "-o", "json"]);
}

#[test]
fn the_text_of_a_log_is_a_string_whatever_a_program_says() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    for text in [&b"42"[..], b"{\"a\": 1}", b"[1, 2]", b"null", b"\"quoted\"", b"gr\xc3", b"\xb6\xc3\x9fe", b"\xff"] {
        let client = desk.client();
        client
            .call(&client.calls().append_log(
                task.id(),
                task.reservation().token,
                "stdout",
                text,
                &blueque::calls::AppendLogOptions::new(),
            ))
            .unwrap();
    }
    let entries = desk.json(&["logs", "t"]);
    let texts: Vec<&str> = entries.as_array().unwrap().iter().filter_map(|entry| entry["text"].as_str()).collect();
    let said = ["42", "{\"a\": 1}", "[1, 2]", "null", "\"quoted\"", "gr", "öße", "\u{fffd}"];
    assert_eq!(texts, said, "a character may come in two parts");
}

#[test]
fn a_followed_log_goes_on_to_the_end_of_the_task() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let task = desk.take("q");
    desk.say(&task, "stdout", "before\n");
    let children = ["table", "jsonl"].map(|format| desk.command(&["logs", "t", "-f", "-o", format]).spawn().unwrap());
    desk.say(&task, "stdout", "after\n");
    task.complete("x").unwrap();
    let [table, lines] = children.map(|child| left(child.wait_with_output().unwrap()));
    assert_eq!((table.code, table.out.as_str()), (0, "before\nafter\n"));
    assert_eq!(lines.out.lines().count(), 2);
}

#[test]
fn run_follows_a_program_and_ends_with_its_exit_code() {
    let desk = Desk::new();
    for (exit, fails, code) in [(0, false, 0), (42, true, 42), (0, true, 1)] {
        let child = desk.command(&["run", "q", "[1]"]).spawn().unwrap();
        let task = desk.take("q");
        desk.say(&task, "stdout", "working\n");
        desk.say(&task, "stderr", "a warning\n");
        desk.say(&task, "exit", &format!(r#"{{"exit":{exit}}}"#));
        if fails {
            task.fail("it broke").unwrap();
        } else {
            task.complete(&serde_json::json!({ "x": 1 })).unwrap();
        }
        let left = left(child.wait_with_output().unwrap());
        assert_eq!((left.code, left.out.as_str()), (code, "working\n"), "{}", left.err);
        assert!(left.err.contains("a warning\n"), "{}", left.err);
        assert_eq!(left.err.contains("it broke"), fails, "{}", left.err);
        assert!(!left.err.contains('█') && !left.err.contains('\u{1b}'), "a bar is for terminals: {:?}", left.err);
    }
}

#[test]
fn run_writes_the_result_of_a_task_without_a_log_and_the_record_as_json() {
    let desk = Desk::new();
    for (format, out) in [("table", "{\"x\":1}\n"), ("json", "\"result\":{\"x\":1}")] {
        let child = desk.command(&["run", "q", "-o", format]).spawn().unwrap();
        desk.take("q").complete(&serde_json::json!({ "x": 1 })).unwrap();
        let left = left(child.wait_with_output().unwrap());
        assert_eq!(left.code, 0);
        assert!(left.out.contains(out), "{}", left.out);
    }
}

#[test]
fn an_interrupt_of_submit_leaves_the_task_and_says_so() {
    let desk = Desk::new();
    for (signal, how) in [(Signal::SIGINT, "--wait"), (Signal::SIGTERM, "--follow")] {
        let id = format!("t{how}");
        let child = desk.command(&["submit", "q", "--id", &id, how]).spawn().unwrap();
        let _task = desk.take("q");
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(signal as i32), "as if it had not listened");
        let said =
            format!("{id} submitted\n{id} goes on without this command; blueque logs -f {id} follows it again\n");
        assert_eq!(left(output).err, said);
        assert_eq!(desk.json(&["show", &id])["status"], "started");
    }
}

#[test]
fn an_interrupt_of_run_cancels_the_task_and_a_second_one_leaves_it() {
    let desk = Desk::new();
    for twice in [false, true] {
        let id = format!("t-{twice}");
        let child = desk.command(&["run", "q", "--id", &id]).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let task = desk.client().listener(&["q"]).unwrap().listen(SOON).unwrap().unwrap();
        task.start(1).unwrap();
        kill(pid, Signal::SIGINT).unwrap();
        eventually("the task is being cancelled", || {
            desk.client().task(&id).unwrap().info().unwrap().is_cancelling().then_some(())
        });
        if twice {
            kill(pid, Signal::SIGINT).unwrap();
        } else {
            task.release().unwrap();
        }
        let left = left(child.wait_with_output().unwrap());
        assert_eq!(left.code, 7, "{}", left.err);
        let status = desk.json(&["show", &id])["status"].clone();
        assert_eq!(status, if twice { "started" } else { "cancelled" });
        assert!(
            left.err.contains(if twice { "is still being cancelled" } else { "cancelled: interrupted" }),
            "{}",
            left.err
        );
    }
}
