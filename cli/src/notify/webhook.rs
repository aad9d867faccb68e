//! A webhook: a POST with the headers of Standard Webhooks. Every step has a time limit, redirects are not followed, and
//! only the beginning of an answer is read.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use ureq::Agent;

use super::message::{Message, seconds_now};
use crate::file;

/// Maximum bytes of an answer that are read, and of the file with a secret.
const ANSWER: u64 = 400;
const SECRET: u64 = 4096;

/// Prefix of a secret in base64, by Standard Webhooks.
const ENCODED: &str = "whsec_";

pub struct Webhook {
    agent: Agent,
    url: String,
    secret: Option<PathBuf>,
}

impl Webhook {
    pub fn new(url: &str, secret: Option<&Path>, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_response_header_size(16 << 10)
            .user_agent(concat!("blueque/", env!("CARGO_PKG_VERSION")));
        #[cfg(feature = "tls-rustls")]
        let config = config.tls_config(tls());
        Self { agent: config.build().into(), url: url.to_owned(), secret: secret.map(Path::to_owned) }
    }

    /// Sends the message. Returns the answer if it is a 2xx, otherwise the answer or the cause as an error.
    pub fn send(&self, message: &Message) -> Result<String, String> {
        let time = seconds_now().to_string();
        let mut request = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", &time);
        if let Some(path) = &self.secret {
            let signed = format!("{}.{time}.{}", message.id, message.body);
            request = request.header("webhook-signature", format!("v1,{}", signature(&secret(path)?, &signed)));
        }
        let mut response = request.send(&message.body).map_err(|error| self.hidden(&about(&error)))?;
        let (status, mut body) = (response.status(), Vec::new());
        if status.is_success() {
            return Ok(status.to_string());
        }
        // The status counts, even if the rest of the answer cannot be read.
        let _ = response.body_mut().as_reader().take(ANSWER).read_to_end(&mut body);
        let body = String::from_utf8_lossy(&body);
        let more = if status.is_redirection() { "redirects are not followed" } else { body.trim() };
        Err(self.hidden(&if more.is_empty() { status.to_string() } else { format!("{status}: {more}") }))
    }

    /// Removes the parts of the URL behind the host, which may be secret, from a text.
    fn hidden(&self, text: &str) -> String {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let place = rest.split_once('/').map_or("", |(_, path)| path);
        let parts = place.split(['/', '?', '&', '=', '#']).chain(rest.split_once('@').map(|(user, _)| user));
        let mut secret: Vec<&str> = parts.filter(|part| part.len() >= 8).collect();
        secret.push(place);
        secret.sort_by_key(|part| std::cmp::Reverse(part.len()));
        secret.into_iter().filter(|part| part.len() >= 4).fold(text.to_owned(), |text, part| text.replace(part, "…"))
    }
}

/// Describes an error without the URL.
fn about(error: &ureq::Error) -> String {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => "the URL is malformed".into(),
        ureq::Error::Timeout(_) => "no answer in time".into(),
        ureq::Error::HostNotFound => "the host is not found".into(),
        other => other.to_string(),
    }
}

/// Reads the secret, at each delivery, because it may change. Errors do not contain it.
fn secret(path: &Path) -> Result<Vec<u8>, String> {
    let text = file::text(path, SECRET)
        .map_err(|error| format!("the secret in {} cannot be read: {error}", path.display()))?;
    let text = text.trim_end_matches(['\n', '\r']);
    let bytes = match text.strip_prefix(ENCODED) {
        Some(encoded) => BASE64_STANDARD.decode(encoded).map_err(|_| {
            format!("the secret in {} begins with {ENCODED}, and the rest is not base64", path.display())
        })?,
        None => text.as_bytes().to_vec(),
    };
    if bytes.is_empty() {
        return Err(format!("the secret in {} is empty", path.display()));
    }
    Ok(bytes)
}

fn signature(secret: &[u8], text: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(text.as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

/// TLS with the certificates of the system.
#[cfg(feature = "tls-rustls")]
fn tls() -> ureq::tls::TlsConfig {
    use std::sync::Arc;

    use ureq::tls::{Certificate, RootCerts, TlsConfig};

    let found = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> =
        found.iter().map(|certificate| Certificate::from_der(certificate.as_ref()).to_owned()).collect();
    TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::{Webhook, signature};

    #[test]
    fn a_signature_is_that_of_standard_webhooks() {
        // The example of the specification's libraries.
        let secret =
            base64::Engine::decode(&base64::prelude::BASE64_STANDARD, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let text = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        assert_eq!(signature(&secret, text), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn no_answer_repeats_the_secret_parts_of_a_url() {
        let hook = Webhook::new(
            "https://me:password@host/services/T0/Bsecretsecret?key=mykeymykey",
            None,
            Duration::from_secs(1),
        );
        let shown = hook
            .hidden("404: /services/T0/Bsecretsecret?key=mykeymykey is not here, Bsecretsecret mykeymykey me:password");
        for part in ["Bsecretsecret", "mykeymykey", "password"] {
            assert!(!shown.contains(part), "{shown}");
        }
    }
}
