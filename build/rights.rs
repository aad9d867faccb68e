//! The Redis commands that scripts call, and those of which a script makes sure before its first write.

use super::source::{QUOTES, length};

/// Redis commands that scripts call after their first write: a script makes sure of them before it.
pub(super) const AFTER: [&str; 30] = [
    "EXISTS",
    "EXPIRE",
    "HDEL",
    "HGET",
    "HGETALL",
    "HINCRBY",
    "HMGET",
    "HSET",
    "HSETNX",
    "HVALS",
    "LINDEX",
    "LPUSH",
    "LREM",
    "LTRIM",
    "RPOP",
    "RPOPLPUSH",
    "RPUSH",
    "SADD",
    "SREM",
    "UNLINK",
    "XADD",
    "XDEL",
    "XREVRANGE",
    "XTRIM",
    "ZADD",
    "ZCARD",
    "ZINCRBY",
    "ZMSCORE",
    "ZRANGE",
    "ZREM",
];

/// Those that they call only before it.
const BEFORE: [&str; 22] = [
    "HEXISTS",
    "HLEN",
    "HSCAN",
    "LLEN",
    "LPOS",
    "LRANGE",
    "SCAN",
    "SCARD",
    "SISMEMBER",
    "SMEMBERS",
    "SRANDMEMBER",
    "SSCAN",
    "TIME",
    "XINFO",
    "XLEN",
    "XRANGE",
    "ZCOUNT",
    "ZRANGEBYSCORE",
    "ZRANK",
    "ZREVRANGE",
    "ZSCAN",
    "ZSCORE",
];

/// Those whose refusal they bear.
const BORNE: [&str; 2] = ["INFO", "PUBLISH"];

/// The calls without which nobody can work as a listener.
pub(super) const WORKER: [&str; 12] = [
    "register",
    "report",
    "reserve",
    "start",
    "heartbeat",
    "progress",
    "checkpoint",
    "complete",
    "fail",
    "release",
    "log",
    "unregister",
];

/// The Redis commands that some code names: words in capitals, alone in a string.
pub(super) fn redis_commands(code: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let (mut before, mut last, mut rest) = ("", "", code);
    while !rest.is_empty() {
        let (token, tail) = rest.split_at(length(rest));
        if token.starts_with(QUOTES) {
            let word = token.trim_matches(QUOTES);
            if AFTER.contains(&word) || BEFORE.contains(&word) {
                found.push(word.to_owned());
            } else if before.ends_with("call") && last == "(" && !BORNE.contains(&word) {
                return Err(format!("{word} is in no list of Redis commands of build.rs"));
            }
        }
        (before, last, rest) = (last, token, tail);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::redis_commands;

    #[test]
    fn redis_commands_are_found_behind_such_strings() {
        let found = redis_commands("say(\"can't\") redis.call('HSET', key) redis.pcall(\"ZADD\", 'x')").unwrap();
        assert_eq!(found, ["HSET", "ZADD"]);
        assert!(
            redis_commands("say(\"can't\") redis.call('FROB', key)").unwrap_err().starts_with("FROB is in no list")
        );
        assert_eq!(redis_commands("x() -- redis.call('FROB')").unwrap(), Vec::<String>::new());
    }
}
