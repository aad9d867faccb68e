//! The size of the terminal.

use std::io::{IsTerminal, stdout};

use terminal_size::{Height, Width, terminal_size_of};

/// Returns the columns and lines of the terminal on stdout.
pub fn screen() -> Option<(usize, usize)> {
    let (Width(width), Height(height)) = stdout().is_terminal().then(|| terminal_size_of(stdout()))??;
    Some((width.into(), height.into()))
}
