//! Options and settings as data, from the contract: for forms, help texts and checks before a call.

/// An option or a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// The name of its type in the contract, such as `lease`.
    pub kind: &'static str,
    /// The form of its value.
    pub form: Form,
    /// Its meaning, in one sentence.
    pub means: &'static str,
    /// The default without it.
    pub default: Option<&'static str>,
    /// The setting that applies without the option.
    pub setting: Option<&'static str>,
}

/// The form of a value. Bounds are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Text with its own rules.
    Text,
    /// `0` or `1`.
    Flag,
    /// One of these words, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
    /// Some of these words, separated by commas.
    Words(&'static [(&'static str, &'static str)]),
    /// A whole number.
    Whole {
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
        /// What it counts; may be empty.
        unit: &'static str,
    },
    /// Decimal seconds.
    Seconds {
        /// The minimum.
        low: i64,
        /// The maximum.
        high: i64,
        /// A point in time, since 1970; else a duration.
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
