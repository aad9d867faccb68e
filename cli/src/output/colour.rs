//! Colours of states, on terminals.

use std::io::{IsTerminal, stdout};

/// Returns true if stdout is a terminal that shows colours.
pub fn are_shown() -> bool {
    stdout().is_terminal() && are_wanted()
}

/// Returns true unless `NO_COLOR` or the kind of the terminal turns colours off.
pub fn are_wanted() -> bool {
    let is_set = |value: std::ffi::OsString| !value.is_empty();
    !std::env::var_os("NO_COLOR").is_some_and(is_set) && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Returns the escape sequence of a state's colour: waiting states have none.
pub fn of_state(state: &str) -> Option<&'static str> {
    Some(match state.trim() {
        "started" | "reserved" => "\x1b[36m",
        "complete" => "\x1b[32m",
        "failed" | "dead" => "\x1b[31m",
        "cancelled" | "stopping" | "drains" | "impaired" | "held" | "suspended" => "\x1b[33m",
        _ => return None,
    })
}
