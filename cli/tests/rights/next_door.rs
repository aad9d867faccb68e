//! Another application on the same server: a user with keys, functions, scripts, a second database and connections of
//! its own. A user with the rules of docs/run/configuration.md must reach none of them.

use redis::{Connection, Value};

use crate::world::World;

/// Part of each secret of the application and of the server's passwords. No reply may contain it.
const SECRET: &str = "next-door-secret";

const LIBRARY: &str = "#!lua name=theirs
redis.register_function('theirs', function() return redis.call('GET', 'other_text') end)";

const SCRIPT: &str = "return redis.call('GET', 'other_text')";

/// The data of the application, as commands of the server's administrator.
const HAS: &[&[&str]] = &[
    &["CONFIG", "SET", "slowlog-log-slower-than", "0"],
    &["CONFIG", "SET", "masterauth", SECRET],
    &["CONFIG", "SET", "notify-keyspace-events", "KEA"],
    &["SET", "other_text", SECRET],
    &["RPUSH", "other_list", SECRET],
    &["HSET", "other_hash", "field", SECRET],
    &["ZADD", "other_set", "1", SECRET],
    &["XADD", "other_stream", "1-1", "field", SECRET],
    // In another database, the key rule of a namespace matches keys that other users may have.
    &["SELECT", "3"],
    &["SET", "blueque_elsewhere", SECRET],
    &["SELECT", "0"],
    &["FUNCTION", "LOAD", LIBRARY],
    &["SCRIPT", "LOAD", SCRIPT],
];

/// Calls that are forbidden to every user with a recipe or a role, and to their scripts. The first words are the
/// command.
const TRIES: &[&[&str]] = &[
    // Settings, passwords, logs, and the server itself.
    &["CONFIG", "GET", "requirepass"],
    &["CONFIG", "GET", "masterauth"],
    &["CONFIG", "GET", "*"],
    &["CONFIG", "SET", "save", ""],
    &["CONFIG", "SET", "requirepass", "mine"],
    &["CONFIG", "REWRITE"],
    &["CONFIG", "RESETSTAT"],
    &["SLOWLOG", "GET"],
    &["SLOWLOG", "RESET"],
    &["LATENCY", "LATEST"],
    &["LATENCY", "RESET"],
    &["MONITOR"],
    &["DEBUG", "SLEEP", "0"],
    &["MODULE", "LIST"],
    &["MODULE", "LOAD", "/tmp/none.so"],
    &["SHUTDOWN", "NOSAVE"],
    &["REPLICAOF", "127.0.0.1", "1"],
    &["SLAVEOF", "127.0.0.1", "1"],
    &["FAILOVER"],
    &["ROLE"],
    &["SYNC"],
    &["PSYNC", "?", "-1"],
    &["SAVE"],
    &["BGSAVE"],
    &["BGREWRITEAOF"],
    &["LASTSAVE"],
    &["MEMORY", "STATS"],
    &["MEMORY", "DOCTOR"],
    &["MEMORY", "PURGE"],
    &["CLUSTER", "NODES"],
    &["CLUSTER", "GETKEYSINSLOT", "1", "1"],
    // Users and their connections.
    &["ACL", "LIST"],
    &["ACL", "USERS"],
    &["ACL", "GETUSER", "default"],
    &["ACL", "SETUSER", "ME", "~*"],
    &["ACL", "DELUSER", "other"],
    &["ACL", "LOG"],
    &["ACL", "WHOAMI"],
    &["CLIENT", "LIST"],
    &["CLIENT", "KILL", "USER", "other"],
    &["CLIENT", "PAUSE", "1"],
    &["CLIENT", "UNPAUSE"],
    &["CLIENT", "NO-EVICT", "on"],
    &["CLIENT", "TRACKING", "on", "BCAST"],
    // Functions and scripts.
    &["FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('mine', function() return 1 end)"],
    &["FUNCTION", "LOAD", "REPLACE", "#!lua name=theirs\nredis.register_function('theirs', function() return 1 end)"],
    &["FUNCTION", "DELETE", "theirs"],
    &["FUNCTION", "FLUSH"],
    &["FUNCTION", "LIST", "WITHCODE"],
    &["FUNCTION", "DUMP"],
    &["FUNCTION", "RESTORE", "x"],
    &["FUNCTION", "KILL"],
    &["FUNCTION", "STATS"],
    &["FCALL", "theirs", "0"],
    &["FCALL_RO", "theirs", "0"],
    &["SCRIPT", "FLUSH"],
    &["SCRIPT", "KILL"],
    &["SCRIPT", "LOAD", "return 1"],
    &["SCRIPT", "EXISTS", "x"],
    &["SCRIPT", "DEBUG", "YES"],
    // Other databases.
    &["SELECT", "3"],
    &["SWAPDB", "0", "3"],
    &["FLUSHDB"],
    &["FLUSHALL"],
    &["MOVE", "blueque_mine", "3"],
    &["COPY", "blueque_mine", "blueque_elsewhere", "DB", "3", "REPLACE"],
    // Names of other keys.
    &["KEYS", "*"],
    &["RANDOMKEY"],
    // Other keys.
    &["GET", "other_text"],
    &["GETDEL", "other_text"],
    &["STRLEN", "other_text"],
    &["EXISTS", "other_text"],
    &["TYPE", "other_text"],
    &["TTL", "other_text"],
    &["DUMP", "other_text"],
    &["OBJECT", "ENCODING", "other_text"],
    &["OBJECT", "FREQ", "other_text"],
    &["MEMORY", "USAGE", "other_text"],
    &["TOUCH", "other_text"],
    &["MGET", "blueque_mine", "other_text"],
    &["LCS", "blueque_mine", "other_text"],
    &["WATCH", "other_text"],
    &["LRANGE", "other_list", "0", "-1"],
    &["HGETALL", "other_hash"],
    &["HSCAN", "other_hash", "0"],
    &["ZRANGE", "other_set", "0", "-1"],
    &["XRANGE", "other_stream", "-", "+"],
    &["XREAD", "STREAMS", "other_stream", "0"],
    &["XINFO", "STREAM", "other_stream"],
    &["ZUNION", "2", "blueque_mine", "other_set"],
    &["SET", "other_text", "mine"],
    &["MSET", "blueque_mine", "1", "other_text", "mine"],
    &["APPEND", "other_text", "mine"],
    &["DEL", "other_text"],
    &["UNLINK", "other_text"],
    &["EXPIRE", "other_text", "1"],
    &["RENAME", "other_text", "blueque_mine"],
    &["RENAME", "blueque_mine", "other_text"],
    &["COPY", "other_text", "blueque_mine"],
    &["RESTORE", "other_text", "0", "x", "REPLACE"],
    &["RESTORE-ASKING", "other_text", "0", "x", "REPLACE"],
    &["MIGRATE", "127.0.0.1", "1", "other_text", "0", "10"],
    &["BLPOP", "other_list", "0.01"],
    &["LPOP", "other_list"],
    &["LMPOP", "1", "other_list", "LEFT"],
    &["LMOVE", "other_list", "blueque_mine", "LEFT", "LEFT"],
    &["RPOPLPUSH", "blueque_mine", "other_list"],
    &["BITOP", "NOT", "blueque_mine", "other_text"],
    &["PFMERGE", "blueque_mine", "other_text"],
    &["ZRANGESTORE", "blueque_mine", "other_set", "0", "-1"],
    &["ZUNIONSTORE", "other_set", "1", "blueque_mine"],
    &["GEORADIUS", "blueque_mine", "0", "0", "1", "m", "STORE", "other_set"],
    &["SORT", "blueque_mine", "BY", "nosort", "GET", "other_*"],
    &["SORT_RO", "blueque_mine", "BY", "nosort", "GET", "other_*"],
    &["SORT", "blueque_mine", "STORE", "other_list"],
    &["EVAL", SCRIPT, "0"],
    &["EVAL", "return redis.call('SET', 'other_text', 'mine')", "1", "blueque_mine"],
    &["EVAL_RO", SCRIPT, "0"],
    // The state that all scripts of the server share.
    &["EVAL", "getmetatable('').__index = function() end", "0"],
    &["EVAL", "string.sub = nil", "0"],
    &["EVAL", "redis.call = nil", "0"],
    // Messages.
    &["PUBLISH", "other_channel", "x"],
    &["SPUBLISH", "other_channel", "x"],
    &["SUBSCRIBE", "other_channel"],
    &["SUBSCRIBE", "__keyevent@0__:set"],
    &["PSUBSCRIBE", "*"],
    &["SSUBSCRIBE", "other_channel"],
    &["PUBSUB", "CHANNELS"],
    &["PUBSUB", "NUMPAT"],
];

/// Commands without keys or channels that a recipe allows. They report about this connection and the server's build, or
/// are on the page. Examine a new command of a server before you list it here.
const HARMLESS: &str = "asking auth client|id command|count command|docs command|getkeys command|getkeysandflags \
    command|help command|info command|list discard echo exec hello lolwut multi ping punsubscribe quit readonly \
    readwrite reset sunsubscribe time unsubscribe unwatch wait waitaof";

/// The commands of the page's table of commands that a recipe allows.
const TOLD: &str = "client|unblock dbsize eval evalsha info scan clusterscan";

pub struct NextDoor {
    admin: Connection,
    before: Vec<Value>,
}

impl NextDoor {
    pub fn moves_in(world: &World) -> Self {
        let mut admin = world.server.connection();
        for command in HAS {
            send(&mut admin, command).unwrap();
        }
        send(&mut admin, &["ACL", "SETUSER", "other", "on", "nopass", "~other_*", "&other_*", "+@all"]).unwrap();
        let mut this = Self { admin, before: Vec::new() };
        this.before = this.state();
        this
    }

    /// The state of the application: a later difference means that something is lost or changed.
    fn state(&mut self) -> Vec<Value> {
        let mut state = Vec::new();
        for command in [
            &["FUNCTION", "DUMP"][..],
            &["CONFIG", "GET", "save"],
            &["CONFIG", "GET", "masterauth"],
            &["CONFIG", "GET", "requirepass"],
            &["ACL", "GETUSER", "other"],
            &["MODULE", "LIST"],
            &["SELECT", "3"],
            &["DUMP", "blueque_elsewhere"],
            &["DBSIZE"],
            &["SELECT", "0"],
        ] {
            state.push(send(&mut self.admin, command).unwrap());
        }
        for key in ["other_text", "other_list", "other_hash", "other_set", "other_stream"] {
            state.push(send(&mut self.admin, &["DUMP", key]).unwrap());
            state.push(send(&mut self.admin, &["TTL", key]).unwrap());
        }
        let digest = send(&mut self.admin, &["EVAL", "return redis.sha1hex(ARGV[1])", "0", SCRIPT]).unwrap();
        let digest: String = redis::from_redis_value(digest).unwrap();
        state.push(send(&mut self.admin, &["SCRIPT", "EXISTS", &digest]).unwrap());
        state
    }

    /// Tries all of it as this user with the password PASSWORD. `told`: the additional commands that the page allows
    /// this user.
    pub fn is_out_of_reach(&mut self, world: &World, user: &str, told: &[&str]) {
        let mut wrong = Vec::new();
        send(&mut self.admin, &["CONFIG", "SET", "requirepass", SECRET]).unwrap();
        let mut connection = connect(world, user);
        let mut theirs = connect(world, "other");
        for try_ in TRIES {
            let words: Vec<&str> = try_.iter().map(|word| if *word == "ME" { user } else { *word }).collect();
            let refused = send(&mut connection, &words);
            match refused.as_ref().err().map(|error| (error.code(), error.to_string())) {
                // In a script, the refusal is an error of the script.
                Some((_, text)) if words[0] == "EVAL" && !text.contains(SECRET) => {}
                Some((Some("NOPERM"), text)) if !text.contains(SECRET) => {}
                // A server that does not know a command cannot run it.
                Some((_, text)) if text.contains("unknown command") || text.contains("command not allowed") => {}
                _ => wrong.push(format!("{words:?}: {refused:?}")),
            }
            if refused.is_ok() {
                connection = connect(world, user); // it may be subscribed now, or monitor
            }
            if words[0] == "EVAL" {
                continue;
            }
            let called = redis::cmd("EVAL").arg("return redis.call(unpack(ARGV))").arg(0).arg(&words).clone();
            let called = called.query::<Value>(&mut connection);
            if called.is_ok() {
                wrong.push(format!("in a script, {words:?}: {called:?}"));
            }
        }
        let pong = send(&mut theirs, &["SET", "other_alive", "1"]);
        if pong.is_err() {
            wrong.push(format!("the application's own connection: {pong:?}"));
        }
        send(&mut self.admin, &["DEL", "other_alive"]).unwrap();
        send(&mut self.admin, &["CONFIG", "SET", "requirepass", ""]).unwrap();
        self.sweep(user, told, &mut wrong);
        let after = self.state();
        let changed = self.before.iter().zip(&after).filter(|(was, is)| was != is);
        wrong.extend(changed.map(|(was, is)| format!("{was:?} became {is:?}")));
        assert!(wrong.is_empty(), "{user}, {} tries:\n{}", wrong.len(), wrong.join("\n"));
    }

    /// Tries, as this user, each command of the server that no rule of keys or channels forbids.
    fn sweep(&mut self, user: &str, told: &[&str], wrong: &mut Vec<String>) {
        let names: Vec<String> = redis::cmd("COMMAND").arg("LIST").query(&mut self.admin).unwrap();
        for name in names {
            let about: Vec<Vec<Value>> = redis::cmd("COMMAND").arg("INFO").arg(&name).query(&mut self.admin).unwrap();
            let about = &about[0];
            let empty = |value: &Value| matches!(value, Value::Array(items) if items.is_empty());
            if !empty(&about[8]) || !empty(&about[9]) {
                continue; // it has keys, or its subcommands are in the list
            }
            let Value::Int(arity) = about[1] else { panic!("{about:?}") };
            let mut words: Vec<&str> = name.split('|').collect();
            words.resize(words.len().max(usize::try_from(arity.unsigned_abs()).unwrap()), "0");
            let may = redis::cmd("ACL").arg("DRYRUN").arg(user).arg(&words).query::<String>(&mut self.admin).unwrap();
            let known = HARMLESS.split(' ').any(|one| one == name) || told.contains(&name.as_str());
            if may == "OK" && !known {
                wrong.push(format!("may run {name}"));
            }
        }
    }

    /// The commands that the full recipe allows, according to the page's table.
    pub fn told() -> Vec<&'static str> {
        TOLD.split(' ').collect()
    }
}

fn send(connection: &mut Connection, words: &[&str]) -> redis::RedisResult<Value> {
    redis::cmd(words[0]).arg(&words[1..]).query(connection)
}

fn connect(world: &World, user: &str) -> Connection {
    let url = format!("{}?user={user}&pass=PASSWORD", world.server.url());
    let connection = redis::Client::open(url).unwrap().get_connection().unwrap();
    connection.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    connection
}
