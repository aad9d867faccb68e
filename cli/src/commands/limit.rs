//! `blueque limit`: limits of keys, and limits that queues share.

mod ls;
mod set;

use crate::subcommand::{Scope, subcommands};

subcommands! {
    pub enum Word {
        /// Limit how much of a queue one key may use
        Set(set::Options) => set::Options::scope,
        /// List the keys of a queue that have limits
        Ls(ls::Options) => |_| Scope::All,
    }
}
