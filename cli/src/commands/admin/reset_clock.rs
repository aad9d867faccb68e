//! `blueque admin reset-clock`

use clap::Args;

use crate::output::{Code, say};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        say(if session.client.reset_clock()? {
            "the clock of this namespace is the server's again"
        } else {
            "the clock of this namespace was not ahead of the server's; nothing was changed"
        });
        Ok(Code::Ok)
    }
}
