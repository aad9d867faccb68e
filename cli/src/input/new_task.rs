//! A new task, as arguments, and its submission.

use blueque::calls::NewTask;
use blueque::{CommandLine, Error, Graph, GraphId, Made, QueueName, Round, Submitted, TaskId};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::value::RawValue;

use super::array;
use super::command::{GIVEN, put, signed};
use super::each::Lines;
use super::parameters::{Parameters, Stdin};
use super::task_options::TaskOptions;
use super::trace;
use super::upstreams::{Results, Upstreams, in_options};
use super::values::{coming, queue_name, task_id};
use crate::command_line::{COMMAND, COMMANDS};
use crate::output::{Code, fault, say};
use crate::session::Session;
use crate::times::{self, When};

/// The queue of command lines, unless the user names one.
pub const COMMANDS_QUEUE: &str = "default";

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
    #[command(flatten)]
    rest: Rest,
}

/// The arguments of a new task with a command line: the queue and the parameters are options.
#[derive(Clone, Debug)]
pub struct AddedTask(pub NewTaskArgs);

#[derive(Args)]
struct Added {
    /// The queue
    #[arg(long, short, value_name = "QUEUE", default_value = COMMANDS_QUEUE, value_parser = queue_name)]
    queue: QueueName,
    #[command(flatten)]
    parameters: Stdin,
    #[command(flatten)]
    rest: Rest,
}

impl FromArgMatches for AddedTask {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Added { queue, parameters, rest } = Added::from_arg_matches(matches)?;
        Ok(Self(NewTaskArgs { queue, parameters: parameters.into(), rest }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for AddedTask {
    fn augment_args(command: Command) -> Command {
        Added::augment_args(command).mut_arg(COMMAND, |arg| arg.hide(true).conflicts_with_all(GIVEN))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The arguments of a new task, except its queue and its parameters.
#[derive(Args, Clone, Debug)]
struct Rest {
    /// Not before this time: 22:00, tomorrow 8:00, 2026-11-27 08:00, RFC 3339, or 10m (+10m) from now
    #[arg(long, value_name = "TIME", value_parser = coming)]
    eta: Option<When>,
    /// The id of the task [default: a random id]; submitting the same id twice creates one task
    #[arg(long, value_parser = task_id)]
    id: Option<TaskId>,
    #[command(flatten)]
    upstreams: Upstreams,
    /// Wait for this task, and use its result as the parameters: a JSON list, with several results if repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    result_of: Vec<TaskId>,
    /// Like --result-of, but the result is null if this task fails or is cancelled. These results come after the
    /// results of --result-of
    #[arg(long, value_name = "ID", value_parser = task_id)]
    result_or_null: Vec<TaskId>,
    #[command(flatten)]
    options: TaskOptions,
}

impl NewTaskArgs {
    /// Returns the ids of the task's upstreams.
    pub fn waits_for(&mut self) -> Vec<&mut TaskId> {
        let rest = &mut self.rest;
        rest.upstreams.ids().chain(&mut rest.result_of).chain(&mut rest.result_or_null).collect()
    }

    /// Returns the method of a task that a program of a worker runs.
    pub fn method(&self) -> Option<String> {
        let options = &self.rest.options;
        options.given().find(|(name, _)| *name == "method" && !options.has(COMMAND)).map(|(_, method)| method)
    }

    /// Sets the command line of the task. It becomes the proof that this user has submitted it, if there is a key.
    pub fn set_command(&mut self, command: CommandLine, namespace: &str) -> anyhow::Result<()> {
        let id = self.own_id().to_string();
        put(&mut self.rest.options, command, namespace, &id)
    }

    /// Returns the id and the graph of a task for each of these lines.
    pub fn each(&self, lines: &Lines, command: &CommandLine, namespace: &str) -> anyhow::Result<(GraphId, Graph)> {
        let id = self.graph_id()?;
        let parameters = self.parameters.are_given().then(|| self.payload()).transpose()?;
        let mut options = self.rest.options.clone();
        options.add_need(COMMANDS);
        let sign = |command: CommandLine| signed(command, namespace, id.as_str());
        let eta = self.rest.eta.map(|eta| times::seconds(eta.time()));
        let upstreams = self.rest.upstreams.fields(&self.results());
        let graph =
            lines.graph(self.queue.as_str(), command, &sign, (parameters.as_deref(), eta), (&options, &upstreams))?;
        Ok((id.clone(), graph.id(id)))
    }

    /// Returns the options of a single task, with the trace of the environment and the submitter. The submitter of an
    /// array is a property of its graph.
    fn options(&self) -> TaskOptions {
        let mut options = self.rest.options.clone();
        options.add_submitter();
        if let Some(trace) = trace::of_environment().filter(|_| !options.has("trace")) {
            options.put("trace", trace);
        }
        options
    }

    fn graph_id(&self) -> anyhow::Result<GraphId> {
        Ok(match &self.rest.id {
            Some(id) => GraphId::new(id.as_str())?,
            None => GraphId::random(),
        })
    }

    fn results(&self) -> Results<'_> {
        Results { needed: &self.rest.result_of, optional: &self.rest.result_or_null }
    }

    /// Returns the key and the unique name of the task. They have an effect only within one partition, and the first of
    /// them determines the partition.
    pub fn pins(&self) -> Vec<(&'static str, String)> {
        let pin = |(option, shown)| {
            let value = self.rest.options.given().find(|(name, _)| *name == option)?.1;
            Some((shown, value))
        };
        [("key", "key"), ("unique", "unique name")].into_iter().filter_map(pin).collect()
    }

    /// Returns the id of the task. Sets a random id if there is none.
    pub fn own_id(&mut self) -> &TaskId {
        self.rest.id.get_or_insert_with(TaskId::random)
    }

    /// Returns the id and the graph of an array with a task for each of these indexes.
    pub fn array(&self, indexes: &str) -> anyhow::Result<(GraphId, Graph)> {
        let id = self.graph_id()?;
        let bytes = self.parameters.are_given().then(|| self.parameters.bytes()).transpose()?;
        let parameters = bytes.as_deref().map(serde_json::from_slice::<&RawValue>).transpose()?;
        let eta = self.rest.eta.map(|eta| times::seconds(eta.time()));
        let graph = array::graph(
            (&id, self.queue.as_str()),
            indexes,
            (parameters, eta),
            (&self.rest.options, self.rest.upstreams.fields(&self.results())),
        )?;
        Ok((id, graph))
    }

    /// Returns the parameters, or an empty text if the task gets results instead.
    fn payload(&self) -> anyhow::Result<Vec<u8>> {
        if self.rest.result_of.is_empty() && self.rest.result_or_null.is_empty() {
            self.parameters.bytes()
        } else if self.parameters.are_given() {
            let text = "a task with --result-of or --result-or-null gets results as its parameters: give no others";
            Err(fault(Code::Usage, text))
        } else {
            Ok(Vec::new())
        }
    }

    /// Submits the task, even if a task with its id exists. With `later`, a running task runs again after the current
    /// run.
    pub fn submit_again(&self, session: &Session, request: &str, later: bool) -> anyhow::Result<(TaskId, Round)> {
        let parameters = self.payload()?;
        let id = self.rest.id.clone().unwrap_or_else(TaskId::random);
        let options = self.options().options().inputs(&self.rest.upstreams.inputs(0, &self.results()));
        let task = NewTask::new(&id, &parameters).eta(self.rest.eta.map(When::time));
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
        let id = self.rest.id.clone().unwrap_or_else(TaskId::random);
        let task = NewTask::new(&id, &parameters).eta(self.rest.eta.map(When::time));
        let mut options = self.options().options().inputs(&self.rest.upstreams.inputs(0, &self.results())).hold(hold);
        if followed && !self.rest.options.has("log_bytes") {
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
