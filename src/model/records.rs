//! Accessors of records, generated from `contract/fields.toml`.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use redis::Value;
use serde::de::DeserializeOwned;

use super::{Backoff, Missed, Outcome, Overlap, Pause, ScheduleInfo, ScheduleState, Status, TaskInfo, Until, reply};
use crate::error::Result;
use crate::names::Token;
use crate::{text, times};

include!(concat!(env!("OUT_DIR"), "/records.rs"));

/// A hash whose fields are read individually. A field counts as absent if a client without scripts wrote it in another
/// form.
pub(super) trait Record {
    fn fields(&self) -> &BTreeMap<String, Vec<u8>>;

    fn bytes(&self, field: &str) -> Option<&[u8]> {
        self.fields().get(field).map(Vec::as_slice)
    }

    fn json<T: DeserializeOwned>(&self, field: &str) -> Result<Option<T>> {
        Ok(self.bytes(field).map(serde_json::from_slice).transpose()?)
    }

    /// Reads a field. An empty field counts as absent.
    fn read<T>(&self, field: &str, reader: impl Fn(&str) -> Option<T>) -> Option<T> {
        reader(std::str::from_utf8(self.bytes(field)?).ok().filter(|text| !text.is_empty())?)
    }

    /// Reads a text, and replaces bytes that are not UTF-8.
    fn lossy(&self, field: &str) -> Option<String> {
        self.bytes(field).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}
