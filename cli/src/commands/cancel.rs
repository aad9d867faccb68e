//! `blueque cancel`

use blueque::Cancelled;
use clap::Args;

use crate::input::force::Forced;
use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    force: Forced,
    /// The task is not needed: its graph counts it as skipped, not as cancelled, and so does what only waits for it
    #[arg(long)]
    skip: bool,
    /// The reason, for people
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| {
            let call = session.client.calls().cancel(id, &self.reason, &self.force.options().skip(self.skip));
            Ok(match session.client.call(&call)? {
                Cancelled::Requested => "cancelling",
                _ => "cancelled",
            })
        })
    }
}
