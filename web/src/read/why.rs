//! Why a task does not run, or what it does, in one sentence.

use blueque::{Order, Status, TaskInfo, Why};

use crate::text::line;
use crate::time::{between, plain, span};

/// The sentence about a task.
pub fn sentence(info: &TaskInfo, why: &Why) -> String {
    let node = line(why.node.as_deref().unwrap_or("an unknown worker"));
    match why.status {
        Status::Scheduled => {
            let due = why.eta.map_or_else(
                || "an unknown time".to_owned(),
                |eta| {
                    if eta > why.now {
                        format!("{} (in {})", plain(eta), span(between(why.now, eta)))
                    } else {
                        plain(eta)
                    }
                },
            );
            match why.failures {
                0 => format!("It is scheduled for {due}."),
                1 => format!("It is tried again at {due}, after 1 failure."),
                failures => format!("It is tried again at {due}, after {failures} failures."),
            }
        }
        Status::Pending => pending(why),
        Status::Held => "It is held, and starts only after somebody releases it.".to_owned(),
        Status::Reserved | Status::Started if why.order == Some(Order::Kill) => {
            format!("It was cancelled by force, and {node} has not killed it yet.")
        }
        Status::Reserved | Status::Started if why.cancel.is_some() => {
            format!("It is being cancelled, and {node} has not stopped it yet.")
        }
        Status::Reserved | Status::Started if why.order == Some(Order::Stop) => {
            format!("It was asked to stop, and {node} has not given it back yet.")
        }
        Status::Reserved => format!("{node} has taken it, and has not started it yet."),
        Status::Started => {
            let since = info.started().map_or(String::new(), |at| format!(" for {}", span(between(at, why.now))));
            format!("It runs on {node}{since}, attempt {}.", info.attempt())
        }
        Status::Waiting => match (&why.upstream, why.open) {
            (Some(upstream), Some(open)) if open > 1 => {
                format!("It waits for {} and {} other tasks.", line(upstream), open - 1)
            }
            (Some(upstream), _) => format!("It waits for {}.", line(upstream)),
            _ => "All that it waited for has ended. Its input is put together.".to_owned(),
        },
        Status::Complete => format!("It completed{}.", when(info, why)),
        Status::Failed => match why.failures {
            0 | 1 => format!("It failed{}.", when(info, why)),
            failures => format!("It failed {failures} times, at last{}.", when(info, why)),
        },
        Status::Cancelled => {
            let reason = info.reason().filter(|reason| !reason.is_empty());
            reason.map_or_else(
                || "It was cancelled.".to_owned(),
                |reason| format!("It was cancelled: {}.", line(&reason)),
            )
        }
        _ => String::new(),
    }
}

fn when(info: &TaskInfo, why: &Why) -> String {
    info.updated().map_or(String::new(), |at| format!(" {} ago", span(between(at, why.now))))
}

fn pending(why: &Why) -> String {
    let queue = line(&why.queue);
    if let Some(pause) = &why.paused {
        return format!("Its queue {queue} is {}.", line(&pause.to_string()));
    }
    if why.listeners == 0 {
        return format!("Its queue {queue} has no worker: start one with blueque worker --queue {queue}.");
    }
    if let (Some(needs), Some(0)) = (&why.needs, why.able) {
        return format!("It needs {}, which none of the {} workers of {queue} has.", line(needs), why.listeners);
    }
    let full = |limits: blueque::Limits| limits.concurrency.is_some_and(|most| limits.used >= u64::from(most));
    if full(why.limits()) {
        return format!("All places of its queue {queue} are taken.");
    }
    if why.key.is_some() && full(why.key_limits()) {
        return format!("All places of its key {} are taken.", line(why.key.as_deref().unwrap_or_default()));
    }
    if let Some(limit) = &why.limit {
        return format!("It waits for places of the shared limit {}.", line(limit));
    }
    if let Some(until) = why.rate_until.filter(|until| *until > why.now) {
        return format!("The rate of its queue {queue} lets the next task start in {}.", span(between(why.now, until)));
    }
    let before = match why.ahead {
        Some(0) | None => "It is the next of its queue".to_owned(),
        Some(1) => "It waits behind 1 other task".to_owned(),
        Some(ahead) => format!("It waits behind {ahead} other tasks"),
    };
    if why.full >= why.listeners {
        let workers = if why.listeners == 1 {
            "the only worker is".to_owned()
        } else {
            format!("all {} workers are", why.listeners)
        };
        return format!("{before}, and {workers} full.");
    }
    format!("{before}.")
}
