//! `blueque cancel`, `retry`, `release`, `delete`: what a person does to tasks.

use blueque::{Cancelled, Outcome, QueueName, TaskId, Token};
use clap::Args;
use serde::Serialize;

use super::view::text;
use super::{Session, queue_name};
use crate::output::table::{self, Row};
use crate::output::{Code, chain, clean, code, fault, say};

#[derive(Args, Debug)]
pub struct Cancel {
    #[command(flatten)]
    tasks: Tasks,
    /// Cut a running task off at once, without waiting for its owner to stop
    #[arg(long)]
    force: bool,
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

/// Nobody but a task's owner has its token. This command reads it from the record and gives the task back in the
/// owner's name: the owner's next call is refused, and it stops its program.
#[derive(Args, Debug)]
pub struct Release {
    #[command(flatten)]
    tasks: Tasks,
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
    #[arg(value_name = "PRIORITY", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-1000..=1000))]
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
    const HEADS: &'static [&'static str] = &["id", "outcome"];

    fn id(&self) -> &str {
        &self.id
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.outcome.to_owned()]
    }
}

pub fn cancel(session: &Session, options: &Cancel) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        let call = session.client.calls().cancel(id, &options.reason, options.force);
        Ok(match session.client.call(&call)? {
            Cancelled::Requested => "cancelling",
            _ => "cancelled",
        })
    })
}

pub fn retry(session: &Session, options: &Retry) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        session.client.call(&session.client.calls().retry(id, options.fresh))?;
        Ok("pending")
    })
}

pub fn delete(session: &Session, options: &Delete) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        session.client.call(&session.client.calls().delete(id))?;
        Ok("deleted")
    })
}

pub fn prioritise(session: &Session, options: &Prioritise) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        session.client.call(&session.client.calls().prioritise(id, options.priority))?;
        Ok("prioritised")
    })
}

pub fn move_to(session: &Session, options: &Move) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        session.client.call(&session.client.calls().move_to(id, &options.queue))?;
        Ok("moved")
    })
}

pub fn release(session: &Session, options: &Release) -> anyhow::Result<Code> {
    each(session, &options.tasks, |id| {
        let info = session.client.task(id.as_str())?.info()?;
        let Some(token) = text(&info, "token").and_then(|token| token.parse::<u64>().ok()).map(Token::from) else {
            let status = text(&info, "status").unwrap_or_default();
            return Err(fault(Code::Refused, format!("STATE: the task is {status}, and no worker of ours holds it")));
        };
        let call = session.client.calls().release(id, token, Some("operator"));
        Ok(match session.client.call(&call) {
            Ok(Outcome::Cancelled) => "cancelled",
            Ok(Outcome::Failed) => "failed",
            Ok(_) => "pending",
            Err(blueque::Error::Lost) => {
                return Err(fault(Code::Refused, "the attempt ended by itself at this moment; nothing was done"));
            }
            Err(error) => return Err(error.into()),
        })
    })
}

/// Does it to each task. One that refuses does not keep the others from it; the exit code is that of the first.
fn each(
    session: &Session,
    tasks: &Tasks,
    act: impl Fn(&TaskId) -> anyhow::Result<&'static str>,
) -> anyhow::Result<Code> {
    let mut done = Vec::new();
    let mut worst = Code::Ok;
    for text in &tasks.ids {
        match session.find(text).and_then(|id| Ok(Done { outcome: act(&id)?, id: id.to_string() })) {
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
