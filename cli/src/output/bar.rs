//! A progress bar for long scans.

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a progress bar on stderr. If the size is unknown, the bar shows only a count.
pub fn bar(size: Option<u64>) -> ProgressBar {
    let bar = size.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let style = ProgressStyle::with_template("{elapsed:>6} {wide_bar} {pos}/{len} {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
