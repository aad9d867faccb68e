//! A value as a document of fields: for CSV, for templates, and for sorting.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::format::{Format, template};
use super::{json, line, one_line, say};
use crate::template::fill;

/// The fields of a row: as JSON, and as cells for people.
pub struct Fields {
    json: BTreeMap<String, Box<RawValue>>,
    cells: BTreeMap<String, String>,
}

impl Fields {
    pub fn new<'a>(text: &str, cells: impl IntoIterator<Item = (&'a str, String)>) -> anyhow::Result<Self> {
        let cells = cells.into_iter().filter(|(head, _)| !head.is_empty()).map(|(head, cell)| (head.to_owned(), cell));
        Ok(Self { json: serde_json::from_str(text)?, cells: cells.collect() })
    }

    /// Returns a value of a column: the field of this name if it is a text, a number or a flag, or else the cell.
    pub fn value(&self, head: &str) -> String {
        let plain = self.json.get(head).filter(|value| !value.get().starts_with(['{', '[']));
        let plain = plain.map(|value| bare(value.get()));
        plain.or_else(|| self.cells.get(head).cloned()).or_else(|| self.get(head)).unwrap_or_default()
    }

    /// Returns the text of a field, of `FIELD.FIELD` in an object, or of a cell.
    fn get(&self, path: &str) -> Option<String> {
        let field = self.json.get(path).map(|value| bare(value.get())).or_else(|| self.cells.get(path).cloned());
        field.or_else(|| {
            let (name, rest) = path.split_once('.')?;
            let value: Value = serde_json::from_str(self.json.get(name)?.get()).ok()?;
            Some(bare(&value.pointer(&format!("/{}", rest.replace('.', "/")))?.to_string()))
        })
    }

    /// Fills in the template of `-o template=TEXT`. A missing field is empty.
    pub fn filled(&self, lacking: &mut Lacking) -> String {
        let filled = fill(template(), |name| {
            let value = self.get(name);
            lacking.note(name, value.is_some());
            Ok::<_, std::convert::Infallible>(value.as_deref().map(one_line).unwrap_or_default())
        });
        filled.unwrap_or_default()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.json.keys().map(String::as_str)
    }
}

/// Returns JSON as text: a string without its quotes.
fn bare(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// Fields of a template; true if a row has the field.
#[derive(Default)]
pub struct Lacking(BTreeMap<String, bool>);

impl Lacking {
    fn note(&mut self, name: &str, found: bool) {
        *self.0.entry(name.to_owned()).or_default() |= found;
    }

    /// Reports the fields that no row has.
    pub fn say(&self) {
        let lacking: Vec<&str> = self.0.iter().filter(|(_, found)| !**found).map(|(name, _)| name.as_str()).collect();
        if !lacking.is_empty() {
            say(format!("nothing here has the field {}; -o json shows all fields", lacking.join(", ")));
        }
    }
}

/// Returns values as a line of CSV, quoted as RFC 4180 describes it.
pub fn csv<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> String {
    let quoted = values.into_iter().map(|value| {
        let text = one_line(value.as_ref());
        if text.contains([',', '"']) || text.starts_with(' ') {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    });
    quoted.collect::<Vec<_>>().join(",")
}

/// Writes a single value that is no row, in a format for programs.
pub fn document<T: Serialize + ?Sized>(format: Format, value: &T) -> anyhow::Result<()> {
    let text = json(value)?;
    match format {
        Format::Csv | Format::Template => write(format, &[], &[Fields::new(&text, [])?]),
        _ => Ok(line(text)?),
    }
}

/// Writes several values that are no rows.
pub fn documents<T: Serialize>(format: Format, values: &[T]) -> anyhow::Result<()> {
    if matches!(format, Format::Csv | Format::Template) {
        let fields = values.iter().map(|value| Fields::new(&json(value)?, []));
        return write(format, &[], &fields.collect::<anyhow::Result<Vec<_>>>()?);
    }
    values.iter().try_for_each(|value| document(format, value))
}

/// Writes rows as CSV, or as the template describes. Without columns, CSV has all fields of the first row.
pub fn write(format: Format, columns: &[&str], rows: &[Fields]) -> anyhow::Result<()> {
    if format == Format::Template {
        let mut lacking = Lacking::default();
        rows.iter().try_for_each(|row| line(row.filled(&mut lacking)))?;
        lacking.say();
        return Ok(());
    }
    let names: Vec<&str> = match (columns, rows.first()) {
        ([], Some(first)) => first.names().collect(),
        _ => columns.to_vec(),
    };
    write_more(&names, rows, &mut false)
}

/// Writes further rows as CSV. `begun`: true if the headings are written.
pub fn write_more(columns: &[&str], rows: &[Fields], begun: &mut bool) -> anyhow::Result<()> {
    let names: Vec<&str> = columns.iter().copied().filter(|head| !head.is_empty()).collect();
    if !std::mem::replace(begun, true) {
        line(csv(&names))?;
    }
    Ok(rows.iter().try_for_each(|row| line(csv(names.iter().map(|name| row.value(name)))))?)
}
