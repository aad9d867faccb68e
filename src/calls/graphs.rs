//! Submits graphs.

use std::time::SystemTime;

use super::{Call, Calls, SubmitGraphOptions};
use crate::model::{StagedGraph, reply};
use crate::names::{GraphId, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::times::{seconds, since_1970};

/// A task of a graph, or the part of a task that fits into one call.
#[derive(Clone, Debug)]
#[must_use]
pub struct GraphPart<'a> {
    /// Id of the task.
    pub id: &'a TaskId,
    /// Queue of the task.
    pub queue: &'a QueueName,
    /// When the task is due; `None` for at once.
    pub eta: Option<SystemTime>,
    /// Parameters of the task, or the values of its inputs, one after another.
    pub parameters: &'a [u8],
    /// Inputs of the task, such as `result/0=ID value/1=BYTES after=ID`: at most 1,000 entries in one call.
    pub inputs: &'a str,
    /// Name of the task within the graph.
    pub label: &'a str,
    /// Options of the task.
    pub options: &'a TaskOptions,
}

impl GraphPart<'_> {
    /// Writes the options as a single text.
    fn options(&self) -> String {
        let mut text = format!("label={}", quoted(self.label.as_bytes()));
        for (name, value) in self.options.0.iter() {
            text.push_str(&format!(" {name}={}", quoted(value)));
        }
        text
    }
}

impl Calls {
    /// Stages up to 100 tasks of a graph of `total` tasks. Each task must follow its upstreams. The call with the last
    /// task creates all tasks of the graph.
    #[must_use]
    pub fn submit_graph(
        &self,
        graph: &GraphId,
        total: usize,
        parts: &[GraphPart<'_>],
        options: &SubmitGraphOptions,
    ) -> Call<StagedGraph> {
        self.stage_graph(graph, total, parts, options).once()
    }

    /// Builds the call of [`Calls::submit_graph`] without a request id.
    pub(crate) fn stage_graph(
        &self,
        graph: &GraphId,
        total: usize,
        parts: &[GraphPart<'_>],
        options: &SubmitGraphOptions,
    ) -> Call<StagedGraph> {
        let mut call = self.call("submit_graph", reply::word).arg(graph).arg(total).arg(parts.len());
        for part in parts {
            let eta = part.eta.map(|eta| seconds(since_1970(eta))).unwrap_or_default();
            call = call.arg(part.id).arg(part.queue).arg(eta).raw(part.parameters).arg(part.inputs).arg(part.options());
        }
        call.pairs(&options.0)
    }

    /// Reads the calls that [`pack`] wrote. They have no request ids. Returns `None` for any other text.
    pub(crate) fn packed_graph(&self, mut bytes: &[u8]) -> Option<Vec<Call<StagedGraph>>> {
        let mut calls = Vec::new();
        while !bytes.is_empty() {
            let mut call = self.call("submit_graph", reply::word);
            for _ in 0..number(&mut bytes)? {
                let length = number(&mut bytes)?;
                let (value, rest) = bytes.split_at_checked(length)?;
                call = call.raw(value);
                bytes = rest;
            }
            calls.push(call);
        }
        Some(calls)
    }
}

/// Writes calls of `submit_graph` as a single text, from which [`Calls::packed_graph`] reads them. The text has the
/// number of arguments of each call, and each argument with its length.
pub(crate) fn pack(calls: &[Call<StagedGraph>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in calls {
        // The first argument, the time, is omitted.
        let args = call.args.get(1..).unwrap_or_default();
        bytes.extend(format!("{}\n", args.len()).into_bytes());
        for arg in args {
            bytes.extend(format!("{}\n", arg.len()).into_bytes());
            bytes.extend(arg);
        }
    }
    bytes
}

/// Reads a number and the end of its line.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let end = bytes.iter().take(20).position(|byte| *byte == b'\n')?;
    let (digits, rest) = bytes.split_at_checked(end)?;
    *bytes = rest.get(1..)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Escapes a value for a text whose options are separated by spaces.
fn quoted(value: &[u8]) -> String {
    let quote = |byte: &u8| match byte {
        b'%' | ..=b' ' | 0x7f.. => format!("%{byte:02X}"),
        plain => char::from(*plain).to_string(),
    };
    value.iter().map(quote).collect()
}
