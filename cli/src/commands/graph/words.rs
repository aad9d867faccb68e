//! The subcommands of `blueque graph`, and their errors and exit codes.

use std::fmt::Display;
use std::time::Duration;

use blueque::{GraphId, GraphMember, Status};
use clap::Args;

use crate::input::document::Document;
use crate::input::values::{coming, duration, graph_id, whole_number};
use crate::output::{Code, fault};
use crate::times::When;
use crate::view::graph::{Drawing, Standing};

/// The refresh interval.
pub const WATCH: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, clap::Subcommand)]
pub enum Word {
    /// Submit all tasks of a document
    Submit {
        #[command(flatten)]
        document: Document,
        /// The id of the graph [default: a random id]; submitting the same id twice creates one graph
        #[arg(long, value_parser = graph_id)]
        id: Option<GraphId>,
    },
    /// List graphs, the latest first
    Ls {
        /// Only graphs in this state; may be given more than once, or as a list: running,failed
        #[arg(long, value_name = "STATE", value_enum, value_delimiter = ',')]
        status: Vec<Standing>,
        /// Only graphs with this name
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Only graphs with this tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// Show at most this number of graphs
        #[arg(long, default_value_t = 50, allow_negative_numbers = true, value_parser = whole_number::<u32>(1, 100_000))]
        limit: u32,
    },
    /// Show the tasks of a graph as a tree
    Show {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Show each array element and each complete task on a separate line
        #[arg(long)]
        all: bool,
        /// Refresh every second until all tasks have ended
        #[arg(long)]
        watch: bool,
    },
    /// Draw a graph
    Export {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// The format of the drawing
        #[arg(long, value_name = "FORMAT", value_enum, default_value = "dot")]
        format: Drawing,
    },
    /// Cancel a graph, or a task and the tasks that need it
    Cancel {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Cancel only this task of the graph, named by its name or id, and the tasks that need it
        task: Option<String>,
        /// Kill programs at once
        #[arg(long)]
        force: bool,
        /// The reason, for people
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
        #[command(flatten)]
        guard: Guard,
    },
    /// Run failed and cancelled tasks again
    Retry {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Run this task again, named by its name or id, and all tasks downstream of it, even complete tasks
        #[arg(long, value_name = "TASK")]
        from: Option<String>,
        /// A new deadline for the graph and for the tasks that run again: 22:00, tomorrow 8:00, RFC 3339, or 10m (+10m) from now
        #[arg(long, value_name = "TIME", value_parser = coming)]
        deadline: Option<When>,
        #[command(flatten)]
        guard: Guard,
    },
    /// Wait until all tasks of a graph have ended
    Wait {
        /// The id of the graph
        #[arg(value_name = "ID", value_parser = graph_id)]
        id: GraphId,
        /// Give up after this long, such as 90s or 2h
        #[arg(long, value_name = "DURATION", value_parser = duration)]
        timeout: Option<Duration>,
    },
}

/// The confirmation of a change of several tasks.
#[derive(Args, Clone, Debug)]
pub struct Guard {
    /// Change nothing, and count the tasks in each state
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation if several tasks change. Required without a terminal
    #[arg(long, short)]
    pub yes: bool,
}

/// Returns the error for a graph that has not ended in time.
pub fn late(id: &impl Display, timeout: Option<Duration>) -> anyhow::Error {
    let waited = humantime::format_duration(timeout.unwrap_or_default());
    fault(Code::TimedOut, format!("the graph {id} is not finished after {waited}"))
}

/// Returns the exit code for the states of the tasks.
pub fn outcome(tasks: &[GraphMember]) -> Code {
    let of = |status| tasks.iter().any(|task| task.status == Some(status) && !task.skipped);
    match (of(Status::Failed), of(Status::Cancelled)) {
        (true, _) => Code::Failed,
        (false, true) => Code::Cancelled,
        (false, false) => Code::Ok,
    }
}
