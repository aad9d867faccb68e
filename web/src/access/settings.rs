//! Who may use the page, as its settings say: users, tokens, a proxy, or everybody.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use tokio::sync::Semaphore;

use super::attempts::Attempts;
use super::network::Networks;
use super::refusal::Refusal;
use super::session::{Ended, For, KNOWN, LIFETIME, Session};
use super::signature::Key;
use super::users::{User, Users, UsersError, UsersFile};
use crate::actor::Role;

/// Number of passwords that are hashed at the same time. Each takes 19 MiB of memory.
const HASHING: usize = 2;

/// Maximum number of logins that wait for their turn.
const WAITING: usize = 64;

/// Who may use the page, and how they prove it. Clones share everything.
#[derive(Clone)]
pub struct Access(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) users: Option<UsersFile>,
    /// Name of everybody, if nobody logs in.
    pub(super) open: Option<String>,
    pub(super) loopback: bool,
    /// Names under which a page without a login answers, in lower case.
    pub(super) hosts: Vec<String>,
    pub(super) proxy: Option<(HeaderName, Role)>,
    pub(super) from: Networks,
    pub(super) key: Key,
    pub(super) lifetime: Duration,
    pub(super) attempts: Attempts,
    pub(super) ended: Ended,
    pub(super) hashing: Semaphore,
    pub(super) waiting: Semaphore,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

/// Settings of an [`Access`].
#[derive(Default)]
pub struct AccessBuilder {
    users: Option<UsersFile>,
    open: Option<String>,
    loopback: bool,
    hosts: Vec<String>,
    proxy: Option<(HeaderName, Role)>,
    from: Networks,
    lifetime: Option<Duration>,
}

impl AccessBuilder {
    /// Users and tokens of a file. The file may change at any time.
    #[must_use]
    pub fn users(mut self, file: UsersFile) -> Self {
        self.users = Some(file);
        self
    }

    /// Lets everybody who reaches the page be an admin with this name, without a login. The page then answers only as
    /// `localhost`, under an address, under a name without a dot, and under those of [`hosts`](Self::hosts), which
    /// protects it from DNS rebinding.
    #[must_use]
    pub fn open(mut self, name: impl Into<String>) -> Self {
        self.open = Some(name.into());
        self
    }

    /// Names under which browsers reach a page without a login.
    #[must_use]
    pub fn hosts(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.hosts = names.into_iter().map(|name| name.as_ref().to_ascii_lowercase()).collect();
        self
    }

    /// Refuses requests for other hosts than this machine's loopback, and requests of other users of this machine.
    #[must_use]
    pub fn only_loopback(mut self, loopback: bool) -> Self {
        self.loopback = loopback;
        self
    }

    /// Believes the proxies with these addresses: what they say about the client's address and scheme.
    #[must_use]
    pub fn proxies(mut self, from: Networks) -> Self {
        self.from = from;
        self
    }

    /// Header in which a proxy names the user. The role is that of the user in the users file, or else this role.
    #[must_use]
    pub fn proxy_user(mut self, header: HeaderName, role: Role) -> Self {
        self.proxy = Some((header, role));
        self
    }

    /// Time without a request after which a session ends; an hour by default.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// Builds the access.
    ///
    /// # Errors
    /// [`UsersError`] if the users file cannot be read, or the system has no random bytes.
    pub fn build(self) -> Result<Access, UsersError> {
        self.users.as_ref().map_or(Ok(()), |file| file.users().map(|_| ()))?;
        let key = Key::random().ok_or(UsersError::Random)?;
        Ok(Access(Arc::new(Inner {
            users: self.users,
            open: self.open,
            loopback: self.loopback,
            hosts: self.hosts,
            proxy: self.proxy,
            from: self.from,
            key,
            lifetime: self.lifetime.unwrap_or(LIFETIME),
            attempts: Attempts::default(),
            ended: Ended::default(),
            hashing: Semaphore::new(HASHING),
            waiting: Semaphore::new(WAITING),
        })))
    }
}

impl Access {
    /// A builder of an access that lets nobody in.
    #[must_use]
    pub fn builder() -> AccessBuilder {
        AccessBuilder::default()
    }

    /// Returns true if users log in with a password.
    #[must_use]
    pub fn has_login(&self) -> bool {
        self.0.users.is_some() && self.0.open.is_none()
    }

    pub(super) fn users(&self) -> Result<Arc<Users>, Refusal> {
        let file = self.0.users.as_ref();
        file.map_or_else(|| Ok(Arc::default()), |file| file.users().map_err(|_| Refusal::UsersFile))
    }

    pub(super) fn key<'a>(&'a self, users: &'a Users) -> &'a Key {
        users.key().unwrap_or(&self.0.key)
    }

    /// Name of a cookie. Pages on other ports of the same host have other names.
    pub(super) fn cookie_name(&self, users: &Users, purpose: For) -> String {
        let of = if purpose == For::Session { "" } else { purpose.as_str() };
        let name: String =
            self.key(users).sign("name", of).chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        format!("blueque_{name}")
    }

    /// Returns the header that sets the cookie of a session, or with `None` removes it.
    pub(super) fn set_cookie(
        &self,
        purpose: For,
        users: &Users,
        session: Option<(&Session, &User)>,
        base: &str,
        https: bool,
    ) -> HeaderValue {
        let (value, left) = session.map_or((String::new(), 0), |(session, user)| {
            (session.cookie(purpose, self.key(users), user), session.left(SystemTime::now()))
        });
        let secure = if https { "; Secure" } else { "" };
        let name = self.cookie_name(users, purpose);
        let text = format!("{name}={value}; Path={base}/; Max-Age={left}; HttpOnly; SameSite=Strict{secure}");
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
    }

    pub(super) fn begin(&self, user: &User) -> Option<Session> {
        Session::begin(&user.name, SystemTime::now(), self.0.lifetime)
    }

    /// A proof that a user has logged in from this browser.
    pub(super) fn known(user: &User) -> Option<Session> {
        Session::begin(&user.name, SystemTime::now(), KNOWN)
    }

    /// Reads the cookies of a request, for one purpose.
    pub(super) fn cookies(&self, purpose: For, users: &Users, headers: &HeaderMap) -> Vec<Session> {
        let name = format!("{}=", self.cookie_name(users, purpose));
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let values = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().strip_prefix(&name));
        let read = |value| Session::read(value, purpose, self.key(users), |name| users.user(name), SystemTime::now());
        values.take(4).filter_map(read).collect()
    }

    pub(super) fn end(&self, session: &Session) {
        self.0.ended.add(session, SystemTime::now());
    }
}
