//! Sessions: signed cookies of users who have logged in. The server stores no session; a cookie ends with its time, with
//! the logout, and with each change of the user's password.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::signature::{Key, random_id};
use super::users::User;

/// Time without a request after which a session ends.
pub const LIFETIME: Duration = Duration::from_secs(3600);

/// Time after the login at which a session ends, whatever the user does.
const LONGEST: Duration = Duration::from_secs(12 * 3600);

/// Maximum number of sessions that have been logged out and have not ended by their time.
const MOST_ENDED: usize = 10_000;

/// Time for which a browser is known after a login.
pub(super) const KNOWN: Duration = Duration::from_secs(90 * 24 * 3600);

/// What a cookie is for. Its signature is for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    Session,
    /// Proves that a user has logged in from this browser before. It lets nobody in.
    Browser,
}

impl For {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Browser => "browser",
        }
    }
}

/// The session of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Name of the user.
    pub user: String,
    /// Random id.
    pub id: String,
    /// Time of the login, in seconds since 1970.
    began: u64,
    /// Time at which the session ends without a request.
    ends: u64,
}

impl Session {
    /// Begins a session. `None` if the system returns no random bytes.
    pub(super) fn begin(user: &str, now: SystemTime, lifetime: Duration) -> Option<Self> {
        let now = seconds(now);
        Some(Self { user: user.to_owned(), id: random_id()?, began: now, ends: now + lifetime.as_secs() })
    }

    /// Returns the value of the cookie. The password's hash is part of what is signed, so a new password ends the session.
    pub(super) fn cookie(&self, purpose: For, key: &Key, user: &User) -> String {
        let text = self.text();
        let signature = key.sign(purpose.as_str(), &signed(&text, user));
        format!("{text}.{signature}")
    }

    /// Reads the value of a cookie. `None` if it is malformed, has another signature, or its time has passed.
    pub(super) fn read<'a>(
        value: &str,
        purpose: For,
        key: &Key,
        user: impl FnOnce(&str) -> Option<&'a User>,
        now: SystemTime,
    ) -> Option<Self> {
        let (text, signature) = value.rsplit_once('.')?;
        let mut parts = text.rsplitn(4, '/');
        let (ends, began, id) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.to_owned());
        let session = Self { user: parts.next()?.to_owned(), id, began, ends };
        let is_signed = key.verify(purpose.as_str(), &signed(text, user(&session.user)?), signature);
        (is_signed && seconds(now) < session.ends).then_some(session)
    }

    /// Returns the session with a later end, if more than a tenth of its time has passed.
    pub(super) fn renewed(&self, now: SystemTime, lifetime: Duration) -> Option<Self> {
        let ends = (seconds(now) + lifetime.as_secs()).min(self.began + LONGEST.as_secs());
        (ends > self.ends + lifetime.as_secs() / 10).then(|| Self { ends, ..self.clone() })
    }

    /// Time until the end of the session.
    pub(super) fn left(&self, now: SystemTime) -> u64 {
        self.ends.saturating_sub(seconds(now))
    }

    fn text(&self) -> String {
        // A name has no slash.
        format!("{}/{}/{}/{}", self.user, self.id, self.began, self.ends)
    }
}

fn signed(text: &str, user: &User) -> String {
    format!("{text} {}", user.hash.as_ref().map_or("", |hash| hash.as_str()))
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Sessions that were logged out before their end.
#[derive(Default)]
pub(super) struct Ended(Mutex<HashMap<String, u64>>);

impl Ended {
    pub(super) fn add(&self, session: &Session, now: SystemTime) {
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.len() >= MOST_ENDED {
            ended.retain(|_, last| *last > seconds(now));
        }
        if ended.len() < MOST_ENDED {
            ended.insert(session.id.clone(), session.began + LONGEST.as_secs());
        }
    }

    pub(super) fn has(&self, session: &Session) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&session.id)
    }
}
