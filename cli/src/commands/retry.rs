//! `blueque retry`

use blueque::calls::RetryOptions;
use blueque::{Error, Order, TaskId};
use clap::Args;

use crate::input::task_ids::TaskIds;
use crate::input::values::coming;
use crate::output::{Code, fault};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::times::{self, When};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub tasks: TaskIds,
    /// Discard the checkpoint, and start over
    #[arg(long)]
    fresh: bool,
    /// A new deadline: 22:00, tomorrow 8:00, RFC 3339, or 10m (+10m) from now
    #[arg(long, value_name = "TIME", value_parser = coming)]
    deadline: Option<When>,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let how = self
            .deadline
            .into_iter()
            .map(When::time)
            .fold(RetryOptions::new().fresh(self.fresh), RetryOptions::deadline);
        self.tasks.each(session, |id, _| match session.client.call(&session.client.calls().retry(id, &how)) {
            Err(Error::State { code: blueque::Code::Stopping, .. }) => Err(stopping(session, id)),
            retried => Ok(retried?.as_str()),
        })
    }
}

/// Returns the error for a task that cannot be retried yet, because its cancellation is not finished.
fn stopping(session: &Session, id: &TaskId) -> anyhow::Error {
    let why = session.client.call(&session.client.calls().why(id)).ok();
    let killed = why.filter(|why| why.order == Some(Order::Kill));
    let until = killed.and_then(|why| Some((why.deadline?, why.now)));
    let until = until.map_or("until its worker has stopped it".to_owned(), |(at, now)| {
        format!("until {} ({}) at the latest", times::local(at), times::relative(at, now))
    });
    fault(
        Code::Refused,
        format!("STOPPING: it is being cancelled, and its program may still run, {until}: retry it then"),
    )
}
