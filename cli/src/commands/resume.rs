//! `blueque resume`

use blueque::QueueName;
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, say};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    session.client.call(&session.client.calls().resume(&options.queue))?;
    say(format!("{} gives out tasks", options.queue));
    session.warn_if_new(&options.queue)?;
    Ok(Code::Ok)
}
