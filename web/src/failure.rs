//! Errors of a request, with what the reader can do about them.

use axum::http::StatusCode;
use blueque::{Code, Error};

/// An error of a request.
#[derive(Debug)]
pub enum Failure {
    /// The server refused a call, or is away.
    Call(Error),
    /// The named object does not exist.
    Missing(String),
    /// The request is wrong.
    Wrong(String),
    /// The role of the user does not allow the action.
    Forbidden(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl Failure {
    pub fn missing(what: impl Into<String>) -> Self {
        Self::Missing(what.into())
    }

    pub fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }

    /// Returns true if the server cannot be reached or used now, and the same page may work later.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Call(error) if matches!(error, Error::Unavailable { .. }) || error.is_transient())
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Missing(_) => StatusCode::NOT_FOUND,
            Self::Wrong(_) => StatusCode::BAD_REQUEST,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Call(error) => match error {
                Error::NotFound => StatusCode::NOT_FOUND,
                Error::State { code, .. } if is_missing(*code) => StatusCode::NOT_FOUND,
                Error::State { .. } => StatusCode::CONFLICT,
                Error::Invalid { .. } | Error::Payload(_) => StatusCode::BAD_REQUEST,
                _ => StatusCode::SERVICE_UNAVAILABLE,
            },
        }
    }

    /// The error in one sentence, with its causes. It never contains the address of the server.
    pub fn text(&self) -> String {
        match self {
            Self::Call(error) => chain(error),
            Self::Missing(text) | Self::Wrong(text) | Self::Forbidden(text) => text.clone(),
        }
    }
}

fn is_missing(code: Code) -> bool {
    matches!(code, Code::NoTask | Code::NoQueue | Code::NoSchedule)
}

/// An error with its causes, as one text.
pub fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
