//! Lists of tasks: columns, order, formats, times and colours.

use blueque::calls::{CompleteOptions, FailOptions, RegisterOptions, ReserveOptions, StartOptions};
use blueque::{ListenerId, QueueName};

use crate::Desk;
use crate::support::eventually;
use crate::terminal::Screen;

#[test]
fn ls_has_columns_an_order_a_time_and_formats_for_programs() {
    let desk = Desk::new();
    desk.ok(&[
        "submit",
        "q",
        r#"{"a":"x,y"}"#,
        "--id",
        "one",
        "--title",
        "Encode, \"one\"\u{1b}[31m",
        "--priority",
        "2",
    ]);
    desk.ok(&["submit", "q", "--id", "two", "--tag", "night", "--tag", "4k"]);
    desk.ok(&["submit", "other", "--id", "three", "--priority", "10", "--eta", "+2h"]);
    let ids =
        |args: &[&str]| desk.ok(&[&["ls", "-o", "id"], args].concat()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ids(&["--sort", "id"]), "one three two");
    assert_eq!(ids(&["--sort=-priority", "--limit", "2"]), "three one");
    assert_eq!(ids(&["--sort", "-created", "--state", "pending"]), "two one");
    assert_eq!(
        (ids(&["--since", "1h"]), ids(&["--since", "2100-01-01T00:00:00Z"])),
        ("one two three".into(), String::new())
    );
    let created = desk.json(&["show", "one"])["created"].as_str().unwrap().to_owned();
    let csv = desk.ok(&["ls", "q", "-o", "csv", "--columns", "id,title,tags,created", "--sort", "id"]);
    let two = desk.json(&["show", "two"])["created"].as_str().unwrap().to_owned();
    assert_eq!(csv, format!("id,title,tags,created\none,\"Encode, \"\"one\"\"\",,{created}\ntwo,,4k night,{two}\n"));
    let filled =
        desk.run(&["ls", "q", "--sort", "id", "-o", r"template={id}\t{parameters.a}\t{state} {{id}} {nothing}"]);
    assert_eq!(filled.out, "one\tx,y\tpending {id} \ntwo\t\tpending {id} \n");
    assert!(filled.err.contains("nothing here has the field nothing"), "{}", filled.err);
    let heads = desk.ok(&["ls", "-o", "wide"]).lines().next().unwrap().to_owned();
    assert!(heads.contains("PRIORITY") && heads.contains("CREATED") && !heads.contains("COMMAND"), "{heads}");
    for args in [["--sort", "colour"], ["--columns", "colour"], ["--since", "never"], ["-o", "template"], ["-o", "xml"]]
    {
        let refused = desk.run(&[&["ls"], &args[..]].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{args:?}: {}", refused.err);
    }
}

#[test]
fn people_see_local_times_and_programs_utc_and_states_have_colours_on_terminals() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "one", "--eta", "2100-01-31T23:30:00Z"]);
    desk.ok(&["submit", "q", "--id", "two"]);
    desk.ok(&["cancel", "two"]);
    let in_berlin = |args: &[&str]| desk.command(args).env("TZ", "Europe/Berlin").output().unwrap();
    let out = |args: &[&str]| String::from_utf8(in_berlin(args).stdout).unwrap();
    assert!(out(&["ls", "--columns", "id,eta"]).contains("one  2100-02-01T00:30:00+01\n"));
    for args in [&["show", "one"][..], &["why", "one"]] {
        assert!(out(args).contains("2100-02-01 00:30:00 CET"), "{args:?}: {}", out(args));
    }
    assert!(out(&["show", "one", "-o", "json"]).contains("2100-01-31T23:30:00.000000Z"));
    let screen = |variables: &str| {
        let mut screen = Screen::within(&desk, variables, &["ls"], (80, 24));
        assert_eq!(screen.ends(), 0);
        screen.shown()
    };
    assert!(screen("").contains("\u{1b}[33mcancelled\u{1b}[0m"), "{}", screen(""));
    assert!(!screen("NO_COLOR=1").contains('\u{1b}'));
    assert!(screen("").contains("2 tasks: 1 scheduled, 1 cancelled"), "{}", screen(""));
    assert!(!out(&["ls"]).contains('\u{1b}'));
}

#[test]
fn a_task_has_its_submitter_and_ls_lists_the_tasks_of_this_user() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "mine"]);
    desk.ok(&["submit", "q", "--id", "given", "--submitter", "ann@host"]);
    let submit = |id: &str, name: &str| {
        assert!(desk.command(&["submit", "q", "--id", id]).env("BLUEQUE_SUBMITTER", name).status().unwrap().success());
    };
    submit("hidden", "");
    submit("named", "bob@host");
    let by = |id: &str| desk.json(&["show", id])["submitter"].as_str().unwrap_or_default().to_owned();
    assert!(by("mine").contains('@'), "{}", by("mine"));
    assert_eq!((by("given"), by("hidden"), by("named")), ("ann@host".into(), String::new(), "bob@host".into()));
    assert_eq!(desk.ok(&["ls", "--mine", "-o", "id"]), "mine\n");
    assert!(desk.ok(&["ls", "--columns", "id,submitter"]).contains("given   ann@host\n"));
}

#[test]
fn the_tasks_of_arrays_and_graphs_have_the_submitter_of_their_graph() {
    let desk = Desk::new();
    let as_user = |name: &str, args: &[&str]| {
        let made = desk.command(args).env("BLUEQUE_SUBMITTER", name).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stderr).unwrap()
    };
    let file = |name: &str, text: &str| {
        let path = std::env::temp_dir().join(format!("blueque-lists-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let lines = file("lines", "{\"x\": 1}\n");
    let own = r#"{"queue": "q", "tasks": {"a": {}, "b": {"options": {"submitter": "bob@host"}}}}"#;
    let document = file("graph.json", own);
    let array: &[&str] = &["submit", "q", "--id", "array", "--array", "1-2"];
    as_user("ann@host", array);
    as_user("ann@host", &["add", "--id", "each", "--each", &lines, "--", "echo", "{x}"]);
    as_user("ann@host", &["graph", "submit", &document, "--id", "graph"]);
    as_user("", &["submit", "q", "--id", "hidden", "--array", "1-2"]);
    as_user("ann@host", &["submit", "q", "--id", "other", "--array", "1", "--submitter", "bob@host"]);
    for path in [lines, document] {
        std::fs::remove_file(path).unwrap();
    }
    // The same array of another user is the same array.
    assert!(as_user("eve@host", array).contains("array exists already"));
    let of = |name: &str| {
        let rows = desk.ok(&["ls", "--columns", "id,submitter", "-o", "csv"]);
        let rows = rows.lines().filter_map(|row| row.strip_suffix(&format!(",{name}")).map(str::to_owned));
        let mut ids: Vec<String> = rows.collect();
        ids.sort();
        ids.join(" ")
    };
    eventually("the graphs are released", || (desk.ok(&["ls", "-o", "id"]).lines().count() == 8).then_some(()));
    assert_eq!(of("ann@host"), "array.0 array.1 each.0 graph.0");
    assert_eq!((of("bob@host").as_str(), of("").as_str()), ("graph.1 other.0", "hidden.0 hidden.1"));
    let mine = desk.command(&["ls", "--mine", "-o", "id"]).env("BLUEQUE_SUBMITTER", "ann@host").output().unwrap();
    assert_eq!(String::from_utf8(mine.stdout).unwrap().lines().count(), 4);
}

#[test]
fn words_of_other_tools_are_answered_with_the_right_line() {
    let desk = Desk::new();
    desk.ok(&["submit", "movies"]);
    let said = desk.refused(2, &["run", "movies", "1", "--detach"]);
    assert!(said.contains("no option --detach; blueque submit QUEUE and blueque add -- PROGRAM"), "{said}");
    assert!(desk.refused(2, &["submit", "movies", "1", "--depends-on", "a"]).contains("--after-success ID"));
    assert!(desk.refused(2, &["run", "movies", "1", "--detahc"]).contains("unexpected argument '--detahc'"));
    assert!(desk.ok(&["queue", "show", "movies"]).contains("movies"));
    let said = desk.refused(4, &["queue", "show", "mvoies"]);
    assert_eq!(said, "blueque: there is no queue mvoies (did you mean movies?)\n");
}

#[test]
fn times_are_local_and_repeated_in_full() {
    let desk = Desk::new();
    let run = |args: &[&str]| {
        let output = desk.command(args).env("TZ", "Europe/Berlin").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(&["submit", "q", "--id", "one", "--eta", "2100-07-01 8:00", "--deadline", "2100-07-02"]);
    assert!(code == Some(0) && said.contains("2100-07-01 8:00 is 2100-07-01 08:00:00 CEST (in "), "{said}");
    let task = desk.json(&["show", "one"]);
    assert_eq!(task["eta"], "2100-07-01T06:00:00.000000Z");
    assert_eq!(task["deadline"], "2100-07-01T22:00:00.000000Z");
    let (code, said) = run(&["edit", "one", "--eta", "tomorrow 8:00"]);
    assert!(code == Some(0) && said.starts_with("tomorrow 8:00 is 2"), "{said}");
    let (code, said) = run(&["submit", "q", "--id", "two", "--eta", "someday"]);
    assert!(code == Some(2) && said.contains("must be a time such as 22:00, tomorrow 8:00"), "{said}");
    assert_eq!(desk.refused(4, &["show", "two"]).lines().count(), 1);
    assert_eq!(desk.ok(&["find", "q", "--from", "yesterday", "-o", "id"]), "one\n");
    assert_eq!(desk.ok(&["find", "q", "--to", "yesterday", "-o", "id"]), "");
}

#[test]
fn find_looks_into_parameters_and_errors_and_usage_adds_up_costs() {
    let desk = Desk::new();
    for (id, parameters) in [("one", r#"["Movie.mkv"]"#), ("two", "[]"), ("three", "[]")] {
        desk.ok(&["submit", "q", parameters, "--id", id, "--tag", "night"]);
    }
    let cost = |wall: u32, exit: i32| {
        format!(r#"{{"attempt":1,"exit":{exit},"max_rss_kib":2048,"cpu_ms":1800000,"wall_ms":{wall},"host":"h"}}"#)
    };
    let client = desk.client();
    let complete = CompleteOptions::new().cost(cost(3_600_000, 0).as_bytes());
    let (queue, listener) = (QueueName::new("q").unwrap(), ListenerId::of_process("host", 1));
    client.call(&client.calls().register(&queue, &listener, &RegisterOptions::new())).unwrap();
    let take = || {
        let call = client.calls().reserve(&listener, std::slice::from_ref(&queue), &ReserveOptions::new());
        let taken = client.call(&call).unwrap().pop().unwrap();
        client.call(&client.calls().start(&taken.id, taken.token, 7, &StartOptions::new())).unwrap();
        taken
    };
    let task = take();
    client.call(&client.calls().complete(&task.id, task.token, b"1", &complete)).unwrap();
    let fail = FailOptions::new().permanent(true).cost(cost(7_200_000, 1).as_bytes());
    let task = take();
    client.call(&client.calls().fail(&task.id, task.token, b"CUDA out of memory", &fail)).unwrap();
    let found = desk.run(&["find", "q", "--text", "movie", "-o", "id"]);
    assert_eq!((found.out.as_str(), found.code), ("one\n", 0));
    assert!(found.err.starts_with("looked into all 3 tasks, the last created 2"), "{}", found.err);
    assert_eq!(desk.ok(&["find", "--text", "OUT OF", "-o", "id"]), "two\n");
    desk.refused(2, &["find", "--text", ""]);
    let used = &desk.json(&["usage", "--by", "tag"])[0];
    assert_eq!((&used["name"], &used["tasks"], &used["attempts"]), (&"night".into(), &2.into(), &2.into()));
    assert_eq!((&used["cpu_seconds"], &used["wall_seconds"]), (&3600.0.into(), &10800.0.into()));
    assert_eq!(used["peak_bytes"], 2 << 20);
    let shown = desk.run(&["usage", "q", "--limit", "1"]);
    assert!(shown.err.starts_with("looked at the latest 1 task, created since 2"), "{}", shown.err);
    assert_eq!(desk.json(&["usage", "--since", "2100-01-01"]), serde_json::json!([]));
    desk.refused(4, &["usage", "nosuch"]);
}
