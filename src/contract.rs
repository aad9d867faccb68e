//! What the contract says of options and settings, as data: for forms, help texts and checks before a call.

/// An option or a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// The name of its type in the contract, such as `lease`.
    pub kind: &'static str,
    /// How its value is written.
    pub form: Form,
    /// What it is, in one sentence.
    pub means: &'static str,
    /// What holds where it is not given.
    pub default: Option<&'static str>,
    /// The setting that holds where an option is not given.
    pub setting: Option<&'static str>,
}

/// How a value is written. Bounds are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Text with rules of its own.
    Text,
    /// `0` or `1`.
    Flag,
    /// One of these words, each with what it means.
    Word(&'static [(&'static str, &'static str)]),
    /// Some of these words, separated by commas.
    Words(&'static [(&'static str, &'static str)]),
    /// A whole number.
    Whole {
        /// The least.
        low: i64,
        /// The most.
        high: i64,
        /// What it counts; may be empty.
        unit: &'static str,
    },
    /// Decimal seconds.
    Seconds {
        /// The least.
        low: i64,
        /// The most.
        high: i64,
        /// A point in time, since 1970; else a length of time.
        time: bool,
    },
    /// A decimal number.
    Decimal {
        /// The least.
        low: i64,
        /// The most.
        high: i64,
    },
    /// Any bytes.
    Bytes {
        /// How many at most.
        most: i64,
    },
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
