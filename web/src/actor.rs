//! Who uses the page.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use blueque::bundle;

use crate::site::Site;

/// What a user may do. Each role includes the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Sees everything, and changes nothing.
    Viewer,
    /// Steers tasks: cancel, retry, edit, delete, tag.
    Operator,
    /// Also steers queues, limits, schedules and workers, and many tasks at once.
    Admin,
}

impl Role {
    /// All roles, the weakest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// Returns the role that a command of the contract needs. `None`: the contract has no such command, or only workers
    /// and maintenance call it.
    #[must_use]
    pub fn of_command(name: &str) -> Option<Self> {
        match bundle::command(name)?.role() {
            None => Some(Self::Viewer),
            Some("client") => Some(Self::Operator),
            Some("administrator") => Some(Self::Admin),
            Some(_) => None,
        }
    }

    /// Name of the role.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or("a role is viewer, operator or admin")
    }
}

/// The user of a request. A layer in front of the page may insert an actor into the extensions of a request; without it
/// everybody who reaches the page is the admin `local`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Name of the user, for the audit: 1 to 128 characters of `A-Z a-z 0-9 . _ : @ -`.
    pub name: String,
    /// Role of the user.
    pub role: Role,
}

impl Default for Actor {
    fn default() -> Self {
        Self { name: "local".to_owned(), role: Role::Admin }
    }
}

impl FromRequestParts<Site> for Actor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Infallible> {
        let actor = parts.extensions.get::<Self>().cloned().unwrap_or_default();
        Ok(if site.is_read_only() { Self { role: Role::Viewer, ..actor } } else { actor })
    }
}
