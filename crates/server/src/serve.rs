//! Sockets: accepts connections, passes their requests to the service, and shuts down without losing a response. The
//! protocol is HTTP/1.1 only. A connection is closed if no request arrives in time, if the client does not read the
//! response, or if a place is needed and no request is in progress.

use crate::{
    app::app,
    connections::{ConnectionSlot, Connections, InProgress},
    metrics::{GaugeGuard, Metrics},
    service::Service,
    visitor::PeerAddress,
    write_timeout::WriteTimeout,
};
use axum::{Router, body::Body, extract::Request, http::StatusCode};
use hyper::{
    body::{Bytes, Frame, Incoming, SizeHint},
    server::conn::http1::Builder,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    future::Future,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
};
use tower::ServiceExt;

/// Time limit for the headers of a request, from the start of the connection or the end of the last request.
const HEADERS: Duration = Duration::from_secs(15);
/// A client that has read nothing of a response for this long is disconnected.
const UNREAD: Duration = Duration::from_secs(20);
/// How long a shutdown waits for responses in progress.
const DRAIN: Duration = Duration::from_secs(10);
/// The response to a refused connection, as far as the socket accepts it.
const REFUSED: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 2\r\n\
                         Connection: close\r\nContent-Length: 53\r\n\r\n\
                         Too many connections; close some of them, try again.\n";

/// Serves until `end`; then accepts no more connections, finishes responses, closes the database and returns.
pub async fn serve(service: Service, listener: TcpListener, end: impl Future<Output = ()>) {
    let (running, mut drained) = mpsc::channel(1);
    let acceptor = Acceptor {
        router: app(service.clone()),
        connections: Connections::new(service.connection_limits()),
        metrics: service.metrics().clone(),
        stopping: service.stopping(),
        running,
    };
    let tidy = tokio::spawn(remove_idle_addresses(service.clone()));
    let waking = service.clone();
    let waking = tokio::spawn(async move { waking.watch_clocks().await });
    let mut end = pin!(end);
    let mut refusing = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                if std::mem::take(&mut refusing) {
                    tracing::info!("accepting connections again");
                }
                acceptor.accept(stream, peer, service.proxies().contains(peer.ip()));
            }
            Err(error) if is_harmless(&error) => {}
            Err(reason) => {
                if !std::mem::replace(&mut refusing, true) {
                    tracing::error!(%reason, "cannot accept connections");
                }
                // The process may be out of file descriptors for a moment.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop((listener, acceptor));
    tidy.abort();
    // Waited for: the database is closed below, and a task that still reads it would log an error.
    waking.abort();
    let _ = waking.await;
    service.stop();
    // Every connection holds a sender: the channel is closed when the last one ends.
    if tokio::time::timeout(DRAIN, drained.recv()).await.is_err() {
        tracing::warn!(seconds = DRAIN.as_secs(), "closed connections: responses not read in time");
    }
    service.finish().await;
}

/// Removes idle addresses from the rate limits every minute.
async fn remove_idle_addresses(service: Service) {
    loop {
        tokio::time::sleep(Duration::from_secs(60)).await;
        service.rate_limits().remove_idle();
    }
}

/// Whether only the connection itself failed, because its client closed it.
fn is_harmless(error: &io::Error) -> bool {
    [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset].contains(&error.kind())
}

/// The state that all connections share.
struct Acceptor {
    router: Router,
    connections: Connections,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
    running: mpsc::Sender<Infallible>,
}

impl Acceptor {
    /// Serves a connection in a task of its own, if there is a place for it.
    fn accept(&self, stream: TcpStream, peer: SocketAddr, is_proxy: bool) {
        let Some((slot, closed)) = self.connections.admit(peer.ip(), is_proxy) else {
            self.metrics.dropped.add(1);
            let _ = stream.try_write(REFUSED);
            return;
        };
        if closed {
            self.metrics.dropped.add(1);
        }
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            router: self.router.clone(),
            peer,
            slot,
            metrics: self.metrics.clone(),
            stopping: self.stopping.clone(),
        };
        let running = self.running.clone();
        tokio::spawn(async move {
            connection.serve(stream).await;
            drop(running);
        });
    }
}

struct Connection {
    router: Router,
    peer: SocketAddr,
    slot: ConnectionSlot,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
}

impl Connection {
    /// Answers requests until the connection ends or becomes a WebSocket.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Connection { router, peer, slot, metrics, mut stopping } = self;
        let (closing, requests) = (slot.closing(), slot.requests());
        let service = service_fn(move |mut request: Request<Incoming>| {
            let mut in_progress = requests.begin();
            request.extensions_mut().insert(PeerAddress(peer));
            let response = router.clone().oneshot(request.map(Body::new));
            async move {
                let response = response.await?;
                if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                    in_progress.upgrade();
                }
                Ok::<_, Infallible>(response.map(|body| Tracked { body, _in_progress: in_progress }))
            }
        });
        let held = (slot, GaugeGuard::new(&metrics, |metrics| &metrics.connections));
        let io = TokioIo::new(WriteTimeout::new(stream, UNREAD, metrics, held));
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEADERS);
        let mut connection = pin!(builder.serve_connection(io, service).with_upgrades());
        let mut is_stopping = false;
        loop {
            tokio::select! {
                // The reason does not matter: the client may close at any time.
                _ = connection.as_mut() => return,
                () = closing.notified() => return,
                _ = stopping.wait_for(|stopping| *stopping), if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// The body of a response. Its request is in progress until the last of it is passed on.
struct Tracked {
    body: Body,
    _in_progress: InProgress,
}

impl hyper::body::Body for Tracked {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::ConnectionLimits;
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
        time::Instant,
    };

    /// The client's end of a connection to a server with one page.
    fn connect() -> (DuplexStream, Connections, watch::Sender<bool>) {
        let connections = Connections::new(ConnectionLimits { total: 2, per_address: 2 });
        let (slot, _) = connections.admit([10, 0, 0, 1].into(), false).expect("a place");
        let stop = watch::Sender::new(false);
        let connection = Connection {
            router: Router::new().route("/", get(async || "hello")),
            peer: SocketAddr::from(([10, 0, 0, 1], 1)),
            slot,
            metrics: Arc::default(),
            stopping: stop.subscribe(),
        };
        let (ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(connection.serve(ours));
        (theirs, connections, stop)
    }

    /// What the server sends until it closes the connection, and how long that takes.
    async fn until_closed(client: &mut DuplexStream) -> (String, Duration) {
        let (begun, mut text) = (Instant::now(), String::new());
        client.read_to_string(&mut text).await.expect("text");
        (text, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_sends_nothing_is_closed() {
        let (mut client, _, _stop) = connect();
        let (_, time) = until_closed(&mut client).await;
        assert!((HEADERS..HEADERS * 2).contains(&time), "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_beginning_of_the_http2_preface_is_answered_or_closed() {
        for part in ["P", "PRI * HT", "PRI * HTTP/2.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
            let (mut client, _, _stop) = connect();
            client.write_all(part.as_bytes()).await.expect("written");
            let (text, time) = until_closed(&mut client).await;
            assert!(time < HEADERS * 2, "{part:?}: {time:?}");
            assert!(!text.contains("200"), "{part:?}: {text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_kept_open_is_closed_when_no_request_follows() {
        let (mut client, _, _stop) = connect();
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("written");
        let (text, time) = until_closed(&mut client).await;
        assert!(text.ends_with("hello"), "{text}");
        assert!((HEADERS..HEADERS * 2).contains(&time), "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_connection_is_closed_at_once_where_a_place_is_needed() {
        let (mut client, connections, _stop) = connect();
        let _second = connections.admit([10, 0, 0, 2].into(), false).expect("a place");
        let third = connections.admit([10, 0, 0, 3].into(), false);
        assert!(third.is_some_and(|(_, closed)| closed));
        assert_eq!(until_closed(&mut client).await.1, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_shutdown_closes_a_silent_connection() {
        let (mut client, _, stop) = connect();
        stop.send_replace(true);
        assert_eq!(until_closed(&mut client).await.1, Duration::ZERO);
    }
}
