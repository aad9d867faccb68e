//! The graphs of a session.

use blueque::{GraphId, GraphMember};

use super::Session;
use crate::output::{Code, fault};

impl Session {
    /// Returns the tasks of a graph, each after its upstreams. Fails in a partition that does not have the graph.
    pub fn members(&self, id: &GraphId) -> anyhow::Result<Vec<GraphMember>> {
        let tasks = self.client.graph(id.as_str())?.tasks().collect::<Result<Vec<_>, _>>();
        match tasks {
            Err(error) if self.is_one_of_many() && error.code() == Some(blueque::Code::NoTask) => Ok(Vec::new()),
            tasks => known(id, tasks),
        }
    }
}

/// Converts the reply of a call about a graph. The error for a missing graph names the graph.
pub fn known<T>(id: &GraphId, answer: blueque::Result<T>) -> anyhow::Result<T> {
    match answer {
        Err(error) if error.code() == Some(blueque::Code::NoTask) => {
            Err(fault(Code::NotFound, format!("there is no graph {id}")))
        }
        answer => Ok(answer?),
    }
}
