//! A TCP proxy in front of PostgreSQL that cuts connections on demand, also immediately before or after a commit.

use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Open,
    Cut,
    /// Cuts the connection before the next `COMMIT` reaches the database.
    CutBeforeCommit,
    /// Forwards the next `COMMIT` and cuts the connection before the response arrives.
    CutAfterCommit,
}

pub struct Proxy {
    pub host: String,
    mode: Arc<watch::Sender<Mode>>,
    refused: Arc<watch::Sender<u64>>,
}

impl Proxy {
    pub async fn to(target: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mode = Arc::new(watch::channel(Mode::Open).0);
        let refused = Arc::new(watch::channel(0).0);
        let host = listener.local_addr().expect("an address").to_string();
        tokio::spawn(accept(listener, target.to_string(), Arc::clone(&mode), Arc::clone(&refused)));
        Proxy { host, mode, refused }
    }

    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Waits until all connections are closed.
    pub async fn is_cut(&self) {
        self.mode.subscribe().wait_for(|mode| *mode == Mode::Cut).await.expect("a proxy");
    }

    /// Waits until this number of further connections has been refused, so that the store has noticed the outage.
    pub async fn refuses(&self, connections: u64) {
        let mut refused = self.refused.subscribe();
        let already = *refused.borrow();
        refused.wait_for(|refused| *refused >= already + connections).await.expect("a proxy");
    }
}

async fn accept(
    listener: TcpListener,
    target: String,
    mode: Arc<watch::Sender<Mode>>,
    refused: Arc<watch::Sender<u64>>,
) {
    while let Ok((client, _)) = listener.accept().await {
        let (target, mode, mut cut) = (target.clone(), Arc::clone(&mode), mode.subscribe());
        if *cut.borrow() == Mode::Cut {
            refused.send_modify(|refused| *refused += 1);
            continue;
        }
        tokio::spawn(async move {
            tokio::select! {
                () = forward(client, &target, &mode) => {}
                _ = cut.wait_for(|mode| *mode == Mode::Cut) => {}
            }
        });
    }
}

async fn forward(mut client: TcpStream, target: &str, mode: &watch::Sender<Mode>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let (mut request, mut response) = ([0; 8192], [0; 8192]);
    loop {
        tokio::select! {
            read = client.read(&mut request) => {
                let Ok(read @ 1..) = read else { return };
                // With the terminating zero, because the isolation level READ COMMITTED contains the same letters.
                let commits = request[..read].windows(7).any(|word| word == b"COMMIT\0");
                let now = *mode.borrow();
                if commits && now == Mode::CutBeforeCommit {
                    mode.send_replace(Mode::Cut);
                    return;
                }
                if server.write_all(&request[..read]).await.is_err() { return };
                if commits && now == Mode::CutAfterCommit {
                    let _ = server.read(&mut response).await;
                    mode.send_replace(Mode::Cut);
                    return;
                }
            }
            read = server.read(&mut response) => {
                let Ok(read @ 1..) = read else { return };
                if client.write_all(&response[..read]).await.is_err() { return };
            }
        }
    }
}
