//! Opens sessions in several partitions, and combines their exit codes.

use std::time::Duration;

use blueque::PartitionName;

use super::Session;
use super::config::{Connection, Places};
use crate::output::{Code, Format, chain, code, say};

/// A command over several partitions.
#[derive(Clone, Copy)]
pub struct Several<'a> {
    pub places: &'a Places,
    pub flags: &'a Connection,
    /// The partitions that the user named, or all.
    pub all: &'a [PartitionName],
    pub format: Format,
    /// Time for which the command waits for a server: see `Subcommand::waits`.
    pub waits: Option<Option<Duration>>,
}

impl Several<'_> {
    /// Connects to a partition, and checks that the same topology is stored there.
    pub fn open(&self, name: &PartitionName) -> anyhow::Result<Session> {
        within(self.places, name, Session::open(self.places.settings(name)?, self.format, self.waits)?)
    }
}

/// Connects to a partition, fails soon if no server listens, and compares the topology that is stored there.
pub fn at_once(places: &Places, name: &PartitionName, format: Format) -> anyhow::Result<Session> {
    within(places, name, Session::at_once(places.settings(name)?, format)?)
}

fn within(places: &Places, name: &PartitionName, session: Session) -> anyhow::Result<Session> {
    places.partitions.require(name, session.client.topology()?.as_ref())?;
    Ok(Session { partition: Some(name.clone()), ..session })
}

/// Returns the first exit code that is not a success. A task that is unknown in one partition may be in another.
pub fn verdict(outcomes: Vec<(PartitionName, anyhow::Result<Code>)>) -> anyhow::Result<Code> {
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
pub fn missing(name: &PartitionName, error: &anyhow::Error) -> Code {
    say(format!("blueque: partition {name}: {}", chain(error)));
    code(error)
}
