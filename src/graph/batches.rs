//! Splits a plan into the calls of `submit_graph`.

use std::mem;

use super::plan::{Argument, Input, Order, Plan, Step};
use super::problem::{GraphError, Place};
use crate::constants::{CALL_BYTES, INPUTS_OF_CALL, TASKS_OF_CALL};
use crate::names::TaskId;

/// Maximum number of tasks and parts of split tasks in one call.
const PARTS: usize = TASKS_OF_CALL as usize;

/// Maximum number of entries of inputs in one call.
const ENTRIES: usize = INPUTS_OF_CALL as usize;

/// Preferred maximum number of entries in one call. A task with more entries is split over several calls.
const FEW: usize = 500;

/// Maximum number of bytes of parameters in one call. A longer value is sent alone.
const BYTES: usize = CALL_BYTES as usize;

/// Prefix of the entry with the minimum number of complete tasks of a set.
const LEAST: &str = "least/";

/// A task in one call, or the part of a task that fits into one call.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) index: usize,
    pub(super) step: &'a Step,
    /// Entries of inputs, separated by spaces.
    pub(super) inputs: String,
    pub(super) parameters: Vec<u8>,
}

/// An entry of inputs, with the bytes of its value.
struct Entry<'a> {
    text: String,
    value: &'a [u8],
}

impl Entry<'_> {
    /// Returns the id of the upstream in the entry.
    fn upstream(&self) -> Option<&str> {
        let (_, id) = self.text.split_once('=')?;
        self.value.is_empty().then_some(id)
    }
}

/// Splits a plan into calls, each with its parts. The server creates the graph when a call contains the last missing
/// task, even if other parts of a task follow. If the last task is split over several calls, the second-last task is
/// therefore sent in the call with the last part of the last task.
pub(super) fn batches<'a>(plan: &'a Plan, ids: &'a [TaskId]) -> Result<Vec<Vec<Part<'a>>>, GraphError> {
    let mut filler = Filler::new();
    let steps: Vec<(usize, &Step)> =
        plan.order.iter().filter_map(|index| Some((*index, plan.steps.get(*index)?))).collect();
    let is_long = |step: &Step| {
        let (whole, entries) = inputs(step, ids);
        entries.len() > FEW || whole.len() + entries.iter().map(|entry| entry.value.len()).sum::<usize>() > BYTES
    };
    if let [before @ .., second, last] = steps.as_slice()
        && is_long(last.1)
    {
        if is_long(second.1) {
            let text = format!(
                "this task and {:?}, the last ones, both have over {} values, results and other tasks: one of them may",
                second.1.label, FEW
            );
            return Err(Place::task(last.0, Some(&last.1.label)).problem(text));
        }
        for (index, step) in before {
            filler.add(*index, step, inputs(step, ids));
        }
        // The last part contains the entry that refers to the second-last task, or else another entry without a value.
        let id = ids.get(second.0).map_or("", TaskId::as_str);
        let (whole, mut early) = inputs(last.1, ids);
        let mut late: Vec<_> = early.extract_if(.., |entry| entry.upstream() == Some(id)).collect();
        if late.is_empty() {
            let other = early.iter().position(|entry| entry.value.is_empty());
            late.extend(other.map(|at| early.remove(at)));
        }
        // The minimum number of a set must follow all entries of the set.
        late.extend(early.extract_if(.., |entry| entry.text.starts_with(LEAST)));
        filler.add(last.0, last.1, (whole, early));
        filler.close();
        filler.most = ENTRIES;
        filler.add(second.0, second.1, inputs(second.1, ids));
        filler.add(last.0, last.1, (Vec::new(), late));
    } else {
        for (index, step) in &steps {
            filler.add(*index, step, inputs(step, ids));
        }
    }
    filler.close();
    Ok(filler.done)
}

struct Filler<'a> {
    done: Vec<Vec<Part<'a>>>,
    open: Vec<Part<'a>>,
    /// Maximum number of entries in one call.
    most: usize,
    entries: usize,
    bytes: usize,
}

impl<'a> Filler<'a> {
    const fn new() -> Self {
        Self { done: Vec::new(), open: Vec::new(), most: FEW, entries: 0, bytes: 0 }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.done.push(mem::take(&mut self.open));
        }
        (self.entries, self.bytes) = (0, 0);
    }

    /// Adds a task. The task is not split if it fits into one call.
    fn add(&mut self, index: usize, step: &'a Step, (whole, entries): (Vec<u8>, Vec<Entry<'a>>)) {
        let first = whole.len() + entries.first().map_or(0, |entry| entry.value.len());
        let all = whole.len() + entries.iter().map(|entry| entry.value.len()).sum::<usize>();
        let number = if entries.len() <= FEW { entries.len() } else { 1 };
        if self.open.len() == PARTS
            || !self.has_room(if all <= BYTES { all } else { first })
            || (!entries.is_empty() && self.entries + number > self.most)
        {
            self.close();
        }
        let part = Part { index, step, inputs: String::new(), parameters: Vec::new() };
        self.bytes += whole.len();
        let mut at = Part { parameters: whole, ..part.clone() };
        for Entry { text, value } in entries {
            if self.entries == self.most || !self.has_room(value.len()) {
                let full = mem::replace(&mut at, part.clone());
                self.open.push(full);
                self.close();
            }
            self.entries += 1;
            self.bytes += value.len();
            if !at.inputs.is_empty() {
                at.inputs.push(' ');
            }
            at.inputs.push_str(&text);
            at.parameters.extend_from_slice(value);
        }
        self.open.push(at);
    }

    fn has_room(&self, bytes: usize) -> bool {
        bytes == 0 || self.bytes == 0 || self.bytes + bytes <= BYTES
    }
}

/// Returns the parameters and the entries of a task as if all were sent in a single call.
pub(super) fn content(step: &Step, ids: &[TaskId]) -> (Vec<u8>, Vec<String>) {
    let (mut parameters, entries) = inputs(step, ids);
    parameters.extend(entries.iter().flat_map(|entry| entry.value));
    (parameters, entries.into_iter().map(|entry| entry.text).collect())
}

/// Returns the inputs of a task: the parameters that are sent as a whole, and the entries.
fn inputs<'a>(step: &'a Step, ids: &'a [TaskId]) -> (Vec<u8>, Vec<Entry<'a>>) {
    let set = step.set();
    let (whole, mut entries) = match &step.input {
        Input::Whole(bytes) => (bytes.clone(), Vec::new()),
        Input::List(arguments) => {
            let word = |argument: &Argument| match argument {
                Argument::Result(upstream) if set.contains(upstream) => Order::Some.word(),
                Argument::Optional(_) => "optional",
                Argument::Value(_) | Argument::Result(_) => "result",
            };
            let entries = arguments.iter().enumerate().map(|(slot, one)| entry(slot, one, word(one), ids));
            values(arguments).map_or_else(|| (Vec::new(), entries.collect()), |list| (list, Vec::new()))
        }
    };
    let bare = |text: String| Entry { text, value: &[] };
    entries.extend(step.bare_edges().map(|(order, up)| bare(format!("{}={}", order.word(), up.id(ids)))));
    entries.extend(step.least.map(|number| bare(format!("{LEAST}{number}"))));
    (whole, entries)
}

/// Returns the list of arguments if all of them are values.
fn values(arguments: &[Argument]) -> Option<Vec<u8>> {
    let value = |argument: &'_ Argument| match argument {
        Argument::Value(value) => Some(value.clone()),
        _ => None,
    };
    let values: Option<Vec<String>> = arguments.iter().map(value).collect();
    Some(format!("[{}]", values?.join(",")).into_bytes())
}

/// Returns the entry of an argument. `word` is the condition on the upstream of a result.
fn entry<'a>(slot: usize, argument: &'a Argument, word: &str, ids: &[TaskId]) -> Entry<'a> {
    match argument {
        Argument::Value(value) => Entry { text: format!("value/{slot}={}", value.len()), value: value.as_bytes() },
        Argument::Result(upstream) | Argument::Optional(upstream) => {
            Entry { text: format!("{word}/{slot}={}", upstream.id(ids)), value: &[] }
        }
    }
}
