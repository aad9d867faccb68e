//! Reads a JSON document field by field. Each error has its place in the document.

use std::collections::HashSet;
use std::fmt;
use std::time::SystemTime;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::problem::{GraphError, Place};
use crate::names;
use crate::times;

/// Maximum length of a document.
const BYTES: usize = 8 << 20;

/// A value of a document.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    pub(super) place: Place,
    raw: &'a RawValue,
}

impl<'a> Found<'a> {
    /// Parses a whole document. Syntax errors have the line and the column.
    pub(super) fn document(text: &'a str) -> Result<Self, GraphError> {
        let place = Place::default();
        if text.len() > BYTES {
            return Err(place.problem(format!("the document has {} bytes: at most {BYTES} (8 MiB)", text.len())));
        }
        let raw =
            serde_json::from_str(text).map_err(|error| place.problem(format!("not JSON: {}", cause(text, &error))))?;
        Ok(Self { place, raw })
    }

    /// Returns the JSON text of the value, unchanged.
    pub(super) fn json(&self) -> &'a str {
        self.raw.get()
    }

    /// Moves the value to another place, so that the errors of a task begin with its name.
    pub(super) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    pub(super) fn text(&self) -> Result<String, GraphError> {
        self.as_kind("text")?;
        serde_json::from_str(self.json()).map_err(|_| self.place.problem("the text is not Unicode"))
    }

    /// Reads a whole number. The server checks its bounds.
    pub(super) fn whole(&self) -> Result<i64, GraphError> {
        self.json().parse().map_err(|_| self.place.problem("must be a whole number"))
    }

    pub(super) fn flag(&self) -> Result<bool, GraphError> {
        self.as_kind("true or false")?;
        self.parsed()
    }

    /// Reads a name with the rules for queues and tags.
    pub(super) fn plain(&self) -> Result<String, GraphError> {
        let text = self.text()?;
        if names::plain(&text) { Ok(text) } else { Err(self.place.problem(names::PLAIN)) }
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, GraphError> {
        self.as_kind("a list")?;
        let items: Vec<&RawValue> = self.parsed()?;
        let found = |(index, raw)| Self { place: self.place.item(index), raw };
        Ok(items.into_iter().enumerate().map(found).collect())
    }

    /// Reads the fields of an object, in their order.
    pub(super) fn object(&self) -> Result<Vec<(String, Self)>, GraphError> {
        self.as_kind("an object")?;
        let Entries(entries) = self.parsed()?;
        let mut names = HashSet::new();
        if let Some((twice, _)) = entries.iter().find(|(name, _)| !names.insert(name.as_str())) {
            return Err(self.place.problem(format!("the field {twice:?} occurs twice")));
        }
        let found = |(name, raw): (String, _)| {
            let place = self.place.field(&name);
            (name, Self { place, raw })
        };
        Ok(entries.into_iter().map(found).collect())
    }

    /// Reads an object that may have only these fields.
    pub(super) fn fields(&self, known: &[&str]) -> Result<Fields<'a>, GraphError> {
        let fields = self.object()?;
        if let Some((name, found)) = fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let mut place = found.place.clone();
            // A name with control characters is not part of the place, so the message stays on one line.
            if name.chars().any(char::is_control) {
                place = self.place.clone();
            }
            return Err(place.problem(format!("unknown field {name:?}: there are {}", known.join(", "))));
        }
        Ok(Fields { place: self.place.clone(), fields })
    }

    /// Returns the kind of the value.
    pub(super) fn kind(&self) -> &'static str {
        match self.json().as_bytes().first() {
            Some(b'"') => "text",
            Some(b'[') => "a list",
            Some(b'{') => "an object",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    fn as_kind(&self, kind: &str) -> Result<(), GraphError> {
        if self.kind() == kind {
            Ok(())
        } else {
            Err(self.place.problem(format!("must be {kind}, not {}", self.kind())))
        }
    }

    fn parsed<T: Deserialize<'a>>(&self) -> Result<T, GraphError> {
        serde_json::from_str(self.json()).map_err(|error| self.place.problem(error.to_string()))
    }
}

/// Returns the reason why a text is not JSON, with the position. For a comma after the last element, returns the
/// position of the comma.
fn cause(text: &str, error: &serde_json::Error) -> String {
    let start = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let read = text.as_bytes().get(..start + error.column()).unwrap_or_default();
    if let [before @ .., end @ (b']' | b'}')] = read
        && let Some(before) = before.trim_ascii_end().strip_suffix(b",")
    {
        let lines: Vec<&[u8]> = before.split(|byte| *byte == b'\n').collect();
        let (line, column) = (lines.len(), lines.last().map_or(0, |line| line.len()) + 1);
        return format!("a comma before `{}`, at line {line} column {column}", char::from(*end));
    }
    error.to_string()
}

/// The fields of an object.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    pub(super) place: Place,
    fields: Vec<(String, Found<'a>)>,
}

impl<'a> Fields<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&Found<'a>> {
        self.fields.iter().find(|(other, _)| other == name).map(|(_, found)| found)
    }

    pub(super) fn need(&self, name: &str) -> Result<&Found<'a>, GraphError> {
        self.get(name).ok_or_else(|| self.place.field(name).problem("missing"))
    }

    /// Adds the fields of `base` that are missing here. A field of a pair in `either` is not added if the object has
    /// the other field of the pair.
    pub(super) fn or(self, base: &Self, either: &[[&str; 2]]) -> Self {
        let has = |name: &str| {
            let pair = either.iter().find(|pair| pair.contains(&name));
            self.get(name).is_some() || pair.is_some_and(|pair| pair.iter().any(|name| self.get(name).is_some()))
        };
        let more: Vec<_> = base.fields.iter().filter(|(name, _)| !has(name)).cloned().collect();
        Self { place: self.place, fields: self.fields.into_iter().chain(more).collect() }
    }

    /// Reads a text, if the field exists.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, GraphError> {
        self.get(name).map(Found::text).transpose()
    }

    /// Reads a point in time, if the field exists.
    pub(super) fn time(&self, name: &str) -> Result<Option<SystemTime>, GraphError> {
        self.get(name).map(Found::time).transpose()
    }
}

impl Found<'_> {
    /// Reads a point in time.
    pub(super) fn time(&self) -> Result<SystemTime, GraphError> {
        let known = times::time(self.json()).filter(|_| self.kind() == "a number");
        known.ok_or_else(|| self.place.problem("must be a number: seconds since 1970"))
    }
}

/// An object in the order of its document, with every field.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}
