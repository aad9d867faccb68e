//! A subcommand of `blueque`: implemented together with its options, and entered in one list of names.

use std::process::ExitCode;
use std::time::Duration;

use blueque::TaskId;

use crate::input::new_task::NewTaskArgs;
use crate::output::{Code, Format, fault};
use crate::session::Session;
use crate::session::config::Connection;
use crate::session::several::Several;

/// The command line without the options of the subcommand.
#[derive(Clone, Copy)]
pub struct Global<'a> {
    pub connection: &'a Connection,
    pub format: Format,
    /// Returns the definition of the whole command line.
    pub parser: fn() -> clap::Command,
}

impl Global<'_> {
    /// Fails for an option that only single calls have.
    pub fn without_durability(&self) -> anyhow::Result<()> {
        match self.connection.durability {
            Some(_) => Err(fault(Code::Usage, "--durability does not apply to this command")),
            None => Ok(()),
        }
    }
}

/// Which of several partitions a subcommand concerns.
pub enum Scope<'a> {
    /// The partition that the user names.
    Named,
    /// The partition of this task.
    Task(&'a mut String),
    /// The partitions of these tasks.
    Tasks(&'a mut Vec<String>),
    /// The partition of a task to be submitted.
    NewTask(&'a mut NewTaskArgs),
    /// The partitions of these tasks. After success, tasks of other partitions wait again for them.
    Reruns(&'a mut Vec<String>),
    /// All partitions, whose rows are shown together.
    All,
    /// All partitions in turn, because each may ask for confirmation.
    InTurn,
    /// All partitions, each of which applies this limit separately.
    Limit(String),
}

pub trait Subcommand {
    /// Runs the subcommand in one namespace.
    fn run(&self, _: &Session) -> anyhow::Result<Code> {
        Ok(Code::Usage)
    }

    /// Runs a subcommand that opens its own connections, if it needs any. Returns none for all others.
    fn start(&self, _: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        None
    }

    /// Runs a subcommand that combines the data of several partitions itself. Returns none for all others.
    fn combine(&self, _: &Several<'_>) -> Option<anyhow::Result<Code>> {
        None
    }

    /// Returns a value if the subcommand waits for something that may take hours, including the server. The inner value
    /// is the time limit, or none without a limit.
    fn waits(&self) -> Option<Option<Duration>> {
        None
    }

    /// Returns the topology that the arguments define.
    fn topology(&self) -> anyhow::Result<Option<String>> {
        Ok(None)
    }

    /// Returns the upstream ids among the arguments.
    fn upstreams(&mut self) -> Vec<&mut TaskId> {
        Vec::new()
    }

    /// Returns true if upstreams of other partitions get placeholders.
    fn links(&self) -> bool {
        true
    }

    /// Clears the option to run every second. Returns true if it was set.
    fn take_watch(&mut self) -> bool {
        false
    }
}

/// A subcommand, or a group with one chosen subcommand.
pub trait Choice {
    fn chosen(&mut self) -> &mut dyn Subcommand;

    /// Returns the partitions that the chosen subcommand concerns.
    fn scope(&mut self) -> Scope<'_> {
        Scope::Named
    }
}

impl<T: Subcommand> Choice for T {
    fn chosen(&mut self) -> &mut dyn Subcommand {
        self
    }
}

/// Defines the subcommands of `blueque`, or of a group: the name of each, its one-liner, its options, and after `=>` the
/// partitions that it concerns, if they are not `Scope::Named`.
macro_rules! subcommands {
    ($vis:vis enum $group:ident { $($(#[$about:meta])* $name:ident($options:ty) $(=> $scope:expr)?,)* }) => {
        #[derive(Clone, Debug, clap::Subcommand)]
        $vis enum $group { $($(#[$about])* $name($options),)* }

        impl crate::subcommand::Choice for $group {
            fn chosen(&mut self) -> &mut dyn crate::subcommand::Subcommand {
                match self { $(Self::$name(options) => options.chosen(),)* }
            }

            fn scope(&mut self) -> crate::subcommand::Scope<'_> {
                match self { $(Self::$name(options) => crate::subcommand::scope!(options $($scope)?),)* }
            }
        }
    };
}
pub(crate) use subcommands;

macro_rules! scope {
    ($options:ident) => {
        $options.scope()
    };
    ($options:ident $scope:expr) => {
        crate::subcommand::apply($options, $scope)
    };
}
pub(crate) use scope;

/// Calls the function that follows `=>` in a list of subcommands.
pub fn apply<T>(options: &mut T, scope: fn(&mut T) -> Scope<'_>) -> Scope<'_> {
    scope(options)
}
