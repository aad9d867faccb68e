//! `blueque completions`

use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::{Code, data};

#[derive(Args, Debug)]
pub struct Options {
    /// The shell
    shell: Shell,
}

pub fn run(options: &Options, mut command: Command) -> anyhow::Result<Code> {
    // The script is generated in memory first, because the generator panics on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "blueque", &mut script);
    data(&String::from_utf8_lossy(&script))?;
    Ok(Code::Ok)
}
