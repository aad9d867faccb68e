//! `blueque requeue`

use blueque::Requeued;
use blueque::calls::RequeueOptions;
use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

/// Workers are asked to stop them: programs have their grace period to save a checkpoint. Then the tasks are at the
/// front of their queue, where any worker may take them.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    /// Put the tasks at the front of their queue now, without waiting for their workers. Programs may continue, even
    /// during the next attempt, until their workers notice: up to a third of the lease
    #[arg(long)]
    now: bool,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        self.tasks.each(session, |id, _| {
            let call = session.client.calls().requeue(id, &RequeueOptions::new().at_once(self.now));
            Ok(match session.client.call(&call)? {
                Requeued::Requested => "requeuing",
                Requeued::Cancelled => "cancelled",
                _ => "released",
            })
        })
    }
}
