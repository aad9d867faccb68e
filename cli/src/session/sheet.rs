//! Rows of several partitions, which are shown together.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::output::table::{self, Column, Row, Shown};
use crate::output::{Format, say};

/// Rows of several partitions, which are shown together.
#[derive(Default)]
pub struct Sheet(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    columns: Vec<Column>,
    rows: Vec<Ranked>,
    limit: Option<usize>,
    /// Whether a partition has more than so many.
    more: bool,
}

struct Ranked {
    /// Smaller ones first.
    rank: String,
    /// The place of its partition.
    partition: String,
    shown: Shown,
}

impl Sheet {
    /// Keeps rows of a partition, each with its rank.
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

    /// Shows at most so many. `more`: a partition has more than these.
    pub fn limit(&self, limit: usize, more: bool) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.limit = Some(limit);
        rows.more |= more;
    }

    /// Writes the rows of all: by their rank, then by partition. None if no partition had any to write.
    pub fn write(&self, format: Format) -> anyhow::Result<()> {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let Kept { columns, mut rows, limit, more } = all;
        if columns.is_empty() {
            return Ok(());
        }
        rows.sort_by(|one, other| (&one.rank, &one.partition).cmp(&(&other.rank, &other.partition)));
        // The same queue in two partitions has one name.
        let mut known = HashSet::new();
        rows.retain(|row| if let Shown::Id(id) = &row.shown { known.insert(id.clone()) } else { true });
        if let Some(limit) = limit.filter(|&limit| more || rows.len() > limit) {
            rows.truncate(limit);
            say(first(limit));
        }
        table::write_all(format, &columns, rows.into_iter().map(|row| row.shown).collect())
    }
}

/// Says that there are more than are shown.
pub fn first(limit: usize) -> String {
    format!("the first {limit} tasks; --limit shows more")
}
