//! `blueque supervise`, with real servers, programs and signals.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../../tests/support/proxy.rs"]
mod proxy;
#[path = "../../../tests/support/mod.rs"]
mod support;

mod contents;
mod controls;
mod ends;
mod lease;
mod memory;
mod outages;
mod output;
mod stage;
mod stops;
