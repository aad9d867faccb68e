//! Errors of the API: a code, a text, and a remedy.

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use blueque::contract::commands::error_code;
use blueque::{Code, Error};
use serde::Serialize;

use crate::failure::{Failure, chain};

/// An error of a call. The body of the answer has its code, its text and its remedy.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    /// The methods of the path, if the method was wrong.
    #[serde(skip)]
    allow: Option<&'static str>,
    code: String,
    text: String,
    remedy: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status, allow: None, code: code.to_owned(), text: text.into(), remedy: remedy.into() }
    }

    /// A wrong request.
    pub(crate) fn wrong(text: impl Into<String>) -> Self {
        Self::known(StatusCode::BAD_REQUEST, "BADARG", text)
    }

    /// An error whose remedy is in the contract.
    pub(crate) fn known(status: StatusCode, code: &str, text: impl Into<String>) -> Self {
        let remedy =
            error_code(code).map_or("Check the server: `blueque ping`, `blueque doctor`.", |code| code.act.as_str());
        Self::new(status, code, text, remedy)
    }

    /// A wrong method of a path that reads, or that changes something.
    pub(crate) fn method(method: &Method, reads: bool) -> Self {
        let (allow, remedy) =
            if reads { ("GET, HEAD", "Use GET with a query.") } else { ("POST", "Use POST with a JSON object.") };
        let text = format!("{method} is not a method of this path.");
        Self { allow: Some(allow), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD", text, remedy) }
    }

    pub(crate) fn place(name: &str) -> Self {
        let remedy = "GET api/v1 lists the places.";
        Self::new(StatusCode::NOT_FOUND, "NOPLACE", format!("There is no place {name}."), remedy)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let code = error.code().map_or_else(|| "SERVER".to_owned(), |code| code.as_str().to_owned());
        // The text of a server's error is the text behind its code.
        let text = match &error {
            Error::State { text, .. } | Error::Invalid { text, .. } | Error::Unsuitable { text, .. } => text.clone(),
            error => chain(error),
        };
        let status = match error.code() {
            Some(Code::TooBig) => StatusCode::PAYLOAD_TOO_LARGE,
            _ => Failure::Call(error).status(),
        };
        Self::known(status, &code, text)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self).unwrap_or_default() + "\n";
        let mut answer = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        if let Some(allow) = self.allow {
            answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        answer
    }
}
