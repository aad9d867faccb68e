//! `blueque queue`: queues as a whole.

mod delete;
mod groups;
mod ls;
mod pause;
mod peek;
mod purge;
mod stats;

use clap::Args;

use crate::subcommand::{Choice, Scope, Subcommand, subcommands};

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Without a subcommand: ls
    #[command(subcommand)]
    word: Option<Word>,
}

subcommands! {
    enum Word {
        /// List queues with the number of tasks in each state
        #[command(alias = "show")]
        Ls(ls::Options) => |_| Scope::All,
        /// Show the next tasks of a queue, and why it skips others
        Peek(peek::Options),
        /// Stop a queue from starting tasks
        Pause(pause::Options) => |_| Scope::All,
        /// Let a queue start tasks again
        Resume(pause::Resume) => |_| Scope::All,
        /// Delete the waiting or finished tasks of a queue
        Purge(purge::Options) => |_| Scope::InTurn,
        /// Delete an empty queue, with its settings and statistics
        Delete(delete::Options),
        /// List the groups of a queue's failures, the largest first
        Groups(groups::Options) => |_| Scope::All,
        /// Show how many tasks ran in the last days, and how long
        Stats(stats::Options),
    }
}

impl Options {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert(Word::Ls(ls::Options { queues: Vec::new() }))
    }
}

impl Choice for Options {
    fn chosen(&mut self) -> &mut dyn Subcommand {
        self.word().chosen()
    }

    fn scope(&mut self) -> Scope<'_> {
        self.word().scope()
    }
}
