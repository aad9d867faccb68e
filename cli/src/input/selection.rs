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
            let states = Status::ALL.iter().filter(|status| ended || !status.is_finished());
            let filter = states.fold(Filter::new(), |filter, &status| filter.status(status));
            let filter = self.tag.iter().fold(filter, Filter::tag);
            let ids = match &self.queue {
                Some(queue) => session.client.queue(queue.as_str())?.find(&filter, MOST + 1)?,
                None => session.client.find(&filter, MOST + 1)?,
            };
            if ids.len() > MOST {
                let text = format!("more than {MOST} tasks are selected: select fewer with --queue, --tag or --graph");
                return Err(fault(Code::Usage, text));
            }
            ids.into_iter().filter_map(|id| TaskId::new(id).ok()).collect()
        };
        let mut found = Vec::new();
        for page in ids.chunks(PAGE) {
            let infos = page.iter().zip(session.client.infos(page)?);
            let infos = infos.filter_map(|(id, info)| Some((id.clone(), info?))).filter(|(_, info)| self.fits(info));
            found.extend(infos.map(|(id, info)| (id, view(info))));
        }
        if found.is_empty() {
            session.must_exist(self.queue.as_slice())?;
        }
        Ok(found)
    }

    fn fits(&self, info: &TaskInfo) -> bool {
        self.queue.as_ref().is_none_or(|queue| info.queue().as_deref() == Some(queue.as_str()))
            && self.tag.as_ref().is_none_or(|tag| info.tags().contains(tag))
    }
}
