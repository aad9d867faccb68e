//! `list`, `ahead` of `why` and `estimate` agree with the order in which `reserve` gives tasks out, without limits,
//! turns, needs and ageing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::collections::BTreeMap;

use blueque::bundle;
use redis::{Connection, Value};
use support::{Server, seed};

const START: u64 = 1_700_000_000;

/// A namespace at the time of its calls, and a small random generator.
struct Bench {
    connection: Connection,
    digests: BTreeMap<&'static str, String>,
    meta: String,
    now: u64,
    seed: u64,
}

impl Bench {
    fn new(server: &Server, name: &str, seed: u64) -> Self {
        let mut connection = server.connection();
        let mut load = |source: &str| redis::cmd("SCRIPT").arg("LOAD").arg(source).query(&mut connection).unwrap();
        let digests = bundle::commands().map(|command| (command.name(), load(command.source()))).collect();
        Self { connection, digests, meta: format!("{name}_meta"), now: START, seed }
    }

    fn call(&mut self, line: &str) -> Vec<String> {
        let mut words = line.split(' ').map(|word| if word == "-" { "" } else { word });
        let command = words.next().unwrap();
        let mut call = redis::cmd("EVALSHA");
        call.arg(&self.digests[command]).arg(1).arg(&self.meta).arg(self.now);
        let answer = words.fold(&mut call, |call, word| call.arg(word)).query(&mut self.connection);
        texts(answer.unwrap_or_else(|error| panic!("{line}: {error}")))
    }

    /// A random number below `below`.
    fn any(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % below
    }

    /// Every id, read in pages of this size.
    fn list(&mut self, limit: usize) -> Vec<String> {
        let (mut ids, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            let page = self.call(&format!("list q pending {cursor} {limit}"));
            ids.extend_from_slice(&page[1..]);
            cursor.clone_from(&page[0]);
            if cursor == "0" {
                return ids;
            }
        }
    }

    fn fact(&mut self, line: &str, name: &str) -> String {
        let facts = self.call(line);
        let at = facts.iter().position(|fact| fact == name).unwrap();
        facts[at + 1].clone()
    }

    /// Makes one action that lets tasks wait, or that moves a task.
    fn happen(&mut self, number: u64) {
        self.now += self.any(3);
        let waiting = self.call("list q pending 0 500").split_off(1);
        let chosen = usize::try_from(self.any(waiting.len().max(1) as u64)).unwrap();
        let one = waiting.get(chosen).cloned();
        let id = format!("t{number}");
        match (self.any(18), one) {
            (0..=4, _) => self.call(&format!("submit q 1 {id} - p max_failures 9 delay 0")),
            (5..=7, _) => self.call(&format!("submit q 1 {id} - p key {id}")),
            (8, _) => self.call(&format!("submit q 1 {id} - p needs gpu")),
            (9, _) => self.call(&format!("submit q 1 {id} - p priority {}", self.seed % 3)),
            (10, _) => self.call(&format!("submit q 1 {id} {} p", self.now + 5)),
            (11, _) => self.call("promote q 100"),
            (12, _) => self.call(&format!("submit o 1 {id} - p")).split_off(0),
            (13, _) if number > 9 => {
                let moved = format!("t{}", number - 4);
                if self.call(&format!("get {moved}")).contains(&"o".to_owned()) {
                    self.call(&format!("move {moved} q"))
                } else {
                    Vec::new()
                }
            }
            (14, Some(one)) => {
                self.call(&format!("cancel {one} -"));
                self.now += 1;
                self.call(&format!("retry {one}"))
            }
            (15, Some(one)) => self.call(&format!("prioritise {one} {}", self.seed % 2)),
            (16 | 17, Some(_)) => self.come_back(),
            _ => Vec::new(),
        }
        .clear();
    }

    /// The next task is given out and comes back, unless it has a key, since keys take turns.
    fn come_back(&mut self) -> Vec<String> {
        let first = self.call("list q pending 0 1").remove(1);
        if self.call(&format!("get {first}")).contains(&"key".to_owned()) {
            return Vec::new();
        }
        let held = self.call("reserve h_1 1 q lease 1");
        match self.any(3) {
            0 => self.call(&format!("release {} {}", held[0], held[2])),
            1 => self.call(&format!("fail {} {} e again 0", held[0], held[2])),
            _ => {
                self.now += 2;
                self.call("requeue_orphans q 10")
            }
        }
    }

    fn agree(&mut self, every: usize) {
        self.now += 1;
        self.call("register q h_1"); // it is seen: nothing starts if all are silent
        let all = self.list(500);
        assert_eq!(self.list(7), all, "pages of 7");
        assert_eq!(self.list(150), all, "pages of 150");
        for (place, id) in all.iter().enumerate().filter(|(place, _)| place % every == 0) {
            let ahead = self.fact(&format!("why {id}"), "ahead");
            assert_eq!(ahead, place.to_string(), "{id}");
        }
        if let Some(first) = all.first() {
            let start = self.fact(&format!("estimate {first}"), "start");
            assert_eq!(start, format!("{}.000000", self.now));
        }
        let given: Vec<String> = all.iter().map(|_| self.call("reserve h_1 1 q").swap_remove(0)).collect();
        assert_eq!(given, all);
    }
}

fn texts(value: Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.into_iter().flat_map(texts).collect(),
        Value::BulkString(bytes) => vec![String::from_utf8(bytes).unwrap()],
        Value::Int(number) => vec![number.to_string()],
        Value::Nil => vec![String::new()],
        other => vec![format!("{other:?}")],
    }
}

#[test]
fn what_is_said_of_the_order_is_what_reserve_does() {
    let server = Server::start();
    for seed in seed::fixed(1..=30) {
        let mut bench = Bench::new(&server, &format!("small{seed}"), seed);
        bench.call("register q h_1 has gpu");
        bench.call("configure q max_losses 100");
        for number in 0..40 {
            bench.happen(number);
        }
        bench.agree(1);
    }
}

#[test]
fn it_is_so_in_long_queues_too() {
    let server = Server::start();
    let mut bench = Bench::new(&server, "long", 7);
    bench.call("register q h_1 has gpu");
    for number in 0..900 {
        bench.now += bench.any(2);
        let option = ["", "", "", " key k", " priority 1", " priority -1"][usize::try_from(bench.any(6)).unwrap()];
        let own = if option == " key k" { number.to_string() } else { String::new() };
        bench.call(&format!("submit q 1 t{number} - p{option}{own}"));
    }
    let held = bench.call("reserve h_1 1 q");
    bench.call(&format!("release {} {}", held[0], held[2]));
    bench.agree(13);
}

#[test]
fn a_test_with_a_seed_says_how_it_is_repeated() {
    let name = "what_is_said_of_the_order_is_what_reserve_does";
    let run = |seed: Option<&str>| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", name]).env_remove("BLUEQUE_SEED");
        let output = command.envs(seed.map(|seed| ("BLUEQUE_SEED", seed))).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let repeat = |seed| {
        format!("repeat it: BLUEQUE_SEED={seed} cargo test --locked --all-features -p blueque --test order {name}\n")
    };
    let (held, said) = run(None);
    assert!(held && (1..=30).all(|seed| said.contains(&repeat(seed))), "{said}");
    let (held, said) = run(Some("7"));
    assert!(held && said.contains(&repeat(7)) && !said.contains(&repeat(8)), "{said}");
    let (held, said) = run(Some("x"));
    assert!(!held, "{said}");
}
