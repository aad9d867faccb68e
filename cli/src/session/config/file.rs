//! Reads the configuration file, and files that contain a topology.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use blueque::{Address, Partitions};
use serde::Deserialize;

use super::targets::{Targets, Written, checked};
use crate::file;
use crate::output::badge::{self, Colour};
use crate::output::{Code, fault, holds_secret, redact, say};
use crate::session::password::{Password, split};

/// Maximum size of a file. A topology of a thousand partitions with long addresses has 200 KiB.
const LARGEST: u64 = 4 << 20;

/// The file that applies to all users without a file of their own.
const OF_MACHINE: &str = "/etc/blueque/config.toml";

/// The file, next to the user's configuration file, with the name of the profile that `blueque profile use` chose.
const CHOICE: &str = "profile";

/// Variables that describe a server. If a profile is named, none of them may be set.
const OF_SERVERS: [&str; 6] = [
    "BLUEQUE_URL",
    "BLUEQUE_TOPOLOGY",
    "BLUEQUE_NAMESPACE",
    "BLUEQUE_USER",
    "BLUEQUE_PASSWORD",
    "BLUEQUE_PASSWORD_FILE",
];

/// The configuration file, or one of its profiles.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    pub url: Option<String>,
    pub namespace: Option<String>,
    pub topology: Option<String>,
    password: Option<String>,
    #[serde(rename = "password_file")]
    secret: Option<PathBuf>,
    /// The colour of the profile's name on terminals.
    colour: Option<Colour>,
    #[serde(default)]
    profiles: BTreeMap<String, ConfigFile>,
    /// The targets of notices.
    #[serde(default)]
    notify: BTreeMap<String, Written>,
}

/// The profiles of a configuration file.
#[derive(Default)]
pub struct Profiles {
    /// The path of the file. `None` if there is no file.
    pub path: Option<PathBuf>,
    /// The names, with the URL or the topology of each.
    pub all: Vec<(String, String)>,
    /// The profile in use.
    pub current: Option<String>,
}

impl ConfigFile {
    /// Returns the settings of the file that belong to no profile.
    pub fn without_profile(named: Option<&Path>) -> anyhow::Result<Self> {
        path(named).map_or_else(|| Ok(Self::default()), |path| Self::read(&path))
    }

    /// Returns the profile in use, or else the settings of the file that belong to no profile.
    pub fn find(named: Option<&Path>, profile: Option<&str>) -> anyhow::Result<Self> {
        let Some(path) = path(named) else {
            return profile.map_or_else(|| Ok(Self::default()), |name| Err(absent(name, None, &[])));
        };
        let file = Self::read(&path)?;
        let chosen = match profile {
            Some(name) => Some(name.to_owned()),
            None => choice(named)?,
        };
        let Some(name) = chosen else { return Ok(file) };
        if profile.is_some()
            && let Some(set) = OF_SERVERS.into_iter().find(|name| variable(name).is_some())
        {
            let text = format!("the profile {name} has its own server, and {set} is set: unset it");
            return Err(fault(Code::Usage, text));
        }
        let all: Vec<&str> = file.profiles.keys().map(String::as_str).collect();
        let found = file.profiles.get(&name).cloned().ok_or_else(|| absent(&name, Some(&path), &all))?;
        badge::set(name, found.colour);
        Ok(found)
    }

    /// Returns the profiles of the file, for people.
    pub fn profiles(named: Option<&Path>, profile: Option<&str>) -> anyhow::Result<Profiles> {
        let Some(path) = path(named) else { return Ok(Profiles::default()) };
        let file = Self::read(&path)?;
        let place = |profile: &Self| profile.url.clone().or_else(|| profile.topology.clone()).unwrap_or_default();
        let all = file.profiles.iter().map(|(name, profile)| (name.clone(), redact(&place(profile)))).collect();
        let current = profile.map(str::to_owned).map_or_else(|| choice(named), |name| Ok(Some(name)))?;
        Ok(Profiles { path: Some(path), all, current })
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
        let nests = |profile: &Self| !(profile.profiles.is_empty() && profile.notify.is_empty());
        if file.colour.is_some() || file.profiles.values().any(nests) {
            let text = "has `colour` outside a profile, or a profile or `notify` in a profile";
            return Err(fault(Code::Usage, format!("the configuration file {shown} {text}")));
        }
        for part in file.profiles.values().chain([&file]) {
            if part.has_password() && part.url.is_none() && part.topology.is_none() {
                let text = "has a password, but names no server for it: add `url` or `topology`";
                return Err(fault(Code::Usage, format!("the configuration file {shown} {text}")));
            }
            let places = [&part.url, &part.topology];
            if part.password.is_some() || places.iter().any(|place| place.as_deref().is_some_and(holds_secret)) {
                warn_if_open(path);
            }
        }
        Ok(file)
    }

    /// Returns the targets of notices, which are outside the profiles.
    pub fn targets(named: Option<&Path>) -> anyhow::Result<Targets> {
        let Some(path) = path(named) else { return Ok(Targets::new()) };
        let targets = checked(&Self::read(&path)?.notify)
            .map_err(|why| fault(Code::Usage, format!("the configuration file {}: {why}", path.display())))?;
        targets.values().filter_map(|target| target.way.secret()).for_each(warn_if_open);
        Ok(targets)
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

/// Returns the folder of the user's configuration.
fn own_folder() -> Option<PathBuf> {
    let base = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    base.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config"))).map(|base| base.join("blueque"))
}

/// Returns the path of the named file, or else of the first default file that exists: the user's, or the machine's.
fn path(named: Option<&Path>) -> Option<PathBuf> {
    let named = named.map(Path::to_owned).or_else(|| variable("BLUEQUE_CONFIG").map(PathBuf::from));
    let own = || own_folder().map(|folder| folder.join("config.toml")).filter(|path| path.exists());
    // The machine's file may be closed to this user, who then has the defaults.
    let of_machine = || Some(PathBuf::from(OF_MACHINE)).filter(|path| fs::File::open(path).is_ok());
    named.or_else(own).or_else(of_machine)
}

/// Returns the chosen profile of the default files. A named file has no chosen profile, and a server in the environment
/// overrides it.
fn choice(named: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = own_folder().map(|folder| folder.join(CHOICE)) else { return Ok(None) };
    let elsewhere =
        ["BLUEQUE_CONFIG", "BLUEQUE_URL", "BLUEQUE_TOPOLOGY"].into_iter().any(|name| variable(name).is_some());
    if named.is_some() || elsewhere || !path.exists() {
        return Ok(None);
    }
    let text = file::text(&path, LARGEST).map_err(|error| {
        fault(Code::Usage, format!("the chosen profile {} cannot be read: {error}", path.display()))
    })?;
    Ok(Some(text.trim().to_owned()).filter(|name| !name.is_empty()))
}

/// Chooses the profile of the default files that commands use. `None` removes the choice.
pub fn choose(named: Option<&Path>, name: Option<&str>) -> anyhow::Result<()> {
    if named.is_some() || variable("BLUEQUE_CONFIG").is_some() {
        let text = "a choice applies to the default configuration file only: leave out --config and BLUEQUE_CONFIG";
        return Err(fault(Code::Usage, text));
    }
    if let Some(name) = name {
        let Profiles { path, all, .. } = ConfigFile::profiles(named, None)?;
        let all: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        if !all.contains(&name) {
            return Err(absent(name, path.as_deref(), &all));
        }
    }
    let folder = own_folder().context("no place for the choice: set HOME or XDG_CONFIG_HOME")?;
    let path = folder.join(CHOICE);
    match name {
        Some(name) => fs::create_dir_all(&folder).and_then(|()| fs::write(&path, format!("{name}\n"))),
        None => fs::remove_file(&path).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        }),
    }
    .with_context(|| format!("{} cannot be written", path.display()))
}

fn absent(name: &str, path: Option<&Path>, names: &[&str]) -> anyhow::Error {
    let there = if names.is_empty() { "no profiles".to_owned() } else { names.join(" ") };
    let text = match path {
        Some(path) => format!("{} has no profile {name}: it has {there}", path.display()),
        None => format!("there is no configuration file, and so no profile {name}"),
    };
    fault(Code::Usage, text)
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
        "not TOML, or a wrong value; it may have url, namespace, topology, password, password_file, profiles, and notify"
            .to_owned()
    }
}
