//! Methods of the commands that need no handwritten code, generated from `contract/` and the headers of `lua/cmd`.
#![allow(clippy::wildcard_imports, reason = "the next command may need what this one does not")]

use std::time::*;

use super::*;
use crate::model::*;
use crate::names::*;
use crate::options::{Filter, Inputs};
use crate::text;
use crate::topology::StoredTopology;

include!(concat!(env!("OUT_DIR"), "/calls.rs"));
