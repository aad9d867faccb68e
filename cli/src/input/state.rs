//! The state of a task, as an argument.

use std::str::FromStr;

use blueque::Status;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Returns all states in the order in which tasks are shown: first running, then waiting, then finished. Complete tasks
/// come last.
pub fn shown() -> Vec<Status> {
    let mut states: Vec<Status> = Status::ALL.iter().copied().filter(|state| !state.is_finished()).rev().collect();
    states.extend(Status::ALL.iter().copied().filter(|state| state.is_finished() && *state != Status::Complete));
    states.push(Status::Complete);
    states
}

/// Returns the parser of a state. `running` is an alias of `started`.
pub fn state() -> impl TypedValueParser<Value = Status> {
    let states = shown().into_iter().map(|state| PossibleValue::new(state.as_str()));
    let running = PossibleValue::new("running").help("The same as started");
    PossibleValuesParser::new(states.chain([running])).map(|name| Status::from_str(&name).unwrap_or(Status::Started))
}
