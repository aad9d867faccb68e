//! Taking replies apart. Nothing a server sends can do more than yield `None`.

use redis::Value;

pub(crate) fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes.clone()),
        Value::SimpleString(text) => Some(text.clone().into_bytes()),
        Value::Okay => Some(b"OK".to_vec()),
        Value::Int(number) => Some(number.to_string().into_bytes()),
        _ => None,
    }
}

pub(crate) fn text(value: &Value) -> Option<String> {
    String::from_utf8(bytes(value)?).ok()
}

pub(crate) fn number<T: std::str::FromStr>(value: &Value) -> Option<T> {
    text(value)?.parse().ok()
}

/// `None` for nil and for the empty string.
pub(crate) fn optional(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Nil => Some(None),
        other => text(other).map(|text| Some(text).filter(|text| !text.is_empty())),
    }
}

pub(crate) fn array(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

/// The elements of an array after `head` ones, in groups of `size`; what is over is an error.
pub(crate) fn groups<'a, T>(
    items: &'a [Value],
    head: usize,
    size: usize,
    parse: impl Fn(&'a [Value]) -> Option<T>,
) -> Option<Vec<T>> {
    let chunks = items.get(head..)?.chunks_exact(size);
    if chunks.remainder().is_empty() { chunks.map(parse).collect() } else { None }
}
