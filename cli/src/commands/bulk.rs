//! `blueque bulk`: one action on all selected tasks, in steps.

use blueque::{Action, QueueName, Status};

use crate::bulk::{All, each, states};
use crate::input::answer::signal;
use crate::input::force::Forced;
use crate::input::values::{queue_name, whole_number};
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// Cancel waiting and running tasks
    Cancel {
        #[command(flatten)]
        all: All,
        #[command(flatten)]
        force: Forced,
        /// The reason, for people
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Retry failed tasks
    Retry {
        #[command(flatten)]
        all: All,
        /// Discard the checkpoints, and start over
        #[arg(long)]
        fresh: bool,
        /// Retry them in this queue
        #[arg(long, value_name = "QUEUE", value_parser = queue_name)]
        into: Option<QueueName>,
    },
    /// Delete finished tasks
    Delete {
        #[command(flatten)]
        all: All,
    },
    /// Move waiting tasks to another queue
    Move {
        #[command(flatten)]
        all: All,
        /// The other queue
        #[arg(long, value_name = "QUEUE", value_parser = queue_name)]
        into: QueueName,
    },
    /// Change the priority of waiting tasks
    #[command(visible_alias = "prioritize")]
    Prioritise {
        #[command(flatten)]
        all: All,
        /// -1000 to 1000, higher first
        #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number::<i32>(-1000, 1000))]
        priority: i32,
    },
    /// Hold pending and scheduled tasks
    Hold {
        #[command(flatten)]
        all: All,
    },
    /// Let held tasks start
    Unhold {
        #[command(flatten)]
        all: All,
    },
    /// Stop running programs where they are, until `bulk continue`
    Suspend {
        #[command(flatten)]
        all: All,
    },
    /// Let suspended programs go on
    Continue {
        #[command(flatten)]
        all: All,
    },
    /// Send a signal to running programs that handle it
    Signal {
        #[command(flatten)]
        all: All,
        /// The signal: USR1, SIGUSR1 or 10
        #[arg(long, value_name = "SIGNAL", value_parser = signal)]
        signal: String,
    },
    /// Stop running tasks, and return them to the front of the queue
    Requeue {
        #[command(flatten)]
        all: All,
    },
}

impl Subcommand for Word {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        match self {
            Word::Cancel { all, force, reason } => each(
                session,
                all,
                &Action::Cancel { reason: reason.clone(), force: force.how() },
                &states(|status| !status.is_finished()),
            ),
            Word::Retry { all, fresh, into } => {
                each(session, all, &Action::Retry { fresh: *fresh, into: into.clone() }, &[Status::Failed])
            }
            Word::Delete { all } => each(session, all, &Action::Delete, &states(Status::is_finished)),
            Word::Move { all, into } => {
                each(session, all, &Action::Move { into: into.clone() }, &states(Status::is_waiting))
            }
            Word::Prioritise { all, priority } => {
                each(session, all, &Action::Prioritise { priority: *priority }, &states(Status::is_waiting))
            }
            Word::Hold { all } => each(session, all, &Action::Hold, &[Status::Scheduled, Status::Pending]),
            Word::Unhold { all } => each(session, all, &Action::Unhold, &[Status::Held]),
            Word::Suspend { all } => each(session, all, &Action::Suspend, &states(Status::is_owned)),
            Word::Continue { all } => each(session, all, &Action::Unsuspend, &states(Status::is_owned)),
            Word::Signal { all, signal } => {
                each(session, all, &Action::Signal { signal: signal.clone() }, &states(Status::is_owned))
            }
            Word::Requeue { all } => each(session, all, &Action::Requeue, &states(Status::is_owned)),
        }
    }
}
