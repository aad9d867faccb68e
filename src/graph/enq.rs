//! Graphs in the format of enq: a JSON list of tasks, each with a shard, an id, a method and arguments.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::value::RawValue;

use super::fields::{Fields, Found};
use super::plan::{self, Argument, Input, Step, Upstream};
use super::problem::{GraphError, Place};
use super::{Graph, Whole};
use crate::names::{self, PartitionName, QueueName};
use crate::options::TaskOptions;
use crate::times;

const TASK: [&str; 6] = ["task_id", "method", "args", "max_retries", "deadline", "lost_delay"];
const ID: [&str; 2] = ["shard", "id"];
const ARGUMENT: [&str; 3] = ["type", "value_json", "task_id"];

/// A reader for documents in the format of enq (feature `enq`), with the queue of each shard and an optional strict
/// mode.
///
/// The ids of a document are the names of its tasks within the graph. The id of a submitted task begins with its shard:
/// `1:…`.
///
/// ```
/// let document = r#"[
///   {"task_id": {"shard": "1", "id": "save"}, "method": "save-user-data",
///    "args": [{"type": "VALUE", "value_json": "{\"uid\": 1234}"}]},
///   {"task_id": {"shard": "1", "id": "email"}, "method": "send-mail",
///    "args": [{"type": "TASKREF", "task_id": {"shard": "1", "id": "save"}}]}
/// ]"#;
/// let graph = blueque::Enq::new().read(document)?;
/// assert_eq!(graph.len(), 2);
/// # Ok::<(), blueque::GraphError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Enq {
    queues: HashMap<String, QueueName>,
    strict: bool,
    partitions: BTreeSet<PartitionName>,
}

/// A task within a document.
type Id = (String, String);

impl Enq {
    /// Creates a reader that maps the shard `1` to the queue `shard-1`, and so on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps a shard to a queue. After at least one of these calls, every other shard is unknown.
    pub fn shard(mut self, shard: impl Into<String>, queue: QueueName) -> Self {
        self.queues.insert(shard.into(), queue);
        self
    }

    /// Sets the strict mode, which refuses two references to the same task, as enq does.
    pub fn strict(mut self, on: bool) -> Self {
        self.strict = on;
        self
    }

    /// Maps each shard to the partition with its name, for
    /// [`Partitions::submit_graph`](crate::Partitions::submit_graph). Every other shard is unknown.
    pub fn partitions(mut self, names: impl IntoIterator<Item = PartitionName>) -> Self {
        self.partitions.extend(names);
        self
    }

    /// Reads a document. A value is JSON as text, or base64 of it (standard or URL-safe, padded or not).
    ///
    /// # Errors
    /// The first error, with the place of the task and the field: a text that is not JSON, unknown fields, a reference
    /// to a task that the document does not have, two tasks with one shard and id, an unknown shard, no method, no task
    /// at all, over 10,000 tasks, over 8 MiB, a task that waits for itself, or a cycle.
    pub fn read(&self, text: &str) -> Result<Graph, GraphError> {
        let tasks = Found::document(text)?.list()?;
        if tasks.len() > plan::TASKS {
            return Err(plan::too_many(tasks.len()));
        }
        let (mut all, mut places) = (Vec::with_capacity(tasks.len()), HashMap::new());
        for (index, found) in tasks.into_iter().enumerate() {
            let fields = found.at(Place::task(index, None)).fields(&TASK)?;
            let own = fields.need("task_id")?;
            let id = id(own)?;
            if let Some(first) = places.insert(id.clone(), index) {
                return Err(own.place.problem(format!("task {first} has the same shard and id: {}", shown(&id))));
            }
            all.push((id, fields));
        }
        let mut used = HashSet::new();
        let steps = all.iter().map(|(id, fields)| self.step(id, fields, &places, &mut used));
        Graph::of(Whole::default(), steps.collect::<Result<_, _>>()?)
    }

    fn step(
        &self,
        id: &Id,
        fields: &Fields<'_>,
        places: &HashMap<Id, usize>,
        used: &mut HashSet<Upstream>,
    ) -> Result<Step, GraphError> {
        let place = fields.place.field("task_id").field("shard");
        let queue = self.queue(&id.0).map_err(|text| place.problem(text))?.to_string();
        let mut options = TaskOptions::default().method(fields.need("method")?.text()?);
        if let Some(found) = fields.get("max_retries") {
            let number: Result<u32, _> = found.json().parse();
            options = options.max_failures(number.map_err(|_| found.place.problem("must be a whole number"))?);
        }
        if let Some(deadline) = fields.time("deadline")? {
            options = options.deadline(deadline);
        }
        if let Some(found) = fields.get("lost_delay") {
            let span = times::span(found.json()).filter(|_| found.kind() == "a number");
            options = options.lost_delay(span.ok_or_else(|| found.place.problem("must be a number of seconds"))?);
        }
        let mut arguments = Vec::new();
        for found in fields.get("args").map(Found::list).transpose()?.unwrap_or_default() {
            let argument = argument(&found.fields(&ARGUMENT)?, places)?;
            if let Argument::Result(upstream) = &argument
                && !used.insert(upstream.clone())
                && self.strict
            {
                let text = "a second reference to this task, which enq does not have; it is accepted unless strict";
                return Err(found.place.field("task_id").problem(text));
            }
            arguments.push(argument);
        }
        let partition = self.partition(&id.0).map_err(|text| place.problem(text))?;
        let shard = Some(id.0.clone()).filter(|_| partition.is_none());
        Ok(Step { shard, partition, ..Step::new(shown(id), queue, options, Input::List(arguments)) })
    }

    fn partition(&self, shard: &str) -> Result<Option<PartitionName>, String> {
        if self.partitions.is_empty() {
            return Ok(None);
        }
        let known = self.partitions.iter().find(|name| name.as_str() == shard).cloned();
        let names: Vec<&str> = self.partitions.iter().map(PartitionName::as_str).collect();
        known.map(Some).ok_or_else(|| format!("unknown shard {shard:?}: there are the partitions {}", names.join(", ")))
    }

    fn queue(&self, shard: &str) -> Result<QueueName, String> {
        if self.queues.is_empty() {
            return QueueName::new(format!("shard-{shard}"))
                .map_err(|_| format!("the queue of this shard, shard-{shard:?}, {}", names::PLAIN));
        }
        self.queues.get(shard).cloned().ok_or_else(|| {
            let mut known: Vec<&str> = self.queues.keys().map(String::as_str).collect();
            known.sort_unstable();
            format!("unknown shard {shard:?}: there are {}", known.join(", "))
        })
    }
}

/// Returns `SHARD/ID`.
fn shown(id: &Id) -> String {
    format!("{}/{}", id.0, id.1)
}

fn id(found: &Found<'_>) -> Result<Id, GraphError> {
    let fields = found.fields(&ID)?;
    let part = |name| {
        let found = fields.need(name)?;
        found
            .text()
            .and_then(|text| if text.is_empty() { Err(found.place.problem("must not be empty")) } else { Ok(text) })
    };
    Ok((part("shard")?, part("id")?))
}

fn argument(fields: &Fields<'_>, places: &HashMap<Id, usize>) -> Result<Argument, GraphError> {
    let kind = fields.need("type")?;
    match (kind.text()?.as_str(), fields.get("value_json"), fields.get("task_id")) {
        ("VALUE", Some(value), None) => {
            let text = "must be JSON as text, or base64 of it (standard or URL-safe)";
            Ok(Argument::Value(json(&value.text()?).ok_or_else(|| value.place.problem(text))?))
        }
        ("TASKREF", None, Some(found)) => {
            let id = id(found)?;
            let place = places.get(&id).copied();
            let none = || found.place.problem(format!("no task of the document is {}", shown(&id)));
            place.map(|index| Argument::Result(Upstream::Inside(index))).ok_or_else(none)
        }
        ("VALUE", ..) => Err(fields.place.problem("a VALUE has `value_json` and no `task_id`")),
        ("TASKREF", ..) => Err(fields.place.problem("a TASKREF has `task_id` and no `value_json`")),
        (other, ..) => Err(kind.place.problem(format!("must be VALUE or TASKREF, not {other:?}"))),
    }
}

/// Returns the JSON of a value. No JSON text is also base64 of a JSON text, so the encoding is unambiguous.
fn json(value: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = [STANDARD, URL_SAFE].into_iter().find_map(|alphabet| {
        let bytes = GeneralPurpose::new(&alphabet, config).decode(value).ok()?;
        valid(&String::from_utf8(bytes).ok()?)
    });
    decoded.or_else(|| valid(value))
}

fn valid(text: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(text).ok().map(|raw| raw.get().to_owned())
}
