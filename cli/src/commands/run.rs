//! `blueque run`

use blueque::{Error, TaskId, TaskInfo};
use clap::Args;

use crate::follow::interrupts::Interrupts;
use crate::follow::printer::Streams;
use crate::follow::{Follower, ended, left};
use crate::input::last_id;
use crate::input::new_task::NewTaskArgs;
use crate::output::{Code, Format, line, say};
use crate::session::Session;
use crate::subcommand::Subcommand;
use crate::view::{cost, unserved};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(flatten)]
    pub new: NewTaskArgs,
}

impl Subcommand for Options {
    /// Submits a task and follows it. Returns the exit code of the program if the program failed with one.
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let interrupts = Interrupts::hear()?;
        let (id, _) = self.new.submit(session, true, false)?;
        let shown = session.global_id(&id);
        last_id::keep(session, shown.as_str());
        unserved::warn(session, &id, self.new.method().as_deref(), true);
        if session.format == Format::Id {
            line(shown.as_str())?;
        } else {
            say(format!("{shown} submitted"));
        }
        let streams = if session.format == Format::Table { Streams::Same } else { Streams::Talk };
        let mut follower = Follower::new(session, &id, streams);
        let ended = to_the_end(session, &id, &mut follower, &interrupts);
        let Some(info) = ended.map_err(|error| left(&shown, error))? else {
            drop(follower);
            return Ok(Code::Cancelled);
        };
        let wrote = follower.wrote();
        // The record has the exit code if a supervisor reported it. Other workers report it only in the log, which may
        // be incomplete.
        let exit = info.cost().and_then(cost::read).map_or_else(
            || {
                let (_, end) = follower.exit().filter(|(attempt, _)| *attempt == info.attempt())?;
                end.cost.exit
            },
            |cost| cost.exit,
        );
        drop(follower);
        match session.format {
            // If the log wrote to stdout, it has shown the result of the program.
            Format::Table if !wrote => ended::write_result(&info)?,
            Format::Table | Format::Id => {}
            format => ended::write(format, &shown, &info)?,
        }
        ended::report(&shown, &info);
        let verdict = ended::verdict(&info);
        let programs =
            exit.and_then(|code| u8::try_from(code).ok()).filter(|&code| verdict == Code::Failed && code != 0);
        Ok(programs.map_or(verdict, Code::Program))
    }

    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        self.new.waits_for()
    }
}

/// Follows the task to its end. Returns `None` if a second interrupt stopped the wait.
fn to_the_end(
    session: &Session,
    id: &TaskId,
    follower: &mut Follower<'_>,
    interrupts: &Interrupts,
) -> anyhow::Result<Option<TaskInfo>> {
    let interrupted = || interrupts.came();
    if let Some(info) = follower.follow(&interrupted)? {
        return Ok(Some(info));
    }
    Interrupts::end_line();
    say(format!("cancelling {id}; interrupt again to leave it"));
    loop {
        let cancelled = session.client.task(id.as_str())?.cancel("interrupted");
        // If the task ended before the cancellation, its end is reported.
        let cancelled = match cancelled {
            Err(Error::State { .. }) => Ok(()),
            cancelled => cancelled.map(|_| ()),
        };
        if follower.survive(cancelled.map_err(Into::into))?.is_some() {
            let info = follower.follow(&interrupted)?;
            if info.is_none() {
                say(format!("{id} is still being cancelled; blueque show {id}"));
            }
            return Ok(info);
        }
        if interrupted() {
            say(format!("{id} may not be cancelled: the server does not reply; blueque show {id}"));
            return Ok(None);
        }
    }
}
