//! `blueque completions`

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::output::{Code, data};
use crate::subcommand::{Global, Subcommand};

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The shell
    shell: Shell,
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        // The script is generated in memory first, because the generator panics on a closed pipe.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut (global.parser)(), "blueque", &mut script);
        Some(data(&String::from_utf8_lossy(&script)).map(|()| Code::Ok.into()).map_err(Into::into))
    }
}
