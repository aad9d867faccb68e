//! Removes passwords from texts, such as arguments that an error repeats. If a text is malformed, `redact` may also
//! remove harmless parts.

use blueque::Address;

/// The schemes of server URLs. A suffix such as `+sentinel` may follow.
const SCHEMES: [&str; 5] = ["redis", "rediss", "valkey", "valkeys", "unix"];

/// Parts of the names of variables whose values are not shown.
const HIDDEN: [&str; 8] = ["PASS", "SECRET", "TOKEN", "KEY", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE"];

/// Returns true if the value of a variable with this name may be secret.
pub fn hides(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    HIDDEN.iter().any(|part| upper.contains(part))
}

/// Returns true if `redact` changes the text.
pub fn holds_secret(text: &str) -> bool {
    redact(text) != text
}

/// Removes passwords from URLs, and parameters that may be passwords.
pub fn redact(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(end(rest));
        redacted.push_str(&without_password(word));
        rest = after;
    }
    redacted
}

/// Returns the end of the first word, which is after a space, or before the next URL of a list. A space in a password
/// does not end the word.
fn end(text: &str) -> usize {
    let ends = text.char_indices().filter_map(|(at, c)| {
        let after = at + c.len_utf8();
        let is_end = c.is_whitespace() || c == ',' && text.get(after..).is_some_and(begins_entry);
        is_end.then_some(after)
    });
    let mut ends = ends.chain([text.len()]);
    let first = ends.next().unwrap_or(text.len());
    if !text.get(..first).is_some_and(is_open) {
        return first;
    }
    ends.find(|&end| text.get(..end).is_some_and(|word| word.contains('@'))).unwrap_or(first)
}

/// Returns true if a word ends within the password of a URL: it has no host, and the text after the colon is no port.
fn is_open(word: &str) -> bool {
    let Some((at, _)) = begin(word) else { return false };
    let rest = word.get(at..).unwrap_or_default();
    let login = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let port = login.split_once(':').and_then(|(_, port)| port.split(',').next()).unwrap_or_default();
    !rest.contains('@') && !login.starts_with('[') && !port.trim_end().chars().all(|c| c.is_ascii_digit())
}

/// Returns true if a text begins with `URL` or `NAME=URL`.
fn begins_entry(text: &str) -> bool {
    let before = text.split(':').next().unwrap_or_default();
    text.contains(':') && is_scheme(before.rsplit('=').next().unwrap_or_default().trim_start())
}

fn is_scheme(name: &str) -> bool {
    let name = name.split('+').next().unwrap_or_default();
    SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(name))
}

/// Returns the position after the scheme of a word's first URL, and true if it is the URL of a server. The slashes of
/// the URL may be missing.
fn begin(word: &str) -> Option<(usize, bool)> {
    word.match_indices(':').find_map(|(at, _)| {
        let (before, rest) = (word.get(..at)?, word.get(at + 1..)?);
        let of_server = is_scheme(before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next()?);
        let slashes = rest.bytes().take(2).take_while(|&byte| byte == b'/').count();
        (of_server || slashes == 2).then_some((at + 1 + slashes, of_server))
    })
}

fn without_password(word: &str) -> String {
    let whole = word.trim_end_matches(|c: char| c.is_whitespace() || c == ',');
    let (_, space) = word.split_at(whole.len());
    let Some((at, of_server)) = begin(whole) else { return without_named(whole) + space };
    let (scheme, rest) = whole.split_at(at);
    let (user, place) = match rest.rsplit_once('@') {
        Some((login, place)) => (format!("{}@", login.split(':').next().unwrap_or_default()), place),
        None => (String::new(), rest),
    };
    let place = match place.split_once('?') {
        Some((path, query)) if of_server => {
            format!("{path}?{}", query.split('&').map(without_value).collect::<Vec<_>>().join("&"))
        }
        _ => place.to_owned(),
    };
    without_named(&format!("{scheme}{user}{place}")) + space
}

/// Removes the value of a parameter, unless the parameter is known to hold no secret.
fn without_value(parameter: &str) -> String {
    let name = parameter.split('=').next().unwrap_or_default();
    if Address::parameters().any(|known| known == name) { parameter.to_owned() } else { cut(parameter) }
}

/// Cuts the values of `pass=` and `password=` in a text of any form.
fn without_named(text: &str) -> String {
    let named = |parameter: &str| {
        let lower = parameter.to_ascii_lowercase();
        let start = ["pass=", "password="].iter().filter_map(|name| lower.find(name)).min();
        start.map_or_else(
            || parameter.to_owned(),
            |start| {
                let (before, named) = parameter.split_at(start);
                before.to_owned() + &cut(named)
            },
        )
    };
    text.split('&').map(named).collect::<Vec<_>>().join("&")
}

fn cut(parameter: &str) -> String {
    parameter.split_once('=').map_or_else(|| "…".to_owned(), |(name, _)| format!("{name}=…"))
}

#[cfg(test)]
mod tests {
    use super::{hides, holds_secret, redact};

    #[test]
    fn variables_with_secret_names_are_hidden() {
        assert!(["AWS_SECRET_ACCESS_KEY", "github_token", "PGPASSWORD", "PROXY_AUTH"].into_iter().all(hides));
        assert!(!["PATH", "HOME", "CUDA_VISIBLE_DEVICES"].into_iter().any(hides));
    }

    #[test]
    fn passwords_are_removed_from_texts_of_every_form() {
        for (text, shown) in [
            ("redis://u:S@h/1", "redis://u@h/1"),
            ("no redis://:S@a,b:7/2 there", "no redis://@a,b:7/2 there"),
            (
                "1=redis://u:S@a/,2=redis://S@b/#n,3=unix:///s?pass=S",
                "1=redis://u@a/,2=redis://S@b/#n,3=unix:///s?pass=…",
            ),
            ("redis://u:S,S@a,b/", "redis://u@a,b/"),
            ("redis://u:S S@a/ and on", "redis://u@a/ and on"),
            ("redis://u:S/S?S@a/ and on", "redis://u@a/ and on"),
            ("nonsense://u:x://S@a", "nonsense://u@a"),
            ("1=redis:u:S@a,2=REDIS:/u:S@b", "1=redis:u@a,2=REDIS:/u@b"),
            ("unix:///s?pass=S&db=1", "unix:///s?pass=…&db=1"),
            ("unix:///s?db=1&PassWord=S#S, so", "unix:///s?db=1&PassWord=…, so"),
            ("unix:///s?p%61ss=S&user=u", "unix:///s?p%61ss=…&user=u"),
            ("redis://h?S&password_file=/p", "redis://h?…&password_file=/p"),
            ("PASS=S&x", "PASS=…&x"),
        ] {
            assert_eq!(redact(text), shown, "{text}");
        }
    }

    #[test]
    fn what_holds_none_is_left_alone() {
        for text in [
            "redis://[user@]host[:port][,host[:port]][/db], unix:///path[?db=N], redis+sentinel://host[:port],host[:port]/name",
            "no server at redis://h:6379/: ask me@example.com",
            "1=redis://me@a:1,b:2/#n,{1..3}=unix:///s?db=1&user=u,2=rediss://[::1]:7/?ca=/ca&read=replica",
            "http://h/?a=b&c=d: 12:30 unix:",
            "redis://h:1, and a@b",
            "a,b , ä\u{3000}ö,",
            "",
        ] {
            assert!(!holds_secret(text), "{text}: {}", redact(text));
        }
    }
}
