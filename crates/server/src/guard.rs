//! Who is answered, and what every answer says to the browser.
//!
//! * The socket is bound to the loopback: other machines do not reach it.
//! * The first part of the path is a random token: other users of this machine, and pages of other
//!   sites, do not know it. It stays in the path instead of a cookie, as browsers send a cookie of
//!   127.0.0.1 to every port there, whoever listens.
//! * `Host` must be this server's own: a site whose name was bent to 127.0.0.1 (DNS rebinding) has
//!   another one.
//! * Only GET and HEAD are answered, so nothing can be changed.
//! * Answers may neither be framed, nor kept, nor say where they were to other sites, and run no
//!   script but the page's own (Content Security Policy Level 3, with a nonce for each answer).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::token::Token;

/// What a request is held against.
pub(crate) struct Guard {
    pub port: u16,
    pub token: Token,
}

/// The word by which the scripts of an answer are told from any other.
#[derive(Clone, Debug)]
pub(crate) struct Nonce(pub String);

/// Lets a request through, or says why not; gives every answer its headers.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Ok(nonce) = Token::new() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let nonce = nonce.as_str().to_owned();
    let mut answer = match refused(&guard, &request) {
        Some(refusal) => refusal,
        None => {
            request.extensions_mut().insert(Nonce(nonce.clone()));
            next.run(request).await
        }
    };
    add_headers(answer.headers_mut(), &nonce);
    answer
}

fn refused(guard: &Guard, request: &Request) -> Option<Response> {
    if !is_own_host(guard.port, request.headers()) {
        let text = "wrong address: open the one that `iopath serve` printed\n";
        return Some((StatusCode::FORBIDDEN, text).into_response());
    }
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    if !guard.token.is(first) {
        let text = "the token is missing or wrong: open the address that `iopath serve` printed\n";
        return Some((StatusCode::FORBIDDEN, text).into_response());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allowed = [(header::ALLOW, "GET, HEAD")];
        let text = "read-only: use GET or HEAD\n";
        return Some((StatusCode::METHOD_NOT_ALLOWED, allowed, text).into_response());
    }
    None
}

/// Exactly one `Host`, with this port, and a name that only this machine answers to.
fn is_own_host(port: u16, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let is_own = |host: &HeaderValue| own.iter().any(|own| host.as_bytes() == own.as_bytes());
    hosts.next().is_some_and(is_own) && hosts.next().is_none()
}

fn add_headers(headers: &mut HeaderMap, nonce: &str) {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; \
         img-src data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
