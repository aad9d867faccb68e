//! What the server keeps: the fields of tasks and schedules, as `contract/fields.toml` has them.

use indexmap::IndexMap;
use serde::Deserialize;

use super::contract::{Contract, Sources, Table, sentence};
use super::replies::{Field, Reply};

/// The fields of each record, by its name.
pub(super) type Records = IndexMap<String, Table<Kept>>;

/// A field of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    #[serde(rename = "type")]
    pub(super) of: String,
    #[serde(default)]
    pub(super) empty: bool,
    /// When it is there.
    pub(super) there: Option<String>,
    /// Blueque 1.0 knows it.
    #[serde(default)]
    pub(super) foreign: bool,
    pub(super) means: Option<String>,
}

/// The record in which the options of a group are kept.
pub(super) fn record(group: &str) -> &str {
    if group == "schedule" { "schedule" } else { "task" }
}

/// Puts the fields of its record into a reply that has one.
pub(super) fn fill(reply: &mut Reply, records: &Records) {
    let Some(fields) = reply.record.as_ref().and_then(|record| records.get(record)) else { return };
    let field = |(name, kept): (&String, &toml::Spanned<Kept>)| {
        let Kept { of, empty, means, .. } = kept.as_ref();
        Field { name: name.clone(), of: Some(of.clone()), empty: *empty, means: means.clone(), ..Field::default() }
    };
    let own = std::mem::take(&mut reply.pairs);
    reply.pairs = fields.iter().map(field).chain(own).collect();
    (reply.absent, reply.open) = (true, true); // as clients without scripts leave some, and others make some
}

pub(super) fn check(contract: &Contract, sources: &Sources) -> Result<(), String> {
    for (record, fields) in &contract.fields {
        for (name, kept) in fields {
            let wrong = |what: &str| sources.wrong("fields", kept, format!("the field {record}.{name} {what}"));
            let kept = kept.as_ref();
            sentence(kept.means.as_deref()).map_err(|what| wrong(&what))?;
            contract.has_type(&kept.of).map_err(|what| wrong(&what))?;
            if kept.there.as_ref().is_none_or(String::is_empty) {
                return Err(wrong("does not say when it is there: write there = \"always\", or when"));
            }
        }
    }
    Ok(())
}
