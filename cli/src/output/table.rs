//! Writes rows of data in each output format.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::value::RawValue;

use super::document::{self, Fields, Lacking};
pub use super::layout::Column;
use super::layout::Layout;
use super::screen::screen;
use super::{Format, colour, data, format, json, line, one_line};

/// Number of spaces between two columns.
const GAP: usize = 2;

/// A column of a list, and the function that returns its cell in a row, for people.
pub type Cell<R> = (Column, fn(&R) -> String);

/// A row of a list.
pub trait Row: Serialize + Sized + 'static {
    /// The table. Empty if people see lines instead of a table.
    const COLUMNS: &'static [Cell<Self>] = &[];

    /// The column with the row's id, if it is the id of a task or of a graph.
    const ID: Option<usize> = ids(Self::COLUMNS);

    fn columns() -> Vec<Column> {
        Self::COLUMNS.iter().map(|(column, _)| *column).collect()
    }

    fn cells(&self) -> Vec<String> {
        Self::COLUMNS.iter().map(|(_, cell)| cell(self)).collect()
    }

    /// Returns the id or name of the row: the cell with its id, or else the first cell.
    fn id(&self) -> String {
        self.cells().into_iter().nth(Self::ID.unwrap_or(0)).unwrap_or_default()
    }
}

/// Returns the index of the first column of ids.
#[allow(clippy::indexing_slicing, reason = "below the length")]
const fn ids<R>(columns: &[Cell<R>]) -> Option<usize> {
    let mut at = 0;
    while at < columns.len() {
        if columns[at].0.is_id() {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the text of a cell that may have no value.
pub fn or(value: Option<impl ToString>, without: &str) -> String {
    value.map_or_else(|| without.to_owned(), |value| value.to_string())
}

pub fn or_dash(value: Option<impl ToString>) -> String {
    or(value, "-")
}

/// Writes rows.
pub fn write<R: Row>(format: Format, rows: &[R]) -> anyhow::Result<()> {
    let shown = rows.iter().map(|row| Shown::new(format, row)).collect::<Result<Vec<_>, _>>()?;
    write_all(format, &R::columns(), shown)
}

/// Writes rows that are already formatted.
pub fn write_all(format: Format, columns: &[Column], rows: Vec<Shown>) -> anyhow::Result<()> {
    match format {
        Format::Table => table(columns, rows.into_iter().map(Shown::cells))?,
        Format::Json => line(format!("[{}]", rows.iter().map(Shown::text).collect::<Vec<_>>().join(",\n")))?,
        Format::Jsonl | Format::Id => rows.iter().try_for_each(Shown::write)?,
        Format::Csv | Format::Template => {
            let heads: Vec<&str> = columns.iter().map(Column::head).collect();
            let rows: Vec<Fields> = rows.into_iter().filter_map(Shown::fields).collect();
            document::write(format, &heads, &rows)?;
        }
    }
    Ok(())
}

/// Writes one row. Not for lists in `--output json`, which `write` writes as one document.
pub fn write_one<R: Row>(format: Format, row: &R) -> anyhow::Result<()> {
    match format {
        Format::Csv | Format::Template => write(format, std::slice::from_ref(row)),
        _ => Shown::new(format, row)?.write(),
    }
}

/// A row in the form of one output format.
pub enum Shown {
    Cells(Vec<String>),
    Json(String),
    Fields(Fields),
    Id(String),
}

impl Shown {
    pub fn new<R: Row>(format: Format, row: &R) -> anyhow::Result<Self> {
        Ok(match format {
            Format::Table => Self::Cells(row.cells()),
            Format::Json | Format::Jsonl => Self::Json(json(row)?),
            Format::Csv | Format::Template => Self::of_fields::<R>(&json(row)?, row.cells())?,
            Format::Id => Self::Id(row.id()),
        })
    }

    /// Formats a row of one of several partitions: the id of a task becomes `PARTITION:ID`. With `whole`, adds the
    /// partition: in JSON as a field, and in a table as the first cell, unless the id names the partition.
    pub fn of<R: Row>(format: Format, row: &R, partition: &str, whole: bool) -> anyhow::Result<Self> {
        let global = |id: &str| format!("{partition}:{id}");
        let first_format = if matches!(format, Format::Csv | Format::Template) { Format::Json } else { format };
        Ok(match Self::new(first_format, row)? {
            Self::Cells(mut cells) => {
                match R::columns().iter().position(Column::is_id).and_then(|at| cells.get_mut(at)) {
                    Some(id) => *id = global(id),
                    None if whole => cells.insert(0, partition.to_owned()),
                    None => {}
                }
                Self::Cells(cells)
            }
            Self::Json(text) => {
                let mut fields: BTreeMap<&str, Box<RawValue>> = serde_json::from_str(&text)?;
                let column = R::ID.and_then(|at| R::COLUMNS.get(at));
                let known = column.and_then(|(column, _)| fields.get_mut(column.head()));
                if let Some(known) = known
                    && let Ok(id) = serde_json::from_str::<String>(known.get())
                {
                    *known = RawValue::from_string(json(&global(&id))?)?;
                }
                if whole {
                    fields.insert("partition", RawValue::from_string(json(partition)?)?);
                }
                let text = json(&fields)?;
                if first_format == format { Self::Json(text) } else { Self::of_fields::<R>(&text, row.cells())? }
            }
            Self::Fields(fields) => Self::Fields(fields),
            Self::Id(id) => Self::Id(if R::ID.is_some() { global(&id) } else { id }),
        })
    }

    /// Returns the columns for rows of several partitions.
    pub fn columns<R: Row>() -> Vec<Column> {
        let columns = R::columns();
        let partition = (!columns.iter().any(Column::is_id)).then_some(Column::whole("partition"));
        partition.into_iter().chain(columns).collect()
    }

    fn of_fields<R: Row>(text: &str, cells: Vec<String>) -> anyhow::Result<Self> {
        let columns = R::columns();
        Ok(Self::Fields(Fields::new(text, columns.iter().map(Column::head).zip(cells))?))
    }

    fn fields(self) -> Option<Fields> {
        if let Self::Fields(fields) = self { Some(fields) } else { None }
    }

    fn cells(self) -> Vec<String> {
        if let Self::Cells(cells) = self { cells } else { Vec::new() }
    }

    /// Returns the row as a line.
    fn text(&self) -> String {
        match self {
            Self::Cells(cells) => cleaned(cells).join("  "),
            Self::Json(text) => text.clone(),
            Self::Fields(fields) => fields.filled(&mut Lacking::default()),
            Self::Id(id) => one_line(id),
        }
    }

    /// Writes the row as a line.
    pub fn write(&self) -> anyhow::Result<()> {
        Ok(line(self.text())?)
    }
}

/// Writes rows that arrive one by one. On a terminal, each row is aligned with the rows before it.
pub struct Stream<R> {
    format: Format,
    /// The name of the rows' partition, if there are several partitions.
    partition: Option<String>,
    /// The last rows, which determine the layout of the next row.
    seen: Vec<Vec<String>>,
    /// True if the headings of CSV are written.
    begun: bool,
    rows: PhantomData<R>,
}

/// Number of rows that determine the layout of the next row.
const SEEN: usize = 100;

impl<R: Row> Stream<R> {
    pub fn new(format: Format, partition: Option<String>) -> Self {
        Self { format, partition, seen: Vec::new(), begun: false, rows: PhantomData }
    }

    pub fn write(&mut self, rows: &[R]) -> anyhow::Result<()> {
        let shown = |row: &R| match &self.partition {
            Some(partition) => Shown::of(self.format, row, partition, true),
            None => Shown::new(self.format, row),
        };
        let shown = rows.iter().map(shown).collect::<anyhow::Result<Vec<_>>>()?;
        if self.format == Format::Csv {
            let columns = if self.partition.is_some() { Shown::columns::<R>() } else { R::columns() };
            let heads: Vec<&str> = columns.iter().map(Column::head).collect();
            let fields: Vec<Fields> = shown.into_iter().filter_map(Shown::fields).collect();
            return document::write_more(&heads, &fields, &mut self.begun);
        }
        let Some((width, _)) = screen().filter(|_| self.format == Format::Table) else {
            return shown.iter().try_for_each(Shown::write);
        };
        self.seen.extend(shown.into_iter().map(|row| cleaned(&row.cells())));
        let columns = if self.partition.is_some() { Shown::columns::<R>() } else { R::columns() };
        let layout = Layout::new(&columns, &self.seen, GAP, Some(width));
        let new = self.seen.iter().skip(self.seen.len().saturating_sub(rows.len()));
        new.map(|row| layout.line(&layout.cells(row))).try_for_each(line)?;
        self.seen.drain(..self.seen.len().saturating_sub(SEEN));
        Ok(())
    }
}

/// Writes a table without frames, one line per row, for `awk` and `grep`. Columns are left out only on a terminal.
pub fn table(columns: &[Column], rows: impl Iterator<Item = Vec<String>>) -> anyhow::Result<()> {
    let mut rows: Vec<Vec<String>> = rows.map(|cells| cleaned(&cells)).collect();
    let mut columns = columns.to_vec();
    if format::is_wide() {
        let some = |at: usize| at == 0 || rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()));
        let keep: Vec<bool> = (0..columns.len()).map(some).collect();
        let kept = |at: usize| keep.get(at).copied().unwrap_or(true);
        columns = columns.into_iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, column)| column).collect();
        for row in &mut rows {
            *row =
                std::mem::take(row).into_iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, cell)| cell).collect();
        }
    }
    let room = screen().map(|(width, _)| width).filter(|_| !format::is_wide());
    let layout = Layout::new(&columns, &rows, GAP, room);
    line(layout.line(&layout.heads()))?;
    let colours = colour::are_shown();
    for row in &rows {
        let cells = layout.cells(row);
        if colours { data(&format!("{}\n", layout.coloured(&cells)))? } else { line(layout.line(&cells))? }
    }
    Ok(())
}

fn cleaned(cells: &[String]) -> Vec<String> {
    cells.iter().map(|cell| one_line(cell)).collect()
}
