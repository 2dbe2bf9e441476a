//! Who is not answered, and what every answer says to the browser.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iopath_server::{CannotServe, Server, Site};
use iopath_units::System;

use crate::hosted::{Hosted, finished};

#[test]
fn without_the_token_nothing_is_shown() {
    let hosted = Hosted::new();
    finished(&hosted.store(), "secret study");
    let own = hosted.path("");
    let other = own.replace(|c: char| c.is_ascii_hexdigit(), "0");
    for path in ["/", "/runs/1", "/api/runs", "//", &other, &own[..own.len() - 2], "/%2e%2e/"] {
        let answered = hosted.ask("GET", path, &[("Host", hosted.host())]);
        assert_eq!(answered.status, 403, "{path}");
        assert!(!answered.body.contains("secret"), "{}", answered.body);
    }
    assert!(hosted.page("").contains("secret study"));
}

#[test]
fn only_the_server_s_own_name_is_answered() {
    let hosted = Hosted::new();
    let port = hosted.host().split(':').nth(1).unwrap().to_owned();
    let path = hosted.path("");
    let local = format!("localhost:{port}");
    assert_eq!(hosted.ask("GET", &path, &[("Host", &local)]).status, 200);
    let evil = format!("evil.example:{port}");
    let later = [("Host", hosted.host()), ("Host", &evil)];
    for headers in [&[("Host", evil.as_str())][..], &[("Host", "127.0.0.1")], &[], &later] {
        let answered = hosted.ask("GET", &path, headers);
        assert!([400, 403].contains(&answered.status), "{headers:?}: {}", answered.status);
    }
}

#[test]
fn nothing_is_written_over_http() {
    let hosted = Hosted::new();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        let answered = hosted.ask(method, &hosted.path(""), &[("Host", hosted.host())]);
        assert_eq!(answered.status, 405, "{method}");
        assert!(answered.head.contains("allow: get, head"), "{}", answered.head);
    }
    let head = hosted.ask("HEAD", &hosted.path(""), &[("Host", hosted.host())]);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[test]
fn a_search_for_too_many_words_is_the_asker_s_mistake() {
    let hosted = Hosted::new();
    for page in ["", "api/runs"] {
        let question = format!("{page}?text={}", "a+".repeat(30_000));
        let answered = hosted.get(&question);
        assert_eq!(answered.status, 400, "{}", answered.body);
        assert!(answered.body.contains("at most 100"), "{}", answered.body);
    }
    let question = format!("?text={}", "a+".repeat(100));
    assert_eq!(hosted.get(&question).status, 200);
    assert!([400, 414].contains(&hosted.get(&format!("?text={}", "a".repeat(100_000))).status));
}

#[test]
fn paths_lead_nowhere_but_to_pages() {
    let hosted = Hosted::new();
    finished(&hosted.store(), "a study");
    for page in [
        "../../../etc/passwd",
        "runs/../../etc/passwd",
        "runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "runs/2",
        "runs/-1",
        "runs/1'--",
        "runs/99999999999999999999",
        "api/runs/2",
        "api/",
        "none",
    ] {
        let answered = hosted.get(page);
        assert_eq!(answered.status, 404, "{page}: {}", answered.body);
        assert!(!answered.body.contains("root:x:"), "{page}");
    }
    assert_eq!(hosted.get("?page=0").status, 400);
    assert_eq!(hosted.get("?from=yesterday").status, 400);
    assert_eq!(hosted.json("api/runs?page=2")["runs"], serde_json::json!([]));
}

#[test]
fn every_answer_tells_the_browser_to_be_careful() {
    let hosted = Hosted::new();
    let refused = hosted.ask("GET", "/", &[("Host", hosted.host())]);
    for answered in [hosted.get(""), hosted.get("none"), hosted.get("api/runs"), refused] {
        for line in [
            "content-security-policy: default-src 'none'; script-src 'nonce-",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answered.head.contains(line), "{line}:\n{}", answered.head);
        }
    }
    let (one, two) = (hosted.get(""), hosted.get(""));
    let nonce = |head: &str| head.split("'nonce-").nth(1).unwrap()[..32].to_owned();
    assert_ne!(nonce(&one.head), nonce(&two.head));
    assert!(one.body.contains(&format!("<script nonce=\"{}\">", nonce(&one.head))));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let hosted = Hosted::new();
    let port: u16 = hosted.host().split(':').nth(1).unwrap().parse().unwrap();
    let read = |_: &_, _| Err(String::new());
    let site = Site { store: "runs.db".into(), system: System::Decimal, read };
    let error = Server::open(Some(port), site).unwrap_err();
    assert!(matches!(error, CannotServe::Taken { port: taken } if taken == port), "{error}");
}

#[test]
fn the_end_is_in_order_whoever_is_connected() {
    let folder = tempfile::tempdir().unwrap();
    let read = |_: &_, _| Err(String::new());
    let store = folder.path().join("runs.db");
    let server = Server::open(None, Site { store, system: System::Decimal, read }).unwrap();
    let url = server.url();
    let host = url.trim_start_matches("http://").split('/').next().unwrap();
    // A connection that never asks, and one that stops in the middle of its question.
    let silent = TcpStream::connect(host).unwrap();
    let mut halfway = TcpStream::connect(host).unwrap();
    std::io::Write::write_all(&mut halfway, b"GET / HT").unwrap();
    let stop = Arc::new(AtomicBool::new(true));
    server.run(&stop).unwrap();
    drop((silent, halfway));
}
