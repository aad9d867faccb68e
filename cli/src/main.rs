//! The `blueque` command: parses its arguments and calls the command.

mod args;
mod commands;
mod dispatch;
mod doctor;
mod file;
mod follow;
mod input;
mod logs;
mod output;
mod partitioned;
mod process;
mod processes;
mod run_folder;
mod safe_path;
mod server;
mod session;
mod shortage;
mod supervisor;
mod times;
mod view;
mod worker;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};
use crate::commands::{completions, dev, exec, task};
use crate::output::{Code, fault};
use crate::session::config::{Places, Settings};

fn main() -> ExitCode {
    processes::inherited::reset_signals();
    // The library leaves the choice of the TLS provider to programs. Without a provider, a `rediss://` URL panics.
    #[cfg(feature = "tls-rustls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let code = run(&cli).unwrap_or_else(|error| output::report(&error));
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
    // The text repeats arguments. They may contain a URL with a password, or control sequences. Losing the colors is
    // acceptable.
    output::say(error.render().ansi().to_string().trim_end());
    Code::Usage.into()
}

/// Runs the command.
fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let of_calls = !matches!(
        cli.command,
        Command::Worker(_) | Command::Dev(_) | Command::Ping(_) | Command::Doctor(_) | Command::Task { .. }
    );
    if cli.connection.durability.is_some() && !of_calls {
        return Err(fault(Code::Usage, "--durability is of single calls, which this command does not make"));
    }
    let code = match &cli.command {
        Command::Worker(options) => return worker::run(&cli.connection, options),
        Command::Supervise(options) => return supervisor::run(options),
        Command::Exec(options) => return exec::run(options),
        Command::Dev(options) => return dev::run(&cli.connection, options),
        Command::Task { word } => task::run(word)?,
        Command::Completions(options) => completions::run(options, Cli::command())?,
        Command::Ping(options) => doctor::ping::run(&cli.connection, options, cli.output)?,
        _ => {
            let places = places(cli)?;
            let again = by_the_servers_clock(cli, places.as_ref());
            let cli = again.as_ref().unwrap_or(cli);
            return places.map_or_else(|| alone(cli, &cli.command), |places| partitioned::run(cli, &places));
        }
    };
    Ok(code.into())
}

/// Parses the arguments again with the server's clock if one of them is a time relative to now. If the server does not
/// answer, the command reports it.
fn by_the_servers_clock(cli: &Cli, places: Option<&Places>) -> Option<Cli> {
    if !times::are_relative() {
        return None;
    }
    let settings = match places {
        Some(places) => places.chosen(&cli.connection).ok()?.into_iter().next()?.1,
        None => Settings::load(&cli.connection).ok()?,
    };
    let client = dispatch::at_once(&settings, cli.output).ok()?.client;
    times::learn(client.call(&client.calls().handshake()).ok()?.now);
    Cli::try_parse().ok()
}

/// Returns the partitions that a command concerns, if there are several.
fn places(cli: &Cli) -> anyhow::Result<Option<Places>> {
    let of_shards = if let Command::Graph(options) = &cli.command { options.topology()? } else { None };
    let more = if let Command::Partitions(options) = &cli.command { options.more() } else { &[] };
    match of_shards {
        None => Places::with(&cli.connection, more),
        Some(_) if cli.connection.url.is_some() || cli.connection.topology.is_some() => {
            Err(fault(Code::Usage, "--shard SHARD=URL says where the partitions are: leave out --url and --topology"))
        }
        Some(topology) => Places::load(&cli.connection.with_topology(topology)),
    }
}

/// Runs the command in one namespace.
fn alone(cli: &Cli, command: &Command) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&cli.connection)?;
    match command {
        Command::Doctor(options) => return Ok(doctor::run(&settings, options, cli.output)?.into()),
        Command::Partitions(_) => {
            return Err(fault(Code::Usage, "which partitions? name them with --topology, or BLUEQUE_TOPOLOGY"));
        }
        _ => {}
    }
    let session = dispatch::open(&settings, cli.output, command)?;
    match command {
        Command::Run(options) => commands::run::run(&session, options),
        command => Ok(dispatch::run(&session, command)?.into()),
    }
}
