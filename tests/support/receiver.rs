//! Receivers of the calls of cases and of the model: one server, or several servers that hold the keys in turn.

use redis::{Cmd, Connection, FromRedisValue, RedisResult, Value};

/// A check that an answer is the expected one.
pub type Right<'a> = &'a dyn Fn(&RedisResult<Value>) -> bool;

pub trait Ground {
    /// Sends a command of the server.
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value>;

    /// Sends a call of a command of the bundle.
    fn call(&mut self, _command: &str, cmd: &Cmd, _right: Right) -> RedisResult<Value> {
        self.send(cmd)
    }

    /// Asks every server that holds keys, while none of them moves.
    fn everywhere(&mut self, cmd: &Cmd) -> Vec<Value> {
        vec![self.send(cmd).unwrap()]
    }

    /// Deletes every key.
    fn empty(&mut self) {
        self.send(&redis::cmd("FLUSHALL")).unwrap();
    }

    /// The number of changes according to the server; `None` where others change it, or for a user who may not ask.
    fn writes(&mut self) -> Option<String> {
        let told: String = read(self.send(redis::cmd("INFO").arg("persistence"))).ok()?;
        told.lines().find(|line| line.starts_with("rdb_changes_since_last_save")).map(str::to_owned)
    }

    /// Does what may happen between two calls. Returns true if another server has the keys now.
    fn between(&mut self) -> bool {
        false
    }

    /// The id of the server's run, which maintenance compares with the id that it has stored.
    fn run(&mut self) -> String {
        let info: String = read(self.send(redis::cmd("INFO").arg("server"))).unwrap();
        info.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap().to_owned()
    }
}

impl Ground for Connection {
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        cmd.query(self)
    }
}

impl Ground for blueque::Connection {
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        cmd.query(self)
    }
}

/// A reply as a value of a type.
pub fn read<T: FromRedisValue>(reply: RedisResult<Value>) -> RedisResult<T> {
    Ok(redis::from_redis_value(reply?)?)
}
