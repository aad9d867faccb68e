//! Graphs as JSON documents: `docs/reference/graph.schema.json` describes them.

mod elements;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::elements::{Element, Elements, INDEX, Places};
use super::Whole;
use super::fields::{Fields, Found};
use super::plan::{self, Argument, Bound, Edges, Input, Order, Step, Upstream};
use super::problem::{GraphError, Place};
use crate::contract;
use crate::element;
use crate::model::OnFailure;
use crate::names::{PartitionName, TaskId};
use crate::options::TaskOptions;

/// The fields of a graph. The first field names the schema, for editors.
const GRAPH: [&str; 11] = [
    "$schema",
    "name",
    "tags",
    "queue",
    "partition",
    "priority",
    "deadline",
    "on_failure",
    "notify",
    "templates",
    "tasks",
];

/// The fields of a template. A task may override each of them.
const TEMPLATE: [&str; 13] = [
    "queue",
    "partition",
    "method",
    "eta",
    "array",
    "matrix",
    "parameters",
    "args",
    "needs",
    "after",
    "after_failure",
    "at_least",
    "options",
];

/// The fields of `at_least`: the minimum number, and the tasks.
const SET: [&str; 2] = ["count", "of"];

/// The field of a task that a template does not have.
const FROM: &str = "template";

/// The field with the id of a task that was submitted before the graph.
const TASK: &str = "task";

/// Pairs of fields. A task has at most one field of each pair.
const EITHER: [[&str; 2]; 2] = [["parameters", "args"], ["array", "matrix"]];

/// Maximum number of arguments and edges of all tasks together.
const INPUTS: usize = 1_000_000;

/// Maximum size of the parameters of all tasks together.
const BYTES: usize = 64 << 20;

/// The fields of an argument. An argument has one of the first three; `optional` may accompany `result`.
const ARGUMENT: [&str; 4] = ["value", "result", "element", "optional"];

/// Options that a task in a graph cannot have, each with the reason.
pub(super) const NO_OPTIONS: [(&str, &str); 4] = [
    ("method", "the method is a field of the task, not an option"),
    ("unique", UNIQUE),
    ("unique_until", UNIQUE),
    ("unique_policy", UNIQUE),
];

const UNIQUE: &str = "a task of a graph has no unique name: choose the graph's id, which is created once";

/// Reads a document: the properties of the whole graph, and its tasks.
pub(super) fn read(text: &str) -> Result<(Whole, Vec<Step>), GraphError> {
    let document = Found::document(text)?.fields(&GRAPH)?;
    let priority = document.get("priority").map(Found::whole).transpose()?;
    let tags = document.get("tags").map(Found::list).transpose()?.unwrap_or_default();
    let tags = tags.iter().map(Found::plain).collect::<Result<_, _>>()?;
    let on_failure = document.get("on_failure").map(|found| {
        let word = found.text()?;
        let known = OnFailure::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
        word.parse().map_err(|_| found.place.problem(format!("must be one of {known}, not {word:?}")))
    });
    let (name, deadline, notify) = (document.text("name")?, document.time("deadline")?, document.text("notify")?);
    let whole = Whole {
        name,
        tags,
        priority,
        deadline,
        on_failure: on_failure.transpose()?,
        notify,
        trace: None,
        submitter: None,
    };
    let mut templates = HashMap::new();
    for (name, found) in document.get("templates").map(Found::object).transpose()?.unwrap_or_default() {
        templates.insert(name, found.fields(&TEMPLATE)?);
    }
    let known: Vec<&str> = TEMPLATE.iter().copied().chain([FROM]).collect();
    let (mut entries, mut places) = (Vec::new(), Places::default());
    for (index, (label, found)) in document.need("tasks")?.object()?.into_iter().enumerate() {
        let mut fields = found.at(Place::task(index, Some(&label))).fields(&known)?;
        let mut beneath = None;
        if let Some(from) = fields.get(FROM) {
            let name = from.text()?;
            let none = || from.place.problem(format!("no template of the graph is named {name:?}"));
            let template: &Fields<'_> = templates.get(&name).ok_or_else(none)?;
            beneath = template.get("options").cloned();
            fields = fields.or(template, &EITHER);
        }
        let mut options = TaskOptions::default();
        for found in beneath.iter().chain(fields.get("options")) {
            read_options(found, &mut options)?;
        }
        let elements = Elements::read(&fields)?;
        places.add(&label, &elements);
        if places.len() > plan::TASKS && elements.all.is_some() {
            return Err(fields
                .place
                .problem(format!("with this array, the graph has over {} tasks, the maximum", plan::TASKS)));
        }
        entries.push((label, Entry { fields, elements, options }));
    }
    if places.len() > plan::TASKS {
        return Err(plan::too_many(places.len()));
    }
    plan::labels(entries.iter().map(|(label, ..)| label.as_str()))?;
    let reader = Reader { queue: document.text("queue")?, partition: partition(&document)?, places };
    let (mut steps, mut size) = (Vec::new(), Size::default());
    for (label, entry) in &entries {
        reader.steps(label, entry, &mut steps, &mut size)?;
    }
    Ok((whole, steps))
}

/// An entry of a document: a task, or an array of tasks.
struct Entry<'a> {
    fields: Fields<'a>,
    elements: Elements,
    options: TaskOptions,
}

/// Total size of all tasks. An array multiplies its size by its number of elements.
#[derive(Default)]
struct Size {
    inputs: usize,
    bytes: usize,
}

impl Size {
    fn add(&mut self, input: &Input, edges: usize) -> Result<(), String> {
        self.inputs += edges;
        match input {
            Input::Whole(bytes) => self.bytes += bytes.len(),
            Input::List(arguments) => {
                self.inputs += arguments.len();
                let bytes = |argument: &Argument| if let Argument::Value(json) = argument { json.len() } else { 0 };
                self.bytes += arguments.iter().map(bytes).sum::<usize>();
            }
        }
        if self.inputs > INPUTS {
            return Err(format!(
                "with this task, the graph has over {INPUTS} arguments and edges: put a task between its arrays"
            ));
        }
        if self.bytes > BYTES {
            return Err(format!(
                "with this task, the graph has over {BYTES} bytes of parameters: pass a reference to them"
            ));
        }
        Ok(())
    }
}

/// Reads the tasks of a document.
struct Reader {
    /// The queue of tasks without their own queue.
    queue: Option<String>,
    /// The partition of tasks without their own partition.
    partition: Option<PartitionName>,
    /// The places of the tasks by their names.
    places: Places,
}

impl Reader {
    /// Adds the tasks of an entry to `steps`.
    fn steps(&self, label: &str, entry: &Entry<'_>, steps: &mut Vec<Step>, size: &mut Size) -> Result<(), GraphError> {
        let Entry { fields, elements, .. } = entry;
        let queue = match (fields.text("queue")?, &self.queue) {
            (Some(own), _) => own,
            (None, Some(common)) => common.clone(),
            (None, None) => {
                let text = "missing: name the queue of the task, or one for the whole graph";
                return Err(fields.place.field("queue").problem(text));
            }
        };
        let (eta, own_partition) = (fields.time("eta")?, partition(fields)?);
        let mut options = entry.options.clone();
        if let Some(method) = fields.text("method")? {
            options = options.method(method);
        }
        let bound = elements.most.map(|most| Bound { first: self.places.start(label), most });
        let single = [None];
        let all: &mut dyn Iterator<Item = Option<&Element>> = match &elements.all {
            Some(all) => &mut all.iter().map(Some),
            None => &mut single.into_iter(),
        };
        for element in all {
            let label = element.map_or_else(|| label.to_owned(), |element| element::label(label, element.index));
            let input = self.input(fields, element, elements.is_matrix)?;
            let (edges, least) = self.conditions(fields, element)?;
            size.add(&input, edges.len()).map_err(|text| fields.place.problem(text))?;
            let step = Step::new(label, queue.clone(), options.clone(), input);
            let partition = own_partition.clone().or_else(|| self.partition.clone());
            steps.push(Step { partition, eta, edges, least, bound, ..step });
        }
        Ok(())
    }

    /// Returns the edges of a task, and the minimum number of its set.
    fn conditions(&self, fields: &Fields<'_>, element: Option<&Element>) -> Result<(Edges, Option<u32>), GraphError> {
        let mut edges = Edges::new();
        let set = fields.get(Order::Some.field()).map(|found| found.fields(&SET)).transpose()?;
        for order in [Order::Success, Order::After, Order::Failure, Order::Some] {
            let list = if order == Order::Some {
                set.as_ref().map(|set| set.need("of")).transpose()?
            } else {
                fields.get(order.field())
            };
            for found in list.map(Found::list).transpose()?.unwrap_or_default() {
                for upstream in self.upstreams(&found, element)? {
                    if upstream.inside().is_none() && edges.iter().any(|(_, other)| *other == upstream) {
                        return Err(found.place.problem("the task is named twice: once is enough"));
                    }
                    edges.push((order, upstream));
                }
            }
        }
        Ok((edges, set.as_ref().map(enough).transpose()?))
    }

    /// Returns the tasks that a name refers to. An object with an id refers to a task that was submitted before the
    /// graph.
    fn upstreams(&self, found: &Found<'_>, element: Option<&Element>) -> Result<Vec<Upstream>, GraphError> {
        if found.kind() != "an object" {
            let steps = self.places.find(found, element.map(|element| element.index))?;
            return Ok(steps.into_iter().map(Upstream::Inside).collect());
        }
        let fields = found.fields(&[TASK])?;
        let found = fields.need(TASK)?;
        let id = TaskId::new(found.plain()?).map_err(|error| found.place.problem(error.to_string()))?;
        Ok(vec![Upstream::Outside(id)])
    }

    fn input(&self, fields: &Fields<'_>, element: Option<&Element>, is_matrix: bool) -> Result<Input, GraphError> {
        let args = match (fields.get("parameters"), fields.get("args")) {
            (None, None) => {
                let parameters = element.map(|it| it.parameters(is_matrix));
                return Ok(Input::Whole(parameters.unwrap_or_else(|| NONE.into())));
            }
            (Some(parameters), None) => return whole(parameters, element.filter(|_| is_matrix)),
            (Some(_), Some(args)) => return Err(args.place.problem("a task has `parameters` or `args`, not both")),
            (None, Some(args)) => args,
        };
        let mut list = Vec::new();
        for found in args.list()? {
            let fields = found.fields(&ARGUMENT)?;
            let optional = fields.get("optional").map(Found::flag).transpose()?.unwrap_or_default();
            if let (Some(optional), None) = (fields.get("optional"), fields.get("result")) {
                return Err(optional.place.problem("only a result is optional: it is `null` if there is none"));
            }
            match (fields.get("value"), fields.get("result"), fields.get("element")) {
                (Some(value), None, None) => list.push(Argument::Value(value.json().to_owned())),
                (None, Some(label), None) => {
                    let argument = if optional { Argument::Optional } else { Argument::Result };
                    list.extend(self.upstreams(label, element)?.into_iter().map(argument));
                }
                (None, None, Some(name)) => list.push(Argument::Value(own(name, element)?)),
                _ => return Err(fields.place.problem("an argument has one of `value`, `result` and `element`")),
            }
        }
        Ok(Input::List(list))
    }
}

impl Element {
    /// Returns the default parameters: the index of the element, or the values of its matrix.
    fn parameters(&self, is_matrix: bool) -> Vec<u8> {
        if is_matrix { object(&self.values) } else { self.index.to_string() }.into_bytes()
    }
}

/// Parameters of a task without parameters, as `blueque submit` sends them.
const NONE: &[u8] = b"[]";

/// Returns the parameters unchanged. For an element of a matrix, adds its values.
fn whole(parameters: &Found<'_>, element: Option<&Element>) -> Result<Input, GraphError> {
    let Some(element) = element else { return Ok(Input::Whole(parameters.json().as_bytes().to_vec())) };
    let mut all = element.values.clone();
    for (name, found) in parameters.object()? {
        if all.iter().any(|(other, _)| *other == name) {
            return Err(found.place.problem("the matrix has a value of this name"));
        }
        all.push((name, found.json().to_owned()));
    }
    Ok(Input::Whole(object(&all).into_bytes()))
}

/// Returns an object of JSON texts.
fn object(values: &[(String, String)]) -> String {
    let entry = |(name, value): &(String, String)| format!("{}:{value}", serde_json::Value::from(name.as_str()));
    format!("{{{}}}", values.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// Returns the value that the element has for this name.
fn own(name: &Found<'_>, element: Option<&Element>) -> Result<String, GraphError> {
    let text = name.text()?;
    let element = element.ok_or_else(|| name.place.problem("this task is not an element of an array"))?;
    if text == INDEX {
        return Ok(element.index.to_string());
    }
    let value = element.values.iter().find(|(other, _)| *other == text).map(|(_, value)| value.clone());
    value.ok_or_else(|| {
        let known = element.values.iter().map(|(name, _)| name.as_str());
        let known: Vec<&str> = [INDEX].into_iter().chain(known).collect();
        name.place.problem(format!("an element has no {text:?}: there are {}", known.join(", ")))
    })
}

/// Reads the field `partition`, which may be missing.
fn partition(fields: &Fields<'_>) -> Result<Option<PartitionName>, GraphError> {
    let Some(found) = fields.get("partition") else { return Ok(None) };
    let name = PartitionName::new(found.text()?).map_err(|error| found.place.problem(error.to_string()))?;
    Ok(Some(name))
}

/// Reads the minimum number of a set.
fn enough(set: &Fields<'_>) -> Result<u32, GraphError> {
    let count = set.need("count")?;
    u32::try_from(count.whole()?)
        .map_err(|_| count.place.problem("must be at least 1, and at most the number of these tasks"))
}

/// Reads the options of a submit. The server checks their bounds.
fn read_options(found: &Found<'_>, options: &mut TaskOptions) -> Result<(), GraphError> {
    for (name, value) in found.object()? {
        set(options, &name, &option(&value)?).map_err(|text| value.place.problem(text))?;
    }
    Ok(())
}

/// Sets an option of a task. Fails for an option that a task of a graph cannot have.
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

/// Returns the text of an option's value.
fn option(found: &Found<'_>) -> Result<String, GraphError> {
    match found.kind() {
        "text" => found.text(),
        "a number" => Ok(found.json().to_owned()),
        "true or false" => Ok(if found.json() == "true" { "1" } else { "0" }.to_owned()),
        "a list" => Ok(found.list()?.iter().map(Found::text).collect::<Result<Vec<_>, _>>()?.join(",")),
        other => Err(found.place.problem(format!("must be text, a number, true or false, or a list, not {other}"))),
    }
}
