//! `blueque drain`

use blueque::{Error, ListenerId, QueueName};
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The listener, as `blueque workers` shows it [default: none; the queue itself accepts no more tasks]
    #[arg(value_name = "LISTENER", value_parser = listener)]
    listener: Option<ListenerId>,
    /// Withdraw the order
    #[arg(long)]
    off: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (calls, queue, off) = (session.client.calls(), &self.queue, self.off);
        let Some(listener) = &self.listener else {
            // Existing tasks of a closed queue still run, unlike in a paused queue.
            session.client.call(&calls.configure(Some(queue), "closed", (!off).then_some("1")))?;
            say(if off {
                format!("{queue} accepts tasks again")
            } else {
                format!("{queue} accepts no more tasks; existing tasks still run; blueque drain {queue} --off")
            });
            session.warn_if_new(queue)?;
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

fn listener(text: &str) -> Result<ListenerId, String> {
    ListenerId::new(text).map_err(|_| "must be HOSTNAME_PID, as `blueque workers` shows it".to_owned())
}
