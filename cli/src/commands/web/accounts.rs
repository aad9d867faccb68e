//! `blueque web user` and `blueque web token`: the users file.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use blueque_web::Role;
use blueque_web::access::{Hash, UsersError, UsersFile};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use serde::Serialize;

use super::options::{TokenWord, UserWord};
use crate::output::table::{self, Cell, Column, Row};
use crate::output::{Code, Format, fault, line, say};

/// Returns the users file: that of the option, the environment, or the folder of configuration files.
pub fn file(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = named.map(Path::to_owned).or_else(|| of("BLUEQUE_WEB_USERS"));
    let base = || of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")));
    let found = named.or_else(|| Some(base()?.join("blueque/web-users")));
    found.ok_or_else(|| fault(Code::Usage, "there is no home folder: name the users file with --users"))
}

/// A user or a token.
#[derive(Serialize)]
struct View {
    name: String,
    role: &'static str,
    login: &'static str,
}

impl Row for View {
    const COLUMNS: &'static [Cell<Self>] = &[
        (Column::whole("name"), |row| row.name.clone()),
        (Column::text("role"), |row| row.role.to_owned()),
        (Column::text("login"), |row| row.login.to_owned()),
    ];
}

pub fn user(word: &UserWord, named: Option<&Path>, format: Format) -> anyhow::Result<ExitCode> {
    let file = UsersFile::new(file(named)?);
    match word {
        UserWord::Add { name, role, password_stdin, no_password } => {
            // A name that is taken is refused before the password is asked for.
            file.users().map_err(explained)?.has_room_for(name).map_err(explained)?;
            let hash = if *no_password { None } else { Some(password(*password_stdin)?) };
            file.change(|users| users.add_user(name, named_role(role), hash)).map_err(explained)?;
            say(format!("{name} is in {}, as {role}", file.path().display()));
        }
        UserWord::Remove { name } => file.change(|users| users.remove_user(name)).map_err(explained)?,
        UserWord::Password { name, password_stdin } => {
            if file.users().map_err(explained)?.user(name).is_none() {
                return Err(explained(UsersError::Missing(format!("the user {name}"))));
            }
            let hash = password(*password_stdin)?;
            file.change(|users| users.change_user(name, None, Some(hash))).map_err(explained)?;
        }
        UserWord::Role { name, role } => {
            file.change(|users| users.change_user(name, Some(named_role(role)), None)).map_err(explained)?;
        }
        UserWord::Ls => {
            let users = file.users().map_err(explained)?;
            let login = |has: bool| if has { "password" } else { "proxy" };
            let view = |user: &blueque_web::access::User| View {
                name: user.name.clone(),
                role: user.role.as_str(),
                login: login(user.hash.is_some()),
            };
            table::write(format, &users.users().iter().map(view).collect::<Vec<_>>())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn token(word: &TokenWord, named: Option<&Path>, format: Format) -> anyhow::Result<ExitCode> {
    let file = UsersFile::new(file(named)?);
    match word {
        TokenWord::Add { name, role } => {
            let text = file.change(|users| users.add_token(name, named_role(role))).map_err(explained)?;
            say(format!("{name} is in {}, as {role}; the token is shown only now:", file.path().display()));
            line(text)?;
        }
        TokenWord::Remove { name } => file.change(|users| users.remove_token(name)).map_err(explained)?,
        TokenWord::Ls => {
            let users = file.users().map_err(explained)?;
            let view = |token: &blueque_web::access::Token| View {
                name: token.name.clone(),
                role: token.role.as_str(),
                login: "token",
            };
            table::write(format, &users.tokens().iter().map(view).collect::<Vec<_>>())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The role with this name, which the arguments have checked.
pub fn named_role(name: &str) -> Role {
    name.parse().unwrap_or(Role::Viewer)
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn explained(error: UsersError) -> anyhow::Error {
    let code = match &error {
        UsersError::Missing(_) => Code::NotFound,
        UsersError::Exists(_) => Code::Refused,
        UsersError::Io(..) | UsersError::Random => Code::Failed,
        _ => Code::Usage,
    };
    fault(code, error.to_string())
}

/// Asks for a password twice, or reads it from stdin.
fn password(from_stdin: bool) -> anyhow::Result<Hash> {
    let given = if from_stdin {
        let mut text = String::new();
        io::stdin().lock().read_line(&mut text)?;
        text.trim_end_matches(['\r', '\n']).to_owned()
    } else {
        if !io::stdin().is_terminal() {
            return Err(fault(
                Code::Usage,
                "the password is asked for at a terminal: add --password-stdin to read it from stdin",
            ));
        }
        let first = hidden("Password: ")?;
        if hidden("Again: ")? != first {
            return Err(fault(Code::Usage, "the passwords differ: nothing was changed"));
        }
        first
    };
    Hash::new(&given).map_err(|error| fault(Code::Usage, error.to_string()))
}

/// Reads a line from the terminal without showing it.
fn hidden(prompt: &str) -> anyhow::Result<String> {
    let stdin = io::stdin();
    let shown = tcgetattr(&stdin).context("the terminal cannot be used")?;
    let mut silent = shown.clone();
    silent.local_flags.remove(LocalFlags::ECHO);
    silent.local_flags.insert(LocalFlags::ECHONL);
    let mut talk = io::stderr().lock();
    write!(talk, "{prompt}")?;
    talk.flush()?;
    tcsetattr(&stdin, SetArg::TCSAFLUSH, &silent)?;
    let mut text = String::new();
    let read = stdin.lock().read_line(&mut text);
    tcsetattr(&stdin, SetArg::TCSAFLUSH, &shown)?;
    read?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
