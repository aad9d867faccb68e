//! The states of tasks, in the order of lists.

use blueque::Status;

/// Returns all states in the order in which tasks are shown: first running, then waiting, then finished. Complete tasks
/// come last.
pub fn shown() -> Vec<Status> {
    let mut states: Vec<Status> = Status::ALL.iter().copied().filter(|state| !state.is_finished()).rev().collect();
    states.extend(Status::ALL.iter().copied().filter(|state| state.is_finished() && *state != Status::Complete));
    states.push(Status::Complete);
    states
}
