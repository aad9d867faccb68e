//! `blueque move`

use blueque::QueueName;
use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::input::values::queue_name;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

/// The tasks go behind the tasks that wait in the other queue.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The other queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    queue: QueueName,
    #[command(flatten)]
    pub tasks: TaskIds,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, info| {
            if info.queue().as_deref() == Some(self.queue.as_str()) {
                return Ok("there already");
            }
            session.client.call(&session.client.calls().move_to(id, &self.queue))?;
            Ok("moved")
        })
    }
}
