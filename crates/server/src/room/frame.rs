//! Frames: the state of a game at one moment, for all spectators. A frame is built once, serialised once for the API and rendered once
//! for each kind of viewer.

use crate::wire::{GameState, SideWord, Tree};
use parlor_core::{GameInfo, Limits, Mark, Side};
use parlor_session::Micros;
use std::sync::{Arc, OnceLock};

/// The sides that belong to a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// First side first. A person who plays against themselves has both.
    pub sides: [bool; 2],
}

impl Viewer {
    /// Number of different values of this type.
    pub const COUNT: usize = 4;

    /// A distinct number for each value, from 0 to `COUNT - 1`.
    pub fn index(self) -> usize {
        usize::from(self.sides[0]) + 2 * usize::from(self.sides[1])
    }

    pub fn plays(self) -> bool {
        self.sides[0] || self.sides[1]
    }

    pub fn has(self, side: Side) -> bool {
        self.sides[side.index()]
    }

    /// Whether the board is shown with the second side at the bottom.
    pub fn is_turned(self) -> bool {
        self.sides == [false, true]
    }
}

/// The state of a game after one event.
#[derive(Debug)]
pub struct GameFrame {
    /// The public state, which every client may see.
    pub state: GameState,
    /// The constant data of the game.
    pub info: Arc<GameInfo>,
    pub marks: Vec<Mark>,
    /// The board as text art.
    pub picture: String,
    /// Prompt and move help for the side to move.
    pub prompts: [String; 2],
    /// The legal moves of the side to move.
    pub tree: Option<Tree>,
    /// Time limits of the side to move, and the moment at which they held.
    pub limits: (Limits, Micros),
    holders: [Option<String>; 2],
    json: OnceLock<Arc<str>>,
    pages: [OnceLock<Arc<str>>; Viewer::COUNT],
}

impl GameFrame {
    pub(super) fn new(state: GameState, info: Arc<GameInfo>, marks: Vec<Mark>, picture: String) -> GameFrame {
        GameFrame {
            state,
            info,
            marks,
            picture,
            prompts: Default::default(),
            tree: None,
            limits: (Limits::default(), Micros::ZERO),
            holders: [None, None],
            json: OnceLock::new(),
            pages: Default::default(),
        }
    }

    pub(super) fn with_tree(self, tree: Option<Tree>) -> GameFrame {
        GameFrame { tree, ..self }
    }

    pub(super) fn with_limits(self, limits: Limits, now: Micros) -> GameFrame {
        GameFrame { limits: (limits, now), ..self }
    }

    pub(super) fn with_holders(self, holders: [Option<String>; 2]) -> GameFrame {
        GameFrame { holders, ..self }
    }

    pub(super) fn with_prompt(self, prompt: String, help: String) -> GameFrame {
        GameFrame { prompts: [prompt, help], ..self }
    }

    /// The viewer that holds seats by this key; without a key, a spectator.
    pub fn viewer(&self, key: Option<&str>) -> Viewer {
        Viewer { sides: [0, 1].map(|side: usize| key.is_some() && self.holders[side].as_deref() == key) }
    }

    /// The side to move; `None` after the end.
    pub fn turn(&self) -> Option<Side> {
        self.state.turn.map(SideWord::into)
    }

    pub fn is_asked(&self, viewer: Viewer) -> bool {
        self.turn().is_some_and(|side| viewer.has(side))
    }

    /// The state as JSON, serialised on first use.
    pub fn json(&self) -> Arc<str> {
        self.json.get_or_init(|| serde_json::to_string(&self.state).unwrap_or_default().into()).clone()
    }

    /// The rendered page parts for a viewer, made by `write` on first use.
    pub fn page(&self, viewer: Viewer, write: impl FnOnce() -> String) -> Arc<str> {
        self.pages[viewer.index()].get_or_init(|| write().into()).clone()
    }
}
