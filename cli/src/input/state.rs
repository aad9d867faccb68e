//! The state of a task, as an argument.

use std::str::FromStr;

use blueque::Status;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::states::shown;

/// Returns the parser of a state. `running` is an alias of `started`.
pub fn state() -> impl TypedValueParser<Value = Status> {
    let states = shown().into_iter().map(|state| PossibleValue::new(state.as_str()));
    let running = PossibleValue::new("running").help("The same as started");
    PossibleValuesParser::new(states.chain([running])).map(|name| Status::from_str(&name).unwrap_or(Status::Started))
}
