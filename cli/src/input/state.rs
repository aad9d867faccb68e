//! The state of a task, as an argument.

use blueque::Status;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// In the order in which tasks are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum State {
    Started,
    Reserved,
    Pending,
    Scheduled,
    Failed,
    Cancelled,
    Complete,
}

impl State {
    pub fn status(self) -> Status {
        match self {
            Self::Started => Status::Started,
            Self::Reserved => Status::Reserved,
            Self::Pending => Status::Pending,
            Self::Scheduled => Status::Scheduled,
            Self::Failed => Status::Failed,
            Self::Cancelled => Status::Cancelled,
            Self::Complete => Status::Complete,
        }
    }
}

/// A state, as an argument; `running` is an alias of `started`.
pub fn state() -> impl TypedValueParser<Value = State> {
    let states = State::value_variants().iter().filter_map(State::to_possible_value);
    let running = PossibleValue::new("running").help("The same as started");
    PossibleValuesParser::new(states.chain([running]))
        .map(|name| State::from_str(&name, false).unwrap_or(State::Started))
}
