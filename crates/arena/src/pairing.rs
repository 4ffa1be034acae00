//! Who plays which side when: pairs of games with the same opening and the sides swapped, so that neither the opening nor the
//! first move favours anybody.

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The pair it belongs to, from 0: its games share an opening.
    pub round: u64,
    /// Which of the two players, 0 or 1, has the first side.
    pub first: usize,
}

/// The games of a match, in order.
#[derive(Clone, Debug)]
pub struct Pairs {
    rounds: u64,
    next: u64,
}

impl Pairs {
    /// This many pairs of games.
    pub fn new(rounds: u64) -> Pairs {
        Pairs { rounds, next: 0 }
    }
}

impl Iterator for Pairs {
    type Item = Pairing;

    fn next(&mut self) -> Option<Pairing> {
        let (round, first) = (self.next / 2, (self.next % 2) as usize);
        self.next += 1;
        (round < self.rounds).then_some(Pairing { round, first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_is_a_pair_with_sides_swapped() {
        let games: Vec<(u64, usize)> = Pairs::new(2).map(|game| (game.round, game.first)).collect();
        assert_eq!(games, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(Pairs::new(0).next(), None);
    }
}
