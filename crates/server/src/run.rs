//! A server as a process: its own runtime, its socket, and the signals that stop it.

use crate::{
    serve::serve,
    service::{Service, Settings},
};
use parlor_store::{Store, StoreError};
use std::{future::Future, io, net::SocketAddr, path::Path, pin::Pin};
use tokio::{
    net::{TcpListener, TcpSocket},
    runtime::{Builder, Runtime},
};

/// Connections that the system queues until they are accepted, as far as it allows.
const BACKLOG: u32 = 4096;

/// A server that listens, with its runtime.
pub struct Server {
    service: Service,
    listener: TcpListener,
    address: SocketAddr,
    database_location: String,
    signal: Pin<Box<dyn Future<Output = &'static str>>>,
    /// The last field, so that it is dropped after the other fields, which depend on it.
    runtime: Runtime,
}

#[derive(Debug)]
pub enum OpenError {
    Store(StoreError),
    Listen(io::Error),
    /// Any other failure of the operating system.
    System(io::Error),
}

impl Server {
    /// Opens the database, a file or a PostgreSQL URL, and listens. Connections
    /// wait until [`Server::run`].
    pub fn open(
        database: &Path,
        listen_on: SocketAddr,
        settings: impl FnOnce(Store) -> Settings,
    ) -> Result<Server, OpenError> {
        let runtime = Builder::new_multi_thread().enable_all().build().map_err(OpenError::System)?;
        let opened = runtime.block_on(async {
            let store = match database.to_str().filter(|text| Store::is_postgres_url(text)) {
                Some(address) => Store::connect(address).await,
                None => Store::open(database).await,
            };
            let store = store.map_err(OpenError::Store)?;
            let database_location = store.location().to_string();
            let listener = listen(listen_on).map_err(OpenError::Listen)?;
            let address = listener.local_addr().map_err(OpenError::System)?;
            Ok((Service::new(settings(store)), listener, address, database_location, Box::pin(stop_signal())))
        });
        let (service, listener, address, database_location, signal) = opened?;
        Ok(Server { service, listener, address, database_location, signal, runtime })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Path or URL of the database, without the password.
    pub fn database(&self) -> &str {
        &self.database_location
    }

    /// State shared by all requests.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Serves until a signal arrives, whose name is passed to `stopping`. `stopped` is called when
    /// everything is stored; after that it waits for engines that still think.
    pub fn run(self, stopping: impl FnOnce(&'static str), stopped: impl FnOnce()) {
        let Server { service, listener, signal, runtime, .. } = self;
        runtime.block_on(serve(service, listener, async { stopping(signal.await) }));
        stopped();
    }
}

/// Listens with a long queue of connections that are not accepted yet. If the queue is full, the system drops the
/// packets of clients, which then wait before they repeat them.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // `TcpListener::bind` does the same. On other systems the option would let two programs share a port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Waits for a signal that stops the server and returns its name. From this call on, and not only from the first
/// poll, the signal does not end the process by itself.
#[cfg(unix)]
fn stop_signal() -> impl Future<Output = &'static str> {
    use tokio::signal::unix::{SignalKind, signal};
    let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async {
        tokio::select! {
            () = received(interrupt) => "SIGINT",
            () = received(terminate) => "SIGTERM",
        }
    }
}

/// Waits for a signal; for ever if it cannot be registered.
#[cfg(unix)]
async fn received(signal: io::Result<tokio::signal::unix::Signal>) {
    match signal {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn stop_signal() -> &'static str {
    match tokio::signal::ctrl_c().await {
        Ok(()) => "Ctrl-C",
        Err(_) => std::future::pending().await,
    }
}
