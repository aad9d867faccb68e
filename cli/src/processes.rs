//! The processes of a run: the program's process tree, its control group, its limits, its inherited state, and the
//! leftovers of a dead supervisor.

pub mod cgroup;
pub mod description;
pub mod inherited;
pub mod leftovers;
pub mod limits;
pub mod memory;
pub mod oom;
pub mod tree;
