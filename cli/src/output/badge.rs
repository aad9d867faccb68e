//! The name of the profile in use, which confirmations and live screens show in its colour.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use serde::Deserialize;

/// A colour of terminals.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

static BADGE: OnceLock<(String, Option<Colour>)> = OnceLock::new();

/// Sets the profile of this process.
pub fn set(name: String, colour: Option<Colour>) {
    let _ = BADGE.set((name, colour));
}

/// Returns the profile of this process.
pub fn get() -> Option<&'static (String, Option<Colour>)> {
    BADGE.get()
}

/// Returns the beginning of a question on stderr, such as `[prod] `, or an empty text without a profile.
pub fn before_question() -> String {
    let Some((name, colour)) = get() else { return String::new() };
    let colour = colour.filter(|_| io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let number = colour.map(|colour| match colour {
        Colour::Red => 41,
        Colour::Green => 42,
        Colour::Yellow => 43,
        Colour::Blue => 44,
        Colour::Magenta => 45,
        Colour::Cyan => 46,
    });
    number.map_or_else(|| format!("[{name}] "), |number| format!("\u{1b}[30;{number}m {name} \u{1b}[0m "))
}
