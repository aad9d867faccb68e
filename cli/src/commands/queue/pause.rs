//! `blueque queue pause` and `blueque queue resume`

use blueque::QueueName;
use blueque::calls::PauseOptions;
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, say};
use crate::session::Session;
use crate::session::caller::caller;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The reason, for people
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
    /// Also stop running tasks: workers save a checkpoint and give the tasks back
    #[arg(long)]
    stop: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        session.client.call(&session.client.calls().pause(
            &self.queue,
            &caller(),
            &self.reason,
            &PauseOptions::new().stop(self.stop),
        ))?;
        let running = if self.stop { "are stopped, too, and wait" } else { "go on" };
        say(format!("{} is paused; running tasks {running}; blueque queue resume {}", self.queue, self.queue));
        session.warn_if_new(&self.queue)?;
        Ok(Code::Ok)
    }
}

#[derive(Args, Clone, Debug)]
pub struct Resume {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
}

impl Subcommand for Resume {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        session.client.call(&session.client.calls().resume(&self.queue))?;
        say(format!("{} gives out tasks", self.queue));
        session.warn_if_new(&self.queue)?;
        Ok(Code::Ok)
    }
}
