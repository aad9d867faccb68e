//! Numbers that all workers and clients share, from `contract/constants.toml`.

use std::time::Duration;

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
