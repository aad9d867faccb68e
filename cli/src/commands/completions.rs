//! `blueque completions`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use crate::output::{Code, data};
use crate::subcommand::{Global, Subcommand};

/// The environment variable in which a shell that asks for completions gives its name.
pub const VARIABLE: &str = "BLUEQUE_COMPLETE";

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Subcommand for Options {
    fn start(&self, _: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let shell: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
        };
        let mut script = Vec::new();
        let written = shell.write_registration(VARIABLE, "blueque", "blueque", "blueque", &mut script);
        Some(
            written
                .and_then(|()| data(&String::from_utf8_lossy(&script)))
                .map(|()| Code::Ok.into())
                .map_err(Into::into),
        )
    }
}
