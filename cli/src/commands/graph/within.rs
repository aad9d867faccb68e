//! The namespace or the partitions in which the command works.

use crate::output::Format;
use crate::session::Session;
use crate::session::several::Several;

/// The place in which the command searches for graphs.
#[derive(Clone, Copy)]
pub enum Within<'a> {
    Namespace(&'a Session),
    Partitions(&'a Several<'a>),
}

impl Within<'_> {
    pub fn format(&self) -> Format {
        match self {
            Self::Namespace(session) => session.format,
            Self::Partitions(several) => several.format,
        }
    }
}
