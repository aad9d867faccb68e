//! `blueque completions`

use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::{Code, data};

#[derive(Args, Debug)]
pub struct Options {
    /// Which shell
    shell: Shell,
}

pub fn run(options: &Options, mut command: Command) -> anyhow::Result<Code> {
    // Written at once: the generator does not expect that a pipe can be closed.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "blueque", &mut script);
    data(&String::from_utf8_lossy(&script))?;
    Ok(Code::Ok)
}
