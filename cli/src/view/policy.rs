//! The policy of a task. Each rule comes from the task's own option, or else from the settings of its queue.

use std::collections::BTreeMap;

use blueque::contract::TASK_OPTIONS;
use blueque::{QueueName, Setting, TaskInfo};
use serde::Serialize;

use super::record::text;
use super::setting;
use crate::session::Session;

/// A setting that is part of the policy, but has no option of a task.
const ONLY_SET: &str = "max_uncounted";

/// The rules of the policy, by the name of the setting.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Policy(BTreeMap<&'static str, Rule>);

/// A rule: the value in effect, and its source.
#[derive(Debug, Serialize)]
struct Rule {
    value: String,
    /// `task`, `queue`, `namespace` or `default`.
    source: &'static str,
}

impl Policy {
    /// Returns the policy of a task. The name of its queue must be valid in this version.
    pub fn read(session: &Session, info: &TaskInfo) -> anyhow::Result<Self> {
        let queue = info.queue().and_then(|name| QueueName::new(name).ok());
        let settings = session.client.call(&session.client.calls().settings(queue.as_ref()))?;
        let rule = |(name, field): (&'static str, &str)| {
            let own = text(info, field).map(|value| Rule { value: seconds(field, value), source: "task" });
            Some((name, own.or_else(|| inherited(&settings, name))?))
        };
        let overridden = TASK_OPTIONS.iter().filter_map(|option| Some((option.setting?, option.field?)));
        Ok(Self(overridden.chain([(ONLY_SET, "")]).filter_map(rule).collect()))
    }
}

fn inherited(settings: &[Setting], name: &str) -> Option<Rule> {
    let setting = settings.iter().find(|setting| setting.name == name)?;
    Some(Rule { value: setting.value.clone()?, source: setting.from.as_str() })
}

/// Converts a value to the unit of settings: the record stores the lease of a task in microseconds.
fn seconds(field: &str, value: String) -> String {
    if field != "own_lease" {
        return value;
    }
    value.parse::<f64>().map_or(value, |micros| (micros / 1e6).to_string())
}

impl Policy {
    /// Returns the maximum of a count as text, which follows the count on its line.
    pub fn of(&self, name: &str, count: u32) -> String {
        let Some(Rule { value, .. }) = self.0.get(name) else { return String::new() };
        match value.parse::<u32>() {
            Ok(0) => " (none allowed)".to_owned(),
            Ok(most) if count > most => format!(" ({most} allowed)"),
            _ => format!(" of {value}"),
        }
    }

    /// Returns the rules for people: all rules, or only the rules that are no defaults.
    pub fn words(&self, all: bool) -> String {
        let whose = |source| match source {
            "task" => String::new(),
            "default" => " (default)".to_owned(),
            other => format!(" (of the {other})"),
        };
        let words = self
            .0
            .iter()
            .filter(|(_, rule)| all || rule.source != "default")
            .map(|(name, rule)| format!("{name} {}{}", setting::words(name, &rule.value), whose(rule.source)));
        words.collect::<Vec<_>>().join(", ")
    }
}
