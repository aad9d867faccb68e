//! The values that are tried for every argument, option and setting, according to its type.

use serde_json::{Value, json};

use super::{list, text};

/// Values of a type.
pub struct Tried {
    /// A valid value.
    pub good: Value,
    /// Values at the bounds, and values that the type lists.
    pub taken: Vec<Value>,
    /// Invalid values, each with the code of its refusal.
    pub bad: Vec<(String, Value)>,
}

impl Tried {
    /// The values of a type. `of`: the type, from the manifest. `own`: a value that the call certainly accepts, or
    /// null.
    pub fn new(of: &Value, own: &Value) -> Self {
        let form = text(&of["form"]);
        let (low, high) = (of["low"].as_i64().unwrap_or(0), of["high"].as_i64());
        let mut tried = Self { good: json!("x"), taken: Vec::new(), bad: Vec::new() };
        for (code, values) in of["bad"].as_object().into_iter().flatten() {
            tried.refuse(code, list(values));
        }
        let code = of["error"].as_str().unwrap_or(if form == "bytes" { "TOOBIG" } else { "BADARG" });
        match (form, high) {
            ("whole" | "seconds" | "decimal", Some(high)) => {
                let one = own.as_str().and_then(|own| own.parse().ok()).unwrap_or(3).clamp(low, high);
                tried.take(&[json!(3.clamp(low, high).to_string()), json!(low.to_string()), json!(high.to_string())]);
                tried.refuse(code, &numbers(form == "whole", one, low, high));
            }
            ("flag", _) => {
                tried.take(&["1", "0"].map(Value::from));
                tried.refuse(code, &["", "2", "-1", "01", "yes", "true", "1 ", "nan", "1\0"].map(Value::from));
            }
            ("word" | "words", _) => {
                let words: Vec<&str> = list(&of["words"]).iter().map(text).collect();
                tried.take(&words.iter().map(|&word| json!(word)).collect::<Vec<_>>());
                tried.refuse(code, &other_words(words[0], words[1]));
            }
            ("bytes", Some(high)) => {
                tried.take(&[json!("x"), json!(""), json!({"repeat": "x", "times": high})]);
                tried.refuse(code, &[json!({"repeat": "x", "times": high + 1})]);
            }
            (_, Some(high)) => tried.refuse(code, &[json!({"repeat": "a", "times": high + 1})]),
            (_, None) => {}
        }
        // The values that the type lists come first.
        tried.taken = [list(&of["good"]), &tried.taken].concat();
        tried.good = tried.taken.first().cloned().unwrap_or(tried.good);
        let mut seen = Vec::new();
        tried.taken.retain(|value| !seen.contains(value) && (seen.push(value.clone()), true).1);
        let taken = &tried.taken;
        tried.bad.retain(|(_, value)| !taken.contains(value));
        tried
    }

    fn take(&mut self, values: &[Value]) {
        self.taken.extend_from_slice(values);
    }

    fn refuse(&mut self, code: &str, values: &[Value]) {
        self.bad.extend(values.iter().map(|value| (code.to_owned(), value.clone())));
    }

    /// Narrows the values for a call that accepts less than the type; `how` as in `narrow` of arguments.json.
    pub fn narrowed(mut self, how: &Value) -> Self {
        if let Value::Array(values) = &how["taken"] {
            self.taken.clone_from(values);
        }
        if how["loose"] == true {
            self.bad.clear();
        }
        for (code, values) in how["bad"].as_object().into_iter().flatten() {
            self.refuse(code, list(values));
        }
        self
    }
}

/// Words that are not numbers, or are beyond the bounds. `one` is a valid number; variants of it are refused for
/// their form.
fn numbers(whole: bool, one: i64, low: i64, high: i64) -> Vec<Value> {
    let mut bad: Vec<String> = ["", "-", "nan", "inf", "-inf", "x", "1e400", ".5"].map(str::to_owned).to_vec();
    bad.extend([
        format!("+{one}"),
        format!("--{one}"),
        format!("{one}e0"),
        format!("0x{one:X}"),
        format!(" {one} "),
        format!("{one} "),
        format!("{one}\0"),
        format!("{one}\n"),
        format!("{one}s"),
        format!("{one},5"),
        format!("{one}.5.5"),
        format!("{one} keep=0"),
        (high + 1).to_string(),
        "9".repeat(26),
        "0".repeat(26),
    ]);
    if whole {
        bad.extend([format!("{one}.0"), format!("{one}.5")]);
    }
    if low >= 0 {
        bad.push("-1".to_owned());
    }
    if low != 0 {
        bad.push((low - 1).to_string());
    }
    if low > 0 {
        bad.push(format!("{}.999", low - 1));
    }
    bad.into_iter().map(Value::from).collect()
}

/// Variants of a word that are none of the words.
fn other_words(first: &str, second: &str) -> Vec<Value> {
    let capital = first[..1].to_uppercase() + &first[1..];
    let bad = [
        "",
        "*",
        "nosuch",
        &capital,
        &format!("{first} "),
        &format!(" {first}"),
        &format!("{first} {second}"),
        &format!("{first}\0"),
        &format!("{first},"),
        &format!(",{first}"),
        &format!("{first},,{second}"),
    ];
    bad.map(Value::from).to_vec()
}
