//! Replies as JSON, by their shapes in the contract.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redis::Value;
use serde_json::value::RawValue;

use super::by_name::{Raw, Values, is_payload};
use crate::command_line::CommandLine;
use crate::contract::commands::{Command, Field, Reply, command, type_of};
use crate::model::reply;
use crate::model::schedules::read_options;

/// Maximum depth of JSON that becomes a part of a reply. Deeper JSON is shown as text.
const DEEPEST: usize = 100;

impl Raw {
    /// Returns true if the reply is nil: what the call names does not exist.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        matches!(self.0, Value::Nil)
    }
}

impl Command {
    /// Returns the shape of the reply to a call with these values.
    #[must_use]
    pub fn shape(&self, values: &Values) -> &Reply {
        let has = |name: &String| values.get(name).is_some_and(|value| !["null", "false"].contains(&value.get()));
        self.reply.with.iter().find(|(name, _)| has(name)).map_or(&self.reply, |(_, shape)| shape)
    }

    /// Returns a reply as JSON; `None` if it does not have the shape of the contract. `payload` may change the payloads
    /// of programs, for example to hide a part.
    ///
    /// - A reply of one word is `{"outcome": WORD}`. The items of a list are in `items`, behind its own fields.
    /// - A number is a JSON number with all its digits. A payload is the JSON of the program. Another text of a program
    ///   has the name `NAME_text`, and bytes that are no text have the name `NAME_base64`.
    /// - A command line has no values of its environment and no proof, also in the options of a schedule.
    /// - A field that does not apply is null, and a missing field is missing.
    #[must_use]
    pub fn json(&self, raw: &Raw, values: &Values, payload: &dyn Fn(&[u8]) -> Vec<u8>) -> Option<String> {
        let shape = self.shape(values);
        let write = Writer { payload };
        match &raw.0 {
            Value::Nil if shape.nil => Some("null".to_owned()),
            value if !shape.words.is_empty() => {
                let word = reply::text(value).filter(|word| shape.words.contains(word))?;
                Some(format!("{{\"outcome\":{}}}", quoted(&word)))
            }
            value => match &shape.value {
                Some(field) => Some(write.object(&[(field, field.name.as_str(), value)])?),
                None if shape.pairs.is_empty() => write.list(shape, reply::array(value)?),
                None => write.pairs(shape, reply::array(value)?),
            },
        }
    }
}

struct Writer<'a> {
    payload: &'a dyn Fn(&[u8]) -> Vec<u8>,
}

impl Writer<'_> {
    fn list(&self, shape: &Reply, values: &[Value]) -> Option<String> {
        let (own, items) = values.split_at_checked(shape.list.len()).unwrap_or((values, &[]));
        let needed = shape.list.iter().filter(|field| !field.absent).count();
        if own.len() < needed {
            return None;
        }
        let mut object = self.fields(&shape.list, own)?;
        let width = shape.items.len();
        if width > 0 {
            if items.len() % width != 0 {
                return None;
            }
            let items =
                items.chunks(width).map(|item| Some(format!("{{{}}}", self.fields(&shape.items, item)?.join(","))));
            object.push(format!("\"items\":[{}]", items.collect::<Option<Vec<_>>>()?.join(",")));
        }
        Some(format!("{{{}}}", object.join(",")))
    }

    fn pairs(&self, shape: &Reply, values: &[Value]) -> Option<String> {
        // Records of other commands have the fields of `get`.
        let record = command("get").filter(|_| shape.open && shape.begins.is_some());
        let record = record.map(|get| get.reply.pairs.as_slice()).unwrap_or_default();
        let known = |name: &str| {
            let is = |field: &&Field| match field.name.strip_suffix('*') {
                Some(begin) => name.starts_with(begin),
                None => field.name == name,
            };
            let all = || shape.pairs.iter().chain(record);
            all().find(|field| field.name == name).or_else(|| all().find(is))
        };
        let mut groups: Vec<Vec<String>> = Vec::new();
        for pair in values.chunks(2) {
            let [name, value] = pair else { return None };
            let name = reply::text(name)?;
            if groups.is_empty() || shape.begins.as_ref() == Some(&name) {
                groups.push(Vec::new());
            }
            let group = groups.last_mut()?;
            match known(&name) {
                Some(field) => group.push(self.field(field, &name, value)?),
                None => group.push(text(&name, &reply::bytes(value).unwrap_or_default())),
            }
        }
        let mut groups = groups.into_iter().map(|group| format!("{{{}}}", group.join(",")));
        match shape.begins {
            Some(_) => Some(format!("{{\"items\":[{}]}}", groups.collect::<Vec<_>>().join(","))),
            None => Some(groups.next().unwrap_or_else(|| "{}".to_owned())),
        }
    }

    fn fields(&self, fields: &[Field], values: &[Value]) -> Option<Vec<String>> {
        fields.iter().zip(values).map(|(field, value)| self.field(field, &field.name, value)).collect()
    }

    fn object(&self, fields: &[(&Field, &str, &Value)]) -> Option<String> {
        let fields: Option<Vec<_>> = fields.iter().map(|(field, name, value)| self.field(field, name, value)).collect();
        Some(format!("{{{}}}", fields?.join(",")))
    }

    /// Returns a field with its name.
    fn field(&self, field: &Field, name: &str, value: &Value) -> Option<String> {
        if matches!(value, Value::Nil) {
            return Some(format!("{}:null", quoted(name)));
        }
        let bytes = reply::bytes(value)?;
        if bytes.is_empty() && field.empty {
            return Some(format!("{}:null", quoted(name)));
        }
        let of = field.of.as_deref().unwrap_or_default();
        let form = type_of(of).map(|of| of.form.as_str()).unwrap_or_default();
        if form == "bytes" && is_payload(of, name) {
            return Some(json(name, &(self.payload)(&bytes)));
        }
        if of == "command" {
            let shown = CommandLine::read(&String::from_utf8_lossy(&bytes)).unwrap_or_default().hidden();
            return Some(text(name, shown.to_json().as_bytes()));
        }
        if of == "template" {
            return Some(text(name, hidden_options(&String::from_utf8_lossy(&bytes)).as_bytes()));
        }
        let plain = std::str::from_utf8(&bytes).unwrap_or_default();
        Some(match form {
            "flag" if plain == "1" || plain == "0" => format!("{}:{}", quoted(name), plain == "1"),
            "whole" | "seconds" | "decimal" if is_number(plain) => format!("{}:{plain}", quoted(name)),
            _ => text(name, &bytes),
        })
    }
}

/// Returns the options of a schedule's tasks without the values of an environment and without a proof. Letters stay
/// readable, unlike in the options that a graph sends.
fn hidden_options(text: &str) -> String {
    let escaped = |c: char| c.is_ascii_whitespace() || c.is_ascii_control() || c == '%';
    let option = |(name, value): (String, String)| {
        let command = (name == "command").then(|| CommandLine::read(&value).unwrap_or_default().hidden().to_json());
        let value = command.unwrap_or(value);
        let value = value.chars().map(|c| if escaped(c) { format!("%{:02X}", u32::from(c)) } else { c.to_string() });
        format!("{name}={}", value.collect::<String>())
    };
    read_options(text).into_iter().map(option).collect::<Vec<_>>().join(" ")
}

/// Returns true for the text of a JSON number.
fn is_number(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit()) && serde_json::from_str::<serde_json::Number>(text).is_ok()
}

/// Returns a payload with its name: JSON, or else text or base64.
fn json(name: &str, bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if serde_json::from_str::<&RawValue>(text).is_ok() && depth(text) <= DEEPEST => {
            format!("{}:{}", quoted(name), text.trim())
        }
        Ok(text) => format!("{}:{}", quoted(&format!("{name}_text")), quoted(text)),
        Err(_) => encoded(name, bytes),
    }
}

/// Returns a text with its name, or bytes in base64.
fn text(name: &str, bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{}:{}", quoted(name), quoted(text)),
        Err(_) => encoded(name, bytes),
    }
}

fn encoded(name: &str, bytes: &[u8]) -> String {
    format!("{}:{}", quoted(&format!("{name}_base64")), quoted(&STANDARD.encode(bytes)))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns the depth of nested arrays and objects of a JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut is_quoted, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'[' | b'{' if !is_quoted => depth += 1,
            b']' | b'}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn bulk(text: &[u8]) -> Value {
        Value::BulkString(text.to_vec())
    }

    fn reply(name: &str, values: Vec<Value>) -> Option<String> {
        command(name)?.json(&Raw(Value::Array(values)), &Values::new(), &<[u8]>::to_vec)
    }

    #[test]
    fn numbers_keep_their_digits_and_payloads_are_the_json_of_the_program() {
        let record =
            |parameters: &[u8]| reply("get", vec![bulk(b"parameters"), bulk(parameters), bulk(b"attempt"), bulk(b"3")]);
        for (given, shown) in [
            (
                b"{\"a\": 123456789012345678901}".as_slice(),
                r#"{"parameters":{"a": 123456789012345678901},"attempt":3}"#,
            ),
            (b"not json", r#"{"parameters_text":"not json","attempt":3}"#),
            (b"\xff\x00", r#"{"parameters_base64":"/wA=","attempt":3}"#),
            (b"", r#"{"parameters_text":"","attempt":3}"#),
        ] {
            assert_eq!(record(given).as_deref(), Some(shown));
        }
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(record(deep.as_bytes()).unwrap().starts_with("{\"parameters_text\":"));
    }

    #[test]
    fn the_command_line_of_a_schedule_hides_its_environment() {
        let options = r#"command={"argv":["a","b%20%25é"],"env":{"A":"x%20y"},"proof":"0f"} title=é%20%0A"#;
        let shown = r#"{"options":"command={\"argv\":[\"a\",\"b%20%25é\"],\"env\":{\"A\":\"•••\"}} title=é%20%0A"}"#;
        let json = reply("show_schedule", vec![bulk(b"options"), bulk(options.as_bytes())]);
        assert_eq!(json.as_deref(), Some(shown));
    }

    #[test]
    fn a_list_has_its_items_behind_its_own_fields() {
        assert_eq!(
            reply("list", vec![bulk(b"0"), bulk(b"a"), bulk(b"b")]).as_deref(),
            Some(r#"{"cursor":"0","items":[{"id":"a"},{"id":"b"}]}"#)
        );
        assert_eq!(reply("list", vec![]), None);
        let many = vec![
            bulk(b"id"),
            bulk(b"a"),
            bulk(b"status"),
            bulk(b"pending"),
            bulk(b"id"),
            bulk(b"b"),
            bulk(b"missing"),
            bulk(b"1"),
        ];
        assert_eq!(
            reply("get_many", many).as_deref(),
            Some(r#"{"items":[{"id":"a","status":"pending"},{"id":"b","missing":true}]}"#)
        );
    }

    #[test]
    fn a_word_is_an_outcome_and_what_does_not_apply_is_null() {
        let cancel = command("cancel").unwrap();
        let raw = Raw(bulk(b"cancelled"));
        assert_eq!(cancel.json(&raw, &Values::new(), &<[u8]>::to_vec).unwrap(), r#"{"outcome":"cancelled"}"#);
        assert_eq!(cancel.json(&Raw(bulk(b"nonsense")), &Values::new(), &<[u8]>::to_vec), None);
        assert_eq!(
            reply("promote", vec![bulk(b"2"), bulk(b"1"), bulk(b"")]).as_deref(),
            Some(r#"{"promoted":2,"more":true,"next":null}"#)
        );
    }
}
