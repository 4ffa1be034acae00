//! The `perfect` player: plays a proved move if the solver finds one in time, otherwise the move of the engine.

use crate::{Clock, MoveChooser, SearchContext, Searcher};
use parlor_core::{Bounds, Game, Limits, Match, Notation, Report, Solve};
use std::{sync::Arc, time::Duration};

/// A solver with an engine to fall back on.
pub struct Perfect<G: Game> {
    pub solver: Box<dyn Solve<G>>,
    /// Chooses the move if nothing is proved in time.
    pub search: Box<dyn Searcher<G>>,
    /// Time limit per move.
    pub time: Duration,
    pub clock: Arc<dyn Clock>,
}

impl<G: Notation> MoveChooser<G> for Perfect<G> {
    fn choose(&mut self, played: &Match<G>, context: &mut SearchContext<'_>) -> Option<G::Move> {
        let begun = self.clock.now();
        let time = context.limits.time.map_or(self.time, |time| time.min(self.time));
        if let Some(mv) = self.proved(played, time, context) {
            return Some(mv);
        }
        let left = time.saturating_sub(self.clock.now() - begun);
        let limits = Limits { time: Some(left), ..*context.limits };
        self.search.run(played, &limits, context.stop, context.report).moves.first().map(|best| best.mv)
    }
}

impl<G: Notation> Perfect<G> {
    /// A move that preserves what is proved: the exact margin, or a win of some margin. `None` if nothing useful is proved in
    /// three quarters of the time, and in games lost by the largest margin, where the engine makes winning harder for the
    /// opponent.
    fn proved(
        &mut self,
        played: &Match<G>,
        time: Duration,
        context: &mut SearchContext<'_>,
    ) -> Option<G::Move> {
        let (game, pos) = (played.game(), played.position());
        let limits = Limits { time: Some(time * 3 / 4), ..*context.limits };
        let mut last = Report::default();
        let bounds = self.solver.solve(played, &limits, context.stop, &mut |report| {
            last = report.clone();
            (context.report)(report);
        });
        let hopeless = bounds.are_exact() && bounds.lo == -game.largest_margin();
        let useful = bounds.are_exact() && !hopeless || bounds.lo.0 > 0;
        if !useful {
            return None;
        }
        let first = last.line.first().and_then(|text| game.parse_move(pos, text).ok());
        first.or_else(|| self.found_again(played, bounds, time / 4, context))
    }

    /// Searches each move in turn if the solver knows the margin but no longer the move.
    fn found_again(
        &mut self,
        played: &Match<G>,
        bounds: Bounds,
        time: Duration,
        context: &mut SearchContext<'_>,
    ) -> Option<G::Move> {
        let (game, begun) = (played.game(), self.clock.now());
        let mut moves = Vec::new();
        game.moves(played.position(), &mut moves);
        moves.into_iter().find(|&mv| {
            let mut after = played.clone();
            after.make(mv);
            let left = time.saturating_sub(self.clock.now() - begun);
            let limits = Limits { time: Some(left), ..*context.limits };
            let found = self.solver.solve(&after, &limits, context.stop, &mut |_| ());
            let same = game.turn(after.position()) == game.turn(played.position());
            (if same { found.lo } else { -found.hi }) >= bounds.lo
        })
    }
}
