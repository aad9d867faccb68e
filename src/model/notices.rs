//! Notices of the end of a task or a graph.

use super::Notice;

impl Notice {
    /// Returns the state of the delivery, for people.
    #[must_use]
    pub fn delivery(&self) -> String {
        let times = if self.tries == 1 { "1 try".to_owned() } else { format!("{} tries", self.tries) };
        match (self.stage.as_deref().unwrap_or_default(), self.tries) {
            ("open", 0) => "not tried yet: a worker with this target delivers it".to_owned(),
            ("open", _) => format!("{times}, tried again"),
            ("given_up", _) => format!("given up after {times}"),
            ("delivered", 1) => "delivered".to_owned(),
            ("delivered", _) => format!("delivered after {times}"),
            (stage, _) => stage.to_owned(),
        }
    }
}
