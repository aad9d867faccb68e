//! The output of `show` about a task, and the beginning of errors.

use crate::Desk;

#[test]
fn show_tells_all_that_is_known_of_a_task() {
    let desk = Desk::new();
    desk.ok(&["config", "set", "-q", "q", "max_losses=4", "lost_delay=5s"]);
    let policy = ["--max-failures", "5", "--backoff", "fixed", "--delay", "1m", "--max-delay", "1h", "--lease", "5m"];
    desk.ok(&[&["submit", "q", "--id", "t", "--unique", "doc", "--unique-until", "end"], &policy[..]].concat());
    let task = desk.take("q");
    task.checkpoint("half").unwrap();
    task.progress(&0.5).unwrap();
    redis::cmd("HSET")
        .arg("blueque_task_t")
        .arg(&["novel", "what", "discard", "1"])
        .exec(&mut desk.server.connection())
        .unwrap();
    let shown = desk.json(&["show", "t"]);
    let rule = |name: &str| {
        let rule = &shown["policy"][name];
        (rule["value"].as_str().unwrap().to_owned(), rule["source"].as_str().unwrap().to_owned())
    };
    for (name, value, source) in [
        ("max_failures", "5", "task"),
        ("backoff", "fixed", "task"),
        ("delay", "60.000000", "task"),
        ("max_delay", "3600.000000", "task"),
        ("jitter", "20", "default"),
        ("max_losses", "4", "queue"),
        ("lost_delay", "5", "queue"),
        ("max_releases", "1000", "default"),
        ("lease", "300", "task"),
    ] {
        assert_eq!(rule(name), (value.to_owned(), source.to_owned()), "{name}");
    }
    assert_eq!((&shown["unique_until"], &shown["checkpoint_bytes"]), (&"end".into(), &6.into()));
    assert_eq!(shown["fields"].to_string(), r#"{"novel":"what"}"#);
    assert!(
        shown["lease_until"].is_string()
            && shown["checkpointed"].is_string()
            && shown["progressed"].is_string()
            && shown["ended"].is_null()
    );
    let people = desk.ok(&["show", "t"]);
    for text in [
        "doc, until end",
        "lease until",
        "progressed  20",
        "a checkpoint of 6 bytes, 20",
        "max_failures 5, ",
        "lease 5m, ",
        "max_losses 4 (of the queue)",
        "novel       what",
    ] {
        assert!(people.contains(text), "{text}: {people}");
    }
    assert!(!people.contains("jitter") && desk.ok(&["show", "t", "--policy"]).contains("jitter 20 (default)"));
    task.fail("it broke").unwrap();
    assert!(desk.ok(&["show", "t"]).contains("failures    1 of 5"), "{}", desk.ok(&["show", "t"]));
    desk.ok(&["submit", "q", "--id", "once"]);
    desk.take("q").fail("it broke").unwrap();
    assert!(desk.ok(&["show", "once"]).contains("failures    1 (none allowed)\n"), "{}", desk.ok(&["show", "once"]));
    desk.ok(&["cancel", "t"]);
    let shown = desk.json(&["show", "t"]);
    assert!(shown["ended"].is_string(), "{shown}");
}

#[test]
fn the_line_of_an_error_that_says_what_it_was_leads() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let error = "exit code 1: RuntimeError: CUDA out of memory\nloading the model\nTraceback (most recent call last):\n  \
                 File \"train.py\", line 7\nRuntimeError: CUDA out of memory\n";
    desk.take("q").fail(error).unwrap();
    let head = "exit code 1: RuntimeError: CUDA out of memory";
    for args in [&["ls"][..], &["why", "t"], &["wait", "t"]] {
        let left = desk.run(args);
        let all = left.out + &left.err;
        assert!(all.contains(head) && !all.contains("Traceback"), "{args:?}: {all}");
    }
    let shown = desk.ok(&["show", "t"]);
    assert!(shown.contains(&format!("error       {head}\n")) && shown.contains("\n            Traceback"), "{shown}");
    assert_eq!(desk.json(&["show", "t"])["error"], error);
}

#[test]
fn show_says_when_a_task_that_waited_was_ready_and_why_that_its_long_input_is_put_together() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "up"]);
    desk.ok(&["submit", "r", "--id", "down", "--result-of", "up"]);
    desk.take("q").complete(&"a long result ".repeat(20_000)).unwrap();
    let client = blueque::Client::open(&desk.server.url()).unwrap();
    let settle = || client.call(&client.calls().run_deferred(1)).unwrap().more;
    while desk.ok(&["why", "down"]).starts_with("It waits for up") {
        assert!(settle());
    }
    assert_eq!(
        desk.ok(&["why", "down"]),
        "All that it waited for has ended. Its input is long: workers put it together, in steps.\n"
    );
    while settle() {}
    let people = desk.ok(&["show", "down"]);
    assert!(people.contains("\nready       20") && people.contains("\ninput       1 result or value\n"), "{people}");
    let shown = desk.json(&["show", "down"]);
    assert_eq!((&shown["inputs"], &shown["elements"]), (&"result/0=up".into(), &1.into()));
    assert!(shown["readied"].is_string());
}

#[test]
fn every_pending_task_of_a_graph_has_an_end() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "before"]);
    desk.take("q").complete("x").unwrap();
    desk.ok(&["admin", "maintenance", "q", "--once"]);
    let _listener = desk.client().listener_as(blueque::ListenerId::of_process("host", 2), &["q"]).unwrap();
    for (graph, number) in [("few", 12), ("many", 50)] {
        let tasks: Vec<String> = (0..number).map(|at| format!(r#""t{at}": {{"queue": "q"}}"#)).collect();
        let document = format!(r#"{{"tasks": {{{}}}}}"#, tasks.join(", "));
        let file = std::env::temp_dir().join(format!("blueque-ends-{}-{graph}.json", std::process::id()));
        std::fs::write(&file, document).unwrap();
        desk.ok(&["graph", "submit", file.to_str().unwrap(), "--id", graph]);
        std::fs::remove_file(file).unwrap();
        let shown = desk.json(&["graph", "show", graph]);
        let tasks = shown["tasks"].as_array().unwrap();
        assert!(tasks.len() == number && tasks.iter().all(|task| task["expected_end"].is_string()), "{shown}");
    }
}
