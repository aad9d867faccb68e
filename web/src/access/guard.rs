//! The guard in front of every page and call: finds out who sends a request, and refuses what this user may not send.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::SystemTime;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;

use super::origin;
use super::refusal::{Refusal, refuse, reload};
use super::same_user::is_same_user;
use super::session::{For, Session};
use super::settings::Access;
use super::users::{Users, is_name};
use crate::actor::{Actor, Role};

/// Maximum size of a form: parameters of 8 MiB, of which every byte may take three.
const LARGEST: usize = 26 << 20;

/// Purpose of the signature of a form.
const FORM: &str = "form";

/// Headers of every answer: nothing but the page's own files is loaded, no other page may show or read it, and no search
/// engine lists it. `same-origin`: with `no-referrer` browsers would send the origin `null` with the page's own forms.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
];

/// The token that each form of the page sends back in its field `csrf`, and each script in the header `X-CSRF-Token`.
#[derive(Clone, Debug, Default)]
pub struct Csrf {
    /// The token.
    pub token: String,
    /// True if the user can log out.
    pub logs_out: bool,
}

/// How a user proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Via {
    /// Nobody logs in.
    Open,
    Session(Session),
    Token,
    Proxy,
}

/// What the guard knows about a request, for the routes of the login.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) address: IpAddr,
    pub(super) https: bool,
    pub(super) session: Option<Session>,
}

impl Access {
    /// Finds out who sends a request: by a token, a proxy, a session, or because nobody logs in.
    fn identify(
        &self,
        users: &Users,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Option<(Actor, Via)>, Refusal> {
        if headers.contains_key(header::AUTHORIZATION) {
            let given = origin::only(headers, "authorization").and_then(|text| text.split_once(' '));
            let token = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let token = token.and_then(|(_, text)| users.token(text.trim()));
            return match token {
                Some(token) => Ok(Some((actor(&token.name, token.role), Via::Token))),
                // Basic credentials of a proxy say nothing to this page.
                None if given.is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("basic")) => {
                    self.others(users, headers, peer)
                }
                None => Err(Refusal::Token),
            };
        }
        self.others(users, headers, peer)
    }

    fn others(
        &self,
        users: &Users,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Option<(Actor, Via)>, Refusal> {
        if let Some((name, role)) = &self.0.proxy
            && headers.contains_key(name)
        {
            // A client that sends the header past the proxy is refused, so that a mistake in the setup shows.
            if !peer.is_some_and(|peer| self.0.from.have(peer)) {
                return Err(Refusal::Proxy);
            }
            let named = origin::only(headers, name.as_str()).map(str::trim).filter(|named| !named.is_empty());
            let named = named.ok_or(Refusal::Proxy)?;
            let role = users.user(named).map_or(*role, |user| user.role);
            return Ok(Some((actor(named, role), Via::Proxy)));
        }
        for session in self.cookies(For::Session, users, headers) {
            if let Some(user) = users.user(&session.user).filter(|_| !self.0.ended.has(&session)) {
                return Ok(Some((actor(&user.name, user.role), Via::Session(session))));
            }
        }
        Ok(self.0.open.as_ref().map(|name| (actor(name, Role::Admin), Via::Open)))
    }

    /// The token of the forms of a user.
    fn csrf(&self, users: &Users, actor: &Actor, via: &Via) -> Csrf {
        let of = match via {
            Via::Session(session) => format!("session {}", session.id),
            Via::Open | Via::Token | Via::Proxy => format!("user {}", actor.name),
        };
        Csrf { token: self.key(users).sign(FORM, &of), logs_out: matches!(via, Via::Session(_)) }
    }

    /// Checks that a write comes from the page itself. `api`: a program may send it.
    async fn check_write(
        &self,
        request: Request,
        csrf: &Csrf,
        via: &Via,
        host: &str,
        api: bool,
    ) -> Result<Request, Refusal> {
        if *via == Via::Token {
            // A browser sends a token only if a script does, and no script of another origin can.
            return Ok(request);
        }
        if !origin::is_same(request.headers(), host) {
            return Err(Refusal::Origin);
        }
        let content = origin::only(request.headers(), "content-type").unwrap_or_default();
        let content = content.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if let Some(given) = request.headers().get("x-csrf-token") {
            return if same(given.as_bytes(), csrf) { Ok(request) } else { Err(Refusal::Csrf) };
        }
        // Without a login there is no cookie that a browser could add. JSON of another origin needs a permission, which
        // this server never gives.
        if api && *via == Via::Open && content == "application/json" {
            return Ok(request);
        }
        if content != "application/x-www-form-urlencoded" {
            return Err(Refusal::Csrf);
        }
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, LARGEST).await.map_err(|_| Refusal::Large)?;
        if !field(&body).is_some_and(|given| same(given.as_bytes(), csrf)) {
            return Err(Refusal::Csrf);
        }
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// Checks a request, and passes it on with its [`Actor`]. `base`: the path below which the page is served.
    pub(crate) async fn guard(self, base: Arc<str>, read_only: bool, mut request: Request, next: Next) -> Response {
        let path = request.uri().path().strip_prefix(&*base).unwrap_or_default().to_owned();
        let api = path.starts_with("/api/") || path == "/metrics";
        // After the login the browser goes to the page. A write must be made again.
        let at = if request.method() == Method::GET {
            request.uri().path_and_query().map(ToString::to_string)
        } else {
            None
        };
        let is_link = request.headers().get("sec-fetch-site").is_some_and(|site| site == "cross-site");
        let mut answer = match self.passed(&base, &path, api, read_only, &mut request).await {
            Ok((checked, cookie)) => {
                let mut answer = next.run(checked).await;
                if let Some(cookie) = cookie {
                    answer.headers_mut().append(header::SET_COOKIE, cookie);
                }
                answer
            }
            // A browser does not send the cookie when a link of another site leads here, but does when it reloads the page.
            Err(Refusal::Nobody) if is_link && at.is_some() && !api && self.has_login() => reload(),
            Err(refusal) => refuse(refusal, self.has_login(), api, &base, at.as_deref()),
        };
        for (name, value) in HEADERS {
            answer.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
        answer.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        answer
    }

    async fn passed(
        &self,
        base: &str,
        path: &str,
        api: bool,
        read_only: bool,
        request: &mut Request,
    ) -> Result<(Request, Option<HeaderValue>), Refusal> {
        let mut request = std::mem::take(request);
        let headers = request.headers();
        let socket = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0);
        let peer = socket.map(|peer| peer.ip().to_canonical());
        let is_proxied = peer.is_some_and(|peer| self.0.from.have(peer));
        let forwarded = |name| origin::only(headers, name).filter(|_| is_proxied).map(str::trim);
        let own = origin::only(headers, "host").map(str::to_owned);
        let own = own.or_else(|| request.uri().authority().map(ToString::to_string)).unwrap_or_default();
        let host = forwarded("x-forwarded-host").map_or(own, str::to_owned);
        let is_health = path == "/healthz" || path == "/readyz";
        let is_known = || match (self.0.loopback, &self.0.open) {
            (true, _) => origin::is_loopback(&host),
            (false, Some(_)) => origin::is_private(&host, &self.0.hosts),
            (false, None) => true,
        };
        if !is_health && !is_known() {
            return Err(if self.0.loopback { Refusal::Host } else { Refusal::Name });
        }
        if self.0.loopback && !is_health && socket.is_some_and(|socket| !is_same_user(socket)) {
            return Err(Refusal::User);
        }
        let https = forwarded("x-forwarded-proto") == Some("https");
        // Each proxy adds the address of its client at the end.
        let all: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
        let client = all
            .join(",")
            .rsplit(',')
            .filter(|_| is_proxied)
            .filter_map(|text| text.trim().parse().ok())
            .find(|address: &IpAddr| !self.0.from.have(*address));
        let address = client.or(peer).unwrap_or(IpAddr::from([0, 0, 0, 0]));

        let users = self.users()?;
        let is_public = is_health
            || ["/login", "/logout", "/robots.txt", "/favicon.ico"].contains(&path)
            || path.starts_with("/assets/");
        let is_write = ![Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
        let mut seen = Seen { address, https, session: None };
        let mut cookie = None;
        // A service around the page may know its users itself.
        let given = request.extensions().get::<Actor>().cloned().filter(|_| self.0.open.is_some());
        let found = given.map_or_else(|| self.identify(&users, headers, peer), |actor| Ok(Some((actor, Via::Open))));
        match found {
            Ok(Some((mut actor, via))) => {
                if read_only {
                    actor.role = Role::Viewer;
                }
                let csrf = self.csrf(&users, &actor, &via);
                if is_write && path != "/login" {
                    if actor.role < Role::Operator && path != "/logout" {
                        return Err(if read_only { Refusal::ReadOnly } else { Refusal::Role });
                    }
                    request = self.check_write(request, &csrf, &via, &host, api).await?;
                }
                if let Via::Session(session) = via {
                    let renewed = session.renewed(SystemTime::now(), self.0.lifetime);
                    if let Some((session, user)) = renewed
                        .as_ref()
                        .zip(users.user(&session.user))
                        .filter(|_| !matches!(path, "/login" | "/logout"))
                    {
                        cookie = Some(self.set_cookie(For::Session, &users, Some((session, user)), base, https));
                    }
                    seen.session = Some(session);
                }
                request.extensions_mut().insert(csrf);
                request.extensions_mut().insert(actor);
            }
            _ if is_public => {}
            Ok(None) => return Err(Refusal::Nobody),
            Err(refusal) => return Err(refusal),
        }
        if path == "/login" && is_write && !origin::is_same(request.headers(), &host) {
            return Err(Refusal::Origin);
        }
        request.extensions_mut().insert(seen);
        Ok((request, cookie))
    }
}

fn same(given: &[u8], csrf: &Csrf) -> bool {
    super::signature::same(given, csrf.token.as_bytes())
}

/// Returns the field `csrf` of a form. Its characters are never escaped.
fn field(form: &Bytes) -> Option<&str> {
    form.split(|byte| *byte == b'&').find_map(|pair| std::str::from_utf8(pair.strip_prefix(b"csrf=")?).ok())
}

/// The audit of the scripts stores names of few characters.
fn actor(name: &str, role: Role) -> Actor {
    let plain = |c: char| if is_name(c.encode_utf8(&mut [0; 4])) { c } else { '-' };
    Actor { name: name.chars().map(plain).take(100).collect(), role }
}
