//! The commands that the API offers.

use blueque::contract::commands::{Argument, Command, command, commands, type_of};

use crate::actor::Role;

/// Bounds that are lower than those of the contract, so that no call takes the server over 10 ms, and a query is not too
/// long for HTTP: the names of groups have at most 512 bytes.
const LOWER: [(&str, &str, i64); 5] = [
    ("bulk", "limit", 100),
    ("events", "limit", 100),
    ("find", "group", 1024),
    ("get_many", "ids", 100),
    ("peek", "limit", 30),
];

/// A command of the API.
#[derive(Clone, Copy)]
pub(super) struct Offered {
    pub(super) name: &'static str,
    pub(super) command: &'static Command,
    pub(super) role: Role,
}

impl Offered {
    /// Returns the command with this name, unless only workers and maintenance call it.
    pub(super) fn named(name: &str) -> Option<Self> {
        let bundled = blueque::bundle::command(name)?;
        Some(Self { name: bundled.name(), command: command(name)?, role: Role::of_command(name)? })
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        commands().filter_map(|(name, _)| Self::named(name))
    }

    /// Returns true if the command changes nothing.
    pub(super) fn reads(self) -> bool {
        self.command.role.is_none()
    }

    /// The arguments before the options that a call gives. The page sets the time and the caller itself.
    pub(super) fn args(self) -> impl Iterator<Item = &'static Argument> {
        let count = self.command.group.as_ref().map_or("", |group| group.count.as_str());
        self.command.args.iter().filter(move |argument| !["now", "by", count].contains(&argument.name.as_str()))
    }

    pub(super) fn options(self) -> impl Iterator<Item = &'static Argument> {
        self.command.options.iter().filter(move |option| option.name != "by" || self.name == "audit")
    }

    /// Maximum of an argument, or of the number of entries of a group.
    pub(super) fn most(self, name: &str) -> Option<i64> {
        let lower = LOWER.iter().find(|(of, argument, _)| *of == self.name && *argument == name);
        lower.map(|(_, _, most)| *most).or_else(|| {
            let group = self.command.group.as_ref().filter(|group| group.name() == name);
            let count = group.and_then(|group| self.command.args.iter().find(|argument| argument.name == group.count));
            let argument = count.or_else(|| self.command.argument(name))?;
            type_of(&argument.of)?.high
        })
    }

    /// Returns true if an argument can be left out.
    pub(super) fn may_miss(argument: &Argument) -> bool {
        ["cursor", "after", "limit"].contains(&argument.name.as_str())
            || type_of(&argument.of).is_some_and(|of| of.none().is_some())
    }
}
