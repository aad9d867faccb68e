//! The conditions that must hold when the faults are over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use blueque::{Client, Error, Status, TaskId, TaskInfo};
use serde_json::Value;

use crate::faults::Campaign;
use crate::jobs::{Began, Job, Jobs, QUEUE, notifies};
use crate::notices;
use crate::receiver::Receiver;
use crate::way::Way;

/// Maximum time until everything is done. A task that was lost often without progress waits up to five minutes.
const DONE: Duration = Duration::from_secs(400);

/// Maximum time in which a worker repairs damage that it finds.
const REPAIRED: Duration = Duration::from_secs(120);

/// Counts that are reported besides the violations.
#[derive(Debug, Default)]
pub struct Verdict {
    pub complete: usize,
    pub attempts: usize,
    pub gone: usize,
    pub excused: usize,
}

/// Waits until all tasks are done, and records violations.
pub fn judge(campaign: &mut Campaign, jobs: &Jobs, receiver: &Receiver, blueque: &Path) -> Result<Verdict> {
    let ways = campaign.ground.ways();
    let clients = ways.iter().map(|way| way.open(Client::builder())).collect::<blueque::Result<Vec<_>>>()?;
    let mut verdict = Verdict::default();
    let mut found = Vec::new();
    let until = Instant::now() + DONE;
    receiver.recover();
    for client in &clients {
        found.extend(released(client, campaign)?);
    }
    let all = jobs.all();
    for (id, job) in &all {
        let client = clients.get(job.way).context("a task of no namespace")?;
        match finished(client, id, until)? {
            None if job.doubtful => verdict.gone += 1,
            None => found.push(format!("{id} was acknowledged and is gone")),
            Some(info) if info.status() == Some(Status::Complete) => {
                verdict.complete += 1;
                found.extend(result(campaign, jobs, id, job, &info));
                found.extend(job.upstream.as_ref().and_then(|upstream| wrong_input(id, &info, all.get(upstream)?)));
                let kept = campaign.forgets.last().is_none_or(|forget| forget.at < job.acknowledged);
                if kept && let Some(row) = row_twice(client, id)? {
                    found.push(format!("{id}: {row:?} is twice in its log"));
                }
            }
            // A server has forgotten the upstream whose result the task needs.
            Some(info) if info.status() == Some(Status::Failed) && forgotten(&all, job) => verdict.gone += 1,
            Some(info) => {
                let state = info.status().map_or("in no state", Status::as_str);
                found.push(format!("{id} is {state}: {}", info.error().unwrap_or_default()));
            }
        }
    }
    for client in &clients {
        found.extend(notices::undelivered(client, REPAIRED)?);
    }
    for (id, job) in all.iter().filter(|(id, _)| notifies(id)) {
        let client = clients.get(job.way).context("a task of no namespace")?;
        if finished(client, id, Instant::now())?.is_some_and(|info| info.status() == Some(Status::Complete)) {
            found.extend(notices::missing(client, campaign, receiver, id)?);
        }
    }
    for id in all.keys() {
        let began = jobs.began(id);
        verdict.attempts += began.len();
        let (asked, arrived) = (campaign.signals.get(id).copied().unwrap_or(0), jobs.signalled(id));
        if arrived > asked {
            found.push(format!("{id} received {arrived} signals, and users sent {asked}"));
        }
        found.extend(began.into_iter().filter_map(|began| went_back(campaign, id, began)));
    }
    for (time, id, attempt) in jobs.overlaps() {
        if campaign.forgot(time) || campaign.froze(&id, time) {
            verdict.excused += 1;
        } else {
            found.push(format!("{id}: attempt {attempt} ran beside another, {time:.2} s after the boot"));
        }
    }
    for way in &ways {
        found.extend(doctor(blueque, way)?);
    }
    for host in &mut campaign.hosts {
        // Leftovers of a worker that was killed while it created a folder are removed by the workers that run.
        empty(|| host.runs());
        if let Err(error) = host.end(REPAIRED) {
            found.push(error.to_string());
        }
        found.extend(empty(|| host.left()).into_iter().map(|left| format!("left behind: {left}")));
    }
    found.extend(campaign.neighbour.achieved());
    campaign.violations.append(&mut found);
    Ok(verdict)
}

/// Releases the held tasks. Reports a task that is suspended, because users have continued all of them: only a server
/// that has forgotten this may have one.
fn released(client: &Client, campaign: &Campaign) -> Result<Vec<String>> {
    let queue = client.queue(QUEUE)?;
    loop {
        let held = queue.list("held", 100)?;
        if held.is_empty() {
            break;
        }
        held.iter().try_for_each(|id| client.task(id)?.unhold().map(|_| ()))?;
    }
    let mut found = Vec::new();
    for id in queue.list("started", 100)? {
        let task = client.task(&id)?;
        if task.info().is_ok_and(|info| info.suspended().is_some()) && task.unsuspend()? && campaign.forgets.is_empty()
        {
            found.push(format!("{id} is suspended, and a user has continued it"));
        }
    }
    Ok(found)
}

/// Returns the leftovers after the workers had time to remove them.
fn empty(left: impl Fn() -> Vec<String>) -> Vec<String> {
    let until = Instant::now() + REPAIRED;
    loop {
        let left = left();
        if left.is_empty() || Instant::now() >= until {
            return left;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Returns the record once the task is finished or the time is over. None for a missing task.
fn finished(client: &Client, id: &str, until: Instant) -> Result<Option<TaskInfo>> {
    let task = client.task(id)?;
    loop {
        match task.info() {
            Ok(info) if info.status().is_some_and(Status::is_finished) || Instant::now() >= until => {
                return Ok(Some(info));
            }
            Ok(_) => thread::sleep(Duration::from_millis(50)),
            Err(Error::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reports an attempt that did not continue from the server's checkpoint or a newer checkpoint. If the server forgot
/// data before the attempt began, its older checkpoint counts.
fn went_back(campaign: &Campaign, id: &str, began: Began) -> Option<String> {
    let Began { step, time, token } = began;
    // The frozen program may resume after a later attempt has begun.
    if campaign.froze(id, time) {
        return None;
    }
    let forgot = campaign.forgets.iter().rev().find(|forget| forget.from <= time);
    if forgot.is_some_and(|forget| token < forget.token) {
        return None;
    }
    // Reads up to this time may have come from the server before the loss.
    let since = forgot.map_or(0.0, |forget| forget.time + 1.0);
    let saved = campaign.saved.between(id, since, time).filter(|saved| *saved > step)?;
    Some(format!("{id}: an attempt began at step {step}, {time:.2} s after the boot, where the server had {saved}"))
}

/// Reports a result that is not from an attempt that reached its end, and missing published output.
fn result(campaign: &Campaign, jobs: &Jobs, id: &str, job: &Job, info: &TaskInfo) -> Vec<String> {
    let text = info.result_bytes().unwrap_or_default();
    let value: Value = serde_json::from_slice(text).unwrap_or_default();
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    let Some(attempt) = number("attempt").filter(|_| number("steps") == Some(job.steps)) else {
        return vec![format!("{id} is complete with {}, not {} steps", String::from_utf8_lossy(text), job.steps)];
    };
    let mut found = Vec::new();
    if attempt != u64::from(info.attempt()) {
        found.push(format!("{id}: attempt {} completed with the result of attempt {attempt}", info.attempt()));
    }
    if !jobs.ended(id).contains(&attempt) {
        found.push(format!("{id}: the result is that of attempt {attempt}, which did not end"));
    }
    let published =
        || campaign.hosts.iter().filter_map(|host| host.output(id)).any(|text| text.trim() == attempt.to_string());
    let until = Instant::now() + REPAIRED;
    while !published() {
        if Instant::now() >= until {
            found.push(format!("{id}: the output of attempt {attempt} is not published"));
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    found
}

/// Returns true if the task has an upstream and the server may have forgotten it.
fn forgotten(all: &BTreeMap<String, Job>, job: &Job) -> bool {
    job.upstream.as_ref().is_some_and(|upstream| all.get(upstream).is_none_or(|upstream| upstream.doubtful))
}

/// Reports a task whose input differs from the result of its upstream in another partition.
fn wrong_input(id: &str, info: &TaskInfo, upstream: &Job) -> Option<String> {
    let value: Value = serde_json::from_slice(info.result_bytes()?).ok()?;
    let steps = value.pointer("/input/0/steps").and_then(Value::as_u64);
    (steps != Some(upstream.steps)).then(|| format!("{id} got {value} as its input, not {} steps", upstream.steps))
}

/// Reports a row that an attempt printed once and that is in the log twice.
fn row_twice(client: &Client, id: &str) -> Result<Option<String>> {
    let page = client.call(&client.calls().logs(&TaskId::new(id)?, "0", 500, &blueque::calls::LogsOptions::new()))?;
    let pieces = page.items.iter().filter(|entry| entry.source == "stdout");
    let text: Vec<u8> = pieces.flat_map(|entry| entry.text.iter().copied()).collect();
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut seen = BTreeSet::new();
    Ok(text.lines().filter(|line| line.starts_with("row ")).find(|line| !seen.insert(*line)).map(str::to_owned))
}

/// Returns the findings of `blueque doctor` after the workers had time for repairs.
fn doctor(blueque: &Path, way: &Way) -> Result<Vec<String>> {
    let until = Instant::now() + REPAIRED;
    loop {
        let answer =
            Command::new(blueque).args(["--url", &way.url, "--namespace", &way.namespace, "doctor"]).output()?;
        let said = String::from_utf8_lossy(&answer.stdout);
        // A wrong clock is one of the faults.
        let findings = said.lines().filter(|line| line.starts_with("FINDING") && !line.contains(" clock "));
        let mut findings: Vec<String> = findings.map(|finding| format!("doctor: {finding}")).collect();
        let end = String::from_utf8_lossy(&answer.stderr);
        if !end.contains("nothing is wrong") && !end.contains("finding") {
            findings.push(format!("doctor: {}", end.trim()));
        }
        if findings.is_empty() || Instant::now() >= until {
            return Ok(findings);
        }
        thread::sleep(Duration::from_secs(1));
    }
}
