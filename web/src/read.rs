//! What pages and the API read, as plain values. Every reading is bounded.

pub mod graph;
pub mod limits;
pub mod log;
pub mod now;
pub mod query;
pub mod queue;
pub mod server;
pub mod task;
pub mod tasks;
