//! The processes of a run: the tree that a program started, its control group, its limits, and what a dead supervisor left.

pub mod cgroup;
pub mod leftovers;
pub mod limits;
pub mod tree;
