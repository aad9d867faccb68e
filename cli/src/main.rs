//! The `blueque` command.

mod args;
mod commands;
mod follow;
mod input;
mod lack;
mod logs;
mod output;
mod run_folder;
mod server;
mod session;
mod supervisor;
mod times;
mod trust;
mod view;
mod worker;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Command};
use crate::output::Code;

fn main() -> ExitCode {
    // The library leaves the choice to programs, and without one a `rediss://` URL is a panic.
    #[cfg(feature = "tls-rustls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let outcome = match &cli.command {
        Command::Worker(options) => worker::run(&cli.connection, options),
        Command::Supervise(options) => supervisor::run(options),
        Command::Exec(options) => supervisor::exec::run(options),
        command => commands::run(&cli, command),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => output::report(&error),
    }
}

/// Shows the help that was asked for, or what is wrong with the command line.
fn refuse(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A reader that closed the pipe has seen enough.
        let _ = error.print();
        return Code::Ok.into();
    }
    // What was typed is repeated in the text: a URL may be in it.
    let text = error.render().to_string();
    if output::redact(&text) == text {
        let _ = error.print();
    } else {
        output::say(text.trim_end());
    }
    Code::Usage.into()
}
