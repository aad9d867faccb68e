//! Outcomes of attempts that are sent together.

use super::{Call, Calls, CompleteOptions, FailOptions, FinishAndReserveOptions, ReleaseOptions};
use crate::error::{Error, Result};
use crate::model::{FinishedAndReserved, Outcome};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::options::Pairs;

/// The outcome of an attempt, for [`Calls::finish_and_reserve`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    how: &'static str,
    id: TaskId,
    token: Token,
    body: Vec<u8>,
    group: String,
    again: String,
    cost: Vec<u8>,
}

impl End {
    /// Completes the task with a result, as [`Calls::complete`]. The maximum size is an option of the call. Of the
    /// options of a next step, only the queue can be set.
    #[must_use]
    pub fn complete(id: TaskId, token: Token, result: Vec<u8>, options: &CompleteOptions) -> Self {
        Self::new("complete", (id, token), result, &options.0, "next")
    }

    /// Ends the attempt with an error, as [`Calls::fail`]. The maximum size is an option of the call.
    #[must_use]
    pub fn fail(id: TaskId, token: Token, error: Vec<u8>, options: &FailOptions) -> Self {
        let how = if options.0.has("final") { "final" } else { "fail" };
        Self::new(how, (id, token), error, &options.0, "group")
    }

    /// Gives the task back, as [`Calls::release`]. A loss cannot be reported.
    #[must_use]
    pub fn release(id: TaskId, token: Token, options: &ReleaseOptions) -> Self {
        let how = if options.0.has("uncounted") { "uncounted" } else { "release" };
        Self::new(how, (id, token), Vec::new(), &options.0, "reason")
    }

    fn new(how: &'static str, (id, token): (TaskId, Token), body: Vec<u8>, options: &Pairs, group: &str) -> Self {
        let text = |name| options.get(name).unwrap_or_default().to_owned();
        let cost = options.iter().find(|(name, _)| *name == "cost").map(|(_, cost)| cost.to_vec()).unwrap_or_default();
        Self { how, id, token, body, group: text(group), again: text("again"), cost }
    }

    /// Size of the result or error in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.len()
    }

    fn add_to<T>(&self, call: Call<T>) -> Call<T> {
        let call = call.arg(self.how).arg(&self.id).arg(self.token).raw(&self.body);
        call.arg(&self.group).arg(&self.again).raw(&self.cost)
    }
}

impl Calls {
    /// Ends up to 100 attempts and takes up to `limit` next tasks of the queues, in one call. The call does the work of
    /// [`Calls::complete`], [`Calls::fail`], [`Calls::release`] and [`Calls::reserve`]. Each attempt has its own
    /// verdict. The same `request` returns the same reply.
    #[must_use]
    pub fn finish_and_reserve(
        &self,
        listener: &ListenerId,
        ends: &[End],
        queues: &[QueueName],
        limit: u32,
        options: &FinishAndReserveOptions,
    ) -> Call<FinishedAndReserved> {
        let names = queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(",");
        let call = self
            .call("finish_and_reserve", FinishedAndReserved::read)
            .arg(listener)
            .arg(names)
            .arg(limit)
            .arg(ends.len());
        ends.iter().fold(call, |call, end| end.add_to(call)).pairs(&options.0)
    }
}

impl FinishedAndReserved {
    /// Returns the verdict on each end, in the order of the call.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Result<Outcome>> {
        let words = self.verdicts.as_deref().unwrap_or_default().split(' ').filter(|word| !word.is_empty());
        words.map(|word| word.parse().map_err(|_| Error::verdict(word, "the attempt was not ended"))).collect()
    }
}
