//! `blueque cancel`

use blueque::Cancelled;
use clap::Args;

use crate::input::force::Forced;
use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    force: Forced,
    /// The reason, for people
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    options.tasks.each(session, |id, _| {
        let call = session.client.calls().cancel(id, &options.reason, &options.force.options());
        Ok(match session.client.call(&call)? {
            Cancelled::Requested => "cancelling",
            _ => "cancelled",
        })
    })
}
