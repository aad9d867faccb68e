//! `blueque queue ls`

use blueque::QueueName;
use clap::Args;

use crate::input::values::queue_name;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::queue::queue_views;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Only these queues
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    pub queues: Vec<QueueName>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        session.must_exist(&self.queues)?;
        let mut views = queue_views(session)?;
        views.retain(|view| self.queues.is_empty() || self.queues.iter().any(|queue| queue.as_str() == view.queue));
        session.write_ranked(&views, |queue| queue.queue.clone())?;
        Ok(Code::Ok)
    }
}
