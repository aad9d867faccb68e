//! Names of folders that are made of a task's id or a namespace. Those may begin with a dot, or be `.` or `..`: the dot is
//! written `%2E`, so that nothing is hidden and nothing leads elsewhere. Neither has `%` or `+` in it.

use std::borrow::Cow;
use std::ffi::OsStr;

/// Begins the name of a folder that is being made or removed.
const ASIDE: &str = ".+";

const DOT: &str = "%2E";

/// The name of a folder for an id or a namespace.
pub fn visible(name: &str) -> Cow<'_, str> {
    match name.strip_prefix('.') {
        Some(rest) => format!("{DOT}{rest}").into(),
        None => name.into(),
    }
}

/// The name of an attempt's run folder.
pub fn run(id: &str, token: u64) -> String {
    format!("{}.{token}", visible(id))
}

/// The same, as releases before wrote it: hidden where the id begins with a dot.
pub fn former_run(id: &str, token: u64) -> String {
    format!("{id}.{token}")
}

/// The id and the token of a run folder.
pub fn attempt(name: &str) -> Option<(String, u64)> {
    let (id, token) = name.rsplit_once('.')?;
    let id = id.strip_prefix(DOT).map_or(id.to_owned(), |rest| format!(".{rest}"));
    Some((id, token.parse().ok()?))
}

/// The name of the folder of an attempt's log. With the token, because an id may be submitted again once its task is gone.
pub fn log(id: &str, number: u32, token: u64) -> String {
    format!("{}.{number}.{token}", visible(id))
}

/// The id, the number and the token of the attempt whose log has this name.
pub fn logged(name: &str) -> Option<(String, u32, u64)> {
    let (rest, token) = name.rsplit_once('.')?;
    let (id, number) = attempt(rest)?;
    Some((id, u32::try_from(number).ok()?, token.parse().ok()?))
}

/// Where a folder is made, or removed, that will have or had this name.
pub fn aside(name: &str, word: &str) -> String {
    format!("{ASIDE}{name}.{word}")
}

pub fn is_aside(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(ASIDE.as_bytes())
}

pub fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
