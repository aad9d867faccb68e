//! `blueque requeue`, also called `release`

use blueque::Requeued;
use blueque::calls::RequeueOptions;
use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;

/// Workers stop the programs, which have their grace period to save a checkpoint. Then the tasks go to the front of
/// their queue, where any worker may take them. Also called `release`.
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    /// Put the tasks at the front of their queue now, without waiting for their workers. Programs may continue, even
    /// during the next attempt, until their workers notice: up to a third of the lease
    #[arg(long)]
    now: bool,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    options.tasks.each(session, |id, _| {
        Ok(
            match session
                .client
                .call(&session.client.calls().requeue(id, &RequeueOptions::new().at_once(options.now)))?
            {
                Requeued::Requested => "requeueing",
                Requeued::Cancelled => "cancelled",
                _ => "released",
            },
        )
    })
}
