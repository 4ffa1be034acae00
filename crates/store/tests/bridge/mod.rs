//! The way to a database of PostgreSQL, which can be cut at any moment, and at the worst ones.

use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// What happens on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Everything passes.
    Open,
    /// Nothing does.
    Cut,
    /// The next commit is cut off before the database sees it, and everything with it.
    CutBeforeCommit,
    /// The database does the next commit; its answer is cut off, and everything with it.
    CutAfterCommit,
}

/// The near end of the way.
pub struct Bridge {
    /// Host and port.
    pub host: String,
    way: Arc<watch::Sender<Way>>,
}

impl Bridge {
    /// A way to this host and port.
    pub async fn to(host: &str) -> Bridge {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let way = Arc::new(watch::channel(Way::Open).0);
        let near = listener.local_addr().expect("an address").to_string();
        tokio::spawn(accept(listener, host.to_string(), Arc::clone(&way)));
        Bridge { host: near, way }
    }

    pub fn set(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Until it is cut.
    pub async fn is_cut(&self) {
        self.way.subscribe().wait_for(|way| *way == Way::Cut).await.expect("a way");
    }
}

async fn accept(listener: TcpListener, host: String, way: Arc<watch::Sender<Way>>) {
    while let Ok((near, _)) = listener.accept().await {
        let (host, way) = (host.clone(), Arc::clone(&way));
        tokio::spawn(async move {
            let mut cut = way.subscribe();
            tokio::select! {
                () = carry(near, &host, &way) => {}
                _ = cut.wait_for(|way| *way == Way::Cut) => {}
            }
        });
    }
}

async fn carry(mut near: TcpStream, host: &str, way: &watch::Sender<Way>) {
    let Ok(mut far) = TcpStream::connect(host).await else { return };
    let (mut there, mut back) = ([0; 8192], [0; 8192]);
    loop {
        tokio::select! {
            read = near.read(&mut there) => {
                let Ok(read @ 1..) = read else { return };
                // With its end: an isolation level begins with the same letters.
                let commits = there[..read].windows(7).any(|word| word == b"COMMIT\0");
                let now = *way.borrow();
                if commits && now == Way::CutBeforeCommit {
                    way.send_replace(Way::Cut);
                    return;
                }
                if far.write_all(&there[..read]).await.is_err() { return };
                if commits && now == Way::CutAfterCommit {
                    let _ = far.read(&mut back).await;
                    way.send_replace(Way::Cut);
                    return;
                }
            }
            read = far.read(&mut back) => {
                let Ok(read @ 1..) = read else { return };
                if near.write_all(&back[..read]).await.is_err() { return };
            }
        }
    }
}
