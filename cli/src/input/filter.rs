//! Options that select tasks of a queue: by id, state, tag, method, key, group of failure, time.

use blueque::{Filter, Status, TaskInfo};
use clap::Args;

use super::local_time::Side;
use super::state::state;
use super::values::{duration, moment, plain};
use crate::times::When;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Which tasks")]
pub struct TaskFilter {
    /// Only tasks whose id begins with this text
    #[arg(long, value_name = "TEXT", value_parser = plain)]
    prefix: Option<String>,
    /// Only tasks in this state; may be given more than once, or as a list: failed,cancelled
    #[arg(long, value_name = "STATE", value_parser = state(), value_delimiter = ',')]
    status: Vec<Status>,
    /// Only tasks with this tag
    #[arg(long, value_name = "TAG", value_parser = plain)]
    pub tag: Option<String>,
    /// Only tasks submitted with this method
    #[arg(long, value_name = "NAME", value_parser = plain)]
    method: Option<String>,
    /// Only tasks submitted with this key
    #[arg(long, value_name = "KEY", value_parser = plain)]
    key: Option<String>,
    /// Only tasks that failed in this group, as `groups` shows it, or with this error text
    #[arg(long, value_name = "GROUP", value_parser = group)]
    group: Option<String>,
    /// Only tasks that failed without a group
    #[arg(long, conflicts_with = "group")]
    no_group: bool,
    /// Only tasks created at this time or later: 8:00, yesterday 22:00, or -2h from now
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    from: Option<When>,
    /// Only tasks created at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    to: Option<When>,
}

impl TaskFilter {
    /// Returns the filter. `states`: the states if the user names none; empty means all states.
    pub fn filter(&self, states: &[Status]) -> Filter {
        self.filter_of(&self.states(states))
    }

    fn filter_of(&self, states: &[Status]) -> Filter {
        let filter = self.prefix.iter().fold(Filter::new(), Filter::prefix);
        let filter = self.tag.iter().fold(filter, Filter::tag);
        let filter = self.method.iter().fold(filter, Filter::method);
        let filter = self.key.iter().fold(filter, Filter::key);
        let filter = self.group().into_iter().fold(filter, Filter::group);
        let filter = self.from.iter().fold(filter, |filter, from| filter.from(from.time()));
        let filter = self.to.iter().fold(filter, |filter, to| filter.to(to.time()));
        states.iter().fold(filter, |filter, &status| filter.status(status))
    }

    /// Returns the states that the user named, or else `states`.
    pub fn states(&self, states: &[Status]) -> Vec<Status> {
        if self.status.is_empty() { states.to_vec() } else { self.status.clone() }
    }

    /// Returns true if a task is selected. Does not check the group of a failure.
    pub fn selects(&self, id: &str, info: &TaskInfo) -> bool {
        let key = || info.fields.get("key").map(Vec::as_slice);
        self.prefix.as_ref().is_none_or(|prefix| id.starts_with(prefix.as_str()))
            && (self.status.is_empty() || info.status().is_some_and(|status| self.status.contains(&status)))
            && self.tag.as_ref().is_none_or(|tag| info.tags().contains(tag))
            && (self.method.is_none() || self.method == info.method())
            && self.key.as_ref().is_none_or(|wanted| key() == Some(wanted.as_bytes()))
            && self.from.is_none_or(|from| info.created().is_some_and(|created| created >= from.time()))
            && self.to.is_none_or(|to| info.created().is_some_and(|created| created <= to.time()))
    }

    /// Returns true if all tasks in the named states are selected.
    pub fn is_any(&self) -> bool {
        let Self { prefix, status: _, tag, method, key, group, no_group, from, to } = self;
        let texts = [prefix, tag, method, key, group];
        texts.iter().all(|text| text.is_none()) && !no_group && from.is_none() && to.is_none()
    }

    /// Returns a filter for the selected tasks in only one state.
    pub fn only(&self, status: Status) -> Filter {
        self.filter_of(&[status])
    }

    /// Returns the requested group, or an empty text for failures without a group.
    pub fn group(&self) -> Option<&str> {
        if self.no_group { Some("") } else { self.group.as_deref() }
    }
}

/// Parses a group of failures. The text of an error stands for its group.
fn group(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("must not be empty; --no-group selects failures without one".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses a time, or a time relative to now such as `-2h`.
fn time(text: &str) -> Result<When, String> {
    match text.strip_prefix('-') {
        Some(span) => When::ago(duration(span)?),
        None => match text.strip_prefix('+') {
            Some(span) => When::later(duration(span)?),
            None => moment(text, Side::Past, "-2h for two hours ago"),
        },
    }
}
