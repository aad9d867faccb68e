//! Rust code from the shapes of replies and records: structs with their readers, and accessors of fields.

use super::contract::{Contract, Form};
use super::replies::{Field, Reply};
use super::rust::{ENUMS, SINCE, capital};

type Whole = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// Replies that become a struct: the command, and the name of the struct. If the reply ends with a list, the entry also
/// contains the name of the field for the list, and the struct of the list's elements.
pub(super) const STRUCTS: [Whole; 21] = [
    ("attend", "Control", None),
    ("audit", "Audit", Some(("items", "Change"))),
    ("bulk", "Step", None),
    ("changes", "Changes", Some(("items", "TaskChange"))),
    ("counts", "Counts", None),
    ("estimate", "Estimate", None),
    ("events", "Events", Some(("items", "Event"))),
    ("finish_and_reserve", "FinishedAndReserved", Some(("tasks", "Reservation"))),
    ("heartbeat", "Beat", Some(("orders", "Order"))),
    ("handshake", "Handshake", None),
    ("repair", "Repaired", Some(("claims", "Claim"))),
    ("promote", "Promoted", None),
    ("ready", "Ready", Some(("queues", "ReadyQueue"))),
    ("requeue_orphans", "Orphans", None),
    ("prune", "Pruned", None),
    ("run_deferred", "Settled", None),
    ("run_schedule", "Ran", None),
    ("aggregate", "Aggregated", None),
    ("tick", "Ticked", Some(("low", "LowSchedule"))),
    ("maintenance", "MaintenanceStep", Some(("low", "LowSchedule"))),
    ("why", "Why", None),
];

/// Replies whose items become structs: the command, and the name of the struct.
pub(super) const ITEMS: [(&str, &str); 25] = [
    ("audit", "Change"),
    ("changes", "TaskChange"),
    ("events", "Event"),
    ("graphs", "GraphSummary"),
    ("groups", "Group"),
    ("list_held", "Held"),
    ("history", "Transition"),
    ("limits", "KeyLimit"),
    ("listeners", "ListenerInfo"),
    ("logs", "LogEntry"),
    ("repair", "Claim"),
    ("notices", "Notice"),
    ("peek", "Peeked"),
    ("queues", "QueueInfo"),
    ("ready", "ReadyQueue"),
    ("reserve", "Reservation"),
    ("schedules", "ScheduleSummary"),
    ("settings", "Setting"),
    ("tags", "Tag"),
    ("take_notices", "DueNotice"),
    ("targets", "NoticeTarget"),
    ("tick", "LowSchedule"),
    ("tracked", "TrackedTask"),
    ("undelivered", "Undelivered"),
    ("workers", "WorkerInfo"),
];

/// Replies that are a record: the command, and the type of the record in the library.
pub(super) const RECORDS: [(&str, &str); 2] = [("get", "TaskInfo"), ("show_schedule", "ScheduleInfo")];

/// Fields whose name or type in the library differs from the contract: the command, the name in the contract, the name
/// and the type in the library, and the reader of the field.
const OWN: [(&str, &str, &str, &str, &str); 35] = [
    ("audit", "entry", "cursor", "String", "reply::text"),
    ("audit", "of", "of", "String", "reply::text"),
    ("bulk", "cursor", "next", "Option<String>", "reply::next"),
    ("changes", "entry", "cursor", "String", "reply::text"),
    ("changes", "what", "what", "String", "reply::text"),
    ("estimate", "basis", "basis", "Option<Basis>", "reply::known"),
    ("events", "event", "cursor", "String", "reply::text"),
    ("graphs", "id", "id", "GraphId", "reply::word"),
    ("graphs", "state", "state", "Option<GraphState>", "reply::known"),
    ("groups", "group", "name", "String", "reply::text"),
    ("handshake", "known", "born", "bool", "reply::flag"),
    ("handshake", "lacks", "missing", "Vec<(String, Vec<String>)>", "reply::missing"),
    ("listeners", "listener", "id", "String", "reply::text"),
    ("repair", "cursor", "next", "Option<String>", "reply::next"),
    ("repair", "from", "listener", "String", "reply::text"),
    ("repair", "status", "status", "Option<Status>", "reply::known"),
    ("peek", "id", "id", "TaskId", "reply::word"),
    ("queues", "queue", "name", "String", "reply::text"),
    ("queues", "stop", "stopping", "bool", "reply::stop"),
    ("ready", "cursor", "next", "Option<String>", "reply::next"),
    ("ready", "queue", "name", "QueueName", "reply::word"),
    ("reserve", "id", "id", "TaskId", "reply::word"),
    ("reserve", "queue", "queue", "QueueName", "reply::word"),
    ("run_schedule", "id", "id", "TaskId", "reply::word"),
    ("run_schedule", "outcome", "created", "bool", "reply::created"),
    ("schedules", "name", "name", "ScheduleName", "reply::word"),
    ("schedules", "state", "state", "ScheduleState", "reply::word"),
    ("settings", "from", "from", "Source", "reply::word"),
    ("tags", "tag", "name", "String", "reply::text"),
    ("tick", "name", "name", "ScheduleName", "reply::word"),
    ("maintenance", "part", "part", "String", "reply::text"),
    ("workers", "listener", "id", "String", "reply::text"),
    ("why", "order", "order", "Option<Order>", "reply::known"),
    ("workers", "life", "dead", "bool", "reply::dead"),
    ("workers", "ending", "ending", "bool", "reply::ending"),
];

/// Fields of records without a generated accessor, because handwritten code reads them together with other fields.
const BY_HAND: [&str; 6] = ["cost", "error", "group", "last_error", "last_group", "options"];

/// Counts of one task that fit a `u32`, such as its attempts.
const SMALL: [&str; 7] = ["attempt", "failures", "stalled_losses", "losses", "releases", "schema", "uncounted"];

/// Returns the text of `replies.rs`: the structs of replies, each with its reader.
pub(crate) fn replies(contract: &Contract) -> Result<String, String> {
    let mut text = String::new();
    let mut own: Vec<_> = OWN.iter().map(|(command, field, ..)| (*command, *field)).collect();
    let mut read = |command: &str, fields: &[Field], pairs: bool| {
        own.retain(|(of, name)| *of != command || !fields.iter().any(|field| field.name == *name));
        read_all(contract, command, fields, pairs)
    };
    for (command, name, more) in STRUCTS {
        let reply = shape(contract, command)?;
        let (named, pairs) = if reply.pairs.is_empty() { (&reply.list, false) } else { (&reply.pairs, true) };
        let means = said(command, name, "means", reply.means.as_deref())?;
        let each = reply.each.as_deref().unwrap_or_default();
        let more = more.map(|(field, of)| (field, of, each));
        text += &structure(name, means, &read(command, named, pairs), more, pairs);
        if reply.states.is_some() {
            text += &by_state(contract, name);
        }
    }
    for (command, name) in ITEMS {
        let reply = shape(contract, command)?;
        let each = said(command, name, "each", reply.each.as_deref())?;
        text += &item(name, each, &read(command, &reply.items, false));
    }
    match own.first() {
        Some((command, field)) => {
            Err(format!("build/rust_replies.rs names {field} of {command}, which has no such field"))
        }
        None => Ok(text),
    }
}

/// Returns the sentence that documents a struct, or an error if the contract has none.
fn said<'a>(command: &str, name: &str, entry: &str, sentence: Option<&'a str>) -> Result<&'a str, String> {
    sentence.ok_or_else(|| format!("the reply of {command} has no {entry}, which {name} needs"))
}

/// Returns methods of a struct that has a number of tasks for each state.
fn by_state(contract: &Contract, name: &str) -> String {
    let arms = contract.states().map(|(name, _)| format!("            Status::{} => self.{name},\n", capital(name)));
    let arms: String = arms.collect();
    format!(
        "impl {name} {{\n    /// The number of tasks in this state.\n    #[must_use]\n    pub const fn of(&self, status: Status) -> u64 {{\n        match status {{\n{arms}        }}\n    }}\n\n    /// The number of all tasks.\n    #[must_use]\n    pub fn tasks(&self) -> u64 {{\n        Status::ALL.iter().map(|&status| self.of(status)).sum()\n    }}\n}}\n\n"
    )
}

fn shape<'a>(contract: &'a Contract, command: &str) -> Result<&'a Reply, String> {
    let reply = contract.replies.get(command).ok_or_else(|| format!("replies.toml has no {command}"))?;
    Ok(reply.as_ref().resolved(contract))
}

/// A field of a struct: its names in the contract and in Rust, its type, its meaning, and the expression that reads it.
struct Read {
    contract: String,
    name: String,
    of: String,
    means: String,
    expression: String,
}

fn read_all(contract: &Contract, command: &str, fields: &[Field], pairs: bool) -> Vec<Read> {
    fields.iter().map(|field| read(contract, command, field, pairs)).collect()
}

fn read(contract: &Contract, command: &str, field: &Field, pairs: bool) -> Read {
    let own = OWN.iter().find(|(of, name, ..)| (*of, *name) == (command, field.name.as_str()));
    let value = if pairs { format!("facts.get({:?})", field.name) } else { field.name.clone() };
    let means = field.means.clone().unwrap_or_default();
    if let Some((_, _, name, of, reader)) = own {
        let read = format!("{reader}({value})?");
        return Read {
            contract: field.name.clone(),
            name: (*name).to_owned(),
            of: (*of).to_owned(),
            means,
            expression: read,
        };
    }
    let (of, reader) = kind(contract, field.of.as_deref().unwrap_or_default(), &field.name);
    let may_lack = field.empty || field.absent || !field.words.is_empty();
    let (of, read) = match (of.as_str(), reader) {
        ("Vec<u8>", _) if field.nil => ("Option<Vec<u8>>".to_owned(), format!("reply::saved({value})?")),
        ("Vec<u8>", _) if may_lack => ("Option<Vec<u8>>".to_owned(), format!("reply::filled({value})?")),
        ("Vec<u8>", _) => (of, format!("reply::bytes({value})?")),
        ("Vec<String>", reader) => (of, format!("reply::read({value}, {reader})?")),
        (_, reader) if may_lack => (format!("Option<{of}>"), format!("reply::optional({value}, {reader})?")),
        (_, reader) => (of, format!("reply::read({value}, {reader})?")),
    };
    Read { contract: field.name.clone(), name: field.name.clone(), of, means, expression: read }
}

/// Returns the library's type for a type of the contract, and its reader from text.
pub(super) fn kind(contract: &Contract, of: &str, name: &str) -> (String, &'static str) {
    let Some(known) = contract.type_of(of) else { return ("String".into(), "text::owned") };
    let unit = known.unit.as_deref().unwrap_or_default();
    let (name, reader) = match (of, known.form) {
        ("queues" | "methods" | "tags", _) => ("Vec<String>", "text::names"),
        ("token", _) => ("Token", "text::word"),
        ("pause", _) => ("Pause", "text::word"),
        ("trouble", _) => ("Trouble", "text::word"),
        ("rate", _) => ("Rate", "text::word"),
        ("unique_until", _) => ("Until", "text::word"),
        ("outcome", _) => ("Outcome", "text::word"),
        (of, Form::Word) => match ENUMS.iter().find(|(_, known)| *known == of) {
            Some((name, _)) => (*name, "text::word"),
            None => ("String", "text::owned"),
        },
        (_, Form::Whole | Form::Seconds) if unit == SINCE => ("SystemTime", "times::time"),
        (_, Form::Whole) if unit == "microseconds since 1970" => ("SystemTime", "times::deadline"),
        (_, Form::Whole) if unit == "microseconds" => ("Duration", "times::micros"),
        (_, Form::Whole | Form::Seconds) if unit == "seconds" => ("Duration", "times::span"),
        (_, Form::Flag) => ("bool", "text::flag"),
        (_, Form::Whole) if SMALL.contains(&name) => ("u32", "text::word"),
        (_, Form::Whole) if known.low < Some(0) => ("i32", "text::word"),
        (_, Form::Whole) if known.high > Some(i64::from(u32::MAX)) => ("u64", "text::word"),
        (_, Form::Whole) => ("u32", "text::word"),
        (_, Form::Bytes) => ("Vec<u8>", "text::owned"),
        _ => ("String", "text::owned"),
    };
    (name.to_owned(), reader)
}

fn head(name: &str, means: &str, fields: &[Read]) -> String {
    let fields = fields.iter().map(|field| format!("    /// {}\n    pub {}: {},\n", field.means, field.name, field.of));
    let fields = fields.collect::<Vec<_>>().concat();
    let default = if name == "Counts" { ", Default" } else { "" };
    format!(
        "/// {means}\n#[derive(Clone, Debug{default}, PartialEq, Eq)]\n#[non_exhaustive]\npub struct {name} {{\n{fields}"
    )
}

fn values(fields: &[Read]) -> String {
    let values = fields.iter().map(|field| format!("            {}: {},\n", field.name, field.expression));
    values.collect::<Vec<_>>().concat()
}

fn names(fields: &[Read]) -> String {
    fields.iter().map(|field| field.contract.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the code of the struct for a whole reply.
fn structure(name: &str, means: &str, fields: &[Read], more: Option<(&str, &str, &str)>, pairs: bool) -> String {
    let mut text = head(name, means, fields);
    let mut values = values(fields);
    if let Some((field, of, each)) = more {
        text += &format!("    /// Each: {each}\n    pub {field}: Vec<{of}>,\n");
        values += &format!("            {field}: reply::items(items, {})?,\n", fields.len());
    }
    let take = if pairs {
        "        let facts = reply::Facts::new(value)?;\n".to_owned()
    } else {
        format!(
            "        let items = reply::array(value)?;\n        let [{}, ..] = items else {{ return None }};\n",
            names(fields)
        )
    };
    text + &format!(
        "}}\n\nimpl {name} {{\n    pub(crate) fn read(value: &Value) -> Option<Self> {{\n{take}        Some(Self {{\n{values}        }})\n    }}\n}}\n\n"
    )
}

/// Returns the code of the struct for an item of a reply.
fn item(name: &str, means: &str, fields: &[Read]) -> String {
    head(name, means, fields)
        + &format!(
            "}}\n\nimpl Item for {name} {{\n    const SIZE: usize = {};\n\n    fn read(item: &[Value]) -> Option<Self> {{\n        let [{}] = item else {{ return None }};\n        Some(Self {{\n{}        }})\n    }}\n}}\n\n",
            fields.len(),
            names(fields),
            values(fields)
        )
}

/// Returns the text of `records.rs`: an accessor for each field of a record.
pub(crate) fn records(contract: &Contract) -> String {
    let mut text = String::new();
    for (command, holder) in RECORDS {
        let Some(reply) = contract.replies.get(command) else { continue };
        let fields = &reply.as_ref().pairs;
        let accessors = fields.iter().filter(|field| !BY_HAND.contains(&field.name.as_str()));
        let accessors: Vec<String> = accessors.map(|field| accessor(contract, field)).collect();
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        text += &format!(
            "impl {holder} {{\n    /// The names of the fields that this version knows.\n    pub const FIELDS: &[&str] = &{names:?};\n\n    pub(crate) fn parse(value: &Value) -> Option<Self> {{\n        Some(Self {{ fields: reply::fields(value)? }})\n    }}\n\n{}}}\n\n",
            accessors.join("\n")
        );
    }
    text
}

fn accessor(contract: &Contract, field: &Field) -> String {
    let (name, means) = (&field.name, field.means.as_deref().unwrap_or_default());
    // `final` is a Rust keyword.
    let called = if name == "final" { "is_final" } else { name.as_str() };
    let (of, reader) = match field.words.as_slice() {
        [] => kind(contract, field.of.as_deref().unwrap_or_default(), name),
        _ => (if name == "state" { "ScheduleState" } else { "String" }.to_owned(), "text::word"),
    };
    let method = |doc: &str, name: &str, of: &str, body: &str| {
        format!("    /// {doc}\n    #[must_use]\n    pub fn {name}(&self) -> {of} {{\n        {body}\n    }}\n")
    };
    let default = contract.group("task").into_iter().find(|(_, option)| option.field.as_ref() == Some(name));
    let default = default.and_then(|(_, option)| option.default.as_deref());
    match (of.as_str(), field.of.as_deref(), default) {
        ("Vec<u8>", _, _) => {
            let bytes = format!("{name}_bytes");
            let typed = format!(
                "    /// {means} Read as JSON; `None` if the record does not have it.\n    ///\n    /// # Errors\n    /// `PAYLOAD` if it has another type.\n    pub fn {name}<T: DeserializeOwned>(&self) -> Result<Option<T>> {{\n        self.json({name:?})\n    }}\n"
            );
            format!("{typed}\n{}", method(means, &bytes, "Option<&[u8]>", &format!("self.bytes({name:?})")))
        }
        ("Vec<String>", ..) => {
            method(means, called, &of, &format!("self.read({name:?}, {reader}).unwrap_or_default()"))
        }
        ("bool", ..) => method(
            &format!("{means} False if the record does not have it."),
            called,
            &of,
            &format!("self.read({name:?}, {reader}) == Some(true)"),
        ),
        ("i32" | "u32", _, Some(default)) => {
            let doc = format!("{means} {default} if the record does not have it.");
            method(&doc, called, &of, &format!("self.read({name:?}, {reader}).unwrap_or({default})"))
        }
        ("u32" | "u64", Some("number"), _) => {
            let doc = format!("{means} 0 if the record does not have it.");
            method(&doc, called, &of, &format!("self.read({name:?}, {reader}).unwrap_or(0)"))
        }
        _ => method(means, called, &format!("Option<{of}>"), &format!("self.read({name:?}, {reader})")),
    }
}
