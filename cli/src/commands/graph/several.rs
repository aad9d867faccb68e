//! `blueque graph` over several partitions.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::thread;
use std::time::Instant;

use blueque::calls::{CancelGraphOptions, RetryGraphOptions};
use blueque::{Error, GraphId, GraphParts, GraphSummary, PartitionName, SpreadGraph};

use super::words::{WATCH, Word, late, outcome};
use crate::input::document::Document;
use crate::output::table;
use crate::output::{Code, Format, code, data, fault, say};
use crate::session::config::{LIMIT, Places};
use crate::session::many::{AT_ONCE, at_once};
use crate::session::several::{Several, missing, verdict};
use crate::view::graph::{Made, Standing, Summary, Whole};

pub fn run(several: &Several<'_>, word: &Word) -> anyhow::Result<Code> {
    let (places, format) = (several.places, several.format);
    match word {
        Word::Submit { document, id } => submit(several, document, id.as_ref()),
        Word::Ls { status, name, tag, limit } => list(several, *limit as usize, |graph| {
            (status.is_empty() || status.contains(&Standing::of(graph)))
                && (name.is_none() || graph.name == *name)
                && tag.as_ref().is_none_or(|tag| graph.tags.contains(tag))
        }),
        Word::Show { id, all: whole, watch } => show(format, &Spread::find(places, id)?, *whole, *watch),
        Word::Export { id, format: drawing } => {
            let (graph, code) = Spread::find(places, id)?.look()?;
            graph.draw(*drawing)?;
            Ok(code)
        }
        Word::Cancel { id, task, force, reason } => {
            let spread = Spread::find(places, id)?;
            let task = task.as_deref().map(|task| spread.known(spread.graph.member(task))).transpose()?;
            let options = CancelGraphOptions::new().force(*force);
            let done = spread.graph.cancel(task.as_ref(), reason, &options);
            spread.after(format, done)
        }
        Word::Retry { id, from, deadline } => {
            let spread = Spread::find(places, id)?;
            let how = deadline.iter().map(|at| at.time()).fold(RetryGraphOptions::new(), RetryGraphOptions::deadline);
            let done = match from {
                Some(from) => spread.retry_from(from, &how)?,
                None => spread.graph.retry(&how),
            };
            spread.after(format, done)
        }
        Word::Wait { id, timeout } => {
            let begun = Instant::now();
            let spread = Spread::find(places, id)?;
            let left = timeout.map_or(std::time::Duration::MAX, |timeout| timeout.saturating_sub(begun.elapsed()));
            let found = match spread.graph.wait(left) {
                Err(Error::TimedOut(_)) => {
                    // This call reports unreachable partitions, for which the graph may wait forever.
                    spread.look()?;
                    return Err(late(&spread.id, *timeout));
                }
                found => spread.known(found)?,
            };
            let mut code = outcome(&found.tasks);
            for (name, error) in found.missing {
                code = missing(&name, &anyhow::Error::new(error));
            }
            stand(format, &Whole::new(&spread.id, &found.info, found.tasks))?;
            Ok(code)
        }
    }
}

/// A graph whose tasks may be in several partitions. The id names the partition of the graph.
struct Spread {
    graph: SpreadGraph,
    id: String,
}

impl Spread {
    /// Finds a graph by its id, which may name the partition or not.
    fn find(places: &Places, id: &GraphId) -> anyhow::Result<Self> {
        let partitions = places.reachable(LIMIT)?;
        let named = id.as_str().split_once(':').and_then(|(name, rest)| {
            let name = PartitionName::new(name).ok().filter(|name| places.settings(name).is_ok())?;
            Some((name, GraphId::new(rest).ok()?))
        });
        let graph = match named {
            Some((home, id)) => partitions.graph(&home, &id),
            None => known(id.as_str(), partitions.find_graph(id))?,
        };
        let id = format!("{}:{}", graph.home(), graph.id());
        Ok(Self { graph, id })
    }

    fn known<T>(&self, answer: blueque::Result<T>) -> anyhow::Result<T> {
        known(&self.id, answer)
    }

    /// Returns the reachable parts of the graph, and an exit code that is not `Ok` if a part is missing.
    fn look(&self) -> anyhow::Result<(Whole, Code)> {
        let GraphParts { info, tasks, missing: away, .. } = self.known(self.graph.look())?;
        let mut worst = Code::Ok;
        for (name, error) in away {
            worst = missing(&name, &anyhow::Error::new(error));
        }
        Ok((Whole::new(&self.id, &info, tasks), worst))
    }

    /// Runs a task again, and all tasks downstream of it. Fails before any change if a partition is unreachable.
    fn retry_from(&self, task: &str, how: &RetryGraphOptions) -> anyhow::Result<blueque::Result<()>> {
        let found = self.known(self.graph.look())?;
        if let Some((name, error)) = found.missing.into_iter().find(|(_, error)| error.is_transient()) {
            let error = anyhow::Error::new(error);
            let code = code(&error);
            return Err(error.context(fault(code, format!("partition {name} does not answer; nothing was changed"))));
        }
        let task = self.known(self.graph.member(task))?;
        Ok(self.graph.retry_from(&task, how))
    }

    /// Shows the state of the graph after a call.
    fn after(&self, format: Format, done: blueque::Result<()>) -> anyhow::Result<Code> {
        let (graph, code) = self.look()?;
        stand(format, &graph)?;
        // The call of `look` has reported the partitions that did not answer.
        match done {
            Err(error) if !error.is_transient() => self.known(Err(error)),
            Err(_) => Ok(Code::Unreachable),
            Ok(()) => Ok(code),
        }
    }
}

fn known<T>(id: &str, answer: blueque::Result<T>) -> anyhow::Result<T> {
    match answer {
        Err(Error::State { code: blueque::Code::NoTask, text }) if text.starts_with("no task") => {
            Err(fault(Code::NotFound, text))
        }
        Err(error) if error.code() == Some(blueque::Code::NoTask) => {
            Err(fault(Code::NotFound, format!("there is no graph {id}")))
        }
        answer => Ok(answer?),
    }
}

fn stand(format: Format, graph: &Whole) -> anyhow::Result<()> {
    if format == Format::Table {
        say(graph.sentence());
        return Ok(());
    }
    graph.write(format, false)
}

fn submit(several: &Several<'_>, document: &Document, id: Option<&GraphId>) -> anyhow::Result<Code> {
    let otherwise = match several.flags.chosen.as_slice() {
        [] => None,
        [only] => Some(only),
        _ => return Err(fault(Code::Usage, "name one partition: that of the tasks which name none")),
    };
    let id = id.cloned().unwrap_or_else(GraphId::random);
    let graph = document.over(several.places.partitions.names().cloned().collect())?.id(id.clone());
    graph.check().map_err(|error| fault(Code::Usage, error.to_string()))?;
    let partitions = several.places.reachable(LIMIT)?;
    // If a partition is unreachable, this fails before anything is created.
    let names = partitions.partitions_of(&graph, otherwise)?;
    for (name, found) in at_once(&names, AT_ONCE, |name| several.open(name).map(drop)) {
        found.map_err(|error| {
            let code = code(&error);
            error.context(fault(code, format!("partition {name} does not answer; nothing was made")))
        })?;
    }
    let made = partitions.submit_graph(&graph, otherwise).map_err(|error| match error {
        lost @ Error::Unavailable { .. } => {
            anyhow::Error::new(lost).context(format!("the graph may exist: repeat it with --id {id}"))
        }
        Error::NotFound => {
            let text = "a task outside of the graph for which it waits does not exist; nothing was made";
            fault(Code::NotFound, text)
        }
        error => error.into(),
    })?;
    if !made.created {
        say(format!("{}:{id} exists already; nothing was created", made.graph.home()));
    }
    for name in &made.coming {
        say(format!("partition {name} does not answer any more: a worker brings it its part when it is back"));
    }
    Made::spread(&made).write(several.format)?;
    Ok(Code::Ok)
}

fn show(format: Format, spread: &Spread, whole: bool, watch: bool) -> anyhow::Result<Code> {
    loop {
        let (graph, code) = spread.look()?;
        if !watch {
            graph.write(format, whole)?;
            return Ok(code);
        }
        if io::stdout().is_terminal() {
            // This sequence clears the screen and moves the cursor home.
            data("\x1b[2J\x1b[H")?;
        }
        let hidden = graph.write_screen(format, whole)?;
        if hidden > 0 {
            say(format!("+{hidden} lines"));
        }
        if code == Code::Ok && graph.has_ended() {
            return Ok(Code::Ok);
        }
        thread::sleep(WATCH);
    }
}

/// Lists the graphs of all partitions, the latest first. The parts of a graph are merged.
fn list(several: &Several<'_>, limit: usize, fits: impl Fn(&GraphSummary) -> bool) -> anyhow::Result<Code> {
    let found = at_once(several.all, AT_ONCE, |name| {
        let session = several.open(name)?;
        // More graphs than the limit are read, because several of them may be parts of one graph.
        let some = session.client.graphs().take(10 * limit + 1).collect::<blueque::Result<Vec<_>>>()?;
        anyhow::Ok(some)
    });
    let (mut outcomes, mut graphs) = (Vec::new(), BTreeMap::<GraphId, Vec<(PartitionName, GraphSummary)>>::new());
    for (name, found) in found {
        outcomes.push((
            name.clone(),
            found.map(|found| {
                for graph in found {
                    graphs.entry(graph.id.clone()).or_default().push((name.clone(), graph));
                }
                Code::Ok
            }),
        ));
    }
    let partitions = several.places.reachable(LIMIT)?;
    let mut rows = Vec::new();
    for (id, mut parts) in graphs {
        if parts.len() > 1
            && let Ok(graph) = partitions.find_graph(&id)
            && let Ok(found) = graph.look()
        {
            parts.retain(|(name, _)| name == graph.home());
            for (_, part) in &mut parts {
                (part.total, part.left) = (found.info.total, found.info.total);
                (part.complete, part.failed) = (found.info.complete, found.info.failed);
                part.cancelled = found.info.cancelled;
            }
        }
        rows.extend(parts);
    }
    rows.retain(|(_, graph)| fits(graph));
    rows.sort_by_key(|(_, graph)| std::cmp::Reverse(graph.created));
    let more = rows.len() > limit;
    let shown = rows.into_iter().take(limit).map(|(name, graph)| Summary::of(&name, graph));
    table::write(several.format, &shown.collect::<Vec<_>>())?;
    if more && several.format == Format::Table {
        say(format!("the latest {limit} graphs; --limit shows more"));
    }
    verdict(outcomes)
}
