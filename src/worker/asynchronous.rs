//! Asynchronous and blocking handlers for tasks of the runtime.

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time;

use super::HandlerError;
use super::builder::WorkerBuilder;
use super::context::{Context as Attempt, Stopped};
use super::handlers::{Handler, json};
use super::spans::with_spans;
use crate::error::Result;
use crate::link::tokio::Tokio;
use crate::model::Order;

type Context = Attempt<Tokio>;

impl WorkerBuilder<Tokio> {
    /// Sets the handler of tasks whose method has no handler of its own. Parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`](Attempt::check) between its steps, or waits for
    /// [`Context::stopped`](Attempt::stopped) in parallel, and passes the error on. Any other error, and also a panic,
    /// fails the attempt: the task is retried if it has retries left (see [`crate::Submit::max_failures`]). A
    /// [`Failure`](crate::Failure) sets the time of the retry, or prevents the retry. Work that blocks needs
    /// [`handle_blocking`](Self::handle_blocking).
    pub fn handle<P, R, F, N>(mut self, handler: F) -> Self
    where
        P: DeserializeOwned + Send,
        R: Serialize,
        F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<R, HandlerError>> + Send + 'static,
    {
        self.handlers.all = Some(typed(handler));
        self
    }

    /// Sets the handler of tasks with this method, with types of its own. A later handler for the same method replaces
    /// an earlier one. A worker with such handlers makes an additional call for each task (`get`), to read its method.
    pub fn handle_method<P, R, F, N>(mut self, method: &str, handler: F) -> Self
    where
        P: DeserializeOwned + Send,
        R: Serialize,
        F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<R, HandlerError>> + Send + 'static,
    {
        self.handlers.set(method, typed(handler));
        self
    }

    /// Sets a handler like [`handle`](Self::handle), whose parameters (in
    /// [`Context::reservation`](Attempt::reservation)) and result are bytes.
    pub fn handle_bytes<F, N>(mut self, handler: F) -> Self
    where
        F: Fn(Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<Vec<u8>, HandlerError>> + Send + 'static,
    {
        self.handlers.all = Some(Arc::new(move |cx| Box::pin(handler(cx))));
        self
    }

    /// Sets a handler like [`handle`](Self::handle) from a closure that blocks. The closure runs on a thread of the
    /// runtime for blocking work (`tokio::task::spawn_blocking`), and makes calls by
    /// [`Context::block_on`](Attempt::block_on). The closure cannot be ended from outside. If the worker's future is
    /// dropped, [`Context::check`](Attempt::check) returns an error when the lease has expired.
    pub fn handle_blocking<P, R, F>(mut self, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.all = Some(blocking(move |cx| json(&handler, cx)));
        self
    }

    /// Sets a handler like [`handle_method`](Self::handle_method) from a closure that blocks.
    pub fn handle_method_blocking<P, R, F>(mut self, method: &str, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.set(method, blocking(move |cx| json(&handler, cx)));
        self
    }
}

/// Converts a function whose parameters and result are JSON to a handler.
fn typed<P, R, F, N>(handler: F) -> Arc<Handler<Tokio>>
where
    P: DeserializeOwned + Send,
    R: Serialize,
    F: Fn(P, Arc<Context>) -> N + Send + Sync + 'static,
    N: Future<Output = Result<R, HandlerError>> + Send + 'static,
{
    Arc::new(move |cx| {
        let running = cx.processor().parameters().map(|parameters| handler(parameters, Arc::clone(&cx)));
        Box::pin(async move { Ok(serde_json::to_vec(&running?.await?)?) })
    })
}

/// Converts a closure that blocks to a handler.
fn blocking<F>(handler: F) -> Arc<Handler<Tokio>>
where
    F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
{
    let handler = Arc::new(handler);
    Arc::new(move |cx| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            match spawn_blocking(with_spans(move || handler(&cx))).await {
                Ok(outcome) => outcome,
                Err(ended) => match ended.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    Err(ended) => Err(ended.into()),
                },
            }
        })
    })
}

impl Context {
    /// Waits for a call, such as `cx.block_on(cx.checkpoint(&3))`, in a closure that blocks
    /// ([`WorkerBuilder::handle_blocking`]), and returns its outcome.
    ///
    /// # Panics
    /// Panics in an asynchronous function: await the call there.
    pub fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        Handle::current().block_on(call)
    }

    /// Waits for an order to stop, which is any order but [`Order::Continue`]. Returns at once if there is such an
    /// order. Use it in `select!`, in parallel to the work.
    pub async fn stopped(&self) -> Stopped {
        loop {
            let mut ordered = pin!(self.ordered.notified());
            ordered.as_mut().enable();
            match self.order() {
                Order::Continue => {}
                order => return Stopped(order),
            }
            // Ready at the latest when the lease has expired.
            let _ = time::timeout(self.left(), ordered).await;
        }
    }
}
