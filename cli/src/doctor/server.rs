//! The server and its settings.

use std::time::{Duration, Instant};

use blueque::bundle;
use redis::RedisResult;

use super::checks::{Checks, Withheld};
use crate::session::truncated_aof;
use crate::times;

/// Difference between two clocks, in seconds, up to which it is ignored.
const SKEW: f64 = 5.0;

impl Checks {
    /// Checks the server. Returns true if its data can be checked.
    pub fn server(&mut self) -> anyhow::Result<bool> {
        let mut answer: RedisResult<String> = self.ask(&["INFO", "everything"]);
        if answer.as_ref().is_err_and(|error| error.code().is_some()) {
            answer = self.ask(&["INFO"]);
        }
        let withheld = answer.as_ref().err().and_then(Withheld::read);
        let text = answer.unwrap_or_default();
        let facts = text.lines().filter_map(|line| line.split_once(':'));
        self.info = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let asked = self.info.contains_key("redis_version");
        let fits = !asked || self.version();
        if !asked {
            let why = withheld.map_or("INFO is empty".to_owned(), |withheld| withheld.words(&self.prefix));
            self.note("version", format!("{why}: version, role and persistence are unknown"));
        }
        if self.fact("redis_mode") == "sentinel" {
            let todo = "write redis+sentinel://host:port/NAME, with the name of the master";
            self.finding("role", "this is a Sentinel, which has no tasks", todo);
            return Ok(false);
        }
        if self.fact("role") == "slave" {
            let todo = format!(
                "connect to its master, {}:{}, or by an address that leads to it: docs/run/servers.md",
                self.fact("master_host"),
                self.fact("master_port")
            );
            self.finding("role", "this server is a replica, which refuses to write", todo);
        }
        if asked {
            self.persistence();
        }
        if truncated_aof::is(&text) {
            self.finding("persistence", truncated_aof::FOUND, truncated_aof::TODO);
        }
        self.eviction();
        if self.fact("cluster_enabled") == "1" && !self.prefix.contains('{') {
            let todo = "use a namespace such as {blueque}, whose keys are all in one slot";
            self.finding("cluster", "the server is a node of a cluster, and the namespace has no {tag}", todo);
            return Ok(false);
        }
        self.clock()?;
        Ok(self.schema()? && fits)
    }

    /// Returns the software (Redis or Valkey), its version, and the minimum version.
    pub fn software(&self) -> (&'static str, String, (u32, u32)) {
        match self.fact("valkey_version") {
            "" => ("Redis", self.fact("redis_version").to_owned(), (7, 0)),
            version => ("Valkey", version.to_owned(), (7, 2)),
        }
    }

    fn version(&mut self) -> bool {
        let (name, version, least) = self.software();
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        if found < least {
            self.finding("version", format!("the server is {name} {version}"), "use Redis 7.0 or Valkey 7.2, or later");
            return false;
        }
        self.ok("version", format!("{name} {version}"));
        true
    }

    /// Returns the value of a setting, or `None` if this user may not read it.
    pub fn setting(&mut self, name: &str) -> Option<String> {
        let pair: Vec<String> = self.ask(&["CONFIG", "GET", name]).ok()?;
        pair.into_iter().nth(1)
    }

    fn persistence(&mut self) {
        let check = "persistence";
        for (field, file) in [("aof_last_write_status", "append-only file"), ("rdb_last_bgsave_status", "snapshot")] {
            if !matches!(self.fact(field), "" | "ok") {
                let todo = "look at the server's log, its disk and the rights on its folder";
                self.finding(check, format!("the last write of the {file} failed"), todo);
            }
        }
        if self.fact("aof_enabled") == "1" {
            match self.setting("appendfsync").as_deref() {
                Some("no") => {
                    let todo = "CONFIG SET appendfsync everysec, and write it into the server's configuration";
                    self.finding(check, "appendonly is on, but the system decides when it reaches the disk", todo);
                }
                Some("everysec") => {
                    self.ok(check, "appendonly, appendfsync everysec: a power loss may take the last second or two");
                }
                Some(other) => self.ok(check, format!("appendonly, appendfsync {other}")),
                None => self.note(check, "appendonly is on; this user may not ask for appendfsync"),
            }
            return;
        }
        let todo = "CONFIG SET appendonly yes, and write it into the server's configuration";
        match self.setting("save") {
            Some(save) if save.is_empty() => {
                self.finding(check, "nothing is kept on disk: a restart of the server loses every task", todo);
            }
            Some(save) => {
                let text = format!("only snapshots (save {save}): a crash loses what came after the last one");
                self.finding(check, text, todo);
            }
            None => self.finding(check, "appendonly is off: a crash loses tasks", todo),
        }
    }

    fn eviction(&mut self) {
        let check = "eviction";
        let policy = self.info.get("maxmemory_policy").cloned();
        match policy.or_else(|| self.setting("maxmemory-policy")).as_deref() {
            Some("noeviction") => self.ok(check, "noeviction"),
            Some(policy) => {
                let todo = "CONFIG SET maxmemory-policy noeviction, and write it into the server's configuration";
                self.finding(check, format!("maxmemory-policy is {policy}, which removes tasks silently"), todo);
            }
            None => self.note(check, "this user may not ask for maxmemory-policy; it must be noeviction"),
        }
    }

    fn clock(&mut self) -> anyhow::Result<()> {
        let check = "clock";
        let sent = Instant::now();
        let before = times::seconds(times::now());
        let (seconds, micros): (u64, u64) = self.ask(&["TIME"])?;
        let passed = sent.elapsed().as_secs_f64();
        let server = (Duration::from_secs(seconds) + Duration::from_micros(micros)).as_secs_f64();
        // The server read its clock at a moment between request and reply.
        let ahead = server - (before + passed / 2.0);
        let apart = ahead.abs() - passed / 2.0;
        if apart > SKEW {
            let way = if ahead > 0.0 { "ahead of" } else { "behind" };
            let text =
                format!("the server's clock is {} {way} this machine's", times::span(Duration::from_secs_f64(apart)));
            self.finding(check, text, "let both be set by NTP: etas and deadlines are the server's time");
        } else {
            self.ok(check, "the server's clock is this machine's");
        }
        let meta = format!("{}meta", self.prefix);
        // The check of the keys reports a key of a wrong type.
        let floor: Option<f64> = self.ask(&["HGET", &meta, "clock:1"]).unwrap_or(None);
        if let Some(floor) = floor.map(|micros| micros / 1e6)
            && floor > server + SKEW
        {
            let text = format!(
                "the namespace's clock is {} ahead of the server's",
                times::span(Duration::from_secs_f64(floor - server))
            );
            let todo = "set the server's clock if it is wrong, else pause the queues and, when no task is held any more, \
                        blueque admin reset-clock; until then leases last longer, and what is due comes late";
            self.finding(check, text, todo);
        }
        Ok(())
    }

    fn schema(&mut self) -> anyhow::Result<bool> {
        let check = "schema";
        let meta = format!("{}meta", self.prefix);
        let schema: Option<String> = match self.ask(&["HGET", &meta, "schema"]) {
            Err(error) if error.code() == Some("WRONGTYPE") => {
                self.finding(check, format!("{meta} is no hash"), "remove it, or use another namespace");
                return Ok(false);
            }
            schema => schema?,
        };
        match schema.as_deref() {
            None => self.ok(check, "the namespace is new, or holds data of Blueque 1.0 alone"),
            Some(number) if number == bundle::SCHEMA.to_string() => self.ok(check, number),
            Some(other) => {
                let text = format!("the data has schema {other}, this blueque has {}", bundle::SCHEMA);
                self.finding(check, text, "use the blueque that created the data, or upgrade every client");
                return Ok(false);
            }
        }
        Ok(true)
    }
}
