//! Fields of an attempt in the log lines of its handler.

use tracing::{Instrument, info_span};

use super::context::Context;
use super::hooks::{AroundAttempt, Hooks};
use crate::link::Link;
use crate::model::TaskInfo;

/// Hooks that run each handler in a span of the crate `tracing`, named `attempt`, with the fields `task`, `attempt`,
/// `queue` and `method`. Needs the feature `tracing`. If the worker has handlers for all tasks only, an additional call
/// (`get`) reads the method of each task.
///
/// ```
/// fn with_fields(builder: blueque::WorkerBuilder) -> blueque::WorkerBuilder {
///     builder.hooks(blueque::LogFields)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct LogFields;

impl<L: Link> Hooks<L> for LogFields {
    fn around_attempt<'a>(&'a self, attempt: &'a Context<L>, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
        Box::pin(async move {
            let method = L::step(attempt.info()).await.ok().and_then(TaskInfo::method);
            let about = attempt.reservation();
            let span = info_span!(
                "attempt",
                task = about.id.as_str(),
                attempt = about.attempt,
                queue = about.queue.as_str(),
                method = method.as_deref(),
            );
            run.instrument(span).await;
        })
    }
}
