//! Calls of a task's owner that hours of work may depend on.

use super::failure::Failure;
use super::outcome::Coming;
use super::shared::Shared;
use crate::calls::{Call, FailOptions, ReleaseOptions};
use crate::constants::CALL_AGAIN;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::link::Link;
use crate::model::Outcome;
use crate::processor::Processor;

impl<L: Link> Shared<L> {
    /// Repeats an owner's call until the server acknowledges it, or until the patience ends.
    pub(super) async fn persist<T>(&self, call: &Call<T>) -> Result<T> {
        let deadline = Deadline::after(self.settings.patience);
        loop {
            match self.settings.client.run(call).await {
                Err(error) if error.is_transient() && !deadline.has_passed() => L::pause(CALL_AGAIN).await,
                outcome => return outcome,
            }
        }
    }

    /// Sends an end in a call of its own.
    pub(super) async fn send_alone(&self, processor: &Processor<L>, coming: Coming) -> Result<Outcome> {
        match coming {
            Coming::Complete(result, options) => match self.persist(&processor.completes(&result, options)).await {
                Err(Error::Invalid { code, text }) => {
                    self.fail(processor, &Failure::new(format!("{code}: {text}"))).await
                }
                outcome => outcome,
            },
            Coming::Fail(failure) => self.fail(processor, &failure).await,
            Coming::Release(options) => self.release(processor, &options).await,
        }
    }

    pub(super) async fn release(&self, processor: &Processor<L>, options: &ReleaseOptions) -> Result<Outcome> {
        self.persist(&processor.releases(options)).await
    }

    async fn fail(&self, processor: &Processor<L>, failure: &Failure) -> Result<Outcome> {
        match self.persist(&processor.fails(&failure.to_string(), &failure.options())).await {
            // The handler's options are out of bounds, or its text is too large, but the attempt must end anyway.
            Err(Error::Invalid { code, text }) => {
                let about = format!("the handler's failure was refused, {code}: {text}");
                self.persist(&processor.fails(&about, &FailOptions::new())).await
            }
            outcome => outcome,
        }
    }
}
