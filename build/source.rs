//! Lua text as the composer reads it: comments, strings, words, and names of the library.

use std::collections::{BTreeMap, BTreeSet};

/// The files of `lua/lib`, each with what runs at once in it after what that uses; and `contract`, which `checks.rs` makes
/// for each command.
pub(super) const LIBRARY: [&str; 34] = [
    "contract",
    "reply",
    "args",
    "rights",
    "space",
    "requests",
    "settings",
    "server",
    "record",
    "workers",
    "orders",
    "tags",
    "groups",
    "logs",
    "history",
    "needs",
    "places",
    "turns",
    "lanes",
    "standing",
    "bonds",
    "state",
    "listeners",
    "interruption",
    "owner",
    "retries",
    "attempt",
    "birth",
    "unstarted",
    "search",
    "actions",
    "schedules",
    "statistics",
    "mending",
];

/// What strings begin and end with.
pub(super) const QUOTES: [char; 2] = ['\'', '"'];

pub(super) fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Every `library.name` outside of strings and comments.
pub(super) fn references(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    rewrite(code, |library, name| {
        found.insert(format!("{library}.{name}"));
        String::new()
    });
    found
}

pub(super) fn localise(code: &str, names: &BTreeMap<&str, String>) -> String {
    rewrite(code, |library, name| names.get(format!("{library}.{name}").as_str()).cloned().unwrap_or_default())
}

/// How long the comment, string, word or other character is with which some code begins.
pub(super) fn length(code: &str) -> usize {
    let Some(first) = code.chars().next() else { return 0 };
    if code.starts_with("--") {
        code.find('\n').unwrap_or(code.len())
    } else if QUOTES.contains(&first) {
        string(code, first)
    } else if word(first) {
        code.find(|c| !word(c)).unwrap_or(code.len())
    } else {
        first.len_utf8()
    }
}

/// The same of a string. The other quote stands for itself in it, and so does one behind a backslash.
fn string(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    code.len()
}

/// Replaces each `library.name` outside of strings and comments.
pub(super) fn rewrite(code: &str, mut replacement: impl FnMut(&str, &str) -> String) -> String {
    let mut out = String::new();
    let mut rest = code;
    let mut after_word = false;
    while !rest.is_empty() {
        let (token, tail) = rest.split_at(length(rest));
        let member = tail.strip_prefix('.').map(|tail| tail.split(|c| !word(c)).next().unwrap_or_default());
        match member {
            Some(name) if !after_word && !name.is_empty() && LIBRARY.contains(&token) => {
                out += &replacement(token, name);
                rest = &tail[1 + name.len()..];
            }
            _ => {
                out += token;
                rest = tail;
            }
        }
        after_word = token.ends_with('.') || token.ends_with(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::references;

    fn named(code: &str) -> Vec<String> {
        references(code).into_iter().collect()
    }

    #[test]
    fn pieces_are_named_outside_of_strings_and_comments_alone() {
        assert_eq!(named("state.move(task, 'args.plain', \"args.next\") -- args.none"), ["state.move"]);
        assert_eq!(named("return record.find(id) or state.plan"), ["record.find", "state.plan"]);
    }

    #[test]
    fn a_quote_of_the_other_kind_or_behind_a_backslash_ends_no_string() {
        assert_eq!(named(r#"if find(text, "can't") then state.move() end -- isn't"#), ["state.move"]);
        assert_eq!(named(r#"find("can't, state.move won't") args.next()"#), ["args.next"]);
        assert_eq!(named(r"say('it\'s args.plain', state.move())"), ["state.move"]);
        assert_eq!(named(r"say('\\', state.move())"), ["state.move"]);
        assert_eq!(named(r#"say('a "', state.move(), '" b')"#), ["state.move"]);
    }
}
