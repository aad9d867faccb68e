//! Random choice of processes to kill.

use std::fs;

use crate::world::{self, World};

/// A reproducible generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

/// Pids of the running supervisors and programs, according to their lock files.
pub fn victims(world: &World, who: &str) -> Vec<i32> {
    let pid = |run: &std::path::PathBuf| {
        let holder: serde_json::Value = serde_json::from_slice(&fs::read(run.join("lock")).ok()?).ok()?;
        i32::try_from(holder[who]["pid"].as_i64()?).ok().filter(|&pid| world::lives(pid))
    };
    world.runs().iter().filter_map(pid).collect()
}
