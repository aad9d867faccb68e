//! wip
pub mod bundle;
mod error;
mod names;
pub use error::{Error, Result};
pub use names::*;
