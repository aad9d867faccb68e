//! Checks where a request comes from: the page that sent it, and the name by which the browser reached this server.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

/// Returns the text of a header that occurs once. `None` if it is missing, or occurs more often.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut found = headers.get_all(name).iter();
    let first = found.next()?.to_str().ok()?;
    found.next().is_none().then_some(first)
}

/// Returns true unless a page of another origin sent the request. `host`: the name and port under which the browser
/// knows this server.
pub(super) fn is_same(headers: &HeaderMap, host: &str) -> bool {
    // Browsers send `Sec-Fetch-Site` to https and to loopback, and `Origin` with each write. A page cannot change them.
    match headers.get("sec-fetch-site").map(axum::http::HeaderValue::as_bytes) {
        // `none`: the user typed the address.
        Some(b"same-origin" | b"none") => return true,
        Some(_) => return false,
        None => {}
    }
    match headers.get(header::ORIGIN) {
        // Programs send neither. What they send is checked by their token.
        None => true,
        Some(origin) => origin.to_str().is_ok_and(|origin| {
            let named = origin.split_once("://").map(|(_, named)| named);
            named.is_some_and(|named| bare(named).eq_ignore_ascii_case(bare(host)))
        }),
    }
}

/// Removes the ports 80 and 443, which browsers omit.
fn bare(host: &str) -> &str {
    host.strip_suffix(":80").or_else(|| host.strip_suffix(":443")).unwrap_or(host)
}

/// Returns true if a browser that uses this `Host` means this machine: an address of loopback, or `localhost`. A page
/// whose name resolves to 127.0.0.1 (DNS rebinding) has another host.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = name(host);
    name == "localhost" || name.ends_with(".localhost") || address(&name).is_some_and(|ip| ip.is_loopback())
}

/// Returns true if no stranger can have this name resolve to this machine: an address, a name without a dot, or one of
/// `own`.
pub(super) fn is_private(host: &str, own: &[String]) -> bool {
    let name = name(host);
    !name.is_empty() && (!name.contains('.') || is_loopback(host) || address(&name).is_some() || own.contains(&name))
}

/// Returns the name of a `Host`, without its port.
fn name(host: &str) -> String {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name.to_ascii_lowercase()
}

fn address(name: &str) -> Option<IpAddr> {
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.parse().ok().map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect::<HeaderMap>()
    }

    #[test]
    fn only_the_own_origin_writes() {
        let host = "queue.example:7733";
        for (site, origin, expected) in [
            (Some("same-origin"), Some("null"), true),
            (Some("none"), None, true),
            (Some("same-site"), Some("http://queue.example:7733"), false),
            (Some("cross-site"), None, false),
            (None, Some("http://queue.example:7733"), true),
            (None, Some("https://QUEUE.example:7733"), true),
            (None, Some("http://queue.example:7734"), false),
            (None, Some("http://evil.example"), false),
            (None, Some("null"), false),
            (None, Some("http://queue.example:7733.evil.example"), false),
            (None, None, true),
        ] {
            let site = site.map(|site| ("sec-fetch-site", site));
            let origin = origin.map(|origin| ("origin", origin));
            let all: Vec<_> = site.into_iter().chain(origin).collect();
            assert_eq!(is_same(&headers(&all), host), expected, "{all:?}");
        }
        assert!(is_same(&headers(&[("origin", "https://q.example")]), "q.example:443"));
    }

    #[test]
    fn a_name_that_resolves_to_loopback_is_not_loopback() {
        for host in
            ["localhost", "localhost:7733", "127.0.0.1:7733", "127.9.9.9", "[::1]:7733", "[::1]", "a.localhost:1"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:7733",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "0.0.0.0:7733",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_name_that_a_stranger_can_own_is_not_private() {
        let own = ["queue.example".to_owned()];
        for host in ["localhost:1", "10.0.0.1:7733", "[fe80::1]:1", "queue", "QUEUE.example:7733", "queue.example"] {
            assert!(is_private(host, &own), "{host}");
        }
        for host in ["", ":7733", "evil.example:7733", "10.0.0.1.nip.io", "a.queue.example", "evil."] {
            assert!(!is_private(host, &own), "{host}");
        }
    }
}
