//! Changes that a program requests for its task's next step, or for its next attempt: parameters, a time, options.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use blueque::calls::{EditOptions, TaskOptions};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::run_folder::open;
use crate::run_folder::step::{Step, task_options, time};

/// The source of new parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Text(Vec<u8>),
    File(PathBuf),
}

impl Source {
    /// Reads the parameters, of at most `limit` bytes.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, String> {
        let (bytes, size) = match self {
            Self::Text(text) => (Some(text.clone()), text.len() as u64),
            Self::File(path) => read_file(path, limit)
                .map_err(|error| format!("the parameters in {} cannot be read: {error}", path.display()))?,
        };
        let too_large =
            || format!("the parameters have {size} bytes, at most {limit} can be kept: pass a reference to them");
        bytes.filter(|bytes| bytes.len() as u64 <= limit).ok_or_else(too_large)
    }
}

fn read_file(path: &Path, limit: u64) -> io::Result<(Option<Vec<u8>>, u64)> {
    let (file, about) = open::open(path)?;
    Ok((open::read_open(file, limit)?, about.len()))
}

/// A next step, as a program requests it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Next {
    /// The queue of the step. `None` selects the next of the task's steps. An empty name means that no step follows.
    pub queue: Option<String>,
    pub parameters: Option<Source>,
    pub step: Step,
}

/// Changes for the next attempt, as a program requests them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    pub parameters: Option<Source>,
    unset: Vec<String>,
    options: BTreeMap<String, String>,
    reason: Option<String>,
}

impl Edit {
    /// Returns the changes as the options of a call.
    pub fn options(&self, parameters: Option<Vec<u8>>) -> EditOptions {
        let options = EditOptions::new().task(&task_options(&self.options));
        let options = parameters.into_iter().fold(options, EditOptions::parameters);
        let options = self.reason.iter().fold(options, |options, reason| options.reason(reason.as_str()));
        if self.unset.is_empty() { options } else { options.unset(self.unset.join(",")) }
    }
}

/// Parses the value of `next` in an event: a queue, or an object.
pub fn next(value: &RawValue) -> Result<Next, String> {
    if value.get().starts_with('"') {
        return Ok(Next { queue: Some(typed("next", value)?), ..Next::default() });
    }
    let mut next = Next::default();
    for (name, value) in fields("next", value)? {
        match &*name {
            "queue" => next.queue = Some(typed("queue", &value)?),
            "eta" => {
                let eta: f64 = typed("eta", &value)?;
                next.step.eta = Some(eta);
                time(eta).ok_or("eta must be seconds since 1970")?;
            }
            _ => common(&name, &value, (&mut next.parameters, &mut next.step.unset, &mut next.step.options))?,
        }
    }
    next.step.own_parameters = next.parameters.is_some();
    Ok(next)
}

/// Parses the value of `edit` in an event: an object.
pub fn edit(value: &RawValue) -> Result<Edit, String> {
    let mut edit = Edit::default();
    for (name, value) in fields("edit", value)? {
        match &*name {
            "reason" => edit.reason = Some(typed("reason", &value)?),
            _ => common(&name, &value, (&mut edit.parameters, &mut edit.unset, &mut edit.options))?,
        }
    }
    Ok(edit)
}

fn fields(what: &str, value: &RawValue) -> Result<BTreeMap<String, Box<RawValue>>, String> {
    let fields: BTreeMap<String, Box<RawValue>> = typed(what, value)?;
    Ok(fields.into_iter().filter(|(_, value)| value.get() != "null").collect())
}

fn typed<T: DeserializeOwned>(name: &str, value: &RawValue) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|error| format!("{name} cannot be read: {error}"))
}

type Common<'a> = (&'a mut Option<Source>, &'a mut Vec<String>, &'a mut BTreeMap<String, String>);

/// Parses a field that a next step and an edit have in common.
fn common(name: &str, value: &RawValue, (parameters, unset, options): Common<'_>) -> Result<(), String> {
    match name {
        "parameters" => *parameters = Some(Source::Text(value.get().as_bytes().to_vec())),
        "parameters_file" => *parameters = Some(Source::File(typed(name, value)?)),
        "unset" => *unset = vec![text(name, value)?],
        // The name of an option. The server decides if the option is allowed here.
        _ if TaskOptions::default().set(name, "") => {
            options.insert(name.to_owned(), text(name, value)?);
        }
        _ => return Err(format!("there is no option {name}")),
    }
    Ok(())
}

/// Parses a text, a number, or a list of texts and numbers.
fn text(name: &str, value: &RawValue) -> Result<String, String> {
    match typed::<Value>(name, value)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Array(list) => {
            let texts = list.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
            texts.map(|texts| texts.join(",")).ok_or_else(|| format!("{name} must be a list of texts"))
        }
        _ => Err(format!("{name} must be a text, a number or a list of texts")),
    }
}
