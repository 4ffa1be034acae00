//! Tests of `parlor join` over TLS, with a TLS terminator in front of `parlor serve`.

use crate::harness::{Server, parlor};
use parlor_testkit::{Database, run};
use serde_json::json;
use std::{net::SocketAddr, path::PathBuf, process::Command, sync::Arc};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// Terminates TLS for `localhost` and forwards bytes to a server until it is dropped.
struct Terminator {
    port: u16,
    _runtime: Runtime,
}

impl Terminator {
    fn before(server: &str) -> Terminator {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let server: SocketAddr = server.parse().expect("an address");
        runtime.spawn(accept(listener, server));
        Terminator { port, _runtime: runtime }
    }
}

async fn accept(listener: TcpListener, server: SocketAddr) {
    let chain = CertificateDer::pem_file_iter(data("server.pem")).expect("certificates");
    let key = PrivateKeyDer::from_pem_file(data("server.key")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("protocol versions")
        .with_no_client_auth()
        .with_single_cert(chain.map(|one| one.expect("a certificate")).collect(), key)
        .expect("a configuration");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // A client that does not trust the certificate ends the handshake.
            let Ok(mut near) = acceptor.accept(stream).await else { return };
            let mut far = TcpStream::connect(server).await.expect("the server");
            let _ = copy_bidirectional(&mut near, &mut far).await;
        });
    }
}

/// A game with an open seat: the path of its invitation.
fn invitation(server: &Server) -> String {
    let game = json!({"game": "connect:4,4,3", "first": {"kind": "player", "spec": "random"}, "second": {"kind": "open"}});
    let made = server.client.post("/api/v1/games", &game);
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let text = |key: &str| made[key].as_str().expect(key).to_string();
    format!("/games/{}?invitation={}", text("id"), text("invitation"))
}

fn join(url: &str) -> Command {
    let mut command = parlor(&["join", url, "--player", "random", "--name", "Guest"]);
    command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
    command
}

#[test]
fn plays_a_complete_game_over_tls_with_a_private_authority() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let tls = Terminator::before(&server.client.address);
    for (scheme, by_option) in [("https", true), ("wss", false)] {
        let mut command = join(&format!("{scheme}://localhost:{}{}", tls.port, invitation(&server)));
        if by_option {
            command.arg("--ca").arg(data("ca.pem"));
        } else {
            command.env("SSL_CERT_FILE", data("ca.pem"));
        }
        let (code, said, error) = run(&mut command);
        assert_eq!(code, 0, "{scheme}: {said}{error}");
        assert!(said.contains("as the second player"), "{said}");
    }
}

#[test]
fn a_certificate_that_is_not_trusted_is_refused_with_one_sentence() {
    let tls = Terminator::before("127.0.0.1:1");
    let (code, said, error) = run(&mut join(&format!("https://localhost:{}/", tls.port)));
    assert_eq!((code, said.as_str()), (1, ""));
    let sentence = format!(
        "parlor: the certificate of localhost:{} is not trusted: unknown certificate authority; \
         add it with --ca FILE or SSL_CERT_FILE\n",
        tls.port
    );
    assert_eq!(error, sentence);
}

#[test]
fn a_certificate_for_another_name_is_refused_with_one_sentence() {
    let tls = Terminator::before("127.0.0.1:1");
    let (code, _, error) =
        run(join(&format!("https://127.0.0.1:{}/", tls.port)).arg("--ca").arg(data("ca.pem")));
    assert_eq!(code, 1);
    assert!(error.ends_with("is not trusted: it is for another host name\n"), "{error}");
}

#[test]
fn distinguishes_a_server_without_tls_from_one_with_a_bad_certificate() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let (code, _, error) = run(&mut join(&format!("https://{}/", server.client.address)));
    assert_eq!(code, 1);
    assert!(error.contains("does not speak TLS; try http:// instead of https://"), "{error}");
}

#[test]
fn a_file_without_certificates_is_refused() {
    for file in [data("README.md"), data("nothing.pem")] {
        let (code, _, error) = run(join("https://localhost:1/").arg("--ca").arg(&file));
        assert_eq!(code, 2, "{error}");
        assert!(error.starts_with("parlor: --ca: ") && error.lines().count() == 1, "{error}");
    }
}
