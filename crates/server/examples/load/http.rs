//! A minimal HTTP client for load tests: sequential requests over one connection, and event streams.

use serde_json::Value;
use std::{io, net::SocketAddr};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// A persistent connection.
pub struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        Client { address, stream: None }
    }

    /// Sends a request and returns status and JSON of the response. A broken connection is replaced at the next call.
    pub async fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> io::Result<(u16, Value)> {
        let answer = self.exchange(method, path, token, body).await;
        if answer.is_err() {
            self.stream = None;
        }
        answer
    }

    async fn exchange(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> io::Result<(u16, Value)> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let authorization =
            if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{authorization}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let address = self.address;
        let stream = match &mut self.stream {
            Some(stream) => stream,
            empty => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                empty.insert(BufReader::new(stream))
            }
        };
        stream.get_mut().write_all(request.as_bytes()).await?;
        let (status, length) = head(stream).await?;
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).await?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or(Value::Null)))
    }
}

/// Reads the head of a response: its status and the length of its body.
async fn head(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, usize)> {
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            return Ok((status, length));
        }
        if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
        }
        if let Some(rest) = line.strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap_or(0);
        }
    }
}

/// Watches a game and calls `seen` with the number of every event, until the connection ends.
pub async fn watch(address: SocketAddr, id: &str, mut seen: impl FnMut(usize)) -> io::Result<()> {
    let stream = TcpStream::connect(address).await?;
    let mut stream = BufReader::with_capacity(2048, stream);
    let request = format!("GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes()).await?;
    let mut line = Vec::new();
    loop {
        line.clear();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let number = line.strip_prefix(b"id: ").and_then(|rest| std::str::from_utf8(rest).ok());
        if let Some(number) = number.and_then(|number| number.trim().parse().ok()) {
            seen(number);
        }
    }
}
