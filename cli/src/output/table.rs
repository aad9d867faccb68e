//! Rows of data in each of the formats.

use std::io::{IsTerminal, stdout};
use std::marker::PhantomData;

use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};

pub use super::layout::Column;
use super::layout::Layout;
use super::{Format, json, line, one_line};

/// Between two columns.
const GAP: usize = 2;

/// One thing that a command lists.
pub trait Row: Serialize {
    /// The columns of the table.
    const COLUMNS: &'static [Column];

    /// Its id or name.
    fn id(&self) -> &str;

    /// What people see of it.
    fn cells(&self) -> Vec<String>;
}

/// Writes rows.
pub fn write<R: Row>(format: Format, rows: &[R]) -> anyhow::Result<()> {
    match format {
        Format::Table => table(R::COLUMNS, rows.iter().map(Row::cells))?,
        Format::Json => {
            let rows: Vec<String> = rows.iter().map(json).collect::<Result<_, _>>()?;
            line(format!("[{}]", rows.join(",\n")))?;
        }
        Format::Jsonl => rows.iter().try_for_each(|row| anyhow::Ok(line(json(row)?)?))?,
        Format::Id => rows.iter().try_for_each(|row| line(one_line(row.id())))?,
    }
    Ok(())
}

/// Writes one row as it comes; `--output json` is for what has an end.
pub fn write_one<R: Row>(format: Format, row: &R) -> anyhow::Result<()> {
    match format {
        Format::Table => line(cleaned(&row.cells()).join("  "))?,
        Format::Json | Format::Jsonl => line(json(row)?)?,
        Format::Id => line(one_line(row.id()))?,
    }
    Ok(())
}

/// Rows that come one after the other. On a terminal they stand below each other as far as the rows before tell.
pub struct Stream<R> {
    format: Format,
    /// The last rows: the next have their layout.
    seen: Vec<Vec<String>>,
    rows: PhantomData<R>,
}

/// So many rows say how wide the columns of the next are.
const SEEN: usize = 100;

impl<R: Row> Stream<R> {
    pub fn new(format: Format) -> Self {
        Self { format, seen: Vec::new(), rows: PhantomData }
    }

    pub fn write(&mut self, rows: &[R]) -> anyhow::Result<()> {
        let Some((width, _)) = screen().filter(|_| self.format == Format::Table) else {
            return rows.iter().try_for_each(|row| write_one(self.format, row));
        };
        self.seen.extend(rows.iter().map(|row| cleaned(&row.cells())));
        let layout = Layout::new(R::COLUMNS, &self.seen, GAP, Some(width));
        let new = self.seen.iter().skip(self.seen.len().saturating_sub(rows.len()));
        new.map(|row| layout.line(&layout.cells(row))).try_for_each(line)?;
        self.seen.drain(..self.seen.len().saturating_sub(SEEN));
        Ok(())
    }
}

/// Columns and lines of the terminal that stdout is.
pub fn screen() -> Option<(usize, usize)> {
    let (Width(width), Height(height)) = stdout().is_terminal().then(|| terminal_size_of(stdout()))??;
    Some((width.into(), height.into()))
}

/// A table without frames, a line a row: what `awk` and `grep` can take. Only a terminal leaves something out.
pub fn table(columns: &'static [Column], rows: impl Iterator<Item = Vec<String>>) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = rows.map(|cells| cleaned(&cells)).collect();
    let layout = Layout::new(columns, &rows, GAP, screen().map(|(width, _)| width));
    line(layout.line(&layout.heads()))?;
    rows.iter().map(|row| layout.line(&layout.cells(row))).try_for_each(line)?;
    Ok(())
}

fn cleaned(cells: &[String]) -> Vec<String> {
    cells.iter().map(|cell| one_line(cell)).collect()
}
