//! The output format, as an argument.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Table,
    Json,
    Jsonl,
    Csv,
    /// The text of `template`, with fields of the row.
    Template,
    Id,
}

static WIDE: AtomicBool = AtomicBool::new(false);
static FOR_PROGRAMS: AtomicBool = AtomicBool::new(false);
static TEMPLATE: OnceLock<String> = OnceLock::new();

/// Returns true if lists have all columns, and are not cut to the width of the terminal.
pub fn is_wide() -> bool {
    WIDE.load(Ordering::Relaxed)
}

/// Returns true if cells have times in UTC and plain numbers.
pub fn is_for_programs() -> bool {
    FOR_PROGRAMS.load(Ordering::Relaxed)
}

/// Returns the text of `-o template=TEXT`.
pub fn template() -> &'static str {
    TEMPLATE.get().map_or("", String::as_str)
}

/// The formats by their names.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    /// For people
    Table,
    /// For people: all columns, and no cell is cut
    Wide,
    /// One JSON document
    Json,
    /// One JSON document per line
    Jsonl,
    /// Values separated by commas, for spreadsheets
    Csv,
    /// template=TEXT: a text in which {FIELD} stands for a field of -o json; \t and \n are a tab and a line end
    Template,
    /// Only ids or names, one per line
    Id,
}

fn set(flags: &[&AtomicBool]) {
    for flag in flags {
        flag.store(true, Ordering::Relaxed);
    }
}

#[derive(Clone)]
pub struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &std::ffi::OsStr) -> Result<Format, clap::Error> {
        if let Some(text) = value.to_str().and_then(|text| text.strip_prefix("template=")) {
            TEMPLATE.get_or_init(|| text.replace("\\t", "\t").replace("\\n", "\n"));
            set(&[&WIDE, &FOR_PROGRAMS]);
            return Ok(Format::Template);
        }
        Ok(match EnumValueParser::<Name>::new().parse_ref(command, arg, value)? {
            Name::Table => Format::Table,
            Name::Wide => {
                set(&[&WIDE]);
                Format::Table
            }
            Name::Json => Format::Json,
            Name::Jsonl => Format::Jsonl,
            Name::Csv => {
                set(&[&WIDE, &FOR_PROGRAMS]);
                Format::Csv
            }
            Name::Template => {
                let mut error = clap::Error::new(ErrorKind::ValueValidation).with_cmd(command);
                error.insert(ContextKind::InvalidArg, ContextValue::String("--output <FORMAT>".to_owned()));
                error.insert(ContextKind::InvalidValue, ContextValue::String("template".to_owned()));
                let say = "give the text as well, such as -o 'template={id} {state}'";
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![say.into()]));
                return Err(error);
            }
            Name::Id => Format::Id,
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Name::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
