//! Files through which a program communicates with its supervisor. Environment variables name the files.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use blueque::constants::RESULT_BYTES;
use serde_json::Value;

use crate::output::{Code, fault};

/// Maximum number of bytes that the server accepts.
pub const LARGEST: u64 = RESULT_BYTES as u64;

/// Appends one line with a single write, so that lines of parallel writers stay whole.
pub fn append(event: &Value) -> anyhow::Result<()> {
    let Some(path) = file("BLUEQUE_EVENTS") else { return Ok(()) };
    let text = format!("{event}\n");
    let written =
        OpenOptions::new().append(true).create(true).open(&path).and_then(|mut f| f.write_all(text.as_bytes()));
    written.with_context(|| format!("{} cannot be written", path.display()))
}

/// Returns the value of an argument, which is a text, or names a file or stdin.
pub fn given(value: &str) -> anyhow::Result<Vec<u8>> {
    match (value, value.strip_prefix('@')) {
        ("-", _) => checked("stdin", crate::file::bounded(std::io::stdin().lock(), LARGEST)),
        (_, Some(from)) => checked(from, crate::file::data(Path::new(from), LARGEST)),
        (text, None) => Ok(text.as_bytes().to_vec()),
    }
}

/// Replaces a file atomically.
pub fn keep(variable: &str, bytes: impl FnOnce() -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
    let Some(path) = file(variable) else { return Ok(()) };
    replace(&path, &bytes()?).with_context(|| format!("{} cannot be written", path.display()))
}

/// Replaces the file with this suffix next to a named file, and returns its path.
pub fn keep_beside(
    variable: &str,
    suffix: &str,
    bytes: impl FnOnce() -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<Option<PathBuf>> {
    let Some(path) = file(variable) else { return Ok(None) };
    let mut beside = path.into_os_string();
    beside.push(format!(".{suffix}"));
    let beside = PathBuf::from(beside);
    replace(&beside, &bytes()?).with_context(|| format!("{} cannot be written", beside.display()))?;
    Ok(Some(beside))
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let replaced = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&draft);
    }
    replaced
}

fn checked(from: &str, read: io::Result<Vec<u8>>) -> anyhow::Result<Vec<u8>> {
    let bytes = read.map_err(|error| fault(Code::Usage, format!("{from} cannot be read: {error}")))?;
    anyhow::ensure!(
        bytes.len() as u64 <= LARGEST,
        "{from} cannot be read: over 8 MiB: store it elsewhere, and keep a reference to it"
    );
    Ok(bytes)
}

/// Returns the path in an environment variable that the worker has set.
pub fn file(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}
