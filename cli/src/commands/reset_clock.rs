//! `blueque reset-clock`

use crate::output::{Code, say};
use crate::session::Session;

pub fn run(session: &Session) -> anyhow::Result<Code> {
    say(if session.client.reset_clock()? {
        "the clock of this namespace is the server's again"
    } else {
        "the clock of this namespace was not ahead of the server's; nothing was changed"
    });
    Ok(Code::Ok)
}
