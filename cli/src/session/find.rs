//! Finds tasks by the beginning of an id, or as a part of a graph.

mod part;

use std::iter;

use blueque::{TaskId, TaskInfo};

use self::part::Part;
use super::Session;
use super::graphs::known;
use crate::output::{Code, fault};

/// Maximum number of ids in a search for a prefix.
const LOOKED_AT: usize = 200_000;

/// A task with its record, or an error.
pub type Found = anyhow::Result<(TaskId, TaskInfo)>;

/// Maximum number of candidates that are shown for an ambiguous prefix.
const SHOWN: usize = 10;

impl Session {
    /// Returns the id that is equal to this text, or the only id that begins with this text.
    pub fn find(&self, text: &str) -> anyhow::Result<TaskId> {
        Ok(self.find_task(text)?.0)
    }

    /// Returns the task with this id, or the only task whose id has this prefix. Also accepts `beginning…` and
    /// `beginning…end`, the short forms of ids in narrow tables. A part of a graph must be a single task.
    pub fn find_task(&self, text: &str) -> Found {
        if let Some(part) = Part::of(text) {
            return match self.part(&part?)?.as_slice() {
                [(_, id)] => Ok((id.clone(), self.client.task(id.as_str())?.info()?)),
                many => Err(fault(Code::Usage, format!("{text} is {} tasks: name one", many.len()))),
            };
        }
        let (begin, end) = text.split_once('…').unwrap_or((text, ""));
        let exact = TaskId::new(begin)?;
        if begin == text
            && let Some(info) = self.client.call(&self.client.calls().get(&exact))?
        {
            return Ok((exact, info));
        }
        let id = TaskId::new(self.complete(begin, end)?)?;
        let info = self.client.task(id.as_str())?.info()?;
        Ok((id, info))
    }

    /// Returns the tasks that a text names, each with a name: one task, or a part of a graph. Each task is read when
    /// the iterator reaches it.
    pub fn find_tasks<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = (String, Found)> + 'a> {
        let named = |found| Box::new(iter::once((text.to_owned(), found)));
        match Part::of(text) {
            None => named(self.find_task(text)),
            Some(part) => match part.and_then(|part| self.part(&part)) {
                Err(error) => named(Err(error)),
                Ok(tasks) => Box::new(tasks.into_iter().map(|(name, id)| {
                    let info = self.client.task(id.as_str()).and_then(|task| task.info());
                    (name, info.map(|info| (id, info)).map_err(Into::into))
                })),
            },
        }
    }

    fn part(&self, part: &Part<'_>) -> anyhow::Result<Vec<(String, TaskId)>> {
        part.among(&known(&part.graph, self.client.graph(part.graph)?.look())?.tasks)
    }

    fn complete(&self, prefix: &str, end: &str) -> anyhow::Result<String> {
        let mut candidates = Vec::new();
        let mut looked_at = 0;
        'all: for queue in self.queues(&[])? {
            let mut cursor = Some("0".to_owned());
            while let Some(at) = cursor {
                if candidates.len() > SHOWN || looked_at >= LOOKED_AT {
                    break 'all;
                }
                let page = self.client.call(&self.client.calls().list(&queue, "all", &at, 500))?;
                looked_at += page.items.len();
                let fits = |id: &String| id.strip_prefix(prefix).is_some_and(|rest| rest.ends_with(end));
                candidates.extend(page.items.into_iter().filter(fits));
                cursor = page.next;
            }
        }
        if candidates.len() <= SHOWN && looked_at >= LOOKED_AT {
            let text = format!(
                "there are over {looked_at} tasks, too many to look for the beginning of an id: give the whole id"
            );
            return Err(fault(Code::NotFound, text));
        }
        // A task can be listed twice, if it moves to a later page during the search.
        candidates.sort_unstable();
        candidates.dedup();
        match candidates.as_slice() {
            [] => Err(fault(Code::NotFound, format!("no task has an id that is, or begins with, {prefix}"))),
            [only] => Ok(only.clone()),
            many => {
                let more = if many.len() > SHOWN { "\n  …" } else { "" };
                let shown: Vec<&str> = many.iter().take(SHOWN).map(String::as_str).collect();
                Err(fault(Code::Usage, format!("{prefix} is ambiguous:\n  {}{more}", shown.join("\n  "))))
            }
        }
    }
}
