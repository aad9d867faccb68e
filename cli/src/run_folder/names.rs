//! Names of folders for task ids and namespaces. A leading dot becomes `%2E`, so that no folder is hidden, and the ids
//! `.` and `..` are safe. Neither ids nor namespaces contain `%` or `+`.

use std::borrow::Cow;
use std::ffi::OsStr;

/// The prefix of a folder that is being created or removed.
const ASIDE: &str = ".+";

const DOT: &str = "%2E";

/// Returns the name of a folder for an id or a namespace.
pub fn visible(name: &str) -> Cow<'_, str> {
    match name.strip_prefix('.') {
        Some(rest) => format!("{DOT}{rest}").into(),
        None => name.into(),
    }
}

/// Returns the name of an attempt's run folder.
pub fn run(id: &str, token: u64) -> String {
    format!("{}.{token}", visible(id))
}

/// Returns the id and the token of a run folder.
pub fn attempt(name: &str) -> Option<(String, u64)> {
    let (id, token) = name.rsplit_once('.')?;
    let id = id.strip_prefix(DOT).map_or(id.to_owned(), |rest| format!(".{rest}"));
    Some((id, token.parse().ok()?))
}

/// Returns the name of the folder of an attempt's log. The name includes the token, because an id may be submitted
/// again after its task is deleted.
pub fn log(id: &str, number: u32, token: u64) -> String {
    format!("{}.{number}.{token}", visible(id))
}

/// Returns the id, the number and the token of the attempt whose log has this name.
pub fn logged(name: &str) -> Option<(String, u32, u64)> {
    let (rest, token) = name.rsplit_once('.')?;
    let (id, number) = attempt(rest)?;
    Some((id, u32::try_from(number).ok()?, token.parse().ok()?))
}

/// Returns the temporary name of a folder that is being created or removed.
pub fn aside(name: &str, word: &str) -> String {
    format!("{ASIDE}{name}.{word}")
}

pub fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
