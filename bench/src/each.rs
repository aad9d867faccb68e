//! The cost of every other command when many tasks wait.

use redis::{Connection, Value};

use crate::life::{args, attempt, id};
use crate::server::{Args, Result, Scripts, Server, median, timed};

/// Number of calls of a command that are measured together. The first calls after another script take longer, so a few
/// calls measure little else.
const BATCH: usize = 40;

/// Commands that are measured. Tasks are at both ends of the queue; cancels are also in the middle, for comparison.
pub const ROWS: [&str; 33] = [
    "get",
    "why (next)",
    "list pending",
    "counts",
    "queues",
    "listeners",
    "list_held",
    "events",
    "progress",
    "checkpoint",
    "append_log",
    "fail",
    "release",
    "retry",
    "delete",
    "cancel (newest)",
    "cancel (middle)",
    "promote (10 due)",
    "requeue (none)",
    "history",
    "estimate",
    "statistics (7 days)",
    "aggregate (10 events)",
    "prioritise",
    "move",
    "tag",
    "untag",
    "find (10, newest)",
    "find (10, by tag)",
    "groups",
    "bulk (10 of a tag)",
    "limits",
    "tick (none)",
];

struct Bench<'a> {
    connection: &'a mut Connection,
    scripts: &'a Scripts,
    took: Vec<f64>,
}

impl Bench<'_> {
    fn run(&mut self, command: &str, calls: &[Args]) -> Result<Vec<Value>> {
        let sha = self.scripts.load(self.connection, command)?;
        let (took, replies) = timed(self.connection, &sha, "blueque", calls)?;
        self.took.push(took);
        Ok(replies)
    }

    /// Makes calls that a command needs, without measuring them.
    fn prepare(&mut self, command: &str, calls: &[Args]) -> Result<Vec<Value>> {
        let replies = self.run(command, calls)?;
        self.took.pop();
        Ok(replies)
    }

    fn reserved(&mut self) -> Result<Vec<(String, String)>> {
        let calls = vec![args(&["", "host_1", "1", "q"]); BATCH];
        self.prepare("reserve", &calls)?.into_iter().map(attempt).collect()
    }

    fn submitted(&mut self, eta: &str) -> Result<Vec<String>> {
        let ids: Vec<String> = (0..BATCH).map(|_| id()).collect();
        let calls: Vec<Args> = ids.iter().map(|id| args(&["", "q", "1", id, eta, "{}"])).collect();
        self.prepare("submit", &calls)?;
        Ok(ids)
    }
}

/// The rounds of all rows, and the time of each row in each round.
pub struct Each {
    connection: Connection,
    scripts: Scripts,
    took: Vec<Vec<f64>>,
}

impl Each {
    pub fn new(scripts: &Scripts, server: &Server) -> Result<Self> {
        Ok(Self { connection: server.connect()?, scripts: scripts.clone(), took: vec![Vec::new(); ROWS.len()] })
    }

    pub fn round(&mut self) -> Result<()> {
        let mut bench = Bench { connection: &mut self.connection, scripts: &self.scripts, took: Vec::new() };
        round(&mut bench)?;
        for (row, took) in self.took.iter_mut().zip(bench.took) {
            row.push(took);
        }
        Ok(())
    }

    /// Returns the time of each row in each round.
    pub fn took(&self) -> &[Vec<f64>] {
        &self.took
    }

    /// Returns the median of each row.
    pub fn medians(&self) -> Vec<f64> {
        self.took.iter().cloned().map(median).collect()
    }
}

/// Returns the microseconds of server time of each row: the median of some rounds.
pub fn costs(server: &Server, rounds: usize) -> Result<Vec<f64>> {
    let mut each = Each::new(&server.scripts, server)?;
    for _ in 0..rounds {
        each.round()?;
    }
    Ok(each.medians())
}

fn round(bench: &mut Bench<'_>) -> Result<()> {
    let each = |ids: &[String], more: &[&str]| -> Vec<Args> {
        ids.iter().map(|id| [args(&["", id]), args(more)].concat()).collect()
    };
    let owned = |tasks: &[(String, String)], more: &[&str]| -> Vec<Args> {
        tasks.iter().map(|(id, token)| [args(&["", id, token]), args(more)].concat()).collect()
    };
    let same = |call: &[&str]| vec![args(call); BATCH];

    let list = bench.prepare("list", &[args(&["", "q", "pending", "0", &BATCH.to_string()])])?;
    let next = texts(list.into_iter().next())?.split_off(1);
    bench.run("get", &each(&next, &[]))?;
    bench.run("why", &each(&next, &[]))?;
    bench.run("list", &same(&["", "q", "pending", "0", "10"]))?;
    bench.run("counts", &same(&["", "q"]))?;
    bench.run("queues", &same(&["", "0", "10"]))?;
    bench.run("listeners", &same(&["", "q", "0", "10"]))?;
    bench.run("list_held", &same(&["", "q", "host_1"]))?;
    bench.run("events", &same(&["", "q", "0", "10"]))?;

    let held = bench.reserved()?;
    bench.run("progress", &owned(&held, &["half"]))?;
    bench.run("checkpoint", &owned(&held, &["half"]))?;
    bench.run("append_log", &owned(&held, &["stdout", "a line"]))?;
    bench.run("fail", &owned(&held, &["no such codec"]))?;
    let again = bench.reserved()?;
    bench.run("release", &owned(&again, &[]))?;
    // At the front of the queue, the tasks are found by the next round, which may be a round of other scripts.
    let released: Vec<String> = again.into_iter().map(|(id, _)| id).collect();
    bench.prepare("cancel", &each(&released, &["bench"]))?;
    bench.prepare("delete", &each(&released, &[]))?;
    let failed: Vec<String> = held.into_iter().map(|(id, _)| id).collect();
    bench.run("retry", &each(&failed, &[]))?;
    bench.prepare("cancel", &each(&failed, &["bench"]))?;
    bench.run("delete", &each(&failed, &[]))?;

    let newest = bench.submitted("")?;
    bench.run("cancel", &each(&newest, &["bench"]))?;
    let middle = middle(bench)?;
    bench.run("cancel", &each(&middle, &["bench"]))?;
    for ids in [newest, middle] {
        bench.prepare("delete", &each(&ids, &[]))?;
    }
    bench.submitted("4000000000")?;
    // The namespace keeps its own time, as in a namespace for tests.
    redis::cmd("HSET").arg(&["blueque_meta", "test", "1"]).exec(&mut bench.connection)?;
    bench.run("promote", &vec![args(&["4000000001", "q", "10"]); BATCH / 10])?;
    bench.run("requeue_orphans", &same(&["", "q", "100"]))?;
    what_a_queue_is_expected_to_have(bench)
}

fn what_a_queue_is_expected_to_have(bench: &mut Bench<'_>) -> Result<()> {
    let same = |call: &[&str]| vec![args(call); BATCH];
    let each = |ids: &[String], more: &[&str]| -> Vec<Args> {
        ids.iter().map(|id| [args(&["", id]), args(more)].concat()).collect()
    };
    let list = bench.prepare("list", &[args(&["", "q", "pending", "0", &BATCH.to_string()])])?;
    let next = texts(list.into_iter().next())?.split_off(1);
    bench.run("history", &each(&next, &["0", "10"]))?;
    bench.run("estimate", &each(&next, &[]))?;
    bench.run("statistics", &same(&["", "q", "7"]))?;
    bench.run("aggregate", &same(&["", "q", "10"]))?;
    let new = bench.submitted("")?;
    bench.run("prioritise", &each(&new, &["-5"]))?;
    bench.run("move", &each(&new, &["another"]))?;
    bench.run("tag", &each(&new, &["1", "red"]))?;
    bench.run("untag", &each(&new, &["1", "red"]))?;
    bench.prepare("tag", &each(&new, &["1", "red"]))?;
    bench.run("find", &same(&["", "q", "0", "10"]))?;
    bench.run("find", &same(&["", "another", "0", "10", "tag", "red"]))?;
    bench.run("groups", &same(&["", "q", "0", "10"]))?;
    bench.run("bulk", &vec![args(&["", "another", "purge", "0", "10", "tag", "red"]); BATCH / 10])?;
    bench.run("limits", &same(&["", "q", "0", "10"]))?;
    bench.run("tick", &same(&["", "10"]))?;
    for _ in 0..2 {
        bench.submitted("")?; // replaces the tasks that this round has deleted
    }
    Ok(())
}

/// Returns tasks from the middle of the queue.
fn middle(bench: &mut Bench<'_>) -> Result<Vec<String>> {
    let counts = texts(bench.prepare("counts", &[args(&["", "q"])])?.into_iter().next())?;
    let pending: usize = counts.get(3).ok_or("no count")?.parse()?;
    let cursor = (pending / 2).to_string();
    let list = bench.prepare("list", &[args(&["", "q", "pending", &cursor, &BATCH.to_string()])])?;
    Ok(texts(list.into_iter().next())?.split_off(1))
}

fn texts(reply: Option<Value>) -> Result<Vec<String>> {
    Ok(redis::from_redis_value(reply.unwrap_or(Value::Nil))?)
}
