//! Runs a command over several partitions: in the partition of each task, in a chosen partition, or in all at the same
//! time.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use blueque::{GlobalId, GraphId, PartitionName, TaskId};

use crate::args::Cli;
use crate::commands::Command;
use crate::last_submitted::{self, Last};
use crate::output::{Code, Format, chain, code, data, fault};
use crate::session::config::{LIMIT, Places};
use crate::session::many::{AT_ONCE, at_once};
use crate::session::merged_rows::MergedRows;
use crate::session::several::{self, Several, missing, verdict};
use crate::session::{RemoteWhy, Session};
use crate::subcommand::{Choice, Scope};
use crate::times;
use crate::view::why::why;

/// The refresh interval of `ls --watch`.
const WATCH: Duration = Duration::from_secs(1);

/// The partition of each named task, and the ids of the tasks in this partition.
type Located = BTreeMap<PartitionName, Vec<String>>;

/// Runs the command in the partitions that it concerns.
pub fn run(cli: Cli, places: &Places) -> anyhow::Result<Code> {
    let all: Vec<PartitionName> = places.chosen(&cli.connection)?.into_iter().map(|(name, _)| name).collect();
    let Cli { connection, output, mut command } = cli;
    let (watches, waits) = (command.chosen().take_watch(), command.chosen().waits());
    let several = Several { places, flags: &connection, all: &all, format: output, waits };
    if let Some(done) = command.chosen().combine(&several) {
        return done;
    }
    let last = match all.first() {
        Some(first) => last_submitted::resolve(&mut command, places.settings(first)?.namespace())?,
        None => Last::default(),
    };
    let (texts, most) = match command.scope() {
        Scope::Task(id) => (vec![id.clone()], AT_ONCE),
        Scope::Tasks(ids) | Scope::Reruns(ids) => (ids.clone(), AT_ONCE),
        Scope::NewTask(_) => return submitted(&several, command),
        Scope::Limit(limit) if all.len() > 1 && !connection.per_partition => {
            let number = all.len();
            let text = format!(
                "{limit} holds within each partition, so {number} of them allow {number} times as much together: name \
                 the one whose tasks it is for with --partition, or add --per-partition"
            );
            return Err(fault(Code::Usage, text));
        }
        Scope::All | Scope::Limit(_) => (Vec::new(), AT_ONCE),
        Scope::InTurn => (Vec::new(), 1),
        Scope::Named => {
            let [name] = connection.chosen.as_slice() else {
                return Err(fault(Code::Usage, "this command works on one partition: name it with --partition"));
            };
            return command.chosen().run(&several.open(name)?);
        }
    };
    let located = match texts.as_slice() {
        [] => all.iter().map(|name| (name.clone(), Vec::new())).collect(),
        texts => located(&several, texts).map_err(|error| last.explain(error))?,
    };
    loop {
        if watches && io::stdout().is_terminal() {
            // This sequence clears the screen and moves the cursor home.
            data("\x1b[2J\x1b[H")?;
        }
        let code = spread(&several, &located, most, &command)?;
        if !watches {
            return Ok(code);
        }
        thread::sleep(WATCH);
    }
}

/// Fails if a task would go to a partition other than that of its key or its unique name.
fn pinned(places: &Places, name: &PartitionName, pins: &[(&str, String)]) -> anyhow::Result<()> {
    for (what, pin) in pins {
        let own = places.partitions.place_of(pin)?;
        if own != name {
            let text = format!(
                "the {what} {pin} belongs to partition {own}, and counts nothing of it in {name}, where this task would \
                 go: leave out --partition, or add --per-partition if it is to count in {name} by itself"
            );
            return Err(fault(Code::Usage, text));
        }
    }
    Ok(())
}

/// Runs the command in these partitions, `most` at the same time, with the ids of each partition, and writes the rows of
/// all partitions together.
fn spread(several: &Several<'_>, located: &Located, most: usize, command: &Command) -> anyhow::Result<Code> {
    let merged_rows = Arc::new(MergedRows::default());
    let names: Vec<PartitionName> = located.keys().cloned().collect();
    let outcomes = at_once(&names, most, |name| {
        let mut own = command.clone();
        let texts = located.get(name).map_or(&[][..], Vec::as_slice);
        let mut reruns = false;
        match own.scope() {
            Scope::Task(id) => texts.iter().for_each(|text| id.clone_from(text)),
            Scope::Tasks(ids) => *ids = texts.to_vec(),
            Scope::Reruns(ids) => (*ids, reruns) = (texts.to_vec(), true),
            _ => {}
        }
        link(several.places, name, &mut own)?;
        let remote_why = Some(remote_why(several.places, name, several.format));
        let merged_rows = (names.len() > 1).then(|| merged_rows.clone());
        let session = Session { merged_rows, remote_why, ..several.open(name)? };
        let done = own.chosen().run(&session)?;
        if reruns && done == Code::Ok {
            link_again(several.places, name, &session, texts)?;
        }
        Ok(done)
    });
    merged_rows.write(several.format)?;
    verdict(outcomes)
}

/// Returns a function that gives the reason why a task of another partition has not ended.
fn remote_why(places: &Places, here: &PartitionName, format: Format) -> RemoteWhy {
    let (places, here) = (places.clone(), here.clone());
    Arc::new(move |text| {
        let Ok(id) = text.as_str().parse::<GlobalId>() else { return String::new() };
        let told = || {
            let session = several::at_once(&places, id.partition(), format)?;
            let (task, info) = session.find_task(id.task().as_str())?;
            anyhow::Ok(why(&session, &task, &info)?.with(None))
        };
        match told() {
            Ok(sentence) => format!("{id}: {sentence}"),
            Err(error) if code(&error) == Code::Unreachable => {
                let from = places.reachable(LIMIT).ok();
                let since = from.and_then(|from| from.away_since(id.partition(), &here).ok().flatten());
                let since = since.map(|since| format!(" since {}", times::to_the_second(since))).unwrap_or_default();
                format!("Partition {} cannot be reached{since}: {}.", id.partition(), chain(&error))
            }
            Err(error) => match unmade(&places, &here, &id) {
                Some(why) => format!("Partition {}: {why}.", id.partition()),
                None => format!("{id}: {}.", chain(&error)),
            },
        }
    })
}

/// Returns the reason why a task of another partition does not exist: its part of the graph was not created.
fn unmade(places: &Places, here: &PartitionName, id: &GlobalId) -> Option<String> {
    let partitions = places.reachable(LIMIT).ok()?;
    let stands = partitions.partition(here).ok()?.task(&id.to_string()).ok()?.info().ok()?;
    let graph = partitions.find_graph(&GraphId::new(stands.graph()?).ok()?).ok()?;
    graph.look().ok()?.missing.remove(id.partition()).map(|error| error.to_string())
}

/// Finds the partition of each task: the partition in its id, or the only partition that has a task with this id.
fn located(several: &Several<'_>, texts: &[String]) -> anyhow::Result<Located> {
    let all = several.all;
    let mut located = Located::new();
    let mut bare = Vec::new();
    for text in texts {
        match text.split_once(':').and_then(|(name, rest)| Some((PartitionName::new(name).ok()?, rest))) {
            Some((name, rest)) if all.contains(&name) => located.entry(name).or_default().push(rest.to_owned()),
            Some((name, _)) if several.places.settings(&name).is_ok() => {
                let text = format!("{text} is a task of another partition than the one of --partition");
                return Err(fault(Code::Usage, text));
            }
            _ => bare.push(text),
        }
    }
    if bare.is_empty() || all.len() == 1 {
        if let (Some(only), false) = (all.first(), bare.is_empty()) {
            located.entry(only.clone()).or_default().extend(bare.into_iter().cloned());
        }
        return Ok(located);
    }
    let found = at_once(all, AT_ONCE, |name| {
        let session = several.open(name)?;
        let has = |text: &&&String| match session.find_tasks(text).next() {
            Some((_, Err(error))) if code(&error) == Code::NotFound => Ok(None),
            // A member of a graph has a name of its own. A graph may have parts in several partitions.
            Some((name, found)) => found.map(|_| Some(name != ***text)),
            None => Ok(None),
        };
        let found = bare.iter().map(|text| Ok((has(&text)?, *text))).collect::<anyhow::Result<Vec<_>>>()?;
        anyhow::Ok(found.into_iter().filter_map(|(whole, text)| Some((whole?, text))).collect::<Vec<_>>())
    });
    let mut away = None;
    let mut has: BTreeMap<&String, Vec<(PartitionName, bool)>> = BTreeMap::new();
    for (name, found) in found {
        match found {
            Ok(found) => found.into_iter().for_each(|(whole, text)| {
                has.entry(text).or_default().push((name.clone(), whole));
            }),
            Err(error) => {
                missing(&name, &error);
                away = Some(error);
            }
        }
    }
    for text in bare {
        match has.remove(text).unwrap_or_default().as_slice() {
            [(only, _)] => located.entry(only.clone()).or_default().push(text.clone()),
            parts if !parts.is_empty() && parts.iter().all(|(_, whole)| *whole) => {
                for (name, _) in parts {
                    located.entry(name.clone()).or_default().push(text.clone());
                }
            }
            [] => {
                let why = format!("no partition has a task whose id is, or begins with, {text}");
                return Err(away.map_or_else(
                    || fault(Code::NotFound, why.clone()),
                    |_| fault(Code::Unreachable, format!("of those that answered {why}")),
                ));
            }
            several => {
                let names: Vec<String> = several.iter().map(|(name, _)| format!("{name}:{text}")).collect();
                return Err(fault(Code::Usage, format!("{text} is ambiguous: {}", names.join(", "))));
            }
        }
    }
    Ok(located)
}

/// Replaces upstream ids with ids that the partition knows: its own ids, and placeholders for tasks of other
/// partitions.
fn link(places: &Places, here: &PartitionName, command: &mut Command) -> anyhow::Result<()> {
    let links = command.chosen().links();
    let mut reachable = None;
    for upstream in command.chosen().upstreams() {
        let Ok(global) = upstream.as_str().parse::<GlobalId>() else { continue };
        if global.partition() == here {
            *upstream = global.task().clone();
        } else if places.settings(global.partition()).is_ok() && links {
            let partitions = match &reachable {
                Some(known) => known,
                None => reachable.insert(places.reachable(LIMIT)?),
            };
            *upstream = partitions.link(&global, here)?;
        }
    }
    Ok(())
}

/// Makes other partitions wait for the next end of retried tasks.
fn link_again(places: &Places, here: &PartitionName, session: &Session, ids: &[String]) -> anyhow::Result<()> {
    let partitions = places.reachable(LIMIT)?;
    for (_, found) in ids.iter().flat_map(|id| session.find_tasks(id)) {
        partitions.link_again(&GlobalId::new(here.clone(), found?.0))?;
    }
    Ok(())
}

/// Submits a task to a partition: the named partition, the partition of its upstreams, or the partition of its key.
fn submitted(several: &Several<'_>, mut command: Command) -> anyhow::Result<Code> {
    let places = several.places;
    let global = |id: &mut TaskId| id.as_str().parse::<GlobalId>().ok().map(|id| id.partition().clone());
    let of_upstream = command.chosen().upstreams().into_iter().find_map(global);
    let of_upstream = of_upstream.filter(|name| places.settings(name).is_ok());
    let (pins, id) = match command.scope() {
        Scope::NewTask(new) => (new.pins(), new.own_id().to_string()),
        _ => (Vec::new(), String::new()),
    };
    let name = match (several.flags.chosen.as_slice(), of_upstream) {
        ([name], _) => name.clone(),
        ([], Some(name)) => name,
        ([], None) => places.partitions.place_of(pins.first().map_or(&id, |(_, key)| key))?.clone(),
        _ => return Err(fault(Code::Usage, "a task is submitted to one partition: name it with --partition")),
    };
    if !several.flags.per_partition {
        pinned(places, &name, &pins)?;
    }
    link(places, &name, &mut command)?;
    command.chosen().run(&several.open(&name)?)
}
