//! The submission of a graph.

use blueque::{Error, Graph, GraphId, SubmittedGraph};

use super::trace;
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::session::caller::submitter;

/// Submits a graph with this id in one namespace.
pub fn submit_graph(session: &Session, graph: &Graph, id: &GraphId) -> anyhow::Result<SubmittedGraph> {
    check(graph)?;
    submitted(session.client.submit_graph(&own(graph.clone())), id)
}

/// Returns the graph with the trace of the environment and with its submitter, unless this user hides it.
pub fn own(graph: Graph) -> Graph {
    let graph = trace::of_environment().into_iter().fold(graph, Graph::trace);
    submitter().into_iter().fold(graph, Graph::submitter)
}

/// Fails for an invalid graph, before any call.
pub fn check(graph: &Graph) -> anyhow::Result<()> {
    graph.check().map_err(|error| fault(Code::Usage, error.to_string()))
}

/// Reports the outcome of a submit. The error for a lost reply names the id with which the submit can be repeated.
pub fn submitted(made: blueque::Result<SubmittedGraph>, id: &GraphId) -> anyhow::Result<SubmittedGraph> {
    let made = made.map_err(|error| match error {
        lost @ Error::Unavailable { .. } => {
            anyhow::Error::new(lost).context(format!("the graph may exist: repeat it with --id {id}"))
        }
        error => error.into(),
    })?;
    if !made.created {
        say(format!("{} exists already; nothing was created", made.graph));
    }
    for name in &made.coming {
        say(format!("partition {name} does not answer any more: a worker brings it its part when it is back"));
    }
    Ok(made)
}
