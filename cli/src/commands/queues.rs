//! `blueque queues`

use clap::Args;

use crate::output::Code;
use crate::session::Session;
use crate::view::queue::queue_views;

#[derive(Args, Debug)]
pub struct Options {}

pub fn run(session: &Session, _options: &Options) -> anyhow::Result<Code> {
    session.write_ranked(&queue_views(session)?, |queue| queue.queue.clone())?;
    Ok(Code::Ok)
}
