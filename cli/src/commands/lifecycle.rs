//! `blueque cancel`, `retry`, `recall`, `delete`: what a person does to tasks.

use blueque::{Cancelled, Error, Order, QueueName, Recalled, TaskId, TaskInfo};
use clap::Args;
use serde::Serialize;

use crate::input::force::Forced;
use crate::input::values::{queue_name, whole_number};
use crate::output::table::{self, Column, Row};
use crate::output::{Code, chain, clean, code, fault, say};
use crate::session::Session;
use crate::times;

#[derive(Args, Debug)]
pub struct Cancel {
    #[command(flatten)]
    tasks: Tasks,
    #[command(flatten)]
    force: Forced,
    /// Why, for whoever looks at it later
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

#[derive(Args, Debug)]
pub struct Retry {
    #[command(flatten)]
    tasks: Tasks,
    /// Forget the checkpoint, and begin again
    #[arg(long)]
    fresh: bool,
}

/// Their workers are asked to stop them: programs have their grace to save a checkpoint. Then they are at the front of
/// their queue, where any worker may take them. Also called `release`.
#[derive(Args, Debug)]
pub struct Recall {
    #[command(flatten)]
    tasks: Tasks,
    /// Do not wait for their workers: they are at the front of their queue now. Their programs may run on, also beside
    /// the next attempt, until their workers hear of it: up to a third of the lease
    #[arg(long)]
    now: bool,
}

#[derive(Args, Debug)]
pub struct Delete {
    #[command(flatten)]
    tasks: Tasks,
}

/// They go behind those that have this priority already.
#[derive(Args, Debug)]
pub struct Prioritise {
    /// Higher first, from -1000 to 1000; 0 is that of a task submitted without one
    #[arg(value_name = "PRIORITY", allow_negative_numbers = true, value_parser = whole_number::<i32>(-1000, 1000))]
    priority: i32,
    #[command(flatten)]
    tasks: Tasks,
}

/// They go behind those that wait there.
#[derive(Args, Debug)]
pub struct Move {
    /// The other queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    #[command(flatten)]
    tasks: Tasks,
}

#[derive(Args, Debug)]
struct Tasks {
    /// Ids, or unambiguous beginnings of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// What became of one of them.
#[derive(Serialize)]
struct Done {
    id: String,
    outcome: &'static str,
}

impl Row for Done {
    const COLUMNS: &'static [Column] = &[Column::id("id"), Column::whole("outcome")];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.outcome.to_owned()]
    }
}

pub fn cancel(session: &Session, options: &Cancel) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, _| {
        let call = session.client.calls().cancel(id, &options.reason, options.force.how());
        Ok(match session.client.call(&call)? {
            Cancelled::Requested => "cancelling",
            _ => "cancelled",
        })
    })
}

pub fn retry(session: &Session, options: &Retry) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, _| match session.client.call(&session.client.calls().retry(id, options.fresh)) {
        Err(Error::State { code, .. }) if code == "STOPPING" => Err(stopping(session, id)),
        retried => Ok(retried.map(|()| "pending")?),
    })
}

/// Why a task that is being cancelled is not run again yet.
fn stopping(session: &Session, id: &TaskId) -> anyhow::Error {
    let why = session.client.call(&session.client.calls().why(id)).ok();
    let killed = why.filter(|why| why.order == Some(Order::Kill));
    #[allow(clippy::cast_precision_loss, reason = "microseconds of this century have 51 bits")]
    let until = killed.and_then(|why| Some((why.deadline? as f64 / 1e6, why.now)));
    let until = until.map_or("until its worker has stopped it".to_owned(), |(at, now)| {
        format!("until {} ({}) at the latest", times::local(at), times::relative(at, now))
    });
    fault(
        Code::Refused,
        format!("STOPPING: it is being cancelled, and its program may still run, {until}: retry it then"),
    )
}

pub fn delete(session: &Session, options: &Delete) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, _| {
        session.client.call(&session.client.calls().delete(id))?;
        Ok("deleted")
    })
}

pub fn prioritise(session: &Session, options: &Prioritise) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, _| {
        session.client.call(&session.client.calls().prioritise(id, options.priority))?;
        Ok("prioritised")
    })
}

pub fn move_to(session: &Session, options: &Move) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, info| {
        if info.queue().as_deref() == Some(options.queue.as_str()) {
            return Ok("there already");
        }
        session.client.call(&session.client.calls().move_to(id, &options.queue))?;
        Ok("moved")
    })
}

pub fn recall(session: &Session, options: &Recall) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id, _| {
        Ok(match session.client.call(&session.client.calls().recall(id, options.now))? {
            Recalled::Requested => "recalling",
            Recalled::Cancelled => "cancelled",
            _ => "released",
        })
    })
}

/// Does it to each task. One that refuses does not keep the others from it; the exit code is that of the first.
fn each(
    session: &Session,
    tasks: &Tasks,
    act: impl Fn(&TaskId, &TaskInfo) -> anyhow::Result<&'static str>,
) -> anyhow::Result<Code> {
    let mut done = Vec::new();
    let mut worst = Code::Ok;
    for text in &tasks.ids {
        let done_to = |(id, info): (TaskId, TaskInfo)| Ok(Done { outcome: act(&id, &info)?, id: id.to_string() });
        match session.find_task(text).and_then(done_to) {
            Ok(row) => done.push(row),
            Err(error) => {
                let code = code(&error);
                if code == Code::Unreachable {
                    table::write(session.format, &done)?;
                    return Err(error);
                }
                say(format!("blueque: {}: {}", clean(text), chain(&error)));
                worst = if worst == Code::Ok { code } else { worst };
            }
        }
    }
    if !done.is_empty() || worst == Code::Ok {
        table::write(session.format, &done)?;
    }
    Ok(worst)
}
