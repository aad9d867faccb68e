//! The input of commands: arguments that several commands share.

pub mod answer;
pub mod array;
pub mod command;
pub mod confirm;
pub mod document;
pub mod each;
pub mod filter;
pub mod force;
pub mod last_id;
pub mod local_time;
pub mod new_graph;
pub mod new_task;
pub mod parameters;
pub mod selection;
pub mod state;
pub mod task_ids;
pub mod task_options;
pub mod trace;
pub mod upstreams;
pub mod values;
mod yaml;
