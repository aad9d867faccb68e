//! `blueque suspend`, `blueque continue` and `blueque signal`

use blueque::TaskId;
use clap::Args;

use crate::input::answer::{Patience, answered, signal};
use crate::input::task_ids::TaskIds;
use crate::output::Code;
use crate::session::Session;
use crate::subcommand::Subcommand;

/// All processes of the programs are stopped until `blueque continue`. They keep their memory, their slot and their
/// lease. Their limits of time do not run.
#[derive(Args, Clone, Debug)]
pub struct Suspend {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    patience: Patience,
}

/// The programs go on where they were stopped.
#[derive(Args, Clone, Debug)]
pub struct Continue {
    #[command(flatten)]
    pub tasks: TaskIds,
    #[command(flatten)]
    patience: Patience,
}

/// The signal goes once to each process of the program that handles it. If no process does, it is not sent, because it
/// could end the program.
#[derive(Args, Clone, Debug)]
pub struct Signal {
    #[command(flatten)]
    pub tasks: TaskIds,
    /// The signal: USR1, SIGUSR1 or 10
    #[arg(value_name = "SIGNAL", value_parser = signal)]
    name: String,
    #[command(flatten)]
    patience: Patience,
}

impl Subcommand for Suspend {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let ask = |id: &TaskId| session.client.call(&session.client.calls().suspend(id));
        control(session, &self.tasks, &self.patience, ask, ["suspended", "suspending"])
    }
}

impl Subcommand for Continue {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let ask = |id: &TaskId| session.client.call(&session.client.calls().unsuspend(id));
        control(session, &self.tasks, &self.patience, ask, ["continued", "continuing"])
    }
}

/// Makes a request for each task. Prints one of the words for each task: the first if its owner has carried it out.
fn control(
    session: &Session,
    tasks: &TaskIds,
    patience: &Patience,
    ask: impl Fn(&TaskId) -> blueque::Result<bool>,
    [done, doing]: [&'static str; 2],
) -> anyhow::Result<Code> {
    let end = patience.end();
    tasks.each(session, |id, info| Ok(if !ask(id)? || answered(session, id, info, None, end)? { done } else { doing }))
}

impl Subcommand for Signal {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let end = self.patience.end();
        self.tasks.each(session, |id, info| {
            let number = session.client.call(&session.client.calls().signal(id, &self.name))?;
            Ok(if answered(session, id, info, Some(number), end)? { "delivered" } else { "not yet delivered" })
        })
    }
}
