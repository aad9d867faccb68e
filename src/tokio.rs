//! The asynchronous client (feature `tokio`; `tokio-tls-rustls` for `rediss://` URLs, `tokio-cluster` for clusters). It
//! has the same handles as the blocking client. Their methods return futures, and streams where the blocking methods
//! return iterators.
//!
//! ```no_run
//! # async fn example() -> blueque::Result<()> {
//! use std::time::Duration;
//! use blueque::{Submit, tokio::Client};
//!
//! let client = Client::open("redis://127.0.0.1/").await?;
//! let task = client.queue("transcode")?.submit("movie-17.mkv", Submit::default()).await?;
//!
//! let mut listener = client.listener(&["transcode"]).await?;
//! while let Some(work) = listener.listen(Duration::from_secs(600)).await? {
//!     let input: String = work.parameters()?;
//!     work.start(std::process::id()).await?;
//!     // … call work.heartbeat() every third of work.lease() …
//!     work.complete(&format!("{input}.mp4")).await?;
//! }
//! println!("{}", task.result::<String>(Duration::from_secs(60)).await?);
//! # Ok(())
//! # }
//! ```
//!
//! All calls of a client and its clones share one connection, and all waits of its listeners share another connection.
//! Dropping a future does not undo a call that was sent; see [`Listener`] for the tasks that such a call may have
//! taken.

pub use crate::link::tokio::Tokio;

use crate::{client, listener, partitions, processor, queue, schedule, task, work_queue, worker};

/// A connection to a namespace. Clones share the connection.
pub type Client = client::Client<Tokio>;
/// Settings of a [`Client`].
pub type ClientBuilder = client::ClientBuilder<Tokio>;
/// A queue of a namespace.
pub type Queue = queue::Queue<Tokio>;
/// A task by its id.
pub type Task = task::Task<Tokio>;
/// A graph by its id.
pub type GraphHandle = partitions::GraphHandle<Tokio>;
/// A graph that was submitted.
pub type SubmittedGraph = partitions::SubmittedGraph<Tokio>;
/// Partitions that are used as a single server. Clones share the connections, which are made on demand.
pub type Partitions = partitions::Partitions<Tokio>;
/// A schedule of a namespace.
pub type Schedule = schedule::Schedule<Tokio>;
/// A registered listener.
pub type Listener = listener::Listener<Tokio>;
/// Ends the waits of a listener from another task or thread.
pub type Interrupter = listener::Interrupter<Tokio>;
/// One attempt at a task.
pub type Processor = processor::Processor<Tokio>;
/// A queue with the interface of redis-work-queue.
pub type WorkQueue = work_queue::WorkQueue<Tokio>;
/// Maintenance that every worker does for its queues; for programs that run tasks without [`Worker`].
pub type Maintenance = worker::Maintenance<Tokio>;
/// A running attempt, as its handler sees it. Clones of the `Arc` may be moved to other tasks.
pub type Context = worker::Context<Tokio>;
/// A context for direct calls of a handler, without a worker.
pub type LocalContext = worker::LocalContext<Tokio>;
/// Takes tasks and runs an asynchronous handler for each task. Clones are handles to the same worker, so that another
/// task or thread can stop it.
pub type Worker = worker::Worker<Tokio>;
/// Settings of a [`Worker`], and its handlers.
pub type WorkerBuilder = worker::WorkerBuilder<Tokio>;
