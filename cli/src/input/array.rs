//! An array of tasks, as an argument.

use blueque::{Graph, GraphId, TaskId};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::task_options::TaskOptions;
use super::upstreams::{Wait, Waits};
use crate::output::{Code, fault};

/// Parses indexes such as `1-500` or `1-500%20`. The library checks their bounds.
pub fn indexes(text: &str) -> Result<String, String> {
    let known = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'%'));
    if known { Ok(text.to_owned()) } else { Err("must be such as 1-500, or 1-500%20 for 20 at once".to_owned()) }
}

/// The upstreams of an array's tasks, as fields of a graph document.
#[derive(Default)]
pub struct Edges {
    fields: Map<String, Value>,
    /// The upstreams of a set. `count` complete upstreams are enough.
    of: Vec<Value>,
    count: Option<u32>,
}

impl Edges {
    fn with(mut self, field: &str, upstream: Value) -> Self {
        match self.fields.get_mut(field).and_then(Value::as_array_mut) {
            Some(all) => all.push(upstream),
            None => _ = self.fields.insert(field.to_owned(), json!([upstream])),
        }
        self
    }

    fn fields(mut self) -> Map<String, Value> {
        if let Some(count) = self.count {
            self.fields.insert("at_least".to_owned(), json!({ "count": count, "of": self.of }));
        }
        self.fields
    }
}

impl Waits for Edges {
    fn wait(mut self, how: Wait, id: &TaskId) -> Self {
        let task = json!({ "task": id.as_str() });
        match how {
            Wait::Success => self.with("needs", task),
            Wait::End => self.with("after", task),
            Wait::Failure => self.with("after_failure", task),
            Wait::Result(_) => self.with("args", json!({ "result": task })),
            Wait::ResultOrNull(_) => self.with("args", json!({ "result": task, "optional": true })),
            Wait::Some => {
                self.of.push(task);
                self
            }
            Wait::ResultOfSome(slot) => self.wait(Wait::Some, id).wait(Wait::Result(slot), id),
        }
    }

    fn at_least(mut self, number: u32) -> Self {
        self.count = Some(number);
        self
    }
}

/// Returns a graph whose only entry is the array.
pub fn graph(
    (id, queue): (&GraphId, &str),
    indexes: &str,
    (parameters, eta): (Option<&RawValue>, Option<f64>),
    (options, edges): (&TaskOptions, Edges),
) -> anyhow::Result<Graph> {
    let mut task = edges.fields();
    task.insert("array".to_owned(), json!(indexes));
    let mut policy = Map::new();
    for (name, value) in options.given() {
        let of = if name == "method" { &mut task } else { &mut policy };
        of.insert(name.to_owned(), json!(value));
    }
    let name = task.get("method").and_then(Value::as_str).unwrap_or(queue).to_owned();
    task.insert("options".to_owned(), Value::Object(policy));
    task.extend(eta.map(|eta| ("eta".to_owned(), json!(eta))));
    // The parameters are inserted as the user wrote them. Parsing them as a JSON value loses digits of long numbers.
    let mut text = Value::Object(task).to_string();
    if let (Some(parameters), Some(end)) = (parameters, text.pop()) {
        text.push_str(&format!(",\"parameters\":{parameters}{end}"));
    } else {
        text.push('}');
    }
    let text = format!("{{\"queue\":{},\"tasks\":{{{}:{text}}}}}", json!(queue), json!(name));
    let graph = Graph::from_json(&text).map_err(|error| {
        // The error must not name task 0, because the user has not written a document.
        let (error, place) = (error.to_string(), format!("task 0 {}, ", json!(name)));
        fault(Code::Usage, error.strip_prefix(&place).map_or(error.clone(), |what| format!("--{what}")))
    })?;
    Ok(graph.id(id.clone()))
}
