//! Handlers of a worker: one for all tasks, and others for tasks with a method.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::HandlerError;
use super::context::Context;
use super::outcome::Ended;
use crate::error::{Error, Result};
use crate::link::{Blocking, Link};
use crate::names::QueueName;

/// A running handler.
pub(super) type Running = Pin<Box<dyn Future<Output = Result<Vec<u8>, HandlerError>> + Send>>;

/// A handler for bytes, over any link.
pub(super) type Handler<L> = dyn Fn(Arc<Context<L>>) -> Running + Send + Sync;

/// The handlers of a worker.
pub(super) struct Handlers<L: Link> {
    pub(super) all: Option<Arc<Handler<L>>>,
    methods: Vec<(String, Arc<Handler<L>>)>,
}

impl<L: Link> Handlers<L> {
    pub(super) fn new() -> Self {
        Self { all: None, methods: Vec::new() }
    }

    /// Sets the handler of a method. A later handler for the same method replaces an earlier one.
    pub(super) fn set(&mut self, method: &str, handler: Arc<Handler<L>>) {
        self.methods.retain(|(name, _)| name != method);
        self.methods.push((method.to_owned(), handler));
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.all.is_none() && self.methods.is_empty() {
            return Err(Error::argument("a worker needs a handler: call handle(…) or handle_method(…)"));
        }
        // A method has the same rules as a queue's name; no task has another method.
        self.methods.iter().try_for_each(|(name, _)| QueueName::new(name.as_str()).map(|_| ()))
    }

    /// Returns true if the choice of the handler depends on the task's method.
    pub(super) fn are_by_method(&self) -> bool {
        !self.methods.is_empty()
    }

    /// Returns the handler of this method, or else the handler for all tasks.
    pub(super) fn of(&self, method: Option<&str>) -> Option<&Arc<Handler<L>>> {
        let own = self.methods.iter().find(|(name, _)| Some(name.as_str()) == method);
        own.map(|(_, handler)| handler).or(self.all.as_ref())
    }

    /// Returns the methods that have handlers, as workers report them: `*` for any method; `None` if the list is too
    /// long.
    pub(super) fn names(&self) -> Option<String> {
        if self.all.is_some() {
            return Some("*".to_owned());
        }
        let names: Vec<&str> = self.methods.iter().map(|(name, _)| name.as_str()).collect();
        Some(names.join(",")).filter(|names| names.len() <= 8192)
    }
}

/// Converts a closure to a handler that blocks its caller.
pub(super) fn closure<F>(handler: F) -> Arc<Handler<Blocking>>
where
    F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
{
    let handler = Arc::new(handler);
    Arc::new(move |cx| {
        let handler = Arc::clone(&handler);
        Box::pin(async move { handler(&cx) })
    })
}

/// Calls a closure whose parameters and result are JSON.
pub(super) fn json<L: Link, P, R, F>(handler: &F, cx: &Context<L>) -> Result<Vec<u8>, HandlerError>
where
    P: DeserializeOwned,
    R: Serialize,
    F: Fn(P, &Context<L>) -> Result<R, HandlerError>,
{
    Ok(serde_json::to_vec(&handler(cx.processor().parameters()?, cx)?)?)
}

/// Runs a handler to its end, and catches its panic.
pub(super) async fn ended<L: Link>(handler: &Handler<L>, cx: Arc<Context<L>>) -> Ended {
    caught(catch_unwind(AssertUnwindSafe(|| handler(cx)))?).await
}

/// Runs a future to its end, and catches its panic.
pub(super) async fn caught<T>(
    mut running: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Result<T, Box<dyn Any + Send>> {
    poll_fn(|task| match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(task))) {
        Ok(Poll::Ready(outcome)) => Poll::Ready(Ok(outcome)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}
