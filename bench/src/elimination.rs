//! The parts of the time of the scripts of a task's life, by elimination. A recording script returns the Redis commands
//! of a typical call. Each kind of these commands then runs in a script of its own.

use redis::{Connection, FromRedisValue, Value};

use crate::life::{args, attempt, id};
use crate::server::{Args, Result, Scripts, call, load, median, timed};
use crate::sizes;

/// Number of calls that are measured together, each on a queue of its own.
const BATCH: usize = 20;

/// Queues of the calls that are measured whole, and of the calls that are taken apart.
const QUEUES: [&str; 2] = ["whole", "parts"];

const PARAMETERS: &str = r#"{"input":"movie-17.mkv","preset":"slow"}"#;
const RESULT: &str = r#"{"ok":true}"#;

/// Columns: a script without arguments that does nothing; its arguments; its reads; the reads that only prove the type
/// of a key; the checks of its user's rights; its writes; the rest, which is Lua; and the total.
const COLUMNS: [&str; 8] = ["empty", "arguments", "reads", "proofs", "rights", "writes", "Lua", "all"];

/// Kinds of calls by their names in `record`, in the order of the columns.
const KINDS: [&str; 4] = ["read", "proof", "right", "write"];

const EMPTY: &str = "return 1";

/// Wraps a script so that it changes nothing, and returns the answer and the recorded calls.
fn record(source: &str) -> String {
    format!(
        "local log, server = {{}}, redis
local function kind(name)
  local proof = ' XLEN LLEN SCARD ZCARD HLEN EXISTS '
  local write = ' HSET HDEL LPUSH LREM LTRIM RPOPLPUSH SADD SREM XADD ZADD ZREM PUBLISH '
  local word = ' ' .. name .. ' '
  return string.find(write, word, 1, true) and 'write' or string.find(proof, word, 1, true) and 'proof' or 'read'
end
local function note(kind, ...)
  local entry = {{ kind, ... }}
  for i, value in ipairs(entry) do
    entry[i] = type(value) == 'number' and string.format('%.17g', value) or value
  end
  log[#log + 1] = entry
end
local function recorded(name, ...)
  local kind = kind(name)
  note(kind, name, ...)
  return kind == 'write' and 1 or server.call(name, ...)
end
local function allowed(...)
  note('right', ...)
  return true
end
local redis = {{ call = recorded, pcall = recorded, acl_check_cmd = server.acl_check_cmd and allowed,
  error_reply = server.error_reply }}
local answer = (function()
{source}
end)()
return type(answer) == 'table' and answer.err and answer or {{ answer, log }}"
    )
}

/// Returns the calls of one kind as a script, and the arguments of these calls as the script's arguments.
fn alone(log: &[Vec<String>], kind: &str) -> (String, Args) {
    let (mut script, mut args) = ("local v = ARGV\n".to_owned(), Args::new());
    for entry in log {
        let [first, values @ ..] = entry.as_slice() else { continue };
        if first == kind {
            let list: Vec<String> = (1..=values.len()).map(|nth| format!("v[{}]", args.len() + nth)).collect();
            let function = if kind == "right" { "acl_check_cmd" } else { "call" };
            script += &format!("redis.{function}({})\n", list.join(", "));
            args.extend_from_slice(values);
        }
    }
    (script + EMPTY, args)
}

/// A script, whole and recorded, and its costs in each round.
struct Subject {
    name: &'static str,
    /// Number of tasks of a call.
    tasks: u16,
    whole: String,
    recording: String,
    columns: [Vec<f64>; 8],
}

impl Subject {
    fn new(connection: &mut Connection, name: &'static str, command: &str, tasks: u16) -> Result<Self> {
        let source = blueque::bundle::command(command).ok_or_else(|| format!("the bundle has no {command}"))?;
        let recording = load(connection, &record(source.source()))?;
        let whole = Scripts::Own.load(connection, command)?;
        Ok(Self { name, tasks, whole, recording, columns: Default::default() })
    }

    /// Runs some calls whole, and other calls of the same kind taken apart. No call may depend on another: all are
    /// recorded before the first changes anything. Returns the answers of both.
    fn round(&mut self, connection: &mut Connection, calls: &[Args], others: &[Args]) -> Result<[Vec<Value>; 2]> {
        let empty = load(connection, EMPTY)?;
        let (all, answers) = timed(connection, &self.whole, "blueque", calls)?;
        let (nothing, _) = timed(connection, &empty, "blueque", &vec![Args::new(); calls.len()])?;
        let (with_arguments, _) = timed(connection, &empty, "blueque", calls)?;

        let (mut logs, mut recorded) = (Vec::new(), Vec::new());
        for args in others {
            let reply: Value = call(&self.recording, "blueque", args).query(connection)?;
            let (answer, log): (Value, Vec<Vec<String>>) = FromRedisValue::from_redis_value(reply)?;
            recorded.push(answer);
            logs.push(log);
        }
        let mut costs = vec![nothing, with_arguments - nothing];
        for kind in KINDS {
            let scripts: Vec<(String, Args)> = logs.iter().map(|log| alone(log, kind)).collect();
            let given: Vec<Args> = scripts.iter().map(|(_, args)| args.clone()).collect();
            let script = load(connection, scripts.first().map_or(EMPTY, |(script, _)| script))?;
            let (took, _) = timed(connection, &script, "blueque", &given)?;
            let (without, _) = timed(connection, &empty, "blueque", &given)?;
            costs.push(took - without);
        }
        costs.push(all - costs.iter().sum::<f64>());
        costs.push(all);
        for (column, cost) in self.columns.iter_mut().zip(costs) {
            column.push(cost / f64::from(self.tasks));
        }
        Ok([answers, recorded])
    }

    fn medians(&self) -> [f64; 8] {
        self.columns.clone().map(median)
    }
}

/// Measures and prints the table. Returns the microseconds of a task's life in calls of 32 tasks: submit and
/// `finish_and_reserve`.
pub fn print(rounds: usize) -> Result<f64> {
    let server = sizes::filled(0)?;
    let mut connection = server.connect()?;
    let connection = &mut connection;
    let [register, submit] = ["register", "submit"].map(|name| Scripts::Own.load(connection, name));
    let (register, submit) = (register?, submit?);
    for queue in QUEUES.into_iter().flat_map(queues) {
        call(&register, "blueque", &args(&["", &queue, "host_1"])).exec(connection)?;
        call(&submit, "blueque", &args(&["", &queue, "1", &id(), "", PARAMETERS])).exec(connection)?;
    }
    let mut life = ["submit", "reserve", "start", "complete"]
        .iter()
        .map(|name| Subject::new(connection, name, name, 1))
        .collect::<Result<Vec<_>>>()?;
    let sizes = [("finish_and_reserve of 1", 1), ("finish_and_reserve of 8", 8), ("finish_and_reserve of 32", 32)];
    let mut exchanges = sizes
        .iter()
        .map(|(name, tasks)| Subject::new(connection, name, "finish_and_reserve", *tasks))
        .collect::<Result<Vec<_>>>()?;
    let mut submit = Subject::new(connection, "submit of 32", "submit", 32)?;
    for _ in 0..rounds {
        steps(connection, &mut life)?;
        submitted(connection, &mut submit)?;
        for finish_and_reserve in &mut exchanges {
            exchanged(connection, finish_and_reserve)?;
        }
    }

    print!("{:<24}", "where the time goes");
    for column in COLUMNS {
        print!("{column:>10}");
    }
    println!();
    let row = |name: &str, costs: [f64; 8]| {
        print!("  {name:<22}");
        for cost in costs {
            print!("{cost:>10.2}");
        }
        println!();
    };
    let mut sums = [0.0; 8];
    for subject in &life {
        let costs = subject.medians();
        for (sum, cost) in sums.iter_mut().zip(costs) {
            *sum += cost;
        }
        row(subject.name, costs);
    }
    row("life", sums);
    row(submit.name, submit.medians());
    for subject in &exchanges {
        row(subject.name, subject.medians());
    }
    println!("  (a finish_and_reserve completes tasks, and takes and starts as many; all is per task)\n");
    let all = |subject: &Subject| {
        let [.., all] = subject.medians();
        all
    };
    Ok(all(&submit) + exchanges.last().map_or(f64::NAN, all))
}

fn queues(name: &str) -> impl Iterator<Item = String> {
    (0..BATCH).map(move |number| format!("{name}-{number}"))
}

/// Takes a batch of tasks through its life, and another batch through its life taken apart.
fn steps(connection: &mut Connection, life: &mut [Subject]) -> Result<()> {
    let [submit, reserve, start, complete] = life else { return Err("four steps".into()) };
    let new = |queue: String| args(&["", &queue, "1", &id(), "", PARAMETERS]);
    let [one, other] = QUEUES.map(|queue| queues(queue).map(new).collect::<Vec<Args>>());
    submit.round(connection, &one, &other)?;
    let next = |queue: String| args(&["", "host_1", "1", &queue, "request", &id()]);
    let [one, other] = QUEUES.map(|queue| queues(queue).map(next).collect::<Vec<Args>>());
    let [one, other] = reserve.round(connection, &one, &other)?;
    let held = |answers: Vec<Value>| answers.into_iter().map(attempt).collect::<Result<Vec<_>>>();
    let (one, other) = (held(one)?, held(other)?);
    let with = |tasks: &[(String, String)], more: &str| -> Vec<Args> {
        tasks.iter().map(|(id, token)| args(&["", id, token, more])).collect()
    };
    start.round(connection, &with(&one, "77"), &with(&other, "77"))?;
    complete.round(connection, &with(&one, RESULT), &with(&other, RESULT))?;
    Ok(())
}

/// Exchanges started tasks for the same number of new tasks.
fn exchanged(connection: &mut Connection, subject: &mut Subject) -> Result<()> {
    let [submit, reserve, complete] = ["submit", "reserve", "complete"].map(|name| Scripts::Own.load(connection, name));
    let (submit, reserve, complete) = (submit?, reserve?, complete?);
    let (tasks, count) = (usize::from(subject.tasks), subject.tasks.to_string());
    let mut calls = [Vec::new(), Vec::new()];
    for (name, calls) in QUEUES.into_iter().zip(&mut calls) {
        for queue in queues(name).take((BATCH / tasks).max(4)) {
            let new = (0..2 * tasks).flat_map(|_| args(&[&id(), "", PARAMETERS]));
            let new: Args = args(&["", &queue, &(2 * tasks).to_string()]).into_iter().chain(new).collect();
            call(&submit, "blueque", &new).exec(connection)?;
            let take = args(&["", "host_1", "1", &queue, "limit", &count, "pid", "77"]);
            let held: Vec<Value> = call(&reserve, "blueque", &take).query(connection)?;
            let mut finish_and_reserve = args(&["", "host_1", &queue, &count, &count]);
            for task in held.chunks(11) {
                let (id, token) = attempt(Value::Array(task.to_vec()))?;
                finish_and_reserve.extend(args(&["complete", &id, &token, RESULT, "", "", ""]));
            }
            finish_and_reserve.extend(args(&["request", &id(), "pid", "77"]));
            calls.push(finish_and_reserve);
        }
    }
    let [one, other] = &calls;
    let answers = subject.round(connection, one, other)?;
    // The reserved tasks end as well.
    for answer in answers.into_iter().flatten() {
        let parts: Vec<Value> = FromRedisValue::from_redis_value(answer)?;
        for task in parts.get(2..).unwrap_or_default().chunks(11) {
            let (id, token) = attempt(Value::Array(task.to_vec()))?;
            call(&complete, "blueque", &args(&["", &id, &token, RESULT])).exec(connection)?;
        }
    }
    Ok(())
}

/// Measures submits of many tasks.
fn submitted(connection: &mut Connection, subject: &mut Subject) -> Result<()> {
    let tasks = subject.tasks;
    let new = || {
        let tasks = (0..tasks).flat_map(|_| args(&[&id(), "", PARAMETERS]));
        args(&["", "q", &subject.tasks.to_string()]).into_iter().chain(tasks).collect()
    };
    let [one, other] = [(); 2].map(|()| (0..4).map(|_| new()).collect::<Vec<Args>>());
    subject.round(connection, &one, &other)?;
    Ok(())
}
