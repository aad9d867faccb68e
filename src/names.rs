//! Names that become parts of keys. They are checked here, and again in Lua.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The queue of the tasks that link partitions.
pub(crate) const LINKS: &str = "@links";

/// Rule for a plain name.
pub(crate) const PLAIN: &str = "must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ -";

/// Returns true if a text is a plain name, such as the name of a method.
pub(crate) fn plain(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:@-".contains(&b))
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            /// Checks the text.
            ///
            /// # Errors
            /// `BADNAME` as in `new`.
            fn from_str(text: &str) -> Result<Self> {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = Error;

            fn try_from(text: &str) -> Result<Self> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

name! {
    /// The id of a task: unique in its namespace. 1 to 128 characters of `A-Z a-z 0-9 . _ : @ -`.
    TaskId
}

name! {
    /// A queue's name: 1 to 128 characters of `A-Z a-z 0-9 . _ : @ -`.
    QueueName
}

name! {
    /// Pattern of the queues that a listener takes tasks from. `*` stands for any characters, also for no character. A
    /// pattern with a `!` before it excludes queues. 1 to 128 characters of `A-Z a-z 0-9 . _ : @ -` and `*`, plus the
    /// `!`.
    Pattern
}

name! {
    /// A schedule's name: 1 to 100 characters of `A-Z a-z 0-9 . _ : @ -`.
    ScheduleName
}

name! {
    /// The id of a graph: unique in its namespace. 1 to 100 characters of `A-Z a-z 0-9 . _ : @ -`.
    GraphId
}

name! {
    /// Id of a listener: `HOSTNAME_PID`, at most 200 characters of `A-Z a-z 0-9 . : -` before the `_`. The ids that
    /// this crate creates are `HOSTNAME:IDENTITY-RANDOM_PID`: see [`ListenerId::of_this_process`].
    ListenerId
}

name! {
    /// The name of a partition: 1 to 32 characters of `A-Z a-z 0-9 . _ -`. The name has no colon, so in a
    /// [`GlobalId`](crate::GlobalId) it ends at the first colon.
    PartitionName
}

name! {
    /// The prefix of all keys: 1 to 64 characters of `A-Z a-z 0-9 . : -`, and at most one `{tag}`, which puts all keys
    /// into the same slot of a cluster.
    Namespace
}

/// Returns 128 bits as 22 letters and digits. The server keeps an id at several places, and 22 characters take two thirds
/// of the memory of a UUID. The first character is always a digit, so `group` recognises the id in the text of an error.
fn random_id(mut bits: u128) -> String {
    let mut id = [b'0'; 22];
    for place in id.iter_mut().rev() {
        let digit = u8::try_from(bits % 62).unwrap_or_default();
        *place = match digit {
            0..=9 => b'0' + digit,
            10..=35 => b'A' + digit - 10,
            _ => b'a' + digit - 36,
        };
        bits /= 62;
    }
    id.iter().copied().map(char::from).collect()
}

impl TaskId {
    /// Checks an id of the caller's choice. Submitting it twice creates one task.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        if plain(&id) { Ok(Self(id)) } else { Err(Error::name(&format!("a task id {PLAIN}"))) }
    }

    /// A new random id: 22 letters and digits.
    #[must_use]
    pub fn random() -> Self {
        Self(random_id(uuid::Uuid::new_v4().as_u128()))
    }
}

impl QueueName {
    /// Checks a queue's name.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        if plain(&name) { Ok(Self(name)) } else { Err(Error::name(&format!("a queue's name {PLAIN}"))) }
    }
}

impl Pattern {
    /// Checks a pattern. The name of a queue is a pattern that matches this queue alone.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(pattern: impl Into<String>) -> Result<Self> {
        let pattern = pattern.into();
        let rest = pattern.strip_prefix('!').unwrap_or(&pattern);
        if pattern.len() <= 128 && plain(&rest.replace('*', "-")) {
            Ok(Self(pattern))
        } else {
            Err(Error::name(
                "a pattern must be 1 to 128 characters of A-Z a-z 0-9 . _ : @ - *, after a ! for queues to leave out",
            ))
        }
    }

    /// Returns true if the pattern excludes queues.
    #[must_use]
    pub fn is_exclusion(&self) -> bool {
        self.0.starts_with('!')
    }

    /// Returns true if the name of a queue matches the pattern. For an exclusion, compares with the text after the `!`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.trim_start_matches('!').split('*');
        let Some(mut left) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
        let Some(last) = parts.next_back() else { return left.is_empty() };
        for part in parts {
            match left.split_once(part) {
                Some((_, rest)) => left = rest,
                None => return false,
            }
        }
        left.ends_with(last)
    }

    /// Returns true if these patterns together select a queue.
    #[must_use]
    pub fn choose(patterns: &[Self], name: &str) -> bool {
        let any = |out: bool| patterns.iter().any(|one| one.is_exclusion() == out && one.matches(name));
        any(false) && !any(true)
    }

    /// Converts the patterns to queue names; `None` if a pattern may match several queues.
    pub(crate) fn queues(patterns: &[Self]) -> Option<Vec<QueueName>> {
        patterns.iter().map(|pattern| QueueName::new(pattern.as_str()).ok()).collect()
    }
}

impl ScheduleName {
    /// Checks a schedule's name. The name is shorter than an id, because the ids of the schedule's tasks begin with it.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        if plain(&name) && name.len() <= 100 {
            Ok(Self(name))
        } else {
            Err(Error::name("a schedule's name must be 1 to 100 characters of A-Z a-z 0-9 . _ : @ -"))
        }
    }
}

impl GraphId {
    /// Checks an id of the caller's choice. Submitting a graph twice with the same id creates one graph. The id is
    /// shorter than the id of a task, because the ids of the graph's tasks begin with it.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        if plain(&id) && id.len() <= 100 {
            Ok(Self(id))
        } else {
            Err(Error::name("a graph's id must be 1 to 100 characters of A-Z a-z 0-9 . _ : @ -"))
        }
    }

    /// A new random id: 22 letters and digits.
    #[must_use]
    pub fn random() -> Self {
        Self(random_id(uuid::Uuid::new_v4().as_u128()))
    }
}

impl PartitionName {
    /// Checks the name of a partition.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if (1..=32).contains(&name.len()) && name.bytes().all(valid) {
            Ok(Self(name))
        } else {
            Err(Error::name("the name of a partition must be 1 to 32 characters of A-Z a-z 0-9 . _ -"))
        }
    }
}

impl ListenerId {
    /// Checks a listener's id.
    ///
    /// # Errors
    /// `BADNAME` unless the id is `HOSTNAME_PID`.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let valid = id.len() <= 200
            && id.split_once('_').is_some_and(|(host, pid)| {
                !host.is_empty()
                    && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-".contains(&b))
                    && !pid.is_empty()
                    && pid.bytes().all(|b| b.is_ascii_digit())
            });
        if valid {
            Ok(Self(id))
        } else {
            Err(Error::name("a listener must be HOSTNAME_PID: letters, digits, . : - then _ and digits"))
        }
    }

    /// The id of a listener in this process on `host`. Characters that a listener's id cannot contain become `-`.
    #[must_use]
    pub fn of_process(host: &str, pid: u32) -> Self {
        let host: String = host
            .chars()
            .take(180)
            .map(|c| if c.is_ascii_alphanumeric() || ".:-".contains(c) { c } else { '-' })
            .collect();
        let host = if host.is_empty() { "localhost" } else { &host };
        Self(format!("{host}_{pid}"))
    }

    /// The host's name, and the process id.
    #[must_use]
    pub fn host_and_pid(&self) -> (&str, u32) {
        let (host, pid) = self.0.rsplit_once('_').unwrap_or((&self.0, ""));
        (host, pid.parse().unwrap_or(0))
    }
}

impl Namespace {
    /// Checks a namespace.
    ///
    /// # Errors
    /// `BADNAME` for other characters or lengths, or a malformed `{tag}`.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let inner = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-".contains(&b));
        let valid = match name.split_once('{') {
            None => inner(&name),
            Some((before, rest)) => match rest.split_once('}') {
                Some((tag, after)) => inner(before) && !tag.is_empty() && inner(tag) && inner(after),
                None => false,
            },
        };
        if valid && (1..=64).contains(&name.len()) {
            Ok(Self(name))
        } else {
            Err(Error::name("a namespace must be 1 to 64 characters of A-Z a-z 0-9 . : - with at most one {tag}"))
        }
    }

    pub(crate) fn meta(&self) -> String {
        format!("{}_meta", self.0)
    }
}

impl Default for Namespace {
    /// `blueque`, as in Blueque 1.0.
    fn default() -> Self {
        Self("blueque".into())
    }
}

/// The token of one attempt: larger than the token of every earlier attempt, at most 2^53 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Token(u64);

impl Token {
    /// A token by its number.
    ///
    /// # Errors
    /// `BADARG` for 0, and above 2^53 - 1.
    pub fn new(value: u64) -> Result<Self> {
        if (1..1 << 53).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Error::argument("a token must be a whole number from 1 to 9007199254740991"))
        }
    }

    /// The number, as stored in Redis.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Token {
    type Error = Error;

    fn try_from(value: u64) -> Result<Self> {
        Self::new(value)
    }
}

impl From<Token> for u64 {
    fn from(token: Token) -> Self {
        token.0
    }
}

impl FromStr for Token {
    type Err = Error;

    /// Parses the decimal number.
    ///
    /// # Errors
    /// `BADARG` as in [`Token::new`].
    fn from_str(text: &str) -> Result<Self> {
        Self::new(text.parse().unwrap_or_default())
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::random_id;

    #[test]
    fn a_random_id_is_short_and_begins_with_a_digit() {
        for (bits, id) in
            [(0, "0000000000000000000000"), (61, "000000000000000000000z"), (u128::MAX, "7n42DGM5Tflk9n8mt7Fhc7")]
        {
            assert_eq!(random_id(bits), id);
        }
    }
}
