//! The contents of the state folder: names, files that programs replace, runs of other servers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "run_folders/disks.rs"]
mod disks;
#[path = "run_folders/kept.rs"]
mod kept;
#[path = "run_folders/losses.rs"]
mod losses;
#[path = "run_folders/names.rs"]
mod names;
#[path = "../../tests/support/proxy.rs"]
mod proxy;
#[path = "run_folders/reach.rs"]
mod reach;
#[path = "run_folders/servers.rs"]
mod servers;
#[path = "run_folders/silence.rs"]
mod silence;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs::File;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Sets the modification time of a file or a folder to this age.
fn age(path: &Path, age: Duration) {
    File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}
