//! The tasks that a task waits for, as arguments.

use blueque::{TaskId, calls};
use clap::Args;

use super::values::task_id;

/// The tasks that a task waits for, except for their results.
#[derive(Args, Debug)]
pub struct Upstreams {
    /// Run it when this task is complete; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after_success: Vec<TaskId>,
    /// Run it when this task has ended, whatever its end; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after: Vec<TaskId>,
    /// Run it when this task has failed or was cancelled; may be repeated
    #[arg(long, value_name = "ID", value_parser = task_id)]
    after_failure: Vec<TaskId>,
}

/// What can wait for tasks.
pub trait Waits: Sized {
    fn success(self, id: &TaskId) -> Self;
    fn end(self, id: &TaskId) -> Self;
    fn failure(self, id: &TaskId) -> Self;
    fn result(self, slot: u32, id: &TaskId) -> Self;

    /// Adds the results of tasks, from a slot on.
    fn results(self, first: u32, ids: &[TaskId]) -> Self {
        (first..).zip(ids).fold(self, |all, (slot, id)| all.result(slot, id))
    }
}

impl Upstreams {
    pub fn add_to<W: Waits>(&self, waits: W) -> W {
        let waits = self.after_success.iter().fold(waits, W::success);
        let waits = self.after.iter().fold(waits, W::end);
        self.after_failure.iter().fold(waits, W::failure)
    }

    pub fn is_empty(&self) -> bool {
        self.after_success.is_empty() && self.after.is_empty() && self.after_failure.is_empty()
    }
}

macro_rules! waits {
    ($what:ty) => {
        impl Waits for $what {
            fn success(self, id: &TaskId) -> Self {
                self.after_success(id)
            }

            fn end(self, id: &TaskId) -> Self {
                self.after(id)
            }

            fn failure(self, id: &TaskId) -> Self {
                self.after_failure(id)
            }

            fn result(self, slot: u32, id: &TaskId) -> Self {
                self.result_of(slot, id)
            }
        }
    };
}

waits!(calls::TaskOptions);
waits!(blueque::Inputs);
