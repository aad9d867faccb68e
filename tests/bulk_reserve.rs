//! Many tasks in one call are taken as if by as many calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod support;

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use redis::{Connection, Value};
use support::{Server, script};

/// Options of a task, a few of each kind.
const KINDS: [&[&str]; 12] = [
    &[],
    &[],
    &["priority", "5"],
    &["priority", "-5"],
    &["key", "k"],
    &["key", "l", "weight", "2"],
    &["key", "k", "priority", "5"],
    &["weight", "3"],
    &["needs", "gpu"],
    &["needs", "cores>=4", "key", "l"],
    &["unique", "n", "unique_policy", "latest"],
    &["lease", "7"],
];

/// Settings of a queue.
const RULES: [(&str, &str); 8] = [
    ("concurrency", "3"),
    ("concurrency", "6"),
    ("rate", "2/10"),
    ("rate", "5/60"),
    ("key_concurrency", "1"),
    ("key_concurrency", "2"),
    ("key_rate", "1/5"),
    ("ageing", "3"),
];

/// The orders of two queues.
const ORDERS: [&[&str]; 3] = [&[], &["order", "round"], &["order", "weighted", "weights", "1,3"]];

fn call(connection: &mut Connection, namespace: &str, now: &str, call: &[&str]) -> Result<Value, String> {
    let mut eval = redis::cmd("EVAL");
    eval.arg(script(call[0])).arg(1).arg(format!("{namespace}_meta")).arg(now).arg(&call[1..]);
    eval.query(connection).map_err(|error| error.to_string())
}

/// The fields of tasks that a call answers, in their order.
fn parts(reply: Value) -> Vec<Value> {
    match reply {
        Value::Nil => Vec::new(),
        Value::Array(parts) => parts,
        other => panic!("{other:?}"),
    }
}

/// Contents of the indexes and records, without times: single calls come a microsecond after one another.
const STATE: &str = r"
local out = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local name, kind = string.sub(key, #ARGV[1] + 1), redis.call('TYPE', key).ok
  local values = {}
  if string.find(name, '^_task_') then
    values = redis.call('HMGET', key, 'status', 'node', 'token', 'attempt', 'lease', 'pid', 'rank', 'flags')
    for i = 1, 8 do values[i] = values[i] or '-' end
  elseif kind == 'list' then values = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then values = redis.call('SMEMBERS', key)
  elseif kind == 'zset' and not string.find(name, '^_seen') then values = redis.call('ZRANGE', key, 0, -1)
  elseif kind == 'hash' and name ~= '_meta' then values = redis.call('HGETALL', key) end
  if kind == 'set' or kind == 'hash' and not string.find(name, '^_task_') then table.sort(values) end
  out[#out + 1] = name .. ': ' .. table.concat(values, ' ')
end
table.sort(out)
return out";

fn state(connection: &mut Connection, namespace: &str) -> Vec<String> {
    redis::cmd("EVAL").arg(STATE).arg(0).arg(namespace).query(connection).unwrap()
}

#[derive(Clone, Debug)]
struct World {
    /// The queue and the kind of each task.
    tasks: Vec<(usize, usize)>,
    rules: Vec<(usize, usize)>,
    order: usize,
    limit: usize,
    started: bool,
    finish_and_reserve: bool,
}

fn worlds() -> impl Strategy<Value = World> {
    let tasks = prop::collection::vec((0..2_usize, 0..KINDS.len()), 1..14);
    let rules = prop::collection::vec((0..2_usize, 0..RULES.len()), 0..4);
    (tasks, rules, 0..ORDERS.len(), select(vec![1_usize, 2, 3, 5, 8, 20]), any::<bool>(), any::<bool>()).prop_map(
        |(tasks, rules, order, limit, started, finish_and_reserve)| World {
            tasks,
            rules,
            order,
            limit,
            started,
            finish_and_reserve,
        },
    )
}

const QUEUES: [&str; 2] = ["a", "b"];

fn prepare(connection: &mut Connection, namespace: &str, world: &World) {
    let mut make = |now: &str, args: &[&str]| call(connection, namespace, now, args).unwrap();
    for queue in QUEUES {
        make("1000", &["register", queue, "h_1", "has", "gpu,cores=8"]);
    }
    for (queue, rule) in &world.rules {
        let (name, value) = RULES[*rule];
        make("1001", &["configure", QUEUES[*queue], name, value]);
    }
    for (number, (queue, kind)) in world.tasks.iter().enumerate() {
        let (now, id) = (format!("{}", 1002 + number), format!("t{number}"));
        make(&now, &[&["submit", QUEUES[*queue], "1", &id, "", "p"], KINDS[*kind]].concat());
    }
}

#[test]
fn many_tasks_in_one_call_are_taken_as_if_one_by_one() {
    let server = Server::start();
    let used = RefCell::new((server.connection(), 0, 0));
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&worlds(), |world| {
            let mut used = used.borrow_mut();
            let (connection, number, several) = &mut *used;
            *number += 1;
            let [together, alone] = ["together", "alone"].map(|name| format!("{name}{number}"));
            prepare(connection, &together, &world);
            prepare(connection, &alone, &world);
            let (limit, now) = (world.limit.to_string(), "1100");
            let pid: &[&str] = if world.started { &["pid", "7"] } else { &[] };
            let options = [ORDERS[world.order], pid].concat();
            let many = if world.finish_and_reserve {
                let ask = [&["finish_and_reserve", "h_1", "a,b", &limit, "0"], &options[..]].concat();
                parts(call(connection, &together, now, &ask).unwrap()).split_off(2)
            } else {
                let ask = [&["reserve", "h_1", "2", "a", "b", "limit", &limit], &options[..]].concat();
                parts(call(connection, &together, now, &ask).unwrap())
            };
            let one = [&["reserve", "h_1", "2", "a", "b"], &options[..]].concat();
            let mut each = Vec::new();
            for _ in 0..world.limit {
                match parts(call(connection, &alone, now, &one).unwrap()) {
                    none if none.is_empty() => break,
                    task => each.extend(task),
                }
            }
            *several += usize::from(many.len() > 11);
            prop_assert_eq!(&many, &each, "the tasks, with tokens, attempts and deadlines");
            // A listener that asks again notes in both namespaces what keeps other tasks waiting.
            let ask = |connection: &mut Connection, namespace: &str| {
                if each.len() < 11 * world.limit {
                    assert_eq!(call(connection, namespace, "1100.5", &one).unwrap(), Value::Nil);
                }
            };
            ask(connection, &together);
            ask(connection, &alone);
            prop_assert_eq!(state(connection, &together), state(connection, &alone));
            Ok(())
        })
        .unwrap();
    let several = used.borrow().2;
    assert!(several > 100, "only {several} calls took several tasks");
}
