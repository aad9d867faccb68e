//! The life of a task in Blueque's own scripts, and the floor: the writes of Blueque 1.0 as four flat scripts without
//! checks.

use std::sync::atomic::{AtomicU64, Ordering};

use redis::{Connection, Value};

use crate::server::{Args, Result, Scripts, Server, load, median, timed};

pub const STEPS: [&str; 4] = ["submit", "reserve", "start", "complete"];

/// Number of tasks that take each step together, and that are held at the same time.
const BATCH: usize = 20;

const PARAMETERS: &str = r#"{"input":"movie-17.mkv","preset":"slow"}"#;

const FLOOR: [&str; 4] = [
    "redis.call('HSET', 'floor_task_' .. ARGV[1], 'status', 'pending', 'queue', 'q', 'parameters', ARGV[2],
       'created', ARGV[3], 'updated', ARGV[3])
     redis.call('LPUSH', 'floor_pending_tasks_q', ARGV[1])
     redis.call('ZADD', 'floor_tasks_q', ARGV[3], ARGV[1])
     redis.call('ZINCRBY', 'floor_queues', 0, 'q')
     return ARGV[1]",
    "local id = redis.call('RPOPLPUSH', 'floor_pending_tasks_q', 'floor_reserved_tasks_q_host_1')
     redis.call('HSET', 'floor_task_' .. id, 'status', 'reserved', 'node', 'host_1', 'updated', ARGV[1])
     return id",
    "redis.call('SADD', 'floor_started_tasks_q', 'host_1 77 ' .. ARGV[1])
     redis.call('HSET', 'floor_task_' .. ARGV[1], 'status', 'started', 'pid', '77', 'updated', ARGV[2])
     return 1",
    "redis.call('LREM', 'floor_reserved_tasks_q_host_1', 1, ARGV[1])
     redis.call('SREM', 'floor_started_tasks_q', 'host_1 77 ' .. ARGV[1])
     redis.call('HSET', 'floor_task_' .. ARGV[1], 'status', 'complete', 'result', ARGV[2], 'updated', ARGV[3])
     redis.call('LPUSH', 'floor_complete_tasks_q', ARGV[1])
     return 1",
];

/// A kind of life, and the time of each step in each round.
pub struct Life {
    connection: Connection,
    shas: Vec<String>,
    floor: bool,
    queue: &'static str,
    options: &'static [&'static str],
    round: usize,
    took: [Vec<f64>; 4],
}

impl Life {
    /// Returns a life in Blueque's scripts, on the queue `q` with the registered listener `host_1`.
    pub fn ours(server: &Server) -> Result<Self> {
        Self::with(server, "q", &[])
    }

    /// Returns a life on another queue. Each task is submitted with these options, in which `*` stands for its id.
    pub fn with(server: &Server, queue: &'static str, options: &'static [&'static str]) -> Result<Self> {
        Self::by(&server.scripts, server, queue, options)
    }

    /// Returns a life in the scripts of any bundle.
    pub fn by(
        scripts: &Scripts,
        server: &Server,
        queue: &'static str,
        options: &'static [&'static str],
    ) -> Result<Self> {
        let mut connection = server.connect()?;
        let shas = STEPS.iter().map(|name| scripts.load(&mut connection, name)).collect::<Result<_>>()?;
        Ok(Self { connection, shas, floor: false, queue, options, round: 0, took: Default::default() })
    }

    pub fn floor(server: &Server) -> Result<Self> {
        let mut connection = server.connect()?;
        let shas = FLOOR.iter().map(|source| load(&mut connection, source)).collect::<Result<_>>()?;
        Ok(Self { connection, shas, floor: true, queue: "q", options: &[], round: 0, took: Default::default() })
    }

    /// Takes a batch of tasks through the whole life.
    pub fn round(&mut self) -> Result<()> {
        self.round += 1;
        let mut ids: Vec<String> = (0..BATCH).map(|_| id()).collect();
        let now = format!("1800000000.{:06}", self.round);
        let (floor, queue, options) = (self.floor, self.queue, self.options);
        let submit = |id: &String| {
            if floor {
                return args(&[id, PARAMETERS, &now]);
            }
            let options = options.iter().map(|&option| if option == "*" { id.as_str() } else { option });
            args(&["", queue, "1", id, "", PARAMETERS]).into_iter().chain(options.map(str::to_owned)).collect()
        };
        self.step(0, &ids.iter().map(submit).collect::<Vec<_>>())?;
        let reserve =
            |id: &String| if floor { args(&[&now]) } else { args(&["", "host_1", "1", queue, "request", id]) };
        let reserved = self.step(1, &ids.iter().map(reserve).collect::<Vec<_>>())?;
        let mut tokens = vec![String::new(); BATCH];
        if !floor {
            (ids, tokens) = reserved.into_iter().map(attempt).collect::<Result<_>>()?;
        }
        let tasks = || ids.iter().zip(&tokens);
        let start =
            |(id, token): (&String, &String)| if floor { args(&[id, &now]) } else { args(&["", id, token, "77"]) };
        self.step(2, &tasks().map(start).collect::<Vec<_>>())?;
        let complete = |(id, token): (&String, &String)| {
            if floor { args(&[id, r#"{"ok":true}"#, &now]) } else { args(&["", id, token, r#"{"ok":true}"#]) }
        };
        self.step(3, &tasks().map(complete).collect::<Vec<_>>())?;
        Ok(())
    }

    fn step(&mut self, number: usize, calls: &[Args]) -> Result<Vec<Value>> {
        let sha = self.shas.get(number).ok_or("no such step")?;
        let (took, replies) = timed(&mut self.connection, sha, "blueque", calls)?;
        if let Some(all) = self.took.get_mut(number) {
            all.push(took);
        }
        Ok(replies)
    }

    /// Returns the time of each step in each round.
    pub const fn took(&self) -> &[Vec<f64>; 4] {
        &self.took
    }

    /// Returns the median of each step.
    pub fn medians(&self) -> [f64; 4] {
        self.took.clone().map(median)
    }
}

/// Returns a new id, as long as a UUID.
pub fn id() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{number:08x}-0000-4000-8000-000000000000")
}

pub fn args(values: &[&str]) -> Args {
    values.iter().map(|&value| value.to_owned()).collect()
}

/// Returns id and token from a reply of `reserve`.
pub fn attempt(reply: Value) -> Result<(String, String)> {
    let Value::Array(parts) = reply else {
        return Err(format!("reserve answered {reply:?}").into());
    };
    let mut parts = parts.into_iter();
    let id = parts.next().unwrap_or(Value::Nil);
    let token = parts.nth(1).unwrap_or(Value::Nil);
    Ok((redis::from_redis_value(id)?, redis::from_redis_value(token)?))
}
