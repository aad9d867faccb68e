//! `blueque queue purge`

use blueque::{Action, Status};
use clap::Args;

use crate::bulk::{All, each, states};
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    all: All,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        each(session, &self.all, &Action::Purge, &states(|status: Status| !status.is_owned()))
    }
}
