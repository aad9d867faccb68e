//! The document of a graph, as an argument that names a file or stdin.

use std::io::stdin;
use std::path::Path;

use blueque::{Enq, Graph, Namespace, OnFailure, PartitionName, QueueName};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::values::queue_name;
use super::yaml;
use crate::file;
use crate::output::{Code, fault};

/// Maximum number of bytes of a document that the library accepts.
const LARGEST: usize = 8 << 20;

#[derive(Args, Clone, Debug)]
pub struct Document {
    /// The document in JSON or YAML: a graph (see docs/reference/graph.schema.json), or a list of tasks in the format of enq; -
    /// reads stdin
    file: String,
    /// The queue of a shard of an enq document [default: shard-NAME]. If a queue is given for one shard, shards without
    /// one are refused. With SHARD=URL or SHARD=URL,NAMESPACE, the shard is a partition on this server
    #[arg(long, value_name = "SHARD=QUEUE", value_parser = shard)]
    shard: Vec<(String, Shard)>,
    /// Refuse a second reference to one task in an enq document, as enq does
    #[arg(long)]
    strict: bool,
    /// The effect of a failed task on other tasks, instead of the policy in the document
    #[arg(long, value_name = "WORD", value_parser = on_failure())]
    on_failure: Option<OnFailure>,
    /// The targets that are notified when all tasks have ended, instead of the targets in the document: ops:failed,chat
    #[arg(long, value_name = "TARGETS")]
    notify: Option<String>,
}

/// The queue or the partition to which a shard is mapped.
#[derive(Clone, Debug)]
enum Shard {
    Queue(QueueName),
    /// The address of a partition.
    Partition(String),
}

impl Document {
    /// Returns a topology with the addresses of the shards that are partitions, or `None` if no shard is a partition.
    pub fn topology(&self) -> anyhow::Result<Option<String>> {
        let address = |(name, shard): &(String, Shard)| match shard {
            Shard::Queue(_) => None,
            Shard::Partition(address) => Some(format!("{name}={address}")),
        };
        let all: Vec<String> = self.shard.iter().filter_map(address).collect();
        if !all.is_empty() && all.len() < self.shard.len() {
            let text = "--shard must name a queue for each shard, or a URL for each shard: queues are in one \
                        namespace, and URLs are partitions";
            return Err(fault(Code::Usage, text));
        }
        Ok((!all.is_empty()).then(|| all.join(",")))
    }

    pub fn graph(&self) -> anyhow::Result<Graph> {
        self.over(Vec::new())
    }

    /// Returns the graph. Its tasks may be in these partitions. Without partitions, all tasks are in one namespace.
    pub fn over(&self, partitions: Vec<PartitionName>) -> anyhow::Result<Graph> {
        let text = self.json(self.text()?)?;
        let listed = text.trim_start().starts_with('[');
        if text.trim().is_empty() {
            return Err(fault(Code::Usage, format!("{}: the document is empty", self.name())));
        }
        if !listed && (self.strict || !self.shard.is_empty()) {
            let text = "--shard and --strict are for documents in the form of enq, which are a list of tasks; this one is no list";
            return Err(fault(Code::Usage, text.to_owned()));
        }
        let enq = Enq::new().strict(self.strict).partitions(partitions);
        let enq = self.shard.iter().cloned().fold(enq, |enq, (name, shard)| match shard {
            Shard::Queue(queue) => enq.shard(name, queue),
            Shard::Partition(_) => enq,
        });
        let graph = if listed { enq.read(&text) } else { Graph::from_json(&text) };
        let graph = graph.map_err(|error| fault(Code::Usage, format!("{}: {error}", self.name())))?;
        let graph = self.notify.iter().fold(graph, Graph::notify);
        Ok(self.on_failure.into_iter().fold(graph, Graph::on_failure))
    }

    /// Returns the document as JSON. A file named `*.yaml` or `*.yml` contains YAML, and a file named `*.json` contains
    /// JSON. Any other text is JSON if it begins like JSON, and otherwise YAML.
    fn json(&self, text: String) -> anyhow::Result<String> {
        let extension = Path::new(&self.file).extension().and_then(|name| name.to_str()).unwrap_or_default();
        let is_yaml = match extension.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => true,
            "json" => false,
            _ => !matches!(text.trim_start().bytes().next(), None | Some(b'{' | b'[')),
        };
        // The library refuses longer documents with its own error.
        if !is_yaml || text.len() > LARGEST {
            return Ok(text);
        }
        yaml::json(&text, LARGEST).map_err(|error| fault(Code::Usage, format!("{}: not YAML: {error}", self.name())))
    }

    fn name(&self) -> &str {
        if self.file == "-" { "stdin" } else { &self.file }
    }

    fn text(&self) -> anyhow::Result<String> {
        let unread = |error| fault(Code::Usage, format!("{} cannot be read: {error}", self.name()));
        // Reads one byte more than the maximum, so that the library refuses the document.
        let bytes = match self.file.as_str() {
            "-" => file::bounded(stdin().lock(), LARGEST as u64),
            path => file::data(Path::new(path), LARGEST as u64),
        };
        let bytes = bytes.map_err(unread)?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            fault(Code::Usage, format!("{} is not UTF-8 text, from byte {at} on", self.name()))
        })
    }
}

fn on_failure() -> impl TypedValueParser<Value = OnFailure> {
    PossibleValuesParser::new(OnFailure::ALL.iter().map(|word| word.as_str())).try_map(|word| word.parse::<OnFailure>())
}

fn shard(text: &str) -> Result<(String, Shard), String> {
    let (shard, is) = text.split_once('=').ok_or("must be SHARD=QUEUE, or SHARD=URL")?;
    if shard.is_empty() {
        return Err("must be SHARD=QUEUE, or SHARD=URL".to_owned());
    }
    if !is.contains("://") {
        return Ok((shard.to_owned(), Shard::Queue(queue_name(is)?)));
    }
    PartitionName::new(shard).map_err(|error| error.to_string())?;
    // A URL of several servers also contains commas, but a namespace contains neither `/` nor `=`.
    let namespace = is.rsplit_once(',').filter(|(_, name)| !is.contains('#') && Namespace::new(*name).is_ok());
    let namespace = namespace.filter(|(url, _)| url.split_once("://").is_some_and(|(_, rest)| rest.contains('/')));
    let address = namespace.map_or_else(|| is.to_owned(), |(url, name)| format!("{url}#{name}"));
    Ok((shard.to_owned(), Shard::Partition(address)))
}
