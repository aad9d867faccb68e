//! `blueque profile`: servers with names, in the configuration file.

use std::process::ExitCode;

use clap::Args;

use crate::output::table::{Cell, Column, Row, write};
use crate::output::{Code, say};
use crate::session::config::Profiles;
use crate::subcommand::{Global, Subcommand};

#[derive(Args, Clone, Debug)]
pub struct Options {
    #[command(subcommand)]
    word: Option<Word>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Word {
    /// List the profiles of the configuration file
    Ls,
    /// Use a profile for all further commands of this user
    Use {
        /// The profile
        #[arg(required_unless_present = "none", conflicts_with = "none")]
        name: Option<String>,
        /// Use no profile
        #[arg(long)]
        none: bool,
    },
}

/// A profile of the configuration file.
#[derive(serde::Serialize)]
struct Profile {
    name: String,
    url: String,
    current: bool,
}

impl Row for Profile {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("profile"), |row| row.name.clone()),
        (Column::text("url"), |row| row.url.clone()),
        (Column::whole("in use"), |row| if row.current { "yes".into() } else { String::new() }),
    ];

    fn id(&self) -> String {
        self.name.clone()
    }
}

impl Subcommand for Options {
    fn start(&self, global: &Global<'_>) -> Option<anyhow::Result<ExitCode>> {
        Some(self.done(global).map(|()| Code::Ok.into()))
    }
}

impl Options {
    fn done(&self, global: &Global<'_>) -> anyhow::Result<()> {
        global.without_durability()?;
        if let Some(Word::Use { name, .. }) = &self.word {
            return global.connection.choose_profile(name.as_deref());
        }
        let Profiles { path, all, current } = global.connection.profiles()?;
        if all.is_empty() {
            let file =
                path.map_or_else(|| "~/.config/blueque/config.toml".to_owned(), |path| path.display().to_string());
            say(format!("{file} has no profiles: add [profiles.NAME] with url, namespace, password_file, colour"));
        }
        let row = |(name, url): (String, String)| Profile { current: current.as_ref() == Some(&name), name, url };
        write(global.format, &all.into_iter().map(row).collect::<Vec<_>>())
    }
}
