//! `blueque admin`: what administrators do with a namespace.

mod audit;
mod maintenance;
mod reset_clock;

use crate::subcommand::{Scope, subcommands};

subcommands! {
    pub enum Word {
        /// Show who changed what
        Audit(audit::Options) => |_| Scope::All,
        /// Do the maintenance that workers do
        Maintenance(maintenance::Options),
        /// Set a clock that ran ahead back to the server's time
        ResetClock(reset_clock::Options),
    }
}
