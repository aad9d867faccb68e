//! What pages and the API read, as plain values. Every reading is bounded.

pub mod now;
pub mod query;
