//! Pieces of pages that several pages use.

pub mod form;
pub mod json;
pub mod look;
pub mod notices;
pub mod plot;
pub mod settings;
