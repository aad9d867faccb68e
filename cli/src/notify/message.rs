//! The text of a notice: JSON in the form of Standard Webhooks, `type`, `timestamp` and `data`.

use std::time::SystemTime;

use blueque::{DueNotice, Status};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::times;

/// Number of hexadecimal digits of an id.
const ID: usize = 32;

/// A notice for a target.
pub struct Message {
    /// Id of the notice, the same in every delivery.
    pub id: String,
    /// The JSON.
    pub body: String,
    /// `task` or `graph`, and its id.
    pub of: String,
    pub subject: String,
    pub event: String,
}

impl Message {
    pub fn new(namespace: &str, notice: &DueNotice) -> Self {
        let at = times::exact(notice.at).unwrap_or_default();
        let number = notice.number.to_string();
        // The time is part of the id, because a later task may have the same id.
        let parts = [namespace, &notice.of, &notice.subject, &notice.target, &number, &at];
        let id = hex(&Sha256::digest(parts.join("\n"))).chars().take(ID).collect();
        let text = String::from_utf8_lossy(&notice.text);
        let graph = notice.of == "graph";
        // An end leads to a new state; at any other event the state stays.
        let stays = !is_end(&notice.event);
        let from = notice.from.as_deref().unwrap_or_default();
        let unless = |text| if stays { "" } else { text };
        let mut data = Map::new();
        let facts = [
            ("queue", notice.queue.as_deref().unwrap_or_default()),
            (if graph { "name" } else { "title" }, notice.title.as_deref().unwrap_or_default()),
            ("method", notice.method.as_deref().unwrap_or_default()),
            ("from", unless(from)),
            ("cause", unless(notice.why.as_str())),
            ("by", notice.by.as_deref().unwrap_or_default()),
            (text_of(notice), &*text),
        ];
        for (name, value) in facts {
            if !value.is_empty() {
                data.insert(name.into(), value.into());
            }
        }
        for (name, value) in [
            ("namespace", Value::from(namespace)),
            (notice.of.as_str(), notice.subject.as_str().into()),
            ("state", (if stays { from } else { notice.event.as_str() }).into()),
            ("number", notice.number.into()),
            ("try", (notice.tries + 1).into()),
        ] {
            data.insert(name.into(), value);
        }
        if !graph {
            data.insert("attempt".into(), notice.attempt.into());
        }
        let body =
            json!({ "type": format!("{}.{}", notice.of, notice.event), "timestamp": at, "data": data }).to_string();
        Self { id, body, of: notice.of.clone(), subject: notice.subject.clone(), event: notice.event.clone() }
    }
}

/// Returns true if the event is an end. All other events are due at a time.
fn is_end(event: &str) -> bool {
    event.parse().is_ok_and(Status::is_finished)
}

/// Returns the name of the text of a notice.
fn text_of(notice: &DueNotice) -> &'static str {
    match (notice.of.as_str(), notice.event.as_str()) {
        ("graph", _) => "tasks",
        (_, "failed") => "error",
        (_, event) if !is_end(event) => "time",
        _ => "reason",
    }
}

/// Returns the time in whole seconds since 1970.
pub fn seconds_now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
