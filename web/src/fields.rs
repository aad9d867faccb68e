//! The fields of a form.

use std::collections::HashMap;

use crate::failure::Failure;

/// The fields of a form. A field may occur several times.
#[derive(Clone, Debug, Default)]
pub struct Fields(HashMap<String, Vec<String>>);

impl Fields {
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let mut all: HashMap<String, Vec<String>> = HashMap::new();
        for (name, value) in pairs {
            all.entry(name).or_default().push(value);
        }
        Self(all)
    }

    /// The value of a field, without spaces around it; `None` if it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The value of a field exactly as it was sent.
    pub fn exact(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn need(&self, name: &str) -> Result<&str, Failure> {
        self.get(name).ok_or_else(|| Failure::wrong(format!("The field {name} is empty.")))
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        let wrong = |text: &str| Failure::wrong(format!("{name}: {text} is not a number in its bounds."));
        self.get(name).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }
}
