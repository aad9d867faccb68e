//! `blueque queue ls`

use clap::Args;

use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::queue::queue_views;

#[derive(Args, Clone, Debug)]
pub struct Options {}
impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        session.write_ranked(&queue_views(session)?, |queue| queue.queue.clone())?;
        Ok(Code::Ok)
    }
}
