//! A progress bar for long scans.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a progress bar on stderr. If the size is unknown, the bar shows only a count.
pub fn bar(size: Option<u64>) -> ProgressBar {
    let bar = size.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let style = ProgressStyle::with_template("{elapsed:>6} {wide_bar} {pos}/{len} {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Returns a bar for a wait, with a message, if stderr is a terminal.
pub fn waiting(size: u64) -> Option<ProgressBar> {
    io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template("{elapsed:>6} {bar:20} {wide_msg}");
        ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    })
}
