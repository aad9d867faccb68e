//! The Redis commands that scripts call, and the subset whose permission a script checks before its first write.

use std::collections::{BTreeMap, BTreeSet};

use super::compose::Command;
use super::source::{Token, tokens};

/// Redis commands that read, and that scripts also call after their first write. A script therefore checks the
/// permission for them before its first write, as for commands that write.
const READS_AFTER: &str = "EXISTS HGET HGETALL HMGET HVALS LINDEX XREVRANGE ZCARD ZMSCORE ZRANGE";

/// Redis commands that scripts call only before their first write.
const BEFORE: &str = "GET HEXISTS HKEYS HLEN HSCAN HSTRLEN LLEN LPOS LRANGE SCAN SCARD SISMEMBER SMEMBERS SRANDMEMBER \
                      SSCAN STRLEN TIME XINFO XLEN XRANGE ZCOUNT ZRANGEBYSCORE ZRANK ZREVRANGE ZSCAN ZSCORE";

/// Redis commands that write.
const WRITES: &str = "APPEND EXPIRE HDEL HINCRBY HSET HSETNX LPUSH LREM LTRIM RPOP RPOPLPUSH RPUSH SADD SET SREM UNLINK \
                      XADD XDEL XTRIM ZADD ZINCRBY ZREM ZREMRANGEBYSCORE";

fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

pub(super) fn writes(call: &str) -> bool {
    lists(WRITES, call)
}

/// Returns true if a script checks permission for this command before its first write.
fn after(call: &str) -> bool {
    writes(call) || lists(READS_AFTER, call)
}

/// Redis commands that may be denied: the scripts handle the error.
const BORNE: &str = "INFO PUBLISH";

/// The commands that every listener calls.
const WORKER: &str = "register report reserve start heartbeat progress checkpoint complete fail release append_log \
                      unregister";

/// Returns the value of a constant of `lua/lib/core/rights.lua` in the script of a command, as Lua text. Returns
/// `None` for other pieces.
pub(super) fn constant(piece: &str, command: &Command, commands: &BTreeMap<String, Command>) -> Option<String> {
    let list = |calls: &BTreeSet<String>| calls.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let table = |calls: &BTreeSet<String>| format!("{{ '{}' }}", list(calls).replace(' ', "', '"));
    let text = match piece {
        "rights.ROLE" => format!("'{}'", command.mark()),
        "rights.OWN" => table(&command.calls.iter().filter(|call| after(call.as_str())).cloned().collect()),
        "rights.WORKER" => {
            let workers = commands.iter().filter(|(name, _)| lists(WORKER, name));
            table(&workers.flat_map(|(_, command)| command.calls.clone()).collect())
        }
        "rights.ALL" => {
            let each =
                commands.iter().map(|(name, command)| format!("{name}/{}={}", command.mark(), list(&command.calls)));
            format!("'{}'", each.collect::<Vec<_>>().join(";"))
        }
        _ => return None,
    };
    Some(text)
}

/// Returns the Redis commands in code. A string that consists of one word in capitals is the name of a command.
pub(super) fn redis_commands(code: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let (mut before, mut last) = ("", "");
    for token in tokens(code).into_iter().filter(|token| token.matters()) {
        if let Token::Text(text) = token {
            let word = text.trim_matches(['\'', '"']);
            if after(word) || lists(BEFORE, word) {
                found.push(word.to_owned());
            } else if before.ends_with("call") && last == "(" && !lists(BORNE, word) {
                return Err(format!("{word} is in no list of Redis commands of build/rights.rs"));
            }
        }
        (before, last) = (last, token.as_str());
    }
    Ok(found)
}
