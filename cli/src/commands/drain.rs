//! `blueque drain`

use blueque::{Error, ListenerId, QueueName, WorkerInfo};
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, clean_line, fault, say};
use crate::session::Session;
use crate::session::queues::meant;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name, required_unless_present = "worker")]
    queue: Option<QueueName>,
    /// The listener, as `blueque workers` shows it [default: none; the queue itself accepts no more tasks]
    #[arg(value_name = "LISTENER", value_parser = listener)]
    listener: Option<ListenerId>,
    /// Drain this worker for all its queues, named by its name or its listener, as `blueque workers` shows them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["queue", "listener"])]
    worker: Option<String>,
    /// Withdraw the order
    #[arg(long)]
    off: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (calls, off) = (session.client.calls(), self.off);
        let Some(queue) = &self.queue else {
            return drain_worker(session, self.worker.as_deref().unwrap_or_default(), off);
        };
        let Some(listener) = &self.listener else {
            // A mistyped name, or the name of a worker, must not close a queue that somebody creates later.
            if let Some(text) = session.unknown(std::slice::from_ref(queue))? {
                let workers = session.client.workers()?;
                let meant = workers.iter().any(|worker| is_named(worker, queue.as_str()));
                let meant = if meant { format!("; did you mean --worker {queue}?") } else { String::new() };
                return Err(fault(Code::NotFound, format!("{text}{meant}")));
            }
            // Existing tasks of a closed queue still run, unlike in a paused queue.
            session.client.call(&calls.configure(Some(queue), "closed", (!off).then_some("1")))?;
            say(if off {
                format!("{queue} accepts tasks again")
            } else {
                format!("{queue} accepts no more tasks; existing tasks still run; blueque drain {queue} --off")
            });
            return Ok(Code::Ok);
        };
        session.client.call(&calls.drain(queue, listener, !off)).map_err(|error| match error {
            Error::State { code: blueque::Code::NoListener, .. } => {
                fault(Code::Refused, format!("{error}; blueque workers {queue} shows those that it has"))
            }
            error => error.into(),
        })?;
        say(if off {
            format!("{listener} is no longer ordered to drain {queue}; a worker that got the order ends anyway")
        } else {
            format!(
                "{listener} is ordered to drain {queue}: a Blueque worker ends, for all its queues, once its tasks have ended"
            )
        });
        Ok(Code::Ok)
    }
}

fn is_named(worker: &WorkerInfo, name: &str) -> bool {
    worker.id == name || worker.name.as_deref() == Some(name)
}

/// Orders the living workers with this name to drain all their queues, or withdraws the order.
fn drain_worker(session: &Session, name: &str, off: bool) -> anyhow::Result<Code> {
    let mut workers = session.client.workers()?;
    let named = |worker: &WorkerInfo| is_named(worker, name) && (off || !worker.dead);
    if !workers.iter().any(named) {
        let known = workers.iter().filter(|worker| !worker.dead);
        let known: Vec<String> = known.flat_map(|worker| worker.name.iter().chain([&worker.id])).cloned().collect();
        let text = format!("there is no living worker {}{}", clean_line(name, 200), meant(name, &known));
        return Err(fault(Code::NotFound, format!("{text}; blueque workers shows all")));
    }
    workers.retain(named);
    for worker in &workers {
        let Ok(listener) = ListenerId::new(worker.id.as_str()) else { continue };
        let queues = queues(session, worker, &listener)?;
        if queues.is_empty() {
            let text = format!("{listener} listens to no queue yet, so it can get no order: stop its process instead");
            return Err(fault(Code::Refused, text));
        }
        for queue in &queues {
            session.client.call(&session.client.calls().drain(queue, &listener, !off))?;
        }
        let shown = worker.name.as_ref().map_or_else(|| listener.to_string(), |name| format!("{name} ({listener})"));
        say(if off {
            format!("{shown} is no longer ordered to drain; a worker that got the order ends anyway")
        } else {
            format!("{shown} is ordered to drain, and ends once its tasks have ended")
        });
    }
    Ok(Code::Ok)
}

/// Returns the queues that the worker listens to. A pattern stands for the queues that list it as a listener.
fn queues(session: &Session, worker: &WorkerInfo, listener: &ListenerId) -> anyhow::Result<Vec<QueueName>> {
    let mut found = Vec::new();
    for queue in session.queues(&[])? {
        let serves = worker.serves(&queue);
        if serves && session.client.queue(queue.as_str())?.listeners()?.iter().any(|one| one.id == listener.as_str()) {
            found.push(queue);
        }
    }
    Ok(found)
}

fn listener(text: &str) -> Result<ListenerId, String> {
    ListenerId::new(text).map_err(|_| "must be HOSTNAME_PID, as `blueque workers` shows it".to_owned())
}
