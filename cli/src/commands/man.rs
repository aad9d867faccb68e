//! `blueque man`: the man pages, for packages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Command};
use clap_mangen::Man;

use crate::help;
use crate::output::Code;
use crate::subcommand::{Global, Subcommand};

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The folder for the pages
    folder: PathBuf,
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let written = write(&help::manual((global.parser)()), &self.folder);
        Some(written.map(|()| Code::Ok.into()).with_context(|| format!("no pages in {}", self.folder.display())))
    }
}

/// Writes the page of a command, and the pages of its subcommands.
fn write(command: &Command, folder: &Path) -> anyhow::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write(subcommand, folder)?;
    }
    Man::new(command.clone()).manual("Blueque").generate_to(folder)?;
    Ok(())
}
