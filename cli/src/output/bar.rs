//! How far a command is that looks at many things.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on stderr, without an end if the size is unknown.
pub fn bar(size: Option<u64>) -> ProgressBar {
    let bar = size.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let style = ProgressStyle::with_template("{elapsed:>6} {wide_bar} {pos}/{len} {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
