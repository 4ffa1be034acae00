//! Tests of the recipes in docs/deploy: reverse proxies with exactly their configuration in front of a server, and the systemd
//! units. Only ports, file names and the user are replaced, and each replacement must match.
#![cfg(unix)]

use crate::harness::{PARLOR, Server, parlor};
use parlor_testkit::{Database, Folder, Process, eventually, run, temp_folder};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

/// Time-out. A longer wait means that a proxy holds data back.
const PATIENCE: Duration = Duration::from_secs(20);

fn recipe(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout");
    fs::read_to_string(root.join("docs/deploy").join(name)).expect(name)
}

fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// The text with each of these replaced; all of them must be there.
#[track_caller]
fn replaced(text: &str, changes: &[(&str, String)]) -> String {
    changes.iter().fold(text.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "no '{from}' in {text}");
        text.replace(from, to)
    })
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

fn is_root() -> bool {
    run(Command::new("id").arg("-u")).1.trim() == "0"
}

struct Proxy {
    plain: u16,
    tls: u16,
    _process: Process,
    _folder: Folder,
}

impl Proxy {
    fn started(mut command: Command, plain: u16, tls: u16, folder: Folder) -> Proxy {
        let mut process = Process::start(command.stdin(Stdio::null()));
        eventually("the proxy listens", || {
            assert!(!process.has_ended(), "the proxy does not start");
            TcpStream::connect(("127.0.0.1", tls)).is_ok()
        });
        Proxy { plain, tls, _process: process, _folder: folder }
    }

    /// nginx with the recipe as the only file that its main configuration includes.
    fn nginx(server: &str) -> Proxy {
        let (folder, plain, tls) = (temp_folder(), free_port(), free_port());
        let text = replaced(
            &recipe("nginx.conf"),
            &[
                ("listen 80;", format!("listen 127.0.0.1:{plain};")),
                ("listen 443 ssl", format!("listen 127.0.0.1:{tls} ssl")),
                ("server 127.0.0.1:4117;", format!("server {server};")),
                (
                    "/etc/letsencrypt/live/games.example.org/fullchain.pem",
                    certificate("server.pem").display().to_string(),
                ),
                (
                    "/etc/letsencrypt/live/games.example.org/privkey.pem",
                    certificate("server.key").display().to_string(),
                ),
            ],
        );
        folder.write("parlor.conf", &text);
        let dir = folder.text();
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {dir}/{kind};"))
            .concat();
        let user = if is_root() { "user root;" } else { "" };
        let main = format!(
            "{user} daemon off; master_process off; pid {dir}/pid; error_log stderr; events {{}}\n\
             http {{ access_log off; {paths} include {dir}/parlor.conf; }}\n"
        );
        let main = folder.write("nginx.conf", &main);
        let nginx = || {
            let mut command = Command::new("nginx");
            command.arg("-c").arg(&main).arg("-p").arg(dir).args(["-e", "stderr"]);
            command
        };
        let (code, _, error) = run(nginx().arg("-t"));
        assert_eq!(code, 0, "{error}");
        Proxy::started(nginx(), plain, tls, folder)
    }

    /// HAProxy with the recipe as its configuration.
    fn haproxy(server: &str) -> Proxy {
        let (folder, plain, tls) = (temp_folder(), free_port(), free_port());
        let key = fs::read_to_string(certificate("server.key")).expect("a key");
        let both = fs::read_to_string(certificate("server.pem")).expect("a certificate") + &key;
        let both = folder.write("both.pem", &both);
        let mut changes = vec![
            ("bind :80\n", format!("bind 127.0.0.1:{plain}\n")),
            ("bind :443 ", format!("bind 127.0.0.1:{tls} ")),
            ("server a 127.0.0.1:4117", format!("server a {server}")),
            ("/etc/haproxy/certs/games.example.org.pem", both.display().to_string()),
        ];
        if !is_root() {
            changes.extend([("    user haproxy\n", String::new()), ("    group haproxy\n", String::new())]);
        }
        let file = folder.write("haproxy.cfg", &replaced(&recipe("haproxy.cfg"), &changes));
        let haproxy = |mode: &str| {
            let mut command = Command::new("haproxy");
            command.arg(mode).arg("-f").arg(&file);
            command
        };
        let (code, out, error) = run(&mut haproxy("-c"));
        assert_eq!(code, 0, "{out}{error}");
        assert!(!format!("{out}{error}").contains("WARNING"), "{out}{error}");
        Proxy::started(haproxy("-db"), plain, tls, folder)
    }

    /// A request over TLS whose answer ends with the connection, or an endless one.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = tls_stream(self.tls);
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\n{headers}Content-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}",
            self.tls
        );
        stream.write_all(request.as_bytes()).expect("a request");
        Answer(BufReader::new(stream))
    }

    /// The JSON of an answer whose body is one line.
    fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> Value {
        let headers = format!("Authorization: Bearer {token}\r\nConnection: close\r\n");
        let text = self.ask(method, path, &headers, &body.to_string()).until("}\r\n");
        let json = text.lines().find(|line| line.starts_with('{')).unwrap_or_default();
        serde_json::from_str(json).unwrap_or_else(|_| panic!("no JSON in {text}"))
    }
}

fn tls_stream(port: u16) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate("ca.pem")).expect("a CA")).expect("a root");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let client = ClientConnection::new(Arc::new(config), name).expect("a client");
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the proxy");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    StreamOwned::new(client, stream)
}

struct Answer(BufReader<StreamOwned<ClientConnection, TcpStream>>);

impl Answer {
    /// What was read up to the line that contains this, or to the end.
    #[track_caller]
    fn until(&mut self, part: &str) -> String {
        let mut text = String::new();
        while !text.contains(part) {
            // A proxy that closes without a TLS alert has still answered.
            match self.0.read_line(&mut text) {
                Ok(0) => return text,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return text,
                Err(error) => panic!("no '{part}' in {text}: {error}"),
            }
        }
        text
    }
}

/// A page, a move of a game, events that arrive at once, and a bot over a WebSocket.
fn everything_works_through(proxy: &Proxy) {
    eventually("the proxy has found the server", || {
        proxy.ask("GET", "/", "Connection: close\r\n", "").until("\r\n").contains(" 200 ")
    });
    let page = proxy.ask("GET", "/", "Connection: close\r\n", "").until("</html>");
    assert!(page.contains("</html>"), "{page}");

    let game = json!({"game": "connect:4,4,3"});
    let made = proxy.json("POST", "/api/v1/games", "", &game);
    let text = |key: &str| made[key].as_str().unwrap_or_else(|| panic!("no {key} in {made}")).to_string();
    let path = format!("/api/v1/games/{}", text("id"));
    let mut events = proxy.ask("GET", &format!("{path}/events"), "Accept: text/event-stream\r\n", "");
    let begun = events.until("data:");
    assert!(begun.contains("text/event-stream"), "{begun}");
    let answer =
        proxy.json("POST", &format!("{path}/moves"), &text("token"), &json!({"ply": 0, "move": "2"}));
    assert_eq!(answer["ply"], 1, "{answer}");
    let event = events.until("\"ply\":1");
    assert!(event.contains("\"ply\":1"), "the move arrives while the stream is open: {event}");

    let game = json!({"game": "connect:4,4,3", "first": {"kind": "player", "spec": "random"}, "second": {"kind": "open"}});
    let made = proxy.json("POST", "/api/v1/games", "", &game);
    let text = |key: &str| made[key].as_str().unwrap_or_else(|| panic!("no {key} in {made}")).to_string();
    let url =
        format!("https://localhost:{}/games/{}?invitation={}", proxy.tls, text("id"), text("invitation"));
    let mut command = parlor(&["join", &url, "--player", "random", "--name", "Guest"]);
    let (code, said, error) = run(command.arg("--ca").arg(certificate("ca.pem")));
    assert_eq!(code, 0, "{said}{error}");
    assert!(said.contains("as the second player"), "{said}");
}

fn redirects_to_https(proxy: &Proxy) {
    let mut stream = TcpStream::connect(("127.0.0.1", proxy.plain)).expect("the proxy");
    write!(stream, "GET /games/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    assert!(text.starts_with("HTTP/1.1 301 "), "{text}");
    assert!(text.to_lowercase().contains("location: https://localhost/games/x"), "{text}");
}

/// A server that answers every request with 200, and the heads of those that are no checks of its health.
fn recorder() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (send, heads) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|count| count > 0) {}
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            if !head.contains("/healthz") && send.send(head).is_err() {
                return;
            }
        }
    });
    (address, heads)
}

/// The server gets the visitor's address and nothing that the visitor wrote as it.
fn forged_addresses_are_dropped(start: fn(&str) -> Proxy) {
    let (address, heads) = recorder();
    let proxy = start(&address);
    let forged = "X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-For: 8.8.8.8\r\nConnection: close\r\n";
    eventually("the proxy has found the server", || {
        proxy.ask("GET", "/", forged, "").until("\r\n").contains(" 200 ")
    });
    let head = heads.recv_timeout(PATIENCE).expect("a request").to_lowercase();
    let lines: Vec<&str> = head.lines().filter(|line| line.starts_with("x-forwarded-for:")).collect();
    assert_eq!(lines, ["x-forwarded-for: 127.0.0.1"], "{head}");
}

#[test]
#[ignore = "needs nginx"]
fn needs_nginx_the_recipe_serves_pages_moves_events_and_bots() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let proxy = Proxy::nginx(&server.client.address);
    everything_works_through(&proxy);
    redirects_to_https(&proxy);
}

#[test]
#[ignore = "needs nginx"]
fn needs_nginx_the_recipe_drops_forged_addresses() {
    forged_addresses_are_dropped(Proxy::nginx);
}

#[test]
#[ignore = "needs HAProxy"]
fn needs_haproxy_the_recipe_serves_pages_moves_events_and_bots() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let proxy = Proxy::haproxy(&server.client.address);
    everything_works_through(&proxy);
    redirects_to_https(&proxy);
}

#[test]
#[ignore = "needs HAProxy"]
fn needs_haproxy_the_recipe_drops_forged_addresses() {
    forged_addresses_are_dropped(Proxy::haproxy);
}

const UNITS: [&str; 3] = ["parlor-serve.service", "parlor-serve@.service", "parlor-worker@.service"];

#[test]
#[ignore = "needs systemd-analyze"]
fn needs_systemd_the_units_are_valid_and_the_user_can_be_created() {
    let folder = temp_folder();
    for name in UNITS {
        let unit = replaced(&recipe(name), &[("/usr/local/bin/parlor", PARLOR.to_string())]);
        let file = folder.write(name, &unit);
        let (code, out, error) = run(Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(file));
        assert_eq!((code, out.as_str(), error.as_str()), (0, "", ""), "{name}");
    }
    let users = recipe("parlor.sysusers");
    let line = users.lines().find(|line| line.starts_with("u ")).expect("a user");
    fs::create_dir(folder.join("etc")).expect("a folder");
    let mut sysusers = Command::new("systemd-sysusers");
    let (code, _, error) = run(sysusers.arg(format!("--root={}", folder.text())).args(["--inline", line]));
    assert_eq!(code, 0, "{error}");
    let users = fs::read_to_string(folder.join("etc/passwd")).expect("users");
    assert!(users.contains("/var/lib/parlor"), "{users}");
}

/// The command of a unit as systemd would start it: with the variables of the sample environment, and these replacements.
fn command(unit: &str, changes: &[(&str, String)]) -> Command {
    let text = recipe(unit);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/parlor "))
        .expect("a command");
    let mut line = replaced(line, changes);
    let settings = recipe("environment");
    let settings: Vec<(&str, &str)> = settings
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .collect();
    for (name, value) in &settings {
        line = line.replace(&format!("${{{name}}}"), value);
    }
    let mut command = parlor(&line.split(' ').collect::<Vec<_>>());
    command.envs(settings);
    command
}

#[test]
fn the_commands_of_the_units_start_servers_on_loopback_only() {
    let folder = temp_folder();
    let port = free_port();
    let alone = command(
        "parlor-serve.service",
        &[("127.0.0.1:4117", format!("127.0.0.1:{port}")), ("/var/lib/parlor", folder.text().to_string())],
    );
    let port = free_port();
    folder.write("database", &format!("{}/shared.db\n", folder.text()));
    let shared =
        command("parlor-serve@.service", &[("%i", port.to_string()), ("%d", folder.text().to_string())]);
    for (mut command, file) in [(alone, "games.db"), (shared, "shared.db")] {
        let server = Server::with(&mut command);
        assert!(server.client.address.starts_with("127.0.0.1:"), "{}", server.client.address);
        assert_eq!(server.client.get("/healthz").status, 200);
        assert!(folder.join(file).is_file(), "{file}");
    }
}

#[test]
fn the_command_of_the_workers_unit_reads_the_database_from_its_credential() {
    let folder = temp_folder();
    folder.write("database", "postgres://parlor:secret@127.0.0.1:1/parlor\n");
    let here = folder.text().to_string();
    let (code, _, error) =
        run(&mut command("parlor-worker@.service", &[("%d", here.clone()), ("/srv/league", here)]));
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("postgres://127.0.0.1:1/parlor") && !error.contains("secret"), "{error}");
}
