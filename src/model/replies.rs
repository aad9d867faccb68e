//! Replies as structs. The structs and their parsers are generated from `contract/replies.toml`.

use std::time::{Duration, SystemTime};

use redis::Value;

use super::reply::{self, Item};
use super::{Basis, GraphState, Order, Outcome, Pause, Rate, ScheduleState, Source, Status, Trouble};
use crate::names::{GraphId, QueueName, ScheduleName, TaskId, Token};
use crate::{text, times};

include!(concat!(env!("OUT_DIR"), "/replies.rs"));
