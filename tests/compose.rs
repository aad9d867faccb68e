//! How scripts are composed from the sources of the bundle: the tests of the build script.

#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../build.rs"]
mod build;
