//! `blueque depend` and `blueque undepend`

use blueque::TaskId;
use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::input::upstreams::{Results, Upstreams};
use crate::input::values::task_id;
use crate::output::{Code, fault};
use crate::session::Session;
use crate::subcommand::Subcommand;

/// Pending and scheduled tasks become waiting tasks, unless all the other tasks have ended already.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    upstreams: Upstreams,
    /// Append the result of this task to the parameters. Only for tasks that already wait for results; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    result_of: Vec<TaskId>,
    /// Like --result-of, but the parameter is null if this task fails or is cancelled
    #[arg(long, value_name = "ID", value_parser = task_id)]
    result_or_null: Vec<TaskId>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (client, calls) = (&session.client, session.client.calls());
        let results = Results { needed: &self.result_of, optional: &self.result_or_null };
        let has_results = !(results.needed.is_empty() && results.optional.is_empty());
        if self.upstreams.is_empty() && !has_results {
            return Err(fault(
                Code::Usage,
                "name what they are to wait for: --after-success ID, --after ID, --result-of ID, --at-least NUMBER",
            ));
        }
        self.tasks.each(session, |id, _| {
            let slots = if has_results { client.call(&calls.why(id))?.slots } else { None };
            let first = slots.and_then(|slots| slots.try_into().ok()).unwrap_or(0);
            let inputs = self.upstreams.inputs(first, &results);
            Ok(client.call(&calls.depend(id, &inputs))?.as_str())
        })
    }

    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        self.upstreams.ids().chain(&mut self.result_of).chain(&mut self.result_or_null).collect()
    }
}

#[derive(Args, Clone, Debug)]
pub struct Removal {
    /// The waiting task: its id, or an unambiguous prefix of it
    pub id: String,
    /// The tasks for which it no longer waits
    #[arg(required = true, value_name = "UPSTREAM", value_parser = task_id)]
    pub upstreams: Vec<TaskId>,
}

impl Subcommand for Removal {
    /// Removes upstreams of a task. The task is ready when its last upstream is removed.
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        TaskIds::one(&self.id).each(session, |id, info| {
            let mut state = info.status().map_or("waiting", |status| status.as_str());
            for upstream in &self.upstreams {
                state = session.client.call(&session.client.calls().undepend(id, upstream))?.as_str();
            }
            Ok(state)
        })
    }

    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        self.upstreams.iter_mut().collect()
    }

    fn links(&self) -> bool {
        false
    }
}
