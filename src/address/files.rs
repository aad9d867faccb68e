//! The parameters of an address: files with passwords and certificates, which are read at each connection, and the
//! choice between master and replica.

use std::fs;
use std::io::{self, Read};

use redis::{ErrorKind, RedisConnectionInfo, RedisError, RedisResult};

/// Maximum size of a password file.
const LONGEST: u64 = 64 << 10;

/// Maximum size of a file with certificates. The certificate bundle of an operating system has a quarter of this size.
#[cfg(feature = "tls-rustls")]
const LARGEST: u64 = 1 << 20;

/// The parameters of all URLs. None of them holds a secret, unlike `pass`.
pub(super) const PARAMETERS: [&str; 8] =
    ["protocol", "password_file", "sentinel_password_file", "sentinel_user", "read", "ca", "cert", "key"];

/// The additional parameters of socket URLs, except the password.
pub(super) const OF_SOCKETS: [&str; 2] = ["db", "user"];
const PASSWORD: &str = "pass";

const UNKNOWN: &str = "the URL has a parameter that is not known: it may have protocol, password_file, \
                       sentinel_password_file, sentinel_user, read, ca, cert and key, and of a unix:// URL db, user and \
                       pass";

/// The files, as absolute paths, and the other parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pub(super) password: Option<String>,
    sentinel_password: Option<String>,
    sentinel_user: Option<String>,
    /// True if the client uses a replica when one is connected.
    pub(super) replica: bool,
    // Paths of the certificates and of the key, in PEM format.
    #[cfg_attr(not(feature = "tls-rustls"), allow(dead_code))]
    ca: Option<String>,
    #[cfg_attr(not(feature = "tls-rustls"), allow(dead_code))]
    cert: Option<String>,
    #[cfg_attr(not(feature = "tls-rustls"), allow(dead_code))]
    key: Option<String>,
}

impl Files {
    /// Reads the parameters of a URL.
    pub(super) fn of(url: &str) -> RedisResult<Self> {
        let mut files = Self::default();
        let Some(url) = redis::parse_redis_url(url) else { return Ok(files) };
        for (name, value) in url.query_pairs() {
            let file = match name.as_ref() {
                "password_file" => &mut files.password,
                "sentinel_password_file" => &mut files.sentinel_password,
                "sentinel_user" => &mut files.sentinel_user,
                "read" => {
                    files.replica = match value.as_ref() {
                        "replica" => true,
                        "master" => false,
                        _ => return Err(super::malformed("read in the URL must be replica or master")),
                    };
                    continue;
                }
                "ca" => &mut files.ca,
                "cert" => &mut files.cert,
                "key" => &mut files.key,
                name if PARAMETERS.contains(&name) => continue,
                name if url.scheme().ends_with("unix") && (OF_SOCKETS.contains(&name) || name == PASSWORD) => continue,
                // The error does not repeat the name: in a malformed URL, it may be a part of the password.
                _ => return Err(super::malformed(UNKNOWN)),
            };
            if matches!(name.as_ref(), "ca" | "cert" | "key") && !matches!(url.scheme(), "rediss" | "valkeys") {
                return Err(super::malformed("the URL names files for TLS, and is not rediss://"));
            }
            // A relative path is refused, because supervisors run in another working directory.
            if name != "sentinel_user" && !value.starts_with('/') {
                return Err(super::malformed("the files that the URL names must have absolute paths"));
            }
            *file = Some(value.into_owned());
        }
        if files.cert.is_some() != files.key.is_some() {
            return Err(super::malformed("cert and key in the URL need each other"));
        }
        if files.sentinel_user.is_some() && files.sentinel_password.is_none() {
            return Err(super::malformed("sentinel_user in the URL needs a sentinel_password_file"));
        }
        Ok(files)
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        [&self.password, &self.sentinel_password, &self.key].into_iter().filter_map(Option::as_deref)
    }

    /// Returns true if the URL names a file, which may be replaced.
    pub(super) fn any(&self) -> bool {
        [&self.password, &self.sentinel_password, &self.ca, &self.cert].iter().any(|file| file.is_some())
    }

    /// Adds the password from the file to the settings, unless they have a password.
    pub(super) fn authorised(&self, settings: RedisConnectionInfo) -> RedisResult<RedisConnectionInfo> {
        match &self.password {
            Some(path) if settings.password().is_none() => Ok(settings.set_password(secret(path)?)),
            _ => Ok(settings),
        }
    }

    /// Returns the settings for a Sentinel, which has its own users and no databases.
    pub(super) fn sentinel(&self) -> RedisResult<RedisConnectionInfo> {
        let mut settings = RedisConnectionInfo::default();
        if let Some(user) = &self.sentinel_user {
            settings = settings.set_username(user);
        }
        match &self.sentinel_password {
            Some(path) => Ok(settings.set_password(secret(path)?)),
            None => Ok(settings),
        }
    }

    #[cfg(feature = "tls-rustls")]
    pub(super) fn certificates(&self) -> RedisResult<Option<redis::TlsCertificates>> {
        let read = |path: &String| bounded(path, LARGEST).map_err(|error| unreadable(path, &error.to_string()));
        let root_cert = self.ca.as_ref().map(read).transpose()?;
        let client_tls = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => {
                Some(redis::ClientTlsConfig { client_cert: read(cert)?, client_key: read(key)? })
            }
            _ => None,
        };
        let any = root_cert.is_some() || client_tls.is_some();
        Ok(any.then_some(redis::TlsCertificates { client_tls, root_cert }))
    }
}

/// Reads the password from a file, without the line ending.
fn secret(path: &str) -> RedisResult<String> {
    let bytes = bounded(path, LONGEST).map_err(|error| no_password(path, &error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| no_password(path, "it is not UTF-8 text"))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(no_password(path, "it is empty"));
    }
    Ok(password.to_owned())
}

/// Reads a regular file of at most this size. Opens no other kind of file: a pipe can block, and a device has no end.
fn bounded(path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let other = || io::Error::new(io::ErrorKind::InvalidInput, format!("it is not a file of at most {limit} bytes"));
    if !fs::metadata(path)?.is_file() {
        return Err(other());
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(other()) } else { Ok(bytes) }
}

fn no_password(path: &str, why: &str) -> RedisError {
    (ErrorKind::InvalidClientConfig, "the password file cannot be read", format!("{path}: {why}")).into()
}

#[cfg(feature = "tls-rustls")]
fn unreadable(path: &str, why: &str) -> RedisError {
    (ErrorKind::InvalidClientConfig, "a file of the address cannot be read", format!("{path}: {why}")).into()
}

#[cfg(test)]
mod tests {
    use super::{OF_SOCKETS, PARAMETERS, PASSWORD, UNKNOWN};

    #[test]
    fn the_error_of_an_unknown_parameter_names_those_that_are_known() {
        let words: Vec<&str> = UNKNOWN.split([' ', ',']).collect();
        for name in PARAMETERS.into_iter().chain(OF_SOCKETS).chain([PASSWORD]) {
            assert!(words.contains(&name), "{name}");
        }
    }
}
