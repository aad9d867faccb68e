//! A new task, as arguments, and its submission.

use blueque::calls::NewTask;
use blueque::{Error, Graph, GraphId, Made, QueueName, Round, Submitted, TaskId};
use clap::Args;
use serde_json::value::RawValue;

use super::array;
use super::parameters::Parameters;
use super::task_options::TaskOptions;
use super::upstreams::{Results, Upstreams, in_options};
use super::values::{coming, queue_name, task_id};
use crate::output::say;
use crate::session::Session;
use crate::times::{self, When};

/// Number of bytes of the log that the server keeps for a followed task.
const FOLLOWED: u32 = 64 << 20;

/// The arguments of a new task.
#[derive(Args, Clone, Debug)]
pub struct NewTaskArgs {
    /// The queue
    #[arg(value_name = "QUEUE", value_parser = queue_name)]
    pub queue: QueueName,
    #[command(flatten)]
    parameters: Parameters,
    /// Not before this time: RFC 3339, or 10m (+10m) from now
    #[arg(long, value_name = "TIME", value_parser = coming)]
    eta: Option<When>,
    /// The id of the task [default: a random id]; submitting the same id twice creates one task
    #[arg(long, value_parser = task_id)]
    id: Option<TaskId>,
    #[command(flatten)]
    upstreams: Upstreams,
    /// Wait for this task, and use its result as the parameters: a JSON list, with several results if repeated
    #[arg(long, value_name = "ID", value_parser = task_id, conflicts_with_all = ["given", "named"])]
    result_of: Vec<TaskId>,
    /// Like --result-of, but the result is null if this task fails or is cancelled. These results come after the
    /// results of --result-of
    #[arg(long, value_name = "ID", value_parser = task_id, conflicts_with_all = ["given", "named"])]
    result_or_null: Vec<TaskId>,
    #[command(flatten)]
    options: TaskOptions,
}

impl NewTaskArgs {
    /// Returns the ids of the task's upstreams.
    pub fn waits_for(&mut self) -> Vec<&mut TaskId> {
        self.upstreams.ids().chain(&mut self.result_of).chain(&mut self.result_or_null).collect()
    }

    fn results(&self) -> Results<'_> {
        Results { needed: &self.result_of, optional: &self.result_or_null }
    }

    /// Returns the key and the unique name of the task. They have an effect only within one partition, and the first of
    /// them determines the partition.
    pub fn pins(&self) -> Vec<(&'static str, String)> {
        let pin = |(option, shown)| {
            let value = self.options.given().find(|(name, _)| *name == option)?.1;
            Some((shown, value))
        };
        [("key", "key"), ("unique", "unique name")].into_iter().filter_map(pin).collect()
    }

    /// Returns the id of the task. Sets a random id if there is none.
    pub fn own_id(&mut self) -> &TaskId {
        self.id.get_or_insert_with(TaskId::random)
    }

    /// Returns the id and the graph of an array with a task for each of these indexes.
    pub fn array(&self, indexes: &str) -> anyhow::Result<(GraphId, Graph)> {
        let id = match &self.id {
            Some(id) => GraphId::new(id.as_str())?,
            None => GraphId::random(),
        };
        let bytes = self.parameters.are_given().then(|| self.parameters.bytes()).transpose()?;
        let parameters = bytes.as_deref().map(serde_json::from_slice::<&RawValue>).transpose()?;
        let eta = self.eta.map(|eta| times::seconds(eta.time()));
        let graph = array::graph(
            (&id, self.queue.as_str()),
            indexes,
            (parameters, eta),
            (&self.options, self.upstreams.fields(&self.results())),
        )?;
        Ok((id, graph))
    }

    /// Returns the parameters, or an empty text if the task gets results instead.
    fn payload(&self) -> anyhow::Result<Vec<u8>> {
        if self.result_of.is_empty() && self.result_or_null.is_empty() {
            self.parameters.bytes()
        } else {
            Ok(Vec::new())
        }
    }

    /// Submits the task, even if a task with its id exists. With `later`, a running task runs again after the current
    /// run.
    pub fn submit_again(&self, session: &Session, request: &str, later: bool) -> anyhow::Result<(TaskId, Round)> {
        let parameters = self.payload()?;
        let id = self.id.clone().unwrap_or_else(TaskId::random);
        let options = self.options.options().inputs(&self.upstreams.inputs(0, &self.results()));
        let task = NewTask::new(&id, &parameters).eta(self.eta.map(When::time));
        let calls = session.client.calls();
        let call = if later {
            calls.submit_once_more(&self.queue, &task, &options, request)
        } else {
            calls.submit_again(&self.queue, &task, &options, request)
        };
        let round = session.client.call(&call).inspect_err(|error| {
            if matches!(error, Error::Unavailable { .. }) {
                say(format!(
                    "{id} may have begun again: the same command with --request {request} begins no second round"
                ));
            }
        });
        let round = round.map_err(|error| in_options(&id, error))?;
        match round.made {
            Made::Again => say(format!("{id} begins its round {}", round.number)),
            Made::Changed => say(format!("{id} waits, and was changed")),
            Made::Existing => say(format!("{id} waits as it is; nothing was changed")),
            Made::Later => say(format!("{id} begins its round {} when it has ended this one", round.number)),
            _ => {}
        }
        Ok((id, round))
    }

    /// Submits the task. If the caller follows the log, the server keeps more of the log, so that no output is lost.
    pub fn submit(&self, session: &Session, followed: bool, hold: bool) -> anyhow::Result<(TaskId, Submitted)> {
        let parameters = self.payload()?;
        let id = self.id.clone().unwrap_or_else(TaskId::random);
        let task = NewTask::new(&id, &parameters).eta(self.eta.map(When::time));
        let mut options = self.options.options().inputs(&self.upstreams.inputs(0, &self.results())).hold(hold);
        if followed && !self.options.has("log_bytes") {
            options = options.log_bytes(FOLLOWED);
        }
        let call = session.client.calls().submit(&self.queue, &[task], &options).answered_once();
        let made = session.client.call(&call).inspect_err(|error| match error {
            Error::Unavailable { .. } => {
                say(format!("{id} may have been submitted: the same command with --id {id} creates no second task"));
            }
            Error::NotDurable { .. } => {
                say(format!("{id} was submitted: the same command with --id {id} asks again whether it is durable"));
            }
            _ => {}
        });
        let made = made.map_err(|error| in_options(&id, error))?;
        let made = made.into_iter().next().unwrap_or(Submitted::Created);
        match &made {
            Submitted::Existing => say(format!("{id} exists already; nothing was changed")),
            Submitted::Taken(other) => {
                say(format!("{other} has this unique name; nothing was made"));
                return Ok((other.clone(), made));
            }
            Submitted::Replaced(other) => say(format!("{other} was cancelled: {id} takes its place")),
            _ => {}
        }
        Ok((id, made))
    }
}
