//! Options that select tasks of all queues, for commands that also accept ids.

use blueque::{Filter, GraphId, QueueName, Status, TaskId, TaskInfo};
use clap::Args;

use super::values::{graph_id, plain, queue_name};
use crate::output::{Code, fault};
use crate::session::Session;

/// Maximum number of tasks that are selected.
const MOST: usize = 100_000;

/// Number of records that are read at once.
const PAGE: usize = 500;

#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Instead of ids: the unfinished tasks of this queue
    #[arg(long, value_name = "QUEUE", value_parser = queue_name)]
    pub queue: Option<QueueName>,
    /// Instead of ids: the unfinished tasks with this tag
    #[arg(long, value_name = "TAG", value_parser = plain)]
    pub tag: Option<String>,
    /// Instead of ids: the tasks of this graph; with --queue or --tag only the tasks that these select
    #[arg(long, value_name = "ID", value_parser = graph_id)]
    pub graph: Option<GraphId>,
}

impl Selection {
    pub fn is_given(&self) -> bool {
        self.queue.is_some() || self.tag.is_some() || self.graph.is_some()
    }

    /// Returns the selected tasks. `view` makes what is kept of a record. With `ended`, also returns finished tasks of
    /// queues and tags.
    pub fn find(
        &self,
        session: &Session,
        ended: bool,
        view: impl Fn(TaskInfo) -> TaskInfo,
    ) -> anyhow::Result<Vec<(TaskId, TaskInfo)>> {
        let ids: Vec<TaskId> = if let Some(graph) = &self.graph {
            session.members(graph)?.into_iter().map(|task| task.id).collect()
        } else {
            let states = Status::ALL.iter().copied().filter(|status| ended || !status.is_finished());
            let ids = self.ids(session, states, MOST + 1)?;
            if ids.len() > MOST {
                let text = format!("more than {MOST} tasks are selected: select fewer with --queue, --tag or --graph");
                return Err(fault(Code::Usage, text));
            }
            ids
        };
        let found = self.read(session, &ids, view)?;
        if found.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        Ok(found)
    }

    /// Returns the ids of at most `most` tasks of the queue or the tag in these states.
    pub fn ids(
        &self,
        session: &Session,
        states: impl IntoIterator<Item = Status>,
        most: usize,
    ) -> anyhow::Result<Vec<TaskId>> {
        let filter = states.into_iter().fold(Filter::new(), Filter::status);
        let filter = self.tag.iter().fold(filter, Filter::tag);
        let ids = match &self.queue {
            Some(queue) => session.client.queue(queue.as_str())?.find(&filter, most)?,
            None => session.client.find(&filter, most)?,
        };
        Ok(ids.into_iter().filter_map(|id| TaskId::new(id).ok()).collect())
    }

    /// Reads these tasks, and leaves out tasks that are not selected. `view` reduces each record, to save memory.
    pub fn read(
        &self,
        session: &Session,
        ids: &[TaskId],
        view: impl Fn(TaskInfo) -> TaskInfo,
    ) -> anyhow::Result<Vec<(TaskId, TaskInfo)>> {
        let mut found = Vec::new();
        for page in ids.chunks(PAGE) {
            let infos = page.iter().zip(session.client.infos(page)?);
            let infos = infos.filter_map(|(id, info)| Some((id.clone(), info?))).filter(|(_, info)| self.fits(info));
            found.extend(infos.map(|(id, info)| (id, view(info))));
        }
        Ok(found)
    }

    fn fits(&self, info: &TaskInfo) -> bool {
        self.queue.as_ref().is_none_or(|queue| info.queue().as_deref() == Some(queue.as_str()))
            && self.tag.as_ref().is_none_or(|tag| info.tags().contains(tag))
    }
}
