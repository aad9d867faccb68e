//! The changes that a program has requested for its task's next step: a part of `end.json`.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use blueque::calls::{CompleteOptions, TaskOptions};
use serde::{Deserialize, Serialize};

/// Changes that the next step makes to the task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Earliest time of the step, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<String>,
    /// Options by their names in the contract.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// True if the payload of the end contains the parameters of the next step instead of a result.
    pub own_parameters: bool,
}

impl Step {
    pub fn of(&self, options: CompleteOptions, payload: &[u8]) -> CompleteOptions {
        let eta = self.eta.and_then(time);
        let options = eta.into_iter().fold(options.task(&task_options(&self.options)), CompleteOptions::eta);
        let options = if self.unset.is_empty() { options } else { options.unset(self.unset.join(",")) };
        if self.own_parameters { options.parameters(payload) } else { options }
    }
}

/// Converts options by name to the options of a call.
pub fn task_options(given: &BTreeMap<String, String>) -> TaskOptions {
    let mut options = TaskOptions::default();
    for (name, value) in given {
        options.set(name, value.as_str());
    }
    options
}

/// Converts seconds since 1970 to a time.
pub fn time(seconds: f64) -> Option<SystemTime> {
    Duration::try_from_secs_f64(seconds).ok().and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since))
}
