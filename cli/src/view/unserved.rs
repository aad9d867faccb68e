//! A warning after a submit: no worker that the server knows will run the new task.

use std::io::{self, IsTerminal};

use blueque::{QueueName, Status, TaskId};

use super::programs::{nobody_has, workers_of};
use super::why::why;
use crate::output::{clean_line, say};
use crate::session::Session;
use crate::session::queues::meant;

/// Maximum number of characters of the warning.
const SHOWN: usize = 1_000;

/// Warns if no worker serves the queue of a new task, and a person also if none serves its needs or its method. This is
/// one call, and more if there is something to warn of. A command that waits for the task reports to a script anyway why
/// the task does not run.
pub fn warn(session: &Session, id: &TaskId, method: Option<&str>, waits: bool) {
    if waits && !io::stderr().is_terminal() {
        return;
    }
    // An error is ignored: the task has been submitted.
    if let Ok(Some(text)) = unserved(session, id, method) {
        say(clean_line(&format!("warning: {text}"), SHOWN));
    }
}

fn unserved(session: &Session, id: &TaskId, method: Option<&str>) -> anyhow::Result<Option<String>> {
    let (client, calls) = (&session.client, session.client.calls());
    let about = client.call(&calls.why(id))?;
    let queue = QueueName::new(about.queue.as_str())?;
    let waits = matches!(about.status, Status::Pending | Status::Scheduled);
    if waits && about.listeners == 0 {
        let others = session.all_queues()?.into_iter().filter(|other| other.listeners > 0 && other.name != about.queue);
        let others: Vec<String> = others.map(|other| other.name).collect();
        let new = if client.call(&calls.counts(&queue))?.tasks() == 1 { ", which is new" } else { "" };
        let meant = meant(queue.as_str(), &others);
        return Ok(Some(format!("no worker serves the queue {queue}{new}{meant}: the task waits for a worker")));
    }
    if !io::stderr().is_terminal() {
        return Ok(None);
    }
    if waits && about.able == Some(0) {
        let Some(info) = client.call(&calls.get(id))? else { return Ok(None) };
        return Ok(Some(why(session, id, &info)?.sentence));
    }
    // A worker without the program may have taken the task already, to give it back.
    let Some(method) = method else { return Ok(None) };
    let all = client.workers()?;
    let Some(workers) = workers_of(client, &queue, &all)?.filter(|workers| nobody_has(workers, method)) else {
        return Ok(None);
    };
    let known: Vec<String> = workers.iter().flat_map(|worker| worker.methods.iter().cloned()).collect();
    let meant = meant(method, &known);
    Ok(Some(format!("no worker of {queue} has the program {method}{meant}: the task waits for a worker that has it")))
}
