//! `blueque partition`: the partitions of a topology.

use std::process::ExitCode;

use blueque::{Client, Counts, Merged, Moved, PartitionName, QueueName, Status};
use clap::Args;
use serde::Serialize;

use crate::input::values::queue_name;
use crate::output::table::{self, Cell, Column, Row, or_dash};
use crate::output::{Code, Format, causes, fault, line, redact, say};
use crate::session::config::{LIMIT, Places};
use crate::subcommand::{Global, Subcommand};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Option<Word>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Word {
    /// List partitions with their addresses, numbers of tasks and problems
    Ls,
    /// Store the topology, or add partitions to it
    Add {
        /// Partitions that are not in the topology yet
        #[arg(value_name = "NAME=URL")]
        more: Vec<String>,
    },
    /// Move the waiting tasks of a queue to another partition
    Move {
        /// The queue
        #[arg(value_name = "QUEUE", value_parser = queue_name)]
        queue: QueueName,
        /// The partition that has the tasks
        #[arg(long, value_name = "NAME")]
        from: PartitionName,
        /// The partition that gets the tasks
        #[arg(long, value_name = "NAME")]
        to: PartitionName,
    },
    /// Move all waiting tasks of a partition to the others
    ///
    /// The partition then accepts no new tasks. Repeat the command until no task is left.
    Drain {
        /// The partition
        #[arg(value_name = "NAME")]
        from: PartitionName,
    },
}

/// The numbers of tasks of a partition that were moved and that are left.
#[derive(Serialize)]
struct MovedView {
    partition: String,
    moved: u64,
    left: u64,
    running: u64,
}

impl Row for MovedView {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("partition"), |row| row.partition.clone()),
        (Column::whole("moved"), |row| row.moved.to_string()),
        (Column::whole("left"), |row| row.left.to_string()),
        (Column::whole("running"), |row| row.running.to_string()),
    ];
}

/// A partition.
#[derive(Serialize)]
struct View {
    partition: String,
    address: String,
    namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("partition"), |row| row.partition.clone()),
        (Column::text("address").at_least(20), |row| row.address.clone()),
        (Column::text("namespace").rank(1), |row| row.namespace.clone()),
        (Column::whole("version").rank(2), |row| or_dash(row.version.as_ref())),
        (Column::whole("waiting"), |row| or_dash(row.waiting.as_ref())),
        (Column::whole("running"), |row| or_dash(row.running.as_ref())),
        (Column::whole("ended").rank(3), |row| or_dash(row.ended.as_ref())),
        (Column::text("trouble").at_least(30), |row| row.trouble.clone().unwrap_or_default()),
    ];
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let more = if let Some(Word::Add { more }) = &self.word { more.as_slice() } else { &[] };
        let done = Places::with(global.connection, more).and_then(|places| match places {
            Some(places) => run(&places, self, global.format),
            None => Err(fault(Code::Usage, "which partitions? name them with --topology, or BLUEQUE_TOPOLOGY")),
        });
        Some(done.map(Code::into))
    }
}

fn run(places: &Places, options: &Options, format: Format) -> anyhow::Result<Code> {
    match &options.word {
        None | Some(Word::Ls) => list(places, format),
        Some(Word::Add { .. }) => add(places),
        Some(Word::Move { queue, from, to }) => {
            moved(format, from, &places.reachable(LIMIT)?.move_queue(queue.as_str(), from, to)?)
        }
        Some(Word::Drain { from }) => moved(format, from, &places.reachable(LIMIT)?.drain(from)?),
    }
}

fn moved(format: Format, from: &PartitionName, moved: &Moved) -> anyhow::Result<Code> {
    let Moved { moved, left, running, .. } = *moved;
    table::write(format, &[MovedView { partition: from.to_string(), moved, left, running }])?;
    if left > 0 {
        say(
            "those that are left have begun, are of a graph or a schedule, are flagged to others, or the target refuses them",
        );
    }
    Ok(Code::Ok)
}

fn list(places: &Places, format: Format) -> anyhow::Result<Code> {
    let partitions = places.reachable(LIMIT)?;
    let found = partitions.each(numbers);
    let mut views = Vec::new();
    for name in partitions.names() {
        let settings = places.settings(name)?;
        let (version, [waiting, running, ended]) = match found.answers.get(name) {
            Some((version, numbers)) => (Some(*version), numbers.map(Some)),
            None => (None, [None; 3]),
        };
        views.push(View {
            partition: name.to_string(),
            address: settings.url().to_owned(),
            namespace: settings.namespace().to_string(),
            version,
            waiting,
            running,
            ended,
            trouble: found.missing.get(name).map(|error| redact(&causes(error))),
        });
    }
    table::write(format, &views)?;
    let unreachable = found.missing.values().any(|error| matches!(error, blueque::Error::Unavailable { .. }));
    Ok(match (found.missing.is_empty(), unreachable) {
        (true, _) => Code::Ok,
        (false, true) => Code::Unreachable,
        (false, false) => Code::Failed,
    })
}

/// Returns the version of the topology that a partition has stored, and the numbers of its waiting, running and
/// finished tasks.
fn numbers(client: &Client) -> blueque::Result<(u32, [u64; 3])> {
    let version = client.topology()?.map_or(0, |stored| stored.topology.version());
    let mut all = [0; 3];
    for queue in client.queues()? {
        // Clients without scripts may have created names of any form.
        let Ok(name) = QueueName::new(queue.name) else { continue };
        let counts: Counts = client.queue(name.as_str())?.counts()?;
        for &status in Status::ALL {
            let place = if status.is_finished() { 2 } else { usize::from(!status.is_waiting()) };
            if let Some(number) = all.get_mut(place) {
                *number += counts.of(status);
            }
        }
    }
    Ok((version, all))
}

fn add(places: &Places) -> anyhow::Result<Code> {
    let partitions = places.reachable(LIMIT)?;
    let Merged { answers, missing, .. } = partitions.stored();
    if let Some((name, error)) = missing.into_iter().next() {
        return Err(anyhow::Error::new(error).context(format!("nothing was stored, because of the partition {name}")));
    }
    let before: Vec<u32> =
        answers.into_values().map(|stored| stored.map_or(0, |stored| stored.topology.version())).collect();
    let topology = partitions.store()?;
    let names: Vec<&str> = topology.names().map(PartitionName::as_str).collect();
    line(format!("version {}: {}", topology.version(), names.join(" ")))?;
    if before.iter().all(|&version| version == topology.version()) {
        say("it was stored already; nothing was changed");
    } else if before.iter().any(|&version| version > 0) {
        let (list, has_passwords) = places.shown();
        let without = if has_passwords { " (without their passwords)" } else { "" };
        say(format!(
            "clients and workers that run go on with the former topology, and are refused when they begin anew: give \
             them {list}{without}"
        ));
    }
    Ok(Code::Ok)
}
