//! The `blueque` command: parses its arguments and calls the command.

mod args;
mod bulk;
mod command_line;
mod commands;
mod completion;
mod doctor;
mod file;
mod follow;
mod help;
mod hex;
mod input;
mod last_submitted;
mod logs;
mod notify;
mod output;
mod partitioned;
mod process;
mod processes;
mod run_folder;
mod safe_path;
mod server;
mod session;
mod shortage;
mod states;
mod subcommand;
mod supervisor;
mod template;
mod times;
mod view;
mod worker;

use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::Cli;
use crate::output::{Code, fault};
use crate::session::Session;
use crate::session::config::{Places, Settings};
use crate::subcommand::{Choice, Global};

/// Gives this process the name of the command. A process that was started as `/proc/self/exe` is called `exe`.
fn take_name() {
    if std::fs::read("/proc/self/comm").is_ok_and(|name| name == b"exe\n") {
        let _ = nix::sys::prctl::set_name(c"blueque");
    }
}

fn main() -> ExitCode {
    take_name();
    processes::inherited::reset_signals();
    // The library leaves the choice of the TLS provider to programs. Without a provider, a `rediss://` URL panics.
    #[cfg(feature = "tls-rustls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    completion::answer();
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let code = run(cli).unwrap_or_else(|error| output::report(&error));
    output::behind::flush();
    code
}

/// Prints the help, or the error in the arguments.
fn refuse(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A reader that closed the pipe needs no more output.
        let _ = error.print();
        return Code::Ok.into();
    }
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => help::elsewhere(word),
        _ => None,
    };
    if let Some(instead) = word {
        output::say(format!("error: no such command; use {}", instead.replace('`', "")));
        return Code::Usage.into();
    }
    if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::UnknownArgument
        && let Some(instead) = help::other_option(option)
    {
        output::say(format!("error: this command has no option {option}; {}", instead.replace('`', "")));
        return Code::Usage.into();
    }
    // The text repeats arguments. They may contain a URL with a password, or control sequences. Losing the colors is
    // acceptable.
    output::say(error.render().ansi().to_string().trim_end());
    Code::Usage.into()
}

/// Runs the command: by itself, over several partitions, or in one namespace.
fn run(mut cli: Cli) -> anyhow::Result<ExitCode> {
    cli.connection.remember();
    times::say_understood();
    let command = cli.command.chosen();
    let global = Global { connection: &cli.connection, format: cli.output, parser: Cli::command };
    if let Some(done) = command.start(&global) {
        return done;
    }
    let places = match command.topology()? {
        None => Places::load(&cli.connection)?,
        Some(_) if cli.connection.url.is_some() || cli.connection.topology.is_some() => {
            let text = "--shard SHARD=URL says where the partitions are: leave out --url and --topology";
            return Err(fault(Code::Usage, text));
        }
        Some(topology) => Places::load(&cli.connection.with_topology(topology))?,
    };
    let code = if let Some(places) = places {
        partitioned::run(cli, &places)?
    } else {
        let settings = Settings::load(&cli.connection)?;
        let last = last_submitted::resolve(&mut cli.command, settings.namespace())?;
        let command = cli.command.chosen();
        let session = Session::open(&settings, cli.output, command.waits())?;
        command.run(&session).map_err(|error| last.explain(error))?
    };
    Ok(code.into())
}
