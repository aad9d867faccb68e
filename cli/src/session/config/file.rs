//! Reads the configuration file, and files that contain a topology.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use blueque::{Address, Partitions};
use serde::Deserialize;

use crate::file;
use crate::output::{Code, fault, holds_secret, say};
use crate::session::password::{Password, split};

/// Maximum size of a file. A topology of a thousand partitions with long addresses has 200 KiB.
const LARGEST: u64 = 4 << 20;

/// The file that applies to all users without a file of their own.
const OF_MACHINE: &str = "/etc/blueque/config.toml";

/// The configuration file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    pub url: Option<String>,
    pub namespace: Option<String>,
    pub topology: Option<String>,
    password: Option<String>,
    #[serde(rename = "password_file")]
    secret: Option<PathBuf>,
}

impl ConfigFile {
    /// Reads the named file, or else the first default file that exists: the user's, or the machine's.
    pub fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        let named = named.map(Path::to_owned).or_else(|| variable("BLUEQUE_CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            return Self::read(&path);
        }
        let base = variable("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".config")));
        let own = base.map(|base| base.join("blueque/config.toml")).filter(|path| path.exists());
        // The machine's file may be closed to this user, who then has the defaults.
        match own.or_else(|| Some(PathBuf::from(OF_MACHINE)).filter(|path| fs::File::open(path).is_ok())) {
            Some(path) => Self::read(&path),
            None => Ok(Self::default()),
        }
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = file::text(path, LARGEST)
            .map_err(|error| fault(Code::Usage, format!("the configuration file {shown} cannot be read: {error}")))?;
        // The full error quotes the line, which may contain a password.
        let file: Self = toml::from_str(&text).map_err(|error| {
            let line =
                error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.split('\n').count());
            fault(Code::Usage, format!("the configuration file {shown}, line {line}: {}", about(&error)))
        })?;
        if file.has_password() && file.url.is_none() && file.topology.is_none() {
            let text = "has a password, but names no server for it: add `url` or `topology`";
            return Err(fault(Code::Usage, format!("the configuration file {shown} {text}")));
        }
        let places = [&file.url, &file.topology];
        if file.password.is_some() || places.iter().any(|place| place.as_deref().is_some_and(holds_secret)) {
            warn_if_open(path);
        }
        Ok(file)
    }

    fn has_password(&self) -> bool {
        self.password.is_some() || self.secret.is_some()
    }

    /// Returns the password for the server at this URL, or `None` if the file does not name this server.
    pub fn password(&self, url: &str) -> anyhow::Result<Option<Password>> {
        if !self.has_password() || !self.names(url) {
            return Ok(None);
        }
        let Some(path) = &self.secret else { return Ok(self.password.clone().map(Password::Text)) };
        warn_if_open(path);
        Ok(Some(Password::File(std::path::absolute(path)?)))
    }

    /// Returns true if the file contains this URL, directly or in its topology.
    fn names(&self, url: &str) -> bool {
        let wanted = place(url);
        let is = |known: &str| wanted.is_some() && split(known).is_ok_and(|(known, _)| place(&known) == wanted);
        if self.url.as_deref().is_some_and(is) {
            return true;
        }
        let Some(text) = self.topology.as_deref().and_then(|topology| addresses("topology", topology).ok()) else {
            return false;
        };
        let Ok(partitions) = Partitions::open(&text) else { return false };
        partitions.names().any(|name| partitions.address(name).is_ok_and(|(url, _)| is(url)))
    }
}

/// Returns true if TLS protects the connection, and the server with its database and user.
fn place(url: &str) -> Option<(bool, String)> {
    let tls = ["rediss", "valkeys"].iter().any(|scheme| url.starts_with(scheme));
    Some((tls, Address::parse(url).ok()?.identity()))
}

/// Returns the addresses of a topology, which is a list, or the path of a file with one address per line. Empty lines,
/// and lines that begin with `#`, are skipped.
pub fn addresses(given_by: &str, topology: &str) -> anyhow::Result<String> {
    if topology.contains("://") {
        return Ok(topology.to_owned());
    }
    let path = Path::new(topology);
    let text = file::text(path, LARGEST).map_err(|error| {
        // A text with one of these characters is a malformed list and no path. It may contain a password.
        let shown = if topology.contains(['@', '=', '?']) { String::new() } else { format!(", {topology},") };
        let what = "is neither a list of addresses, NAME=URL,NAME=URL, nor a file that can be read";
        fault(Code::Usage, format!("{given_by}{shown} {what}: {error}"))
    })?;
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if lines.iter().any(|line| holds_secret(line)) {
        warn_if_open(path);
    }
    Ok(lines.join(","))
}

/// Warns once if a file with a password is readable by others.
pub fn warn_if_open(path: &Path) {
    static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
        && WARNED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned())
    {
        let shown = path.display();
        say(format!("warning: {shown} holds a password and others may read it: chmod 600 {shown}"));
    }
}

/// Returns an environment variable. An empty variable counts as absent.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Describes the error without the values of the file.
fn about(error: &toml::de::Error) -> String {
    let message = error.message();
    if message.starts_with("unknown field") || message.starts_with("missing field") {
        message.to_owned()
    } else {
        "not TOML, or a value that is no text; it may have url, namespace, topology, password, password_file".to_owned()
    }
}
