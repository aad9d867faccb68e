//! Rows of several partitions that are shown together.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::output::table::{self, Column, Row, Shown};
use crate::output::{Format, say};

/// Rows of several partitions that are shown together.
#[derive(Default)]
pub struct MergedRows(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    columns: Vec<Column>,
    rows: Vec<Ranked>,
    limit: Option<usize>,
    /// True if a partition has more rows than the limit.
    more: bool,
}

struct Ranked {
    /// The sort key of the row, smallest first.
    rank: String,
    /// The name of the row's partition.
    partition: String,
    shown: Shown,
}

impl MergedRows {
    /// Adds rows of a partition, each with its rank.
    pub fn add<R: Row>(&self, format: Format, partition: &str, ranked: &[(String, &R)]) -> anyhow::Result<()> {
        let row = |(rank, row): &(String, &R)| {
            let shown = Shown::of(format, *row, partition, true)?;
            anyhow::Ok(Ranked { rank: rank.clone(), partition: partition.to_owned(), shown })
        };
        let new = ranked.iter().map(row).collect::<anyhow::Result<Vec<_>>>()?;
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.columns = Shown::columns::<R>();
        rows.rows.extend(new);
        Ok(())
    }

    /// Limits the number of shown rows. `more`: true if a partition has more rows than it returned.
    pub fn limit(&self, limit: usize, more: bool) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.limit = Some(limit);
        rows.more |= more;
    }

    /// Writes the rows of all partitions, ordered by rank, then by partition. Writes nothing if no partition had rows.
    pub fn write(&self, format: Format) -> anyhow::Result<()> {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let Kept { columns, mut rows, limit, more } = all;
        if columns.is_empty() {
            return Ok(());
        }
        rows.sort_by(|one, other| (&one.rank, &one.partition).cmp(&(&other.rank, &other.partition)));
        // A queue that two partitions have is listed once.
        let mut known = HashSet::new();
        rows.retain(|row| if let Shown::Id(id) = &row.shown { known.insert(id.clone()) } else { true });
        if let Some(limit) = limit.filter(|&limit| more || rows.len() > limit) {
            rows.truncate(limit);
            say(first(limit));
        }
        table::write_all(format, &columns, rows.into_iter().map(|row| row.shown).collect())
    }
}

/// Returns a note that only the first tasks are shown.
pub fn first(limit: usize) -> String {
    format!("the first {limit} tasks; --limit shows more")
}
