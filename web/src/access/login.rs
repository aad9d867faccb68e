//! The login: its page, and the routes that begin and end a session.

use std::time::Instant;

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use super::guard::Seen;
use super::password::Hash;
use super::session::For;
use super::settings::Access;
use super::users::User;
use crate::actor::Actor;
use crate::site::Site;

/// The routes of the login.
pub(crate) fn router() -> Router<Site> {
    Router::new().route("/login", get(page).post(log_in)).route("/logout", post(log_out))
}

#[derive(Deserialize)]
struct To {
    to: Option<String>,
}

#[derive(Deserialize)]
struct Given {
    user: String,
    password: String,
    to: Option<String>,
}

async fn page(
    State(site): State<Site>,
    Extension(access): Extension<Access>,
    actor: Option<Extension<Actor>>,
    Query(To { to }): Query<To>,
) -> Response {
    if actor.is_some() || !access.has_login() {
        return go(&path(&site, to.as_deref()));
    }
    Html(form(&site, to.as_deref(), "", None).into_string()).into_response()
}

async fn log_in(
    State(site): State<Site>,
    Extension(access): Extension<Access>,
    Extension(seen): Extension<Seen>,
    headers: HeaderMap,
    Form(Given { user, password, to }): Form<Given>,
) -> Response {
    let refused = |status, text: &str| {
        (status, Html(form(&site, to.as_deref(), &user, Some(text)).into_string())).into_response()
    };
    let Ok(users) = access.users() else {
        return refused(
            StatusCode::SERVICE_UNAVAILABLE,
            "The users file cannot be read: `blueque web user ls` says why.",
        );
    };
    let browsers = access.cookies(For::Browser, &users, &headers);
    let browser = browsers.iter().find(|browser| browser.user == user).map(|browser| browser.id.as_str());
    if let Err(wait) = access.0.attempts.begin(seen.address, &user, browser, Instant::now()) {
        let seconds = wait.as_secs() + 1;
        let text = format!("Too many attempts. Try again in {seconds} seconds.");
        let mut answer = refused(StatusCode::TOO_MANY_REQUESTS, &text);
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        return answer;
    }
    let known = users.user(&user).cloned();
    let Some(is_right) = verify(&access, known.as_ref().and_then(|user| user.hash.clone()), password).await else {
        let mut answer = refused(StatusCode::SERVICE_UNAVAILABLE, "Too many people log in at once. Try again.");
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(2));
        return answer;
    };
    let Some(known) = known.filter(|_| is_right) else {
        return refused(StatusCode::UNAUTHORIZED, "The name or the password is wrong.");
    };
    access.0.attempts.succeeded(seen.address, &user, browser);
    let Some((session, browser)) = access.begin(&known).zip(Access::known(&known)) else {
        return refused(StatusCode::SERVICE_UNAVAILABLE, "The system returns no random bytes.");
    };
    // A session of another user on this browser ends.
    seen.session.iter().for_each(|old| access.end(old));
    let cookie =
        |purpose, session| access.set_cookie(purpose, &users, Some((session, &known)), site.base(), seen.https);
    let answer = with_cookie(go(&path(&site, to.as_deref())), cookie(For::Session, &session));
    with_cookie(answer, cookie(For::Browser, &browser))
}

async fn log_out(
    State(site): State<Site>,
    Extension(access): Extension<Access>,
    Extension(seen): Extension<Seen>,
) -> Response {
    seen.session.iter().for_each(|session| access.end(session));
    let Ok(users) = access.users() else { return go(&path(&site, None)) };
    let cookie = access.set_cookie(For::Session, &users, None::<(_, &User)>, site.base(), seen.https);
    let mut answer = with_cookie(go(&format!("{}/login", site.base())), cookie);
    let name = HeaderName::from_static("clear-site-data");
    answer.headers_mut().insert(name, HeaderValue::from_static("\"cache\""));
    answer
}

/// Returns true if the password is right. `None` if too many people wait.
async fn verify(access: &Access, hash: Option<Hash>, password: String) -> Option<bool> {
    let _waits = access.0.waiting.try_acquire().ok()?;
    let _turn = access.0.hashing.acquire().await.ok()?;
    let verified = move || hash.map_or_else(|| Hash::verify_nobody(&password), |hash| hash.verify(&password));
    tokio::task::spawn_blocking(verified).await.ok()
}

/// Where the browser goes after the login: a path of this page, never another site.
fn path(site: &Site, to: Option<&str>) -> String {
    let base = site.base();
    let is_own = |to: &&str| {
        let rest = to.strip_prefix(base).unwrap_or_default();
        rest.starts_with('/')
            && !rest.starts_with("//")
            && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    let own = to.filter(|to| base.is_empty() || to.starts_with(base)).filter(is_own);
    own.map_or_else(|| format!("{base}/"), str::to_owned)
}

fn go(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned())]).into_response()
}

fn with_cookie(mut answer: Response, cookie: HeaderValue) -> Response {
    answer.headers_mut().append(header::SET_COOKIE, cookie);
    answer
}

fn form(site: &Site, to: Option<&str>, user: &str, error: Option<&str>) -> Markup {
    let asset = |name: &str| format!("{}{}", site.base(), site.assets().path(name));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Log in · " @if let Some(name) = site.title() { (name) " · " } "Blueque" }
                link rel="icon" href=(asset("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(asset("style.css"));
            }
            body.login {
                main #main {
                    h1 {
                        "Blueque "
                        @if let Some(name) = site.title() { span.environment data-colour=(site.colour()) { (name) } }
                    }
                    form method="post" action=(format!("{}/login", site.base())) {
                        @if let Some(error) = error { p.flash role="alert" data-kind="bad" { (error) } }
                        @if let Some(to) = to { input type="hidden" name="to" value=(to); }
                        label for="user" { "Name" }
                        input #user name="user" value=(user) autocomplete="username" required autofocus maxlength="100" autocapitalize="none" spellcheck="false";
                        label for="password" { "Password" }
                        input #password name="password" type="password" autocomplete="current-password" required maxlength="1024";
                        button type="submit" { "Log in" }
                    }
                    p.hint { "No account? An administrator adds one: " code { "blueque web user add NAME" } }
                }
            }
        }
    }
}
