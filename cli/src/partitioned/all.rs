//! Opens sessions in several partitions, and combines their exit codes.

use std::time::Duration;

use blueque::PartitionName;

use crate::args::Cli;
use crate::dispatch;
use crate::output::{Code, chain, code, say};
use crate::session::Session;
use crate::session::config::Places;

/// The refresh interval of `ls --watch`.
pub(super) const WATCH: Duration = Duration::from_secs(1);

/// Connects to a partition, and checks that the same topology is stored there.
pub(super) fn open(cli: &Cli, places: &Places, name: &PartitionName) -> anyhow::Result<Session> {
    within(places, name, dispatch::open(places.settings(name)?, cli.output, &cli.command)?)
}

pub(super) fn within(places: &Places, name: &PartitionName, session: Session) -> anyhow::Result<Session> {
    places.partitions.require(name, session.client.topology()?.as_ref())?;
    Ok(Session { partition: Some(name.clone()), ..session })
}

/// Returns the first exit code that is not a success. A task that is unknown in one partition may be in another.
pub(super) fn verdict(outcomes: Vec<(PartitionName, anyhow::Result<Code>)>) -> anyhow::Result<Code> {
    if outcomes.len() == 1 {
        return outcomes.into_iter().next().map_or(Ok(Code::Ok), |(_, outcome)| outcome);
    }
    let known = outcomes.iter().any(|(_, outcome)| outcome.is_ok());
    let (mut worst, mut unknown) = (Code::Ok, None);
    for (name, outcome) in outcomes {
        let code = match outcome {
            Ok(code) => code,
            Err(error) if code(&error) == Code::NotFound => {
                unknown = Some(error);
                continue;
            }
            Err(error) => missing(&name, &error),
        };
        worst = if worst == Code::Ok { code } else { worst };
    }
    match unknown {
        Some(error) if !known && worst == Code::Ok => Err(error),
        _ => Ok(worst),
    }
}

/// Reports a partition that has not run the command.
pub(super) fn missing(name: &PartitionName, error: &anyhow::Error) -> Code {
    say(format!("blueque: partition {name}: {}", chain(error)));
    code(error)
}
