//! The targets of notices, `[notify.NAME]` in the configuration file. Tasks name targets, so that no task can make a
//! worker call an address or a program that its operator has not allowed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use blueque::QueueName;
use serde::Deserialize;

/// Time limit of a delivery: by default, and the longest. A taken notice must be answered within a minute.
const USUAL: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(40);

/// A table `[notify.NAME]`, as written.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    url: Option<String>,
    secret_file: Option<PathBuf>,
    command: Option<Vec<String>>,
    timeout: Option<String>,
}

/// A target.
#[derive(Clone)]
pub struct Target {
    pub way: Way,
    /// Time limit of a delivery.
    pub timeout: Duration,
}

/// How a notice reaches its target.
#[derive(Clone)]
pub enum Way {
    /// A POST to this URL. The URL may be as secret as a password, so no message contains it. The file has the secret
    /// that signs the notices.
    Webhook { url: String, secret: Option<PathBuf> },
    /// A program with its arguments.
    Command(Vec<String>),
}

impl Way {
    /// Returns the file with the secret.
    pub fn secret(&self) -> Option<&Path> {
        match self {
            Self::Webhook { secret, .. } => secret.as_deref(),
            Self::Command(_) => None,
        }
    }
}

/// The targets by their names.
pub type Targets = BTreeMap<String, Target>;

/// Checks the tables. The error is a sentence without its subject, the file, and contains no URL.
pub fn checked(written: &BTreeMap<String, Written>) -> Result<Targets, String> {
    let one = |(name, written): (&String, &Written)| match target(name, written) {
        Ok(target) => Ok((name.clone(), target)),
        Err(why) => Err(format!("[notify.{name}] {why}")),
    };
    written.iter().map(one).collect()
}

fn target(name: &str, written: &Written) -> Result<Target, String> {
    let plain = name.len() <= 64 && QueueName::new(name).is_ok() && !name.contains([':', '@']) && name != "none";
    if !plain {
        return Err("needs another name: 1 to 64 letters, digits, _ . and -, and not none".into());
    }
    let timeout = written.timeout.as_deref().map_or(Ok(USUAL), |text| {
        let time = humantime::parse_duration(text).ok();
        let fits = time.filter(|time| (Duration::from_secs(1)..=LONGEST).contains(time));
        fits.ok_or("has a wrong `timeout`: it is 1s to 40s, such as \"10s\"")
    })?;
    let way = match written {
        Written { url: Some(url), secret_file, command: None, .. } => {
            let scheme = url.split_once("://").map(|(scheme, _)| scheme);
            match scheme {
                Some("https") if cfg!(feature = "tls-rustls") => {}
                Some("http") => {}
                Some("https") => return Err("has an https URL, for which this build lacks TLS".into()),
                _ => return Err("has a `url` that begins with neither https:// nor http://".into()),
            }
            if secret_file.as_ref().is_some_and(|path| path.is_relative()) {
                return Err("has a `secret_file` without a full path".into());
            }
            Way::Webhook { url: url.clone(), secret: secret_file.clone() }
        }
        Written { url: None, secret_file: None, command: Some(command), .. } => {
            if !command.first().is_some_and(|program| program.starts_with('/')) {
                return Err("has a `command` that does not begin with the full path of a program".into());
            }
            Way::Command(command.clone())
        }
        _ => return Err("needs either `url`, and `secret_file` to sign, or `command`".into()),
    };
    Ok(Target { way, timeout })
}
