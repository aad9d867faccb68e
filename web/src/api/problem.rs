//! Errors of the API: a code, a text, and a remedy.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// An error of a call.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) code: String,
    pub(crate) text: String,
    pub(crate) remedy: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), text: text.into(), remedy: remedy.into() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self).unwrap_or_default();
        (self.status, [(header::CONTENT_TYPE, "application/json")], body + "\n").into_response()
    }
}
