//! The WebSocket connection to a server: opened with a time limit, read as lines, closed after a time without heartbeat. A
//! refusal has the server's own sentence.

use super::tls::Tls;
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http},
};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// A server sends a ping every 20 s (heartbeat). After this time without one the connection counts as lost.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(70);

/// A byte stream to a server, with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A WebSocket connection to a server.
pub struct Connection(WebSocketStream<Box<dyn Stream>>);

/// Why a connection could not be opened.
#[derive(Debug)]
pub enum ConnectError {
    /// No answer: the reason.
    Unreachable(String),
    /// The TLS handshake failed: a sentence.
    Untrusted(String),
    /// The server refused: HTTP status and a sentence.
    Refused(u16, String),
}

#[derive(Debug)]
pub enum Incoming {
    Line(String),
    /// The server closed, with a code and a reason.
    Closed(u16, String),
    Lost,
}

impl Connection {
    /// Opens a connection to `path` of a server.
    pub async fn open(
        host: &str,
        tls: Option<&Tls>,
        path: &str,
        token: Option<&str>,
    ) -> Result<Connection, ConnectError> {
        let unreachable = |why: String| ConnectError::Unreachable(why);
        let request = format!("ws://{host}{path}").into_client_request();
        let mut request = request.map_err(|error| unreachable(error.to_string()))?;
        if let Some(value) = token.and_then(|token| format!("Bearer {token}").parse().ok()) {
            request.headers_mut().insert(http::header::AUTHORIZATION, value);
        }
        let opening = async {
            let stream = TcpStream::connect(host).await.map_err(|error| unreachable(error.to_string()))?;
            let _ = stream.set_nodelay(true);
            let stream: Box<dyn Stream> = match tls {
                None => Box::new(stream),
                Some(tls) => Box::new(tls.connect(host, stream).await?),
            };
            client_async(request, stream).await.map_err(open_error)
        };
        match timeout(ANSWER_TIMEOUT, opening).await {
            Ok(opened) => opened.map(|(socket, _)| Connection(socket)),
            Err(_) => Err(unreachable("no answer within 10 s".to_string())),
        }
    }

    /// Waits for the next line or the end of the connection. Cancel-safe.
    pub async fn next(&mut self) -> Incoming {
        loop {
            match timeout(SILENCE_TIMEOUT, self.0.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => return Incoming::Line(text.to_string()),
                Ok(Some(Ok(Message::Close(Some(frame))))) => {
                    return Incoming::Closed(frame.code.into(), frame.reason.to_string());
                }
                Ok(Some(Ok(
                    Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_),
                ))) => {}
                Ok(Some(Ok(Message::Close(None)) | Err(_)) | None) | Err(_) => return Incoming::Lost,
            }
        }
    }

    /// Sends a line. An error is ignored: [`Connection::next`] reports the lost connection.
    pub async fn send(&mut self, line: &str) {
        let _ = timeout(ANSWER_TIMEOUT, self.0.send(Message::text(line))).await;
    }

    /// Closes the connection; waits at most 1 s.
    pub async fn close(&mut self) {
        let _ = timeout(Duration::from_secs(1), self.0.close(None)).await;
    }
}

/// Converts the answer of a server that did not open a WebSocket. It may be no Parlor server.
fn open_error(error: Error) -> ConnectError {
    let Error::Http(response) = error else { return ConnectError::Unreachable(error.to_string()) };
    let status = response.status();
    let body = response.body().as_deref().unwrap_or_default();
    let detail = serde_json::from_slice::<serde_json::Value>(body).ok();
    let detail = detail.and_then(|json| Some(json["detail"].as_str()?.to_string()));
    let sentence = detail.unwrap_or_else(|| format!("the server answered {status}; is it a Parlor server?"));
    ConnectError::Refused(status.as_u16(), sentence)
}
