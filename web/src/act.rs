//! Actions: what users can do, who may do it, and what it will do. Forms and the API use the same table.

pub mod add;
mod found;
mod many;
mod perform;

use blueque::bundle;

use crate::actor::Role;
use crate::failure::Failure;
pub use crate::fields::Fields;
use crate::here::Here;

/// An action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub name: &'static str,
    /// Text of the button.
    pub label: &'static str,
    /// What the action will do, in one or two sentences.
    pub will: &'static str,
    /// The command of the contract, which names the role.
    pub command: &'static str,
    /// True if the page asks before it does the action.
    pub asks: bool,
    /// True if work is lost.
    pub danger: bool,
}

impl Action {
    /// The role that the action needs, from the contract.
    pub fn role(&self) -> Role {
        match bundle::command(self.command).and_then(bundle::Command::role) {
            Some("client") => Role::Operator,
            None => Role::Viewer,
            Some(_) => Role::Admin,
        }
    }
}

macro_rules! actions {
    ($($name:literal $label:literal $command:literal $(asks $asks:literal)? $(danger $danger:literal)? : $will:literal;)*) => {
        /// All actions.
        pub const ALL: &[Action] = &[$(Action {
            name: $name,
            label: $label,
            will: $will,
            command: $command,
            asks: false $(|| $asks)? $(|| $danger)?,
            danger: false $(|| $danger)?,
        },)*];
    };
}

actions! {
    "add-task" "Add a task" "submit": "Adds a task to a queue. It runs as soon as a worker has a free slot for it.";
    "add-schedule" "Add a schedule" "schedule": "Creates tasks at the times of a cron expression, or at intervals.";
    "cancel" "Cancel" "cancel" asks true: "Asks the program to stop. It may save a checkpoint, and is killed if it has not ended after its grace period. A task that waits is cancelled at once.";
    "kill" "Kill" "cancel" danger true: "Kills the program and all its processes as soon as its worker hears of it, within seconds. Work since the last checkpoint is lost.";
    "free" "Cancel without its worker" "cancel" danger true: "For a worker that does not answer. The task is cancelled at once, but nobody waits for its program: a worker that lives kills it when it next renews the lease.";
    "retry" "Retry" "retry": "Runs the task again. It continues from its checkpoint, if it has one.";
    "retry-fresh" "Retry from zero" "retry" asks true: "Runs the task again from the beginning. Its checkpoint and progress are deleted.";
    "requeue" "Give back" "requeue" asks true: "Asks the worker to save a checkpoint and give the task back to its queue. Any worker continues it.";
    "suspend" "Suspend" "suspend" asks true: "Stops the program where it is, with all its processes. It keeps its slot and its memory; its limits of time do not run.";
    "continue" "Continue" "unsuspend": "Lets the suspended program go on.";
    "signal" "Send a signal" "signal" asks true: "Sends a signal to the processes of the program that handle it.";
    "hold" "Hold" "hold": "Keeps the task from starting until somebody releases it.";
    "unhold" "Release" "unhold": "Lets the held task start. It goes behind the tasks that wait.";
    "delete" "Delete" "delete" danger true: "Deletes the task with its result, log and history. This cannot be undone.";
    "move" "Move" "move" asks true: "Moves the task to another queue, behind the tasks that wait there.";
    "prioritise" "Change priority" "prioritise" asks true: "Gives the task another priority, behind the tasks that already have it. Higher runs first.";
    "tag" "Add tags" "tag" asks true: "Adds tags, by which the task is found.";
    "untag" "Remove tag" "untag": "Removes the tag.";
    "note" "Add a note" "note" asks true: "Adds a note to the history of the task, with your name.";
    "edit" "Edit" "edit" asks true: "Changes what was submitted. The history records each change.";
    "pause" "Pause" "pause" asks true: "The queue gives out no tasks until it is resumed. Running tasks continue.";
    "stop" "Pause and stop" "pause" danger true: "The queue gives out no tasks, and its running tasks save a checkpoint and go back to the queue.";
    "open" "Resume" "resume": "The queue gives out tasks again.";
    "configure" "Set" "configure": "Changes the setting. An empty value removes it, so that the default applies.";
    "limit" "Set limit" "limit" asks true: "Sets how many tasks run at the same time, and how many start within a time.";
    "delete-queue" "Delete queue" "delete_queue" danger true: "Deletes the settings, limits, events and statistics of the queue. Only an empty queue can be deleted.";
    "drain" "Drain" "drain" asks true: "The worker takes no more tasks, and its process ends once its running tasks have ended. Start it again afterwards.";
    "undrain" "Withdraw the drain" "drain": "The worker goes on to take tasks, if it has not begun to drain.";
    "pause-schedule" "Pause" "pause_schedule" asks true: "The schedule creates no tasks until it is resumed. Times that pass meanwhile create none.";
    "resume-schedule" "Resume" "resume_schedule": "The schedule creates tasks again.";
    "run-schedule" "Run now" "run_schedule" asks true: "Creates a task of the schedule at once, in addition to its times.";
    "edit-schedule" "Edit" "schedule" asks true: "Changes when the schedule creates tasks, and with which parameters.";
    "delete-schedule" "Delete" "unschedule" danger true: "Deletes the schedule. Its tasks stay.";
    "cancel-graph" "Cancel" "cancel_graph" danger true: "Cancels all unfinished tasks of the graph, or one task and all that need it.";
    "retry-graph" "Retry" "retry_graph" asks true: "Runs the failed and cancelled tasks again. Complete tasks keep their results.";
    "rerun-graph" "Rerun from here" "retry_graph" asks true: "Runs this task and everything downstream again, even if it is complete.";
    "stop-many" "Stop" "bulk": "Stops after the present step. Tasks that were changed stay changed.";
    "confirm-many" "Confirm" "bulk": "Does the action on the tasks that were found.";
    "many" "Apply" "bulk" danger true: "Does an action on many tasks.";
}

/// Returns the action with a name.
pub fn action(name: &str) -> Option<&'static Action> {
    ALL.iter().find(|action| action.name == name)
}

/// The outcome of an action.
#[derive(Debug)]
pub struct Done {
    /// What was done, in one sentence.
    pub text: String,
    /// The page to show, if it is not the page of the form.
    pub to: Option<String>,
    /// A link to the tasks that were changed.
    pub shows: Option<String>,
}

impl Done {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), to: None, shows: None }
    }

    /// Leads to another page than the page of the form.
    #[must_use]
    pub fn at(self, to: String) -> Self {
        Self { to: Some(to), ..self }
    }
}

/// Does an action, if the role of the user allows it. This is the only check of roles, for forms and the API.
pub async fn perform(here: &Here, action: &Action, fields: &Fields) -> Result<Done, Failure> {
    // On selected tasks, an action needs the role that it needs on each of them.
    let each = fields.get("what").and_then(self::action).filter(|_| fields.get("scope") != Some("all"));
    let role = each.filter(|_| action.name == "many").unwrap_or(action).role();
    if !here.may(role) {
        let why = if here.site.is_read_only() { "This page is read-only." } else { "Your role does not allow it." };
        return Err(Failure::Forbidden(format!(
            "{}: {why} The action needs the role {}.",
            action.label,
            role.as_str()
        )));
    }
    let done = match action.name {
        "many" => many::perform(here, fields).await,
        "add-task" => add::task(here, fields).await,
        "add-schedule" => add::schedule(here, fields).await,
        "stop-many" => many::stop(here, fields),
        "confirm-many" => found::confirm(here, fields),
        _ => perform::perform(here, action, fields).await,
    };
    here.site.acts();
    done
}
