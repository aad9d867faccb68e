//! Redaction: fields of parameters and results whose names match a pattern are not shown, in pages, the API and
//! downloads.

/// What stands in place of a value.
const HIDDEN: &str = "\"•••\"";

/// Patterns of names, in lower case. `*` stands for any text.
#[derive(Clone, Debug, Default)]
pub struct Redact(Vec<String>);

impl Redact {
    pub fn new(patterns: &[String]) -> Self {
        Self(patterns.iter().map(|pattern| pattern.to_lowercase()).collect())
    }

    /// Returns the bytes without the values of matching fields. Bytes that are not JSON are returned only if there are no
    /// patterns, because nobody knows what they hold.
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() {
            return bytes;
        }
        let json = std::str::from_utf8(&bytes).ok();
        match json.filter(|json| serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok()) {
            Some(json) => self.json(json).into_bytes(),
            None => HIDDEN.as_bytes().to_vec(),
        }
    }

    fn matches(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.0.iter().any(|pattern| glob(pattern, &name))
    }

    /// Copies valid JSON, except the values of matching fields.
    fn json(&self, json: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(json.len()), json);
        while let Some(at) = rest.find('"') {
            let (before, quoted) = rest.split_at(at);
            out.push_str(before);
            let (name, after) = quoted.split_at(string_end(quoted));
            out.push_str(name);
            rest = after;
            let value = after.trim_start();
            let Some(value) = value.strip_prefix(':') else { continue };
            let plain = serde_json::from_str::<String>(name).unwrap_or_default();
            if self.matches(&plain) {
                out.push(':');
                out.push_str(HIDDEN);
                rest = value.get(value_end(value)..).unwrap_or_default();
            }
        }
        out.push_str(rest);
        out
    }
}

/// Length of the text at the beginning of valid JSON, with its quotes.
fn string_end(json: &str) -> usize {
    let mut escaped = false;
    for (at, c) in json.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

/// Length of the value at the beginning of valid JSON.
fn value_end(json: &str) -> usize {
    let (mut depth, mut at) = (0_usize, json.len() - json.trim_start().len());
    while let Some(rest) = json.get(at..).filter(|rest| !rest.is_empty()) {
        let c = rest.chars().next().unwrap_or(' ');
        match c {
            '"' => {
                at += string_end(rest);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            '{' | '[' => depth += 1,
            '}' | ']' | ',' if depth == 0 => return at,
            '}' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    json.len()
}

/// Returns true if a text matches a pattern with `*`.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        last = Some(part);
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        Some(part) => text.ends_with(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_matching_fields_are_hidden_and_everything_else_stays() {
        let redact = Redact::new(&["*password*".to_owned(), "token".to_owned()]);
        let of = |json: &str| String::from_utf8_lossy(&redact.bytes(json.as_bytes().to_vec())).into_owned();
        assert_eq!(
            of(r#"{"a":12345678901234567890,"DB_Password": {"x":["}"]},"b":1}"#),
            r#"{"a":12345678901234567890,"DB_Password":"•••","b":1}"#
        );
        assert_eq!(of(r#"[{"token":"a,\"b"},"token"]"#), r#"[{"token":"•••"},"token"]"#);
        assert_eq!(of(r#"{"tokens":1, "token" : -1.5e3}"#), r#"{"tokens":1, "token":"•••"}"#);
        assert_eq!(of(r#"{"t\u006fken":1}"#), r#"{"t\u006fken":"•••"}"#, "an escaped name is the same name");
        assert_eq!(of("password=x"), HIDDEN);
        assert_eq!(Redact::default().bytes(b"\xff".to_vec()), b"\xff");
    }

    #[test]
    fn patterns_match_whole_names() {
        assert!(glob("*key", "api_key") && glob("a*c", "abc") && glob("*", "x") && glob("x", "x"));
        assert!(!glob("key", "keys") && !glob("a*c", "abd") && !glob("*key", "keyring"));
    }
}
