//! Very long running tasks on Redis or Valkey.
//!
//! A queue for work that takes minutes to days: video transcodes, model training, data exports, simulations. The state
//! machine of a task is a set of small Lua scripts, the *bundle*. Each transition is one script, so a crash between two
//! commands cannot leave a task in an inconsistent state. This crate embeds the bundle and calls its scripts.
//!
//! Blueque offers:
//! - at-least-once execution with exactly-once transitions: every call of an attempt's owner carries a token, and a
//!   call with a stale token changes nothing;
//! - leases that heartbeats renew; the replies to heartbeats carry orders (cancel, drain, lost);
//! - checkpoints: the next attempt continues from the last checkpoint;
//! - a library that is wire-compatible with Blueque 1.0 and open to clients in any language.
//!
//! Blueque does not offer exactly-once execution, and it is not a server.
//!
//! ```no_run
//! use blueque::{Client, Context, Stop, Submit, Worker};
//! use std::time::Duration;
//!
//! # fn main() -> blueque::Result<()> {
//! let client = Client::open("redis://127.0.0.1/")?;
//! let queue = client.queue("transcode")?;
//! let task = queue.submit("movie-17.mkv", Submit::default())?;
//!
//! let worker = Worker::builder(&client)
//!     .queue("transcode")?
//!     .slots(4)
//!     .handle(|input: String, cx: &Context| {
//!         let first = cx.last_checkpoint()?.unwrap_or(0_u64);
//!         for chunk in first..100 {
//!             cx.check()?; // cancelled, drained, lost?
//!             // … work on the chunk …
//!             cx.checkpoint(&(chunk + 1))?;
//!             cx.progress(chunk + 1, 100, "chunks")?;
//!         }
//!         Ok(format!("{input}.mp4"))
//!     })
//!     .build()?;
//! # let stop = worker.clone();
//! # std::thread::spawn(move || stop.stop(Stop::Drain));
//! worker.run()?;
//! println!("{}", task.result::<String>(Duration::from_secs(60))?);
//! # Ok(())
//! # }
//! ```
//!
//! The same example with the feature `tokio`:
//!
//! ```no_run
//! # #[cfg(feature = "tokio")]
//! # mod asynchronous {
//! use blueque::Submit;
//! use blueque::tokio::{Client, Worker};
//!
//! # async fn work() -> blueque::Result<()> {
//! let client = Client::open("redis://127.0.0.1/").await?;
//! let task = client.queue("transcode")?.submit("movie-17.mkv", Submit::default()).await?;
//!
//! let worker = Worker::builder(&client)
//!     .queue("transcode")?
//!     .slots(100)
//!     .handle(|input: String, cx| async move {
//!         let first = cx.last_checkpoint()?.unwrap_or(0_u64);
//!         for chunk in first..100 {
//!             cx.check()?; // or select! with cx.stopped()
//!             // … work on the chunk …
//!             cx.checkpoint(&(chunk + 1)).await?;
//!         }
//!         Ok(format!("{input}.mp4"))
//!     })
//!     .build()?;
//! worker.run().await?; // until worker.stop(…)
//! # drop(task);
//! # Ok(())
//! # }
//! # }
//! ```
//!
//! # Overview
//!
//! | | start with | see also |
//! |---|---|---|
//! | the server | [`Client`], [`ClientBuilder`] | [`Namespace`], [`Handshake`]; with the feature `tokio`:
//! `tokio::Client`, and an asynchronous version of every handle |
//! | queues | [`Queue`] | [`Counts`], [`QueueInfo`], [`Setting`], [`Rate`], [`KeyLimit`], [`Statistics`], [`Events`],
//! [`Group`], [`Tag`] |
//! | tasks | [`Queue::submit`] with [`Submit`], [`Task`] | [`TaskInfo`], [`Status`], [`Why`], [`Estimate`],
//! [`Transition`], [`LogEntry`] |
//! | many tasks | [`Queue::find`] with [`Filter`], [`Queue::bulk`] with [`Action`] | [`Changed`] |
//! | workers | [`Worker`], [`WorkerBuilder`] | [`Context`], [`Failure`], [`Retry`], [`Hooks`], [`Stop`], [`Summary`],
//! [`WorkerInfo`] |
//! | attempts, one at a time | [`Listener`], [`Processor`] | [`Attempt`], [`Reservation`], [`Order`], [`Outcome`],
//! [`QueueOrder`], [`Maintenance`] |
//! | queues with the interface of redis-work-queue | [`Client::work_queue`], [`WorkQueue`] | [`WorkItem`] |
//! | schedules | [`Client::schedule`], [`Schedule`] with [`Plan`] and [`Recurrence`] | [`ScheduleInfo`],
//! [`ScheduleSummary`], [`Overlap`], [`Missed`] |
//! | graphs of tasks | [`Graph`], [`Client::submit_graph`] | [`GraphTask`], [`GraphHandle`], [`GraphMember`],
//! [`Client::graphs`] with [`GraphSummary`] |
//! | partitions | [`Partitions`], [`Deliverer`] | [`PartitionName`], [`GlobalId`],
//! [`GraphParts`], [`Merged`], [`Moved`], [`Topology`], [`StoredTopology`], [`Client::set_topology`] |
//! | names | [`TaskId`], [`GraphId`], [`QueueName`], [`ScheduleName`], [`ListenerId`], [`Token`] | constructors check
//! the text |
//! | errors | [`Error`], grouped by what the caller can do | [`Code`], [`Result`] |
//! | every command as a plain value | [`Client::calls`], [`calls`] | [`Client::call`], options with setters |
//! | the scripts and their contract | [`bundle`], [`contract`] | |
//! | texts for people | [`Why::sentence`], [`wording`] | |
//!
//! Times are [`SystemTime`](std::time::SystemTime) by the server's clock, durations [`Duration`](std::time::Duration).
//! Words, names and ids implement `FromStr`, `Display` and serde; parsing checks the text.
//!
//! All these types block. The feature `tokio` adds asynchronous versions, `cluster` adds connections to a cluster,
//! `cron` adds schedules by cron expressions, `enq` adds graph documents in the format of enq, `tls-rustls` adds TLS;
//! `tokio-cluster` and `tokio-tls-rustls` add the same for the asynchronous client.

// docs.rs then names the feature that each item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]
#![allow(clippy::must_use_candidate, reason = "results and futures are that themselves, as answers of any link")]
#![doc(test(attr(deny(unused_must_use))))]

mod address;
pub mod bundle;
pub mod calls;
mod client;
mod command_line;
mod connection;
pub mod constants;
pub mod contract;
#[cfg(feature = "cron")]
mod cron;
mod deadline;
mod durability;
mod element;
mod error;
mod graph;
mod host;
mod link;
mod listener;
mod model;
mod names;
mod options;
mod partitions;
mod placeholder;
mod processor;
mod progress;
mod queue;
mod queue_choice;
mod recurrence;
mod repeat;
mod schedule;
mod search;
mod statistics;
mod submit_hooks;
mod task;
#[cfg(feature = "opentelemetry")]
mod telemetry;
mod text;
mod times;
#[cfg(feature = "tokio")]
pub mod tokio;
mod topology;
pub mod wording;
mod words;
mod work_queue;
mod worker;

/// Handles over any [`Link`]. The types at the root of this crate, such as `blueque::Client`, are these handles over
/// [`Blocking`]. Where a method here returns `L::Answer<'_, Result<T>>`, the blocking method returns `Result<T>`, and
/// the method of `blueque::tokio` returns a future of `Result<T>`.
pub mod handles {
    pub use crate::client::{Client, ClientBuilder};
    pub use crate::listener::{Interrupter, Listener};
    pub use crate::partitions::{GraphHandle, Partitions, SubmittedGraph};
    pub use crate::processor::Processor;
    pub use crate::queue::Queue;
    pub use crate::schedule::Schedule;
    pub use crate::task::Task;
    pub use crate::work_queue::WorkQueue;
    pub use crate::worker::{Context, LocalContext, Maintenance, Worker, WorkerBuilder};
}

// The server.
pub use address::Address;
pub use command_line::CommandLine;
pub use connection::Connection;
pub use durability::Durability;
/// A connection to a namespace. Clones share the connection, and any number of threads may use it.
pub type Client = handles::Client<Blocking>;
/// Settings of a [`Client`].
pub type ClientBuilder = handles::ClientBuilder<Blocking>;
pub use link::{Blocking, Link};
pub use model::{Follow, Handshake, Page};
// Queues.
pub use model::{
    Changed, Counts, Day, Durations, Event, Events, Figures, Group, KeyLimit, Limits, ListenerInfo, Pause, Peeked,
    QueueInfo, Rate, Setting, Source, Statistics, Step, Tag,
};
/// A queue of a namespace.
pub type Queue = handles::Queue<Blocking>;
pub use calls::bulk::Action;
pub use options::{Filter, Inputs};
// Tasks.
pub use model::{
    Backoff, Basis, Cancelled, Changes, DueNotice, Estimate, Force, LogEntry, Made, Notice, NoticeTarget, Policy,
    Requeued, Round, Status, Submitted, Takers, TaskChange, TaskInfo, TrackedTask, Transition, Undelivered, Until, Why,
};
pub use options::Submit;
pub use progress::Progress;
pub use submit_hooks::{AroundSubmit, RunSubmit, Submission};
/// A task by its id.
pub type Task = handles::Task<Blocking>;
// Workers.
pub use model::WorkerInfo;
/// A running attempt: its processor, the latest order, and how long the lease is certainly valid.
pub type Context = handles::Context<Blocking>;
/// A context for direct calls of a handler, without a worker.
pub type LocalContext = handles::LocalContext<Blocking>;
/// Maintenance that every worker does for its queues; for programs that run tasks without [`Worker`].
pub type Maintenance = handles::Maintenance<Blocking>;
/// Takes tasks and runs a handler for each task on a separate thread. Clones are handles to the same worker, so that
/// another thread can stop it.
pub type Worker = handles::Worker<Blocking>;
/// Settings of a [`Worker`], and its handlers.
pub type WorkerBuilder = handles::WorkerBuilder<Blocking>;
#[cfg(feature = "opentelemetry")]
pub use telemetry::Telemetry;
#[doc(hidden)]
pub use worker::LastHour;
#[cfg(feature = "tracing")]
pub use worker::LogFields;
pub use worker::{AroundAttempt, Failure, HandlerError, Hooks, MaintenanceError, Retry, Stop, Stopped, Summary};
// Attempts.
/// Ends the waits of a listener from another thread, for example after a signal.
pub type Interrupter = handles::Interrupter<Blocking>;
/// A registered listener.
pub type Listener = handles::Listener<Blocking>;
pub use model::{Beat, Control, Held, Order, Outcome, QueueOrder, Reservation};
pub use processor::Attempt;
/// One attempt at a task. Every call carries the attempt's token. Once the task is lost, every call returns
/// [`Error::Lost`] and changes nothing.
pub type Processor = handles::Processor<Blocking>;
pub use work_queue::WorkItem;
/// A queue with the interface of redis-work-queue: items are added, leased, completed and cleaned, without a worker.
pub type WorkQueue = handles::WorkQueue<Blocking>;
// Schedules.
pub use model::{
    LowSchedule, Missed, Overlap, Ran, ScheduleInfo, ScheduleState, ScheduleSummary, Scheduled, Ticked, Trouble,
};
pub use options::Plan;
pub use recurrence::Recurrence;
/// A schedule of a namespace.
pub type Schedule = handles::Schedule<Blocking>;
// Graphs.
pub use element::element;
#[cfg(feature = "enq")]
pub use graph::Enq;
pub use graph::{Graph, GraphArray, GraphError, GraphTask};
pub use model::{GraphInfo, GraphMember, GraphPage, GraphState, GraphSummary, GraphWalk, OnFailure, StagedGraph};
/// A graph by its id.
pub type GraphHandle = handles::GraphHandle<Blocking>;
/// A graph that was submitted.
pub type SubmittedGraph = handles::SubmittedGraph<Blocking>;
// Maintenance of queues.
pub use model::{
    Aggregated, Audit, Change, Claim, MaintenanceStep, Orphans, Promoted, Pruned, Ready, ReadyQueue, Repaired,
    Reserved, Settled,
};
// Names and errors.
pub use error::{Code, Error, Result};
pub use names::{GraphId, ListenerId, Namespace, PartitionName, Pattern, QueueName, ScheduleName, TaskId, Token};
pub use partitions::{Deliverer, GraphParts, Merged, Moved};
/// Partitions that are used as a single server. Clones share the connections, which are made on demand.
pub type Partitions = handles::Partitions<Blocking>;
pub use topology::{GlobalId, StoredTopology, Topology};

/// The examples of the README compile.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The pages that contain whole programs compile.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/use/bulk.md")]
    struct Bulk;
    #[cfg(feature = "cron")]
    #[doc = include_str!("../docs/use/schedules.md")]
    struct Schedules;
    #[doc = include_str!("../docs/migrating/from-redis-work-queue.md")]
    struct FromRedisWorkQueue;
    #[doc = include_str!("../docs/use/search.md")]
    struct Search;
    #[doc = include_str!("../docs/run/servers.md")]
    struct Servers;
}
