//! Calls by the names of commands and arguments, with values in JSON, for programs that offer all commands.
//!
//! A value has the form of its type in the contract: a number, true or false, or a text as the contract writes it.
//! Payloads are any JSON, which is stored as it is written; bytes that are not JSON have the name `NAME_base64`. A list
//! of names is an array. Arguments that may be empty can be left out, and also `cursor`, `after` and `limit`.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redis::Value;
use serde_json::value::RawValue;

use super::{Call, Calls};
use crate::contract::commands::{Argument, Command, Type, command, type_of};
use crate::error::{Code, Error, Result};
use crate::names::TaskId;

/// The values of a call, by the names of the arguments and options.
pub type Values = BTreeMap<String, Box<RawValue>>;

/// A reply of a command, as the server sent it.
#[derive(Clone, Debug)]
pub struct Raw(pub(super) Value);

/// `limit` of a call without it, or the maximum of the command if that is lower.
const LIMIT: i64 = 100;

/// End of the name of a value in base64.
const BASE64: &str = "_base64";

fn wrong(text: String) -> Error {
    Error::Invalid { code: Code::BadArgument, text }
}

impl Calls {
    /// Returns the call of a command by its name. The argument `by` of a command is the name of the caller
    /// ([`Calls::by`]). The option `by` of other commands is refused, except in `audit`, where it is a filter.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an unknown command, argument or option, a missing argument, or a value of another form.
    pub fn by_name(&self, name: &str, values: &Values) -> Result<Call<Raw>> {
        let unknown = || wrong(format!("there is no command {name}"));
        let found = crate::bundle::command(name).ok_or_else(unknown)?;
        let described = command(name).ok_or_else(unknown)?;
        let mut call = self.call(found.name(), |value| Some(Raw(value.clone())));
        let mut left: Vec<&str> = values.keys().map(String::as_str).collect();
        let take = |left: &mut Vec<&str>, argument: &Argument| take(values, left, argument);

        let entries = described.group.as_ref().map(|group| entries(values, &mut left, &group.name())).transpose()?;
        for argument in described.args.iter().skip(1) {
            let counts = described.group.as_ref().is_some_and(|group| group.count == argument.name);
            call = match (&entries, argument.name.as_str()) {
                (Some(entries), _) if counts => call.raw(&check(argument, &entries.len().to_string())?),
                (_, "by") => call.arg(self.by.as_deref().unwrap_or("unknown")),
                _ => match take(&mut left, argument)?.or_else(|| default(argument)) {
                    Some(value) => call.raw(&value),
                    None => return Err(wrong(format!("{} is missing", argument.name))),
                },
            };
        }
        for entry in entries.unwrap_or_default() {
            let group = described.group.as_ref().map(|group| group.args.as_slice()).unwrap_or_default();
            call = add_entry(call, group, entry)?;
        }
        let mut has_request = false;
        for option in &described.options {
            if option.name == "by" && name != "audit" {
                continue;
            }
            if let Some(value) = take(&mut left, option)? {
                has_request |= option.name == "request";
                call = call.arg(&option.name).raw(&value);
            }
        }
        if let Some(unknown) = left.first() {
            return Err(wrong(format!("{name} has no argument or option {unknown}")));
        }
        Ok(if described.request && !has_request { call.arg("request").arg(TaskId::random()) } else { call })
    }
}

impl Command {
    /// Returns the argument or option with this name, or the only argument of the group with this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        let own = self.args.iter().chain(&self.options).find(|argument| argument.name == name);
        let group = self.group.as_ref().filter(|group| group.name() == name);
        own.or_else(|| group.and_then(|group| group.args.first()))
    }
}

/// Returns the entries of a group: objects, or the values of the only argument.
fn entries<'a>(values: &'a Values, left: &mut Vec<&str>, name: &str) -> Result<Vec<&'a RawValue>> {
    left.retain(|other| *other != name);
    let found = values.get(name).ok_or_else(|| wrong(format!("{name} is missing")))?;
    serde_json::from_str(found.get()).map_err(|_| wrong(format!("{name} is not an array")))
}

fn add_entry(mut call: Call<Raw>, group: &[Argument], entry: &RawValue) -> Result<Call<Raw>> {
    if let [only] = group {
        return Ok(call.raw(&text(only, entry)?));
    }
    let values: Values =
        serde_json::from_str(entry.get()).map_err(|_| wrong("an entry is not an object".to_owned()))?;
    let mut left: Vec<&str> = values.keys().map(String::as_str).collect();
    for argument in group {
        let value = take(&values, &mut left, argument)?.or_else(|| default(argument));
        call = call.raw(&value.ok_or_else(|| wrong(format!("{} of an entry is missing", argument.name)))?);
    }
    match left.first() {
        None => Ok(call),
        Some(unknown) => Err(wrong(format!("an entry has no {unknown}"))),
    }
}

/// Returns the bytes of an argument or option, `None` if it is not given, and removes its name from `left`.
fn take(values: &Values, left: &mut Vec<&str>, argument: &Argument) -> Result<Option<Vec<u8>>> {
    let name = &argument.name;
    let encoded = format!("{name}{BASE64}");
    left.retain(|other| *other != name && *other != encoded);
    let is_bytes = type_of(&argument.of).is_some_and(|of| of.form == "bytes");
    match (values.get(name), values.get(&encoded).filter(|_| is_bytes)) {
        (None, None) => Ok(None),
        (Some(value), None) => text(argument, value).map(Some),
        (None, Some(value)) => {
            let wrong = || wrong(format!("{encoded} is not base64"));
            let text: String = serde_json::from_str(value.get()).map_err(|_| wrong())?;
            STANDARD.decode(text).map_err(|_| wrong()).map(Some)
        }
        (Some(_), Some(_)) => Err(wrong(format!("{name} and {encoded} are both given"))),
    }
}

/// Returns true for the payload of a program, which is any JSON.
fn is_json(argument: &Argument) -> bool {
    is_payload(&argument.of, &argument.name)
}

/// Returns true if values of this type and name are payloads of programs. Errors are texts for people.
pub(super) fn is_payload(of: &str, name: &str) -> bool {
    ["payload", "stored"].contains(&of) && !["error", "last_error", "text"].contains(&name)
}

/// Returns the value of an argument that is not given.
fn default(argument: &Argument) -> Option<Vec<u8>> {
    let of = type_of(&argument.of)?;
    let value = match argument.name.as_str() {
        "cursor" | "after" => "0".to_owned(),
        "limit" => LIMIT.min(of.high.unwrap_or(LIMIT)).to_string(),
        _ => of.none()?.to_owned(),
    };
    Some(value.into_bytes())
}

/// Converts a value to the text of its type.
fn text(argument: &Argument, value: &RawValue) -> Result<Vec<u8>> {
    let (name, value) = (&argument.name, value.get());
    let expected = |what: &str| wrong(format!("{name} is not {what}"));
    let Some(of) = type_of(&argument.of) else { return Err(wrong(format!("{name} has no type"))) };
    match of.form.as_str() {
        _ if is_json(argument) => Ok(value.as_bytes().to_vec()),
        "flag" => match value {
            "true" => Ok(b"1".to_vec()),
            "false" => Ok(b"0".to_vec()),
            _ => Err(expected("true or false")),
        },
        "whole" => {
            let number =
                value.parse::<i64>().ok().or_else(|| whole(value)).ok_or_else(|| expected("a whole number"))?;
            check(argument, &number.to_string())
        }
        "seconds" | "decimal" => {
            let number = serde_json::from_str::<f64>(value).map_err(|_| expected("a number"))?;
            // The text of the value is kept if it has no exponent, because it may have more digits.
            check(argument, &if value.contains(['e', 'E']) { number.to_string() } else { value.to_owned() })
        }
        _ => {
            let text: String = serde_json::from_str(value).map_err(|_| expected("a text"))?;
            check(argument, &text)
        }
    }
}

/// Reads a whole number that is written as `1.0` or `1e3`.
#[allow(clippy::cast_possible_truncation, reason = "the number is whole, and below 2^53")]
fn whole(value: &str) -> Option<i64> {
    let number = serde_json::from_str::<f64>(value).ok()?;
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

/// Checks the bounds of a value. The server checks everything else.
fn check(argument: &Argument, text: &str) -> Result<Vec<u8>> {
    let name = &argument.name;
    let of = type_of(&argument.of).ok_or_else(|| wrong(format!("{name} has no type")))?;
    let Type { low, high, words, .. } = of;
    let (low, high) = (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX));
    let fits = match of.form.as_str() {
        "whole" => text.parse().is_ok_and(|number: i64| (low..=high).contains(&number)),
        #[allow(clippy::cast_precision_loss, reason = "no bound is near 2^52")]
        "seconds" | "decimal" => text.parse().is_ok_and(|number: f64| (low as f64..=high as f64).contains(&number)),
        "word" => words.iter().any(|word| word == text),
        "words" => text.split(',').all(|part| words.iter().any(|word| word == part)),
        _ => i64::try_from(text.len()).is_ok_and(|length| length <= high),
    };
    let bounds = || match of.form.as_str() {
        "word" | "words" => words.join(", "),
        "whole" | "seconds" | "decimal" => format!("between {low} and {high}"),
        _ => format!("at most {high} bytes"),
    };
    if fits { Ok(text.as_bytes().to_vec()) } else { Err(wrong(format!("{name} is not {}", bounds()))) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::names::Namespace;

    fn values(json: &str) -> Values {
        serde_json::from_str(json).unwrap()
    }

    fn sent(name: &str, json: &str) -> std::result::Result<String, String> {
        let calls = Calls::new(Namespace::default()).by("alice");
        let call = calls.by_name(name, &values(json)).map_err(|error| error.to_string())?;
        let args: Vec<_> = call.args.iter().map(|arg| String::from_utf8_lossy(arg).into_owned()).collect();
        Ok(args.join("|"))
    }

    #[test]
    fn values_become_the_arguments_of_the_contract() {
        assert_eq!(sent("get", r#"{"id":"a"}"#).unwrap(), "|a");
        assert_eq!(sent("list", r#"{"queue":"q","status":"pending"}"#).unwrap(), "|q|pending|0|100");
        assert_eq!(sent("get_many", r#"{"ids":["a","b"]}"#).unwrap(), "|2|a|b");
        assert_eq!(
            sent("submit", r#"{"queue":"q","tasks":[{"id":"a","parameters":{"n": 12345678901234567890}}],"priority":5,"request":"r"}"#).unwrap(),
            r#"|q|1|a||{"n": 12345678901234567890}|priority|5|request|r"#
        );
        assert_eq!(
            sent("submit", r#"{"queue":"q","tasks":[{"id":"a","eta":1e3,"parameters_base64":"aGk="}],"request":"r"}"#)
                .unwrap(),
            "|q|1|a|1000|hi|request|r"
        );
        assert_eq!(sent("configure", r#"{"queue":"*","name":"lease"}"#).unwrap(), "|*|lease|");
        assert_eq!(sent("pause", r#"{"queue":"q","reason":"deploy"}"#).unwrap(), "|q|alice|deploy");
        assert!(sent("cancel", r#"{"id":"a","reason":"","force":true}"#).unwrap().starts_with("|a||force|1|request|"));
    }

    #[test]
    fn what_the_contract_does_not_have_is_refused() {
        for (name, json, text) in [
            ("nosuch", "{}", "there is no command nosuch"),
            ("get", "{}", "id is missing"),
            ("get", r#"{"id":1}"#, "id is not a text"),
            ("get", r#"{"id":null}"#, "id is not a text"),
            ("get", r#"{"id":"a","more":1}"#, "get has no argument or option more"),
            ("list", r#"{"queue":"q","status":"gone"}"#, "status is not waiting, scheduled"),
            ("list", r#"{"queue":"q","status":"all","limit":501}"#, "limit is not between 1 and 500"),
            ("list", r#"{"queue":"q","status":"all","limit":1.5}"#, "limit is not a whole number"),
            ("cancel", r#"{"id":"a","reason":"","force":1}"#, "force is not true or false"),
            ("cancel", r#"{"id":"a","reason":"","by":"mallory"}"#, "has no argument or option by"),
            ("pause", r#"{"queue":"q","reason":"","by":"mallory"}"#, "has no argument or option by"),
            ("get_many", r#"{"ids":"a"}"#, "ids is not an array"),
            ("get_many", r#"{"ids":[]}"#, "count is not between 1 and 500"),
            ("submit", r#"{"queue":"q","tasks":[{"id":"a","x":1,"parameters":1}]}"#, "an entry has no x"),
            (
                "submit",
                r#"{"queue":"q","tasks":[{"id":"a","parameters_base64":"?"}]}"#,
                "parameters_base64 is not base64",
            ),
        ] {
            let error = sent(name, json).unwrap_err();
            assert!(error.contains(text), "{name} {json}: {error}");
        }
    }

    #[test]
    fn every_command_can_be_called_by_its_name() {
        for (name, command) in crate::contract::commands::commands() {
            let known = crate::bundle::command(name).unwrap();
            let args = known.args().split(' ').count();
            assert!(args >= command.args.len(), "{name}");
            let error = Calls::default().by_name(name, &values(r#"{"no such name":1}"#)).unwrap_err().to_string();
            assert!(error.contains("missing") || error.contains("no such name"), "{name}: {error}");
        }
    }
}
