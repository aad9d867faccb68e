//! Hooks of a worker: calls of the program's own code around attempts, and at the events of the worker.

use std::error::Error as StdError;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::context::Context;
use super::failure::Failure;
use super::handlers::{self, Handler, caught};
use super::outcome::{Ended, message};
use crate::error::Result;
use crate::link::{Blocking, Link};
use crate::model::Outcome;

/// A running attempt, with the hooks within. See [`Hooks::around_attempt`].
pub type AroundAttempt<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Hooks of a worker: [`WorkerBuilder::hooks`](super::WorkerBuilder::hooks). Every method has a default that does
/// nothing.
///
/// A panic of a hook is caught, appears on stderr, and changes no task. Only a [`Failure`] that a hook returns changes
/// the outcome of an attempt. The calls are made by the thread or task of the attempt, so they should be short.
///
/// ```
/// use blueque::{AroundAttempt, Context, Hooks};
///
/// struct Timing;
///
/// impl Hooks for Timing {
///     fn around_attempt<'a>(&'a self, attempt: &'a Context, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
///         Box::pin(async move {
///             let begun = std::time::Instant::now();
///             run.await;
///             println!("{}: {:?}", attempt.processor().id(), begun.elapsed());
///         })
///     }
///
///     fn on_failure(&self, attempt: &Context, error: &str) {
///         println!("{} has failed: {error}", attempt.processor().id());
///     }
/// }
/// ```
pub trait Hooks<L: Link = Blocking>: Send + Sync + 'static {
    /// Wraps an attempt: returns a future that awaits `run`. Hooks that were added first are outside. The outcome of
    /// the handler stays inside `run`, so this method cannot change it.
    fn around_attempt<'a>(&'a self, attempt: &'a Context<L>, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
        let _ = attempt;
        run
    }

    /// An attempt begins, within [`around_attempt`](Self::around_attempt).
    ///
    /// # Errors
    /// The failure of the attempt, whose handler does not run.
    fn before_attempt(&self, attempt: &Context<L>) -> Result<(), Failure> {
        let _ = attempt;
        Ok(())
    }

    /// A handler has returned, or has ended with this error or panic.
    ///
    /// # Errors
    /// The failure of the attempt, instead of the outcome of its handler.
    fn after_attempt(&self, attempt: &Context<L>, error: Option<&(dyn StdError + 'static)>) -> Result<(), Failure> {
        let _ = (attempt, error);
        Ok(())
    }

    /// A checkpoint was stored, or refused, by [`Context::checkpoint`]. The call took this time.
    fn on_checkpoint(&self, attempt: &Context<L>, stored: &Result<()>, took: Duration) {
        let _ = (attempt, stored, took);
    }

    /// The task, or one of its steps, is complete.
    fn on_success(&self, attempt: &Context<L>) {
        let _ = attempt;
    }

    /// The task has failed, and no retry follows.
    fn on_failure(&self, attempt: &Context<L>, error: &str) {
        let _ = (attempt, error);
    }

    /// The attempt has failed, and a retry follows.
    fn on_retry(&self, attempt: &Context<L>, error: &str) {
        let _ = (attempt, error);
    }

    /// The task was cancelled.
    fn on_cancel(&self, attempt: &Context<L>) {
        let _ = attempt;
    }

    /// The task was given back for another attempt, not as a failure.
    fn on_release(&self, attempt: &Context<L>) {
        let _ = attempt;
    }

    /// The lease was lost, so that another worker may have the task; or the server was away for too long to report the
    /// end.
    fn on_lost(&self, attempt: &Context<L>) {
        let _ = attempt;
    }

    /// The worker begins to take tasks.
    fn on_worker_start(&self) {}

    /// The worker has ended all its attempts.
    fn on_worker_stop(&self) {}

    /// A slot begins, which runs attempts one after another. The slots of a blocking worker are threads, so this is the
    /// place to connect to a database. The worker begins slots as tasks arrive, up to
    /// [`slots`](super::WorkerBuilder::slots).
    fn on_slot_start(&self) {}

    /// A slot ends, on the same thread.
    fn on_slot_stop(&self) {}
}

/// All hooks of a worker.
pub(super) type AllHooks<L> = Arc<Vec<Arc<dyn Hooks<L>>>>;

/// Calls all hooks. A panic of a hook appears on stderr, by the panic hook of the program.
pub(super) fn call<L: Link>(hooks: &AllHooks<L>, what: impl Fn(&dyn Hooks<L>)) {
    for hook in hooks.iter() {
        let _ = catch_unwind(AssertUnwindSafe(|| what(hook.as_ref())));
    }
}

/// Calls the hooks for the outcome of an attempt.
pub(super) fn outcome<L: Link>(hooks: &AllHooks<L>, cx: &Context<L>, outcome: &Result<Outcome>, error: &str) {
    call(hooks, |hook| match outcome {
        Ok(Outcome::Complete) => hook.on_success(cx),
        Ok(Outcome::Failed) => hook.on_failure(cx, error),
        Ok(Outcome::Retrying) => hook.on_retry(cx, error),
        Ok(Outcome::Cancelled) => hook.on_cancel(cx),
        Ok(Outcome::Released) => hook.on_release(cx),
        _ => hook.on_lost(cx),
    });
}

/// Runs a handler with the hooks around it.
pub(super) async fn ended<L: Link>(hooks: &AllHooks<L>, handler: &Handler<L>, cx: &Arc<Context<L>>) -> Ended {
    let (begun, outcome) = (AtomicBool::new(false), Mutex::new(None));
    let run: AroundAttempt<'_> = Box::pin(async {
        begun.store(true, Ordering::Release);
        let ended = within(hooks, handler, cx).await;
        *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
    });
    let whole =
        hooks.iter().rev().try_fold(run, |run, hook| catch_unwind(AssertUnwindSafe(|| hook.around_attempt(cx, run))));
    if let Ok(run) = whole {
        let _ = caught(run).await;
    }
    let ended = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    match ended {
        Some(ended) => ended,
        None if begun.load(Ordering::Acquire) => Ok(Err(Failure::new("a hook has ended the handler").into())),
        None => within(hooks, handler, cx).await,
    }
}

/// Runs a handler between [`Hooks::before_attempt`] and [`Hooks::after_attempt`].
async fn within<L: Link>(hooks: &AllHooks<L>, handler: &Handler<L>, cx: &Arc<Context<L>>) -> Ended {
    for hook in hooks.iter() {
        if let Ok(Err(failure)) = catch_unwind(AssertUnwindSafe(|| hook.before_attempt(cx))) {
            return Ok(Err(failure.into()));
        }
    }
    let mut ended = handlers::ended(handler, Arc::clone(cx)).await;
    for hook in hooks.iter() {
        let panic = ended.as_ref().err().map(|panic| Failure::new(message(panic.as_ref())));
        let panic = panic.as_ref().map(|panic| panic as &(dyn StdError + 'static));
        let error = match &ended {
            Ok(Err(error)) => Some(error.as_ref() as &(dyn StdError + 'static)),
            _ => panic,
        };
        if let Ok(Err(failure)) = catch_unwind(AssertUnwindSafe(|| hook.after_attempt(cx, error))) {
            ended = Ok(Err(failure.into()));
        }
    }
    ended
}
