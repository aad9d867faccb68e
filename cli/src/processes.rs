//! The processes of a run: the tree that a program started, its control group, and what a dead supervisor left of both.

pub mod cgroup;
pub mod leftovers;
pub mod tree;
