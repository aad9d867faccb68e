//! `blueque why`: one true sentence.

use blueque::{ListenerInfo, Status, Why};
use clap::Args;
use serde::Serialize;

use super::expected::Expected;
use super::queues::Paused;
use super::{Session, times};
use crate::output::{Code, Format, clean_line, json, line};

#[derive(Args, Debug)]
pub struct Options {
    /// The id, or an unambiguous beginning of it
    #[arg(value_name = "ID")]
    id: String,
}

/// As data.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a str,
    queue: &'a str,
    status: &'static str,
    why: String,
    #[serde(flatten)]
    expected: Option<Expected>,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    let (id, info) = session.find_task(&options.id)?;
    let why = session.client.call(&session.client.calls().why(&id))?;
    let listeners = match why.status {
        Status::Pending if why.listeners > 0 => session.client.queue(why.queue.as_str())?.listeners()?,
        _ => Vec::new(),
    };
    let how = How { started: info.started(), updated: info.updated(), attempt: info.attempts(), word: word(&info) };
    let mut sentence = clean_line(&sentence(&why, &how, &listeners), 1_000);
    let expected = session.expected(&id, &info)?;
    if let Some(expected) = &expected
        && sentence.ends_with('.')
    {
        sentence.pop();
        sentence.push_str(&format!("; expected {}.", expected.words()));
    }
    match session.format {
        Format::Table => line(sentence)?,
        Format::Id => line(id.as_str())?,
        Format::Json | Format::Jsonl => {
            let status = why.status.as_str();
            line(json(&Answer { id: id.as_str(), queue: &why.queue, status, why: sentence, expected })?)?;
        }
    }
    Ok(Code::Ok)
}

/// What the record adds.
struct How {
    started: Option<f64>,
    updated: Option<f64>,
    attempt: u32,
    /// Its error, or the reason of its cancel.
    word: Option<String>,
}

fn word(info: &blueque::TaskInfo) -> Option<String> {
    match info.status() {
        Some(Status::Failed | Status::Scheduled) => info.error(),
        Some(_) if info.is_cancelling() => info.reason(),
        Some(Status::Cancelled) => info.reason(),
        _ => None,
    }
    .filter(|word| !word.is_empty())
}

fn sentence(why: &Why, how: &How, listeners: &[ListenerInfo]) -> String {
    let paused = why.paused.as_deref().map(|paused| Paused::read(paused).words(why.now));
    let node = why.node.as_deref().unwrap_or("an unknown worker");
    let word = how.word.as_deref().map_or(String::new(), |word| format!(": {word}"));
    let lease = lease(why);
    match why.status {
        Status::Scheduled => {
            let due = why.eta.map_or("an unknown time".to_owned(), |eta| {
                format!("{} ({})", times::to_the_second(eta), times::relative(eta, why.now))
            });
            let late = why.eta.is_some_and(|eta| eta < why.now);
            let nobody = if why.listeners == 0 { ", and its queue has no listener" } else { "" };
            let late =
                if late && why.listeners > 0 { ", and becomes pending when a worker looks next" } else { nobody };
            let paused = paused.map_or(String::new(), |paused| format!(", and its queue is {paused}"));
            match why.failures {
                0 => format!("It is scheduled for {due}{late}{paused}."),
                failures => {
                    format!("It is tried again at {due}, after {}{late}{paused}{word}.", times_failed(failures))
                }
            }
        }
        Status::Pending => match paused {
            Some(paused) => format!("Its queue {} is {paused}.", why.queue),
            None if why.listeners == 0 => format!("Its queue {} has no listener: start a worker for it.", why.queue),
            None => held_up(why).unwrap_or_else(|| waiting(why, listeners)),
        },
        Status::Reserved | Status::Started if why.cancelling => {
            format!("It is being cancelled, and {node} has yet to stop it{word}{lease}.")
        }
        Status::Reserved => format!("{node} has taken it, and has not started it yet{lease}."),
        Status::Started => {
            let since = how.started.or(how.updated).map_or(String::new(), |at| {
                format!(" since {} ({})", times::to_the_second(at), times::relative(at, why.now))
            });
            format!("It runs on {node}{since}, attempt {}{lease}.", how.attempt)
        }
        ended => {
            let when = how.updated.map_or(String::new(), |at| {
                format!(" {} ({})", times::to_the_second(at), times::relative(at, why.now))
            });
            let what = match ended {
                Status::Complete => "It ended well",
                Status::Failed => "It failed",
                _ => "It was cancelled",
            };
            let often = match why.failures {
                failures @ 2.. if ended == Status::Failed => format!(", after {}", times_failed(failures)),
                _ => String::new(),
            };
            format!("{what}{when}{often}{word}.")
        }
    }
}

/// How the lease stands, where that is worth a word.
fn lease(why: &Why) -> String {
    #[allow(clippy::cast_precision_loss, reason = "microseconds of this century have 51 bits")]
    let Some(deadline) = why.deadline.map(|deadline| deadline as f64 / 1e6) else { return String::new() };
    if deadline < why.now {
        let late = times::span(why.now - deadline);
        format!(
            "; its lease ended {late} ago without a renewal, and it goes back to its queue when a worker looks next"
        )
    } else {
        String::new()
    }
}

fn times_failed(failures: u32) -> String {
    if failures == 1 { "1 failure".to_owned() } else { format!("{failures} failures") }
}

/// Which need or limit keeps a pending task from running, whoever waits before it.
fn held_up(why: &Why) -> Option<String> {
    let Why { queue, weight, .. } = why;
    if let (Some(needs), Some(0)) = (&why.needs, why.able) {
        let them = match why.listeners {
            1 => "the only listener".to_owned(),
            all => format!("none of the {all} listeners"),
        };
        let verb = if why.listeners == 1 { "does not have" } else { "has" };
        return Some(format!("It needs {needs}, which {them} of {queue} {verb}."));
    }
    let of_queue = (&why.limits, format!("its queue {queue}"));
    let of_key = why.key.as_ref().map(|key| (&why.key_limits, format!("its key {key}")));
    let all = [Some(of_queue), of_key];
    let full = all.iter().flatten().find_map(|(limits, whose)| {
        let most = limits.concurrency?;
        if limits.used + (*weight).min(most) <= most {
            return None;
        }
        let places = match (most, limits.used) {
            (1, _) => format!("The only place of {whose} is taken"),
            (most, used) if used >= most => format!("All {most} places of {whose} are taken"),
            (most, used) => format!("{used} of the {most} places of {whose} are taken"),
        };
        let own = if *weight > 1 { format!(", and it takes {weight}") } else { String::new() };
        Some(format!("{places}{own}."))
    });
    full.or_else(|| {
        all.iter().flatten().find_map(|(limits, whose)| {
            let until = limits.rate_until.filter(|&until| until > why.now)?;
            let when = format!("{} ({})", times::to_the_second(until), times::relative(until, why.now));
            Some(format!("The rate of {whose} lets the next task start at {when}."))
        })
    })
}

fn waiting(why: &Why, listeners: &[ListenerInfo]) -> String {
    let before = match why.ahead {
        None | Some(0) => "It is the next of its queue".to_owned(),
        Some(1) => "It waits behind 1 other task".to_owned(),
        Some(10_000) => "It waits behind 10,000 other tasks or more".to_owned(),
        Some(ahead) => format!("It waits behind {ahead} other tasks"),
    };
    let busy = listeners.iter().filter(|listener| listener.held > 0).count();
    let held: u64 = listeners.iter().map(|listener| listener.held).sum();
    // Nobody without scripts says when they were there last.
    let silent =
        listeners.iter().filter(|one| one.held == 0 && one.seen.is_some_and(|seen| why.now - seen > 60.0)).count();
    let all = listeners.len();
    let them = match all {
        1 => "the only listener".to_owned(),
        all => format!("the {all} listeners"),
    };
    if silent == all {
        let have = if all == 1 { "has" } else { "have" };
        return format!("{before}, and {them} of {} {have} not been heard of for over a minute.", why.queue);
    }
    if busy == all {
        let tasks = if held == 1 { "1 task".to_owned() } else { format!("{held} tasks") };
        let verb = if all == 1 { "holds" } else { "hold" };
        return format!("{before}, and {them} of {} {verb} {tasks}.", why.queue);
    }
    format!("{before}, and {} of {all} listeners of {} hold nothing: one should take it soon.", all - busy, why.queue)
}
