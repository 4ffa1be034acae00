//! Oware's solver against plain negamax with the full history: whatever the history, what it calls proved contains the true
//! value.

use parlor_core::{Bounds, Game, Indexed, Limits, Margin, Match, Notation, Solve};
use parlor_engine::{Monotonic, Random};
use parlor_games::oware::{Oware, Position, RuleSet};
use parlor_solvers::oware::OwareSolver;
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
};

/// Plain negamax. A position that was just entered has a past of no account, and is remembered.
struct Truth {
    game: Oware,
    entered: HashMap<Position, Margin>,
    left: u64,
}

impl Truth {
    /// The margin of the last position of a way that begins where its layer was entered; none if it takes too long.
    fn of(&mut self, way: &mut Vec<Position>) -> Option<Margin> {
        let pos = *way.last()?;
        if let Some(margin) = self.game.result(&pos) {
            return Some(margin);
        }
        if let Some(&margin) = self.entered.get(&pos).filter(|_| way.len() == 1) {
            return Some(margin);
        }
        self.left = self.left.checked_sub(1)?;
        let mut moves = Vec::new();
        self.game.moves(&pos, &mut moves);
        let mut best = Margin(i16::MIN);
        for mv in moves {
            let mut next = pos;
            self.game.play(&mut next, mv);
            best = best.max(-self.after(way, next)?);
        }
        if way.len() == 1 {
            self.entered.insert(pos, best);
        }
        Some(best)
    }

    fn after(&mut self, way: &mut Vec<Position>, next: Position) -> Option<Margin> {
        if way.last()?.scores() != next.scores() {
            return self.of(&mut vec![next]);
        }
        if way.contains(&next) {
            return self.game.repetition_payoff(&next);
        }
        way.push(next);
        let margin = self.of(way);
        way.pop();
        margin
    }
}

/// A random position, and some random moves that capture nothing.
fn somewhere(game: &Oware, random: &mut Random) -> Option<Match<Oware>> {
    let layer = 2 + random.below(5) as u32;
    let pos = Indexed::position(game, layer, random.bits() % game.len(layer))?;
    game.result(&pos).is_none().then_some(())?;
    let mut played = Match::from_position(game.clone(), pos);
    for _ in 0..random.below(24) {
        let mut moves = Vec::new();
        game.moves(played.position(), &mut moves);
        played.make(moves[random.below(moves.len())]);
        let over = played.ending().is_some() || played.occurrences() > 1;
        if over || played.position().scores() != pos.scores() {
            played.undo();
            break;
        }
    }
    Some(played)
}

/// So few nodes that hardly anything but the table's part works, and more.
const NODES: [u64; 3] = [0, 200, 20_000];

#[test]
fn what_is_proved_contains_the_truth_whatever_stood_before() {
    for (rules, seed) in [(RuleSet::Abapa, 1), (RuleSet::Awari, 2)] {
        let game = Oware::by(rules).family();
        let mut truth = Truth { game: game.clone(), entered: HashMap::new(), left: 0 };
        let (mut random, mut checked, mut late, mut exact) = (Random::new(seed), 0, 0, [0; 3]);
        let mut solver = OwareSolver::new(rules, 1 << 20, 1, Arc::new(Monotonic::start()), None);
        while checked < 500 {
            let Some(played) = somewhere(&game, &mut random) else { continue };
            truth.left = 10_000;
            let Some(want) = truth.of(&mut played.positions().to_vec()) else { continue };
            (checked, late) = (checked + 1, late + u32::from(played.moves().len() > 3));
            for (nodes, exact) in NODES.into_iter().zip(&mut exact) {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let bounds = solver.solve(&played, &limits, &AtomicBool::new(false), &mut |_| ());
                let place = game.write_position(played.position());
                let way = played.moves().iter().map(|&mv| game.write_move(mv)).collect::<String>();
                assert!(bounds.contain(want), "{rules:?} {place} after {way}: {bounds:?} without {want:?}");
                *exact += u32::from(bounds == Bounds::exactly(want));
            }
        }
        assert!(late > checked / 4, "{rules:?}: {late} of {checked}");
        assert!(
            exact[0] > checked * 3 / 4 && exact[2] > checked * 19 / 20,
            "{rules:?}: {exact:?} of {checked}"
        );
    }
}
