//! The processes of a run: the program's process tree, its control group, its limits, and the leftovers of a dead
//! supervisor.

pub mod cgroup;
pub mod leftovers;
pub mod limits;
pub mod oom;
pub mod tree;
