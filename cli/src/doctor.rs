//! `blueque doctor`: checks server, settings and data without changing anything.

mod bounds;
mod checks;
mod data;
mod entries;
mod graphs;
mod index;
mod keys;
mod limits;
mod logs;
mod names;
pub mod ping;
mod ranking;
mod remedy;
mod rights;
mod schedules;
mod server;
mod shared;
mod shared_limits;
mod task_entries;
mod whole_graphs;
mod workers;

use std::process::ExitCode;
use std::time::Duration;

use blueque::{Address, Connection};
use clap::Args;
use redis::RedisError;

use self::checks::{Checks, Finding, Level};
use crate::input::values::whole_number;
use crate::output::table::Shown;
use crate::output::{Code, Format, chain, clean_line, code, fault, line, many, prose, say, table};
use crate::session::config::{Connection as Flags, Places, Settings};
use crate::session::{diagnosis, several};
use crate::subcommand::{Global, Subcommand};
use crate::times::localised;

/// Maximum time that the server may take for one reply.
const LIMIT: Duration = Duration::from_secs(10);

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Maximum number of keys of the namespace, and of entries of each index, that are checked
    #[arg(long, value_name = "N", default_value_t = 100_000, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 10_000_000))]
    limit: u32,
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let done = global.without_durability().and_then(|()| match Places::load(global.connection)? {
            Some(places) => run_all(&places, global.connection, self, global.format),
            None => run(&Settings::load(global.connection)?, self, global.format),
        });
        Some(done.map(Code::into))
    }
}

fn run(settings: &Settings, options: &Options, format: Format) -> anyhow::Result<Code> {
    let found = examined(settings, options)?;
    match format {
        Format::Table => found.iter().try_for_each(write)?,
        format => table::write(format, &found)?,
    }
    Ok(counted(findings(&found)))
}

/// Checks several partitions in turn, and the topology that each has stored.
fn run_all(places: &Places, flags: &Flags, options: &Options, format: Format) -> anyhow::Result<Code> {
    let (mut rows, mut number, mut missing) = (Vec::new(), 0, Code::Ok);
    for (name, settings) in places.chosen(flags)? {
        let mut found = match examined(&settings, options) {
            Ok(found) => found,
            Err(error) => {
                say(format!("blueque: partition {name}: {}", chain(&error)));
                missing = code(&error);
                continue;
            }
        };
        if let Err(error) = several::at_once(places, &name, format) {
            found.push(Finding::new(Level::Finding, "topology", chain(&error)));
        }
        number += findings(&found);
        if format == Format::Table {
            line(format!("partition {name}"))?;
            found.iter().try_for_each(write)?;
        } else {
            let shown = found.iter().map(|finding| Shown::of(format, finding, name.as_str(), true));
            rows.extend(shown.collect::<anyhow::Result<Vec<_>>>()?);
        }
    }
    if format != Format::Table {
        table::write_all(format, &[], rows)?;
    }
    let code = counted(number);
    Ok(if missing == Code::Ok { code } else { missing })
}

/// Returns the number of findings without notes.
fn findings<'a>(found: impl IntoIterator<Item = &'a Finding>) -> usize {
    found.into_iter().filter(|finding| finding.level == Level::Finding).count()
}

/// Prints the number of findings, and returns the exit code.
fn counted(findings: usize) -> Code {
    say(if findings == 0 { "nothing is wrong".to_owned() } else { many(findings, "finding") });
    if findings == 0 { Code::Ok } else { Code::Failed }
}

fn examined(settings: &Settings, options: &Options) -> anyhow::Result<Vec<Finding>> {
    let connection = connect(settings, LIMIT, diagnosis::STARTING)?;
    let mut checks = Checks::new(connection, format!("{}_", settings.namespace()), options.limit as usize, LIMIT);
    checks.ok("server", format!("{} answers", settings.url()));
    let looked = look(&mut checks, settings);
    checks.bar.finish_and_clear();
    checks.bear(looked).map_err(|error| explained(settings, error))?;
    checks.count_up();
    Ok(checks.found)
}

/// Returns the reason why the checks ended early.
fn explained(settings: &Settings, error: anyhow::Error) -> anyhow::Error {
    let source = error.downcast_ref::<RedisError>();
    let node = source.and_then(RedisError::redirect_node);
    let node = node.map(|(node, _)| diagnosis::elsewhere(settings.namespace(), node));
    node.or_else(|| diagnosis::refused(settings.url(), source?)).unwrap_or(error)
}

/// Runs all checks in turn.
fn look(checks: &mut Checks, settings: &Settings) -> anyhow::Result<()> {
    let sound = checks.server()?;
    if checks.fact("redis_mode") == "sentinel" {
        return Ok(());
    }
    checks.rights(settings)?;
    if sound {
        let data = checks.transactions().and_then(|()| checks.data());
        let readable = !matches!(data, Ok(false));
        checks.bear(data.map(drop))?; // a check that lacks permissions must not stop later checks
        if readable {
            checks.programs(settings)?;
        }
    }
    Ok(())
}

/// Connects. If the server refuses the connection, tries again for the time `starting`.
fn connect(settings: &Settings, limit: Duration, starting: Duration) -> anyhow::Result<Connection> {
    let wrong = |error: &RedisError| {
        diagnosis::refused(settings.url(), error).unwrap_or_else(|| {
            let (why, todo) = diagnosis::why(error);
            let todo = todo.map_or(String::new(), |todo| format!(": {todo}"));
            fault(Code::Unreachable, format!("{} cannot be reached: {why}{todo}", settings.url()))
        })
    };
    diagnosis::somebody_listens(settings.url(), limit.min(starting))?;
    let address = Address::parse(&settings.address()?)?;
    let mut connection = address.connect(settings.namespace(), limit).map_err(|error| wrong(&error))?;
    connection.set_limit(limit);
    match redis::cmd("PING").exec(&mut connection) {
        // The checks report the commands that this user may not run.
        Err(error) if error.code().is_none_or(|code| code == "NOAUTH") => Err(wrong(&error)),
        _ => Ok(connection),
    }
}

fn write(finding: &Finding) -> std::io::Result<()> {
    let level = match finding.level {
        Level::Ok => "ok",
        Level::Note => "note",
        Level::Finding => "FINDING",
    };
    let todo = finding.todo.as_ref().map_or(String::new(), |todo| format!(": {todo}"));
    prose(clean_line(&format!("{level:<9}{:<13}{}{todo}", finding.check, localised(&finding.text)), 2_000), 22)
}
