//! Error messages of failed TLS handshakes.

use redis::{ErrorKind, RedisError};

/// Returns an error that names the cause and the remedy if a connection failed because of TLS.
pub(crate) fn certificate(error: &RedisError) -> Option<RedisError> {
    if error.kind() != ErrorKind::Io {
        return None;
    }
    let detail = error.to_string();
    let has = |words: &[&str]| words.iter().any(|word| detail.contains(word));
    let what = if has(&["invalid peer certificate"]) {
        if has(&["expired", "Expired"]) {
            "the server's certificate has expired: renew it, and have the server read it again"
        } else if has(&["not valid for name", "NotValidForName"]) {
            "the server's certificate is for another name: write a name of the certificate into the URL, or have one \
             made for this name"
        } else if has(&["UnknownIssuer"]) {
            "no known authority vouches for the server's certificate: name its authority's with ca=/path in the URL"
        } else {
            "the server's certificate is not accepted"
        }
    } else if has(&["ProtocolVersion"]) {
        "the server speaks no version of TLS that this client knows: let it speak 1.2 or 1.3"
    } else if has(&["received fatal alert"]) {
        "the server refuses this client's certificate, or asks for one: name a good one with cert=/path and key=/path \
         in the URL"
    } else if has(&["received corrupt message"]) {
        "the server does not speak TLS at this port: name its port for TLS, or write redis:// if it has none"
    } else {
        return None;
    };
    Some((ErrorKind::InvalidClientConfig, what, detail).into())
}
