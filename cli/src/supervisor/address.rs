//! The server's URL with the password, which comes by another way, put in.

/// Puts a password into a URL that has none.
pub fn with_password(url: &str, password: Option<&str>) -> Option<String> {
    let mut url = redis::parse_redis_url(url)?;
    if let Some(password) = password.filter(|password| !password.is_empty()) {
        if url.scheme().ends_with("unix") {
            url.query_pairs_mut().append_pair("pass", password);
        } else {
            url.set_password(Some(password)).ok()?;
        }
    }
    Some(url.into())
}
