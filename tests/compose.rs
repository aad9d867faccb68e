//! How the sources of the bundle are taken apart: the tests of the build script.

#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../build.rs"]
mod build;
