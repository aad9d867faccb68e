//! A server whose state each call finds unchanged.

use std::collections::{BTreeMap, BTreeSet};

use redis::{Connection, Value};

use crate::state::{LEFT, NOW, SETUP};
use crate::support::{Server, script};

/// All keys: the contents of each key, and whether it expires. Unordered contents are sorted, since a mere read may
/// reorder them. With `content`, ids of entries are left out, as they depend on the server's clock: a stream is shown
/// without the ids of its entries, and a field of a hash that holds an id has a fixed text. With `mark` one text
/// stands for all keys.
const DIGEST: &str = r"
local keys, out = redis.call('KEYS', '*'), {}
table.sort(keys)
for i, key in ipairs(keys) do
  local held = redis.call('DUMP', key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'stream' and ARGV[1] == 'content' then
    held = 'stream'
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
      held = held .. '\n' .. table.concat(entry[2], '\0')
    end
  elseif kind == 'set' then
    held = redis.call('SMEMBERS', key)
    table.sort(held)
    held = table.concat(held, '\0')
  elseif kind == 'hash' then
    local fields = redis.call('HGETALL', key)
    held = {}
    for field = 1, #fields, 2 do
      local value = fields[field + 1]
      if ARGV[1] == 'content' and string.find(value, '^%d+%-%d+$') then
        value = 'id of an entry'
      end
      held[#held + 1] = fields[field] .. '=' .. value
    end
    table.sort(held)
    held = table.concat(held, '\0')
  end
  out[2 * i - 1], out[2 * i] = key, held .. (redis.call('PTTL', key) < 0 and '' or ' expires')
end
return ARGV[1] == 'mark' and redis.sha1hex(table.concat(out, '\0')) or out";

pub type Keys = BTreeMap<String, Vec<u8>>;

pub struct Bench {
    _server: Server,
    namespace: &'static str,
    now: &'static str,
    admin: Connection,
    user: Connection,
    shas: BTreeMap<String, String>,
    tokens: BTreeMap<String, String>,
    /// As `RESTORE` takes them: the time to live, and the content.
    kept: BTreeMap<String, (i64, Vec<u8>)>,
    before: Keys,
    mark: String,
}

pub struct Tried {
    pub answer: Result<Value, String>,
    pub changed: Vec<String>,
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(|word| if word == "''" { String::new() } else { word.replace('~', " ") }).collect()
}

impl Bench {
    /// The state in this namespace, `ns` or `{ns}`; calls are made at its time.
    pub fn new(namespace: &'static str) -> Self {
        let mut bench = Self::empty(namespace);
        bench.set_up(SETUP, LEFT);
        bench.now = NOW;
        bench
    }

    /// A namespace whose clock ran ahead of the server's.
    pub fn ahead(namespace: &'static str) -> Self {
        let mut bench = Self::empty(namespace);
        bench.set_up(&["9000000000 submit q 1 t '' x", "9000000000 heartbeat q host_1 60 0"], &[]);
        bench
    }

    /// A server without data; calls are made at its own time.
    pub fn empty(namespace: &'static str) -> Self {
        let server = Server::start();
        let mut admin = server.connection();
        let load = |source: &str| redis::cmd("SCRIPT").arg("LOAD").arg(source).query::<String>(&mut admin).unwrap();
        let mut load = load;
        let shas = blueque::bundle::commands().map(|one| (one.name().to_owned(), load(&script(one.name())))).collect();
        redis::cmd("ACL").arg(&["SETUSER", "app", "on", "nopass", "+@all"]).exec(&mut admin).unwrap();
        let mut user = server.connection();
        redis::cmd("AUTH").arg(&["app", "x"]).exec(&mut user).unwrap();
        let (tokens, kept, before) = (BTreeMap::new(), BTreeMap::new(), Keys::new());
        let mut bench =
            Self { _server: server, namespace, now: "", admin, user, shas, tokens, kept, before, mark: String::new() };
        bench.rights("~ns_* &ns_* +@all");
        bench.look();
        bench
    }

    fn set_up(&mut self, calls: &[&str], left: &[&str]) {
        for step in calls {
            let (now, call) = step.split_once(' ').unwrap();
            let answer = self.send(now, call).unwrap_or_else(|error| panic!("{step}: {error}"));
            if (call.starts_with("reserve") || call.starts_with("adopt")) && answer == Value::Nil {
                panic!("{step}: nothing");
            }
            if let (true, Value::Array(items)) = (call.starts_with("reserve"), &answer) {
                let text = |at: usize| redis::from_redis_value_ref::<String>(&items[at]).unwrap();
                self.tokens.insert(text(0), text(2));
            }
        }
        for command in left {
            let words: Vec<_> = words(command).into_iter().map(|word| self.named(&word)).collect();
            redis::cmd(&words[0]).arg(&words[1..]).exec(&mut self.admin).unwrap();
        }
        for key in self.digest("exact").into_keys() {
            let of = |name: &str| redis::cmd(name).arg(&key).clone();
            let ttl: i64 = of("PTTL").query(&mut self.admin).unwrap();
            assert!(!(0..=600_000).contains(&ttl), "{key} would expire while the test runs");
            self.kept.insert(key.clone(), (ttl.max(0), of("DUMP").query(&mut self.admin).unwrap()));
        }
        self.look();
    }

    /// Reads the state that the calls find.
    fn look(&mut self) {
        self.before = self.digest("exact");
        self.mark = self.mark();
    }

    fn mark(&mut self) -> String {
        redis::cmd("EVAL").arg(DIGEST).arg(0).arg("mark").query(&mut self.admin).unwrap()
    }

    /// Keys and patterns of `ns`, in the namespace of this bench.
    fn named(&self, text: &str) -> String {
        text.replace("ns_", &format!("{}_", self.namespace))
    }

    fn digest(&mut self, how: &str) -> Keys {
        redis::cmd("EVAL").arg(DIGEST).arg(0).arg(how).query(&mut self.admin).unwrap()
    }

    /// The commands of the server that each of these calls uses.
    pub fn made(&mut self, calls: &[&'static str]) -> BTreeMap<&'static str, BTreeSet<String>> {
        let own = ["evalsha", "config|resetstat", "info"];
        let mut made = BTreeMap::new();
        for call in calls {
            redis::cmd("CONFIG").arg("RESETSTAT").exec(&mut self.admin).unwrap();
            let _ = self.send(self.now, call);
            let stats: String = redis::cmd("INFO").arg("commandstats").query(&mut self.admin).unwrap();
            let names =
                stats.lines().filter_map(|line| Some(line.strip_prefix("cmdstat_")?.split_once(':')?.0.to_owned()));
            made.insert(*call, names.filter(|name| !own.contains(&name.as_str())).collect());
            self.take_back();
        }
        made
    }

    /// Sets the permissions of the calling user.
    pub fn rights(&mut self, rights: &str) {
        let mut set = redis::cmd("ACL");
        set.arg("SETUSER").arg("app").arg("resetkeys").arg("resetchannels").arg("-@all").arg("on").arg("nopass");
        set.arg(self.named(rights).split(' ').collect::<Vec<_>>()).arg("+evalsha").exec(&mut self.admin).unwrap();
    }

    pub fn memory(&mut self, limit: &str) {
        redis::cmd("CONFIG").arg(&["SET", "maxmemory", limit]).exec(&mut self.admin).unwrap();
    }

    fn send(&mut self, now: &str, call: &str) -> Result<Value, String> {
        let words: Vec<_> = words(call)
            .into_iter()
            .map(|word| match word.strip_prefix("TOKEN:") {
                Some(id) => self.tokens.get(id).unwrap_or_else(|| panic!("{call}: {id} is not held")).clone(),
                None => word,
            })
            .collect();
        let mut eval = redis::cmd("EVALSHA");
        let sha = self.shas.get(&words[0]).unwrap_or_else(|| panic!("{call}: no such command"));
        eval.arg(sha).arg(1).arg(format!("{}_meta", self.namespace)).arg(now).arg(&words[1..]);
        eval.query(&mut self.user).map_err(|error: redis::RedisError| {
            format!("{} {}", error.code().unwrap_or("ERR"), error.detail().unwrap_or_default())
        })
    }

    /// Makes a call, records which keys it changed, and undoes it.
    pub fn call(&mut self, call: &str) -> Tried {
        let answer = self.send(self.now, call);
        Tried { answer, changed: self.take_back() }
    }

    /// Makes a call and undoes it; also returns the contents of the keys after the call.
    pub fn call_and_look(&mut self, call: &str) -> (Tried, Keys) {
        let answer = self.send(self.now, call);
        let after = self.digest("content");
        (Tried { answer, changed: self.take_back() }, after)
    }

    fn take_back(&mut self) -> Vec<String> {
        if self.mark() == self.mark {
            return Vec::new();
        }
        let after = self.digest("exact");
        let names: BTreeSet<_> = self.before.keys().chain(after.keys()).cloned().collect();
        let changed: Vec<_> = names.into_iter().filter(|key| self.before.get(key) != after.get(key)).collect();
        let mut pipe = redis::pipe();
        pipe.cmd("CONFIG").arg("SET").arg("maxmemory").arg("0");
        for key in &changed {
            match self.kept.get(key) {
                Some((ttl, held)) => pipe.cmd("RESTORE").arg(key).arg(ttl).arg(held).arg("REPLACE"),
                None => pipe.cmd("DEL").arg(key),
            };
        }
        pipe.exec(&mut self.admin).unwrap();
        // Restored keys may be in another order.
        self.look();
        changed
    }
}
