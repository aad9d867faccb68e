//! Converts a YAML document to JSON, with the same texts in the same order. The other code reads only JSON.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Converts a YAML document to JSON. An error names the line. `most` is the maximum length of the JSON, in which
/// aliases are replaced by their contents.
pub fn json(text: &str, most: usize) -> Result<String, String> {
    let out = RefCell::new(String::new());
    let writer = Writer { out: &out, most };
    writer.deserialize(yaml_serde::Deserializer::from_str(text)).map_err(|error| error.to_string())?;
    Ok(out.into_inner())
}

/// Writes each visited value as JSON.
#[derive(Clone, Copy)]
struct Writer<'a> {
    out: &'a RefCell<String>,
    most: usize,
}

impl Writer<'_> {
    fn write<E: Error>(self, text: &str) -> Result<(), E> {
        let mut out = self.out.borrow_mut();
        if out.len() + text.len() > self.most {
            return Err(E::custom(format!("with its aliases the document has over {} bytes as JSON", self.most)));
        }
        out.push_str(text);
        Ok(())
    }

    fn text<E: Error>(self, text: &str) -> Result<(), E> {
        self.write(&serde_json::Value::from(text).to_string())
    }
}

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has, too")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.write("null")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.write(if value { "true" } else { "false" })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<(), E> {
        self.write(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = serde_json::Number::from_f64(value);
        self.write(&number.ok_or_else(|| E::custom("JSON has no such number: quote it"))?.to_string())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.text(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.write("[")?;
        let mut between = "";
        loop {
            // The separator is written before the next element is read, and removed if the list ends there.
            let before = self.out.borrow().len();
            self.write(between)?;
            if items.next_element_seed(self)?.is_none() {
                self.out.borrow_mut().truncate(before);
                return self.write("]");
            }
            between = ",";
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.write("{")?;
        let mut between = "";
        loop {
            let before = self.out.borrow().len();
            self.write(between)?;
            if entries.next_key_seed(Key(self))?.is_none() {
                self.out.borrow_mut().truncate(before);
                return self.write("}");
            }
            self.write(":")?;
            entries.next_value_seed(self)?;
            between = ",";
        }
    }
}

/// Writes a name as a JSON string. A name may be a text or a number.
struct Key<'a>(Writer<'a>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, which is text: quote it")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.0.text(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.text(&value.to_string())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::json;

    #[test]
    fn a_document_is_the_same_as_json() {
        let text = "name: film # a comment\ntasks:\n  b: {needs: [a], array: 1-5%2}\n  a:\n    parameters: {n: 1.5, big: 18446744073709551615, s: \"é\\n\", yes: no, t: true, x: null, e: }\n  1: []\n";
        assert_eq!(
            json(text, 1_000).unwrap(),
            r#"{"name":"film","tasks":{"b":{"needs":["a"],"array":"1-5%2"},"a":{"parameters":{"n":1.5,"big":18446744073709551615,"s":"é\n","yes":"no","t":true,"x":null,"e":null}},"1":[]}}"#
        );
        assert_eq!(json("a: &x [1, 2]\nb: *x\n", 100).unwrap(), r#"{"a":[1,2],"b":[1,2]}"#);
        assert_eq!(json("a: |\n  two\n  lines\n", 100).unwrap(), r#"{"a":"two\nlines\n"}"#);
    }

    #[test]
    fn what_json_does_not_have_is_refused_with_its_line() {
        for (text, expected) in [
            ("a: [1\nb: 2", "line 2"),
            ("a: .nan", "JSON has no such number: quote it"),
            ("[1]: a", "a name, which is text: quote it"),
            ("a: *x", "unknown anchor"),
            ("a: 1\n---\nb: 2", "more than one document"),
            ("a: 1\n\tb: 2", "line 2"),
            ("a: !new 1", "a value that JSON has, too"),
        ] {
            let error = json(text, 1_000).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn aliases_of_aliases_come_to_an_end() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let below = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        let error = json(&text, 8 << 20).unwrap_err();
        assert!(error.contains("over 8388608 bytes") || error.contains("repetition limit"), "{error}");
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(json(&deep, 8 << 20).unwrap_err().contains("recursion limit"));
        let own = json("a: &a [*a]", 100).unwrap_err();
        assert!(own.contains("unknown anchor") || own.contains("recursion limit") || own.contains("over 100"), "{own}");
    }
}
