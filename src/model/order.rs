//! In which order queues are asked.

/// In which order several queues are asked for a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueOrder {
    /// Those named first are asked first, always.
    #[default]
    Strict,
    /// In turns: the one that was served least recently is asked first.
    Round,
    /// In turns, so that each gets its share: one weight from 1 to 1,000 for each queue.
    Weighted(Vec<u32>),
}

impl QueueOrder {
    /// The word for it in the contract.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Round => "round",
            Self::Weighted(_) => "weighted",
        }
    }

    /// The weights as the contract writes them: `3,1,1`.
    pub(crate) fn weights(&self) -> Option<String> {
        match self {
            Self::Weighted(weights) => Some(weights.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
            Self::Strict | Self::Round => None,
        }
    }
}
