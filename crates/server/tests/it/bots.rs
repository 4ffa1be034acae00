//! Bots over real sockets: whole games, and every violation of the protocol.

use crate::test_server::{CreatedGame, TestServer};
use futures_util::{SinkExt, StreamExt};
use parlor_testkit::{Database, Log, eventually_async, on_both_databases};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

on_both_databases! {
    async two_bots_play_a_whole_game_of_every_kind,
    async a_bot_receives_its_seat_its_opponent_and_its_turn,
    async an_engine_plays_with_the_ugi_dialect,
    async an_illegal_move_loses_the_game,
    async a_claim_repeated_after_a_refusal_loses_and_resigning_does_too,
    async lines_after_an_answer_in_the_same_message_are_ignored,
    async a_bot_needs_the_token_of_its_own_seat,
    async garbage_loses_the_game_and_closes_the_connection,
    async a_bot_that_floods_is_disconnected,
    async a_disconnected_bot_reconnects_and_continues,
    async a_bot_is_asked_again_after_a_takeback,
    async a_bot_in_the_lobby_plays_a_visitor_and_waits_again,
    async a_shutdown_is_announced_to_bots,
}

const LONG: Duration = Duration::from_secs(20);

/// A server that listens on a socket.
struct BotServer {
    server: TestServer,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
}

impl BotServer {
    async fn new(db: Database) -> BotServer {
        let server = TestServer::start(db).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let end = async move { drop(stopped.await) };
        tokio::spawn(parlor_server::serve(server.service.clone(), listener, end));
        BotServer { server, address, stop: Some(stop) }
    }

    async fn call(&self, path: &str, headers: &[(&'static str, String)]) -> Result<Bot, u16> {
        let mut request =
            format!("ws://{}/api/v1{path}", self.address).into_client_request().expect("an address");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a value"));
        }
        let stream = TcpStream::connect(self.address).await.expect("a connection");
        match client_async(request, stream).await {
            Ok((socket, _)) => Ok(Bot { socket }),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    async fn bot(&self, path: &str) -> Bot {
        self.call(path, &[]).await.unwrap_or_else(|status| panic!("{path}: {status}"))
    }

    /// Creates a game whose first side belongs to its token and whose second side is open to the holder of the invitation.
    async fn game(&self, game: &str) -> CreatedGame {
        self.server.game(json!({"game": game, "second": {"kind": "open"}})).await
    }

    /// Creates a game with bots on both sides.
    async fn game_of_two_bots(&self, game: &str) -> (CreatedGame, Bot, Bot) {
        let made = self.game(game).await;
        let second =
            self.bot(&format!("/games/{}/bot?invitation={}&name=Two", made.id, made.invitation)).await;
        let first = self.bot(&format!("/games/{}/bot?token={}", made.id, made.token)).await;
        (made, first, second)
    }

    async fn cause(&self, made: &CreatedGame) -> (String, String) {
        let state = self.server.get(&made.path()).await.json();
        let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
        (word(&state["ending"]["cause"]), word(&state["ending"]["winner"]))
    }
}

struct Bot {
    socket: WebSocketStream<TcpStream>,
}

impl Bot {
    /// Receives the next line; `None` if the connection is closed.
    async fn receive(&mut self) -> Option<String> {
        loop {
            let message = timeout(LONG, self.socket.next()).await.expect("something in time");
            match message {
                Some(Ok(Message::Text(text))) => return Some(text.to_string()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Skips to the next line whose first field is `word`, and returns its fields.
    async fn until(&mut self, word: &str) -> Vec<String> {
        while let Some(line) = self.receive().await {
            let fields: Vec<String> = line.split('\t').map(String::from).collect();
            if fields[0] == word {
                return fields;
            }
        }
        panic!("the line was closed before '{word}'");
    }

    /// The reason in the close frame.
    async fn close_reason(&mut self) -> String {
        loop {
            match timeout(LONG, self.socket.next()).await.expect("something in time") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.reason.to_string(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return String::new(),
            }
        }
    }

    async fn send_line(&mut self, text: &str) {
        // If the server closes the connection during a write, the next read reports it.
        let _ = self.socket.send(Message::text(text)).await;
    }

    /// Plays the first legal move until the end of the game, and returns the fields of the last line.
    async fn play(mut self) -> Vec<String> {
        while let Some(line) = self.receive().await {
            let fields: Vec<String> = line.split('\t').map(String::from).collect();
            match fields[0].as_str() {
                "turn" => {
                    let mv = fields[3].split(' ').next().expect("a move").to_string();
                    self.send_line(&mv).await;
                }
                "end" => return fields,
                _ => {}
            }
        }
        panic!("no end");
    }
}

async fn two_bots_play_a_whole_game_of_every_kind(db: Database) {
    let server = BotServer::new(db).await;
    for game in parlor_catalog::entries().iter().map(parlor_catalog::Entry::small) {
        let (made, first, second) = server.game_of_two_bots(game).await;
        let (one, other) = tokio::join!(first.play(), second.play());
        assert_eq!(one[2], other[2], "{game}: the same reason");
        let both = [one[1].as_str(), other[1].as_str()];
        assert!([["win", "loss"], ["loss", "win"], ["draw", "draw"]].contains(&both), "{game}: {both:?}");
        let state = server.server.get(&made.path()).await.json();
        assert!(
            ["normal", "cycle"].contains(&server.cause(&made).await.0.as_str()),
            "{game}: {}",
            state["ending"]
        );
        assert_eq!(
            (state["seats"][1]["name"].as_str(), state["seats"][1]["kind"].as_str()),
            (Some("Two"), Some("bot"))
        );
    }
}

async fn a_bot_receives_its_seat_its_opponent_and_its_turn(db: Database) {
    let server = BotServer::new(db).await;
    let (made, mut first, mut second) = server.game_of_two_bots("kalah:3,2").await;
    let seat = second.until("seat").await;
    assert_eq!((seat[1].as_str(), seat[2].len(), &seat[3]), ("second", 32, &made.id));
    assert_eq!(second.until("new").await, ["new", "kalah:3,2", "second"]);
    assert_eq!(first.until("new").await, ["new", "kalah:3,2", "first"]);
    assert_eq!(first.until("against").await, ["against", "Two"]);
    let turn = first.until("turn").await;
    assert_eq!(turn[1..], ["kalah:3,2", "2,2,2/2,2,2 0/0 s", "1 2 3", "", "60000"]);
}

async fn an_engine_plays_with_the_ugi_dialect(db: Database) {
    let server = BotServer::new(db).await;
    let game = json!({"game": "connect:4,4,3", "second": {"kind": "player", "spec": "bad"}});
    let made = server.server.game(game).await;
    let mut engine = server.bot(&format!("/games/{}/bot?dialect=ugi&token={}", made.id, made.token)).await;
    let mut moves = 0;
    while let Some(line) = engine.receive().await {
        match line.split_whitespace().next().unwrap_or_default() {
            "ugi" => engine.send_line("id name T\nugiok").await,
            "game" => assert_eq!(line, "game connect:4,4,3"),
            "isready" => engine.send_line("readyok").await,
            "go" => {
                assert_eq!(line, "go movetime 5000");
                moves += 1;
                engine.send_line("info depth 1 score cp 3").await;
                engine.send_line("bestmove 4").await;
            }
            "end" => break,
            _ => {}
        }
    }
    assert_eq!(server.cause(&made).await, ("normal".to_string(), "first".to_string()), "after {moves} moves");
}

async fn an_illegal_move_loses_the_game(db: Database) {
    let server = BotServer::new(db).await;
    let (made, mut first, second) = server.game_of_two_bots("kalah:3,2").await;
    first.until("turn").await;
    first.send_line("99").await;
    assert_eq!(first.until("end").await, ["end", "loss", "illegal"]);
    assert_eq!(second.play().await, ["end", "win", "illegal"]);
    assert_eq!(server.cause(&made).await, ("illegal".to_string(), "second".to_string()));
}

async fn a_claim_repeated_after_a_refusal_loses_and_resigning_does_too(db: Database) {
    let server = BotServer::new(db).await;
    for (words, reason) in [(&["claim", "claim"][..], "illegal"), (&["resign"][..], "resigned")] {
        let (_, mut first, second) = server.game_of_two_bots("oware").await;
        for word in words {
            first.until("turn").await;
            first.send_line(word).await;
        }
        assert_eq!(first.until("end").await, ["end", "loss", reason]);
        drop(second);
    }
}

async fn lines_after_an_answer_in_the_same_message_are_ignored(db: Database) {
    let server = BotServer::new(db).await;
    let (made, mut first, _second) = server.game_of_two_bots("kalah:6,4").await;
    first.until("turn").await;
    first.send_line("try 1\n3\nthinking about it").await;
    let turn = first.until("turn").await;
    assert_eq!(turn[4], "3", "the last bean fell into the own pot: the same side again");
    assert_eq!(server.cause(&made).await.0, "");
}

async fn a_bot_needs_the_token_of_its_own_seat(db: Database) {
    let server = BotServer::new(db).await;
    let made = server.game("kalah:3,2").await;
    let path = format!("/games/{}/bot", made.id);
    let wrong = "0123456789abcdef0123456789abcdef";
    for (query, headers, status) in [
        (String::new(), vec![], 401),
        (format!("?token={wrong}"), vec![], 403),
        ("?token=short".to_string(), vec![], 403),
        (format!("?invitation={wrong}"), vec![], 409),
        ("?dialect=french".to_string(), vec![], 422),
        (String::new(), vec![("authorization", format!("Bearer {wrong}"))], 403),
        (format!("?token={}", made.token), vec![("origin", "https://elsewhere.example".to_string())], 403),
    ] {
        let refused = server.call(&format!("{path}{query}"), &headers).await.err();
        assert_eq!(refused, Some(status), "{query}");
    }
    let held = server.call(&path, &[("authorization", format!("Bearer {}", made.token))]).await;
    assert!(held.is_ok());
    assert_eq!(server.call("/games/xxxxxxxxxx/bot?token=x", &[]).await.err(), Some(403));
    assert_eq!(server.server.get(&format!("/api/v1{path}")).await.status, 422, "no upgrade");
}

async fn garbage_loses_the_game_and_closes_the_connection(db: Database) {
    let server = BotServer::new(db).await;
    let long = "x".repeat((64 << 10) + 1);
    let huge = "x".repeat(1 << 20);
    for (name, message) in [
        ("a long line", Message::text(long)),
        ("a huge one", Message::text(huge)),
        ("binary", Message::binary(vec![1, 2, 3])),
    ] {
        let (made, mut first, _second) = server.game_of_two_bots("kalah:3,2").await;
        first.until("turn").await;
        let _ = first.socket.send(message).await;
        let reason = first.close_reason().await;
        assert!(reason.starts_with("lost: it wrote") || reason.is_empty(), "{name}: {reason}");
        let (cause, winner) = ended(&server, &made).await;
        assert_eq!((cause.as_str(), winner.as_str()), ("illegal", "second"), "{name}");
    }
}

/// Waits for the end of a game and returns it.
async fn ended(server: &BotServer, made: &CreatedGame) -> (String, String) {
    let ended = async || Some(server.cause(made).await).filter(|(cause, _)| !cause.is_empty());
    eventually_async("the game ends", ended).await
}

async fn a_bot_that_floods_is_disconnected(db: Database) {
    let server = BotServer::new(db).await;
    let (made, first, mut second) = server.game_of_two_bots("kalah:3,2").await;
    second.until("new").await;
    // It is not its turn, so the server ignores its output.
    let noise = "n".repeat(60 << 10);
    for _ in 0..40 {
        if second.socket.send(Message::text(noise.clone())).await.is_err() {
            break;
        }
    }
    assert_eq!(ended(&server, &made).await, ("illegal".to_string(), "first".to_string()));
    drop(first);
}

async fn a_disconnected_bot_reconnects_and_continues(db: Database) {
    let server = BotServer::new(db).await;
    let (made, first, mut second) = server.game_of_two_bots("connect:4,4,3").await;
    let seat = second.until("seat").await;
    let game = tokio::spawn(first.play());
    second.until("turn").await;
    drop(second);
    let mut again = server.bot(&format!("/games/{}/bot?token={}", seat[3], seat[2])).await;
    assert_eq!(again.until("new").await[2], "second");
    let turn = again.until("turn").await;
    assert_eq!(turn[4].split(' ').count(), 1, "one move was made: {turn:?}");
    again.send_line(turn[3].split(' ').next_back().expect("a move")).await;
    again.play().await;
    game.await.expect("the other's end");
    assert_eq!(server.cause(&made).await.0, "normal");
}

async fn a_bot_is_asked_again_after_a_takeback(db: Database) {
    let server = BotServer::new(db).await;
    let made = server.game("connect:4,4,3").await;
    let mut bot = server.bot(&format!("/games/{}/bot?invitation={}", made.id, made.invitation)).await;
    let play = |ply: u32, mv: &'static str| {
        let (server, made) = (&server, &made);
        async move {
            let body = json!({"ply": ply, "move": mv});
            assert_eq!(server.server.post(&made.moves(), Some(&made.token), &body).await.status, 200);
        }
    };
    play(0, "1").await;
    assert_eq!(bot.until("turn").await[4], "1");
    let back = server.server.post(&made.actions(), Some(&made.token), &json!({"action": "takeback"})).await;
    assert_eq!(back.status, 200, "a bot does not mind: {}", back.text);
    play(0, "2").await;
    assert_eq!(bot.until("turn").await[4], "2");
    bot.send_line("1").await;
    bot.send_line("3").await;
    let answered =
        async || Some(server.server.get(&made.path()).await.json()).filter(|state| state["ply"] == 2);
    let state = eventually_async("the bot's move is made", answered).await;
    assert_eq!(state["moves"], json!(["2", "3"]), "the first answer was to the first question");
}

async fn a_bot_in_the_lobby_plays_a_visitor_and_waits_again(db: Database) {
    let server = BotServer::new(db).await;
    let mut bot = server.bot("/bots?name=Lazy&games=kalah").await;
    assert_eq!(server.call("/bots?name=Lazy", &[]).await.err(), Some(409), "the name is taken");
    assert_eq!(server.call("/bots?name=", &[]).await.err(), Some(422));
    assert_eq!(server.call("/bots?name=Other&games=chess", &[]).await.err(), Some(422));
    let listed = server.server.get("/api/v1/bots").await.json();
    assert_eq!(listed, json!({"house": [], "waiting": [{"name": "Lazy", "games": ["kalah"]}]}));
    assert!(server.server.get("/").await.text.contains("Waiting bots"));
    let wanted = |game: &str| json!({"game": game, "first": {"kind": "waiting", "name": "Lazy"}});
    let refused = server.server.post("/api/v1/games", None, &wanted("oware")).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    for _ in 0..2 {
        let made = server.server.game(wanted("kalah:3,2")).await;
        let listed = server.server.get("/api/v1/bots").await.json();
        assert_eq!(listed["waiting"], json!([]), "it plays");
        assert_eq!(bot.until("seat").await[3], made.id);
        bot.until("turn").await;
        bot.send_line("resign").await;
        assert_eq!(bot.until("end").await[1], "loss");
        waits(&server).await;
    }
    assert_eq!(
        server.server.service.metrics_page().lines().find(|line| line.starts_with("parlor_bots ")),
        Some("parlor_bots 1")
    );
}

async fn waits(server: &BotServer) {
    let waiting =
        async || server.server.get("/api/v1/bots").await.json()["waiting"].as_array()?.first().cloned();
    eventually_async("the bot waits again", waiting).await;
}

async fn a_shutdown_is_announced_to_bots(db: Database) {
    let mut server = BotServer::new(db).await;
    let (_, mut first, _second) = server.game_of_two_bots("kalah:3,2").await;
    let mut waiting = server.bot("/bots?name=Patient").await;
    first.until("turn").await;
    drop(server.stop.take());
    assert_eq!(first.close_reason().await, "the server is shutting down; please reconnect");
    assert_eq!(waiting.close_reason().await, "the server is shutting down; please reconnect");
}

#[tokio::test]
async fn a_lost_bot_connection_is_logged_once_with_game_name_and_reason() {
    let server = BotServer::new(Database::sqlite()).await;
    let (made, mut first, second) = server.game_of_two_bots("kalah:3,2").await;
    let log = Log::capture();
    drop(second);
    let logged = async |text: &str| log.with(text).pop();
    let line = eventually_async("the second bot is missed", async || logged("bot disconnected").await).await;
    assert!(line.starts_with(&format!("INFO bot disconnected game={} bot=Two reason=", made.id)), "{line}");
    first.socket.send(Message::binary(vec![0, 159, 146, 150])).await.expect("sent");
    let line =
        eventually_async("the first bot is cut off", async || logged("bot disconnected by the server").await)
            .await;
    assert!(
        line.starts_with(&format!("WARN bot disconnected by the server game={} bot=", made.id)),
        "{line}"
    );
    assert_eq!(log.with(&made.id).len(), 2, "{:?}", log.lines());
    for secret in [&made.token, &made.invitation] {
        assert!(log.with(secret).is_empty(), "{:?}", log.lines());
    }
}
