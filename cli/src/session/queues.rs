//! Lists the queues of a namespace, and reports queues that do not exist, with a similar name as a suggestion.

use blueque::{QueueInfo, QueueName};

use super::Session;
use crate::output::{Code, fault, say};

/// Maximum number of queues that a command without a named queue reads.
const QUEUES: usize = 10_000;

/// Minimum similarity, from 0 to 1, between a mistyped name and the name that is suggested.
const ALIKE: f64 = 0.8;

impl Session {
    /// Returns the named queues, or all queues if none is named.
    pub fn queues(&self, named: &[QueueName]) -> anyhow::Result<Vec<QueueName>> {
        if named.is_empty() {
            let all = self.all_queues()?.into_iter().filter_map(|queue| QueueName::new(queue.name).ok());
            Ok(all.collect())
        } else {
            Ok(named.to_vec())
        }
    }

    /// Returns every queue, ordered by name.
    pub fn all_queues(&self) -> anyhow::Result<Vec<QueueInfo>> {
        let mut queues = Vec::new();
        let mut cursor = Some("0".to_owned());
        while let Some(at) = cursor
            && queues.len() < QUEUES
        {
            let page = self.client.call(&self.client.calls().queues(&at, 500))?;
            queues.extend(page.items);
            cursor = page.next;
        }
        queues.sort_by(|a, b| a.name.cmp(&b.name));
        queues.dedup_by(|a, b| a.name == b.name);
        Ok(queues)
    }

    /// Fails if a named queue does not exist. Commands call this function after an empty reply.
    pub fn must_exist(&self, named: &[QueueName]) -> anyhow::Result<()> {
        match self.unknown(named)? {
            Some(text) => Err(fault(Code::NotFound, text)),
            None => Ok(()),
        }
    }

    /// Warns if a queue does not exist. Commands call this function before they change a queue.
    pub fn warn_if_new(&self, queue: &QueueName) -> anyhow::Result<()> {
        if let Some(text) = self.unknown(std::slice::from_ref(queue))? {
            say(format!("{text}; this holds as soon as there is"));
        }
        Ok(())
    }

    /// Returns a message about the first named queue that does not exist.
    pub fn unknown(&self, named: &[QueueName]) -> anyhow::Result<Option<String>> {
        if named.is_empty() {
            return Ok(None);
        }
        let all: Vec<String> = self.all_queues()?.into_iter().map(|queue| queue.name).collect();
        let Some(queue) = named.iter().find(|name| !all.iter().any(|one| one == name.as_str())) else {
            return Ok(None);
        };
        // If not all queues were read, the queue may exist.
        if all.len() >= QUEUES {
            return Ok(None);
        }
        Ok(Some(format!("there is no queue {queue}{}", meant(queue.as_str(), &all))))
    }
}

/// Suggests a name that is similar to a mistyped one.
pub fn meant(mistyped: &str, all: &[String]) -> String {
    let likeness = |name: &str| strsim::jaro_winkler(name, mistyped);
    let best = all.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    let best = best.filter(|name| likeness(name) >= ALIKE);
    best.map_or(String::new(), |name| format!(" (did you mean {name}?)"))
}
