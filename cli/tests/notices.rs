//! Notices: workers deliver them to webhooks and programs, at least once and in order, whatever crashes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use blueque::Submit;
use serde_json::Value;
use support::eventually;
use world::{Worker, World};

const SECRET: &str = "a secret that nobody may see";

/// A request that a receiver has got: its headers and its body.
type Got = (String, Value);

/// A receiver of webhooks on a port. It answers with the next of its status lines, and then with 200.
struct Receiver {
    got: Arc<Mutex<Vec<Got>>>,
    port: u16,
}

impl Receiver {
    fn start(answers: &'static [&'static str]) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), answers)
    }

    fn on(listener: TcpListener, answers: &'static [&'static str]) -> Self {
        let (got, port) = (Arc::new(Mutex::new(Vec::new())), listener.local_addr().unwrap().port());
        let (into, mut answers) = (got.clone(), answers.iter().copied());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read(&stream) else { continue };
                into.lock().unwrap().push(request);
                let status = answers.next().unwrap_or("200 OK");
                let head = format!("HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:{port}/other\r\nconnection: close");
                let _ = (&stream).write_all(format!("{head}\r\ncontent-length: 4\r\n\r\nsome").as_bytes());
            }
        });
        Self { got, port }
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// Waits until this number of requests has come.
    fn wait(&self, number: usize) -> Vec<Got> {
        eventually(&format!("{number} notices have come"), || Some(self.got()).filter(|got| got.len() >= number))
    }
}

fn read(mut stream: &TcpStream) -> Option<Got> {
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer).ok()?;
        text.extend_from_slice(&buffer[..count]);
        let all = String::from_utf8_lossy(&text).into_owned();
        if let Some((head, body)) = all.split_once("\r\n\r\n") {
            let length: usize = header(head, "content-length")?.parse().ok()?;
            if body.len() >= length {
                return Some((head.to_owned(), serde_json::from_str(body).ok()?));
            }
        }
        if count == 0 {
            return None;
        }
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// Writes the configuration with this table, and returns the arguments of a worker that uses it.
fn configured(world: &World, text: &str) -> Vec<String> {
    fs::write(world.path("secret"), format!("{SECRET}\n")).unwrap();
    fs::set_permissions(world.path("secret"), PermissionsExt::from_mode(0o600)).unwrap();
    fs::write(world.path("config.toml"), text.replace("FOLDER", world.folder.path().to_str().unwrap())).unwrap();
    vec!["--config".into(), world.path("config.toml").to_str().unwrap().into(), "--queue".into(), "q".into()]
}

fn webhook(receiver: &Receiver) -> String {
    let port = receiver.port;
    format!("[notify.ops]\nurl = \"http://127.0.0.1:{port}/hook/averysecretpath\"\nsecret_file = \"FOLDER/secret\"\n")
}

fn worker(world: &World, args: &[String]) -> Worker {
    world.worker(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn show(world: &World, id: &str) -> Value {
    let (code, out, err) = world.outcome(&["show", id, "-o", "json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

/// Waits until all notices of a task are delivered.
fn delivered(world: &World, id: &str, number: usize) -> Value {
    eventually("the notices are delivered", || {
        let notices = show(world, id)["notices"].clone();
        let all = notices.as_array().cloned().unwrap_or_default();
        (all.len() == number && all.iter().all(|notice| notice["stage"] == "delivered")).then_some(notices)
    })
}

#[test]
fn a_webhook_gets_a_signed_notice_of_each_end() {
    let (world, receiver) = (World::new(), Receiver::start(&[]));
    world.program("q", "[ \"$BLUEQUE_TASK_ID\" = bad ] && { echo broken >&2; exit 3; }; echo 1");
    let _worker = worker(&world, &configured(&world, &webhook(&receiver)));
    let (code, _, err) = world.outcome(&["submit", "q", "--id", "good", "--title", "Nightly", "--notify", "ops"]);
    assert_eq!(code, 0, "{err}");
    world.outcome(&["submit", "q", "--id", "bad", "--notify", "ops:failed"]);
    world.outcome(&["submit", "q", "--id", "silent", "--notify", "ops:failed"]);
    let got = receiver.wait(2);
    let of = |id: &str| got.iter().find(|(_, body)| body["data"]["task"] == id).unwrap().clone();
    let (head, body) = of("good");
    assert_eq!(body["type"], "task.complete");
    assert_eq!((&body["data"]["title"], &body["data"]["queue"]), (&"Nightly".into(), &"q".into()));
    let (_, failed) = of("bad");
    assert_eq!(failed["type"], "task.failed");
    assert!(failed["data"]["error"].as_str().unwrap().contains("broken"), "{failed}");
    // An independent implementation checks the signature.
    let script = "import sys,hmac,hashlib,base64;s,t=sys.argv[1:];\
                  print(base64.b64encode(hmac.new(s.encode(),t.encode(),hashlib.sha256).digest()).decode())";
    let (id, time) = (header(&head, "webhook-id").unwrap(), header(&head, "webhook-timestamp").unwrap());
    let signed = format!("{id}.{time}.{}", serde_json::to_string(&body).unwrap());
    let output = Command::new("python3").args(["-c", script, SECRET, &signed]).output().unwrap();
    let wanted = format!("v1,{}", String::from_utf8(output.stdout).unwrap().trim());
    assert_eq!(header(&head, "webhook-signature").unwrap(), wanted);
    let notices = delivered(&world, "good", 1);
    assert_eq!((&notices[0]["tries"], &notices[0]["answer"]), (&1.into(), &"200 OK".into()));
    assert!(show(&world, "silent").get("notices").is_none());
    let (_, out, _) = world.outcome(&["show", "good"]);
    assert!(out.contains("notice      ops: complete, delivered (200 OK)"), "{out}");
    for text in [world.log(), out] {
        assert!(!text.contains(SECRET) && !text.contains("averysecretpath"), "{text}");
    }
}

#[test]
fn a_receiver_that_fails_gets_the_notice_again_and_then_the_next_one() {
    let (world, receiver) = (World::new(), Receiver::start(&["500 Internal Server Error"]));
    world.submit_as("q", "t", Submit::default().notify("ops"));
    world.outcome(&["cancel", "t", "--reason", "one"]);
    world.outcome(&["retry", "t"]);
    world.outcome(&["cancel", "t", "--reason", "two"]);
    let _worker = worker(&world, &configured(&world, &webhook(&receiver)));
    receiver.wait(1);
    eventually("the answer is shown", || {
        let notice = show(&world, "t")["notices"][0].clone();
        (notice["answer"] == "500 Internal Server Error: some").then_some(())
    });
    let got = receiver.wait(3);
    let order: Vec<_> = got.iter().map(|(_, body)| (&body["data"]["reason"], &body["data"]["try"])).collect();
    let (one, two) = (&Value::from("one"), &Value::from("two"));
    assert_eq!(order, [(one, &1.into()), (one, &2.into()), (two, &1.into())]);
    let ids: Vec<_> = got.iter().map(|(head, _)| header(head, "webhook-id").unwrap()).collect();
    assert!(ids[0] == ids[1] && ids[1] != ids[2], "{ids:?}");
    assert_eq!(delivered(&world, "t", 2)[0]["tries"], 2);
    assert!(world.log().contains("notices to ops fail: 500"), "{}", world.log());
}

#[test]
fn a_notice_waits_for_a_receiver_that_is_away_and_survives_the_worker_and_the_task() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let args = configured(&world, &format!("[notify.ops]\nurl = \"http://{address}/\"\n"));
    world.program("q", "echo 1");
    let first = worker(&world, &args);
    let task = world.submit_as("q", "t", Submit::default().notify("ops"));
    eventually("a delivery has failed", || {
        (show(&world, "t")["notices"][0]["tries"].as_u64() >= Some(1)).then_some(())
    });
    first.kill();
    task.delete().unwrap();
    let receiver = Receiver::on(TcpListener::bind(address).unwrap(), &[]);
    let _second = worker(&world, &args);
    let got = receiver.wait(1);
    assert_eq!((&got[0].1["type"], &got[0].1["data"]["task"]), (&"task.complete".into(), &"t".into()));
}

#[test]
fn the_end_of_a_task_whose_worker_is_killed_is_delivered_by_the_next_worker() {
    let (world, receiver) = (World::new(), Receiver::start(&[]));
    let args = configured(&world, &webhook(&receiver));
    world.program("q", world::HOLD);
    let first = world.worker(&["--queue", "q"]); // it has no targets, as if it died before the delivery
    world.submit_as("q", "t", Submit::default().notify("ops"));
    world.written("pid");
    first.kill();
    world.touch("go");
    world.nothing_is_left();
    assert_eq!(show(&world, "t")["notices"][0]["stage"], "open");
    let _second = worker(&world, &args);
    assert_eq!(receiver.wait(1)[0].1["type"], "task.complete");
}

#[test]
fn a_program_gets_notices_on_stdin_and_acknowledges_them_by_its_exit_code() {
    let world = World::new();
    let script = "#!/bin/sh\nread -r body; env > FOLDER/environment\n[ -e FOLDER/ready ] || { echo not yet >&2; exit 1; }\n\
                  echo \"$BLUEQUE_TASK_ID $BLUEQUE_NOTICE_EVENT $1 $body\" >> FOLDER/notices\n";
    fs::write(world.path("tell"), script.replace("FOLDER", world.folder.path().to_str().unwrap())).unwrap();
    fs::set_permissions(world.path("tell"), PermissionsExt::from_mode(0o755)).unwrap();
    let args = configured(&world, "[notify.ops]\ncommand = [\"FOLDER/tell\", \"a b\"]\n");
    let mut command =
        world.command(env!("CARGO_BIN_EXE_blueque").as_ref(), &args.iter().map(String::as_str).collect::<Vec<_>>());
    let _worker = Worker(command.env("CHAT_TOKEN", "hidden").stdin(Stdio::null()).spawn().unwrap());
    world.submit_as("q", "t", Submit::default().notify("ops"));
    world.outcome(&["cancel", "t"]);
    eventually("a delivery has failed", || {
        (show(&world, "t")["notices"][0]["answer"] == "exit status: 1: not yet").then_some(())
    });
    world.touch("ready");
    delivered(&world, "t", 1);
    let got = world.written("notices");
    assert!(got.starts_with("t cancelled a b {"), "{got}");
    let environment = fs::read_to_string(world.path("environment")).unwrap();
    assert!(!environment.contains("CHAT_TOKEN") && !environment.contains("BLUEQUE_URL"), "{environment}");
}

#[test]
fn an_array_notifies_once_at_the_end_of_all_its_tasks() {
    let (world, receiver) = (World::new(), Receiver::start(&[]));
    world.program("q", "echo 1");
    let _worker = worker(&world, &configured(&world, &webhook(&receiver)));
    let (code, _, err) = world.outcome(&["submit", "q", "[]", "--array", "1-3", "--id", "all", "--notify", "ops"]);
    assert_eq!(code, 0, "{err}");
    let (_, body) = receiver.wait(1)[0].clone();
    assert_eq!((&body["type"], &body["data"]["graph"]), (&"graph.complete".into(), &"all".into()));
    assert_eq!(body["data"]["tasks"], "3 complete, 0 failed, 0 cancelled");
    eventually("the answer is shown", || {
        world
            .outcome(&["graph", "show", "all"])
            .1
            .contains("notice      ops: complete, delivered (200 OK)")
            .then_some(())
    });
    assert_eq!(receiver.got().len(), 1);
}

#[test]
fn the_maintenance_without_a_worker_delivers_notices() {
    let (world, receiver) = (World::new(), Receiver::start(&["302 Found"]));
    let args = configured(&world, &webhook(&receiver));
    world.submit_as("q", "t", Submit::default().notify("ops"));
    world.outcome(&["cancel", "t"]);
    let once = ["admin", "maintenance", "--once", &args[0], &args[1]];
    let (code, out, _) = world.outcome(&once);
    assert!(code == 1 && out.contains("302 Found: redirects are not followed"), "{code} {out}");
    assert_eq!(receiver.got().len(), 1);
    eventually("the notice is delivered", || (world.outcome(&once).0 == 0 && receiver.got().len() == 2).then_some(()));
    delivered(&world, "t", 1);
}

#[test]
fn a_wrong_target_is_refused_with_the_remedy_and_without_its_url() {
    let world = World::new();
    for (text, wanted) in [
        ("[notify.ops]\nurl = \"ftp://host/secret\"\n", "begins with neither https:// nor http://"),
        ("[notify.ops]\ncommand = [\"tell\"]\n", "full path of a program"),
        ("[notify.ops]\nsecret_file = \"/x\"\n", "needs either `url`"),
        ("[notify.\"a b\"]\ncommand = [\"/bin/true\"]\n", "needs another name"),
        ("[notify.ops]\ncommand = [\"/bin/true\"]\ntimeout = \"5m\"\n", "1s to 40s"),
        ("[notify.ops]\nhost = \"x\"\n", "unknown field `host`"),
    ] {
        let args = configured(&world, text);
        let args: Vec<_> =
            ["worker"].into_iter().chain(args.iter().map(String::as_str)).chain(["--", "true"]).collect();
        let (code, _, err) = world.outcome(&args);
        assert!(code == 2 && err.contains(wanted) && !err.contains("secret\""), "{code} {err}");
    }
    let (code, _, err) = world.outcome(&["submit", "q", "--notify", "ops:ended"]);
    assert!(code == 2 && err.contains("notify"), "{code} {err}");
}

#[test]
fn a_task_that_waits_too_long_or_makes_no_progress_notifies_once() {
    let (world, receiver) = (World::new(), Receiver::start(&[]));
    let (code, _, err) = world.outcome(&["submit", "q", "--notify", "ops:waiting=1h"]);
    assert!(code == 2 && err.contains("pending, no-progress and deadline"), "{err}");
    world.program("q", world::HOLD);
    let events = ["submit", "q", "--id", "t", "--notify", "ops:no-progress=2s+pending=1s+end", "--deadline", "+1h"];
    let (code, _, err) = world.outcome(&events);
    assert_eq!(code, 0, "{err}");
    eventually("maintenance stores the notice", || {
        world.outcome(&["admin", "maintenance", "--once"]);
        show(&world, "t")["notices"][0]["stage"].as_str().map(|stage| assert_eq!(stage, "open"))
    });
    let _worker = worker(&world, &configured(&world, &webhook(&receiver)));
    receiver.wait(2);
    let (code, _, err) = world.outcome(&["edit", "t", "--notify", "ops:no-progress=2s+deadline=2h+end"]);
    assert_eq!(code, 0, "{err}");
    receiver.wait(3);
    world.touch("go");
    let got = receiver.wait(4);
    let told: Vec<_> =
        got.iter().map(|(_, body)| [&body["type"], &body["data"]["state"], &body["data"]["time"]]).collect();
    assert_eq!(
        serde_json::to_value(&told).unwrap(),
        serde_json::json!([
            ["task.pending", "pending", "1s"],
            ["task.no-progress", "started", "2s"],
            ["task.deadline", "started", "2h"],
            ["task.complete", "complete", null],
        ])
    );
    let (_, out, _) = world.outcome(&["show", "t"]);
    assert!(out.contains("ops: no-progress, delivered (200 OK)"), "{out}");
}

#[test]
fn notices_that_are_not_delivered_are_listed_and_tried_at_once() {
    let (world, receiver) = (World::new(), Receiver::start(&["503 Service Unavailable", "503 Service Unavailable"]));
    let list = |args: &[&str]| -> Value {
        let (code, out, err) = world.outcome(&[&["notify", "ls", "-o", "json"], args].concat());
        assert_eq!(code, 0, "{err}");
        serde_json::from_str(&out).unwrap()
    };
    world.submit_as("q", "t-1", Submit::default().notify("ops"));
    world.outcome(&["cancel", "t-1"]);
    let waits = list(&[]);
    assert_eq!((&waits[0]["id"], &waits[0]["target"], &waits[0]["tries"]), (&"t-1".into(), &"ops".into(), &0.into()));
    let tried = |number: u64| {
        eventually("the answer is listed", || {
            let notice = list(&["ops"])[0].clone();
            (notice["tries"] == number && notice["answer"] == "503 Service Unavailable: some").then_some(())
        });
    };
    let _worker = worker(&world, &configured(&world, &webhook(&receiver)));
    tried(1);
    assert_eq!((list(&["chat"]), list(&["--given-up"])), (serde_json::json!([]), serde_json::json!([])));
    let (code, out, err) = world.outcome(&["notify", "retry", "t-"]);
    assert!(code == 0 && out.ends_with("ops     1\n"), "{code} {out} {err}");
    tried(2);
    let (code, out, err) = world.outcome(&["notify", "retry", "--target", "ops"]);
    assert!(code == 0 && out.ends_with("ops     1\n"), "{code} {out} {err}");
    assert_eq!(delivered(&world, "t-1", 1)[0]["tries"], 3);
    assert_eq!(list(&[]), serde_json::json!([]));
    let (code, _, err) = world.outcome(&["notify", "retry", "t-1"]);
    assert!(code == 0 && err.contains("no notice was given up or waits"), "{code} {err}");
    let (code, _, err) = world.outcome(&["notify", "retry", "nosuch"]);
    assert!(code == 4 && err.contains("nosuch"), "{code} {err}");
    assert_eq!(world.outcome(&["notify", "retry"]).0, 2);
}
