//! Order in which queues are asked.

/// The order in which several queues are asked for a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueOrder {
    /// Queues named first are always asked first.
    #[default]
    Strict,
    /// Queues take turns: the queue that was served least recently is asked first.
    Round,
    /// Queues take turns with weights: one weight from 1 to 1,000 for each queue.
    Weighted(Vec<u32>),
}

impl QueueOrder {
    /// Name of the order in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Round => "round",
            Self::Weighted(_) => "weighted",
        }
    }

    /// The weights in the contract's form: `3,1,1`.
    pub(crate) fn weights(&self) -> Option<String> {
        match self {
            Self::Weighted(weights) => Some(weights.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
            Self::Strict | Self::Round => None,
        }
    }
}
