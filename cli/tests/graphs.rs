//! `blueque graph`: the sample documents of enq, by real workers and programs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "graphs/kills.rs"]
mod kills;
#[path = "graphs/looking.rs"]
mod looking;
#[path = "graphs/retries.rs"]
mod retries;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/victims.rs"]
mod victims;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use blueque::{Client, Status, Task};
use serde_json::{Value, json};
use support::Server;
use world::{World, field, result, status};

/// The programs of the samples, as they are printed.
const PROGRAMS: [(&str, &str); 3] = [
    ("process-user-data", include_str!("../../examples/enq.d/process-user-data")),
    ("save-user-data", include_str!("../../examples/enq.d/save-user-data")),
    ("send-mail", include_str!("../../examples/enq.d/send-mail")),
];

/// The documents of the samples.
const SAMPLES: [(&str, &str); 3] = [
    ("value", include_str!("../../examples/enq/value.json")),
    ("result", include_str!("../../examples/enq/result.json")),
    ("shards", include_str!("../../examples/enq/shards.json")),
];

fn world() -> World {
    world_on(Server::start())
}

fn world_on(server: Server) -> World {
    let found = Command::new("jq").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(found, "no jq, which the programs of these tests use: apt-get install jq");
    let world = World::on(server);
    for (name, text) in PROGRAMS {
        let path = world.path("worker.d").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    world
}

fn value(shard: &str, uid: u32) -> String {
    format!(
        r#"{{"task_id":{{"shard":"{shard}","id":"save"}},"method":"save-user-data",
          "args":[{{"type":"VALUE","value_json":"{{\"uid\": {uid}}}"}}]}}"#
    )
}

/// Mails the results of `save` in these shards.
fn mail(method: &str, shards: &[&str]) -> String {
    let reference = |shard: &&str| format!(r#"{{"type":"TASKREF","task_id":{{"shard":"{shard}","id":"save"}}}}"#);
    let args: Vec<String> = shards.iter().map(reference).collect();
    format!(r#"{{"task_id":{{"shard":"1","id":"email"}},"method":"{method}","args":[{}]}}"#, args.join(","))
}

fn document(tasks: &[String]) -> String {
    format!("[{}]", tasks.join(",\n"))
}

/// Runs `blueque graph submit -` with a document on stdin: its exit code, stdout and stderr.
fn submit(world: &World, text: &str, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["graph", "submit", "-"]).args(args).env("BLUEQUE_URL", world.server.url());
    command.env("XDG_CONFIG_HOME", world.path("none"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code().unwrap(), out, err)
}

/// The tasks of a document by their names.
fn submitted(world: &World, text: &str, args: &[&str]) -> Value {
    let (code, out, err) = submit(world, text, &[args, &["-o", "json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    serde_json::from_str(&out).unwrap()
}

fn task(world: &World, made: &Value, name: &str) -> Task {
    world.client.task(made["tasks"][name].as_str().unwrap()).unwrap()
}

/// Waits until a task is complete. Returns its parameters, its output on stderr, and its result.
fn outcome(world: &World, task: &Task) -> (Value, String, String) {
    let info = status(task, Status::Complete);
    let log =
        world.run(&["logs", task.id().as_str(), "--stderr", "--state-dir", world.path("state").to_str().unwrap()]);
    let own = log.lines().filter(|line| !line.starts_with("--") && !line.starts_with("nothing in the log"));
    let own = own.fold(String::new(), |text, line| {
        text + line
            + "
"
    });
    let parameters = serde_json::from_slice(info.parameters_bytes().unwrap()).unwrap();
    (parameters, own, result(task))
}

fn statuses(client: &Client, queue: &str) -> blueque::Counts {
    client.queue(queue).unwrap().counts().unwrap()
}

#[test]
fn a_task_with_one_value_runs_and_has_no_result() {
    let world = world();
    let made = submitted(&world, SAMPLES[0].1, &[]);
    let only = task(&world, &made, "1/mytask");
    assert!(only.id().as_str().starts_with("1:"), "{made}");
    let _worker = world.worker(&["--queue", "shard-1"]);
    assert_eq!(outcome(&world, &only), (json!([{"uid": 1234}]), "1234\n".into(), "null".into()));
}

#[test]
fn a_task_gets_the_result_of_another_one_of_its_shard() {
    for (method, log) in
        [("send-mail", "sending mail with link \"https://download/for/1234\"\n"), ("process-user-data", "null\n")]
    {
        let world = world();
        let made = submitted(&world, &document(&[value("1", 1234), mail(method, &["1"])]), &[]);
        let [save, email] = ["1/save", "1/email"].map(|name| task(&world, &made, name));
        // The task is in no list from which workers take tasks.
        let counts = statuses(&world.client, "shard-1");
        assert_eq!((counts.waiting, counts.pending), (1, 1));
        assert!(world.run(&["why", email.id().as_str()]).contains(save.id().as_str()));
        let _worker = world.worker(&["--queue", "shard-1"]);
        let link = json!({"link": "https://download/for/1234"});
        assert_eq!(
            outcome(&world, &save),
            (json!([{"uid": 1234}]), String::new(), "{\"link\": \"https://download/for/1234\"}".into())
        );
        assert_eq!(outcome(&world, &email), (json!([link]), log.into(), "null".into()));
        // The mail becomes ready in the same step in which its upstream ends, and is reserved later.
        let time = |task: &Task, name: &str| field(&task.info().unwrap(), name).parse::<f64>().unwrap();
        assert!(time(&email, "readied") >= time(&save, "updated"), "{made}");
    }
}

#[test]
fn a_task_gets_results_of_two_shards_in_the_order_of_its_arguments() {
    for (method, line) in [("send-mail", ""), ("process-user-data", "null\nnull\n")] {
        let world = world();
        let text = document(&[value("1", 1), value("2", 2), mail(method, &["1", "2"])]);
        let made = submitted(&world, &text, &[]);
        assert_eq!(made["tasks"].as_object().unwrap().len(), 3);
        let email = task(&world, &made, "1/email");
        // The second shard is done long before the first.
        let second = world.worker(&["--queue", "shard-2"]);
        status(&task(&world, &made, "2/save"), Status::Complete);
        assert_eq!(statuses(&world.client, "shard-1").waiting, 1);
        let _first = world.worker(&["--queue", "shard-1"]);
        let links = ["https://download/for/1", "https://download/for/2"];
        let (input, log, result) = outcome(&world, &email);
        assert_eq!((input, result.as_str()), (json!([{"link": links[0]}, {"link": links[1]}]), "null"));
        let mails = format!("sending mail with link \"{}\"\n\"{}\"\n", links[0], links[1]);
        assert_eq!(log, if line.is_empty() { mails } else { line.to_owned() });
        drop(second);
    }
}

#[test]
fn the_documents_of_the_examples_do_what_enq_says_and_are_on_its_page() {
    let world = world();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/migrating/from-enq.md")).unwrap();
    let made = SAMPLES.map(|(name, text)| {
        assert!(page.contains(text), "{name}.json is not on the page as it is");
        let file = world.path(&format!("{name}.json"));
        fs::write(&file, text).unwrap();
        let made = world.run(&["graph", "submit", file.to_str().unwrap(), "-o", "json"]);
        serde_json::from_str::<Value>(&made).unwrap_or_else(|_| panic!("{name}: {made}"))
    });
    for (name, text) in PROGRAMS {
        assert!(page.contains(text), "{name} is not on the page as it is");
    }
    let workers = [world.worker(&["--queue", "shard-1"]), world.worker(&["--queue", "shard-2"])];
    let uid = json!([{"uid": 1234}]);
    let saved = (uid.clone(), String::new(), "{\"link\": \"https://download/for/1234\"}".to_owned());
    let link = json!({"link": "https://download/for/1234"});
    let mailed = "sending mail with link \"https://download/for/1234\"\n";
    let none = || "null".to_owned();
    let expected = [
        (0, "1/mytask", (uid, "1234\n".to_owned(), none())),
        (1, "1/save", saved.clone()),
        (1, "1/email", (json!([link]), mailed.to_owned(), none())),
        (2, "1/save", saved.clone()),
        (2, "2/save", saved),
        (2, "1/email", (json!([link, link]), format!("{mailed}\"https://download/for/1234\"\n"), none())),
    ];
    for (document, name, expected) in expected {
        let task = task(&world, &made[document], name);
        assert_eq!(outcome(&world, &task), expected, "{name} of {}", SAMPLES[document].0);
        // Each task ran on the worker of its shard.
        let worker = &workers[usize::from(name.starts_with('2'))];
        let taken = task.history().unwrap().into_iter().find(|step| step.to == "reserved").unwrap();
        assert!(taken.by.as_ref().unwrap().ends_with(&format!("_{}", worker.pid())), "{name}: {taken:?}");
    }
    assert!(made.iter().zip([1, 2, 3]).all(|(made, tasks)| made["tasks"].as_object().unwrap().len() == tasks));
}

#[test]
fn a_bad_document_is_refused_with_its_place_and_makes_nothing() {
    let world = world();
    let save = value("1", 1);
    let first = SAMPLES[0].1.trim().trim_matches(['[', ']']);
    let cases = [
        (format!("[{save},\n]"), "stdin: not JSON: a comma before `]`, at line 2 column 65"),
        (document(&[save.clone(), save.clone()]), "stdin: task 1, task_id: task 0 has the same shard and id: 1/save"),
        ("[]".to_owned(), "stdin: a graph needs at least one task"),
        (document(&[mail("m", &["1"])]), "stdin: task 0, args[0].task_id: no task of the document is 1/save"),
        (
            document(&[save.clone(), mail("m", &["1"]).replace("TASKREF", "taskref")]),
            "stdin: task 1, args[0].type: must be VALUE or TASKREF, not \"taskref\"",
        ),
        (
            document(&[mail("m", &["1"]).replace("\"email\"", "\"save\"")]),
            "stdin: task 0 \"1/save\", args[0]: the task waits for itself",
        ),
        // Without a list the document is not in the form of enq.
        (first.to_owned(), "stdin: task_id: unknown field"),
    ];
    for (text, expected) in &cases[..6] {
        let (code, out, err) = submit(&world, text, &[]);
        assert_eq!((code, out.as_str(), err.trim()), (2, "", format!("blueque: {expected}").as_str()));
    }
    let (code, _, err) = submit(&world, &cases[6].0, &[]);
    assert!(code == 2 && err.contains(cases[6].1), "{err}");
    let (code, _, err) = submit(&world, &document(std::slice::from_ref(&save)), &["--shard", "2=q"]);
    assert!(code == 2 && err.contains("task 0, task_id.shard: unknown shard \"1\": there are 2"), "{err}");
    let twice = document(&[save, mail("m", &["1"]), mail("m", &["1"]).replace("\"email\"", "\"other\"")]);
    let (code, _, err) = submit(&world, &twice, &["--strict"]);
    assert!(code == 2 && err.contains("task 2, args[0].task_id: a second reference to this task"), "{err}");
    let keys: u64 = redis::cmd("DBSIZE").query(&mut world.server.connection()).unwrap();
    let queues = world.client.queues().unwrap();
    assert!(queues.is_empty() && keys <= 1, "{queues:?}");
}

#[test]
fn a_document_twice_makes_two_graphs_and_with_an_id_one() {
    let world = world();
    let text = document(&[value("1", 1), mail("send-mail", &["1"])]);
    let [one, other] = [(); 2].map(|()| submitted(&world, &text, &["--shard", "1=mails"]));
    assert_ne!(one["tasks"]["1/email"], other["tasks"]["1/email"]);
    assert_eq!(statuses(&world.client, "mails").waiting, 2);
    let named = ["--shard", "1=mails", "--id", "monday", "-o", "json"];
    let (_, first, _) = submit(&world, &text, &named);
    let (code, again, said) = submit(&world, &text, &named);
    let [first, again]: [Value; 2] = [first, again].map(|text| serde_json::from_str(&text).unwrap());
    assert_eq!((code, said.as_str()), (0, "monday exists already; nothing was created\n"));
    assert_eq!(first["tasks"], again["tasks"]);
    assert_eq!(first["tasks"], json!({"1/save": "1:monday.0", "1/email": "1:monday.1"}));
    assert_eq!((&first["created"], &again["created"]), (&json!(true), &json!(false)));
    assert_eq!(statuses(&world.client, "mails").waiting, 3);
}

#[test]
fn a_document_of_our_own_runs_with_values_results_and_a_clean_up() {
    let world = world();
    world.program("echo", "cat");
    world.program("fail", "exit 64");
    let text = r#"{"queue": "q", "tasks": {
        "report": {"method": "echo", "args": [{"value": "sums"}, {"result": "left"}, {"result": "right"}]},
        "left": {"method": "echo", "parameters": [1, 2]},
        "right": {"method": "echo", "parameters": {"n": 3.0}, "needs": ["left"]},
        "bad": {"method": "fail", "after": ["report"]},
        "tidy": {"method": "echo", "parameters": "tidied", "after_failure": ["bad"], "options": {"priority": 5}},
        "never": {"method": "echo", "after_failure": ["left"]}
    }}"#;
    let made = submitted(&world, text, &[]);
    let _worker = world.worker(&["--queue", "q"]);
    assert_eq!(result(&task(&world, &made, "report")), r#"["sums",[1, 2],{"n": 3.0}]"#);
    assert_eq!(result(&task(&world, &made, "tidy")), "\"tidied\"");
    status(&task(&world, &made, "bad"), Status::Failed);
    status(&task(&world, &made, "never"), Status::Cancelled);
}

#[test]
fn a_graph_is_shown_and_waited_for() {
    let world = world();
    let made = submitted(&world, &document(&[value("1", 1), mail("send-mail", &["1"])]), &[]);
    let graph = made["graph"].as_str().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command.args(args).env("BLUEQUE_URL", world.server.url()).env("XDG_CONFIG_HOME", world.path("none"));
        let output = command.output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), out, err)
    };
    let (code, shown, _) = run(&["graph", "show", graph]);
    assert!(code == 0 && shown.contains("1 pending, 1 waiting") && shown.contains("waits for 1/save"), "{shown}");
    assert!(shown.contains("\n  1/email"), "below what it waits for: {shown}");
    let (_, json, _) = run(&["graph", "show", graph, "-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tasks"][1]["upstreams"][0]["task"], "1/save");
    let (code, _, err) = run(&["graph", "wait", graph, "--timeout", "1s"]);
    assert!(code == 6 && err.contains("is not finished after 1s"), "{err}");
    let (code, _, err) = run(&["graph", "wait", "nosuch"]);
    assert!(code == 4 && err.contains("there is no graph nosuch"), "{err}");
    let worker = world.worker(&["--queue", "shard-1"]);
    let (code, _, err) = run(&["graph", "wait", graph, "--timeout", "60s"]);
    assert!(code == 0 && err.contains("2 complete"), "{err}");
    world.program("save-user-data", "exit 64");
    let failing = submitted(&world, &document(&[value("1", 1), mail("send-mail", &["1"])]), &[]);
    let (code, _, err) = run(&["graph", "wait", failing["graph"].as_str().unwrap(), "--timeout", "60s"]);
    assert!(code == 1 && err.contains("2 failed"), "{err}");
    let (_, shown, _) = run(&["graph", "show", failing["graph"].as_str().unwrap()]);
    assert!(shown.contains("because of 1/save"), "{shown}");
    drop(worker);
    let cancelled = submitted(&world, &document(&[value("1", 1)]), &[]);
    run(&["cancel", cancelled["tasks"]["1/save"].as_str().unwrap()]);
    assert_eq!(run(&["graph", "wait", cancelled["graph"].as_str().unwrap()]).0, 7);
}

#[test]
fn a_task_that_does_with_some_of_several_says_for_how_many_it_waits() {
    let world = world();
    let run = |args: &str| world.outcome(&args.split(' ').collect::<Vec<_>>());
    for id in ["a", "b", "c"] {
        assert_eq!(run(&format!("submit nobody --id {id}")).0, 0);
    }
    run("submit nobody --id t --at-least 2 --result-of a --result-of b --after-success c");
    let why = |id: &str| run(&format!("why {id}")).1;
    assert!(why("t").starts_with("It waits for 2 more of 3 tasks: c and 2 other tasks. c: Its queue"), "{}", why("t"));
    run("cancel a");
    assert!(why("t").starts_with("It waits for 2 more of 2 tasks: c and another task."), "{}", why("t"));
    let (code, _, err) = run("undepend t b");
    assert!(code != 0 && err.contains("t: UPSTREAM: too few of the others of its set"), "{err}");
    assert!(run("depend t --at-least 1").1.contains("waiting"));
    run("submit nobody --id x");
    run("depend t --after x");
    assert!(why("t").starts_with("It waits for x, and for 1 more of 2 tasks. x: Its queue"), "{}", why("t"));
    run("cancel x b");
    assert!(why("t").starts_with("It waits for c."), "{}", why("t"));
    run("cancel c");
    assert!(why("t").contains("too few of its set can still be complete: c was cancelled"), "{}", why("t"));
    run("submit nobody --id array --array 1-2 --at-least 1 --after-success x --result-of y");
    run("submit nobody --id y");
    let (code, _, err) = run("submit nobody --id pair --array 1-2 --at-least 1 --after-success x --result-of y");
    assert_eq!(code, 0, "{err}");
    assert!(why("pair.1").starts_with("It waits for y."), "{}", why("pair.1"));

    let text = r#"{"queue": "nobody", "on_failure": "hold", "tasks": {"left": {}, "right": {}, "first": {}, "mail":
      {"needs": ["first"], "at_least": {"count": 2, "of": ["left", "right"]}}}}"#;
    let made = submitted(&world, text, &["--id", "mails"]);
    let shown = || run("graph show mails").1;
    assert!(shown().contains("waits for first, and 2 of left, right\n"), "{}", shown());
    run(&format!("cancel {}", made["tasks"]["left"].as_str().unwrap()));
    let mail = made["tasks"]["mail"].as_str().unwrap();
    let held = "It waits for 2 more of a set, of which only 1 can still be complete: for mails.2 (first)";
    assert!(why(mail).starts_with(held), "{}", why(mail));
    let (_, json, _) = run("graph show mails -o json");
    let json: Value = serde_json::from_str(&json).unwrap();
    let task = json["tasks"].as_array().unwrap().iter().find(|task| task["task"] == "mail").unwrap();
    assert_eq!((&task["at_least"], &task["upstreams"][1]["needs"]), (&json!(2), &json!("some")));
}

/// The document with two shards, and its tasks.
fn two_shards(world: &World, args: &[&str]) -> (Value, [Task; 3]) {
    let made = submitted(world, &document(&[value("1", 1), value("2", 2), mail("send-mail", &["1", "2"])]), args);
    let tasks = ["1/save", "2/save", "1/email"].map(|name| task(world, &made, name));
    (made, tasks)
}

/// Returns true if an attempt of a task has ever begun.
fn began(task: &Task) -> bool {
    task.info().unwrap().attempt() > 0
}

/// Checks that the record names this other task as the cause of the end.
fn caused_by(task: &Task, cause: &Task) {
    assert_eq!(field(&task.info().unwrap(), "cause"), cause.id().as_str());
}

#[test]
fn a_failure_cancels_what_waits_for_a_worker_and_is_not_needed_any_more() {
    let world = world();
    world.program("save-user-data", "exit 64");
    let (made, [first, second, email]) = two_shards(&world, &[]);
    let _worker = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Failed);
    status(&email, Status::Failed);
    status(&second, Status::Cancelled);
    assert_eq!([began(&second), began(&email)], [false, false]);
    caused_by(&email, &first);
    caused_by(&second, &first);
    let error = field(&email.info().unwrap(), "error");
    assert!(error.starts_with(&format!("{} failed: ", first.id())), "{error}");
    let (code, out, err) = world.outcome(&["retry", email.id().as_str()]);
    assert!(code != 0 && format!("{out}{err}").contains("retry that one first"), "{out}{err}");
    assert_eq!(world.outcome(&["graph", "wait", made["graph"].as_str().unwrap()]).0, 1);
}

/// Saves the data of shard 1, or fails; in shard 2 the program runs until it is stopped.
const LONG: &str = "case $(cat) in *1*) exit 64;; *) echo $$ > FOLDER/pid; sleep 600;; esac";

#[test]
fn a_failure_stops_what_runs_and_is_not_needed_any_more() {
    let world = world();
    world.program("save-user-data", LONG);
    let (_, [first, second, email]) = two_shards(&world, &[]);
    let _second = world.worker(&["--queue", "shard-2", "--grace", "2s"]);
    world.written("pid");
    let _first = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Failed);
    status(&second, Status::Cancelled);
    status(&email, Status::Failed);
    caused_by(&second, &first);
}

#[test]
fn what_ends_with_a_result_after_a_cascade_is_cancelled_and_its_result_discarded() {
    let world = world();
    // The program prints a result at any signal, and ends with success.
    world.program(
        "save-user-data",
        "case $(cat) in *1*) exit 64;; *) trap 'echo 7; exit 0' TERM INT; echo $$ > FOLDER/pid; \
         while :; do sleep 0.1; done;; esac",
    );
    let (_, [first, second, _]) = two_shards(&world, &[]);
    let _second = world.worker(&["--queue", "shard-2"]);
    world.written("pid");
    let _first = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Failed);
    let info = status(&second, Status::Cancelled);
    assert_eq!(info.result_bytes(), None);
}

#[test]
fn what_is_complete_stays_complete_when_another_one_fails() {
    let world = world();
    world.program("save-user-data", "case $(cat) in *1*) exit 64;; *) echo 2;; esac");
    let (_, [first, second, email]) = two_shards(&world, &[]);
    let _second = world.worker(&["--queue", "shard-2"]);
    status(&second, Status::Complete);
    let _first = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Failed);
    status(&email, Status::Failed);
    assert_eq!(result(&second), "2");

    // The last task fails, and no other task does.
    world.program("save-user-data", "echo 1");
    world.program("send-mail", "exit 64");
    let (_, [first, second, email]) = two_shards(&world, &[]);
    status(&email, Status::Failed);
    assert_eq!([result(&first), result(&second)], ["1", "1"]);
}

#[test]
fn a_cancel_of_the_last_or_of_the_first_task_ends_the_others() {
    let world = world();
    let (made, [first, second, email]) = two_shards(&world, &[]);
    assert_eq!(world.outcome(&["cancel", email.id().as_str()]).0, 0);
    for task in [&first, &second] {
        status(task, Status::Cancelled);
        caused_by(task, &email);
    }
    assert_eq!(world.outcome(&["graph", "wait", made["graph"].as_str().unwrap()]).0, 7);

    let (made, [first, second, email]) = two_shards(&world, &[]);
    assert_eq!(world.outcome(&["cancel", first.id().as_str()]).0, 0);
    status(&email, Status::Failed);
    status(&second, Status::Cancelled);
    caused_by(&second, &first);
    assert_eq!(world.outcome(&["graph", "wait", made["graph"].as_str().unwrap()]).0, 1);
}

#[test]
fn a_graph_goes_on_without_what_failed_or_holds_what_needs_it() {
    let world = world();
    world
        .program("save-user-data", "case $(cat) in *1*) test -e FOLDER/repaired || exit 64; echo 1;; *) echo 2;; esac");
    world.program("send-mail", "cat");
    let (_, goes_on) = two_shards(&world, &["--on-failure", "continue"]);
    let (held, [first, second, email]) = two_shards(&world, &["--on-failure", "hold"]);
    let _worker = world.worker(&["--queue", "shard-1", "--queue", "shard-2"]);
    status(&goes_on[0], Status::Failed);
    status(&goes_on[2], Status::Failed);
    status(&goes_on[1], Status::Complete);
    status(&first, Status::Failed);
    status(&second, Status::Complete);
    status(&email, Status::Waiting);
    let (_, why, _) = world.outcome(&["why", email.id().as_str()]);
    assert!(why.contains(&format!("blueque retry {}", first.id())), "{why}");
    let (_, shown, _) = world.outcome(&["graph", "show", held["graph"].as_str().unwrap()]);
    assert!(shown.contains("held until 1/save is retried"), "{shown}");
    world.touch("repaired");
    assert_eq!(world.outcome(&["retry", first.id().as_str()]).0, 0);
    let (code, _, err) = world.outcome(&["graph", "wait", held["graph"].as_str().unwrap(), "--timeout", "60s"]);
    assert_eq!((code, result(&email).as_str()), (0, "[1,2]"), "{err}");
}

/// Saves `FOLDER/value`, or fails without it, and notes each run.
const NOTED: &str =
    "echo $BLUEQUE_TASK_ID >> FOLDER/ran; case $(cat) in *1*) cat FOLDER/value || exit 64;; *) echo 2;; esac";

/// Number of times that a task has run.
fn runs(world: &World, task: &Task) -> usize {
    let ran = fs::read_to_string(world.path("ran")).unwrap_or_default();
    ran.lines().filter(|line| *line == task.id().as_str()).count()
}

#[test]
fn a_retry_of_the_cause_lets_the_whole_graph_go_on() {
    let world = world();
    world.program("save-user-data", NOTED);
    world.program("send-mail", "cat");
    let (made, [first, second, email]) = two_shards(&world, &[]);
    let worker = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Failed);
    status(&second, Status::Cancelled);
    fs::write(world.path("value"), "1").unwrap();
    assert_eq!(world.outcome(&["retry", first.id().as_str()]).0, 0);
    let _other = world.worker(&["--queue", "shard-2"]);
    assert_eq!(world.outcome(&["graph", "wait", made["graph"].as_str().unwrap(), "--timeout", "60s"]).0, 0);
    assert_eq!(result(&email), "[1,2]");
    assert_eq!([runs(&world, &first), runs(&world, &second)], [2, 1]);
    drop(worker);
}

#[test]
fn a_graph_is_cancelled_and_retried_and_keeps_what_is_complete() {
    let world = world();
    world.program("save-user-data", NOTED);
    world.program("send-mail", "cat");
    fs::write(world.path("value"), "1").unwrap();
    let (made, [first, second, email]) = two_shards(&world, &[]);
    let graph = made["graph"].as_str().unwrap();
    let worker = world.worker(&["--queue", "shard-1"]);
    status(&first, Status::Complete);
    let (code, out, err) = world.outcome(&["graph", "cancel", graph, "--reason", "too late", "--yes"]);
    assert!(code == 0 && err.contains("1 complete, 2 cancelled"), "{out}{err}");
    assert_eq!(second.info().unwrap().reason(), Some("too late".into()));
    assert_eq!(world.outcome(&["graph", "wait", graph]).0, 7);
    let (code, out, err) = world.outcome(&["graph", "retry", graph, "--yes"]);
    assert!(code == 0 && err.contains("1 complete, 1 pending, 1 waiting"), "{out}{err}");
    let other = world.worker(&["--queue", "shard-2"]);
    assert_eq!(result(&email), "[1,2]");
    assert_eq!([runs(&world, &first), runs(&world, &second)], [1, 1]);

    // A rerun from the task `1/save`: its old result no longer counts, but the result of `2/save` does.
    fs::write(world.path("value"), "11").unwrap();
    let (code, out, err) = world.outcome(&["graph", "retry", graph, "--from", "1/save", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(world.outcome(&["graph", "wait", graph, "--timeout", "60s"]).0, 0);
    assert_eq!(result(&email), "[11,2]");
    assert_eq!([runs(&world, &first), runs(&world, &second)], [2, 1]);

    for (args, said) in [
        (["graph", "cancel", "nosuch"].as_slice(), "there is no graph nosuch"),
        (&["graph", "retry", "nosuch"], "there is no graph nosuch"),
        (&["graph", "cancel", graph, "9/save"], "no task of the graph"),
        (&["graph", "retry", graph, "--from", "9/save"], "no task of the graph"),
    ] {
        let (code, _, err) = world.outcome(args);
        assert!(code == 4 && err.contains(said), "{args:?}: {code} {err}");
    }
    drop((worker, other));
}

#[test]
fn a_part_of_a_graph_is_cancelled_with_what_needs_it() {
    let world = world();
    let text = r#"{"queue": "q", "tasks": {
        "cut": {}, "left": {"needs": ["cut"]}, "right": {"needs": ["cut"]}, "sound": {},
        "film": {"needs": ["left", "sound"]}, "still": {"needs": ["right"]}, "tidy": {"after_failure": ["film"]}
    }}"#;
    let made = submitted(&world, text, &[]);
    let (code, _, err) = world.outcome(&["graph", "cancel", made["graph"].as_str().unwrap(), "left", "--yes"]);
    assert_eq!(code, 0, "{err}");
    for (name, expected) in [
        ("left", Status::Cancelled),
        ("film", Status::Cancelled),
        ("sound", Status::Cancelled),
        ("cut", Status::Pending),
        ("right", Status::Waiting),
        ("still", Status::Waiting),
        ("tidy", Status::Pending),
    ] {
        assert_eq!(task(&world, &made, name).info().unwrap().status(), Some(expected), "{name}");
    }
}

#[test]
fn a_change_of_several_tasks_of_a_graph_is_confirmed_with_their_number() {
    let world = world();
    let text = r#"{"queue": "q", "tasks": {
        "cut": {}, "film": {"needs": ["cut"]}, "late": {"after": ["film"]}, "tidy": {"after_failure": ["film"]}
    }}"#;
    let made = submitted(&world, text, &[]);
    let graph = made["graph"].as_str().unwrap();
    let states = || world.outcome(&["graph", "show", graph, "-o", "json"]).1;
    let before = states();
    for (args, number) in [
        (["graph", "cancel", graph].as_slice(), "Cancel 4 tasks of the graph"),
        (&["graph", "cancel", graph, "cut"], "Cancel 2 tasks of the graph"),
        (&["graph", "retry", graph, "--from", "film"], "Run 3 tasks of the graph"),
    ] {
        let (code, _, err) = world.outcome(args);
        assert!(code == 2 && err.contains(number) && err.contains("confirm with --yes"), "{args:?}: {code} {err}");
        let (code, out, err) = world.outcome(&[args, &["--dry-run", "--yes", "-o", "json"]].concat());
        let tasks = number.split(' ').nth(1).unwrap();
        assert!(code == 0 && out.contains(&format!("\"tasks\":{tasks}")), "{args:?}: {out}{err}");
    }
    assert_eq!(states(), before);
    // One task needs no confirmation.
    let (code, _, err) = world.outcome(&["graph", "cancel", graph, "late"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(task(&world, &made, "late").info().unwrap().status(), Some(Status::Cancelled));
    let (code, out, err) = world.outcome(&["graph", "retry", graph, "--dry-run"]);
    assert!(code == 0 && out.contains("1 cancelled"), "{out}{err}");
}

#[test]
fn what_runs_is_stopped_before_it_runs_anew() {
    let world = world();
    world.program("save-user-data", "cat FOLDER/value");
    world.program("send-mail", "echo $$ > FOLDER/pid; [ -e FOLDER/go ] || sleep 600; cat");
    fs::write(world.path("value"), "1").unwrap();
    let (made, [_, _, email]) = two_shards(&world, &[]);
    let _worker = world.worker(&["--queue", "shard-1", "--queue", "shard-2", "--grace", "1s"]);
    world.written("pid");
    status(&email, Status::Started);
    fs::write(world.path("value"), "2").unwrap();
    world.touch("go");
    let (code, _, err) =
        world.outcome(&["graph", "retry", made["graph"].as_str().unwrap(), "--from", "1/save", "--yes"]);
    assert_eq!(code, 0, "{err}");
    // The task is first cancelled, but the graph has not ended at that point.
    assert_eq!(world.outcome(&["graph", "wait", made["graph"].as_str().unwrap(), "--timeout", "60s"]).0, 0);
    assert_eq!(result(&email), "[2,1]"); // the result of the second task is kept
}

#[test]
fn large_results_pass_as_files_and_each_attempt_finds_those_that_were_made_for_it() {
    let world = World::new();
    let say = format!("{} task", env!("CARGO_BIN_EXE_blueque"));
    // More than the 8 MiB that the server takes, and different bytes in each attempt.
    let make = format!(
        "head -c 9000000 /dev/zero | tr '\\0' $BLUEQUE_ATTEMPT > $BLUEQUE_OUTPUT_DIR/film; {say} result --published"
    );
    world.program("make", &make);
    world.program(
        "join",
        &format!("folders=$({say} inputs) || exit; for folder in $folders; do tail -c 1 $folder/film; wc -c < $folder/film; done > FOLDER/joined.$BLUEQUE_ATTEMPT"),
    );
    world.program("lost", &format!("{say} inputs --timeout 0s"));
    let worker = ["--queue", "make", "--queue", "join", "--queue", "lost"];
    let _worker = world.worker(&worker);
    for id in ["one", "two"] {
        world.run(&["submit", "make", "--id", id]);
    }
    world.run(&["submit", "join", "--id", "both", "--result-of", "one", "--result-of", "two"]);
    let both = world.client.task("both").unwrap();
    let read = |name| fs::read_to_string(world.path(name)).unwrap();
    let ended = status(&both, Status::Complete);
    assert_eq!(read("joined.1"), "19000000\n19000000\n");
    let parameters: Value = serde_json::from_str(&field(&ended, "parameters")).unwrap();
    assert_eq!(
        (&parameters[0]["published"]["task"], &parameters[1]["published"]["attempt"]),
        (&json!("one"), &json!(1))
    );

    let elsewhere = json!({"published": {"host": "far", "folder": "/nowhere", "task": "up", "attempt": 2}}).to_string();
    world.run(&["submit", "lost", &elsewhere, "--id", "lost"]);
    let lost = status(&world.client.task("lost").unwrap(), Status::Failed);
    let error = field(&lost, "error");
    let expected = format!("attempt 2 of up is not in {}", world.path("state/blueque/output/up").display());
    assert!(error.contains(&expected) && error.contains("published on far in /nowhere"), "{error}");
}
