//! `blueque pause`

use blueque::QueueName;
use blueque::calls::PauseOptions;
use clap::Args;

use crate::input::values::queue_name;
use crate::output::{Code, say};
use crate::session::Session;
use crate::session::caller::caller;

#[derive(Args, Debug)]
pub struct Options {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    /// The reason, for people
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Also stop running tasks: workers save a checkpoint and give the tasks back
    #[arg(long)]
    stop: bool,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    session.client.call(&session.client.calls().pause(
        &options.queue,
        &caller(),
        &options.reason,
        &PauseOptions::new().stop(options.stop),
    ))?;
    let running = if options.stop { "are stopped, too, and wait" } else { "go on" };
    say(format!("{} is paused; running tasks {running}; blueque resume {}", options.queue, options.queue));
    session.warn_if_new(&options.queue)?;
    Ok(Code::Ok)
}
