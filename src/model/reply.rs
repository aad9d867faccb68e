//! Parsing of replies. An invalid reply of a server becomes `None`, and never causes a panic.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use redis::Value;

use super::{Follow, Order, Page, Reserved};
use crate::text as texts;
use crate::times;
use crate::topology::{StoredTopology, Topology};

pub(crate) fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes.clone()),
        Value::SimpleString(text) => Some(text.clone().into_bytes()),
        Value::Okay => Some(b"OK".to_vec()),
        Value::Int(number) => Some(number.to_string().into_bytes()),
        _ => None,
    }
}

/// Reads a text. Bytes that are not UTF-8, as in a reason or in the name of another client's queue, become U+FFFD.
pub(crate) fn text(value: &Value) -> Option<String> {
    Some(String::from_utf8_lossy(&bytes(value)?).into_owned())
}

/// Parses the text with the reader.
pub(crate) fn read<T>(value: &Value, reader: impl Fn(&str) -> Option<T>) -> Option<T> {
    reader(&text(value)?)
}

/// Parses an optional value: `None` for nil, for the empty string, and for a text that the reader rejects.
pub(crate) fn optional<T>(value: &Value, reader: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match value {
        Value::Nil => Some(None),
        other => text(other).map(|text| Some(text).filter(|text| !text.is_empty()).and_then(|text| reader(&text))),
    }
}

/// Reads bytes; `None` for nil.
pub(crate) fn saved(value: &Value) -> Option<Option<Vec<u8>>> {
    match value {
        Value::Nil => Some(None),
        other => bytes(other).map(Some),
    }
}

/// Reads bytes; `None` for nil and for an empty value.
pub(crate) fn filled(value: &Value) -> Option<Option<Vec<u8>>> {
    Some(saved(value)?.filter(|bytes| !bytes.is_empty()))
}

/// Reads a number, a word or a name.
pub(crate) fn word<T: FromStr>(value: &Value) -> Option<T> {
    read(value, texts::word)
}

/// Reads a word; `None` if it is empty or unknown to this version.
pub(crate) fn known<T: FromStr>(value: &Value) -> Option<Option<T>> {
    optional(value, texts::word)
}

pub(crate) fn flag(value: &Value) -> Option<bool> {
    read(value, texts::flag)
}

/// Accepts any word: the call was executed.
pub(crate) fn done(value: &Value) -> Option<()> {
    text(value).map(|_| ())
}

/// Returns true for `yes`, false for `no`, and `None` for anything else.
pub(crate) fn either(value: &Value, yes: &str, no: &str) -> Option<bool> {
    let word = text(value)?;
    (word == yes || word == no).then_some(word == yes)
}

pub(crate) fn created(value: &Value) -> Option<bool> {
    either(value, "created", "existing")
}

pub(crate) fn dead(value: &Value) -> Option<bool> {
    either(value, "dead", "alive")
}

pub(crate) fn ending(value: &Value) -> Option<bool> {
    either(value, "ending", "")
}

pub(crate) fn stop(value: &Value) -> Option<bool> {
    either(value, "stop", "")
}

/// Reads the topology of a partition; `None` if there is none.
pub(crate) fn topology(value: &Value) -> Option<Option<StoredTopology>> {
    let [version, partition, names @ ..] = array(value)? else { return None };
    let version = word(version)?;
    if version == 0 {
        return Some(None);
    }
    let names: Option<Vec<_>> = names.iter().map(word).collect();
    Some(Some(StoredTopology { partition: word(partition)?, topology: Topology::new(version, names?).ok()? }))
}

/// Reads a cursor, which goes back to the server unchanged; `None` at the end.
pub(crate) fn next(value: &Value) -> Option<Option<String>> {
    let cursor = optional(value, texts::owned)?.filter(|cursor| cursor != "0");
    (!cursor.as_ref().is_some_and(|cursor| cursor.contains('\u{fffd}'))).then_some(cursor)
}

/// Reads `NAME:COMMAND,COMMAND`, separated by spaces.
pub(crate) fn missing(value: &Value) -> Option<Vec<(String, Vec<String>)>> {
    let text = text(value)?;
    let each = text.split(' ').filter(|item| !item.is_empty()).map(|item| {
        let (name, lacks) = item.split_once(':')?;
        Some((name.to_owned(), texts::names(lacks)?))
    });
    each.collect()
}

pub(crate) fn array(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

/// Returns the list from which `BLPOP` took an element.
pub(crate) fn popped(value: &Value) -> Option<String> {
    array(value)?.first().and_then(text)
}

/// A repeated part of a reply, with a fixed number of elements.
pub(crate) trait Item: Sized {
    const SIZE: usize;

    fn read(item: &[Value]) -> Option<Self>;
}

impl Item for String {
    const SIZE: usize = 1;

    fn read(item: &[Value]) -> Option<Self> {
        text(item.first()?)
    }
}

impl Item for Order {
    const SIZE: usize = 1;

    fn read(item: &[Value]) -> Option<Self> {
        word(item.first()?)
    }
}

/// Reads the elements of an array after the first `head` elements as items. Left-over elements are an error.
pub(crate) fn items<T: Item>(items: &[Value], head: usize) -> Option<Vec<T>> {
    let chunks = items.get(head..)?.chunks_exact(T::SIZE);
    if chunks.remainder().is_empty() { chunks.map(T::read).collect() } else { None }
}

/// Reads an array that consists only of items.
pub(crate) fn list<T: Item>(value: &Value) -> Option<Vec<T>> {
    items(array(value)?, 0)
}

/// Reads an array that consists only of items; nil means no items.
pub(crate) fn list_or_nil<T: Item>(value: &Value) -> Option<Vec<T>> {
    Some(or_nil(value, list)?.unwrap_or_default())
}

/// Parses a value with the reader; `None` for nil.
pub(crate) fn or_nil<T>(value: &Value, reader: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    if matches!(value, Value::Nil) { Some(None) } else { reader(value).map(Some) }
}

pub(crate) fn page<T: Item>(value: &Value) -> Option<Page<T>> {
    let all = array(value)?;
    Some(Page { next: next(all.first()?)?, items: items(all, 1)? })
}

pub(crate) fn follow<T: Item>(value: &Value) -> Option<Follow<T>> {
    let all = array(value)?;
    Some(Follow { last: text(all.first()?)?, items: items(all, 1)? })
}

/// Reads alternating names and values.
pub(crate) fn pairs(value: &Value) -> Option<Vec<(String, &Value)>> {
    let pairs = array(value)?.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some((text(pair.first()?)?, pair.get(1)?))).collect()
}

/// Reads the fields of a record.
pub(crate) fn fields(value: &Value) -> Option<BTreeMap<String, Vec<u8>>> {
    pairs(value)?.into_iter().map(|(name, value)| Some((name, bytes(value)?))).collect()
}

/// Values by name; nil for a missing name.
pub(crate) struct Facts<'a>(HashMap<String, &'a Value>);

impl<'a> Facts<'a> {
    pub(crate) fn new(value: &'a Value) -> Option<Self> {
        Some(Self(pairs(value)?.into_iter().collect()))
    }

    pub(crate) fn get(&self, name: &str) -> &'a Value {
        self.0.get(name).copied().unwrap_or(&Value::Nil)
    }
}

/// Reads the first item of an array.
pub(crate) fn first<T: Item>(value: &Value) -> Option<T> {
    T::read(array(value)?.get(..T::SIZE)?)
}

/// Reads the reserved tasks, or the time when maintenance is due.
pub(crate) fn reserved(value: &Value) -> Option<Reserved> {
    let all = array(value)?;
    Some(match optional(all.first()?, times::time)? {
        Some(due) => Reserved::Nothing { due },
        None => Reserved::Tasks(items(all, 1)?),
    })
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::text;
    use crate::model::Pause;

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let reason = Value::BulkString(b"1.000000 anna disk \xe9 is closed".to_vec());
        let pause = text(&reason).and_then(|text| text.parse::<Pause>().ok());
        assert_eq!(pause.map(|pause| pause.reason).as_deref(), Some("disk \u{fffd} is closed"));
        assert_eq!(text(&Value::BulkString(vec![0xff, 0xfe])).as_deref(), Some("\u{fffd}\u{fffd}"));
    }
}
