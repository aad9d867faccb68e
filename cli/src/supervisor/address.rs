//! The server's URL with the password, which comes by another way, put in.

/// Puts a password into a URL that has none.
pub fn with_password(url: &str, password: Option<&str>) -> String {
    let Some(password) = password.filter(|password| !password.is_empty()) else { return url.to_owned() };
    let password = encode(password);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    if scheme.contains("unix") {
        let joint = if rest.contains('?') { '&' } else { '?' };
        return format!("{url}{joint}pass={password}");
    }
    match rest.split_once('@') {
        Some((user, _)) if user.contains(':') => url.to_owned(),
        Some((user, host)) => format!("{scheme}://{user}:{password}@{host}"),
        None => format!("{scheme}://:{password}@{rest}"),
    }
}

fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |done, byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => done + &char::from(byte).to_string(),
        _ => done + &format!("%{byte:02X}"),
    })
}
