//! The sentence about a task, which the program that serves the page may know better.

use std::fmt;
use std::sync::Arc;

type Tell = dyn Fn(&str, &str) -> Option<String> + Send + Sync;

/// A function that returns the sentence about a task of a place.
#[derive(Clone)]
pub struct Explain(Arc<Tell>);

impl fmt::Debug for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Explain")
    }
}

impl Explain {
    pub fn new(tell: impl Fn(&str, &str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub fn sentence(&self, place: &str, id: &str) -> Option<String> {
        (self.0)(place, id)
    }
}
