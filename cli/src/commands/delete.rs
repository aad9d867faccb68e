//! `blueque delete`

use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;

#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
}

pub fn run(session: &Session, options: &Options) -> anyhow::Result<Code> {
    options.tasks.each(session, |id, _| {
        session.client.call(&session.client.calls().delete(id))?;
        Ok("deleted")
    })
}
