//! Parsing of texts of the contract.

use std::str::FromStr;

#[allow(clippy::unnecessary_wraps, reason = "as the other readers")]
pub(crate) fn owned(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Parses a number, a word or a name.
pub(crate) fn word<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

pub(crate) fn flag(text: &str) -> Option<bool> {
    word::<u8>(text).map(|number| number != 0)
}

/// Parses names that are separated by commas.
#[allow(clippy::unnecessary_wraps, reason = "as the other readers")]
pub(crate) fn names(text: &str) -> Option<Vec<String>> {
    Some(text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
