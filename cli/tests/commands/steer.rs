use std::time::Duration;

use blueque::calls::ReleaseOptions;
use blueque::{Order, Outcome};

use crate::Desk;

#[test]
fn a_waiting_task_is_cancelled_at_once_and_a_running_one_by_its_owner() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "running"]);
    let task = desk.take("q");
    desk.ok(&["submit", "q", "--id", "waiting"]);
    let out = desk.ok(&["cancel", "running", "waiting", "--reason", "not needed", "-o", "jsonl"]);
    assert_eq!(
        out,
        "{\"id\":\"running\",\"outcome\":\"cancelling\"}\n{\"id\":\"waiting\",\"outcome\":\"cancelled\"}\n"
    );
    assert_eq!(desk.json(&["show", "running"])["cancelling"], true);
    assert!(desk.ok(&["why", "running"]).contains("being cancelled, and host_1 has not stopped it yet: not needed"));
    assert!(desk.ok(&["why", "waiting"]).contains("It was cancelled"));
    for (command, word) in [("ls", "stopping"), ("show", "state       stopping")] {
        let out = desk.ok(&[command, if command == "ls" { "q" } else { "running" }]);
        assert!(out.contains(word), "{command}: {out}");
    }
    let said = desk.refused(5, &["retry", "running"]);
    assert!(said.contains("STOPPING") && said.contains("until its worker has stopped it"), "{said}");
    assert!(desk.ok(&["cancel", "running", "--force", "--reason", "hurry"]).contains("cancelling"));
    assert_eq!(task.heartbeat().unwrap(), Order::Kill);
    assert!(task.complete("late").is_err(), "what it makes is refused");
    assert!(
        desk.ok(&["why", "running"])
            .contains("cancelled by force, and host_1 has not killed it yet: hurry; its lease ends at")
    );
    let said = desk.refused(5, &["retry", "running"]);
    assert!(said.contains("STOPPING: it is being cancelled, and its program may still run, until "), "{said}");
    assert!(said.contains("(in ") && said.contains(") at the latest: retry it then"), "{said}");
    assert_eq!(task.release().unwrap(), Outcome::Cancelled);
    assert_eq!(desk.json(&["show", "running"])["status"], "cancelled");
    desk.ok(&["retry", "running"]);
}

#[test]
fn a_task_that_is_cancelled_now_is_cut_off_from_its_owner() {
    let desk = Desk::new();
    let bulk = &["bulk", "cancel", "q", "--now", "--yes"];
    for args in [&["cancel", "t", "--now"][..], &["cancel", "t", "--force", "--now"], bulk] {
        desk.ok(&["submit", "q", "--id", "t"]);
        let task = desk.take("q");
        desk.ok(args);
        assert_eq!(desk.json(&["show", "t"])["status"], "cancelled", "{args:?}");
        assert_eq!(task.heartbeat().unwrap(), Order::Lost);
        assert!(task.complete("late").is_err(), "its token is stale");
        desk.ok(&["delete", "t"]);
    }
}

#[test]
fn a_failed_task_runs_again_with_its_checkpoint_or_fresh() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    for (args, kept) in [(&["retry", "t"][..], true), (&["retry", "t", "--fresh"], false)] {
        let task = desk.take("q");
        task.checkpoint(&5).unwrap();
        task.fail("broken").unwrap();
        assert_eq!(desk.json(&["show", "t"])["error"], "broken");
        desk.ok(args);
        let shown = desk.json(&["show", "t"]);
        assert_eq!(shown["status"], "pending");
        assert_eq!(shown.get("checkpoint").is_some(), kept, "{shown}");
    }
}

#[test]
fn a_running_task_is_requeued_from_its_owner_and_waits_at_the_front() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.ok(&["submit", "q", "--id", "u"]);
    let task = desk.take("q");
    assert_eq!(desk.ok(&["requeue", "t"]), "ID  OUTCOME\nt   requeuing\n");
    assert!(desk.ok(&["ls", "q"]).contains("stopping"));
    assert_eq!(desk.json(&["show", "t"])["requeued"], true);
    assert!(desk.ok(&["why", "t"]).contains("It was requeued, and host_1 has not given it back yet"));
    assert_eq!(
        desk.ok(&["ls", "--status", "pending", "-o", "id"]),
        "u\n",
        "it stays its owner's until that has stopped"
    );
    assert_eq!(task.heartbeat().unwrap(), Order::Stop);
    assert_eq!(task.release().unwrap(), Outcome::Released);
    assert_eq!(desk.ok(&["ls", "--status", "pending", "-o", "id"]), "t\nu\n");
    assert!(desk.refused(5, &["requeue", "u"]).contains("STATE: the task is pending"));

    let task = desk.take("q");
    assert_eq!(desk.ok(&["requeue", "t", "--now"]), "ID  OUTCOME\nt   released\n");
    assert!(task.complete("late").is_err(), "its token is stale");
    assert_eq!(desk.ok(&["ls", "--status", "pending", "-o", "id"]), "t\nu\n");
}

#[test]
fn only_a_finished_task_is_deleted_and_one_refusal_keeps_no_other_from_it() {
    let desk = Desk::new();
    for id in ["ended", "pending"] {
        desk.ok(&["submit", "q", "--id", id]);
    }
    desk.ok(&["cancel", "ended"]);
    let left = desk.run(&["delete", "pending", "ended", "-o", "id"]);
    assert_eq!((left.code, left.out.as_str()), (5, "ended\n"), "{}", left.err);
    assert!(left.err.contains("pending: STATE"), "{}", left.err);
    assert!(desk.refused(4, &["show", "ended"]).contains("no task"));
    assert_eq!(desk.refused(4, &["delete", "ended"]).lines().count(), 1);
    assert!(desk.refused(5, &["retry", "pending"]).contains("STATE"));
}

#[test]
fn the_beginning_of_an_id_is_enough_where_only_one_begins_so() {
    let desk = Desk::new();
    for id in ["abc-1", "abc-2", "abd", "ab"] {
        desk.ok(&["submit", if id == "abd" { "other" } else { "q" }, "--id", id]);
    }
    assert_eq!(desk.json(&["show", "abd"])["id"], "abd");
    assert_eq!(desk.json(&["show", "abc-1"])["id"], "abc-1");
    assert_eq!(desk.json(&["show", "ab"])["id"], "ab", "a whole id is never ambiguous");
    let err = desk.refused(2, &["cancel", "abc"]);
    assert!(err.contains("ambiguous") && err.contains("abc-1\n") && err.contains("abc-2\n"), "{err}");
    assert_eq!(desk.ok(&["cancel", "abd", "-o", "id"]), "abd\n");
    desk.refused(4, &["show", "x"]);
    desk.refused(2, &["show", "a b"]);
    for command in ["show", "logs", "wait", "cancel", "retry", "requeue", "delete", "why"] {
        assert!(desk.refused(4, &[command, "nonesuch"]).contains("nonesuch"), "{command}");
        desk.refused(2, &[command]);
    }
}

#[test]
fn a_paused_queue_says_who_paused_it_and_why_until_it_is_resumed() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.ok(&["queue", "pause", "q", "--reason", "disk \u{1b}[31mfull"]);
    let queues = desk.json(&["queue", "ls"]);
    assert_eq!((&queues[0]["queue"], &queues[0]["pending"]), (&"q".into(), &1.into()));
    assert!(queues[0]["paused"]["by"].as_str().unwrap().contains('@'));
    let why = desk.ok(&["why", "t"]);
    assert!(why.starts_with("Its queue q is paused by ") && why.ends_with(": disk full.\n"), "{why:?}");
    assert!(desk.ok(&["queue", "ls"]).contains("paused by"));
    desk.ok(&["queue", "resume", "q"]);
    assert!(desk.json(&["queue", "ls"])[0].get("paused").is_none());
    assert_eq!(desk.ok(&["queue", "ls", "-o", "id"]), "q\n");
}

#[test]
fn a_listener_is_shown_with_what_it_holds_and_can_be_drained() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let _task = desk.take("q");
    let workers = desk.json(&["workers", "q"]);
    assert_eq!((&workers[0]["listener"], &workers[0]["held"]), (&"host_1".into(), &1.into()));
    let held = &workers[0]["tasks"][0];
    assert_eq!((&held["id"], &held["status"], &held["pid"]), (&"t".into(), &"started".into(), &1.into()));
    assert!(held["lease_until"].as_str().unwrap().ends_with('Z'));
    assert!(desk.ok(&["workers"]).contains("host_1  host  q"));
    let said = desk.run(&["drain", "q", "host_1"]).err;
    assert!(said.contains("for all its queues"), "{said}");
    let orders = || redis::cmd("HGETALL").arg("blueque_orders_q").query::<Vec<String>>(&mut desk.server.connection());
    assert_eq!(orders().unwrap(), ["l:host_1", "drain"]);
    desk.ok(&["drain", "q", "host_1", "--off"]);
    assert_eq!(orders().unwrap(), Vec::<String>::new());
    let said = desk.refused(5, &["drain", "q", "host_2"]);
    assert!(said.contains("NOLISTENER") && said.contains("blueque workers q"), "{said}");
    assert!(desk.refused(2, &["drain", "q", "nobody"]).contains("HOSTNAME_PID"));
}

#[test]
fn a_task_that_workers_could_not_run_says_how_often_it_came_back() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let options = ReleaseOptions::new().reason("no-program").uncounted(true).again(Duration::from_secs(600));
    desk.take("q").release_with(&options).unwrap();
    let why = desk.ok(&["why", "t"]);
    let said = "It was given back once by workers that could not run it, and is given out again at ";
    assert!(why.starts_with(said), "{why}");
    assert!(desk.ok(&["show", "t"]).contains("uncounted   1"));
    assert_eq!(desk.json(&["show", "t"])["uncounted"], 1);
}

#[test]
fn maintenance_does_what_is_due_and_fails_where_a_part_does() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t", "--eta", "+1s"]);
    let mut done = String::new();
    while !done.contains("promote") {
        done = desk.ok(&["admin", "maintenance", "--once", "-o", "jsonl"]);
    }
    assert!(done.contains("{\"part\":\"promote\",\"number\":1}"), "{done}");
    assert_eq!(desk.json(&["show", "t"])["status"], "pending");
    redis::cmd("SET").arg("blueque_scheduled_tasks_r").arg("x").exec(&mut desk.server.connection()).unwrap();
    let left = desk.run(&["admin", "maintenance", "r", "--once"]);
    assert!(left.code == 1 && left.out.contains("WRONGKEY"), "{} {}", left.code, left.out);
    // A part that has failed is due again only after a while, so the test uses another queue.
    redis::cmd("SET").arg("blueque_scheduled_tasks_s").arg("x").exec(&mut desk.server.connection()).unwrap();
    let coded = desk.run(&["admin", "maintenance", "s", "--once", "--exit-code"]);
    assert_eq!(coded.code, 1, "{} {}", coded.out, coded.err);
    desk.refused(2, &["admin", "maintenance", "-o", "json"]);
    desk.refused(2, &["admin", "maintenance", "--exit-code"]);
}

#[test]
fn maintenance_says_whether_something_was_due_if_it_is_asked() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t", "--eta", "+1s"]);
    let words = ["admin", "maintenance", "q", "--once", "--exit-code", "-o", "jsonl"];
    let mut due = desk.run(&words);
    while !due.out.contains("promote") {
        assert_eq!(due.code, if due.out.is_empty() { 8 } else { 0 }, "{} {}", due.out, due.err);
        due = desk.run(&words);
    }
    assert_eq!(due.code, 0, "{}", due.err);
    while !desk.ok(&["admin", "maintenance", "q", "--once", "-o", "jsonl"]).is_empty() {}
    let idle = desk.run(&words);
    assert!(idle.code == 8 && idle.out.is_empty() && idle.err.is_empty(), "{} {}", idle.out, idle.err);
    assert_eq!(desk.run(&["admin", "maintenance", "q", "--once"]).code, 0);
}

#[test]
fn a_deep_maintenance_repairs_all_at_once() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    // More ids than a step of the usual maintenance looks at. Their records were deleted by hand.
    let gone: Vec<String> = (0..5_000).map(|n| format!("gone-{n}")).collect();
    redis::cmd("LPUSH").arg("blueque_pending_tasks_q").arg(gone).exec(&mut desk.server.connection()).unwrap();
    let done = desk.ok(&["admin", "maintenance", "q", "--once", "--deep-every", "1h", "-o", "jsonl"]);
    assert!(done.contains("{\"part\":\"repair\",\"number\":5000}"), "{done}");
    assert_eq!(desk.json(&["show", "t"])["status"], "pending");
    redis::cmd("SET").arg("blueque_scheduled_tasks_r").arg("x").exec(&mut desk.server.connection()).unwrap();
    let left = desk.run(&["admin", "maintenance", "r", "--once", "--deep-every", "1h"]);
    assert!(
        left.code == 1 && left.out.contains("repair") && left.out.contains("WRONGKEY"),
        "{} {}",
        left.code,
        left.out
    );
}

#[test]
fn a_held_task_does_not_start_before_it_is_released() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a"]);
    desk.ok(&["submit", "q", "--id", "b", "--hold"]);
    desk.ok(&["submit", "q", "--id", "late", "--eta", "+1h"]);
    desk.ok(&["submit", "q", "--id", "after", "--after-success", "a"]);
    desk.ok(&["submit", "q", "--id", "first"]);
    assert_eq!(desk.ok(&["hold", "a", "late"]), "ID    OUTCOME\na     held\nlate  held\n");
    assert!(desk.refused(5, &["hold", "after"]).contains("hold a task that it waits for"));
    desk.refused(4, &["hold", "none"]);
    assert_eq!(desk.ok(&["ls", "q", "--status", "held", "-o", "id"]), "late\na\nb\n");
    let first = desk.take("q");
    assert_eq!(first.id().as_str(), "first");
    assert!(desk.refused(5, &["hold", "first"]).contains("requeue it"));
    assert!(desk.refused(5, &["unhold", "first"]).contains("STATE"));
    let why = desk.ok(&["why", "a"]);
    assert!(why.contains("It has been held by ") && why.contains("blueque unhold releases it"), "{why}");
    assert_eq!(desk.json(&["bulk", "unhold", "q", "--yes"])[0]["changed"], 3);
    assert_eq!(desk.json(&["show", "late"])["status"], "scheduled");
    assert_eq!(desk.take("q").id().as_str(), "a");
    assert_eq!(desk.take("q").id().as_str(), "b");
    assert_eq!(desk.json(&["bulk", "hold", "q"])[0]["changed"], 1);
}

#[test]
fn a_program_is_described_by_its_owner_or_the_command_says_why_not() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a"]);
    assert!(desk.refused(5, &["describe", "a"]).contains("no program that runs"));
    desk.refused(4, &["describe", "none"]);
    let task = desk.take("q");
    assert!(desk.refused(1, &["describe", "a", "--timeout", "0s"]).contains("no answer of the worker"));
    let (about, client) = (task.reservation().clone(), desk.client());
    let attend = |options: &blueque::calls::AttendOptions| {
        client.call(&client.calls().attend(&about.id, about.token, options)).unwrap()
    };
    let asked = attend(&blueque::calls::AttendOptions::new()).unwrap();
    assert_eq!((asked.number, asked.what.as_deref(), asked.detail.as_deref()), (1, Some("describe"), None));
    attend(&blueque::calls::AttendOptions::new().answered(1).refused("a disk\u{1b}[31m hangs"));
    let answers = |text: &'static str| {
        let (about, client) = (about.clone(), desk.client());
        std::thread::spawn(move || {
            let call = |options| client.call(&client.calls().attend(&about.id, about.token, &options)).unwrap();
            let request = crate::support::eventually("a request", || call(blueque::calls::AttendOptions::new()));
            let options = blueque::calls::AttendOptions::new().answered(request.number);
            call(if text.is_empty() { options.refused("a thread") } else { options.described(text) });
        })
    };
    let answered = answers("");
    assert!(desk.refused(1, &["describe", "a"]).contains("refused by its worker: a thread"));
    answered.join().unwrap();
    let answered = answers("no JSON");
    assert!(desk.refused(1, &["describe", "a"]).contains("is malformed"));
    answered.join().unwrap();
    let answered = answers(
        r#"{"host":"h\u001b[31m","processes":[{"pid":7,"command":"evil\u001b[31m\nline"},{"pid":8,"parent":7,"command":"child"}],
            "more_processes":3,"files":[{"path":"/a\u009b"}],"sockets":2,"gpus":[{"index":"0","name":"A100","busy_percent":97}],
            "environment":{"A\u001b":null},"log":"one\u001b[31m\ntwo\n","later":1}"#,
    );
    let shown = desk.ok(&["describe", "a"]);
    answered.join().unwrap();
    assert!(!shown.contains(['\u{1b}', '\u{9b}']), "{shown}");
    for text in ["Processes (3 more are left out):", "  child", "and 2 sockets", "A100", "97 %", "\ntwo\n"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
}

#[test]
fn requests_to_a_running_program_are_answered_by_its_owner_or_wait_for_it() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "a"]);
    assert!(desk.refused(5, &["suspend", "a"]).contains("hold it instead"));
    assert!(desk.refused(5, &["signal", "a", "USR1"]).contains("no program that runs"));
    desk.refused(5, &["continue", "a"]);
    desk.refused(4, &["suspend", "none"]);
    for (signal, remedy) in [
        ("KILL", "use blueque cancel --force"),
        ("9", "use blueque cancel --force"),
        ("SIGSTOP", "use blueque suspend"),
        ("cont", "use blueque continue"),
        ("USR9", "must be a signal such as USR1"),
        ("SEGV", "signal must be ABRT"),
    ] {
        let said = desk.refused(2, &["signal", "a", signal]);
        assert!(said.contains(remedy), "{signal}: {said}");
    }
    let task = desk.take("q");
    assert_eq!(desk.ok(&["suspend", "a", "--timeout", "0s"]), "ID  OUTCOME\na   suspending\n");
    assert!(desk.ok(&["show", "a"]).contains("its worker has not done it yet"));
    let attend = |answered, refused: Option<&str>| {
        let options = blueque::calls::AttendOptions::new().answered(answered);
        let options = refused.into_iter().fold(options, blueque::calls::AttendOptions::refused);
        let (about, client) = (task.reservation(), desk.client());
        client.call(&client.calls().attend(&about.id, about.token, &options)).unwrap()
    };
    assert_eq!(attend(1, None), None);
    assert_eq!(desk.ok(&["suspend", "a"]), "ID  OUTCOME\na   suspended\n");
    assert!(desk.ok(&["why", "a"]).contains("It has been suspended by "));
    assert!(desk.ok(&["ls", "q"]).contains("suspended"));
    assert_eq!(desk.ok(&["signal", "a", "10", "--timeout", "0s"]), "ID  OUTCOME\na   not yet delivered\n");
    assert_eq!(attend(2, Some("nobody\u{1b}[31m handles it")), None);
    assert_eq!(desk.json(&["bulk", "continue", "q", "--yes"])[0]["changed"], 1);
    assert_eq!(desk.json(&["bulk", "signal", "q", "--signal", "SIGHUP", "--dry-run"])[0]["tasks"], 1);
    assert!(desk.refused(2, &["bulk", "signal", "q", "--signal", "KILL"]).contains("use blueque cancel --force"));
    assert_eq!(desk.json(&["bulk", "signal", "q", "--signal", "SIGHUP", "--yes"])[0]["changed"], 1);
    let info = desk.json(&["show", "a"]);
    assert_eq!((&info["status"], info["suspended"].is_string()), (&"started".into(), true), "{info}");
    desk.ok(&["cancel", "a"]);
    assert!(desk.refused(5, &["suspend", "a"]).contains("is being stopped"));
    let history = desk.ok(&["history", "a"]);
    assert!(history.contains("signal") && history.contains("refused"), "{history}");
}
