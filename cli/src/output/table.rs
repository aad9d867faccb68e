//! Rows of data in each of the formats.

use std::io::IsTerminal;

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::{Format, clean_line, json, line, one_line};

/// Longer cells are cut; JSON has all of it.
const CELL: usize = 120;

/// One thing that a command lists.
pub trait Row: Serialize {
    /// The heads of the columns.
    const HEADS: &'static [&'static str];

    /// Its id or name.
    fn id(&self) -> &str;

    /// What people see of it.
    fn cells(&self) -> Vec<String>;
}

/// Writes rows.
pub fn write<R: Row>(format: Format, rows: &[R]) -> anyhow::Result<()> {
    match format {
        Format::Table => table(R::HEADS, rows.iter().map(Row::cells))?,
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
        Format::Table => line(row.cells().iter().map(|cell| clean_line(cell, CELL)).collect::<Vec<_>>().join("  "))?,
        Format::Json | Format::Jsonl => line(json(row)?)?,
        Format::Id => line(one_line(row.id()))?,
    }
    Ok(())
}

/// A table without frames: columns that `awk` can take, as wide as the terminal where there is one.
pub fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> anyhow::Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(heads.iter().map(|head| head.to_uppercase()));
    if std::io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    for row in rows {
        table.add_row(row.iter().map(|cell| clean_line(cell, CELL)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for text in table.lines() {
        line(text.trim_end())?;
    }
    Ok(())
}
