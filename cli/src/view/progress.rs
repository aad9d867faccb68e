//! The progress of a task, in any form that its program may report.

use crate::output::one_line;

/// Progress in a form that a bar can show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The completed part, from 0 to 1.
    pub fraction: Option<f64>,
    pub text: String,
}

impl Progress {
    /// Reads what a program reported, and makes its text safe for a terminal.
    pub fn read(bytes: &[u8]) -> Self {
        let progress = blueque::Progress::read(bytes);
        Self { fraction: progress.fraction, text: one_line(&progress.text) }
    }

    /// Formats `done` as a percentage of `all`.
    pub fn part(done: usize, all: usize) -> String {
        #[allow(clippy::cast_precision_loss, reason = "at most 10,000 tasks")]
        percent(if all == 0 { 0.0 } else { done as f64 / all as f64 })
    }

    /// Returns the progress as the text of a table cell.
    pub fn brief(&self) -> String {
        match self.fraction {
            Some(part) if self.text.is_empty() => percent(part),
            Some(part) => format!("{} {}", percent(part), self.text),
            None => self.text.clone(),
        }
    }
}

fn percent(part: f64) -> String {
    format!("{:.0}%", (part * 100.0).floor())
}

#[cfg(test)]
mod tests {
    use super::Progress;

    fn read(text: &str) -> (Option<f64>, String) {
        let progress = Progress::read(text.as_bytes());
        (progress.fraction, progress.text)
    }

    #[test]
    fn every_form_of_progress_is_read() {
        assert_eq!(read(r#"{"progress":0.42,"message":"epoch 5"}"#), (Some(0.42), "epoch 5".into()));
        assert_eq!(read(r#"{"progress":{"done":512,"total":2048,"unit":"MB"}}"#), (Some(0.25), "512/2048 MB".into()));
        assert_eq!(read(r#"{"done":5,"total":12,"unit":"","message":"m"}"#).1, "5/12 m");
        assert_eq!(read("0.5"), (Some(0.5), String::new()));
        assert_eq!(read("\"half\""), (None, "half".into()));
        assert_eq!(read("no json \u{1b}[31mred"), (None, "no json red".into()));
        assert_eq!(read(r#"{"done":5,"total":0}"#), (None, "5/0".into()), "no division by nothing");
        assert_eq!(read("7"), (Some(1.0), String::new()), "never more than all");
        assert_eq!(read("null"), (None, String::new()));
    }
}
