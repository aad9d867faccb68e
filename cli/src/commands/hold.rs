//! `blueque hold` and `blueque unhold`

use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

/// Held tasks do not start before `blueque unhold`. Tasks that wait for a held task wait on.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| {
            session.client.call(&session.client.calls().hold(id))?;
            Ok("held")
        })
    }
}

/// The tasks go behind the tasks that wait in their queue, or wait for their eta if it is in the future.
#[derive(Args, Clone, Debug)]
pub struct Release {
    #[command(flatten)]
    pub tasks: TaskIds,
}

impl Subcommand for Release {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| Ok(session.client.call(&session.client.calls().unhold(id))?.as_str()))
    }
}
