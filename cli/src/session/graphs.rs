//! The graphs of a session.

use std::fmt::Display;

use blueque::{Error, GraphId, GraphMember};

use super::Session;
use crate::output::{Code, clean, fault};

impl Session {
    /// Returns the tasks of a graph, each after its upstreams. Fails in a partition that does not have the graph.
    pub fn members(&self, id: &GraphId) -> anyhow::Result<Vec<GraphMember>> {
        match self.client.graph(id.as_str())?.look() {
            Err(error) if self.is_one_of_many() && error.code() == Some(blueque::Code::NoTask) => Ok(Vec::new()),
            found => Ok(known(id, found)?.tasks),
        }
    }
}

/// Converts the reply of a call about a graph. The error for a missing graph or task names it.
pub fn known<T>(id: &impl Display, answer: blueque::Result<T>) -> anyhow::Result<T> {
    match answer {
        Err(Error::State { code: blueque::Code::NoTask, text }) if text.starts_with("no task") => {
            Err(fault(Code::NotFound, clean(&text)))
        }
        Err(error) if error.code() == Some(blueque::Code::NoTask) => {
            Err(fault(Code::NotFound, format!("there is no graph {id}")))
        }
        answer => Ok(answer?),
    }
}
