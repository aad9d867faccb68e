//! `blueque queues`

use clap::Args;

use crate::output::{Code, table};
use crate::session::Session;
use crate::view::queue::queue_views;

#[derive(Args, Debug)]
pub struct Options {}

pub fn run(session: &Session, _options: &Options) -> anyhow::Result<Code> {
    table::write(session.format, &queue_views(session)?)?;
    Ok(Code::Ok)
}
