//! Runs one case on a server, or on several, and reports differences.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use redis::{Cmd, FromRedisValue, RedisError, Value as Reply};
use serde_json::Value;

use crate::cases::{Case, list, text};
use crate::support::receiver::{Ground, Right, read};

/// Every key with its whole content, in one call. A large hash, or a set, is dumped in an order that may change.
const DIGEST: &str = "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do
    local held, kind = redis.call('DUMP', key), redis.call('TYPE', key).ok
    if kind == 'hash' then
      local flat, fields = redis.call('HGETALL', key), {}
      for i = 1, #flat, 2 do fields[#fields + 1] = #flat[i] .. flat[i] .. flat[i + 1] end
      table.sort(fields) held = table.concat(fields)
    elseif kind == 'set' then
      local members = redis.call('SMEMBERS', key)
      table.sort(members) held = table.concat(members, ' ')
    end
    all[#all + 1] = key all[#all + 1] = held end return all";

/// The command that reads a key of a type completely.
const READ: [(&str, &str, &[&str]); 6] = [
    ("list", "LRANGE", &["0", "-1"]),
    ("set", "SMEMBERS", &[]),
    ("zset", "ZRANGE", &["0", "-1", "WITHSCORES"]),
    ("hash", "HGETALL", &[]),
    ("stream", "XRANGE", &["-", "+"]),
    ("string", "GET", &[]),
];

/// The reply to a repeated call.
#[derive(Debug, PartialEq)]
pub enum Again {
    /// The first reply.
    Same,
    /// This word, which is equivalent to the first reply.
    Word(String),
    /// The first reply with a deadline that is not earlier.
    Later,
    /// A reply about this call, which continues where the first one ended.
    Anew,
}

pub struct Runner<'a> {
    ground: &'a mut dyn Ground,
    namespace: &'static str,
    kept: Kept,
    /// True if the contents of the keys are compared as well: that takes most of the time, and names the keys that
    /// changed.
    thorough: bool,
}

/// Replies that a step named with `as`.
#[derive(Default)]
struct Kept(HashMap<String, Reply>);

impl<'a> Runner<'a> {
    /// A case that fails is played again, thoroughly.
    pub fn run(ground: &'a mut dyn Ground, case: &Case) -> Result<(), String> {
        let namespace = if case.on_cluster() { "{ns}" } else { "ns" };
        let mut runner = Self { namespace, ..Self::new(ground) };
        runner.play(case).or_else(|failure| {
            runner.thorough = true;
            runner.play(case).and(Err(failure))
        })
    }

    fn play(&mut self, case: &Case) -> Result<(), String> {
        self.ground.empty();
        self.kept.0.clear();
        let result = self.all(case);
        for command in list(&case.data["after"]) {
            self.redis(list(command)).unwrap();
        }
        result
    }

    /// A runner on a server in its present state.
    pub fn new(ground: &'a mut dyn Ground) -> Self {
        Self { ground, namespace: "ns", kept: Kept::default(), thorough: false }
    }

    /// Plays a case with every successful call sent twice: nothing may differ.
    pub fn twice(ground: &'a mut dyn Ground, case: &Case, again: fn(&str) -> Again) -> Result<(), String> {
        ground.empty();
        let mut runner = Self::new(ground);
        let answer = runner.doubled(case, again);
        runner.put_back(case);
        answer
    }

    fn doubled(&mut self, case: &Case, again: fn(&str) -> Again) -> Result<(), String> {
        for (number, step) in case.steps().iter().enumerate() {
            let answered = step["do"].is_array() && step["error"].is_null() && repeatable(step);
            let mut step = step.clone();
            if answered {
                step["do"] = requested(list(&step["do"]), number);
                step["unchanged"] = Value::Null; // except for the reply that is kept
            }
            let told = |what| format!("step {}, {}: {what}", number + 1, brief(&step));
            let first = self.step(&step).map_err(told)?;
            if answered && again(text(&step["do"][0])) != Again::Anew {
                self.repeat(&step, &first, &again(text(&step["do"][0]))).map_err(told)?;
            }
        }
        self.keys(case, &["ns_requests"])
    }

    /// Plays a case up to a call, which is repeated after others have acted.
    pub fn disturbed(
        ground: &'a mut dyn Ground,
        case: &Case,
        last: usize,
        again: fn(&str) -> Again,
    ) -> Result<(), String> {
        ground.empty();
        let mut runner = Self::new(ground);
        let before = case.steps()[..last].iter().try_for_each(|step| runner.step(step).map(|_| ()));
        let answer = before.and_then(|()| runner.interrupted(&case.steps()[last], again));
        runner.put_back(case);
        answer
    }

    /// Whatever the outcome of a case, the server's settings are restored.
    fn put_back(&mut self, case: &Case) {
        for step in case.steps().iter().filter(|step| step["redis"][0] == "CONFIG") {
            self.redis(list(&step["redis"])).unwrap();
        }
        for command in list(&case.data["after"]) {
            self.redis(list(command)).unwrap();
        }
    }

    fn interrupted(&mut self, step: &Value, again: fn(&str) -> Again) -> Result<(), String> {
        let mut step = step.clone();
        step["do"] = requested(list(&step["do"]), 0);
        step["unchanged"] = Value::Null; // except for the reply that is kept
        let again = again(text(&step["do"][0]));
        let ids = self.tasks();
        let before = self.trace();
        let first = self.step(&step)?;
        // A call that changed nothing may as well come later.
        if before == self.trace() || again == Again::Anew {
            return Ok(());
        }
        self.disturb(text(&step["do"][1]), &ids);
        let told = |what| format!("{}, sent again: {what}", brief(&step));
        let whole = self.digest();
        self.repeat(&step, &first, &again).map_err(told)?;
        let requested = list(&step["do"]).iter().any(|word| word == "request") && first != Reply::Nil;
        let after = self.digest();
        if requested && whole != after {
            let changed: Vec<_> = after.keys().filter(|key| whole.get(*key) != after.get(*key)).collect();
            let changed: Vec<_> = changed.into_iter().map(|key| String::from_utf8_lossy(key)).collect();
            return Err(told(format!("something was done a second time: {changed:?}")));
        }
        Ok(())
    }

    /// Repeats a call.
    fn repeat(&mut self, step: &Value, first: &Reply, again: &Again) -> Result<(), String> {
        let second = self.call(list(&step["do"]), &step["keys"]).map_err(|error| error.to_string())?;
        let same = match again {
            Again::Same => second == *first,
            Again::Word(word) => raw(&second) == word.as_bytes(),
            Again::Later => later(first, &second),
            Again::Anew => true,
        };
        if same { Ok(()) } else { Err(format!("first {}, then {}", shown(first), shown(&second))) }
    }

    /// The ids of all tasks.
    fn tasks(&mut self) -> Vec<String> {
        let keys: Vec<String> = self.ask(redis::cmd("KEYS").arg("ns_task_*"));
        keys.iter().filter_map(|key| key.strip_prefix("ns_task_").map(str::to_owned)).collect()
    }

    /// A worker starts what it can get from each queue, and deleted tasks are submitted again. All of it may be
    /// refused.
    fn disturb(&mut self, now: &str, ids: &[String]) {
        let left = self.tasks();
        let keys: Vec<String> = self.ask(redis::cmd("KEYS").arg("ns_tasks_*"));
        let mut queues: Vec<&str> = keys.iter().filter_map(|key| key.strip_prefix("ns_tasks_")).collect();
        queues.push("q");
        let mut call = |words: &[&str]| {
            let words: Vec<Value> = words.iter().map(|&word| word.into()).collect();
            self.call(&words, &Value::Null).ok()
        };
        for id in ids.iter().filter(|id| !left.contains(id)) {
            call(&["submit", now, "q", "1", id, "", "p"]);
        }
        for queue in queues {
            call(&["register", now, queue, "busy_1"]);
            for _ in 0..5 {
                let Some(Reply::Array(taken)) = call(&["reserve", now, "busy_1", "1", queue]) else { break };
                let words = taken.iter().take(3).map(|part| String::from_utf8(raw(part)).unwrap());
                let words: Vec<String> = words.collect();
                call(&["start", now, &words[0], &words[2], "7"]);
            }
        }
    }

    fn all(&mut self, case: &Case) -> Result<(), String> {
        for (number, step) in case.steps().iter().enumerate() {
            self.ground.between();
            self.step(step).map_err(|what| format!("step {}, {}: {what}", number + 1, brief(step)))?;
        }
        self.keys(case, &[])
    }

    /// Compares the contents of the keys at the end, except for the keys in the argument.
    fn keys(&mut self, case: &Case, beside: &[&str]) -> Result<(), String> {
        let mut others: BTreeSet<Vec<u8>> = self.digest().into_keys().collect();
        for (name, want) in case.data["keys"].as_object().into_iter().flatten() {
            others.remove(name.as_bytes());
            if beside.contains(&name.as_str()) {
                continue;
            }
            self.key(name, want)?;
        }
        others.retain(|name| !beside.iter().any(|one| one.as_bytes() == name));
        if case.data["no_other_keys"] == true && !others.is_empty() {
            let others: Vec<_> = others.iter().map(|key| String::from_utf8_lossy(key)).collect();
            return Err(format!("there are other keys: {others:?}"));
        }
        Ok(())
    }

    /// Makes a step, and returns its reply: nil for an expected error.
    fn step(&mut self, step: &Value) -> Result<Reply, String> {
        let (code, says) = (step["error"].as_str(), step["says"].as_str().unwrap_or_default());
        let before = (code.is_some() || step["unchanged"] == true).then(|| self.trace());
        let got = match &step["do"] {
            Value::Array(call) => self.call_for(call, &step["keys"], step),
            _ => self.redis(list(&step["redis"])),
        };
        let mut answer = Reply::Nil;
        match (got, code) {
            (Ok(got), None) => {
                if let Some(want) = step.get("reply")
                    && !self.kept.agrees(want, &got)
                {
                    return Err(format!("expected {want}, got {}", shown(&got)));
                }
                if let Some(name) = step["as"].as_str() {
                    self.kept.0.insert(name.into(), got.clone());
                }
                answer = got;
            }
            (Ok(got), Some(code)) => return Err(format!("expected the error {code}, got {}", shown(&got))),
            (Err(error), Some(code))
                if error.code() == Some(code) && error.to_string().len() > 20 && error.to_string().contains(says) => {}
            (Err(error), _) => {
                return Err(format!("expected {} {says}, got the error {error}", code.unwrap_or("a reply")));
            }
        }
        let Some((writes, before)) = before else { return Ok(answer) };
        let (written, after) = self.trace();
        let written = written != writes;
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let changed = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
        let changed: Vec<_> = changed.map(|key| String::from_utf8_lossy(key)).collect();
        match changed.as_slice() {
            [] if written => Err("a call that must change nothing wrote again what is there".into()),
            [] => Ok(answer),
            _ => Err(format!("a call that must change nothing changed {changed:?}")),
        }
    }

    /// A command of the bundle. Its script is loaded if the server does not know it yet.
    pub fn call(&mut self, call: &[Value], keys: &Value) -> Result<Reply, RedisError> {
        self.call_for(call, keys, &Value::Null)
    }

    /// Makes the call of a step, which states the expected reply.
    fn call_for(&mut self, call: &[Value], keys: &Value, step: &Value) -> Result<Reply, RedisError> {
        let name = text(&call[0]);
        let command = blueque::bundle::command(name).unwrap_or_else(|| panic!("the bundle has no command {name}"));
        let keys: Vec<String> = match keys {
            Value::Array(keys) => keys.iter().map(|key| text(key).to_owned()).collect(),
            _ => vec![format!("{}_meta", self.namespace)],
        };
        let mut request = redis::cmd("EVALSHA");
        request.arg(command.sha1()).arg(keys.len()).arg(&keys);
        for value in &call[1..] {
            request.arg(self.kept.bytes(value));
        }
        let kept = &self.kept;
        let right: Right = &|answer| match answer {
            Ok(got) => step["error"].is_null() && kept.is_right(step, got),
            Err(error) => error.code() == step["error"].as_str(),
        };
        match self.ground.call(name, &request, right) {
            Err(error) if error.code() == Some("NOSCRIPT") => {
                let load = self.ground.send(redis::cmd("SCRIPT").arg("LOAD").arg(command.source()));
                assert_eq!(read::<String>(load)?, command.sha1(), "the digest of {name}");
                self.ground.call(name, &request, right)
            }
            answer => answer,
        }
    }

    fn ask<T: FromRedisValue>(&mut self, cmd: &Cmd) -> T {
        read(self.ground.send(cmd)).unwrap()
    }

    fn redis(&mut self, command: &[Value]) -> Result<Reply, RedisError> {
        let mut request = redis::cmd(text(&command[0]));
        for value in &command[1..] {
            request.arg(self.kept.bytes(value));
        }
        self.ground.send(&request)
    }

    fn digest(&mut self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let parts = self.ground.everywhere(redis::cmd("EVAL").arg(DIGEST).arg(0)).into_iter();
        parts.flat_map(|part| read::<BTreeMap<_, _>>(Ok(part)).unwrap()).collect()
    }

    /// A value that is equal before and after a call that changed nothing: the server's number of changes. The
    /// contents of the keys are compared as well if the user may not ask for the number, or if the run is thorough.
    fn trace(&mut self) -> (Option<String>, BTreeMap<Vec<u8>, Vec<u8>>) {
        let writes = self.ground.writes();
        let keys = if self.thorough || writes.is_none() { self.digest() } else { BTreeMap::new() };
        (writes, keys)
    }

    fn key(&mut self, name: &str, want: &Value) -> Result<(), String> {
        let kind: String = self.ask(redis::cmd("TYPE").arg(name));
        let got = READ
            .iter()
            .find(|read| read.0 == kind)
            .map_or(Reply::Nil, |(_, command, args)| self.ask(redis::cmd(command).arg(name).arg(*args)));
        let wrong = || Err(format!("expected {name} to be {want}, it is {kind} {}", shown(&got)));
        let Some((form, content)) = want.as_object().and_then(|want| want.iter().next()) else {
            return if kind == "none" { Ok(()) } else { wrong() };
        };
        let agrees = kind == form.trim_end_matches('~')
            && match form.as_str() {
                "list" | "string" => self.kept.agrees(content, &got),
                "set" => self.kept.agrees(&serde_json::json!({"unordered": content}), &got),
                "hash" => self.kept.agrees(&serde_json::json!({"pairs": content}), &got),
                "hash~" => {
                    let fields: BTreeMap<String, Reply> = redis::from_redis_value(got.clone()).unwrap();
                    let mut wanted = content.as_object().unwrap().iter();
                    wanted.all(|(field, value)| self.kept.agrees(value, fields.get(field).unwrap_or(&Reply::Nil)))
                }
                "zset" => {
                    let scores: BTreeMap<String, f64> = redis::from_redis_value(got.clone()).unwrap();
                    let wanted = content.as_object().unwrap().iter();
                    wanted.map(|(member, score)| (member.clone(), score.as_f64().unwrap())).eq(scores)
                }
                "stream" => {
                    let entries: Vec<(String, Reply)> = redis::from_redis_value(got.clone()).unwrap();
                    self.kept.agrees(content, &Reply::Array(entries.into_iter().map(|entry| entry.1).collect()))
                }
                other => panic!("a case knows no form {other}"),
            };
        if agrees { Ok(()) } else { wrong() }
    }
}

impl Kept {
    /// Returns true if a reply is what a step asks for. A reply that is only kept, with `as`, may be anything, so it
    /// counts as right only where it cannot be wrong.
    fn is_right(&self, step: &Value, got: &Reply) -> bool {
        step.get("reply").map_or_else(|| step["as"].is_null(), |want| self.agrees(want, got))
    }

    /// A value of a case as it goes over the wire.
    fn bytes(&self, value: &Value) -> Vec<u8> {
        if let Some(name) = value["from"].as_str() {
            return match (&self.0[name], value["at"].as_u64()) {
                (Reply::Array(parts), Some(at)) => raw(&parts[usize::try_from(at).unwrap()]),
                (reply, _) => raw(reply),
            };
        }
        literal(value)
    }

    fn agrees(&self, want: &Value, got: &Reply) -> bool {
        match (want, got) {
            (Value::Array(want), Reply::Array(got)) => {
                want.len() == got.len() && want.iter().zip(got).all(|(want, got)| self.agrees(want, got))
            }
            (Value::Null, got) => *got == Reply::Nil,
            (Value::Number(want), Reply::Int(got)) => want.as_i64() == Some(*got),
            (Value::Object(want), got) if want.contains_key("any") => *got != Reply::Nil,
            (Value::Object(want), Reply::Array(got)) if want.contains_key("length") => {
                want["length"].as_u64() == u64::try_from(got.len()).ok()
            }
            (Value::Object(want), Reply::Array(got)) if want.contains_key("unordered") => {
                let mut want: Vec<_> = list(&want["unordered"]).iter().map(literal).collect();
                let mut got: Vec<_> = got.iter().map(raw).collect();
                want.sort();
                got.sort();
                want == got
            }
            (Value::Object(want), Reply::Array(got)) if want.contains_key("among") => {
                let want = list(&want["among"]);
                got.windows(want.len()).any(|got| want.iter().zip(got).all(|(want, got)| self.agrees(want, got)))
            }
            (Value::Object(want), Reply::Array(got)) if want.contains_key("pairs~") => {
                let pair = |name: &str| got.chunks(2).find(|pair| raw(&pair[0]) == name.as_bytes());
                let mut want = want["pairs~"].as_object().unwrap().iter();
                want.all(|(name, value)| pair(name).is_some_and(|pair| self.agrees(value, &pair[1])))
            }
            (Value::Object(want), Reply::Array(got)) if want.contains_key("pairs") => {
                let want = want["pairs"].as_object().unwrap().iter();
                let want: BTreeMap<_, _> =
                    want.map(|(name, value)| (name.clone().into_bytes(), literal(value))).collect();
                let found: BTreeMap<_, _> = got.chunks(2).map(|pair| (raw(&pair[0]), raw(&pair[1]))).collect();
                got.len() == 2 * want.len() && want == found
            }
            (Value::String(_) | Value::Object(_), Reply::BulkString(_) | Reply::SimpleString(_) | Reply::Okay) => {
                self.bytes(want) == raw(got)
            }
            _ => false,
        }
    }
}

/// A call with a request id, if its command takes one and it has none.
fn requested(call: &[Value], number: usize) -> Value {
    let mut call = call.to_vec();
    let options = blueque::bundle::command(text(&call[0])).unwrap().options();
    if options.split(' ').any(|option| option == "request") && !call.iter().any(|word| word == "request") {
        call.extend(["request".into(), format!("again-{number}").into()]);
    }
    call.into()
}

/// Returns true if the second reply equals the first, apart from its deadline, which is its first number and not
/// earlier.
fn later(first: &Reply, second: &Reply) -> bool {
    match (first, second) {
        (Reply::Int(first), Reply::Int(second)) => first <= second,
        (Reply::Array(first), Reply::Array(second)) => first[1..] == second[1..] && later(&first[0], &second[0]),
        _ => false,
    }
}

/// Returns true if a step can be sent twice as it is. Excludes calls at the server's own time, and calls that take a
/// task without a request id in its record.
fn repeatable(step: &Value) -> bool {
    let call = list(&step["do"]);
    let takes = call[0] == "reserve" || call[0] == "adopt";
    call[1] != "" && (!takes || call.iter().any(|word| word == "request"))
}

/// A step, cut to a line.
fn brief(step: &Value) -> String {
    let call = if step["do"].is_array() { &step["do"] } else { &step["redis"] };
    call.to_string().chars().take(200).collect()
}

/// A text, `{"base64": …}`, or `{"repeat": …, "times": …}`.
pub fn literal(value: &Value) -> Vec<u8> {
    if let Some(text) = value["base64"].as_str() {
        return base64(text);
    }
    match value["repeat"].as_str() {
        Some(part) => part.repeat(usize::try_from(value["times"].as_u64().unwrap()).unwrap()).into_bytes(),
        None => text(value).into(),
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for digit in text.bytes().filter(|&byte| byte != b'=') {
        bits = bits << 6 | u32::try_from(DIGITS.iter().position(|&known| known == digit).unwrap()).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 255) as u8);
        }
    }
    bytes
}

fn raw(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::BulkString(bytes) => bytes.clone(),
        Reply::SimpleString(text) => text.clone().into_bytes(),
        Reply::Int(number) => number.to_string().into_bytes(),
        other => format!("{other:?}").into_bytes(),
    }
}

/// A reply for people.
fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Array(parts) => format!("[{}]", parts.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Reply::BulkString(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        Reply::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}
