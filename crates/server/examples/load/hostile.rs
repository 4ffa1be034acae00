//! One hostile address (127.0.0.2) attacks a server while a visitor (127.0.0.1) plays, on loopback only. Each
//! attack is bounded in count and time, prints figures, and fails if the visitor does not get the promised response
//! times.

use crate::{Ran, http::Client, print_line};
use parlor_store::{EventRow, LiveGameRow, SeatRow, Store};
use serde_json::{Value, json};
use std::{
    error::Error,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    process::Command,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};

const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// Longest response time for the visitor during a flood of connections.
const RESPONSE: Duration = Duration::from_millis(100);
/// Longest time for a move of level 1 while other engines think for long.
const MOVE: Duration = Duration::from_secs(1);

fn loopback(address: &str) -> Result<SocketAddr, Box<dyn Error + Send + Sync>> {
    let address: SocketAddr = address.parse()?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("only a loopback address may be attacked".into())
    }
}

/// Delays of responses.
#[derive(Default)]
struct Delays(Vec<Duration>);

impl Delays {
    fn share(&self, thousandths: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted
            .get((sorted.len() * thousandths / 1000).min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }

    fn report(&self, what: &str, limit: Duration) -> Ran {
        let worst = self.share(1000);
        print_line(&format!(
            "{what}: {} measured, median {:.1?}, p99 {:.1?}, longest {worst:.1?} (at most {limit:?})",
            self.0.len(),
            self.share(500),
            self.share(990)
        ));
        if self.0.is_empty() || worst > limit { Err(format!("{what}: too slow").into()) } else { Ok(()) }
    }
}

/// A visitor who creates games and plays both sides. Every response is timed.
struct Visitor {
    address: SocketAddr,
    client: Client,
    delays: Delays,
}

impl Visitor {
    fn new(address: SocketAddr) -> Visitor {
        Visitor { address, client: Client::new(address), delays: Delays::default() }
    }

    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> io::Result<(u16, Value)> {
        let begun = Instant::now();
        let answer = self.client.ask(method, path, token, body).await;
        self.delays.0.push(begun.elapsed());
        answer
    }

    /// Plays a few moves of a game. Every second game uses a new connection.
    async fn play(&mut self, round: usize) -> Ran {
        if round.is_multiple_of(2) {
            self.client = Client::new(self.address);
        }
        let (status, made) =
            self.ask("POST", "/api/v1/games", "", Some(&json!({"game": "kalah:6,4"}))).await?;
        if status != 201 {
            return Err(format!("a game cannot be started: {status} {made}").into());
        }
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_string();
        let path = format!("/api/v1/games/{}/moves", text("id"));
        for (ply, hole) in ["1", "1", "3", "3"].iter().enumerate() {
            let mv = json!({"ply": ply, "move": hole});
            let (status, state) = self.ask("POST", &path, &text("token"), Some(&mv)).await?;
            if status != 200 {
                return Err(format!("a move was refused: {status} {state}").into());
            }
        }
        Ok(())
    }
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(ATTACKER, 0))?;
    socket.connect(address).await
}

/// Plays as a visitor while another process holds silent connections. The attack is in another process so that its
/// own work does not delay the visitor.
pub async fn silent(address: &str, count: usize, seconds: usize) -> Ran {
    let attacked = loopback(address)?;
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let mut attack = Command::new(std::env::current_exe()?)
        .args(["hold", address, &count.to_string(), &seconds.to_string()])
        .spawn()?;
    let mut visitor = Visitor::new(attacked);
    let (mut round, mut played) = (0, Ok(()));
    while Instant::now() < end && played.is_ok() {
        played = visitor.play(round).await;
        round += 1;
        sleep(Duration::from_millis(250)).await;
    }
    if !attack.wait()?.success() {
        return Err("the attack failed".into());
    }
    played?;
    visitor.delays.report("responses to another visitor", RESPONSE)
}

/// Tries to keep `count` silent connections of one address open. A connection that the server closes is opened again.
pub async fn hold(address: &str, count: usize, seconds: usize) -> Ran {
    let address = loopback(address)?;
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let mut attack = JoinSet::new();
    for i in 0..16 {
        let share = count / 16 + usize::from(i < count % 16);
        attack.spawn(async move {
            let (mut open, mut opened) = (Vec::new(), 0);
            while Instant::now() < end {
                while open.len() < share && Instant::now() < end {
                    let Ok(Ok(mut stream)) = timeout(Duration::from_secs(1), connect(address)).await else {
                        break;
                    };
                    // Every third connection sends the preface of HTTP/2.
                    if opened % 3 == 0 {
                        let _ = stream.write_all(b"PRI * HT").await;
                    }
                    opened += 1;
                    open.push(stream);
                    // At most 2,000 new connections per second for all tasks together.
                    if opened % 2 == 0 {
                        sleep(Duration::from_millis(16)).await;
                    }
                }
                sleep(Duration::from_millis(200)).await;
                let is_open = |error: io::Error| error.kind() == io::ErrorKind::WouldBlock;
                open.retain(|stream| stream.try_read(&mut [0; 64]).is_err_and(is_open));
            }
            (opened, open.len())
        });
    }
    let attack = attack.join_all().await;
    let sum = |of: fn(&(usize, usize)) -> usize| attack.iter().map(of).sum::<usize>();
    print_line(&format!(
        "{} silent connections opened in {seconds} s, {} open at the end",
        sum(|own| own.0),
        sum(|own| own.1)
    ));
    Ok(())
}

/// Starts `games` against an engine with ten minutes per move, watches them, and measures moves of level 1 for
/// another visitor.
pub async fn greedy(address: &str, games: usize, moves: usize) -> Ran {
    let address = loopback(address)?;
    let mut streams = Vec::new();
    for _ in 0..games {
        let engine = json!({"kind": "player", "spec": "engine:time=600s"});
        let body = json!({"game": "kalah:6,6", "first": engine}).to_string();
        let request = format!(
            "POST /api/v1/games HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut text = String::new();
        let mut stream = connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        stream.read_to_string(&mut text).await?;
        let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
        let id = id.ok_or_else(|| format!("a greedy game was refused: {text}"))?;
        let mut watch = connect(address).await?;
        watch
            .write_all(format!("GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
            .await?;
        streams.push(watch);
    }
    let mut delays = Delays::default();
    let mut client = Client::new(address);
    for _ in 0..moves {
        let engine = json!({"kind": "player", "spec": "engine:level=1"});
        let begun = Instant::now();
        let new = json!({"game": "kalah:6,4", "first": engine});
        let (status, made) = client.ask("POST", "/api/v1/games", "", Some(&new)).await?;
        if status != 201 {
            return Err(format!("a game cannot be started: {status} {made}").into());
        }
        let path = format!("/api/v1/games/{}", made["id"].as_str().unwrap_or_default());
        while client.ask("GET", &path, "", None).await?.1["ply"] == 0 {
            if begun.elapsed() > Duration::from_secs(120) {
                return Err("no move within two minutes".into());
            }
            sleep(Duration::from_millis(5)).await;
        }
        delays.0.push(begun.elapsed());
        sleep(Duration::from_millis(300)).await;
    }
    drop(streams);
    delays.report(&format!("moves of level 1 beside {games} greedy games"), MOVE)
}

/// Fills a database with games, half of them finished, half of them abandoned without an ending.
pub async fn fill(database: &str, count: usize) -> Ran {
    let store = Store::open(database.as_ref()).await?;
    for i in 0..count {
        let seat =
            |key: &str| SeatRow { kind: "person".into(), name: format!("player {i}"), spec: key.into() };
        let ended = i.is_multiple_of(2);
        let row = LiveGameRow {
            id: id_of(i),
            game: "kalah:6,4".into(),
            start: None,
            clock: None,
            seats: [seat("a"), seat("b")],
            listed: true,
            created: 0,
            touched: 0,
            plies: 1,
            ended: ended.then_some(1),
            result: ended.then(|| "second".to_string()),
            cause: ended.then(|| "resigned".to_string()),
            rules: 2,
            deadline: None,
        };
        let event = |seq: i64, kind: &str, text: &str| EventRow {
            seq,
            kind: kind.into(),
            text: text.into(),
            at: seq,
            left: None,
            periods: None,
        };
        let mut events = vec![event(1, "move", "1")];
        if ended {
            events.push(event(2, "end", "resigned second"));
        }
        store.create_game(&row, &events).await?;
    }
    store.close().await;
    print_line(&format!("{count} games in {database}"));
    Ok(())
}

/// The id of the game with this number, which has ten letters.
fn id_of(number: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjkmn";
    (0..10).rev().map(|place| char::from(LETTERS[number / 10_usize.pow(place) % 10])).collect()
}

/// Requests the games of [`fill`], 195 requests per second: pages, states and pictures of finished games, and the
/// streams of unfinished ones, which are closed at once. Another visitor starts a game every second.
pub async fn crawl(address: &str, count: usize, seconds: usize) -> Ran {
    let address = loopback(address)?;
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let mut crawlers = JoinSet::new();
    for i in 0..13 {
        crawlers.spawn(async move {
            let (mut number, mut done) = (i, [0_usize; 2]);
            while Instant::now() < end {
                let id = id_of(number % count);
                let path = match number % 6 {
                    // Unfinished games, which need a room for the spectator.
                    1 | 3 | 5 => format!("/api/v1/games/{id}/events"),
                    0 => format!("/games/{id}"),
                    2 => format!("/api/v1/games/{id}"),
                    _ => format!("/games/{id}/board.svg"),
                };
                let answered = timeout(Duration::from_secs(5), status_of(address, &path)).await;
                done[usize::from(!matches!(answered, Ok(Ok(200))))] += 1;
                number += 13;
                sleep(Duration::from_millis(66)).await;
            }
            done
        });
    }
    let mut visitor = Visitor::new(address);
    let (mut started, mut refused, mut round) = (0, Vec::new(), 0);
    while Instant::now() < end {
        match visitor.play(round).await {
            Ok(()) => started += 1,
            Err(error) => refused.push(error.to_string()),
        }
        round += 1;
        sleep(Duration::from_secs(1)).await;
    }
    let done = crawlers.join_all().await;
    let sum = |which: usize| done.iter().map(|own| own[which]).sum::<usize>();
    let metrics = text_of(address, "/metrics").await?;
    let rooms = metrics.lines().find(|line| line.starts_with("parlor_rooms ")).unwrap_or("parlor_rooms ?");
    print_line(&format!(
        "{} requests of a crawler in {seconds} s over {count} games, {} of them not answered with 200; {rooms}; \
         another visitor started {started} games, {} were refused",
        sum(0) + sum(1),
        sum(1),
        refused.len()
    ));
    match refused.first() {
        Some(reason) => Err(reason.clone().into()),
        None => visitor.delays.report("responses to another visitor", Duration::from_secs(1)),
    }
}

/// Sends a request and reads only the status of the response.
async fn status_of(address: SocketAddr, path: &str) -> io::Result<u16> {
    let mut stream = connect(address).await?;
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").as_bytes())
        .await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    Ok(std::str::from_utf8(&head[9..]).ok().and_then(|code| code.parse().ok()).unwrap_or(0))
}

async fn text_of(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = connect(address).await?;
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").as_bytes())
        .await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

/// Sends requests with two forged `X-Forwarded-For` lines each, as fast as the server answers.
pub async fn forge(address: &str, requests: usize) -> Ran {
    let address = loopback(address)?;
    let (mut refused, begun) = (0, Instant::now());
    let mut stream = connect(address).await?;
    for i in 0..requests {
        let lines = format!(
            "X-Forwarded-For: 10.{}.{}.1\r\nX-Forwarded-For: 10.{}.{}.2\r\n",
            i / 250,
            i % 250,
            i % 250,
            i / 250
        );
        stream.write_all(format!("GET /api/v1/games HTTP/1.1\r\nHost: a\r\n{lines}\r\n").as_bytes()).await?;
        let mut text = Vec::new();
        // Responses are short and have a length.
        let length = loop {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).await?;
            if count == 0 {
                return Err("the connection was closed".into());
            }
            text.extend_from_slice(&bytes[..count]);
            if let Some(whole) = whole_length(&text) {
                break whole;
            }
        };
        refused += usize::from(text[..length].starts_with(b"HTTP/1.1 429"));
    }
    let taken = begun.elapsed();
    // A burst of 2,000, then 200 per second.
    let most = 2_000 + (taken.as_secs() as usize + 1) * 200;
    let admitted = requests - refused;
    print_line(&format!(
        "{requests} requests with two forged lines in {taken:.1?}: {admitted} admitted (at most {most}), {refused} refused"
    ));
    if admitted > most { Err("the rates were bypassed".into()) } else { Ok(()) }
}

/// The length of a complete response; `None` if bytes are missing.
fn whole_length(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let head = text.find("\r\n\r\n")? + 4;
    let length: usize = text
        .split("content-length:")
        .nth(1)
        .and_then(|rest| rest.lines().next()?.trim().parse().ok())
        .unwrap_or(0);
    (bytes.len() >= head + length).then_some(head + length)
}
