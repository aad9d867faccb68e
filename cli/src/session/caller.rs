//! The name of the caller, as the server stores it.

/// Returns `user@host`, reduced to the characters that names may have.
pub fn caller() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::Uid::current()).ok().flatten();
    let user = user.map_or_else(|| nix::unistd::Uid::current().to_string(), |user| user.name);
    let host = nix::unistd::gethostname().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    format!("{user}@{}", host.to_string_lossy())
        .chars()
        .map(|c| if c == '@' { c } else { plain(c) })
        .take(128)
        .collect()
}

/// Returns the submitter of new tasks: `BLUEQUE_SUBMITTER`, or else the caller. An empty variable hides the submitter.
pub fn submitter() -> Option<String> {
    match std::env::var("BLUEQUE_SUBMITTER") {
        Ok(name) => Some(name).filter(|name| !name.is_empty()),
        Err(_) => Some(caller()),
    }
}
