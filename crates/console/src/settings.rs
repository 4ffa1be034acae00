//! Settings of a console run (seed, clock, time control, pauses) and the participants of a game: people at the keyboard or
//! programs.

use crate::ConsoleSession;
use parlor_catalog::{BadPlayer, DynGame, PlayerSpec, Resources};
use parlor_core::{Board, Player, Record, Side};
use parlor_session::TimeControl;
use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Storage for the records of the games of a run.
pub trait Archive {
    /// Starts a new game. The records of earlier games are kept.
    fn begin(&mut self) -> io::Result<()>;
    /// Saves the record of the current game. Called before the first move, after every move and at the end.
    fn keep(&mut self, record: &Record) -> io::Result<()>;
}

/// An archive that saves nothing.
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

/// A player at one side of the board: a person at the keyboard or a program.
pub struct Participant {
    /// The name that the user gave to the player.
    pub(crate) name: Option<String>,
    /// The player's name in the record: its player spec.
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

    /// An external program with its name in the record and the name that the user gave to it.
    pub fn program(described: &str, name: Option<&str>, player: Box<dyn Player>) -> Participant {
        Participant { described: described.to_string(), name: name.map(String::from), player: Some(player) }
    }

    pub(crate) fn is_person(&self) -> bool {
        self.player.is_none()
    }
}

/// Settings of all games of one run.
#[derive(Clone, Debug)]
pub struct ConsoleSettings {
    /// Parameters of the players. The seed determines all random choices, and the clock measures all times.
    pub resources: Resources,
    /// Set when the user interrupts the program.
    pub stop: Arc<AtomicBool>,
    /// Whether to wait for Enter after each turn between two computers.
    pub pause: bool,
    /// How long the result screen is shown, in games that have one.
    pub linger: Duration,
    pub time: TimeControl,
    /// Further tags of every record, such as the date, which the console does not read itself.
    pub tags: Vec<(String, String)>,
}

impl ConsoleSettings {
    /// Default settings: real time, no time control, this seed.
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

    pub fn participant(
        &self,
        game: &dyn DynGame,
        spec: &PlayerSpec,
        side: Side,
    ) -> Result<Participant, BadPlayer> {
        if spec.kind == "human" {
            return match spec.options.first() {
                None => Ok(Participant::person(spec)),
                Some((option, _)) => Err(BadPlayer::Spec(format!(
                    "player human: unknown option '{option}'; it takes no options"
                ))),
            };
        }
        // The two sides use different streams of random numbers from the same seed.
        let seed = self.resources.seed.wrapping_mul(2).wrapping_add(side.index() as u64);
        let resources = Resources { seed, ..self.resources.clone() };
        Ok(Participant::computer(spec, game.player(spec, &resources)?))
    }

    pub fn session<'a>(
        &self,
        board: Box<dyn Board>,
        participants: [Participant; 2],
        archive: &'a mut dyn Archive,
    ) -> ConsoleSession<'a> {
        ConsoleSession::new(self.clone(), board, participants, archive)
    }
}
