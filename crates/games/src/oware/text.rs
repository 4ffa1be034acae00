//! Moves are the letters of the pits; positions list all numbers in sowing order, as in other Oware programs:
//! `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S` is a..f, A..F, Player 1's score, Player 2's score, S or N for Player 1 or 2 to move. Parsing
//! is strict: an error says what would be accepted.

use super::{
    Oware, Pit, Position,
    board::{PITS, SEEDS},
};
use parlor_core::{BadPosition, IllegalMove, Notation, Samples, Side, View};

const FORM: &str =
    "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S (pits a to f, pits A to F, both scores, S or N for Player 1 or 2 to move)";
const LETTERS: &str = "abcdefABCDEF";
const FIELDS: usize = 2 * PITS + 3;

impl Pit {
    pub(super) fn letter(self) -> char {
        LETTERS.chars().nth(usize::from(self.0)).unwrap_or('?')
    }

    fn from_text(text: &str) -> Option<Pit> {
        let index = LETTERS.find(text).filter(|_| text.len() == 1)?;
        Some(Pit(index as u8))
    }
}

/// `a-f` or `A-F`.
pub(super) fn letters_of(side: Side) -> &'static str {
    ["a-f", "A-F"][side.index()]
}

impl Notation for Oware {
    const MOVE_FORM: &'static str = "the letter of the pit, a-f for Player 1 and A-F for Player 2";
    const POSITION_FORM: &'static str =
        "pits a to f, pits A to F, both scores, then S (Player 1) or N (Player 2) to move, joined by hyphens";
    const SAMPLES: Samples = Samples {
        sizes: include_str!("data/sizes.txt"),
        perft: include_str!("data/perft.txt"),
        illegal_moves: include_str!("data/illegal.txt"),
        bad_positions: include_str!("data/positions.txt"),
        game: include_str!("data/game.parlor"),
        bench: &[("oware", 12), ("oware:rules=awari", 12)],
    };

    fn write_position(&self, pos: &Position) -> String {
        let numbers = pos.pits().into_iter().chain(pos.scores());
        let mut fields: Vec<String> = numbers.map(|number| number.to_string()).collect();
        fields.push(["S", "N"][pos.turn().index()].to_string());
        fields.join("-")
    }

    fn parse_position(&self, text: &str) -> Result<Position, BadPosition> {
        let fields: Vec<&str> = text.trim().split('-').collect();
        let Some((&turn, numbers)) = fields.split_last().filter(|_| fields.len() == FIELDS) else {
            return Err(BadPosition(format!(
                "expected {FIELDS} fields, like {FORM}; found {}",
                fields.len()
            )));
        };
        let mut seeds = [0; 2 * PITS + 2];
        for (place, &field) in numbers.iter().enumerate() {
            seeds[place] = number(place, field)?;
        }
        let turn = match turn {
            "S" => Side::First,
            "N" => Side::Second,
            other => {
                return Err(BadPosition(format!(
                    "invalid side to move '{other}'; expected S for Player 1 or N for Player 2"
                )));
            }
        };
        let [pits @ .., first, second] = seeds;
        self.position(pits, [first, second], turn).ok_or_else(|| {
            let total: u16 = seeds.iter().map(|&seeds| u16::from(seeds)).sum();
            BadPosition(format!("pits and scores sum to {total}; expected {SEEDS}"))
        })
    }

    fn write_move(&self, mv: Pit) -> String {
        mv.letter().to_string()
    }

    fn parse_move(&self, pos: &Position, text: &str) -> Result<Pit, IllegalMove> {
        let text = text.trim();
        if self.is_over(pos) {
            return Err(IllegalMove::new("the game is over"));
        }
        let side = pos.turn();
        let Some(pit) = Pit::from_text(text) else {
            return Err(IllegalMove(format!(
                "'{text}' is not a pit; {}'s pits are {}",
                Oware::SEATS[side.index()],
                letters_of(side)
            )));
        };
        self.why_not(pos, pit).map_or(Ok(pit), |reason| Err(IllegalMove(reason)))
    }

    fn run_together(&self) -> bool {
        true
    }
}

impl Oware {
    /// Why the pit may not be sown, if it may not.
    fn why_not(&self, pos: &Position, pit: Pit) -> Option<String> {
        let letter = pit.letter();
        let [mover, opponent] = [pos.turn(), pos.turn().other()].map(|side| Oware::SEATS[side.index()]);
        if pit.owner() != pos.turn() {
            Some(format!(
                "it is {mover}'s turn, and '{letter}' is a pit of {opponent}: \
                 Player 1's pits are a-f in lower case, Player 2's are A-F in upper case"
            ))
        } else if pos.pits()[usize::from(pit.0)] == 0 {
            Some(format!("pit {letter} is empty"))
        } else if !pos.movable().contains(pit.index()) {
            Some(format!(
                "pit {letter} does not reach {opponent}'s row, which is empty and must receive seeds"
            ))
        } else if !self.legal(pos).contains(pit.index()) {
            Some(format!(
                "pit {letter} would capture all of {opponent}'s seeds, which is illegal while there is another move"
            ))
        } else {
            None
        }
    }
}

/// The number in a field: digits only, and no more than there are seeds.
fn number(place: usize, field: &str) -> Result<u8, BadPosition> {
    let digits = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
    let number = field.parse::<u8>().ok().filter(|&number| digits && number <= SEEDS);
    number.ok_or_else(|| {
        let what = match place.checked_sub(2 * PITS) {
            None => format!("pit {}", Pit(place as u8).letter()),
            Some(player) => format!("{}'s score", Oware::SEATS[player]),
        };
        BadPosition(format!("{what} is '{field}', not a number of seeds from 0 to {SEEDS}"))
    })
}
