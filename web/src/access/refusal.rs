//! Answers to requests that the guard refuses.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::api::problem::Problem;

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nobody has logged in.
    Nobody,
    /// The token is unknown.
    Token,
    /// The browser reached this machine under a foreign name.
    Host,
    /// The name by which the browser reached an open page is not one of its names.
    Name,
    /// Another user of this machine sent the request.
    User,
    /// A page of another origin sent a write.
    Origin,
    /// A write lacks the token of the page's forms.
    Csrf,
    /// The header of the proxy came from somewhere else, or names nobody.
    Proxy,
    /// A viewer sent a write.
    Role,
    /// The page changes nothing.
    ReadOnly,
    /// A form is too large.
    Large,
    /// The users file cannot be read now.
    UsersFile,
}

impl Refusal {
    /// Status, code, what is wrong, and what to do.
    fn parts(self) -> (StatusCode, &'static str, &'static str, &'static str) {
        match self {
            Self::Nobody => (
                StatusCode::UNAUTHORIZED,
                "UNAUTHORIZED",
                "This page needs a login.",
                "Log in, or send `Authorization: Bearer TOKEN` with a token of `blueque web token add`.",
            ),
            Self::Token => (
                StatusCode::UNAUTHORIZED,
                "UNAUTHORIZED",
                "The token is unknown.",
                "Send `Authorization: Bearer TOKEN` with a token of `blueque web token add`.",
            ),
            Self::Host => (
                StatusCode::MISDIRECTED_REQUEST,
                "HOST",
                "This page answers only as localhost or 127.0.0.1.",
                "Open http://localhost with the port of this page; for other names start it with --users.",
            ),
            Self::Name => (
                StatusCode::MISDIRECTED_REQUEST,
                "HOST",
                "This page has no login, and does not know the name by which you reached it.",
                "Open it by its address, or start it with --host and this name; a page with --users needs no names.",
            ),
            Self::User => (
                StatusCode::FORBIDDEN,
                "USER",
                "This page is for the user of this machine who started it.",
                "Start your own with `blueque web`, or ask for an account: `blueque web user add NAME`.",
            ),
            Self::Origin => (
                StatusCode::FORBIDDEN,
                "ORIGIN",
                "The request comes from another site.",
                "Open the page and do it there. Behind a proxy, pass on the Host, or X-Forwarded-Host, and name the \
                 proxy with --proxy-from.",
            ),
            Self::Csrf => (
                StatusCode::FORBIDDEN,
                "CSRF",
                "The form is not from this session.",
                "Go back, reload the page, and try again. Programs send a bearer token.",
            ),
            Self::Proxy => (
                StatusCode::FORBIDDEN,
                "PROXY",
                "The header with the user's name does not come from the proxy, or names nobody.",
                "Come through the proxy; its address must be in --proxy-from.",
            ),
            Self::Role => (
                StatusCode::FORBIDDEN,
                "FORBIDDEN",
                "Your role may not do this.",
                "Ask for the role: `blueque web user role NAME operator`.",
            ),
            Self::ReadOnly => (
                StatusCode::FORBIDDEN,
                "READONLY",
                "This page changes nothing: it was started with --read-only.",
                "Use another page, or the blueque command.",
            ),
            Self::Large => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "TOOBIG",
                "The form is too large.",
                "Store large parameters elsewhere, and pass a reference.",
            ),
            Self::UsersFile => (
                StatusCode::SERVICE_UNAVAILABLE,
                "USERS",
                "The users file cannot be read.",
                "`blueque web user ls` says why.",
            ),
        }
    }
}

/// Answers a refused request: with JSON for programs, with the login for people who may log in, and otherwise with text.
pub(super) fn refuse(refusal: Refusal, has_login: bool, api: bool, base: &str, at: Option<&str>) -> Response {
    let (status, code, text, remedy) = refusal.parts();
    if api {
        let mut answer = Problem::new(status, code, text, remedy).into_response();
        if status == StatusCode::UNAUTHORIZED {
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        return answer;
    }
    if refusal == Refusal::Nobody && has_login {
        let to = at.map(|at| format!("?to={}", utf8_percent_encode(at, NON_ALPHANUMERIC))).unwrap_or_default();
        let to = format!("{base}/login{to}");
        return (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    }
    (status, format!("{text}\n{remedy}\n")).into_response()
}

/// Makes the browser load the page again, as the page itself.
pub(super) fn reload() -> Response {
    Html("<!DOCTYPE html><html lang=\"en\"><meta http-equiv=\"refresh\" content=\"0\"><title>Blueque</title></html>\n")
        .into_response()
}
