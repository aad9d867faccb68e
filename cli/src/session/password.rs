//! The server's password: its sources, and its place in a URL. The password is never shown.

use std::fmt;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::diagnosis;
use crate::output::{Code, fault};

/// The forms of a URL, for error texts. They do not repeat the given URL: it may contain a password.
const FORMS: &str = "redis://[user@]host[:port][,host[:port]][/db], unix:///path[?db=N], \
                     redis+sentinel://host[:port],host[:port]/name[/db] or redis+cluster://host[:port],host[:port]; \
                     rediss:// in place of redis:// for TLS";

/// Time limit for each read of the password from stdin.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, PartialEq, Eq)]
pub enum Password {
    Text(String),
    /// Path of a file. The file is read at each connection, because the password may change.
    File(PathBuf),
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

impl Password {
    /// Prepares a command to receive the password. A path is passed as an argument. A text is passed on stdin, where no
    /// other process can read it. Call `hand` after the start of the command.
    pub fn announce(&self, command: &mut Command) {
        match self {
            Self::Text(_) => command.arg("--password-stdin").stdin(Stdio::piped()),
            Self::File(path) => command.arg("--password-file").arg(path),
        };
    }

    /// Writes the text of the password to the started process.
    pub fn hand(&self, child: &mut Child) -> io::Result<()> {
        match (self, child.stdin.take()) {
            (Self::Text(text), Some(mut pipe)) => pipe.write_all(text.as_bytes()),
            _ => Ok(()),
        }
    }

    /// Reads the password that was passed on stdin.
    pub fn from_stdin() -> anyhow::Result<Self> {
        let (stdin, mut text, mut part) = (io::stdin(), Vec::new(), [0; 4096]);
        loop {
            let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
            match poll(&mut polled, PollTimeout::try_from(PATIENCE)?) {
                Ok(0) => anyhow::bail!("no password came through stdin within {PATIENCE:?}"),
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            }
            match nix::unistd::read(&stdin, &mut part)? {
                0 => return Ok(Self::Text(String::from_utf8(text).context("the password is not UTF-8")?)),
                read => text.extend_from_slice(part.get(..read).unwrap_or_default()),
            }
        }
    }
}

/// A server's URL and its password.
#[derive(Clone, Debug)]
pub struct Address {
    /// The URL without the password. It may be shown and stored.
    pub url: String,
    pub password: Option<Password>,
}

impl Address {
    /// Returns the URL with the password or with the password file, or `None` if the URL is malformed. The result is
    /// only for connections and is never shown.
    pub fn secret(&self) -> Option<String> {
        match &self.password {
            Some(Password::File(path)) => {
                let path = path.to_str()?;
                Some(blueque::Address::with_parameter(&self.url, "password_file", path))
            }
            Some(Password::Text(text)) => with_password(&self.url, Some(text)),
            None => Some(self.url.clone()),
        }
    }
}

/// Returns the error for a malformed URL.
pub fn malformed() -> anyhow::Error {
    fault(Code::Usage, format!("the URL of the server must be {FORMS}"))
}

/// Splits a text into a URL and its password.
pub fn split(text: &str) -> anyhow::Result<(String, Option<String>)> {
    if ["rediss", "valkeys"].iter().any(|scheme| text.starts_with(scheme)) && !cfg!(feature = "tls-rustls") {
        return Err(fault(Code::Usage, "this blueque was built without its feature tls-rustls, which adds TLS"));
    }
    let host = |byte| u8::is_ascii_alphanumeric(byte) || b".-:".contains(byte);
    if text.contains(':') && text.as_bytes().iter().all(host) {
        return Err(fault(Code::Usage, format!("{text} is no URL of a server: write redis://{text}/")));
    }
    let address = blueque::Address::parse(&blueque::Address::completed(text)).map_err(|error| match error {
        // The sentence does not repeat the URL.
        blueque::Error::Connection(error) => {
            fault(Code::Usage, format!("{}; it must be {FORMS}", diagnosis::why(&error).0))
        }
        _ => malformed(),
    })?;
    let password = address.password().map(str::to_owned).filter(|password| !password.is_empty());
    Ok((address.to_string(), password))
}

/// Inserts a password into a URL without one.
pub fn with_password(url: &str, password: Option<&str>) -> Option<String> {
    let Some(password) = password.filter(|password| !password.is_empty()) else { return Some(url.to_owned()) };
    blueque::Address::parse(url).ok()?.with_password(password).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Password, with_password};

    #[test]
    fn the_password_goes_into_every_form_of_url() {
        let with = |url| with_password(url, Some("a/b c")).unwrap();
        assert_eq!(with("redis://host:1/2"), "redis://:a%2Fb%20c@host:1/2");
        assert_eq!(with("redis://me@[::1]:1"), "redis://me:a%2Fb%20c@[::1]:1");
        assert_eq!(with("unix:///run/s?db=2"), "unix:///run/s?db=2&pass=a%2Fb+c");
        assert_eq!(with_password("redis://host", None).unwrap(), "redis://host");
    }

    #[test]
    fn a_password_is_not_shown_for_debugging() {
        assert!(!format!("{:?}", Password::Text("s3cret".into())).contains("s3cret"));
    }
}
