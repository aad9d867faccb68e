//! Submitting graphs.

use std::time::SystemTime;

use super::{Call, Calls, SubmitGraphOptions};
use crate::model::{StagedGraph, reply};
use crate::names::{GraphId, QueueName, TaskId};
use crate::options::TaskOptions;
use crate::times::{seconds, since_1970};

/// A task of a graph, or what one call has room for.
#[derive(Clone, Debug)]
#[must_use]
pub struct GraphPart<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// Its queue.
    pub queue: &'a QueueName,
    /// When it is due; none for at once.
    pub eta: Option<SystemTime>,
    /// Its parameters; or the values of its inputs, one after another.
    pub parameters: &'a [u8],
    /// What it waits for, such as `result/0=ID value/1=BYTES after=ID`: at most 1,000 entries in one call.
    pub inputs: &'a str,
    /// Its name within the graph.
    pub label: &'a str,
    /// How it is run.
    pub options: &'a TaskOptions,
}

impl GraphPart<'_> {
    /// Its options as one text.
    fn options(&self) -> String {
        let mut text = format!("label={}", quoted(self.label.as_bytes()));
        for (name, value) in self.options.0.iter() {
            text.push_str(&format!(" {name}={}", quoted(value)));
        }
        text
    }
}

impl Calls {
    /// Brings up to 100 tasks of a graph of `total` tasks, each after those that it waits for. All of them are created
    /// by the call that brings the last one.
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

    /// The same without a request id.
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

    /// The calls that [`pack`] wrote, each yet to get its request id; none if it is no such text.
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

/// Calls of `submit_graph` as one text, to be made again: the number of the arguments of each, and their lengths.
pub(crate) fn pack(calls: &[Call<StagedGraph>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in calls {
        // Not the time.
        let args = call.args.get(1..).unwrap_or_default();
        bytes.extend(format!("{}\n", args.len()).into_bytes());
        for arg in args {
            bytes.extend(format!("{}\n", arg.len()).into_bytes());
            bytes.extend(arg);
        }
    }
    bytes
}

/// Takes a number and the end of its line.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let end = bytes.iter().take(20).position(|byte| *byte == b'\n')?;
    let (digits, rest) = bytes.split_at_checked(end)?;
    *bytes = rest.get(1..)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A value in a text whose options are separated by spaces.
fn quoted(value: &[u8]) -> String {
    let quote = |byte: &u8| match byte {
        b'%' | ..=b' ' | 0x7f.. => format!("%{byte:02X}"),
        plain => char::from(*plain).to_string(),
    };
    value.iter().map(quote).collect()
}
