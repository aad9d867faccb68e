//! `blueque help`

use std::process::ExitCode;

use clap::Args;

use crate::help;
use crate::output::{Code, data, fault};
use crate::subcommand::{Global, Subcommand};

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// A command, or connection or exit-codes
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let Some(page) = help::page((global.parser)(), &self.words) else {
            return Some(Err(fault(Code::Usage, format!("there is no command {}", self.words.join(" ")))));
        };
        Some(data(&page).map(|()| Code::Ok.into()).map_err(Into::into))
    }
}
