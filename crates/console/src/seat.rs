//! The player at one side of the board: a person at the keyboard, or a program.

use parlor_catalog::PlayerSpec;
use parlor_core::Player;

/// The player at one side of the board.
pub struct Seat {
    /// The name that was given to the player.
    pub(crate) name: Option<String>,
    /// What the record calls the player: the whole player spec.
    pub(crate) described: String,
    /// The program; none for a person.
    pub(crate) player: Option<Box<dyn Player>>,
}

impl Seat {
    /// A person at the keyboard.
    pub fn person(spec: &PlayerSpec) -> Seat {
        Seat { described: spec.to_string(), name: spec.name.clone(), player: None }
    }

    /// A player of the catalogue.
    pub fn computer(spec: &PlayerSpec, player: Box<dyn Player>) -> Seat {
        Seat { described: spec.to_string(), name: spec.name.clone(), player: Some(player) }
    }

    /// A foreign program: what the record calls it, and the name that was given to it.
    pub fn foreign(described: &str, name: Option<&str>, player: Box<dyn Player>) -> Seat {
        Seat { described: described.to_string(), name: name.map(String::from), player: Some(player) }
    }

    pub(crate) fn is_person(&self) -> bool {
        self.player.is_none()
    }
}
