//! Finds tasks by the beginning of an id, or as a graph or a part of a graph.

mod part;

use std::iter;
use std::sync::OnceLock;

use blueque::{GraphId, Status, TaskId, TaskInfo};

use self::part::Part;
use super::Session;
use super::graphs::known;
use crate::output::{Code, clean_line, fault};

/// Maximum number of ids in a search for a prefix.
const LOOKED_AT: usize = 200_000;

/// A task with its record, or an error.
pub type Found = anyhow::Result<(TaskId, TaskInfo)>;

/// Names the task that failed last.
const FAILED: &str = "@failed";

/// What a text names: a task, or tasks of a graph with their names.
enum Named {
    Task(Box<(TaskId, TaskInfo)>),
    Graph(Vec<(String, TaskId)>),
}

/// Maximum number of candidates that are shown for an ambiguous prefix.
const SHOWN: usize = 10;

/// The id that `@last` stands for. It names only the task or the graph with exactly this id.
static LAST: OnceLock<String> = OnceLock::new();

/// Stores the id that `@last` stands for in the arguments of this command.
pub fn is_last(id: &str) {
    let _ = LAST.set(id.to_owned());
}

impl Session {
    /// Returns the id that is equal to this text, or the only id that begins with this text.
    pub fn find(&self, text: &str) -> anyhow::Result<TaskId> {
        Ok(self.find_task(text)?.0)
    }

    /// Returns the task with this id, or the only task whose id has this prefix. Also accepts `beginning…` and
    /// `beginning…end`, the short forms of ids in narrow tables. A graph, or a part of it, must be a single task.
    pub fn find_task(&self, text: &str) -> Found {
        match self.named(text)? {
            Named::Task(found) => Ok(*found),
            Named::Graph(tasks) => match tasks.as_slice() {
                [(_, id)] => Ok((id.clone(), self.client.task(id.as_str())?.info()?)),
                [] => Err(fault(Code::NotFound, format!("the graph {text} has no tasks"))),
                [(name, id), ..] => {
                    let number = tasks.len();
                    let example = clean_line(&self.global(id.as_str()), 200);
                    let text =
                        format!("{text} is {number} tasks: name one, such as {example} ({})", clean_line(name, 200));
                    Err(fault(Code::Usage, text))
                }
            },
        }
    }

    /// Returns the id that the text is, if it is exactly the id of a graph or an array, and of no task.
    pub fn find_graph(&self, text: &str) -> anyhow::Result<Option<GraphId>> {
        let Ok(id) = GraphId::new(text) else { return Ok(None) };
        if Part::of(text).is_some() || self.client.call(&self.client.calls().get(&TaskId::new(text)?))?.is_some() {
            return Ok(None);
        }
        Ok(self.whole(text)?.is_some().then_some(id))
    }

    /// Returns the tasks that a text names, each with a name: one task, a graph, or a part of a graph. Each task is
    /// read when the iterator reaches it.
    pub fn find_tasks<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = (String, Found)> + 'a> {
        match self.named(text) {
            Err(error) => Box::new(iter::once((text.to_owned(), Err(error)))),
            Ok(Named::Task(found)) => Box::new(iter::once((text.to_owned(), Ok(*found)))),
            Ok(Named::Graph(tasks)) => Box::new(tasks.into_iter().map(|(name, id)| {
                let info = self.client.task(id.as_str()).and_then(|task| task.info());
                (name, info.map(|info| (id, info)).map_err(Into::into))
            })),
        }
    }

    /// Returns the task or the tasks that a text names. The exact id of a task comes first, then the exact id of a
    /// graph or an array, then the beginning of an id.
    fn named(&self, text: &str) -> anyhow::Result<Named> {
        if let Some(part) = Part::of(text) {
            return Ok(Named::Graph(self.part(&part?)?));
        }
        let task = |(id, info)| Named::Task(Box::new((id, info)));
        if text == FAILED {
            return self.latest_failed().map(task);
        }
        let (begin, end) = text.split_once('…').unwrap_or((text, ""));
        let exact = TaskId::new(begin)?;
        if begin == text {
            if let Some(info) = self.client.call(&self.client.calls().get(&exact))? {
                return Ok(task((exact, info)));
            }
            if let Some(tasks) = self.whole(text)? {
                return Ok(Named::Graph(tasks));
            }
        }
        if LAST.get().is_some_and(|last| last == text || last.ends_with(&format!(":{text}"))) {
            return Err(fault(Code::NotFound, format!("no task has the id {text}")));
        }
        let id = TaskId::new(self.complete(begin, end)?)?;
        let info = self.client.task(id.as_str())?.info()?;
        Ok(task((id, info)))
    }

    /// Returns the tasks of the graph with exactly this id, if it exists.
    fn whole(&self, text: &str) -> anyhow::Result<Option<Vec<(String, TaskId)>>> {
        let Ok(id) = GraphId::new(text) else { return Ok(None) };
        match self.client.graph(id.as_str())?.look() {
            Ok(graph) => Ok(Some(graph.tasks.into_iter().map(|task| (task.label, task.id)).collect())),
            Err(error) if error.code() == Some(blueque::Code::NoTask) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the task of all queues that failed last.
    fn latest_failed(&self) -> Found {
        let mut ids = Vec::new();
        for queue in self.queues(&[])? {
            let page = self.client.call(&self.client.calls().list(&queue, Status::Failed.as_str(), "0", 1))?;
            ids.extend(page.items.into_iter().filter_map(|id| TaskId::new(id).ok()));
        }
        let infos = self.client.infos(&ids)?;
        let found = ids.into_iter().zip(infos).filter_map(|(id, info)| Some((id, info?)));
        let latest = found.max_by_key(|(_, info)| info.updated());
        latest.ok_or_else(|| fault(Code::NotFound, "no task has failed"))
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
