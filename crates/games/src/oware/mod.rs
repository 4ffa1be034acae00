//! Oware (Abapa), and the variant of the solved-game literature, Awari.
//!
//! Two players with six pits each; every pit starts with 4 seeds, 48 in all. Player 1 (first) owns a..f, Player 2 owns A..F,
//! and sowing runs counterclockwise, so that A lies opposite f and F opposite a:
//!
//! ```text
//!              Player 2
//!        F   E   D   C   B   A       <-
//!        a   b   c   d   e   f       ->
//!              Player 1
//! ```
//!
//! 1. A turn: take all seeds of an own pit that has some and sow them one by one counterclockwise. The pit they came from
//!    is passed over on every lap and stays empty.
//! 2. If the last seed makes 2 or 3 in a pit of the other player, that pit is captured, and so is every pit before it in
//!    that row which holds 2 or 3 too, up to the first that does not.
//! 3. Grand slam: a capture of everything in the other row takes nothing; the move stands.
//! 4. Feeding: if the other row is empty, only moves that put a seed there are legal.
//! 5. Without a legal move the game is over, and each player takes the seeds of the own row.
//! 6. The game ends at once when a player has 25 seeds or more, with the current scores. The seeds on the board stay there and
//!    count for neither player. 24 seeds each are a draw.
//! 7. Play may be endless. The rules never end it, but they define the payoff when a referee stops it: each takes the own row.
//! 8. Surrender is not a move: the session handles it.
//!
//! The rule set `rules=awari` differs in three places: a move that would take everything is illegal while another move exists,
//! and captures if none does (3); play goes on to the last seed (6); endless play splits what is left evenly (7). The rule
//! about the last seeds (5) is only worded differently there. A player without seeds leaves all to the opponent, and one who
//! cannot feed takes all: either way every seed lies in the row of the player who gets it.

mod board;
mod classic;
mod eval;
mod index;
mod learned;
mod payoff;
mod rules;
mod text;
mod view;

pub use board::Position;
pub use classic::Scores;
pub use eval::{Prospects, SEED, prospects};
pub use learned::{OwareNetwork, learned, network};
pub use payoff::payoff;
pub use rules::{Oware, Pit, RuleSet};
