//! The asynchronous client (feature `tokio`; `tokio-tls-rustls` for `rediss://` URLs, `tokio-cluster` for clusters): the same handles, whose methods
//! return futures, and streams where the blocking ones return iterators.
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
//! All calls of a client and its clones share one connection, and all waits of its listeners another, however many they
//! are. A future that is dropped does not undo a call that was sent; see [`Listener`] for what it may have taken.

pub use crate::link::tokio::Tokio;

use crate::{client, graph, listener, partitions, processor, queue, schedule, task, work_queue, worker};

/// A connection to a namespace. Clones share it.
pub type Client = client::Client<Tokio>;
/// Settings of a [`Client`].
pub type ClientBuilder = client::ClientBuilder<Tokio>;
/// A queue of a namespace.
pub type Queue = queue::Queue<Tokio>;
/// A task by its id.
pub type Task = task::Task<Tokio>;
/// A graph by its id.
pub type GraphHandle = graph::GraphHandle<Tokio>;
/// A graph that was submitted.
pub type SubmittedGraph = graph::SubmittedGraph<Tokio>;
/// Partitions that are used as one. Clones share the connections, which are made when they are needed.
pub type Partitions = partitions::Partitions<Tokio>;
/// Settings of [`Partitions`].
pub type PartitionsBuilder = partitions::PartitionsBuilder<Tokio>;
/// A graph over one or several partitions.
pub type SpreadGraph = partitions::SpreadGraph<Tokio>;
/// A graph that was submitted to one or several partitions.
pub type SubmittedParts = partitions::SubmittedParts<Tokio>;
/// A schedule of a namespace.
pub type Schedule = schedule::Schedule<Tokio>;
/// A registered listener.
pub type Listener = listener::Listener<Tokio>;
/// Ends the waits of a listener from elsewhere.
pub type Interrupter = listener::Interrupter<Tokio>;
/// One attempt at a task.
pub type Processor = processor::Processor<Tokio>;
/// A queue used like one of redis-work-queue.
pub type WorkQueue = work_queue::WorkQueue<Tokio>;
/// What every worker does for its queues besides its own tasks; for workers other than [`Worker`].
pub type Upkeep = worker::Upkeep<Tokio>;
/// A running attempt, as its handler sees it. Clones of the `Arc` may go to other tasks.
pub type Context = worker::Context<Tokio>;
/// Takes tasks and runs an asynchronous handler for each. Clones are handles to the same worker, to stop it from
/// elsewhere.
pub type Worker = worker::Worker<Tokio>;
/// Settings of a [`Worker`], and its handlers.
pub type WorkerBuilder = worker::WorkerBuilder<Tokio>;
