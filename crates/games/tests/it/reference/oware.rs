//! A slow, literal implementation of Oware's two rule sets: seeds in a map from the pit's letter, one seed at a time, and every
//! rule checked by trying the move.

use parlor_core::laws::Reference;
use std::collections::BTreeMap;

const CIRCLE: [char; 12] = ['a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'];

/// Player 0 has the lower-case letters.
#[derive(Clone)]
pub struct SlowOware {
    awari: bool,
    pits: BTreeMap<char, i16>,
    scores: [i16; 2],
    turn: usize,
}

fn owner(pit: char) -> usize {
    usize::from(pit.is_ascii_uppercase())
}

fn step(pit: char, by: usize) -> char {
    let place = CIRCLE.iter().position(|&p| p == pit).expect("a pit");
    CIRCLE[(place + by) % 12]
}

impl SlowOware {
    /// Parses a position without collecting rows.
    pub fn from_text(awari: bool, text: &str) -> SlowOware {
        let fields: Vec<&str> = text.split('-').collect();
        let number = |i: usize| fields[i].parse::<i16>().expect("a number");
        SlowOware {
            awari,
            pits: CIRCLE.into_iter().zip((0..12).map(number)).collect(),
            scores: [number(12), number(13)],
            turn: usize::from(fields[14] == "N"),
        }
    }

    fn row(&self, player: usize) -> Vec<char> {
        CIRCLE.into_iter().filter(|&pit| owner(pit) == player).collect()
    }

    fn row_sum(&self, player: usize) -> i16 {
        self.row(player).into_iter().map(|pit| self.pits[&pit]).sum()
    }

    /// Applies rule 1 and returns the pit of the last seed.
    fn sow(&mut self, from: char) -> char {
        let mut in_hand = self.pits.insert(from, 0).expect("a pit");
        let mut at = from;
        while in_hand > 0 {
            at = step(at, 1);
            if at != from {
                *self.pits.get_mut(&at).expect("a pit") += 1;
                in_hand -= 1;
            }
        }
        at
    }

    /// Rule 2: the pits to capture after the last seed.
    fn chain(&self, last: char) -> Vec<char> {
        let mut chain = Vec::new();
        let mut at = last;
        while owner(at) != self.turn && (self.pits[&at] == 2 || self.pits[&at] == 3) {
            chain.push(at);
            at = step(at, 11);
        }
        chain
    }

    /// The seeds that the move leaves in the opponent's row, and whether its capture would take all of them.
    fn tried(&self, mv: char) -> (i16, bool) {
        let mut board = self.clone();
        let last = board.sow(mv);
        let left = board.row_sum(1 - self.turn);
        let taken: i16 = board.chain(last).into_iter().map(|pit| board.pits[&pit]).sum();
        (left, taken > 0 && taken == left)
    }

    /// Rule 6, which Awari does not have.
    fn has_winner(&self) -> bool {
        !self.awari && self.scores.iter().any(|&score| score >= 25)
    }

    fn legal(&self) -> Vec<char> {
        if self.has_winner() {
            return Vec::new();
        }
        let mut moves = self.row(self.turn);
        moves.retain(|pit| self.pits[pit] > 0);
        if self.row_sum(1 - self.turn) == 0 {
            moves.retain(|&pit| self.tried(pit).0 > 0);
        }
        let modest: Vec<char> = moves.iter().copied().filter(|&pit| !self.tried(pit).1).collect();
        if self.awari && !modest.is_empty() { modest } else { moves }
    }

    /// Rule 5, of a game that is not over by rule 6.
    fn collect_if_stuck(&mut self) {
        if self.has_winner() || !self.legal().is_empty() {
            return;
        }
        let left = [self.row_sum(0), self.row_sum(1)];
        let all_to = |player: usize| [0, 1].map(|p| if p == player { left[0] + left[1] } else { 0 });
        let shares = match (self.awari, left[self.turn]) {
            (false, _) => left,
            // A mover without seeds leaves all to the opponent; one who cannot feed takes all.
            (true, 0) => all_to(1 - self.turn),
            (true, _) => all_to(self.turn),
        };
        self.scores = [self.scores[0] + shares[0], self.scores[1] + shares[1]];
        self.pits.values_mut().for_each(|seeds| *seeds = 0);
    }
}

impl Reference for SlowOware {
    fn start(values: &[u32]) -> Self {
        SlowOware::from_text(values[0] == 1, "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S")
    }

    fn moves(&self) -> Vec<String> {
        self.legal().into_iter().map(String::from).collect()
    }

    fn after(&self, mv: &str) -> Self {
        let mv: char = mv.parse().expect("a letter");
        let (_, slam) = self.tried(mv);
        let mut next = self.clone();
        let last = next.sow(mv);
        if !slam || self.awari {
            for pit in next.chain(last) {
                next.scores[self.turn] += next.pits.insert(pit, 0).expect("a pit");
            }
        }
        next.turn = 1 - self.turn;
        next.collect_if_stuck();
        next
    }

    fn result(&self) -> Option<i16> {
        self.legal().is_empty().then(|| self.scores[self.turn] - self.scores[1 - self.turn])
    }

    fn text(&self) -> String {
        let pits = CIRCLE.map(|pit| self.pits[&pit].to_string()).join("-");
        format!("{pits}-{}-{}-{}", self.scores[0], self.scores[1], ["S", "N"][self.turn])
    }
}
