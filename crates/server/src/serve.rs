//! Sockets: connections in, requests to the service, and an end that loses nothing. Whoever sends headers too slowly, does not
//! read what is sent, or is one too many, is cut off; nobody waits for them.

use crate::{
    app::app,
    metrics::{Held, Metrics},
    service::Service,
    slow::Impatient,
    visitor::Peer,
};
use axum::{Router, body::Body, extract::Request};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tower::ServiceExt;

/// Connections at the same time.
pub const MOST_CONNECTIONS: usize = 16_000;
/// Whoever has not sent a request's headers by then is cut off.
const HEADERS: Duration = Duration::from_secs(15);
/// Whoever has read nothing for so long of what is sent to them is cut off.
const UNREAD: Duration = Duration::from_secs(20);
/// How long a server that is to end waits for answers on their way.
const DRAIN: Duration = Duration::from_secs(10);

/// Serves until `end`; then takes no more connections, finishes answers, and returns when everything is kept.
pub async fn serve(service: Service, listener: TcpListener, end: impl Future<Output = ()>) {
    let (router, metrics) = (app(service.clone()), service.metrics().clone());
    let seats = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let tidy = tokio::spawn(tidy(service.clone()));
    let waking = service.clone();
    let waking = tokio::spawn(async move { waking.wake().await });
    let mut end = std::pin::pin!(end);
    let mut refusing = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                if std::mem::take(&mut refusing) {
                    tracing::info!("connections are accepted again");
                }
                match seats.clone().try_acquire_owned() {
                    Ok(seat) => {
                        let connection = Connection { stream, peer, seat, metrics: metrics.clone() };
                        connection.spawn(router.clone(), &graceful);
                    }
                    Err(_) => metrics.dropped.add(1),
                }
            }
            Err(error) if is_harmless(&error) => {}
            Err(reason) => {
                if !std::mem::replace(&mut refusing, true) {
                    tracing::error!(%reason, "connections cannot be accepted");
                }
                // Files may have run out: a moment later there may be some again.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    tidy.abort();
    // Waited for: the database is closed below, and a task that still reads it would log an error.
    waking.abort();
    let _ = waking.await;
    service.stop();
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!(seconds = DRAIN.as_secs(), "connections cut off: responses not read in time");
    }
    service.finish().await;
}

/// Addresses that have not been seen for a while are forgotten.
async fn tidy(service: Service) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        service.limits().tidy();
    }
}

/// Whether the error is that of one connection, which its client has given up.
fn is_harmless(error: &io::Error) -> bool {
    [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset].contains(&error.kind())
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    seat: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Connection {
    fn spawn(self, router: Router, graceful: &GracefulShutdown) {
        let Connection { stream, peer, seat, metrics } = self;
        let _ = stream.set_nodelay(true);
        let service = router.map_request(move |mut request: Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            request.map(Body::new)
        });
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
        let io = TokioIo::new(Impatient::new(stream, UNREAD, metrics.clone()));
        let connection = builder.serve_connection_with_upgrades(io, TowerToHyperService::new(service));
        let connection = graceful.watch(connection.into_owned());
        let held = (seat, Held::one(&metrics, |metrics| &metrics.connections));
        tokio::spawn(async move {
            // Why a connection ended is the other end's affair.
            let _ = connection.await;
            drop(held);
        });
    }
}
