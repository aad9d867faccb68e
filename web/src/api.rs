//! The HTTP API.

pub(crate) mod problem;
