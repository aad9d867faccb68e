//! Output of a session that may be one of several partitions: ids include the name of the partition, and rows are
//! merged with the rows of the other partitions.

use blueque::TaskId;

use super::Session;
use super::merged_rows::first;
use crate::output::say;
use crate::output::table::{self, Row, Shown};

impl Session {
    /// Returns the name of this session's partition, if there are several partitions.
    pub fn partition(&self) -> Option<String> {
        self.partition.as_ref().map(ToString::to_string)
    }

    /// Returns a global id, which includes the name of the partition if there are several partitions.
    pub fn global(&self, id: &str) -> String {
        self.partition.as_ref().map_or_else(|| id.to_owned(), |partition| format!("{partition}:{id}"))
    }

    /// Returns a global id as a `TaskId`.
    pub fn global_id(&self, id: &TaskId) -> TaskId {
        TaskId::new(self.global(id.as_str())).unwrap_or_else(|_| id.clone())
    }

    /// Returns true if the rows are merged with the rows of other partitions.
    pub fn is_one_of_many(&self) -> bool {
        self.merged_rows.is_some()
    }

    /// Writes rows, or keeps them to be merged with the rows of other partitions.
    pub fn write<R: Row>(&self, rows: &[R]) -> anyhow::Result<()> {
        self.write_ranked(rows, |_| String::new())
    }

    /// Writes rows, ordered by rank among the rows of all partitions. Smaller ranks come first.
    pub fn write_ranked<R: Row>(&self, rows: &[R], rank: impl Fn(&R) -> String) -> anyhow::Result<()> {
        match (&self.partition, &self.merged_rows) {
            (Some(partition), Some(merged_rows)) => {
                let ranked: Vec<_> = rows.iter().map(|row| (rank(row), row)).collect();
                merged_rows.add(self.format, partition.as_str(), &ranked)
            }
            (Some(partition), None) => {
                let shown = rows.iter().map(|row| Shown::of(self.format, row, partition.as_str(), false));
                table::write_all(self.format, &R::columns(), shown.collect::<anyhow::Result<_>>()?)
            }
            (None, _) => table::write(self.format, rows),
        }
    }

    /// Reports that more tasks exist than are shown. With several partitions this is reported after all have answered.
    pub fn say_more(&self, limit: usize, more: bool) {
        if let Some(merged_rows) = &self.merged_rows {
            merged_rows.limit(limit, more);
        } else if more {
            say(first(limit));
        }
    }
}
