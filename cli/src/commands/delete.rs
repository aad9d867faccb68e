//! `blueque delete`

use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| {
            session.client.call(&session.client.calls().delete(id))?;
            Ok("deleted")
        })
    }
}
