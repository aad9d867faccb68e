//! The options of `blueque web`.
#![cfg_attr(not(feature = "web"), allow(dead_code, reason = "the options are parsed also without the page"))]

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::input::values::PAGE_PORT;

const USERS_HELP: &str =
    "The file with users and tokens [else BLUEQUE_WEB_USERS, else ~/.config/blueque/web-users if it exists]";

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Options {
    #[command(subcommand)]
    pub(super) word: Option<Word>,
    /// The address on which the page listens. Other addresses than those of this machine need users, or --no-auth
    #[arg(long, value_name = "ADDRESS", default_value_t = format!("127.0.0.1:{PAGE_PORT}"))]
    pub(super) listen: String,
    /// Open the page in the browser
    #[arg(long)]
    pub(super) open: bool,
    /// Change nothing: everybody is a viewer
    #[arg(long)]
    pub(super) read_only: bool,
    /// The file with users and tokens
    #[arg(long, value_name = "FILE", global = true, help = USERS_HELP)]
    pub(super) users: Option<PathBuf>,
    /// The header in which a proxy names the user
    #[arg(long, value_name = "NAME", requires = "proxy_from")]
    pub(super) proxy_user_header: Option<String>,
    /// The role of users whom the proxy names and the users file does not have
    #[arg(long, value_name = "ROLE", default_value = "viewer", value_parser = roles(), requires = "proxy_user_header")]
    pub(super) proxy_role: String,
    /// The addresses of proxies, such as 10.0.0.0/8. Only their headers count
    #[arg(long, value_name = "NETWORK", value_delimiter = ',')]
    pub(super) proxy_from: Vec<String>,
    /// The path below which the page is served, such as /queue
    #[arg(long, value_name = "PATH", default_value = "")]
    pub(super) base_path: String,
    /// The name of the environment, such as production, which every page shows
    #[arg(long, value_name = "TEXT")]
    pub(super) title: Option<String>,
    /// The colour of that name
    #[arg(long, visible_alias = "color", value_name = "COLOUR", value_parser = PossibleValuesParser::new(["red", "orange", "green", "blue", "purple", "grey"]))]
    pub(super) colour: Option<String>,
    /// A server and namespace, NAME=URL#NAMESPACE, or a file with one a line. The page switches between several
    /// [default: that of the other commands, or each partition of the topology]
    #[arg(long = "place", value_name = "NAME=URL")]
    pub(super) places: Vec<String>,
    /// Let everybody in as an admin, without a login
    #[arg(long, conflicts_with_all = ["users", "proxy_user_header"])]
    pub(super) no_auth: bool,
    /// With --no-auth: a name under which browsers reach the page. Not needed for an address, localhost, or a name
    /// without a dot
    #[arg(long = "host", value_name = "NAME", requires = "no_auth", value_delimiter = ',')]
    pub(super) hosts: Vec<String>,
    /// Hide fields of parameters, results and checkpoints: names such as password, *_token, card.number
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub(super) redact: Vec<String>,
}

#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum Word {
    /// Add, change, remove or list users
    #[command(subcommand)]
    User(UserWord),
    /// Add, remove or list bearer tokens for programs
    #[command(subcommand)]
    Token(TokenWord),
}

#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum UserWord {
    /// Add a user, whose password is asked for
    Add {
        /// The name: letters, digits and . _ : @ -
        #[arg(value_name = "NAME")]
        name: String,
        /// What the user may do
        #[arg(long, value_name = "ROLE", default_value = "viewer", value_parser = roles())]
        role: String,
        /// Read the password from stdin
        #[arg(long)]
        password_stdin: bool,
        /// No password: only a proxy may name the user
        #[arg(long, conflicts_with = "password_stdin")]
        no_password: bool,
    },
    /// Remove a user, and end the user's sessions
    Remove {
        /// The name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Change the password of a user, and end the user's sessions
    Password {
        /// The name
        #[arg(value_name = "NAME")]
        name: String,
        /// Read the password from stdin
        #[arg(long)]
        password_stdin: bool,
    },
    /// Change the role of a user
    Role {
        /// The name
        #[arg(value_name = "NAME")]
        name: String,
        /// What the user may do
        #[arg(value_name = "ROLE", value_parser = roles())]
        role: String,
    },
    /// List users and their roles
    Ls,
}

#[derive(Clone, Debug, clap::Subcommand)]
pub(super) enum TokenWord {
    /// Add a token, and print it once
    Add {
        /// The name, which the audit stores
        #[arg(value_name = "NAME")]
        name: String,
        /// What the token may do
        #[arg(long, value_name = "ROLE", default_value = "viewer", value_parser = roles())]
        role: String,
    },
    /// Remove a token
    Remove {
        /// The name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List tokens and their roles
    Ls,
}

fn roles() -> PossibleValuesParser {
    PossibleValuesParser::new(["viewer", "operator", "admin"])
}
