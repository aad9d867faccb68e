//! `blueque web`: the page on which people watch and steer tasks, its users and its tokens.

#[cfg(feature = "web")]
mod accounts;
mod options;
#[cfg(feature = "web")]
mod sentence;
#[cfg(feature = "web")]
mod serve;

use std::process::ExitCode;

pub use options::Options;
#[cfg(feature = "web")]
use options::Word;

use crate::subcommand::{Global, Subcommand};

impl Subcommand for Options {
    #[cfg(feature = "web")]
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let run = || match &self.word {
            None => serve::run(self, global.connection),
            Some(Word::User(word)) => accounts::user(word, self.users.as_deref(), global.format),
            Some(Word::Token(word)) => accounts::token(word, self.users.as_deref(), global.format),
        };
        Some(global.without_durability().and_then(|()| run()))
    }

    #[cfg(not(feature = "web"))]
    fn start(&self, _: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        let text = "this blueque was built without its page: build it with the feature `web`";
        Some(Err(crate::output::fault(crate::output::Code::Usage, text)))
    }
}
