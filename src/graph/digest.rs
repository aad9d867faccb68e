//! The digest of a whole graph, by which the server refuses a different graph with the same id. `lua/README.md` defines
//! it.

use sha1_smol::Sha1;

use super::batches::content;
use super::plan::{Plan, Step};
use crate::calls::SubmitGraphOptions;
use crate::names::TaskId;

/// The value that replaces a time in the digest. A repeated submit with a relative time, such as "in an hour", must
/// have the same digest.
const GIVEN: &str = "1";

/// Returns the digest of a graph. `options` are the options of the submit.
pub(super) fn digest(plan: &Plan, ids: &[TaskId], options: &SubmitGraphOptions) -> String {
    let mut hash = Sha1::new();
    let mut add = |part: &[u8]| {
        hash.update(format!("{}:", part.len()).as_bytes());
        hash.update(part);
        hash.update(b",");
    };
    add(&sorted(options.0.iter().collect()));
    for (step, id) in plan.steps.iter().zip(ids) {
        let (parameters, mut entries) = content(step, ids);
        entries.sort_unstable();
        for part in [id.as_str(), &step.queue, if step.eta.is_some() { GIVEN } else { "" }] {
            add(part.as_bytes());
        }
        add(step.stand_in.as_deref().map_or(parameters.as_slice(), str::as_bytes));
        add(entries.join(" ").as_bytes());
        add(&said_of(step, ids));
    }
    hash.digest().to_string()
}

/// Returns the options of a task.
fn said_of(step: &Step, ids: &[TaskId]) -> Vec<u8> {
    let label = ("label", step.label.as_bytes());
    let key = step.bound.and_then(|bound| ids.get(bound.first)).map(|key| ("key", key.as_str().as_bytes()));
    sorted(step.options.0.iter().chain([label]).chain(key).collect())
}

/// Options that a client adds on its own, and that may differ in a repeated submit.
const ADDED: [&str; 2] = ["trace", "submitter"];

/// Encodes names and values, in the order of the names.
fn sorted(mut options: Vec<(&str, &[u8])>) -> Vec<u8> {
    options.retain(|(name, _)| !ADDED.contains(name));
    for (_, value) in options.iter_mut().filter(|(name, _)| *name == "deadline") {
        *value = GIVEN.as_bytes();
    }
    options.sort_unstable();
    let mut all = Vec::new();
    for part in options.iter().flat_map(|(name, value)| [name.as_bytes(), value]) {
        all.extend_from_slice(format!("{}:", part.len()).as_bytes());
        all.extend_from_slice(part);
        all.push(b',');
    }
    all
}
