//! Putting tasks into a queue.

use super::{Call, Calls};
use crate::model::Submitted;
use crate::names::{QueueName, TaskId};
use crate::reply;

/// One task of a submit.
#[derive(Clone, Copy, Debug)]
pub struct NewTask<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// When it is due, in seconds since 1970; none for at once.
    pub eta: Option<f64>,
    /// Opaque bytes for whoever runs it.
    pub parameters: &'a [u8],
}

/// What holds for all tasks of a submit.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubmitOptions<'a> {
    /// How many lost owners a task survives: 10 where none is given, at most 1,000.
    pub max_losses: Option<u32>,
    /// What a worker for programs runs, where its queue has more than one program.
    pub method: Option<&'a str>,
    /// How large parameters may be: 1 MiB where none is given, at most 8 MiB.
    pub max_bytes: Option<u32>,
}

impl Calls {
    /// Puts up to 500 tasks into a queue.
    #[must_use]
    pub fn submit(&self, queue: &QueueName, tasks: &[NewTask<'_>], options: SubmitOptions<'_>) -> Call<Vec<Submitted>> {
        let mut call = self.call("submit", |value| reply::array(value)?.iter().map(reply::number).collect());
        call = call.arg(queue).arg(tasks.len());
        for task in tasks {
            let eta = task.eta.map(|eta| format!("{eta:.6}")).unwrap_or_default();
            call = call.arg(task.id).arg(eta).raw(task.parameters);
        }
        call.option("max_losses", options.max_losses)
            .option("method", options.method)
            .option("max_bytes", options.max_bytes)
    }
}
