//! Handlers that are asynchronous functions, and those that block, for tasks of the runtime.

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
use crate::error::Result;
use crate::link::tokio::Tokio;
use crate::model::Order;

type Context = Attempt<Tokio>;

impl WorkerBuilder<Tokio> {
    /// The handler of tasks whose method has none of its own: parameters and result are JSON.
    ///
    /// Long work calls [`Context::check`](Attempt::check) between its steps, or waits for
    /// [`Context::stopped`](Attempt::stopped) beside them, and passes the error on. Any other error fails the attempt,
    /// and so does a panic: the task is retried if it has retries left (see [`crate::Submit::max_failures`]). A
    /// [`Failure`](crate::Failure) sets when, or prevents it. Work that blocks needs
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

    /// The handler of tasks with this method, with types of its own; the last one that is given for it. A worker with
    /// such handlers makes one call more for each task (`get`), to read its method.
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

    /// As [`handle`](Self::handle); parameters (in [`Context::reservation`](Attempt::reservation)) and result are bytes.
    pub fn handle_bytes<F, N>(mut self, handler: F) -> Self
    where
        F: Fn(Arc<Context>) -> N + Send + Sync + 'static,
        N: Future<Output = Result<Vec<u8>, HandlerError>> + Send + 'static,
    {
        self.handlers.all = Some(Arc::new(move |cx| Box::pin(handler(cx))));
        self
    }

    /// As [`handle`](Self::handle), for a closure that blocks: it runs on a thread of the runtime that is kept for such
    /// work (`tokio::task::spawn_blocking`). It makes calls by [`Context::block_on`](Attempt::block_on). Nothing can end
    /// it from outside: once the worker's future is dropped, [`Context::check`](Attempt::check) says so when the lease
    /// has expired.
    pub fn handle_blocking<P, R, F>(mut self, handler: F) -> Self
    where
        P: DeserializeOwned,
        R: Serialize,
        F: Fn(P, &Context) -> Result<R, HandlerError> + Send + Sync + 'static,
    {
        self.handlers.all = Some(blocking(move |cx| json(&handler, cx)));
        self
    }

    /// As [`handle_method`](Self::handle_method), for a closure that blocks.
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

/// A function whose parameters and result are JSON.
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

/// A closure that blocks.
fn blocking<F>(handler: F) -> Arc<Handler<Tokio>>
where
    F: Fn(&Context) -> Result<Vec<u8>, HandlerError> + Send + Sync + 'static,
{
    let handler = Arc::new(handler);
    Arc::new(move |cx| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            match spawn_blocking(move || handler(&cx)).await {
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
    /// The outcome of a call, such as `cx.block_on(cx.checkpoint(&3))`, in a closure that blocks
    /// ([`WorkerBuilder::handle_blocking`]).
    ///
    /// # Panics
    /// In an asynchronous function: await the call there.
    pub fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        Handle::current().block_on(call)
    }

    /// Waits for an order to stop: any but [`Order::Continue`]. Ready at once if there is one. For
    /// `select!`, beside the work.
    pub async fn stopped(&self) -> Stopped {
        loop {
            let mut ordered = pin!(self.ordered.notified());
            ordered.as_mut().enable();
            match self.order() {
                Order::Continue => {}
                order => return Stopped(order),
            }
            // At the latest when the lease has expired.
            let _ = time::timeout(self.left(), ordered).await;
        }
    }
}
