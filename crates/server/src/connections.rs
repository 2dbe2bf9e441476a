//! Connections: taken, answered, and closed when no one uses them.
//!
//! Any user of the machine can connect, so connections must not be a way to lock others out. One
//! that sends no request for a while is closed, also between requests (hyper's
//! `header_read_timeout` covers both). Of too many, the oldest that never showed the token goes
//! first: a request with the token is answered however many others wait.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How often the wish to end is looked at, and how long to wait where no descriptor is free.
const LOOK: Duration = Duration::from_millis(100);

/// How many connections there may be, and for how long without a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub connections: usize,
    pub idle: Duration,
}

impl Default for Bounds {
    /// Chosen: a browser opens six connections to a server, and opens closed ones again. The usual
    /// limit of descriptors is 1,024.
    fn default() -> Self {
        Self { connections: 128, idle: Duration::from_secs(15) }
    }
}

/// A connection under way.
struct Connection {
    task: JoinHandle<()>,
    /// Whether a request on it had the token.
    is_known: Arc<AtomicBool>,
}

/// Answers until `stop` is set, then finishes the answers under way.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Router,
    bounds: Bounds,
    stop: Arc<AtomicBool>,
) {
    let mut open: Vec<Connection> = Vec::new();
    let mut ending = pin!(stopped(Arc::clone(&stop)));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut ending => break,
        };
        open.retain(|connection| !connection.task.is_finished());
        match accepted {
            Ok((stream, _)) if open.len() < bounds.connections || close_one(&mut open) => {
                let is_known = Arc::new(AtomicBool::new(false));
                let routes = routes.clone().layer(from_fn_with_state(Arc::clone(&is_known), note));
                let talk = converse(stream, routes, bounds.idle, Arc::clone(&stop));
                open.push(Connection { task: tokio::spawn(talk), is_known });
            }
            // All have the token: the newest is closed at once.
            Ok(_) => {}
            // No descriptor is free, or the client went away.
            Err(_) => {
                close_one(&mut open);
                tokio::time::sleep(LOOK).await;
            }
        }
    }
    for connection in open {
        // One that was closed above has ended already.
        let _ = connection.task.await;
    }
}

/// Returns when `stop` is set.
pub(crate) async fn stopped(stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Closes the oldest connection that never showed the token; `false` where all did.
fn close_one(open: &mut Vec<Connection>) -> bool {
    let oldest = open.iter().position(|one| !one.is_known.load(Ordering::Relaxed));
    let closed = oldest.map(|at| open.remove(at).task.abort());
    closed.is_some()
}

async fn converse(stream: TcpStream, routes: Router, idle: Duration, stop: Arc<AtomicBool>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(idle);
    let service = TowerToHyperService::new(routes);
    let mut talk = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // How a conversation ends, only the browser needs to know.
    tokio::select! {
        _ = &mut talk => {}
        () = stopped(stop) => {
            talk.as_mut().graceful_shutdown();
            let _ = talk.await;
        }
    }
}

/// Notes that a request was let through: only the guard answers with 403.
async fn note(State(is_known): State<Arc<AtomicBool>>, request: Request, next: Next) -> Response {
    let answer = next.run(request).await;
    if answer.status() != StatusCode::FORBIDDEN {
        is_known.store(true, Ordering::Relaxed);
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::SocketAddr;

    use axum::routing::get;

    use super::*;

    /// A test that does not end is worse than one that fails.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Serves two pages while `act` acts; `/refused` is answered like a wrong token.
    fn while_serving(bounds: Bounds, act: impl FnOnce(SocketAddr)) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let page = Router::new().route("/page", get(async || "page"));
                let refused = async || StatusCode::FORBIDDEN;
                let routes = page.route("/refused", get(refused));
                serve(TcpListener::from_std(listener).unwrap(), routes, bounds, seen).await;
            });
        });
        act(address);
        stop.store(true, Ordering::Relaxed);
        server.join().unwrap();
    }

    fn connected(address: SocketAddr) -> std::net::TcpStream {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The beginning of the answer to a request after which the connection stays open.
    fn ask(stream: &mut std::net::TcpStream, path: &str) -> String {
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        String::from_utf8_lossy(&head).into_owned()
    }

    /// Waits until the server closes a connection.
    fn await_end(mut stream: std::net::TcpStream) {
        match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }

    #[test]
    fn connections_that_ask_nothing_are_closed() {
        let bounds = Bounds { idle: Duration::from_millis(50), ..Bounds::default() };
        while_serving(bounds, |address| {
            let silent = connected(address);
            let mut half = connected(address);
            half.write_all(b"GET /page HTTP/1.1\r\nHo").unwrap();
            let mut kept = connected(address);
            assert_eq!(ask(&mut kept, "/page"), "HTTP/1.1 200");
            for stream in [silent, half, kept] {
                await_end(stream);
            }
        });
    }

    #[test]
    fn idle_connections_without_the_token_lock_nobody_out() {
        let bounds = Bounds { connections: 8, idle: 2 * PATIENCE };
        while_serving(bounds, |address| {
            let mut reader = connected(address);
            assert_eq!(ask(&mut reader, "/page"), "HTTP/1.1 200");
            let mut refused = connected(address);
            assert_eq!(ask(&mut refused, "/refused"), "HTTP/1.1 403");
            let mut idle: Vec<_> = (0..100).map(|_| connected(address)).collect();
            await_end(refused);
            await_end(idle.swap_remove(0));
            assert_eq!(ask(&mut connected(address), "/page"), "HTTP/1.1 200");
            // The one that showed the token is still open.
            reader.read_exact(&mut [0; 4]).unwrap();
            reader.set_nonblocking(true).unwrap();
            let more = reader.read_to_end(&mut Vec::new());
            assert_eq!(more.unwrap_err().kind(), ErrorKind::WouldBlock);
        });
    }
}
