//! `blueque add`

use std::io::{self, IsTerminal};

use blueque::{QueueName, TaskId};
use clap::{ArgGroup, Args};

use super::Way;
use crate::input::command::{CommandArgs, GIVEN, LINE};
use crate::input::each::EachArgs;
use crate::input::new_task::AddedTask;
use crate::output::{Code, say};
use crate::session::Session;
use crate::subcommand::Subcommand;

#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new(LINE).required(true).multiple(true).args(GIVEN)))]
pub struct Options {
    #[command(flatten)]
    line: CommandArgs,
    #[command(flatten)]
    each: EachArgs,
    #[command(flatten)]
    way: Way,
    #[command(flatten)]
    pub new: AddedTask,
}

impl Subcommand for Options {
    fn run(&self, session: &Session) -> anyhow::Result<Code> {
        let (AddedTask(mut new), command) = (self.new.clone(), self.line.read()?);
        let namespace = session.namespace.as_str();
        self.warn_if_queue(session);
        let Some(lines) = self.each.read()? else {
            new.set_command(command, namespace)?;
            return self.way.submit(session, &new);
        };
        let (id, graph) = new.each(&lines, &command, namespace)?;
        self.way.array(session, (&id, &graph), lines.len().to_string())
    }

    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        self.new.0.waits_for()
    }
}

impl Options {
    /// Warns a person who gives a queue instead of a program.
    fn warn_if_queue(&self, session: &Session) {
        if io::stderr().is_terminal()
            && let Some(name) = self.line.unknown_program()
            && let Ok(queue) = QueueName::new(name)
            && session.unknown(&[queue]).is_ok_and(|unknown| unknown.is_none())
        {
            say(format!("warning: {name} is no program here, but a queue: blueque submit {name} PARAMS"));
        }
    }
}
