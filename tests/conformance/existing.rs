//! An existing server, named by `REDIS_URL`: it must be empty, and is restored afterwards. `run.py` does the same.

use std::collections::{BTreeMap, BTreeSet};

use redis::{Connection, ErrorKind, FromRedisValue, RedisError, RedisResult};
use serde_json::{Value, json};

use crate::cases::{Case, list, text};

pub struct Existing {
    pub connection: Connection,
    /// Command that restores the user of the URL after a case with another user.
    login: Value,
    /// Values that the server's settings had before the cases changed them; also `save`, as a snapshot resets the
    /// server's counters.
    settings: BTreeMap<String, String>,
}

impl Existing {
    /// Refuses a server on which the cases would destroy something.
    pub fn open(url: &str, cases: &[&Case]) -> Result<Self, String> {
        let wrong = |error: RedisError| format!("REDIS_URL: {error}");
        let client = redis::Client::open(url).map_err(wrong)?;
        let mut connection = client.get_connection().map_err(wrong)?;
        let info: String = ask(&mut connection, &["INFO"]).map_err(wrong)?;
        if info.contains("cluster_enabled:1") {
            return Err("REDIS_URL is a node of a cluster: the cases need a single server".into());
        }
        if let Some(keys) = info.lines().find(|line| line.starts_with("db") && line.contains(":keys=")) {
            return Err(format!("REDIS_URL holds keys ({keys}), which the cases would delete: name an empty server"));
        }
        let users: Vec<String> = ask(&mut connection, &["ACL", "USERS"]).map_err(wrong)?;
        if let Some(user) = changes(cases, ["ACL", "SETUSER"]).iter().find(|user| users.contains(user)) {
            return Err(format!("REDIS_URL has a user {user}, whom the cases would delete: name another server"));
        }
        let mut settings = BTreeMap::new();
        for name in changes(cases, ["CONFIG", "SET"]).into_iter().chain(["save".to_owned()]) {
            let now: Vec<String> = ask(&mut connection, &["CONFIG", "GET", &name]).map_err(wrong)?;
            let missing = || RedisError::from((ErrorKind::Client, "the server has no setting", name.clone()));
            settings.insert(name.clone(), now.get(1).ok_or_else(missing).map_err(wrong)?.clone());
        }
        ask::<()>(&mut connection, &["CONFIG", "SET", "save", ""]).map_err(wrong)?;
        let known = client.get_connection_info().redis_settings();
        let login = json!(["AUTH", known.username().unwrap_or("default"), known.password().unwrap_or("none")]);
        Ok(Self { connection, login, settings })
    }

    /// Changes a case so that it restores this server's own user and settings, instead of the defaults of a new
    /// server.
    pub fn fitted(&self, case: &Case) -> Case {
        let fit = |command: &Value| {
            if *command == json!(["AUTH", "default", "none"]) { &self.login } else { command }.clone()
        };
        let mut data = case.data.clone();
        for step in data["steps"].as_array_mut().unwrap().iter_mut().filter(|step| step["redis"].is_array()) {
            step["redis"] = fit(&step["redis"]);
        }
        let mut after: Vec<Value> = list(&data["after"]).iter().map(fit).collect();
        let changed = changes(&[case], ["CONFIG", "SET"]);
        after.extend(changed.iter().map(|name| json!(["CONFIG", "SET", name, self.settings[name]])));
        data["after"] = after.into();
        Case { file: case.file.clone(), data }
    }
}

impl Drop for Existing {
    fn drop(&mut self) {
        let _ = ask::<()>(&mut self.connection, &["FLUSHALL"]);
        let _ = ask::<()>(&mut self.connection, &["CONFIG", "SET", "save", &self.settings["save"]]);
    }
}

fn ask<T: FromRedisValue>(connection: &mut Connection, words: &[&str]) -> RedisResult<T> {
    redis::cmd(words[0]).arg(&words[1..]).query(connection)
}

/// The names that cases use after two given words.
fn changes(cases: &[&Case], words: [&str; 2]) -> BTreeSet<String> {
    let steps = cases.iter().flat_map(|case| case.steps()).map(|step| list(&step["redis"]));
    let steps = steps.filter(|step| step.len() > 2 && step[0] == words[0] && step[1] == words[1]);
    steps.map(|step| text(&step[2]).to_owned()).collect()
}
