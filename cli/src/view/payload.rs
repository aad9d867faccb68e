//! Formats bytes from programs and users for JSON output.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// Bytes that are shown as JSON if they are JSON, as a string if they are other text, and otherwise in hexadecimal.
#[derive(Clone, Debug)]
pub struct Payload(pub Vec<u8>);

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Hex {
            hex: String,
        }
        let Ok(text) = std::str::from_utf8(&self.0) else {
            return Hex { hex: crate::hex::hex(&self.0) }.serialize(serializer);
        };
        // The JSON is printed unchanged, because parsing and formatting can change numbers.
        match RawValue::from_string(one_line(text)) {
            Ok(json) if serde_json::from_str::<&RawValue>(text).is_ok() => json.serialize(serializer),
            _ => text.serialize(serializer),
        }
    }
}

/// Removes the white space between the parts of a JSON text.
fn one_line(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = json.chars().filter(|&c| {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            true
        } else {
            quoted = c == '"';
            !matches!(c, ' ' | '\t' | '\r' | '\n')
        }
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::Payload;

    fn json(bytes: &[u8]) -> String {
        serde_json::to_string(&Payload(bytes.to_vec())).unwrap_or_default()
    }

    #[test]
    fn a_payload_keeps_its_numbers_and_takes_one_line() {
        assert_eq!(
            json(b"{ \"a\" : 12345678901234567890123,\n \"b c\": \"x \\\" y\" }"),
            r#"{"a":12345678901234567890123,"b c":"x \" y"}"#
        );
        assert_eq!(json(b"[1,"), "\"[1,\"");
        assert_eq!(json(b"two words"), "\"two words\"");
        assert_eq!(json(b"1 2"), "\"1 2\"", "taking out space does not make it JSON");
        assert_eq!(json(&[0xff, 0]), r#"{"hex":"ff00"}"#);
        assert_eq!(json(b""), "\"\"");
    }
}
