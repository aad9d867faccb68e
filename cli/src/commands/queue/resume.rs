//! `blueque queue resume`

use blueque::QueueName;
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, say};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        session.client.call(&session.client.calls().resume(&self.queue))?;
        say(format!("{} gives out tasks", self.queue));
        session.warn_if_new(&self.queue)?;
        Ok(Code::Ok)
    }
}
