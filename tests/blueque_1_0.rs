//! Blueque 1.0 on the same Redis: its own Python client and the crate, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

#[path = "blueque_1_0/both.rs"]
mod both;
#[path = "blueque_1_0/calls.rs"]
mod calls;
#[path = "blueque_1_0/claims.rs"]
mod claims;
#[path = "blueque_1_0/finish_and_reserve.rs"]
mod finish_and_reserve;
#[path = "blueque_1_0/graphs.rs"]
mod graphs;
#[path = "blueque_1_0/listeners.rs"]
mod listeners;
#[path = "blueque_1_0/old.rs"]
mod old;
#[path = "blueque_1_0/orphans.rs"]
mod orphans;
#[path = "blueque_1_0/repairing.rs"]
mod repairing;
mod support;
