//! The progress of a task, in any form that its program may report.

use serde_json::Value;

/// Progress in a form that a bar can show.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The completed part, from 0 to 1.
    pub fraction: Option<f64>,
    /// The rest, for people. The text comes from the program, and may contain any characters.
    pub text: String,
}

impl Progress {
    /// Reads `{"progress":0.42,"message":"…"}`, `{"done":5,"total":12,"unit":"MB"}`, a number, or any text.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
            return Self { fraction: None, text: String::from_utf8_lossy(bytes).into_owned() };
        };
        let mut parts = Vec::new();
        let inner = value.get("progress").unwrap_or(&value);
        let mut fraction = inner.as_f64();
        if let Some(done) = inner.get("done").and_then(Value::as_f64) {
            let unit = inner.get("unit").and_then(Value::as_str).unwrap_or_default();
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            if let Some(total) = inner.get("total").and_then(Value::as_f64) {
                fraction = (total > 0.0).then(|| done / total);
                parts.push(format!("{done}/{total}{unit}"));
            } else {
                parts.push(format!("{done}{unit}"));
            }
        } else if let Some(part) = inner.get("fraction").and_then(Value::as_f64) {
            fraction = Some(part);
        } else if let Some(text) = inner.as_str() {
            parts.push(text.to_owned());
        }
        if let Some(message) = [&value, inner].iter().find_map(|from| from.get("message")).and_then(Value::as_str) {
            parts.push(message.to_owned());
        }
        let fraction = fraction.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
        Self { fraction, text: parts.join(" ") }
    }
}
