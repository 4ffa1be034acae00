//! Limits per client address: request rates, also with forged headers, and connections.

use crate::test_server::TestServer;
use axum::{body::Body, http::Request};
use parlor_server::{ConnectionLimits, PeerAddress, RateLimits, Settings, TrustedProxies};
use parlor_testkit::{Database, on_both_databases, within};
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

on_both_databases! {
    async forged_header_lines_do_not_bypass_the_rate_limit,
    async forged_entries_do_not_bypass_the_rate_limit_behind_a_trusted_proxy,
    async clients_behind_a_trusted_proxy_have_their_own_rate_limits,
    async an_ipv6_network_of_64_bits_has_one_rate_limit,
    async silent_connections_of_one_address_do_not_keep_others_out,
    async a_trusted_proxy_may_have_more_connections_than_an_address,
}

fn few_reads(settings: &mut Settings) {
    settings.rate_limits = RateLimits::per_second([1, 1, 1]);
}

fn behind_a_proxy(settings: &mut Settings) {
    few_reads(settings);
    settings.proxies = TrustedProxies(vec!["127.0.0.1".parse().expect("a network")]);
}

/// The number of refused requests out of 60, each with these `X-Forwarded-For` lines.
async fn refused(server: &TestServer, peer: &str, lines: impl Fn(usize) -> Vec<String>) -> usize {
    let peer: SocketAddr = peer.parse().expect("an address");
    let mut refused = 0;
    for i in 0..60 {
        let mut request = Request::get("/api/v1/games").extension(PeerAddress(peer));
        for line in lines(i) {
            request = request.header("x-forwarded-for", line);
        }
        let answer = server.ask(request.body(Body::empty()).expect("a request")).await;
        refused += usize::from(answer.status == 429);
    }
    refused
}

async fn forged_header_lines_do_not_bypass_the_rate_limit(db: Database) {
    let server = TestServer::with(db, |settings| {
        few_reads(settings);
        settings.public_url = Some("https://games.example.org".to_string());
    })
    .await;
    let lines = |i| vec![format!("10.1.0.{i}"), format!("10.2.0.{i}")];
    let refused = refused(&server, "192.0.2.1:5", lines).await;
    assert!(refused >= 40, "10 at once, then one a second: {refused}");
}

async fn forged_entries_do_not_bypass_the_rate_limit_behind_a_trusted_proxy(db: Database) {
    let server = TestServer::with(db, behind_a_proxy).await;
    // The client sends two lines. The proxy appends the client's address to the last one, or adds a line.
    let lines = |i| match i % 2 {
        0 => vec![format!("10.1.0.{i}"), format!("10.2.0.{i}, 192.0.2.1")],
        _ => vec![format!("10.1.0.{i}"), format!("10.2.0.{i}"), "192.0.2.1".to_string()],
    };
    let refused = refused(&server, "127.0.0.1:5", lines).await;
    assert!(refused >= 40, "10 at once, then one a second: {refused}");
}

async fn clients_behind_a_trusted_proxy_have_their_own_rate_limits(db: Database) {
    let server = TestServer::with(db, behind_a_proxy).await;
    assert_eq!(refused(&server, "127.0.0.1:5", |i| vec![format!("192.0.2.{i}")]).await, 0);
}

async fn an_ipv6_network_of_64_bits_has_one_rate_limit(db: Database) {
    let server = TestServer::with(db, behind_a_proxy).await;
    let refused = refused(&server, "127.0.0.1:5", |i| vec![format!("2001:db8::{i:x}")]).await;
    assert!(refused >= 40, "10 at once, then one a second: {refused}");
}

/// Starts a server on a socket that admits at most two connections per address.
async fn listening(db: Database, proxies: TrustedProxies) -> SocketAddr {
    let server = TestServer::with(db, |settings| {
        settings.connections = ConnectionLimits { total: 100, per_address: 2 };
        settings.proxies = proxies;
    })
    .await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(parlor_server::serve(server.service.clone(), listener, async move {
        let _server = server;
        std::future::pending::<()>().await;
    }));
    address
}

/// Requests the list of games and returns the status line.
async fn ask(stream: &mut TcpStream) -> String {
    let request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("written");
    let mut text = String::new();
    within("a response", stream.read_to_string(&mut text)).await.expect("a response");
    text.lines().next().unwrap_or_default().to_string()
}

async fn silent_connections_of_one_address_do_not_keep_others_out(db: Database) {
    let address = listening(db, TrustedProxies::default()).await;
    let mut silent = Vec::new();
    for _ in 0..3 {
        silent.push(TcpStream::connect(address).await.expect("a connection"));
    }
    let closed = within("the oldest is closed", silent[0].read(&mut [0])).await;
    assert!(!matches!(closed, Ok(1..)), "{closed:?}");
    assert_eq!(ask(&mut silent[2]).await, "HTTP/1.1 200 OK");
}

async fn a_trusted_proxy_may_have_more_connections_than_an_address(db: Database) {
    let address = listening(db, TrustedProxies(vec!["127.0.0.0/8".parse().expect("a network")])).await;
    let mut silent = Vec::new();
    for _ in 0..10 {
        silent.push(TcpStream::connect(address).await.expect("a connection"));
    }
    for stream in &mut silent {
        assert_eq!(ask(stream).await, "HTTP/1.1 200 OK");
    }
}
