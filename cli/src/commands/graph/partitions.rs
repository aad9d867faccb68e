//! Graphs of several partitions.

use std::collections::BTreeMap;

use blueque::{Error, GraphHandle, GraphId, GraphSummary, PartitionName, SubmittedGraph};

use crate::input::document::Document;
use crate::input::new_graph::{check, own, submitted};
use crate::output::{Code, code, fault};
use crate::session::config::{LIMIT, Places};
use crate::session::graphs::known;
use crate::session::many::{AT_ONCE, at_once};
use crate::session::several::{Several, verdict};
use crate::view::graph::Summary;

/// Finds a graph by its id, which may name the partition or not.
pub fn find(places: &Places, id: &GraphId) -> anyhow::Result<GraphHandle> {
    let partitions = places.reachable(LIMIT)?;
    let named = id.as_str().split_once(':').and_then(|(name, rest)| {
        let name = PartitionName::new(name).ok().filter(|name| places.settings(name).is_ok())?;
        Some((name, GraphId::new(rest).ok()?))
    });
    match named {
        Some((home, id)) => Ok(partitions.graph(&home, &id)),
        None => known(id, partitions.find_graph(id)),
    }
}

/// Returns the error for a partition that does not answer.
pub fn away(name: &PartitionName, error: anyhow::Error, outcome: &str) -> anyhow::Error {
    let code = code(&error);
    error.context(fault(code, format!("partition {name} does not answer; {outcome}")))
}

pub fn submit(several: &Several<'_>, document: &Document, id: &GraphId) -> anyhow::Result<SubmittedGraph> {
    let otherwise = match several.flags.chosen.as_slice() {
        [] => None,
        [only] => Some(only),
        _ => return Err(fault(Code::Usage, "name one partition: that of the tasks which name none")),
    };
    let graph = document.over(several.places.partitions.names().cloned().collect())?.id(id.clone());
    check(&graph)?;
    let partitions = several.places.reachable(LIMIT)?;
    // If a partition is unreachable, this fails before anything is created.
    let names = partitions.partitions_of(&graph, otherwise)?;
    for (name, found) in at_once(&names, AT_ONCE, |name| several.open(name).map(drop)) {
        found.map_err(|error| away(&name, error, "nothing was made"))?;
    }
    match partitions.submit_graph(&own(graph), otherwise) {
        Err(Error::NotFound) => {
            let text = "a task outside of the graph for which it waits does not exist; nothing was made";
            Err(fault(Code::NotFound, text))
        }
        made => submitted(made, id),
    }
}

/// Returns the latest graphs of all partitions, one more than the limit if there are more. The parts of a graph are
/// merged.
pub fn list(
    several: &Several<'_>,
    limit: usize,
    fits: impl Fn(&GraphSummary) -> bool,
) -> anyhow::Result<(Vec<Summary>, Code)> {
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
            parts.retain(|(name, _)| Some(name) == graph.home());
            for (_, part) in &mut parts {
                (part.total, part.left) = (found.info.total, found.info.total);
                (part.complete, part.failed) = (found.info.complete, found.info.failed);
                (part.cancelled, part.skipped) = (found.info.cancelled, found.info.skipped);
            }
        }
        rows.extend(parts);
    }
    rows.retain(|(_, graph)| fits(graph));
    rows.sort_by_key(|(_, graph)| std::cmp::Reverse(graph.created));
    let shown = rows.into_iter().take(limit + 1).map(|(name, graph)| Summary::of(&name, graph));
    Ok((shown.collect(), verdict(outcomes)?))
}
