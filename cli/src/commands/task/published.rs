//! Results that refer to published output. A task stores a reference to its own output, and tasks downstream find the
//! output through the reference.

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::files::{LARGEST, file};
use crate::output::{Code, fault, line};
use crate::run_folder::manifest::Published;
use crate::run_folder::open;
use crate::server::host;

/// The field of a result that refers to published output.
const FIELD: &str = "published";

const NOWHERE: &str = "this worker has no folder to publish output in";

const PAUSE: Duration = Duration::from_millis(50);

/// Returns the reference to the output of this program, as JSON.
pub fn own() -> anyhow::Result<Vec<u8>> {
    let said = |name: &str| env::var(name).with_context(|| format!("{name} is not set"));
    let folder = file("BLUEQUE_PUBLISHED").context(NOWHERE)?;
    let published = Published {
        host: host(&said("BLUEQUE_NODE")?).unwrap_or_default(),
        folder,
        task: said("BLUEQUE_TASK_ID")?,
        attempt: said("BLUEQUE_ATTEMPT")?.parse().context("BLUEQUE_ATTEMPT is no number")?,
    };
    Ok(serde_json::to_vec(&serde_json::json!({ FIELD: published }))?)
}

/// Waits for the output to which the parameters refer, and prints its folders in order. Each folder is looked up next
/// to the output of this task. The path in the reference is ignored, because a client could have written any path.
pub fn inputs(limit: Duration) -> anyhow::Result<Code> {
    let Some(path) = file("BLUEQUE_PARAMETERS") else { return Ok(Code::Ok) };
    let text = open::read(&path, LARGEST).with_context(|| format!("{} cannot be read", path.display()))?;
    let wanted = references(&serde_json::from_slice(&text).unwrap_or_default());
    if wanted.is_empty() {
        return Ok(Code::Ok);
    }
    let own = file("BLUEQUE_PUBLISHED").context(NOWHERE)?;
    let published = own.parent().context(NOWHERE)?;
    let begun = Instant::now();
    let mut folders = Vec::new();
    for one in &wanted {
        let Published { host, folder: said, task, attempt } = one;
        let folder = one.place(published).with_context(|| format!("{task} cannot be the id of a task"))?;
        while !one.is_in(&folder) {
            if begun.elapsed() >= limit {
                let text = format!(
                    "the output of attempt {attempt} of {task} is not in {} after {} s: it was published on {host} in {}; \
                     a worker elsewhere, or of another namespace or state folder, needs a --publish folder that both see",
                    folder.display(),
                    limit.as_secs(),
                    said.display()
                );
                return Err(fault(Code::NotFound, text));
            }
            thread::sleep(PAUSE);
        }
        folders.push(folder);
    }
    folders.iter().try_for_each(|folder| line(folder.to_string_lossy()))?;
    Ok(Code::Ok)
}

/// Returns the references in the parameters, which are a single result or a list of results.
fn references(parameters: &Value) -> Vec<Published> {
    let one = |value: &Value| serde_json::from_value(value.get(FIELD)?.clone()).ok();
    match parameters {
        Value::Array(all) => all.iter().filter_map(one).collect(),
        whole => one(whole).into_iter().collect(),
    }
}
