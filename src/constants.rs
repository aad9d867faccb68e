//! The numbers that every worker and every client shares, from `contract/constants.toml`.

use std::time::Duration;

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
