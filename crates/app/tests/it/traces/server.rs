//! The server drivers: one game server on a socket with a clock that only the players move, people over the API, bots of the
//! server as scripted players, and bots over WebSockets.

use super::{
    Played,
    player::{Scripted, SharedLog, TOO_LONG, board_of, lock, remaining_value},
    scripts::{Act, Script},
    websocket,
};
use parlor_catalog::Manual;
use parlor_core::{Record, Side};
use parlor_server::{MakeBot, RateLimits, Service, Settings, serve};
use parlor_store::{EventRow, Store};
use parlor_testkit::{Client, Database, Response, eventually};
use serde_json::{Map, Value, json};
use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatKind {
    /// A person over the API. Two of them are different people.
    Person,
    /// A person who holds both seats.
    Alone,
    /// A bot that the server runs.
    House,
    /// A bot over a WebSocket, from the lobby.
    Socket,
}

impl SeatKind {
    fn is_person(self) -> bool {
        matches!(self, SeatKind::Person | SeatKind::Alone)
    }
}

/// The script that is being played, with its log.
type Playing = Arc<Mutex<Option<(&'static Script, SharedLog)>>>;

/// The bots of the server follow the script that is being played. The spec of each is its side.
fn scripted_bots(playing: &Playing, clock: &Arc<Manual>) -> MakeBot {
    let (playing, clock) = (playing.clone(), clock.clone());
    Arc::new(move |_, spec, _| {
        let (script, log) = playing.lock().expect("no panic").clone().ok_or("no script")?;
        let side = Side::BOTH.into_iter().find(|side| side.to_string() == spec).ok_or("no such bot")?;
        Ok(Box::new(Scripted { script, side, log, clock: clock.clone() }))
    })
}

/// A server without limits, on a socket and a new database.
pub struct GameServer {
    runtime: Runtime,
    client: Client,
    store: Store,
    playing: Playing,
    clock: Arc<Manual>,
    games: AtomicUsize,
    _database: Database,
}

impl GameServer {
    pub fn start() -> GameServer {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let (runtime, database) = (runtime.expect("a runtime"), Database::sqlite());
        let clock = Arc::new(Manual::stepping(Duration::ZERO));
        let playing = Playing::default();
        let (address, store) = runtime.block_on(async {
            let store = Store::connect(&database.url).await.expect("a store");
            let mut settings = Settings::new(store.clone());
            settings.bots = Side::BOTH.map(|side| (side.to_string(), side.to_string())).to_vec();
            settings.make_bot = scripted_bots(&playing, &clock);
            settings.rate_limits = RateLimits::none();
            settings.clock = clock.clone();
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address").to_string();
            tokio::spawn(serve(Service::new(settings), listener, pending()));
            (address, store)
        });
        let client = Client::new(&address);
        GameServer { runtime, client, store, playing, clock, games: AtomicUsize::new(0), _database: database }
    }

    pub fn play(&self, script: &'static Script, kinds: [SeatKind; 2]) -> Played {
        expressible(script, kinds)?;
        let log = SharedLog::default();
        *self.playing.lock().expect("no panic") = Some((script, log.clone()));
        let number = self.games.fetch_add(1, Ordering::Relaxed);
        let names = Side::BOTH.map(|side| format!("bot-{number}-{side}"));
        let mut sockets = Vec::new();
        for side in Side::BOTH {
            if kinds[side.index()] == SeatKind::Socket {
                let name = &names[side.index()];
                let (log, clock) = (log.clone(), self.clock.clone());
                let bot = websocket::Bot::connect(&self.client.address, name, script, side, log, clock);
                sockets.push((side, thread::spawn(move || bot.play())));
                eventually("the bot waits", || self.client.get("/api/v1/bots").body.contains(name));
            }
        }
        let made = self.client.post("/api/v1/games", &request(script, kinds, &names));
        if made.status != 201 {
            return Ok(Map::from_iter([("statuses".to_string(), json!([call("create", &made)]))]));
        }
        let (client, clock, guest) = (&self.client, &*self.clock, String::new());
        let mut game = Game { client, clock, script, kinds, made: made.json(), guest };
        let mut statuses = Vec::new();
        game.play(&log, &mut statuses);
        let (record, events) = self.stored(game.id());
        let mut trace = lock(&log).trace(&record);
        if !statuses.is_empty() {
            trace.insert("statuses".into(), statuses.into());
        }
        trace.insert("log".into(), events.iter().filter(|event| event.kind != "move").map(shown).collect());
        if script.time.is_some() {
            trace.insert("log clocks".into(), clocks(&events));
        }
        trace.insert("remaining".into(), remaining(&events));
        for (side, bot) in sockets {
            let told = bot.join().expect("no panic in a bot");
            trace.insert(format!("{side} bot"), told);
        }
        Ok(trace)
    }

    /// The game's record and events in the database.
    fn stored(&self, id: &str) -> (Record, Vec<EventRow>) {
        let text = self.client.get(&format!("/api/v1/games/{id}/record")).body;
        let record = Record::parse(&text).expect("a record");
        let stored = self.runtime.block_on(self.store.live_game(id)).expect("the database");
        (record, stored.expect("the game").1)
    }
}

/// Whether players of these kinds can play the script.
fn expressible(script: &Script, kinds: [SeatKind; 2]) -> Result<(), String> {
    let people = kinds.iter().any(|kind| kind.is_person());
    if people && script.acts[0].first() == Some(&Act::Stall) {
        return Err("the clock does not run before the first move, so the game waits".into());
    }
    if script.slow && kinds != [SeatKind::Person; 2] {
        return Err("only another person can answer late".into());
    }
    let correspondence = script.time.is_some_and(|time| time.starts_with("move=") && time.ends_with('d'));
    if correspondence && kinds.contains(&SeatKind::Socket) {
        return Err("a bot that waits for games plays no correspondence game".into());
    }
    let offers = script.acts.iter().flatten().any(|act| [Act::Takeback, Act::Claim].contains(act));
    if offers && script.agrees == [false; 2] && kinds == [SeatKind::Alone; 2] {
        return Err("one person does not decline the own offer".into());
    }
    for (kind, acts) in kinds.iter().zip(&script.acts) {
        for act in acts {
            match (kind, act) {
                (
                    SeatKind::Person | SeatKind::Alone,
                    Act::NoMove | Act::Crash | Act::Garbage | Act::Timeout | Act::NoStart,
                ) => {
                    return Err("only a program fails like this".into());
                }
                (SeatKind::Person | SeatKind::Alone, Act::Interrupt | Act::EndOfInput) => {
                    return Err("only a person at a terminal does this".into());
                }
                (SeatKind::Socket, Act::NoStart | Act::Timeout) => {
                    return Err("the server does not start the bot or time its answers".into());
                }
                (SeatKind::Socket, Act::Crash) if script.time.is_none() => {
                    return Err("the server waits for a bot that has gone".into());
                }
                (SeatKind::Person | SeatKind::Alone, _) => {}
                (_, act) => act.expressible_for_a_program()?,
            }
        }
    }
    Ok(())
}

/// The body of the request that creates the game.
fn request(script: &Script, kinds: [SeatKind; 2], names: &[String; 2]) -> Value {
    let seat = |side: Side| match kinds[side.index()] {
        SeatKind::House => json!({ "kind": "house", "name": side.to_string() }),
        SeatKind::Socket => json!({ "kind": "waiting", "name": names[side.index()] }),
        // The creator has one seat; the other one is taken by invitation.
        SeatKind::Person if side == Side::Second && kinds[0] == SeatKind::Person => json!({ "kind": "open" }),
        SeatKind::Person | SeatKind::Alone => json!({ "kind": "me" }),
    };
    let mut body = json!({ "game": script.game, "first": seat(Side::First), "second": seat(Side::Second) });
    if let Some(start) = script.start {
        body["start"] = start.into();
    }
    if let Some(time) = script.time {
        body["clock"] = time.into();
    }
    body
}

/// A call of the API and its status; the type of the problem where there is one.
fn call(what: &str, response: &Response) -> Value {
    let problem = response.json()["type"].as_str().map(|kind| kind.replace("urn:parlor:problem:", ""));
    match problem {
        Some(problem) => json!([what, response.status, problem]),
        None => json!([what, response.status]),
    }
}

fn shown(event: &EventRow) -> Value {
    json!([event.kind, event.text])
}

/// The clocks after each event, in milliseconds.
fn clocks(events: &[EventRow]) -> Value {
    events.iter().map(|event| json!(event.left)).collect()
}

/// Remaining time of both sides at the end.
fn remaining(events: &[EventRow]) -> Value {
    let Some(EventRow { left: Some(left), periods, .. }) = events.last() else { return Value::Null };
    let periods = periods.unwrap_or_default();
    remaining_value([0, 1].map(|side: usize| Some((left[side], periods[side] as u32))))
}

/// A game and the people who play it.
struct Game<'a> {
    client: &'a Client,
    clock: &'a Manual,
    script: &'static Script,
    kinds: [SeatKind; 2],
    made: Value,
    /// The token of the person who came by invitation.
    guest: String,
}

impl Game<'_> {
    fn id(&self) -> &str {
        self.made["id"].as_str().expect("an id")
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/games/{}{rest}", self.id())
    }

    fn player(&self, side: Side) -> Client {
        let made = self.made["token"].as_str().expect("a token");
        let invited = side == Side::Second && !self.guest.is_empty();
        self.client.with_token(if invited { &self.guest } else { made })
    }

    /// Lets the people act until the game is over; programs act by themselves.
    fn play(&mut self, log: &SharedLog, statuses: &mut Vec<Value>) {
        if self.kinds == [SeatKind::Person; 2] {
            let invitation = self.made["invitation"].clone();
            let seated = self.client.post(&self.path("/seat"), &json!({ "invitation": invitation }));
            self.guest = seated.json()["token"].as_str().expect("a token").to_string();
        }
        let mut stalled = false;
        eventually(&format!("the game of the script '{}' ends", self.script.name), || {
            let state = self.client.get(&self.path("")).json();
            if !state["ending"].is_null() {
                return true;
            }
            if !stalled {
                self.act(&state, log, statuses, &mut stalled);
            }
            false
        });
    }

    /// One answer of a person, if one is due: to an offer, or to the position.
    fn act(&self, state: &Value, log: &SharedLog, statuses: &mut Vec<Value>, stalled: &mut bool) {
        let side = |value: &Value| {
            Side::BOTH.into_iter().find(|side| Some(side.to_string().as_str()) == value.as_str())
        };
        if let Some(by) = side(&state["offer"]["by"]) {
            let asked = by.other();
            if self.script.slow {
                // The answer would come after the clock has run out.
                self.clock.advance(TOO_LONG);
            } else if self.kinds[asked.index()] == SeatKind::Person {
                lock(log).offered[asked.index()] += 1;
                let word = if self.script.agrees[asked.index()] { "accept" } else { "decline" };
                statuses.push(self.action(asked, word));
            }
            return;
        }
        let Some(turn) = side(&state["turn"]).filter(|turn| self.kinds[turn.index()].is_person()) else {
            return;
        };
        self.clock.advance(Duration::from_millis(self.script.takes));
        // Released at once: a bot of the server may be asked to agree.
        let act = lock(log).next(self.script, turn);
        let text = match act {
            Act::Move(text) => text.to_string(),
            Act::Resign | Act::Exhausted => return statuses.push(self.action(turn, "resign")),
            Act::Claim => return statuses.push(self.action(turn, "claim")),
            Act::Takeback => return statuses.push(self.action(turn, "takeback")),
            Act::Abort => return statuses.push(self.action(turn, "abort")),
            Act::Stall => {
                self.clock.advance(TOO_LONG);
                return *stalled = true;
            }
            _ => first_legal(state),
        };
        let body = json!({ "ply": state["ply"], "move": text });
        let response = self.player(turn).post(&self.path("/moves"), &body);
        if response.status != 200 {
            statuses.push(call(&format!("{turn} move {text}"), &response));
        }
    }

    fn action(&self, side: Side, word: &str) -> Value {
        let response = self.player(side).post(&self.path("/actions"), &json!({ "action": word }));
        call(&format!("{side} {word}"), &response)
    }
}

fn first_legal(state: &Value) -> String {
    let moves = state["moves"].as_array().into_iter().flatten();
    let record = Record {
        game: state["game"].as_str().expect("a game").to_string(),
        start: state["start"].as_str().map(String::from),
        moves: moves.filter_map(|text| text.as_str().map(String::from)).collect(),
        ..Record::default()
    };
    board_of(&record).moves()[0].clone()
}
