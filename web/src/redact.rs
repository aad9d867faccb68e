//! Hides fields of parameters, results and checkpoints whose names match patterns, before anybody sees them.

use serde_json::value::RawValue;

/// What stands in the place of a hidden value.
const HIDDEN: &str = "\"•••\"";

/// Patterns of the names of fields: `password`, `*_token`, `card.number`. Case does not matter; `*` stands for any
/// characters; a pattern with dots matches the last names of the path to a field.
#[derive(Clone, Debug, Default)]
pub struct Redact(Vec<Vec<String>>);

impl Redact {
    pub fn new(patterns: &[String]) -> Self {
        let names = |pattern: &String| pattern.to_lowercase().split('.').map(str::to_owned).collect();
        Self(patterns.iter().map(names).collect())
    }

    /// Returns a payload without the values of matching fields. Everything else keeps its bytes. A payload that is not
    /// JSON is hidden as a whole, because nobody can tell what it contains.
    pub fn bytes(&self, payload: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() || payload.is_empty() {
            return payload;
        }
        let json = std::str::from_utf8(&payload).ok().filter(|text| serde_json::from_str::<&RawValue>(text).is_ok());
        json.and_then(|json| self.walk(json)).unwrap_or_else(|| HIDDEN.to_owned()).into_bytes()
    }

    /// Copies valid JSON, except the values of matching fields. Works for any depth.
    fn walk(&self, json: &str) -> Option<String> {
        let (mut out, mut rest) = (String::with_capacity(json.len()), json);
        // The names of the open objects and arrays, outermost first; a name is empty in an array.
        let (mut path, mut open): (Vec<String>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut is_name = false;
        while let Some(first) = rest.bytes().next() {
            let length = if first == b'"' { string(rest)? } else { rest.chars().next()?.len_utf8() };
            let (token, after) = rest.split_at_checked(length)?;
            rest = after;
            match first {
                b'{' | b'[' => {
                    open.push(first == b'{');
                    path.push(String::new());
                    is_name = first == b'{';
                }
                b'}' | b']' => {
                    open.pop();
                    path.pop();
                    is_name = false;
                }
                b',' => is_name = open.last() == Some(&true),
                b'"' if is_name => {
                    is_name = false;
                    *path.last_mut()? = serde_json::from_str::<String>(token).ok()?.to_lowercase();
                    if self.matches(&path) {
                        let (space, value) = rest.split_once(':')?;
                        let begin = value.len() - value.trim_start().len();
                        let (more, value) = value.split_at_checked(begin)?;
                        rest = value.split_at_checked(self::value(value)?)?.1;
                        out.push_str(token);
                        out.push_str(space);
                        out.push(':');
                        out.push_str(more);
                        out.push_str(HIDDEN);
                        continue;
                    }
                }
                _ => {}
            }
            out.push_str(token);
        }
        Some(out)
    }

    fn matches(&self, path: &[String]) -> bool {
        self.0.iter().any(|pattern| {
            let names = path.iter().rev().filter(|name| !name.is_empty());
            let last: Vec<&String> = names.take(pattern.len()).collect();
            last.len() == pattern.len() && last.iter().rev().zip(pattern).all(|(name, pattern)| fits(pattern, name))
        })
    }
}

/// Returns true if a name fits a pattern, in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Length of the string at the beginning of a JSON text.
fn string(json: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// Length of the value at the beginning of a JSON text.
fn value(json: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(rest) = json.get(at..).filter(|rest| !rest.is_empty()) {
        match rest.bytes().next()? {
            b'"' => {
                at += string(rest)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return Some(if depth == 0 { at } else { at + 1 }),
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    Some(at)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn shown(patterns: &[&str], json: &str) -> String {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        String::from_utf8(Redact::new(&patterns).bytes(json.into())).unwrap()
    }

    #[test]
    fn matching_fields_are_hidden_and_everything_else_keeps_its_bytes() {
        for (patterns, json, expected) in [
            (
                &["password"][..],
                r#"{"user": "a", "password" : "b" , "n":12345678901234567890}"#,
                r#"{"user": "a", "password" : "•••" , "n":12345678901234567890}"#,
            ),
            (
                &["*_token", "key*"],
                r#"{"api_token":[1,{"x":2}],"KEYS":{"a":"}"},"token":3}"#,
                r#"{"api_token":"•••","KEYS":"•••","token":3}"#,
            ),
            (
                &["card.number"],
                r#"{"number":1,"card":{"number":2},"x":[{"card":[{"number":3}]}]}"#,
                r#"{"number":1,"card":{"number":"•••"},"x":[{"card":[{"number":"•••"}]}]}"#,
            ),
            (
                &["password"],
                r#"{"pass\u0077ord":"b","a":"password\":"}"#,
                r#"{"pass\u0077ord":"•••","a":"password\":"}"#,
            ),
            (&["a"], r#"{"a":1,"a":{"a":[]},"b":["a",true]}"#, r#"{"a":"•••","a":"•••","b":["a",true]}"#),
            (&["é*"], r#"{"Été":"ü","ü":"é"}"#, r#"{"Été":"•••","ü":"é"}"#),
            (&["password"], "password=x", "\"•••\""),
            (&[], "password=x", "password=x"),
            (&["x"], "[1, 2]", "[1, 2]"),
        ] {
            assert_eq!(shown(patterns, json), expected);
        }
    }

    #[test]
    fn patterns_match_whole_names() {
        assert!(fits("*key", "api_key") && fits("a*c", "abc") && fits("*", "x") && fits("x", "x"));
        assert!(!fits("key", "keys") && !fits("a*c", "abd") && !fits("*key", "keyring"));
    }

    #[test]
    fn every_depth_is_walked() {
        let deep = format!("{}{}{}", "{\"a\":[".repeat(50_000), r#"{"secret":1}"#, "]}".repeat(50_000));
        let hidden = shown(&["secret"], &deep);
        assert!(hidden.contains(r#"{"secret":"•••"}"#) && hidden.len() == deep.len() + "\"•••\"".len() - 1);
    }
}
