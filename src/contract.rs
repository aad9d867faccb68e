//! Options and settings as data, from the contract: for forms, help texts and checks before a call. With the feature
//! `by-name` also the commands.

#[cfg(feature = "by-name")]
pub mod commands;

use crate::model::Rate;

/// An option or a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// Name of the option or setting.
    pub name: &'static str,
    /// Name of its type in the contract, such as `lease`.
    pub kind: &'static str,
    /// Form of its value.
    pub form: Form,
    /// Description, in one sentence.
    pub means: &'static str,
    /// Default value.
    pub default: Option<&'static str>,
    /// Setting that applies if the option is missing.
    pub setting: Option<&'static str>,
    /// Field of the record that stores the option.
    pub field: Option<&'static str>,
    /// True for a setting of the whole namespace, which a single queue cannot set.
    pub all_queues: bool,
}

impl Described {
    /// Returns true if a value has this form and lies within its bounds. For text this checks only rates; the server
    /// checks all other texts.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "no bound is near 2^52")]
    pub fn allows(&self, value: &str) -> bool {
        match self.form {
            Form::Text if self.kind == "rate" => value.parse::<Rate>().is_ok(),
            Form::Text | Form::Words(_) => true,
            Form::Flag => value == "0" || value == "1",
            Form::Word(words) => words.iter().any(|(word, _)| *word == value),
            Form::Whole { low, high, .. } => value.parse().is_ok_and(|number: i64| (low..=high).contains(&number)),
            Form::Seconds { low, high, .. } | Form::Decimal { low, high } => {
                value.parse().is_ok_and(|number: f64| (low as f64..=high as f64).contains(&number))
            }
            Form::Bytes { most } => i64::try_from(value.len()).is_ok_and(|bytes| bytes <= most),
        }
    }
}

/// The form of a value. Bounds are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Text with its own rules.
    Text,
    /// `0` or `1`.
    Flag,
    /// A word of a list, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
    /// Any words of a list, separated by commas, each with its meaning.
    Words(&'static [(&'static str, &'static str)]),
    /// A whole number.
    Whole {
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
        /// Unit of the number; may be empty.
        unit: &'static str,
    },
    /// Decimal seconds.
    Seconds {
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
        /// True for a point in time since 1970, false for a duration.
        time: bool,
    },
    /// A decimal number.
    Decimal {
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
    },
    /// Any bytes.
    Bytes {
        /// Maximum number of bytes.
        most: i64,
    },
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
