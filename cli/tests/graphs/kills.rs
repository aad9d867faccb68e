//! Rule 8 of enq's acceptance: after any kill at any time, the mail is sent after both downloads, with both links.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use blueque::{Client, Status};
use serde_json::{Value, json};

use crate::support::{Server, eventually, seed};
use crate::victims::{Random, victims};
use crate::world::{Worker, World, field, send};
use crate::{document, mail, value};

/// Losses in a row double the delay of a task.
const AFTERWARDS: Duration = Duration::from_secs(120);

/// The documents D2 and D3, and the links that the mail has.
fn sample(number: usize) -> (String, Value) {
    let shards = if number.is_multiple_of(2) { &["1"][..] } else { &["1", "2"] };
    let uid = |at: usize| u32::try_from(10 * number + at).unwrap();
    let mut tasks: Vec<String> = (0..).zip(shards).map(|(at, shard)| value(shard, uid(at))).collect();
    tasks.push(mail("send-mail", shards));
    let links = (0..shards.len()).map(|at| json!({"link": format!("https://download/for/{}", uid(at))}));
    (document(&tasks), links.collect())
}

/// Runs `blueque graph submit`, which may find no server.
fn submit(world: &World, number: usize) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(["graph", "submit", "-", "--id", &format!("g{number}"), "-o", "json"]);
    command.env("BLUEQUE_URL", world.server.url()).env("XDG_CONFIG_HOME", world.path("none"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(sample(number).0.as_bytes()).unwrap();
    child
}

/// The ids of the graph's tasks by their names, once a submit of the graph has succeeded.
fn submitted(world: &World, number: usize, mut child: Child) -> BTreeMap<String, String> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            let made: Value = serde_json::from_slice(&output.stdout).unwrap();
            return serde_json::from_value(made["tasks"].clone()).unwrap();
        }
        assert!(Instant::now() < until, "g{number} cannot be submitted for a minute");
        child = submit(world, number);
    }
}

/// Number of completions of each task of a queue.
fn completions(world: &World, queue: &str) -> BTreeMap<String, u32> {
    let queue = world.client.queue(queue).unwrap();
    let (mut after, mut found) = ("0".to_owned(), BTreeMap::new());
    loop {
        let options = blueque::calls::EventsOptions::new();
        let page = world.client.call(&world.client.calls().events(queue.name(), &after, 500, &options)).unwrap();
        if page.items.is_empty() {
            return found;
        }
        for event in page.items.into_iter().filter(|event| event.to == "complete") {
            *found.entry(event.id).or_default() += 1;
        }
        after = page.last;
    }
}

#[test]
fn whatever_is_killed_each_mail_has_all_links_and_is_complete_once() {
    let kills = std::env::var("BLUEQUE_GRAPH_KILLS").map_or(20, |number| number.parse().expect("a whole number"));
    let mut random = Random(seed::new());
    let mut world = crate::world_on(Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]));
    // The programs of the samples, made slower so that the kills hit them.
    for name in ["save-user-data", "send-mail"] {
        let path = world.path("worker.d").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('\n', "\nsleep 0.15\n", 1)).unwrap();
    }
    let start = |world: &World| {
        world.worker(&["--queue", "shard-1", "--queue", "shard-2", "--slots", "4", "--lease", "3s", "--quiet"])
    };
    let mut workers: Vec<Worker> = vec![start(&world), start(&world)];
    let (mut all, mut done) = (Vec::new(), BTreeMap::<&str, u32>::new());
    for number in 0..kills {
        let child = submit(&world, number);
        let until = Instant::now() + Duration::from_millis(random.below(600) as u64);
        eventually("the next kill is due", || (Instant::now() >= until).then_some(()));
        let supervisors = victims(&world, "supervisor");
        let who = ["worker", "supervisor", "server"][random.below(3)];
        let who = if who == "supervisor" && supervisors.is_empty() { "worker" } else { who };
        match who {
            "worker" => {
                workers.remove(random.below(workers.len())).kill();
                workers.push(start(&world));
            }
            "server" => {
                world.server.kill();
                world.server.restart();
            }
            _ => send("KILL", supervisors[random.below(supervisors.len())]),
        }
        *done.entry(who).or_default() += 1;
        all.push(submitted(&world, number, child));
    }
    println!("kills: {done:?}");
    let over = Instant::now() + AFTERWARDS;
    let mut complete = BTreeMap::new();
    world.client = Client::open(&world.server.url()).unwrap(); // the old connection leads to an earlier server
    let task = |id: &str| world.client.task(id).unwrap();
    for (number, made) in all.iter().enumerate() {
        for (name, id) in made {
            let info = loop {
                let info = task(id).info().unwrap();
                match info.status() {
                    Some(Status::Complete) => break info,
                    Some(Status::Failed | Status::Cancelled) => panic!("{name} of g{number}: {:?}", info.error()),
                    _ => assert!(Instant::now() < over, "{name} of g{number} is not complete: {info:?}"),
                }
                std::thread::sleep(Duration::from_millis(20));
            };
            complete.insert(id.clone(), 1);
            if name == "1/email" {
                let input: Value = serde_json::from_slice(info.parameters_bytes().unwrap()).unwrap();
                assert_eq!(input, sample(number).1, "g{number}");
                let time = |name: &str| field(&info, name).parse::<f64>().ok();
                let last = made.iter().filter(|(other, _)| *other != name);
                let last = last.map(|(_, id)| field(&task(id).info().unwrap(), "updated").parse::<f64>().unwrap());
                let readied = time("readied").unwrap_or_else(|| panic!("g{number} was never ready: {info:?}"));
                // A server that is down misses the report of the start.
                let early = time("started").is_some_and(|started| started < readied);
                assert!(last.fold(0.0, f64::max) <= readied && !early, "{info:?}");
            }
        }
    }
    let mut found = completions(&world, "shard-1");
    found.extend(completions(&world, "shard-2"));
    assert_eq!(found, complete, "each task ends once");
    let doctor = world.run(&["doctor"]);
    assert!(!doctor.contains("FINDING  graphs"), "{doctor}");
    world.nothing_is_left();
    drop(workers);
}
