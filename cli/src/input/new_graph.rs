//! The submission of a graph.

use blueque::{Error, Graph, GraphId, SubmittedGraph};

use crate::output::{Code, fault, say};
use crate::session::Session;

/// Submits a graph with this id.
pub fn submit_graph(session: &Session, graph: &Graph, id: &GraphId) -> anyhow::Result<SubmittedGraph> {
    graph.check().map_err(|error| fault(Code::Usage, error.to_string()))?;
    let made = session.client.submit_graph(graph).map_err(|error| match error {
        lost @ Error::Unavailable { .. } => {
            anyhow::Error::new(lost).context(format!("the graph may exist: repeat it with --id {id}"))
        }
        error => error.into(),
    })?;
    if !made.created {
        say(format!("{id} exists already; nothing was created"));
    }
    Ok(made)
}
