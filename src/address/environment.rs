//! Settings of the server in the environment, in addition to its URL.

use std::env;

use super::Address;
use crate::error::Result;

const DEFAULT_URL: &str = "redis://127.0.0.1:6379/";

/// Each variable, with its URL parameter and the kind of URL to which it applies.
const PARAMETERS: [(&str, &str, Kind); 6] = [
    ("BLUEQUE_PASSWORD_FILE", "password_file", Kind::Any),
    ("BLUEQUE_CA", "ca", Kind::Tls),
    ("BLUEQUE_CERT", "cert", Kind::Tls),
    ("BLUEQUE_KEY", "key", Kind::Tls),
    ("BLUEQUE_SENTINEL_USER", "sentinel_user", Kind::Sentinel),
    ("BLUEQUE_SENTINEL_PASSWORD_FILE", "sentinel_password_file", Kind::Sentinel),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Tls,
    Sentinel,
}

impl Address {
    /// Returns the address from the environment, with the variables of the command-line tool.
    ///
    /// | variable | is |
    /// |---|---|
    /// | `BLUEQUE_URL` | the URL; `redis://127.0.0.1:6379/` without it |
    /// | `BLUEQUE_USER` | the user, unless the URL has one |
    /// | `BLUEQUE_PASSWORD` | the password, before any other |
    /// | `BLUEQUE_PASSWORD_FILE` `BLUEQUE_CA` `BLUEQUE_CERT` `BLUEQUE_KEY` `BLUEQUE_SENTINEL_USER` `BLUEQUE_SENTINEL_PASSWORD_FILE` | the URL parameters with these names, unless the URL has them |
    ///
    /// # Errors
    /// The errors of [`Address::parse`].
    pub fn from_env() -> Result<Self> {
        let url = Self::completed(&variable("BLUEQUE_URL").unwrap_or_else(|| DEFAULT_URL.to_owned()));
        let address = Self::parse(&url)?;
        match variable("BLUEQUE_PASSWORD") {
            Some(password) => Self::parse(&address.with_password(&password)?),
            None => Ok(address),
        }
    }

    /// All variables that [`Address::from_env`] reads.
    pub fn variables() -> impl Iterator<Item = &'static str> {
        ["BLUEQUE_URL", "BLUEQUE_USER", "BLUEQUE_PASSWORD"].into_iter().chain(PARAMETERS.map(|(name, ..)| name))
    }

    /// Returns the URL, completed with the user and the files from the environment, but without the password.
    #[must_use]
    pub fn completed(url: &str) -> String {
        complete(url, &variable)
    }
}

/// Returns the value of a variable. An empty variable counts as absent.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn complete(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let Some((scheme, _)) = url.split_once("://") else { return url.to_owned() };
    let tls = ["rediss", "valkeys"].iter().any(|known| scheme.split('+').next() == Some(known));
    let mut url = url.to_owned();
    if let Some(user) = variable("BLUEQUE_USER")
        && Address::parse(&url).is_ok_and(|address| address.has_no_user())
    {
        url = with_user(&url, &user).unwrap_or(url);
    }
    for (name, parameter, kind) in PARAMETERS {
        let matters = match kind {
            Kind::Any => true,
            Kind::Tls => tls,
            Kind::Sentinel => scheme.ends_with("+sentinel"),
        };
        if let Some(value) = variable(name).filter(|_| matters) {
            url = with_parameter(&url, parameter, &value);
        }
    }
    url
}

/// Returns the URL with an added parameter. A parameter that the URL already has is not changed.
pub(super) fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    if query.split('&').any(|pair| pair.split('=').next() == Some(name)) {
        return url.to_owned();
    }
    let Some(mut pair) = redis::parse_redis_url("redis://host/") else { return url.to_owned() };
    pair.query_pairs_mut().append_pair(name, value);
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}{}", pair.query().unwrap_or_default())
}

/// Adds a user to a URL without a user.
fn with_user(url: &str, user: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if scheme.ends_with("unix") {
        return Some(with_parameter(url, "user", user));
    }
    let mut one = redis::parse_redis_url("redis://host/")?;
    one.set_username(user).ok()?;
    let user = one.username();
    // The URL may have a password without a user.
    let joint = if rest.starts_with(':') { "" } else { "@" };
    Some(format!("{scheme}://{user}{joint}{rest}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Address, complete};

    #[test]
    fn the_environment_says_what_the_url_leaves_out() {
        let variables = |name: &str| {
            let value = match name {
                "BLUEQUE_USER" => "me/you",
                "BLUEQUE_PASSWORD_FILE" => "/run/a file",
                "BLUEQUE_CA" => "/ca",
                "BLUEQUE_SENTINEL_PASSWORD_FILE" => "/s",
                _ => return None,
            };
            Some(value.to_owned())
        };
        for (url, completed) in [
            ("redis://a/1", "redis://me%2Fyou@a/1?password_file=%2Frun%2Fa+file"),
            ("redis://you@a", "redis://you@a?password_file=%2Frun%2Fa+file"),
            ("redis://:s3@a", "redis://me%2Fyou:s3@a?password_file=%2Frun%2Fa+file"),
            ("unix:///s?db=1&password_file=/p", "unix:///s?db=1&password_file=/p&user=me%2Fyou"),
            ("rediss://you@a,b?ca=/x", "rediss://you@a,b?ca=/x&password_file=%2Frun%2Fa+file"),
            (
                "redis+sentinel://you@a/m",
                "redis+sentinel://you@a/m?password_file=%2Frun%2Fa+file&sentinel_password_file=%2Fs",
            ),
        ] {
            let found = complete(url, &variables);
            assert_eq!(found, completed, "{url}");
            assert!(Address::parse(&found).unwrap().password_file().is_some(), "{url}");
        }
    }
}
