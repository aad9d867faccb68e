//! Graphs as JSON documents: `docs/graph.schema.json` describes them.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Graph;
use super::fields::{Fields, Found};
use super::flaw::{GraphError, Place};
use super::plan::{self, Argument, Input, Order, Step};
use crate::contract;
use crate::model::OnFailure;
use crate::options::TaskOptions;
use crate::times;

/// The fields of a graph. The first one names the schema, for editors.
const GRAPH: [&str; 5] = ["$schema", "name", "queue", "on_failure", "tasks"];

/// The fields of a task.
const TASK: [&str; 9] = ["queue", "method", "eta", "parameters", "args", "needs", "after", "after_failure", "options"];

/// The fields of an argument, of which it has one.
const ARGUMENT: [&str; 2] = ["value", "result"];

/// What is no option of a task in a graph.
pub(super) const NO_OPTIONS: [(&str, &str); 4] = [
    ("method", "the method is a field of the task, not an option"),
    ("unique", UNIQUE),
    ("unique_until", UNIQUE),
    ("unique_policy", UNIQUE),
];

const UNIQUE: &str = "a task of a graph has no unique name: choose the graph's id, which is created once";

/// A graph without an id, and its tasks.
pub(super) fn read(text: &str) -> Result<(Graph, Vec<Step>), GraphError> {
    let document = Found::document(text)?.fields(&GRAPH)?;
    let queue = document.text("queue")?;
    let tasks = document.need("tasks")?.object()?;
    if tasks.len() > plan::TASKS {
        return Err(plan::too_many(tasks.len()));
    }
    let places = plan::labels(tasks.iter().map(|(label, _)| label.as_str()))?;
    let reader = Reader { queue, places };
    let steps = tasks.iter().enumerate().map(|(index, (label, found))| {
        let fields = found.clone().at(Place::task(index, Some(label))).fields(&TASK)?;
        reader.step(label, &fields)
    });
    let steps = steps.collect::<Result<_, _>>()?;
    let mut graph = Graph { name: document.text("name")?, ..Graph::new() };
    if let Some(found) = document.get("on_failure") {
        let word = found.text()?;
        let known = OnFailure::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
        let flaw = |_| found.place.flaw(format!("must be one of {known}, not {word:?}"));
        graph = graph.on_failure(word.parse().map_err(flaw)?);
    }
    Ok((graph, steps))
}

/// Reads the tasks of a document.
struct Reader<'a> {
    /// The queue of those that name none.
    queue: Option<String>,
    /// The places of the tasks by their names.
    places: HashMap<&'a str, usize>,
}

impl Reader<'_> {
    fn step(&self, label: &str, fields: &Fields<'_>) -> Result<Step, GraphError> {
        let queue = match (fields.text("queue")?, &self.queue) {
            (Some(own), _) => own,
            (None, Some(common)) => common.clone(),
            (None, None) => {
                let text = "missing: name the queue of the task, or one for the whole graph";
                return Err(fields.place.field("queue").flaw(text));
            }
        };
        let eta = fields.get("eta").map(|found| {
            let known = times::time(found.json()).filter(|_| found.kind() == "a number");
            known.ok_or_else(|| found.place.flaw("must be a number: seconds since 1970"))
        });
        let mut edges = Vec::new();
        for order in [Order::Success, Order::After, Order::Failure] {
            for found in fields.get(order.field()).map(Found::list).transpose()?.unwrap_or_default() {
                edges.push((order, self.upstream(&found)?));
            }
        }
        let mut options = fields.get("options").map(options).transpose()?.unwrap_or_default();
        if let Some(method) = fields.text("method")? {
            options = options.method(method);
        }
        let (shard, eta, input) = (None, eta.transpose()?, self.input(fields)?);
        Ok(Step { label: label.to_owned(), shard, queue, eta, options, input, edges })
    }

    fn input(&self, fields: &Fields<'_>) -> Result<Input, GraphError> {
        let args = match (fields.get("parameters"), fields.get("args")) {
            (None, None) => return Ok(Input::Whole(Vec::new())),
            (Some(parameters), None) => return Ok(Input::Whole(parameters.json().as_bytes().to_vec())),
            (Some(_), Some(args)) => return Err(args.place.flaw("a task has `parameters` or `args`, not both")),
            (None, Some(args)) => args,
        };
        let argument = |found: Found<'_>| {
            let fields = found.fields(&ARGUMENT)?;
            match (fields.get("value"), fields.get("result")) {
                (Some(value), None) => Ok(Argument::Value(value.json().to_owned())),
                (None, Some(label)) => Ok(Argument::Result(self.upstream(label)?)),
                _ => Err(fields.place.flaw("an argument has one of `value` and `result`")),
            }
        };
        Ok(Input::List(args.list()?.into_iter().map(argument).collect::<Result<_, _>>()?))
    }

    fn upstream(&self, found: &Found<'_>) -> Result<usize, GraphError> {
        let label = found.text()?;
        let place = self.places.get(label.as_str()).copied();
        place.ok_or_else(|| found.place.flaw(format!("no task of the graph is named {label:?}")))
    }
}

/// The options of a submit. The server checks their bounds.
fn options(found: &Found<'_>) -> Result<TaskOptions, GraphError> {
    let mut options = TaskOptions::default();
    for (name, value) in found.object()? {
        set(&mut options, &name, &option(&value)?).map_err(|text| value.place.flaw(text))?;
    }
    Ok(options)
}

/// Sets an option that a task of a graph can have.
pub(super) fn set(options: &mut TaskOptions, name: &str, value: &str) -> Result<(), String> {
    if let Some((_, why)) = NO_OPTIONS.iter().find(|(other, _)| *other == name) {
        return Err((*why).to_owned());
    }
    if options.set(name, value) {
        return Ok(());
    }
    let known = contract::TASK_OPTIONS.iter().map(|option| option.name);
    let known: Vec<&str> = known.filter(|name| NO_OPTIONS.iter().all(|(other, _)| other != name)).collect();
    Err(format!("unknown option {name:?}: there are {}", known.join(", ")))
}

/// The text of an option's value.
fn option(found: &Found<'_>) -> Result<String, GraphError> {
    match found.kind() {
        "text" => found.text(),
        "a number" => Ok(found.json().to_owned()),
        "true or false" => Ok(if found.json() == "true" { "1" } else { "0" }.to_owned()),
        "a list" => Ok(found.list()?.iter().map(Found::text).collect::<Result<Vec<_>, _>>()?.join(",")),
        other => Err(found.place.flaw(format!("must be text, a number, true or false, or a list, not {other}"))),
    }
}
