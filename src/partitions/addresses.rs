//! The addresses of partitions, as one text.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::names::{Namespace, PartitionName};
use crate::topology::MOST;

/// The address of a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) url: String,
    pub(super) namespace: Namespace,
}

/// Reads `NAME=URL#NAMESPACE,…`, with ranges of numbers such as `{A..B}`.
pub(super) fn read(text: &str, namespace: &Namespace) -> Result<Vec<(PartitionName, Place)>> {
    // An empty entry would become a part of the address before it.
    if text.contains(',') && text.split(',').any(|part| part.trim().is_empty()) {
        return Err(Error::argument("between two commas of the list of partitions, or after the last one, is nothing"));
    }
    let (mut found, mut names, mut taken) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for entry in entries(text) {
        for (number, entry) in expanded(&entry)? {
            let (name, place) = one(&entry, number, namespace)?;
            if !names.insert(name.clone()) {
                return Err(Error::argument(format!("two partitions have the name {name}")));
            }
            if !taken.insert(place.clone()) {
                return Err(Error::argument(format!("the partition {name} has the address of another partition")));
            }
            found.push((name, place));
        }
    }
    Ok(found)
}

/// Splits a text into entries. An address may contain commas: a part without a scheme belongs to the entry before it.
fn entries(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for part in text.split(',') {
        match entries.last_mut() {
            Some(last) if !part.contains("://") => last.push_str(&format!(",{part}")),
            _ => entries.push(part.trim().to_owned()),
        }
    }
    entries
}

/// Expands an entry with a range `{A..B}` to one entry for each number. Returns other entries unchanged.
fn expanded(entry: &str) -> Result<Vec<(Option<u32>, String)>> {
    let Some((low, high, range)) = range(entry) else { return Ok(vec![(None, entry.to_owned())]) };
    let count = high.checked_sub(low).and_then(|more| usize::try_from(more).ok());
    if count.is_none_or(|more| more >= MOST) {
        return Err(Error::argument(format!("{range} must be 1 to {MOST} whole numbers, the lower one first")));
    }
    Ok((low..=high).map(|number| (Some(number), entry.replace(&range, &number.to_string()))).collect())
}

/// Returns the first `{A..B}` of an entry.
fn range(entry: &str) -> Option<(u32, u32, String)> {
    entry.split('{').skip(1).find_map(|after| {
        let (low, high) = after.split_once('}')?.0.split_once("..")?;
        Some((low.parse().ok()?, high.parse().ok()?, format!("{{{low}..{high}}}")))
    })
}

fn one(entry: &str, number: Option<u32>, namespace: &Namespace) -> Result<(PartitionName, Place)> {
    let named = entry.split_once('=').and_then(|(name, rest)| Some((PartitionName::new(name).ok()?, rest)));
    let (name, address) = match (named, number) {
        (Some(named), _) => named,
        (None, Some(number)) => (PartitionName::new(number.to_string())?, entry),
        (None, None) => {
            return Err(Error::argument(
                "each address of a partition must be NAME=URL, with a name of A-Z a-z 0-9 . _ -, or have a range of \
                 numbers such as {1..4}",
            ));
        }
    };
    let (url, namespace) = match address.split_once('#') {
        Some((url, own)) => (url, Namespace::new(own)?),
        None => (address, namespace.clone()),
    };
    Ok((name, Place { url: url.to_owned(), namespace }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Place, read};
    use crate::names::Namespace;

    fn places(text: &str) -> Vec<String> {
        let found = read(text, &Namespace::default()).unwrap().into_iter();
        found.map(|(name, Place { url, namespace })| format!("{name} {url} {namespace}")).collect()
    }

    #[test]
    fn addresses_are_a_list_a_pattern_or_namespaces() {
        assert_eq!(places("1=redis://a/,b.c=redis://b/0#other"), ["1 redis://a/ blueque", "b.c redis://b/0 other"]);
        assert_eq!(
            places("redis://shard-{9..10}.internal"),
            ["9 redis://shard-9.internal blueque", "10 redis://shard-10.internal blueque"]
        );
        assert_eq!(places("redis://a/#{blueque:{0..1}}"), ["0 redis://a/ {blueque:0}", "1 redis://a/ {blueque:1}"]);
        assert_eq!(places("s{1..2}=redis://x-{1..2}/"), ["s1 redis://x-1/ blueque", "s2 redis://x-2/ blueque"]);
        assert_eq!(
            places("1=redis+sentinel://a,b/main,2=unix:///x"),
            ["1 redis+sentinel://a,b/main blueque", "2 unix:///x blueque"]
        );
    }

    #[test]
    fn what_names_no_partition_or_one_twice_is_refused() {
        for (bad, code) in [
            ("", "BADARG"),
            ("1=redis://a/,,3=redis://b/", "BADARG"),
            ("1=redis://a/,", "BADARG"),
            ("redis://a/", "BADARG"),
            ("1=redis://a/,1=redis://b/", "BADARG"),
            ("1=redis://a/,2=redis://a/", "BADARG"),
            ("redis://{1..2}/,redis://{2..3}/", "BADARG"),
            ("redis://{3..2}/", "BADARG"),
            ("redis://{0..1000}/", "BADARG"),
            ("a b=redis://a/", "BADARG"),
            ("1=redis://a/#x y", "BADNAME"),
        ] {
            assert_eq!(read(bad, &Namespace::default()).unwrap_err().word(), code, "{bad}");
        }
    }
}
