//! Searches for tasks, as tokens: `state:failed tag:nightly since:2h id:mov queue:encode`.

use std::time::{Duration, SystemTime};

use blueque::{Filter, Status};

use crate::failure::Failure;

/// A search. A word without a name is a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub queue: Option<String>,
    pub prefix: Option<String>,
    pub states: Vec<Status>,
    pub tag: Option<String>,
    pub method: Option<String>,
    pub key: Option<String>,
    pub group: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// Texts, all of which the id, title, command, parameters or errors of a task contain.
    pub texts: Vec<String>,
    /// Ids of the only tasks.
    pub ids: Vec<String>,
    /// Tokens that mean nothing.
    pub unknown: Vec<String>,
}

/// The names of tokens, each with its meaning.
pub const TOKENS: &[(&str, &str)] = &[
    (
        "state:",
        "waiting, scheduled, pending, held, reserved, started, complete, failed, cancelled; several with commas",
    ),
    ("queue:", "a queue"),
    ("tag:", "a tag"),
    ("method:", "a method"),
    ("key:", "the owner of a task, such as a tenant"),
    ("group:", "failures with the same kind of error; quote texts with spaces"),
    ("since:", "created since: 2h, 3d, or 2026-11-27"),
    ("until:", "created before: 2h, 3d, or 2026-11-27"),
    ("id:", "the beginning of an id"),
    ("ids:", "these tasks; several with commas"),
    ("text:", "a text in the id, title, command, parameters or error; a word without a name means the same"),
];

impl Query {
    pub fn read(text: &str) -> Self {
        let mut query = Self::default();
        for token in tokens(text) {
            let (name, value) = token.split_once(':').unwrap_or(("text", &token));
            let value = value.to_owned();
            let set = |field: &mut Option<String>| *field = Some(value.clone()).filter(|value| !value.is_empty());
            match name {
                "queue" => set(&mut query.queue),
                "id" | "prefix" => set(&mut query.prefix),
                "tag" => set(&mut query.tag),
                "method" => set(&mut query.method),
                "key" => set(&mut query.key),
                "group" => query.group = Some(value),
                "since" | "from" => set(&mut query.since),
                "until" | "to" => set(&mut query.until),
                "state" | "status" => {
                    for word in value.split(',').filter(|word| !word.is_empty()) {
                        match word.parse::<Status>() {
                            Ok(status) if !query.states.contains(&status) => query.states.push(status),
                            Ok(_) => {}
                            Err(_) => query.unknown.push(token.clone()),
                        }
                    }
                }
                "ids" => query.ids.extend(value.split(',').filter(|id| !id.is_empty()).map(str::to_owned)),
                "text" => query.texts.extend(Some(value).filter(|value| !value.is_empty())),
                // A text may contain a colon.
                _ => query.texts.push(token),
            }
        }
        query
    }

    /// Writes the search in its shortest form, which `read` reads back.
    pub fn text(&self) -> String {
        let states: Vec<&str> = self.states.iter().map(|status| status.as_str()).collect();
        let states = Some(states.join(",")).filter(|states| !states.is_empty());
        let all = [
            ("state", &states),
            ("queue", &self.queue),
            ("tag", &self.tag),
            ("method", &self.method),
            ("key", &self.key),
            ("group", &self.group),
            ("since", &self.since),
            ("until", &self.until),
            ("id", &self.prefix),
        ];
        let tokens = all.iter().filter_map(|(name, value)| {
            let value = value.as_deref()?;
            let quotes = value.contains([' ', '"']) || value.is_empty();
            Some(if quotes { format!("{name}:\"{}\"", value.replace('"', "")) } else { format!("{name}:{value}") })
        });
        let ids = Some(self.ids.join(",")).filter(|ids| !ids.is_empty()).map(|ids| format!("ids:{ids}"));
        let texts = self.texts.iter().map(|text| {
            let plain = !text.contains([' ', ':', '"']);
            if plain { text.clone() } else { format!("text:\"{}\"", text.replace('"', "")) }
        });
        tokens.chain(ids).chain(texts).collect::<Vec<_>>().join(" ")
    }

    /// Returns true if every task matches.
    pub fn is_any(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the server itself can select the tasks, and no text or id is compared by the page.
    pub fn is_of_server(&self) -> bool {
        self.texts.is_empty() && self.ids.is_empty()
    }

    /// The search in the form of the contract, without its queue.
    pub fn filter(&self) -> Result<Filter, Failure> {
        if let Some(token) = self.unknown.first() {
            return Err(Failure::wrong(format!("`{token}` is not a search. Known are {}.", names())));
        }
        let filter = self.prefix.iter().fold(Filter::new(), Filter::prefix);
        let filter = self.tag.iter().fold(filter, Filter::tag);
        let filter = self.method.iter().fold(filter, Filter::method);
        let filter = self.key.iter().fold(filter, Filter::key);
        let filter = self.group.iter().fold(filter, Filter::group);
        let filter = self.states.iter().fold(filter, |filter, status| filter.status(*status));
        let filter = match self.since.as_deref() {
            Some(text) => filter.from(time(text)?),
            None => filter,
        };
        Ok(match self.until.as_deref() {
            Some(text) => filter.to(time(text)?),
            None => filter,
        })
    }
}

fn names() -> String {
    TOKENS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Splits a search at spaces outside of quotes.
fn tokens(text: &str) -> Vec<String> {
    let (mut all, mut token, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars().take(20_000) {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => all.push(std::mem::take(&mut token)),
            c => token.push(c),
        }
    }
    all.push(token);
    all.retain(|token| !token.is_empty());
    all
}

/// A time: a date, a date with a time, or a duration before now.
fn time(text: &str) -> Result<SystemTime, Failure> {
    let ago = |span: Duration| SystemTime::now().checked_sub(span);
    let known = duration(text).and_then(ago).or_else(|| {
        let stamp = text.parse::<jiff::Timestamp>().ok();
        let date = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
        stamp.or_else(|| date().map(|date| date.timestamp())).map(SystemTime::from)
    });
    known.ok_or_else(|| Failure::wrong(format!("`{text}` is not a time: write 2h, 3d, or 2026-11-27.")))
}

/// A duration such as `90s`, `15m`, `2h`, `3d` or `1w`.
pub fn duration(text: &str) -> Option<Duration> {
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(at)?;
    let seconds = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_search_is_read_and_written() {
        let query = Query::read(
            "state:failed,cancelled tag:nightly  group:\"no space\" since:2h id:mov \"out of\" Sun a:b ids:x,y",
        );
        assert_eq!(query.states, [Status::Failed, Status::Cancelled]);
        assert_eq!((query.tag.as_deref(), query.prefix.as_deref()), (Some("nightly"), Some("mov")));
        assert_eq!(query.group.as_deref(), Some("no space"));
        assert_eq!(query.texts, ["out of", "Sun", "a:b"]);
        assert_eq!(query.ids, ["x", "y"]);
        assert_eq!(Query::read(&query.text()), query);
        assert!(query.filter().is_ok());
    }

    #[test]
    fn wrong_tokens_are_named() {
        assert!(Query::read("state:broken").filter().unwrap_err().text().contains("state:broken"));
        assert!(Query::read("since:soon").filter().unwrap_err().text().contains("soon"));
        assert_eq!(Query::read("group:").group.as_deref(), Some(""), "failures without a group");
    }
}
