//! Runs a command over several partitions: in the partition of each task, in a chosen partition, or in all at the same
//! time.

mod all;
mod graphs;

use std::collections::BTreeMap;
use std::env;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use blueque::{GlobalId, GraphId, PartitionName, Statistics, TaskId};
use clap::Parser;

use self::all::{WATCH, missing, open, verdict, within};
use crate::args::{Cli, Command};
use crate::commands::{partitions, run, stats, top};
use crate::dispatch;
use crate::doctor;
use crate::output::{Code, Format, chain, code, data, fault};
use crate::session::config::Places;
use crate::session::many::{AT_ONCE, at_once};
use crate::session::merged_rows::MergedRows;
use crate::session::{Elsewhere, LIMIT, Session};
use crate::times;
use crate::view::why::why;

/// The partition of each named task, and the ids of the tasks in this partition.
type Located = BTreeMap<PartitionName, Vec<String>>;

/// Runs the command in the partitions that it concerns.
pub fn run(cli: &Cli, places: &Places) -> anyhow::Result<ExitCode> {
    let all: Vec<PartitionName> = places.chosen(&cli.connection)?.into_iter().map(|(name, _)| name).collect();
    let code = match &cli.command {
        Command::Partitions(options) => partitions::run(places, options, cli.output)?,
        Command::Doctor(options) => {
            let topology = |name: &PartitionName| open(cli, places, name).map(drop);
            let each = all.iter().map(|name| Ok((name.clone(), places.settings(name)?.clone())));
            doctor::run_all(each.collect::<anyhow::Result<_>>()?, &topology, options, cli.output)?
        }
        Command::Stats(options) => statistics(cli, places, &all, options)?,
        Command::Top(options) => {
            let looks = all.iter().map(|name| {
                let (places, name, format) = (places.clone(), name.clone(), cli.output);
                let shown = name.to_string();
                let open: top::Open = Box::new(move || {
                    let session = dispatch::at_once(places.settings(&name)?, format)?;
                    within(&places, &name, session)
                });
                (Some(shown), open)
            });
            top::run(looks.collect(), options)?
        }
        Command::Graph(options) if options.is_spread() || cli.connection.chosen.len() != 1 => {
            graphs::run(cli, places, &all, options)?
        }
        Command::Submit(_) | Command::Run(_) => return submitted(cli, places),
        Command::Ls(options) if options.watch => loop {
            if io::stdout().is_terminal() {
                // This sequence clears the screen and moves the cursor home.
                data("\x1b[2J\x1b[H")?;
            }
            spread(cli, places, &all, None)?;
            thread::sleep(WATCH);
        },
        command if is_for_all(command) => {
            once(cli, &all)?;
            spread(cli, places, &all, None)?
        }
        _ => {
            let mut own = again();
            let Some(texts) = ids(&mut own.command).map(Ids::texts) else {
                let [name] = cli.connection.chosen.as_slice() else {
                    let text = "this command works on one partition: name it with --partition";
                    return Err(fault(Code::Usage, text));
                };
                return Ok(dispatch::run(&open(cli, places, name)?, &cli.command)?.into());
            };
            let located = located(cli, places, &all, &texts)?;
            let names: Vec<PartitionName> = located.keys().cloned().collect();
            spread(cli, places, &names, Some(&located))?
        }
    };
    Ok(code.into())
}

/// Returns true if a command concerns the data of all partitions, and its answers are merged.
fn is_for_all(command: &Command) -> bool {
    match command {
        Command::Events(options) => options.task.is_none(),
        Command::Ls(_)
        | Command::Find(_)
        | Command::Queues(_)
        | Command::Workers(_)
        | Command::Tags(_)
        | Command::Groups(_)
        | Command::Limits(_)
        | Command::Limit(_)
        | Command::Tracked
        | Command::Audit(_)
        | Command::Bulk(_)
        | Command::Purge(_)
        | Command::Pause(_)
        | Command::Resume(_)
        | Command::Config(_) => true,
        _ => false,
    }
}

/// Fails for a limit that each of several partitions would apply separately, unless `--per-partition` allows it.
fn once(cli: &Cli, all: &[PartitionName]) -> anyhow::Result<()> {
    let bound = match &cli.command {
        Command::Limit(options) => options.bounds_each(),
        Command::Config(options) => options.bounds_each(),
        _ => None,
    };
    let Some(bound) = bound.filter(|_| all.len() > 1 && !cli.connection.per_partition) else { return Ok(()) };
    let text = format!(
        "{bound} holds within each partition, so {} of them allow {} times as much together: name the one whose tasks it \
         is for with --partition, or add --per-partition",
        all.len(),
        all.len()
    );
    Err(fault(Code::Usage, text))
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

/// Returns true if the command may ask for confirmation. It then runs in one partition at a time.
fn may_ask(command: &Command) -> bool {
    matches!(command, Command::Bulk(_) | Command::Purge(_))
}

/// The ids among the arguments of a command.
enum Ids<'a> {
    One(&'a mut String),
    Many(&'a mut Vec<String>),
}

impl Ids<'_> {
    fn texts(self) -> Vec<String> {
        match self {
            Self::One(id) => vec![id.clone()],
            Self::Many(ids) => ids.clone(),
        }
    }

    fn set(self, texts: &[String]) {
        match self {
            Self::One(id) => texts.first().into_iter().for_each(|text| id.clone_from(text)),
            Self::Many(ids) => *ids = texts.to_vec(),
        }
    }
}

fn ids(command: &mut Command) -> Option<Ids<'_>> {
    Some(match command {
        Command::Show(options) => Ids::One(&mut options.id),
        Command::Logs(options) => Ids::One(&mut options.id),
        Command::Why(options) => Ids::One(&mut options.id),
        Command::History(options) => Ids::One(&mut options.id),
        Command::Note(options) => Ids::One(&mut options.id),
        Command::Edit(options) => Ids::One(&mut options.id),
        Command::Tag(options) | Command::Untag(options) => Ids::One(&mut options.id),
        Command::Undepend(options) => Ids::One(&mut options.id),
        Command::Events(options) => Ids::One(options.task.as_mut()?),
        Command::Wait(options) => Ids::Many(&mut options.ids),
        Command::Cancel(options) => Ids::Many(&mut options.tasks.ids),
        Command::Retry(options) => Ids::Many(&mut options.tasks.ids),
        Command::Requeue(options) => Ids::Many(&mut options.tasks.ids),
        Command::Delete(options) => Ids::Many(&mut options.tasks.ids),
        Command::Prioritise(options) => Ids::Many(&mut options.tasks.ids),
        Command::Depend(options) => Ids::Many(&mut options.tasks.ids),
        Command::Move(options) => Ids::Many(&mut options.tasks.ids),
        Command::Track(options) | Command::Untrack(options) => Ids::Many(&mut options.tasks.ids),
        _ => return None,
    })
}

/// Returns the upstream ids among the arguments of a command.
fn upstreams(command: &mut Command) -> Vec<&mut TaskId> {
    match command {
        Command::Submit(options) => options.new.waits_for(),
        Command::Run(options) => options.new.waits_for(),
        Command::Depend(options) => options.waits_for(),
        Command::Undepend(options) => options.upstreams.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Parses the command again, for another partition.
fn again() -> Cli {
    Cli::parse_from(env::args_os())
}

/// Runs the command in these partitions, with the ids of each partition, and writes the rows of all partitions
/// together.
fn spread(cli: &Cli, places: &Places, names: &[PartitionName], ids_of: Option<&Located>) -> anyhow::Result<Code> {
    let merged_rows = Arc::new(MergedRows::default());
    let alone = names.len() == 1;
    let most = if may_ask(&cli.command) { 1 } else { AT_ONCE };
    let outcomes = at_once(names, most, |name| {
        let mut own = again();
        if let Command::Ls(options) = &mut own.command {
            options.watch = false;
        }
        if let (Some(texts), Some(ids)) = (ids_of.and_then(|located| located.get(name)), ids(&mut own.command)) {
            ids.set(texts);
        }
        link(places, name, &mut own.command)?;
        let session = open(&own, places, name)?;
        let elsewhere = Some(elsewhere(places, name, cli.output));
        let session = Session { merged_rows: (!alone).then(|| merged_rows.clone()), elsewhere, ..session };
        let done = dispatch::run(&session, &own.command)?;
        if let (Command::Retry(options), Code::Ok) = (&own.command, done) {
            link_again(places, name, &session, &options.tasks.ids)?;
        }
        Ok(done)
    });
    merged_rows.write(cli.output)?;
    verdict(outcomes)
}

/// Returns a function that gives the reason why a task of another partition has not ended.
fn elsewhere(places: &Places, here: &PartitionName, format: Format) -> Elsewhere {
    let (places, here) = (places.clone(), here.clone());
    Arc::new(move |text| {
        let Ok(id) = text.as_str().parse::<GlobalId>() else { return String::new() };
        let told = || {
            let session =
                within(&places, id.partition(), dispatch::at_once(places.settings(id.partition())?, format)?)?;
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
fn located(cli: &Cli, places: &Places, all: &[PartitionName], texts: &[String]) -> anyhow::Result<Located> {
    let mut located = Located::new();
    let mut bare = Vec::new();
    for text in texts {
        match text.split_once(':').and_then(|(name, rest)| Some((PartitionName::new(name).ok()?, rest))) {
            Some((name, rest)) if all.contains(&name) => located.entry(name).or_default().push(rest.to_owned()),
            Some((name, _)) if places.settings(&name).is_ok() => {
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
        let session = open(cli, places, name)?;
        let has = |text: &&&String| match session.find_tasks(text).next() {
            Some((_, Err(error))) if code(&error) == Code::NotFound => Ok(false),
            Some((_, found)) => found.map(|_| true),
            None => Ok(false),
        };
        bare.iter().map(|text| Ok((has(&text)?, *text))).collect::<anyhow::Result<Vec<_>>>()
    });
    let mut away = None;
    let mut has: BTreeMap<&String, Vec<PartitionName>> = BTreeMap::new();
    for (name, found) in found {
        match found {
            Ok(found) => found.into_iter().filter(|(has, _)| *has).for_each(|(_, text)| {
                has.entry(text).or_default().push(name.clone());
            }),
            Err(error) => {
                missing(&name, &error);
                away = Some(error);
            }
        }
    }
    for text in bare {
        match has.remove(text).unwrap_or_default().as_slice() {
            [only] => located.entry(only.clone()).or_default().push(text.clone()),
            [] => {
                let why = format!("no partition has a task whose id is, or begins with, {text}");
                return Err(away.map_or_else(
                    || fault(Code::NotFound, why.clone()),
                    |_| fault(Code::Unreachable, format!("of those that answered {why}")),
                ));
            }
            several => {
                let names: Vec<String> = several.iter().map(|name| format!("{name}:{text}")).collect();
                return Err(fault(Code::Usage, format!("{text} is ambiguous: {}", names.join(", "))));
            }
        }
    }
    Ok(located)
}

/// Replaces upstream ids with ids that the partition knows: its own ids, and placeholders for tasks of other
/// partitions.
fn link(places: &Places, here: &PartitionName, command: &mut Command) -> anyhow::Result<()> {
    let undoes = matches!(command, Command::Undepend(_));
    let mut reachable = None;
    for upstream in upstreams(command) {
        let Ok(global) = upstream.as_str().parse::<GlobalId>() else { continue };
        if global.partition() == here {
            *upstream = global.task().clone();
        } else if places.settings(global.partition()).is_ok() && !undoes {
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
fn submitted(cli: &Cli, places: &Places) -> anyhow::Result<ExitCode> {
    let mut own = again();
    let of_upstream = upstreams(&mut own.command)
        .into_iter()
        .find_map(|id| id.as_str().parse::<GlobalId>().ok().map(|id| id.partition().clone()))
        .filter(|name| places.settings(name).is_ok());
    let (pins, id) = match &mut own.command {
        Command::Submit(options) => (options.new.pins(), options.new.own_id().to_string()),
        Command::Run(options) => (options.new.pins(), options.new.own_id().to_string()),
        _ => (Vec::new(), String::new()),
    };
    let name = match (cli.connection.chosen.as_slice(), of_upstream) {
        ([name], _) => name.clone(),
        ([], Some(name)) => name,
        ([], None) => places.partitions.place_of(pins.first().map_or(&id, |(_, key)| key))?.clone(),
        _ => return Err(fault(Code::Usage, "a task is submitted to one partition: name it with --partition")),
    };
    if !cli.connection.per_partition {
        pinned(places, &name, &pins)?;
    }
    link(places, &name, &mut own.command)?;
    let session = open(&own, places, &name)?;
    match &own.command {
        Command::Run(options) => run::run(&session, options),
        command => Ok(dispatch::run(&session, command)?.into()),
    }
}

/// Writes the statistics of all partitions that answered.
fn statistics(cli: &Cli, places: &Places, all: &[PartitionName], options: &stats::Options) -> anyhow::Result<Code> {
    let found = at_once(all, AT_ONCE, |name| stats::read(&open(cli, places, name)?, options));
    let (mut answers, mut outcomes): (Vec<Statistics>, Vec<_>) = (Vec::new(), Vec::new());
    for (name, found) in found {
        let outcome = found.map(|found| {
            answers.push(found);
            Code::Ok
        });
        outcomes.push((name, outcome));
    }
    if let Some(found) = stats::together(answers) {
        stats::write(cli.output, options, &found)?;
    }
    verdict(outcomes)
}
