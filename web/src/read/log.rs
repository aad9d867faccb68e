//! The log of a task, in parts.

use std::time::SystemTime;

use blueque::calls::LogsOptions;
use blueque::tokio::Client;
use blueque::{LogEntry, TaskId};

/// Number of bytes at the end of a log with which a page begins.
const TAIL: u32 = 64 * 1_024;

/// Number of entries that one call reads.
const ENTRIES: u32 = 500;

/// Number of calls that read a log from its beginning.
const CALLS: usize = 20;

/// A part of a log.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The last entry, after which the log continues.
    pub last: String,
    pub entries: Vec<LogEntry>,
    /// True if the part may not be the beginning.
    pub earlier: bool,
}

/// Reads the end of a log, of one attempt or of all.
pub async fn end(client: &Client, id: &TaskId, attempt: Option<u32>) -> blueque::Result<Part> {
    let page = client.call(&client.calls().logs(id, "0", ENTRIES, &LogsOptions::new().tail(TAIL))).await?;
    let bytes: usize = page.items.iter().map(|entry| entry.text.len()).sum();
    let mut last = page.last;
    let mut entries = page.items;
    // The page may end before the log does.
    for _ in 0..CALLS {
        let more = client.call(&client.calls().logs(id, &last, ENTRIES, &LogsOptions::new())).await?;
        if more.items.is_empty() {
            break;
        }
        last = more.last;
        entries.extend(more.items);
    }
    let earlier = bytes.saturating_mul(2) >= TAIL as usize || entries.len() >= ENTRIES as usize;
    entries.retain(|entry| attempt.is_none_or(|attempt| entry.attempt == attempt));
    Ok(Part { last, entries, earlier })
}

/// Reads entries after one entry, at most one page.
pub async fn after(client: &Client, id: &TaskId, after: &str) -> blueque::Result<Part> {
    let page = client.call(&client.calls().logs(id, after, ENTRIES, &LogsOptions::new())).await?;
    Ok(Part { last: page.last, entries: page.items, earlier: false })
}

/// Reads the entries before a time, the last `most` of them.
pub async fn before(client: &Client, id: &TaskId, time: SystemTime, most: usize) -> blueque::Result<Part> {
    let mut part = Part { last: "0".to_owned(), ..Part::default() };
    for _ in 0..CALLS {
        let page = client.call(&client.calls().logs(id, &part.last, ENTRIES, &LogsOptions::new())).await?;
        let (read, kept) = (page.items.len(), part.entries.len());
        part.last = page.last;
        part.entries.extend(page.items.into_iter().filter(|entry| entry.at < time));
        let late = part.entries.len() < kept + read;
        if read == 0 || late {
            break;
        }
    }
    let first = part.entries.len().saturating_sub(most);
    part.earlier = first > 0;
    part.entries.drain(..first);
    Ok(part)
}
