//! The commands, a file for each or for a few of one kind. None imports another.

pub mod bulk;
pub mod completions;
pub mod config;
pub mod dev;
pub mod events;
pub mod exec;
pub mod history;
pub mod lifecycle;
pub mod limit;
pub mod logs;
pub mod ls;
pub mod queues;
pub mod reset_clock;
pub mod run;
pub mod schedule;
pub mod search;
pub mod show;
pub mod stats;
pub mod submit;
pub mod task;
pub mod top;
pub mod wait;
pub mod why;
pub mod workers;
