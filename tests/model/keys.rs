//! All keys of a small database, read at once; and replies in one form.

use std::collections::{BTreeMap, BTreeSet};

use redis::Value;

use crate::support::receiver::{Ground, read};

use crate::model::ops::Op;

/// The contents of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    Hash(BTreeMap<String, String>),
    List(Vec<String>),
    Set(BTreeSet<String>),
    Zset(BTreeMap<String, f64>),
    /// The entries without their ids: `name=value|name=value…`
    Stream(Vec<String>),
    /// A type that no key of Blueque has.
    Other(String),
}

/// The contents by key, without the namespace.
pub type Keys = BTreeMap<String, Kept>;

/// Dumps all keys as one text, which is faster for the client than thousands of elements: keys between \30, their
/// parts between \31. For an event stream, the dump has only the events after the last known event, and the number of
/// all. For the audit, it also has the id of each entry. For a history, which nobody compares, it has the length.
///
/// An event has the names that `events` returns.
const DUMP: &str = r"
local out, known = {}, {}
local CODES = { p = '>pending>submit', r = 'pending>reserved>reserve', t = 'pending>started>reserve',
  s = 'reserved>started>start', c = 'started>complete>complete' }
local function event(entry)
  local code, id, rest = string.match(entry[2][2], '^(%S+) (%S+) ?(.*)$')
  local attempt, since, by, node = string.match(rest, '^(%d+) ([%d.]*) (%S*) ?(%S*)$')
  local from, to, why = string.match(CODES[code] or code, '^(%l*)>(%l+)>(.*)$')
  local at = entry[2][4] or string.format('%.6f', string.match(entry[1], '^%d+') / 1000000)
  if #at == 17 and since and #since == 9 then since = string.sub(at, 1, 8) .. since end
  return { 'id', id, 'from', from, 'to', to, 'attempt', attempt or rest ~= '' and rest or '0', 'at', at, 'by', by or '',
    'why', why, 'since', since or '', unpack(node and node ~= '' and { 'node', node } or {}) }
end
for i = 1, #ARGV, 2 do known[ARGV[i]] = ARGV[i + 1] end
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind, value = redis.call('TYPE', key).ok, {}
  if kind == 'hash' then value = redis.call('HGETALL', key)
  elseif kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then value = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'stream' and string.find(key, '_history_', 1, true) then
    for i = 1, redis.call('XLEN', key) do value[i] = '' end
  elseif kind == 'stream' then
    value[1], value[2] = known[key] or '-', redis.call('XLEN', key)
    local is_audit = string.find(key, '_audit$')
    for i, entry in ipairs(redis.call('XRANGE', key, known[key] and '(' .. known[key] or '-', '+')) do
      local fields = { is_audit and entry[1] or nil }
      value[1], i = entry[1], i + 2
      if string.find(key, '_events_', 1, true) then entry[2] = event(entry) end
      for j = 1, #entry[2], 2 do fields[#fields + 1] = entry[2][j] .. '=' .. entry[2][j + 1] end
      value[i] = table.concat(fields, '|')
    end
  end
  out[#out + 1] = table.concat({ key, kind, redis.call('PTTL', key), unpack(value) }, '\31')
end
return table.concat(out, '\30')";

fn pairs(values: Vec<String>) -> BTreeMap<String, String> {
    let mut values = values.into_iter();
    std::iter::from_fn(|| Some((values.next()?, values.next()?))).collect()
}

fn text(value: Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).unwrap(),
        Value::SimpleString(text) => text,
        Value::Okay => "OK".into(),
        Value::Int(number) => number.to_string(),
        other => panic!("not a text: {other:?}"),
    }
}

/// Keys that expire.
const EXPIRING: [&str; 6] = ["described_", "rounds_", "rate_", "shared_rate_", "requests", "wakes_"];

/// The events that were read, by key: the id of the last event, and all events that are left; and the ids of all
/// entries that the audit ever had.
#[derive(Default)]
pub struct Events(BTreeMap<String, (String, Vec<String>)>, Vec<String>);

impl Events {
    /// Merges the known entries and the new entries of a stream. A stream grows, loses its oldest entries, or
    /// disappears.
    fn with(&mut self, key: &str, value: Vec<String>) -> Vec<String> {
        let mut value = value.into_iter();
        let known = self.0.entry(key.to_owned()).or_default();
        known.0 = value.next().unwrap();
        let there: usize = value.next().unwrap().parse().unwrap();
        if key.ends_with("_audit") {
            let fresh = value.map(|entry| entry.split_once('|').map(|(id, entry)| (id.to_owned(), entry.to_owned())));
            let (ids, entries): (Vec<_>, Vec<_>) = fresh.map(Option::unwrap).unzip();
            self.1.extend(ids);
            known.1.extend(entries);
        } else {
            known.1.extend(value);
        }
        known.1.drain(..known.1.len().saturating_sub(there));
        known.1.clone()
    }

    /// Decides after which entry a call reads the audit.
    pub fn place(&self, op: &mut Op) {
        if let Op::Audit { after, id, .. } = op
            && id.is_empty()
        {
            *after %= self.1.len() + 1;
            *id = if *after > 0 { self.1[*after - 1].clone() } else { "0".into() };
        }
    }

    /// A reply with the numbers of entries of the audit in place of their ids.
    pub fn numbered(&self, op: &Op, reply: Reply) -> Reply {
        match (op, reply) {
            (Op::Audit { .. }, Reply::List(mut items)) => {
                for at in (0..1).chain((2..items.len()).step_by(9)) {
                    let number = self.1.iter().position(|id| *id == items[at].as_text()).map_or(0, |at| at + 1);
                    items[at] = Reply::text(number);
                }
                Reply::List(items)
            }
            (_, reply) => reply,
        }
    }
}

/// Every key of the database. A key outside of the namespace keeps its whole name.
pub fn dump(ground: &mut dyn Ground, namespace: &str, events: &mut Events) -> Keys {
    let mut call = redis::cmd("EVAL");
    call.arg(DUMP).arg(0);
    for (key, (last, _)) in &events.0 {
        call.arg(key).arg(last);
    }
    let parts = ground.everywhere(&call).into_iter();
    let all: Vec<String> = parts.map(|part| read(Ok(part)).unwrap()).collect();
    let mut keys = Keys::new();
    let mut there = BTreeSet::new();
    for entry in all.iter().flat_map(|part| part.split('\x1e')).filter(|entry| !entry.is_empty()) {
        let mut parts = entry.split('\x1f').map(str::to_owned);
        let [name, kind, ttl] = [(); 3].map(|()| parts.next().unwrap());
        let value: Vec<String> = parts.collect();
        let short = name.strip_prefix(&format!("{namespace}_")).unwrap_or(&name).to_owned();
        let kept = match kind.as_str() {
            "hash" => Kept::Hash(pairs(value)),
            "list" => Kept::List(value),
            "set" => Kept::Set(value.into_iter().collect()),
            "zset" => Kept::Zset(pairs(value).into_iter().map(|(id, score)| (id, score.parse().unwrap())).collect()),
            "stream" if short.starts_with("history_") => Kept::Stream(value),
            "stream" => Kept::Stream(events.with(&name, value)),
            _ => Kept::Other(kind),
        };
        there.insert(name);
        let expires = EXPIRING.iter().any(|kind| short.starts_with(kind));
        let kept = if expires == (ttl != "-1") { kept } else { Kept::Other(format!("expires in {ttl} ms: {kept:?}")) };
        keys.insert(short, kept);
    }
    events.0.retain(|key, _| there.contains(key));
    keys
}

/// Keys that the model does not have; the invariants check their contents.
const DERIVED: [&str; 15] = [
    "history_",
    "pending_ranked_tasks_",
    "ranked_tasks_",
    "key_tasks_",
    "needs_",
    "turns_",
    "delayed_",
    "places_",
    "aggregate_",
    "days_",
    "statistics_",
    "hosts_",
    "schedule_",
    "ready",
    "wakes_",
];

/// A key without what the model does not have: the bytes of a graph, and how its tasks begin, noted to release them
/// sooner.
fn own(keys: &Keys, name: &str) -> Option<Kept> {
    let mut kept = keys.get(name).cloned();
    if let Some(Kept::Hash(graph)) = kept.as_mut().filter(|_| name.starts_with("graph_")) {
        graph.remove("bytes");
        graph.remove("runs");
    }
    if let Some(Kept::Hash(record)) = kept.as_mut().filter(|_| name.starts_with("task_")) {
        record.entry("flags".into()).and_modify(|flags| *flags = sorted(flags));
    }
    if let Some(Kept::Stream(entries)) = kept.as_mut().filter(|_| name == "changes") {
        for entry in entries.iter_mut().filter(|entry| entry.contains("|what=state|")) {
            entry.truncate(entry.find("|text=").unwrap() + "|text=".len()); // the model does not have that
        }
        // The reason why a round does not begin is cut to its first word.
        for entry in entries.iter_mut().filter(|entry| entry.contains("|what=note|")) {
            let Some((why, reason)) = entry.split_once(" does not begin: ") else { continue };
            *entry = format!("{why}: {}", reason.split(' ').next().unwrap());
        }
    }
    if let Some(Kept::Hash(meta)) = kept.as_mut().filter(|_| name == "meta") {
        meta.remove("patterns");
        meta.remove("searched");
        meta.remove("asked");
    }
    kept
}

/// The claims of a task, in no order that counts.
pub fn sorted(flags: &str) -> String {
    let mut letters: Vec<char> = flags.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// The first key in which two databases differ.
pub fn difference(actual: &Keys, expected: &Keys) -> Option<String> {
    // The search by listeners that take queues by pattern also wakes other listeners. Which listeners it wakes
    // depends on the time at which the search finds a queue.
    let roams = matches!(actual.get("meta"), Some(Kept::Hash(meta)) if meta.contains_key("patterns"));
    let other = |name: &str| roams && name.starts_with("wake_") || DERIVED.iter().any(|kind| name.starts_with(kind));
    let compared = |name: &&String| !other(name);
    let names: BTreeSet<&String> = actual.keys().chain(expected.keys()).filter(compared).collect();
    let name = names.into_iter().find(|&name| own(actual, name) != own(expected, name))?;
    let show = |keys: &Keys| keys.get(name).map_or_else(|| "absent".into(), |kept| format!("{kept:?}"));
    Some(format!("{name}\n    is       {}\n    expected {}", show(actual), show(expected)))
}

/// A reply; numbers as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    Nil,
    Text(String),
    List(Vec<Reply>),
    /// An error's code.
    Refused(String),
}

impl Reply {
    pub fn text(value: impl ToString) -> Self {
        Self::Text(value.to_string())
    }

    pub fn read(value: Value) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Array(items) => Self::List(items.into_iter().map(Self::read).collect()),
            other => Self::Text(text(other)),
        }
    }

    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("not a text: {other:?}"),
        }
    }

    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            other => panic!("not a list: {other:?}"),
        }
    }

    /// Sorts unordered parts: groups of `size` after `head` elements.
    pub fn sorted(self, head: usize, size: usize) -> Self {
        let Self::List(mut items) = self else { return self };
        let mut groups: Vec<Vec<Reply>> = items.split_off(head).chunks(size).map(<[Reply]>::to_vec).collect();
        groups.sort();
        items.extend(groups.into_iter().flatten());
        Self::List(items)
    }
}
