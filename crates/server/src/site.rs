//! What is served, where, and until when.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iopath_report::RunView;
use iopath_store::{RunId, Store};
use iopath_units::System;
use thiserror::Error;
use tokio::runtime::Builder;

use crate::connections::{Bounds, serve, stopped};
use crate::guard::Guard;
use crate::listing::Verdicts;
use crate::routes;
use crate::token::Token;

/// What is served.
#[derive(Clone, Debug)]
pub struct Site {
    /// The store, which exists.
    pub store: PathBuf,
    /// Decimal or binary units.
    pub system: System,
    /// Everything that the page of a run tells.
    pub read: fn(&Store, RunId) -> Result<RunView, String>,
}

/// Why nothing is served.
#[derive(Debug, Error)]
pub enum CannotServe {
    /// Another program has the port.
    #[error("port {port} is in use: omit --port, or use another one")]
    Taken { port: u16 },
    /// Ports below 1024 are root's.
    #[error("port {port} is not permitted: use one above 1023, or omit --port")]
    Forbidden { port: u16 },
    /// Anything else.
    #[error("cannot serve on this machine's loopback: {0}")]
    Io(#[from] io::Error),
}

/// A server whose port is open.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    site: Site,
}

/// What all answers share.
pub(crate) struct Shared {
    pub site: Site,
    pub verdicts: Mutex<Verdicts>,
}

/// How long answers under way may take after the wish to end.
const GRACE: Duration = Duration::from_secs(2);

/// Threads that read the store and compose pages (chosen: one reader, some tabs).
const THREADS: usize = 4;

impl Server {
    /// Opens a port of the loopback, any where none is named.
    ///
    /// # Errors
    /// [`CannotServe`]: the port is taken or may not be used.
    pub fn open(port: Option<u16>, site: Site) -> Result<Self, CannotServe> {
        let port = port.unwrap_or(0);
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => CannotServe::Taken { port },
                io::ErrorKind::PermissionDenied => CannotServe::Forbidden { port },
                _ => CannotServe::Io(error),
            })?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token: Token::new()?, site })
    }

    /// What to open in a browser: whoever has it sees the store.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token.as_str())
    }

    /// Answers until `stop` is set; answers under way are finished.
    ///
    /// # Errors
    /// Where the operating system refuses.
    pub fn run(self, stop: &Arc<AtomicBool>) -> Result<(), CannotServe> {
        let runtime =
            Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
        let guard = Guard { port: self.address.port(), token: self.token };
        let shared = Shared { site: self.site, verdicts: Mutex::default() };
        let routes = routes::routes(Arc::new(shared), Arc::new(guard));
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let serving = serve(listener, routes, Bounds::default(), Arc::clone(stop));
            tokio::select! {
                () = serving => {}
                () = late(Arc::clone(stop)) => {}
            }
            Ok::<(), io::Error>(())
        });
        runtime.shutdown_timeout(GRACE);
        Ok(served?)
    }
}

async fn late(stop: Arc<AtomicBool>) {
    stopped(stop).await;
    tokio::time::sleep(GRACE).await;
}
