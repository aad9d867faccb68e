//! Rows of data in each format.

use std::io::{IsTerminal, stdout};
use std::marker::PhantomData;

use serde::Serialize;
use terminal_size::{Height, Width, terminal_size_of};

pub use super::layout::Column;
use super::layout::Layout;
use super::{Format, json, line, one_line};

/// Between two columns.
const GAP: usize = 2;

/// One row of a list.
pub trait Row: Serialize {
    /// The columns of the table.
    const COLUMNS: &'static [Column];

    /// Its id or name.
    fn id(&self) -> &str;

    /// Its cells, for people.
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

/// Writes one row as it arrives; `--output json` needs a list that ends.
pub fn write_one<R: Row>(format: Format, row: &R) -> anyhow::Result<()> {
    match format {
        Format::Table => line(cleaned(&row.cells()).join("  "))?,
        Format::Json | Format::Jsonl => line(json(row)?)?,
        Format::Id => line(one_line(row.id()))?,
    }
    Ok(())
}

/// Rows that arrive one after the other. On a terminal they are aligned as far as earlier rows allow.
pub struct Stream<R> {
    format: Format,
    /// The last rows, which determine the layout of the next.
    seen: Vec<Vec<String>>,
    rows: PhantomData<R>,
}

/// Number of rows that determine the layout of the next.
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

/// Columns and lines of the terminal on stdout.
pub fn screen() -> Option<(usize, usize)> {
    let (Width(width), Height(height)) = stdout().is_terminal().then(|| terminal_size_of(stdout()))??;
    Some((width.into(), height.into()))
}

/// A table without frames, one line a row, for `awk` and `grep`. Columns are left out only on a terminal.
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
