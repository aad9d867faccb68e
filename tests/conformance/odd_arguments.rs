//! Odd words in every place of every call: only a reply or a code of the contract comes back.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use blueque::bundle;
use redis::{Connection, Value as Reply};
use serde_json::Value;

use crate::cases::{self, list};
use crate::support::Server;

/// Words that Lua, Redis or a list of words in a script may misinterpret.
const WORDS: [&str; 56] = [
    "",
    " ",
    "  ",
    "\0",
    "\n",
    "\t",
    "é",
    "a b",
    " a",
    "a ",
    "00",
    "0",
    "-0",
    "+0",
    "007",
    "0x10",
    "1.",
    ".5",
    ".",
    "..",
    "-",
    "--",
    "1e3",
    "1e400",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "9007199254740993",
    "999999999999999",
    "9999999999999999",
    "18446744073709551616",
    "99999999999999999999",
    "%",
    "%d",
    "%s%n",
    "[",
    "(",
    "*",
    "?",
    "=",
    "a=b",
    ",",
    "a,b",
    "a,",
    "/",
    "1/",
    "/1",
    "1/1/1",
    "nan/a",
    "inf/a/inf",
    "1e999/a",
    "0/",
    "suspects:00",
    "lists/0/0/x",
    "_",
];

/// Names that a list of words in a script holds, as one.
const LISTS: [&str; 10] = [
    "max_losses max_failures",
    "delay max_delay jitter",
    "backoff delay",
    "scheduled pending",
    "keep key_concurrency key_rate",
    "skip queue",
    "reject existing",
    ">= <=",
    "lease log_bytes",
    "scheduled,pending failed",
];

fn words() -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = WORDS.iter().chain(&LISTS).map(|word| word.as_bytes().to_vec()).collect();
    words.push(vec![0xff, 0xfe]);
    words.push(b"1".repeat(400));
    words.push(b"a".repeat(100_000));
    words.push(b"a,".repeat(5_000));
    words.push(b"1/".repeat(5_000));
    words
}

/// The values of a call as they go over the wire.
fn bytes(values: &[Value]) -> Vec<Vec<u8>> {
    values.iter().map(crate::runner::literal).collect()
}

/// Limit of a call. No call takes nearly as long, even on a busy machine, since a list or a text of any length is
/// read once.
const SLOW: Duration = Duration::from_secs(10);

/// Copies all keys of the current database to the database `ARGV[1]`.
const COPY: &str = "for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', ARGV[1]) end";

struct World {
    connection: Connection,
    /// To the database that keeps the state in which each call is made.
    given: Connection,
    dirty: bool,
    odd: BTreeSet<String>,
}

impl World {
    fn call(&mut self, call: &[Vec<u8>]) -> Result<Reply, redis::RedisError> {
        let name = std::str::from_utf8(&call[0]).unwrap();
        let command = bundle::command(name).unwrap();
        let send = |connection: &mut Connection, how: &str, script: &str| {
            redis::cmd(how).arg(script).arg(1).arg("ns_meta").arg(&call[1..]).query(connection)
        };
        match send(&mut self.connection, "EVALSHA", command.sha1()) {
            Err(error) if error.code() == Some("NOSCRIPT") => send(&mut self.connection, "EVAL", command.source()),
            answer => answer,
        }
    }

    /// Makes the call in the same state as all others.
    fn try_call(&mut self, call: &[Vec<u8>]) {
        if self.dirty {
            redis::cmd("FLUSHDB").exec(&mut self.connection).unwrap();
            redis::cmd("EVAL").arg(COPY).arg(0).arg(0).exec(&mut self.given).unwrap();
            self.dirty = false;
        }
        let begun = Instant::now();
        let answer = self.call(call);
        let shown: Vec<_> = call.iter().map(|word| String::from_utf8_lossy(&word[..word.len().min(40)])).collect();
        assert!(begun.elapsed() < SLOW, "{shown:?} kept the server busy for {:?}", begun.elapsed());
        match answer {
            Ok(_) => self.dirty = true,
            Err(error) => {
                let code = error.code().unwrap_or_default();
                if !crate::CODES.contains(&code) {
                    self.odd.insert(format!("{shown:?}: {error}"));
                }
            }
        }
    }
}

#[test]
fn no_odd_word_in_any_place_brings_a_raw_error_of_the_server() {
    let server = Server::start();
    let table = cases::file("arguments.json");
    let mut given = server.connection();
    redis::cmd("SELECT").arg(1).exec(&mut given).unwrap();
    let mut world = World { connection: server.connection(), given, dirty: false, odd: BTreeSet::new() };
    for step in list(&table["given"]) {
        world.call(&bytes(list(&step["do"]))).unwrap();
    }
    redis::cmd("EVAL").arg(COPY).arg(0).arg(1).exec(&mut world.connection).unwrap();
    let (words, contract) = (words(), cases::contract());
    let rows = cases::rows(&contract, &table);
    for command in bundle::commands() {
        let row = &rows[command.name()];
        let mut good = vec![command.name().as_bytes().to_vec()];
        good.extend(list(&row["args"]).iter().map(crate::runner::literal));
        let options = cases::choices(&contract, command.name(), row);
        for word in &words {
            for place in 1..good.len() {
                let mut call = good.clone();
                call[place].clone_from(word);
                world.try_call(&call);
            }
            for value in ["3", "a"] {
                world.try_call(&[&good[..], &[word.clone(), value.into()]].concat());
            }
            for option in &options {
                let base = option.call.as_ref().map_or_else(|| good.clone(), |call| bytes(call));
                let named = [&base[..], &bytes(&option.beside), &[option.name.clone().into(), word.clone()]].concat();
                world.try_call(&named);
            }
        }
    }
    let odd: Vec<_> = world.odd.into_iter().collect();
    assert!(odd.is_empty(), "{} raw errors:\n{}", odd.len(), odd.join("\n"));
}
