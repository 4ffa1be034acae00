//! What is the same for every game of one run: the source of randomness and time, the time control, pauses; and the player at
//! each side of the board, a person at the keyboard or a program, with the way from a player spec to it.

use crate::ConsoleSession;
use parlor_catalog::{BadPlayer, Hosted, PlayerSpec, Resources};
use parlor_core::{Board, Player, Record, Side};
use parlor_session::TimeControl;
use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Where games are kept as they are played, one after another.
pub trait Archive {
    /// A new game begins: what was kept before it stays.
    fn begin(&mut self) -> io::Result<()>;
    /// The game so far: before its first move, after every move and at its end.
    fn keep(&mut self, record: &Record) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug)]
pub struct NoArchive;

impl Archive for NoArchive {
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn keep(&mut self, _record: &Record) -> io::Result<()> {
        Ok(())
    }
}

pub struct Participant {
    /// The name that the user gave to the player.
    pub(crate) name: Option<String>,
    /// What the record calls the player: the whole player spec.
    pub(crate) described: String,
    /// `None` for a person.
    pub(crate) player: Option<Box<dyn Player>>,
}

impl Participant {
    pub fn person(spec: &PlayerSpec) -> Participant {
        Participant { described: spec.to_string(), name: spec.name.clone(), player: None }
    }

    /// A player from the catalogue.
    pub fn computer(spec: &PlayerSpec, player: Box<dyn Player>) -> Participant {
        Participant { described: spec.to_string(), name: spec.name.clone(), player: Some(player) }
    }

    /// A foreign program: what the record calls it, and the name that was given to it.
    pub fn foreign(described: &str, name: Option<&str>, player: Box<dyn Player>) -> Participant {
        Participant { described: described.to_string(), name: name.map(String::from), player: Some(player) }
    }

    pub(crate) fn is_person(&self) -> bool {
        self.player.is_none()
    }
}

/// What is the same for every game of one run.
#[derive(Clone, Debug)]
pub struct ConsoleSettings {
    /// What players are made with. The seed is the source of all random choices, the clock that of all time.
    pub resources: Resources,
    /// Set when the user interrupts the program.
    pub stop: Arc<AtomicBool>,
    /// Whether to wait for Enter after each turn between two computers.
    pub pause: bool,
    /// How long the result screen stays before a menu comes back, in games that have one.
    pub linger: Duration,
    pub time: TimeControl,
    /// Tags for every record beside its players, such as the date. The console itself reads no calendar.
    pub tags: Vec<(String, String)>,
}

impl ConsoleSettings {
    /// The usual: real time, no time control, this seed.
    pub fn new(seed: u64) -> ConsoleSettings {
        ConsoleSettings {
            resources: Resources::seeded(seed),
            stop: Arc::new(AtomicBool::new(false)),
            pause: true,
            linger: Duration::from_secs(4),
            time: TimeControl::Unlimited,
            tags: Vec::new(),
        }
    }

    pub fn seat(&self, game: &dyn Hosted, spec: &PlayerSpec, side: Side) -> Result<Participant, BadPlayer> {
        if spec.kind == "human" {
            return match spec.options.first() {
                None => Ok(Participant::person(spec)),
                Some((option, _)) => Err(BadPlayer::Spec(format!(
                    "player human: unknown option '{option}'; it takes no options"
                ))),
            };
        }
        // The two sides draw from different streams of the same seed.
        let seed = self.resources.seed.wrapping_mul(2).wrapping_add(side.index() as u64);
        let resources = Resources { seed, ..self.resources.clone() };
        Ok(Participant::computer(spec, game.player(spec, &resources)?))
    }

    pub fn session<'a>(
        &self,
        board: Box<dyn Board>,
        seats: [Participant; 2],
        archive: &'a mut dyn Archive,
    ) -> ConsoleSession<'a> {
        ConsoleSession::new(self.clone(), board, seats, archive)
    }
}
