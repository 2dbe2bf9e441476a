//! What an answer is before it is HTTP, and what becomes of errors.

use std::fmt::Display;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use iopath_report::{error_json, html};
use iopath_store::StoreError;
use serde_json::Value;

/// A page or a value, made by a thread that may wait.
pub(crate) enum Answer {
    /// A whole document.
    Page(String),
    /// What `--json` prints.
    Json(Value),
    /// Another address, relative to this one.
    Elsewhere(String),
}

/// Why there is none.
#[derive(Debug)]
pub(crate) struct Trouble {
    status: StatusCode,
    text: String,
}

/// In which form an error is told.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A page, with the nonce of its answer and the way to the list.
    Page { nonce: String, top: String },
    /// A value.
    Json,
}

impl Trouble {
    /// What was asked for cannot be understood.
    pub(crate) fn question(text: impl Display) -> Self {
        Self { status: StatusCode::BAD_REQUEST, text: text.to_string() }
    }

    /// There is no such thing.
    pub(crate) fn nothing(text: impl Display) -> Self {
        Self { status: StatusCode::NOT_FOUND, text: text.to_string() }
    }

    /// Something that should not happen.
    pub(crate) fn unexpected(text: impl Display) -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, text: text.to_string() }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoRun { .. } => Self::nothing(error),
            StoreError::Words { .. } => Self::question(error),
            other => Self::unexpected(other),
        }
    }
}

/// The answer as HTTP.
pub(crate) fn respond(answer: Result<Answer, Trouble>, form: &Form) -> Response {
    let page = |text: String| ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text);
    let json =
        |value: &Value| ([(header::CONTENT_TYPE, "application/json")], format!("{value:#}\n"));
    match (answer, form) {
        (Ok(Answer::Page(text)), _) => page(text).into_response(),
        (Ok(Answer::Json(value)), _) => json(&value).into_response(),
        (Ok(Answer::Elsewhere(place)), _) => {
            (StatusCode::FOUND, [(header::LOCATION, place)]).into_response()
        }
        (Err(Trouble { status, text }), Form::Json) => {
            (status, json(&error_json(&text))).into_response()
        }
        (Err(Trouble { status, text }), Form::Page { nonce, top }) => {
            (status, page(html::trouble(&text, top, nonce))).into_response()
        }
    }
}
