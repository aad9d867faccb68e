//! Hooks around the submits of a client.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::link::Step;
use crate::names::{GraphId, QueueName, TaskId};
use crate::options::TaskOptions;

/// A submit, seen by the hooks around it: [`ClientBuilder::around_submit`](crate::ClientBuilder::around_submit).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Submission {
    /// Queue of the tasks; `None` for a graph.
    pub queue: Option<QueueName>,
    /// Id of the graph, if it was chosen.
    pub graph: Option<GraphId>,
    /// Id of the task, if it is a single task.
    pub id: Option<TaskId>,
    /// Number of tasks.
    pub tasks: usize,
    /// Options of the tasks. For a graph, only the [trace](TaskOptions::trace) has an effect.
    pub options: TaskOptions,
}

/// A running submit, with the hooks within.
pub type AroundSubmit<'a> = Step<'a, Result<()>>;

/// Runs a submit. Each hook calls it once, perhaps with other options.
pub type RunSubmit<'a> = Box<dyn FnOnce(Submission) -> AroundSubmit<'a> + Send + 'a>;

type Hook = dyn for<'a> Fn(Submission, RunSubmit<'a>) -> AroundSubmit<'a> + Send + Sync;

/// A hook around submits.
#[derive(Clone)]
pub(crate) struct SubmitHook(pub(crate) Arc<Hook>);

impl fmt::Debug for SubmitHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SubmitHook")
    }
}

/// Runs a submit with the hooks around it. Hooks that were added first are outside.
pub(crate) async fn around<T, F, N>(hooks: &[SubmitHook], submission: Submission, submit: F) -> Result<T>
where
    T: Send,
    F: FnOnce(Submission) -> N + Send,
    N: Future<Output = Result<T>> + Send,
{
    if hooks.is_empty() {
        return submit(submission).await;
    }
    let made = Mutex::new(None);
    let run: RunSubmit<'_> = Box::new(|submission| {
        Box::pin(async {
            let outcome = submit(submission).await?;
            *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            Ok(())
        })
    });
    let whole = hooks.iter().rev().fold(run, |run, hook| Box::new(move |submission| (hook.0)(submission, run)));
    whole(submission).await?;
    let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
    made.ok_or_else(|| Error::argument("a hook around the submit has not run it: the hook must return an error"))
}
