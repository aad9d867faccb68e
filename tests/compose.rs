//! Tests of the build script, which composes the scripts of the bundle from their sources.

#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../build.rs"]
mod build;
