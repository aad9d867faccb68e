//! Ends of attempts that are sent together.

use super::{Call, Calls, CompleteOptions, ExchangeOptions, FailOptions, ReleaseOptions};
use crate::error::{Error, Result};
use crate::model::{Exchanged, Outcome};
use crate::names::{ListenerId, QueueName, TaskId, Token};
use crate::options::Pairs;

/// How an attempt ends, for [`Calls::exchange`].
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
    /// With its result, as [`Calls::complete`]. The largest size is an option of the exchange.
    /// Of the next step only its queue can be said here.
    #[must_use]
    pub fn complete(id: TaskId, token: Token, result: Vec<u8>, options: &CompleteOptions) -> Self {
        Self::new("complete", (id, token), result, &options.0, "next")
    }

    /// With an error, as [`Calls::fail`]. The largest size is an option of the exchange.
    #[must_use]
    pub fn fail(id: TaskId, token: Token, error: Vec<u8>, options: &FailOptions) -> Self {
        let how = if options.0.has("final") { "final" } else { "fail" };
        Self::new(how, (id, token), error, &options.0, "group")
    }

    /// Given back, as [`Calls::release`]. A loss cannot be said here.
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

    /// The bytes of its result or error.
    pub(crate) fn size(&self) -> usize {
        self.body.len()
    }

    fn add_to<T>(&self, call: Call<T>) -> Call<T> {
        let call = call.arg(self.how).arg(&self.id).arg(self.token).raw(&self.body);
        call.arg(&self.group).arg(&self.again).raw(&self.cost)
    }
}

impl Calls {
    /// Ends up to 100 attempts, whose verdicts are independent of one another, and takes up to `limit` next tasks of the
    /// queues, if there are any: in one call what [`Calls::complete`], [`Calls::fail`], [`Calls::release`] and
    /// [`Calls::reserve`] do. The same `request` returns the same reply.
    #[must_use]
    pub fn exchange(
        &self,
        listener: &ListenerId,
        ends: &[End],
        queues: &[QueueName],
        limit: u32,
        options: &ExchangeOptions,
    ) -> Call<Exchanged> {
        let names = queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(",");
        let call = self.call("exchange", Exchanged::read).arg(listener).arg(names).arg(limit).arg(ends.len());
        ends.iter().fold(call, |call, end| end.add_to(call)).pairs(&options.0)
    }
}

impl Exchanged {
    /// What became of each end, in the order of the call.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Result<Outcome>> {
        let words = self.verdicts.as_deref().unwrap_or_default().split(' ').filter(|word| !word.is_empty());
        words.map(|word| word.parse().map_err(|_| Error::verdict(word, "the attempt was not ended"))).collect()
    }
}
