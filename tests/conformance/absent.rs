//! A key that a script finds absent may be on its way to this node. So before its first write, a script asks for each
//! of these keys: `namespace.declare`, or `namespace.is_here` for a hint.

use std::collections::{BTreeMap, BTreeSet};

use blueque::bundle;
use redis::{Arg, Cmd, Connection, RedisResult, Value};

use crate::support::receiver::{Ground, Right, read};
use crate::support::{Server, seed};
use crate::{cases, failure, meant, tagged};

/// Lua before a script: it notes each key that a read finds absent, and each key that `EXISTS` asks for together with
/// others. The first write adds the keys that were not asked for to a set, each with the line that read it.
const WATCH: &str = r"do
local real, absent, asked, all = redis, {}, { [KEYS[1] or ''] = true }, false
local reads = ' GET HGET HMGET HEXISTS HLEN HGETALL HSCAN HVALS HKEYS HSTRLEN ZCARD ZSCORE ZMSCORE ZRANGE ZRANGEBYSCORE'
  .. ' ZREVRANGE ZREVRANGEBYSCORE ZRANGEBYLEX ZCOUNT ZRANK ZSCAN LLEN LRANGE LINDEX LPOS SCARD SISMEMBER SMISMEMBER'
  .. ' SMEMBERS SSCAN SRANDMEMBER XLEN XRANGE XREVRANGE TYPE '
local others = ' TIME PUBLISH ECHO INFO CONFIG ACL CLUSTER '
local function watched(call)
  return function(name, ...)
    local key = ...
    name = string.upper(name)
    if name == 'EXISTS' then
      if select(2, ...) then
        asked[key] = true
        for _, other in ipairs({ ... }) do
          asked[other] = true
          all = all or string.find(other, '_unmoved$')
        end
      elseif real.pcall('EXISTS', key) == 0 then
        absent[key] = select(2, pcall(error, '', 3))
      end
    elseif string.find(reads, ' ' .. name .. ' ', 1, true) then
      if real.pcall('EXISTS', key) == 0 then
        absent[key] = select(2, pcall(error, '', 3))
      end
    elseif absent and not string.find(others, ' ' .. name .. ' ', 1, true) then
      local found = absent
      absent = false
      for each, line in pairs(found) do
        if not asked[each] and not all then
          real.call('SADD', '{ns}!absent', each .. ' ' .. line)
        end
      end
      absent, asked = {}, setmetatable({}, { __index = function() return true end })
    end
    return call(name, ...)
  end
end
KEYS.call, KEYS.pcall = watched(real.call), watched(real.pcall)
end ";

/// Reads that may find too little: an order arrives one heartbeat later, and a call takes fewer tasks. Commands of
/// maintenance do the rest in a later round.
const MAY: [(&str, &str); 6] = [
    ("heartbeat", "orders_"),
    ("heartbeat", "listeners_"),
    ("report", "orders_"),
    ("ready", "queues"),
    ("reserve", "task_"),
    ("finish_and_reserve", "task_"),
];

const FOUND: &str = "{ns}!absent";

/// One server, whose scripts are watched.
struct Watched {
    connection: Connection,
    /// The digest of each watched script.
    loaded: BTreeMap<String, String>,
    found: BTreeMap<String, BTreeSet<String>>,
}

impl Watched {
    fn load(&mut self, command: &str) -> RedisResult<String> {
        if let Some(sha1) = self.loaded.get(command) {
            return Ok(sha1.clone());
        }
        let source = bundle::command(command).unwrap().source();
        let watched = source.replace("redis.call", "KEYS.call").replace("redis.pcall", "KEYS.pcall");
        let load = redis::cmd("SCRIPT").arg("LOAD").arg(format!("{WATCH}\n{watched}")).query(&mut self.connection);
        let sha1: String = read(load)?;
        self.loaded.insert(command.to_owned(), sha1.clone());
        Ok(sha1)
    }
}

impl Ground for Watched {
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        cmd.query(&mut self.connection)
    }

    fn call(&mut self, command: &str, cmd: &Cmd, _: Right) -> RedisResult<Value> {
        let mut call = redis::cmd("EVALSHA");
        call.arg(self.load(command)?);
        for word in cmd.args_iter().skip(2) {
            if let Arg::Simple(word) = word {
                call.arg(word);
            }
        }
        let answer = call.query(&mut self.connection);
        let keys: Vec<String> = read(redis::cmd("SMEMBERS").arg(FOUND).query(&mut self.connection))?;
        redis::cmd("DEL").arg(FOUND).exec(&mut self.connection)?;
        self.found.entry(command.to_owned()).or_default().extend(keys);
        answer
    }

    fn writes(&mut self) -> Option<String> {
        None
    }
}

#[test]
fn a_script_asks_for_each_key_that_it_finds_absent_before_it_writes() {
    let cases: Vec<_> = seed::part(cases::all()).collect();
    let cases = meant(&cases, false).into_iter().filter(|case| tagged::unfit(case).is_none());
    let server = Server::start();
    let mut watched = Watched { connection: server.connection(), loaded: BTreeMap::new(), found: BTreeMap::new() };
    let failures: Vec<String> = cases.filter_map(|case| failure(&mut watched, &tagged::tagged(case))).collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    for (command, keys) in &mut watched.found {
        let maintains = bundle::command(command).unwrap().role() == Some("maintenance");
        let may = |key: &str| MAY.iter().any(|(name, prefix)| name == command && key.starts_with(prefix));
        keys.retain(|key| !maintains && !may(key.strip_prefix("{ns}_").unwrap()));
    }
    watched.found.retain(|_, keys| !keys.is_empty());
    assert!(watched.found.is_empty(), "keys, and the lines that read them: {:#?}", watched.found);
}
