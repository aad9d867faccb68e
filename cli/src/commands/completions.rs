//! `blueque completions`

use std::io::{self, Write as _};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::Code;

#[derive(Args, Debug)]
pub struct Options {
    /// Which shell
    shell: Shell,
}

pub fn run(options: &Options, mut command: Command) -> anyhow::Result<Code> {
    // Written at once: the generator does not expect that a pipe can be closed.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "blueque", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Code::Ok)
}
