//! `blueque prioritise`

use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::input::values::whole_number;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

/// The tasks go behind the tasks that have this priority already.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// -1000 to 1000, higher first; a task that was submitted without a priority has 0
    #[arg(value_name = "PRIORITY", allow_negative_numbers = true, value_parser = whole_number::<i32>(-1000, 1000))]
    priority: i32,
    #[command(flatten)]
    pub tasks: TaskIds,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| {
            session.client.call(&session.client.calls().prioritise(id, self.priority))?;
            Ok("prioritised")
        })
    }
}
