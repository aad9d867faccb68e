//! The whole check of a server, which the program that serves the page may offer.

use std::fmt;
use std::sync::Arc;

/// One result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// `ok`, `note` or `finding`.
    pub level: String,
    /// Name of the check.
    pub check: String,
    /// What was found.
    pub text: String,
    /// What to do about it; may be empty.
    pub todo: String,
}

type Check = dyn Fn(&str) -> Result<Vec<Checked>, String> + Send + Sync;

/// A function that checks the server of a place.
#[derive(Clone)]
pub struct Doctor(Arc<Check>);

impl fmt::Debug for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doctor")
    }
}

impl Doctor {
    pub fn new(check: impl Fn(&str) -> Result<Vec<Checked>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    pub fn check(&self, place: &str) -> Result<Vec<Checked>, String> {
        (self.0)(place)
    }
}
