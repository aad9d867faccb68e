//! Colours of states, on terminals.

use std::io::{IsTerminal, stdout};

/// Returns true if stdout is a terminal that shows colours. `NO_COLOR` turns them off.
pub fn are_shown() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stdout().is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
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
