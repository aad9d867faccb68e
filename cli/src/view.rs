//! Views of tasks, queues, graphs and schedules in a table, as JSON, and in a sentence.

pub mod cost;
pub mod expected;
pub mod graph;
pub mod listeners;
pub mod notice;
pub mod payload;
pub mod policy;
pub mod programs;
pub mod progress;
pub mod queue;
pub mod record;
pub mod schedule;
pub mod setting;
pub mod task;
pub mod tasks;
pub mod unserved;
pub mod why;
