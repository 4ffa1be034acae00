//! A blocking HTTP client for tests. It makes one request per connection and reads whole responses.

use serde_json::Value;
use std::{
    io::{self, Read, Write},
    net::TcpStream,
};

#[derive(Clone, Debug)]
pub struct Client {
    /// Host and port of the server.
    pub address: String,
    /// Sent as a bearer token unless it is empty.
    pub token: String,
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// The status line and the headers as one text.
    pub head: String,
    pub body: String,
}

impl Response {
    /// Parses the body as JSON; `null` if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

impl Client {
    pub fn new(address: &str) -> Client {
        Client { address: address.to_string(), token: String::new() }
    }

    /// A client of the same server with this token.
    pub fn with_token(&self, token: &str) -> Client {
        Client { token: token.to_string(), ..self.clone() }
    }

    /// Sends a request and reads the whole response. Fails only if the connection does.
    pub fn try_send(&self, method: &str, path: &str, body: &str) -> io::Result<Response> {
        let mut stream = TcpStream::connect(&self.address)?;
        let authorization = match self.token.as_str() {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{authorization}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes())?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Response { status, head: head.to_string(), body: body.to_string() })
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        self.try_send("GET", path, "").expect("a response")
    }

    /// Sends POST with a JSON body.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.try_send("POST", path, &body.to_string()).expect("a response")
    }
}
